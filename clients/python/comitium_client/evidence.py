"""What is left in your hands when a server contradicts itself, as a file that somebody else can check without believing you.

    except Tampered as error:
        Path("evidence.json").write_bytes(evidence_of(error).to_json())

A receipt is signed by the server, so it proves what it says to anybody who has the server's public key from elsewhere. A
frame is not: that the server has shown it, rather than somebody else, is your word. `check_evidence` keeps the two apart.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import msgspec

from comitium_client.chain import check_entry, hash_in, head_of
from comitium_client.errors import ReceiptMismatch, Tampered, Unreadable
from comitium_client.models import Body, Entry, Receipt
from comitium_client.receipts import check_signature

Kind = Literal["fork", "contradiction", "promise", "nothing"]


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """An entry as it was shown. `entry`: its text to the byte; hashes are hex."""

    seq: int
    version: str
    entry: str
    salt: str
    commits: dict[str, str]
    leaf: str
    head: str

    @classmethod
    def of(cls, entry: Entry) -> "Shown":
        """That entry."""
        return cls(
            seq=entry.seq, version=entry.version, entry=entry.raw.decode(), salt=entry.salt, commits=entry.commits,
            leaf=entry.leaf, head=entry.head,
        )  # fmt: skip

    def read(self) -> Entry:
        """The entry again.

        Raises:
            Unreadable: its text is not that of an entry.
        """
        raw = self.entry.encode()
        try:
            body = msgspec.json.decode(raw, type=Body)
        except msgspec.MsgspecError as error:
            raise Unreadable(f"Entry {self.seq} cannot be read: {error}") from error
        return Entry(
            seq=self.seq, version=self.version, raw=raw, salt=self.salt, commits=self.commits, leaf=self.leaf,
            head=self.head, body=body,
        )  # fmt: skip


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What a client holds against a server. `error`: what it raised; `keys`: the server's public keys, by id, as it had them."""

    table: str
    seq: int
    error: str
    sentence: str
    receipts: tuple[Receipt, ...] = ()
    shown: tuple[Shown, ...] = ()
    keys: dict[str, str] = {}

    def to_json(self) -> bytes:
        """The file."""
        return msgspec.json.format(msgspec.json.encode(self)) + b"\n"

    @classmethod
    def from_json(cls, data: bytes) -> "Evidence":
        """What a file says.

        Raises:
            Unreadable: it is no evidence.
        """
        try:
            return msgspec.json.decode(data, type=cls)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise Unreadable(f"This is no evidence: {error}") from error


class Finding(msgspec.Struct, frozen=True):
    """What evidence shows. `signed`: all of it is the server's own signature, so nobody has to be believed.

    fork: two signed heads for one entry. contradiction: what was shown does not fit itself or a signed head. promise: nothing
    but receipts, so the server has to show a log with those heads to whoever asks; if it cannot, it has lost or changed one.
    """

    kind: Kind
    signed: bool
    seq: int
    sentence: str


def evidence_of(error: Tampered, keys: Mapping[str, str] | None = None) -> Evidence:
    """What there is for an error that a client raised. `keys`: those of the server, `client.receipts.keys(server)`."""
    return Evidence(
        table=error.table, seq=error.seq, error=type(error).__name__, sentence=str(error), receipts=error.receipts,
        shown=() if error.shown is None else (Shown.of(error.shown),), keys=dict(keys or {}),
    )  # fmt: skip


def compare_receipts(one: Iterable[Receipt], other: Iterable[Receipt], keys: Mapping[str, str]) -> tuple[Evidence, ...]:
    """Where the receipts of two people show that the server has told them different logs; none if they agree.

    Anybody who may read the table gets a receipt with each archive: `Archive(data).header.receipt`.

    Raises:
        ReceiptMismatch: none of the keys (public, in hex, by id) has signed one of them.
    """
    mine = {(receipt.table, receipt.seq): receipt for receipt in _genuine(one, keys)}
    found = []
    for theirs in _genuine(other, keys):
        own = mine.get((theirs.table, theirs.seq))
        if own is not None and own.head != theirs.head:
            found.append(_forked(own, theirs, keys))
    return tuple(found)


def _genuine(receipts: Iterable[Receipt], keys: Mapping[str, str]) -> Iterator[Receipt]:
    for receipt in receipts:
        check_signature(receipt, keys.get(receipt.key, ""))
        yield receipt


def _forked(own: Receipt, theirs: Receipt, keys: Mapping[str, str]) -> Evidence:
    sentence = f"The server has signed two different heads for entry {own.seq} of table {own.table}."
    used = {name: keys[name] for name in (own.key, theirs.key)}
    return Evidence(
        table=own.table, seq=own.seq, error="LogForked", sentence=sentence, receipts=(own, theirs), keys=used
    )


def check_evidence(evidence: Evidence, keys: Mapping[str, str] | None = None) -> Finding:
    """What the evidence shows. `keys`: the server's public keys as you have them yourself; without, those in the evidence,
    which whoever wrote it may have made up.
    """
    trusted = evidence.keys if keys is None else keys
    receipts = [each for each in evidence.receipts if each.table == evidence.table and _holds(each, trusted)]
    return _fork(receipts) or _contradiction(evidence, receipts) or _rest(evidence, receipts)


def _holds(receipt: Receipt, keys: Mapping[str, str]) -> bool:
    try:
        check_signature(receipt, keys.get(receipt.key, ""))
    except ReceiptMismatch:
        return False
    return True


def _fork(receipts: Iterable[Receipt]) -> Finding | None:
    heads: dict[int, str] = {}
    for receipt in receipts:
        if heads.setdefault(receipt.seq, receipt.head) != receipt.head:
            sentence = f"The server has signed two different heads for entry {receipt.seq}: there are two logs."
            return Finding("fork", signed=True, seq=receipt.seq, sentence=sentence)
    return None


def _contradiction(evidence: Evidence, receipts: Iterable[Receipt]) -> Finding | None:
    signed = {receipt.seq: receipt.head for receipt in receipts}
    for shown in evidence.shown:
        sentence = _unfit(evidence.table, shown, signed)
        if sentence is not None:
            return Finding("contradiction", signed=False, seq=shown.seq, sentence=sentence)
    return None


def _unfit(table: str, shown: Shown, signed: Mapping[int, str]) -> str | None:
    """What an entry that was shown does not fit."""
    try:
        check_entry(shown.read(), table)
    except (Tampered, Unreadable) as error:
        return str(error)
    if signed.get(shown.seq, shown.head) != shown.head:
        return f"Entry {shown.seq} was shown with another head than the server has signed."
    before = signed.get(shown.seq - 1)
    if before is not None and head_of(hash_in(before), hash_in(shown.leaf)).hex() != shown.head:
        return f"Entry {shown.seq} does not lead on from the head that the server has signed for the entry before."
    return None


def _rest(evidence: Evidence, receipts: list[Receipt]) -> Finding:
    if not receipts:
        sentence = "None of the keys has signed a receipt here, and no entry contradicts itself."
        return Finding("nothing", signed=False, seq=evidence.seq, sentence=sentence)
    last = max(receipts, key=lambda receipt: receipt.seq)
    sentence = f"The server has signed the head of entry {last.seq}: it must be able to show a log that has it."
    return Finding("promise", signed=True, seq=last.seq, sentence=sentence)
