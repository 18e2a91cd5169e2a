"""Receipts: checked, kept, and compared with all that came before. In memory, or in a file of JSON lines as well.

A file survives the process, so that a server which lost or changed a log is found out at the next visit, too. It has
a line a key (`{"server", "id", "public_key"}`) and a line a receipt (`{"server", "table", "seq", "head", ...}`).
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from comitium_client.chain import hash_in
from comitium_client.errors import LogForked, ReceiptMismatch
from comitium_client.models import Key, Receipt


def text_of(receipt: Receipt) -> bytes:
    """What a receipt says."""
    return f"comitium receipt 1\n{receipt.table}\n{receipt.seq}\n{receipt.head}".encode()


def signed_text(receipt: Receipt) -> bytes:
    """What its signature is over: what it says, or the root of the tree that it shares with others.

    Raises:
        ValueError: the path is none.
    """
    if not receipt.path:
        return text_of(receipt)
    if not 0 <= receipt.index < 1 << len(receipt.path):
        raise ValueError("the index lies outside the tree")
    node = hashlib.sha256(b"\x00" + text_of(receipt)).digest()
    for step, sibling in enumerate(map(hash_in, receipt.path)):
        pair = sibling + node if receipt.index >> step & 1 else node + sibling
        node = hashlib.sha256(b"\x01" + pair).digest()
    return f"comitium receipts 1\n{node.hex()}".encode()


def check_signature(receipt: Receipt, public_key: str) -> None:
    """Checks the receipt against the key, in hex.

    Raises:
        ReceiptMismatch: the key has not signed this.
    """
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        key.verify(bytes.fromhex(receipt.signature), signed_text(receipt))
    except (InvalidSignature, ValueError) as error:
        sentence = f"The receipt for entry {receipt.seq} is not signed by the key {receipt.key!r}."
        raise ReceiptMismatch(sentence, receipt.table, receipt.seq, [receipt]) from error


class Receipts:
    """All receipts and keys that this client has been given, by server."""

    def __init__(self, path: str | Path | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._keys: dict[str, dict[str, str]] = defaultdict(dict)
        self._kept: dict[tuple[str, str], dict[int, Receipt]] = defaultdict(dict)
        self._last: dict[tuple[str, str], int] = {}
        if self._path is not None and self._path.exists():
            self._load(self._path)

    def keys(self, server: str) -> Mapping[str, str]:
        """The public keys that the server has been seen with, by id."""
        return dict(self._keys.get(server, {}))

    def of(self, server: str, table: str) -> tuple[Receipt, ...]:
        """The receipts for that table, in order."""
        kept = self._kept.get((server, table), {})
        return tuple(kept[seq] for seq in sorted(kept))

    def last(self, server: str, table: str) -> int:
        """The last entry of that table for which there is a receipt, or 0."""
        return self._last.get((server, table), 0)

    def at(self, server: str, table: str, seq: int) -> Receipt | None:
        """The receipt for that entry."""
        return self._kept.get((server, table), {}).get(seq)

    def pin(self, server: str, key: Key) -> None:
        """Takes the key for this server's from now on.

        Raises:
            ReceiptMismatch: the server showed another key under this id before.
        """
        known = self._keys[server].get(key.id)
        if known is None:
            self._keys[server][key.id] = key.public_key
            self._write({"server": server, "id": key.id, "public_key": key.public_key})
        elif known != key.public_key:
            raise ReceiptMismatch(f"The server shows another public key {key.id!r} than before.")

    def keep(self, server: str, receipt: Receipt) -> None:
        """Keeps a receipt that its pinned key has signed. Keeping it again changes nothing.

        Raises:
            ReceiptMismatch: the key is not pinned, or has not signed this.
            LogForked: there is a receipt for the same entry with another head; both are kept as evidence.
        """
        check_signature(receipt, self._pinned(server, receipt))
        before = self._first(server, receipt)
        if before is receipt or before.head != receipt.head:
            self._write({"server": server, **msgspec.structs.asdict(receipt)})
        if before.head != receipt.head:
            sentence = f"The server has signed two different heads for entry {receipt.seq} of table {receipt.table}."
            raise LogForked(sentence, receipt.table, receipt.seq, [before, receipt])

    def _first(self, server: str, receipt: Receipt) -> Receipt:
        """The first receipt for that entry, which this one may be."""
        table = (server, receipt.table)
        self._last[table] = max(self._last.get(table, 0), receipt.seq)
        return self._kept[table].setdefault(receipt.seq, receipt)

    def _pinned(self, server: str, receipt: Receipt) -> str:
        try:
            return self._keys[server][receipt.key]
        except KeyError:
            sentence = (
                f"The receipt for entry {receipt.seq} names the key {receipt.key!r}, which the server never showed."
            )
            raise ReceiptMismatch(sentence, receipt.table, receipt.seq, [receipt]) from None

    # --- The file -------------------------------------------------------------------------------------

    def _load(self, path: Path) -> None:
        text = path.read_bytes()
        whole, _, torn = text.rpartition(b"\n")
        for line in whole.splitlines():
            self._take(msgspec.json.decode(line, type=dict[str, Any]))
        if torn:  # a line that a crash cut off says nothing
            path.write_bytes(whole + b"\n" if whole else b"")

    def _take(self, line: dict[str, Any]) -> None:
        server = str(line["server"])
        if "public_key" in line:
            self._keys[server].setdefault(str(line["id"]), str(line["public_key"]))
        else:
            self._first(server, msgspec.convert(line, Receipt))

    def _write(self, line: dict[str, Any]) -> None:
        if self._path is not None:
            with self._path.open("ab") as file:
                file.write(msgspec.json.encode(line) + b"\n")
