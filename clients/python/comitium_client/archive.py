"""Archives: a table's log in a file, read line by line and checked without the server. docs/archive.md tells the format.

    archive = Archive("table.jsonl", receipts=receipts.of(server, table), keys=receipts.keys(server))
    for line in archive:
        print(line.seq, line.body.action["type"])

Checked are the spelling of each line, the chain, that each entry came in the version which is owed to the reader whom
the header names, and the signature that closes the log; and all of it against the receipts and keys that you kept.
Whether the rules allow what stands there takes the rules.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from comitium_client.archive_lines import MAX_LINE, Audience, Source, WireLine, body_in, header_in, line_in, split
from comitium_client.chain import ZERO, commit_of, head_of, leaf_of
from comitium_client.errors import BrokenArchive, ForkedArchive, ReceiptMismatch, ShortArchive
from comitium_client.models import Body, Receipt
from comitium_client.receipts import check_signature


class Header(msgspec.Struct, frozen=True):
    """Line 1: whose log of which table, and what closes it. Hashes, signature and key are hex."""

    table: str
    audience: Audience
    game: str
    rules: int
    seats: int
    last_seq: int
    head: str
    signature: str
    public_key: str

    @property
    def receipt(self) -> Receipt:
        """The signature as what it is: the server's receipt for the last head."""
        key = hashlib.sha256(bytes.fromhex(self.public_key)).hexdigest()[:16]
        return Receipt(table=self.table, seq=self.last_seq, head=self.head, key=key, signature=self.signature)


class Line(msgspec.Struct, frozen=True):
    """An entry of an archive, checked. `raw`: the bytes that the hashes are over."""

    seq: int
    version: str
    raw: bytes
    head: str

    @property
    def body(self) -> Body:
        """What the entry says."""
        return msgspec.json.decode(self.raw, type=Body)


class Archive:
    """An archive that is being read: `header`, then the entries, once, by iterating. Who has come to the end without an
    error has a whole log.

    `receipts`: those that you kept of this table's server. `keys`: its public keys in hex, by id. With keys one of them must
    have closed the log, and signed each receipt; without any the archive vouches for itself. `limit`: bytes of a line.

    Raises:
        BrokenArchive: at once for the header, else as the entries are taken (also `ForkedArchive`, `ShortArchive`).
        ReceiptMismatch: none of the keys has closed the log, or signed a receipt.
    """

    def __init__(
        self,
        source: Source,
        *,
        receipts: Iterable[Receipt] = (),
        keys: Mapping[str, str] | None = None,
        limit: int = MAX_LINE,
    ) -> None:
        self._lines = split(source, limit)
        wire = header_in(next(self._lines, b""))
        self.header = Header(*msgspec.structs.astuple(wire)[1:])
        self._receipts = {each.seq: each for each in receipts if each.table == self.header.table}
        self._seq, self._head = 0, bytes.fromhex(ZERO)
        if keys is not None:
            self._check_keys(keys)

    def _check_keys(self, keys: Mapping[str, str]) -> None:
        for receipt in self._receipts.values():
            check_signature(receipt, keys.get(receipt.key, ""))
        own = self.header.receipt
        if keys.get(own.key) != self.header.public_key:
            sentence = f"The archive is closed by the key {own.key!r}, which is none of those given."
            raise ReceiptMismatch(sentence, own.table, own.seq, [own])

    def __iter__(self) -> Iterator[Line]:
        for data in self._lines:
            yield self._take(data)
        self._close()

    def check(self) -> Header:
        """Reads to the end. Gives the header, which can be believed then."""
        for _ in self:
            pass
        return self.header

    # --- A line ---------------------------------------------------------------------------------------

    def _take(self, data: bytes) -> Line:
        seq, number = self._seq + 1, self._seq + 2
        if self._seq == self.header.last_seq:
            sentence = f"The header closes the log at entry {self._seq}; here is one more."
            raise self._broken(number, "too_many_lines", sentence)
        wire = line_in(number, data)
        self._check_body(number, seq, bytes(wire.body))
        self._check_version(number, wire)
        head = head_of(self._head, self._leaf(wire))
        if head.hex() != wire.head:
            sentence = "Body, salt, commits and the head before do not give the head that stands here."
            raise self._broken(number, "head", sentence)
        self._check_receipt(seq, wire.head)
        self._seq, self._head = seq, head
        return Line(seq, wire.version, bytes(wire.body), wire.head)

    def _broken(self, line: int, reason: str, sentence: str) -> BrokenArchive:
        return BrokenArchive(line, reason, sentence, self.header.table)

    def _check_body(self, number: int, seq: int, data: bytes) -> None:
        body = body_in(number, data)
        if (body.get("table"), body["seq"]) != (self.header.table, seq):
            sentence = (
                f"The body is not that of entry {seq} of this table: a line is missing, twice, or in another's place."
            )
            raise self._broken(number, "place", sentence)
        if seq == 1:
            self._check_opening(body)

    def _check_opening(self, body: Mapping[str, Any]) -> None:
        """Entry 1 says what is played, by which rules and by how many; nothing signs the header's own word for it."""
        match body.get("events"):
            case [{"type": "created", "game": str(game), "rules": int(rules), "seats": int(seats)}, *_]:
                if (game, rules, seats) != (self.header.game, self.header.rules, self.header.seats):
                    sentence = "Header and entry 1 differ in the game, its rules or the number of seats."
                    raise self._broken(1, "unlike_header", sentence)
            case _:
                raise self._broken(2, "body", "The first entry does not open a table.")

    def _check_version(self, number: int, wire: WireLine) -> None:
        names, audience = wire.places, str(self.header.audience)
        if wire.version in wire.commits or "full" not in names or max(names.values()) >= self.header.seats + 2:
            raise self._broken(number, "version", "These are not the versions of an entry at this table.")
        owed = "full" if audience == "all" else next(name for name in (audience, "public", "full") if name in names)
        if wire.version != owed:
            sentence = "This is not the version that is owed to the reader whom the header names."
            raise self._broken(number, "version", sentence)

    def _leaf(self, wire: WireLine) -> bytes:
        salt = bytes.fromhex(wire.salt)
        derived = hmac.digest(salt, b"full", "sha256") if self.header.audience == "all" else salt
        commits = {name: bytes.fromhex(digits) for name, digits in wire.commits.items()}
        return leaf_of({**commits, wire.version: commit_of(derived, bytes(wire.body))})

    # --- What closes it, and what was kept ------------------------------------------------------------

    def _check_receipt(self, seq: int, head: str) -> None:
        receipt = self._receipts.get(seq)
        if receipt is not None and receipt.head != head:
            sentence = f"Entry {seq} has another head than in the receipt that you kept: the server tells two logs."
            raise ForkedArchive(seq + 1, "forked", sentence, self.header.table, [receipt, self.header.receipt])

    def _close(self) -> None:
        header, last = self.header, self._seq + 1
        if self._seq < header.last_seq:
            sentence = f"The header closes the log at entry {header.last_seq}; here it ends at {self._seq}."
            raise self._broken(last + 1, "too_few_lines", sentence)
        if self._head.hex() != header.head:
            raise self._broken(last, "last_head", "The last head is not the one that the header tells of.")
        try:
            check_signature(header.receipt, header.public_key)
        except ReceiptMismatch:
            sentence = "The signature over the last head is not from the key that stands here."
            raise self._broken(1, "signature", sentence) from None
        beyond = max((seq for seq in self._receipts if seq > self._seq), default=None)
        if beyond is not None:
            sentence = f"The log ends with entry {self._seq}; you hold a receipt for entry {beyond}."
            kept = [header.receipt, self._receipts[beyond]]
            raise ShortArchive(last, "shorter_than_receipt", sentence, header.table, kept)
