"""The hashes of a log, and a checker that follows it from any entry on.

    commit = SHA-256(0x02 || salt || entry bytes)
    leaf   = SHA-256(0x00 || the commits of all versions in the order full, public, 0, 1, ...)
    head   = SHA-256(0x01 || head before || leaf)        32 zero bytes before entry 1

A salt and a commit must be exactly 32 bytes long: what is hashed is a plain concatenation, so other lengths would let
bytes wander from one part to the next.
"""

import hashlib
from collections.abc import Mapping

import msgspec

from comitium_client.errors import Tampered
from comitium_client.models import Entry

ZERO = "00" * 32
"""The head before entry 1."""

_SIZE = 32


def commit_of(salt: bytes, entry: bytes) -> bytes:
    """The commitment to one version of an entry."""
    return hashlib.sha256(b"\x02" + salt + entry).digest()


def leaf_of(commits: Mapping[str, bytes]) -> bytes:
    """The leaf of an entry, from the commits of all its versions by name."""
    return hashlib.sha256(b"\x00" + b"".join(commits[name] for name in sorted(commits, key=_place))).digest()


def head_of(before: bytes, leaf: bytes) -> bytes:
    """The head after an entry."""
    return hashlib.sha256(b"\x01" + before + leaf).digest()


def _place(version: str) -> int:
    """Full, public, then the seats by number."""
    match version:
        case "full":
            return -2
        case "public":
            return -1
        case _ if version.isascii() and version.isdigit() and str(int(version)) == version:
            return int(version)
        case _:
            raise ValueError(f"{version!r} is no version")


def hash_in(text: str) -> bytes:
    """The 32 bytes that stand there as 64 hex digits, in the one way to write them.

    Raises:
        ValueError: it is something else.
    """
    value = bytes.fromhex(text)
    if len(value) != _SIZE or value.hex() != text:
        raise ValueError("a hash or salt is not 64 hex digits")
    return value


def owed(entry: Entry, seat: int | None) -> str:
    """The version that is owed to the reader in that seat, or to a spectator (None): the most particular one there is."""
    names = {entry.version, *entry.commits}
    if seat is not None and str(seat) in names:
        return str(seat)
    return "public" if "public" in names else "full"


def check_entry(entry: Entry, table: str) -> None:
    """Checks what an entry proves by itself: it is this table's, and its bytes are what its leaf commits to.

    Raises:
        Tampered: it does not hold.
    """
    if (entry.body.table, entry.body.seq) != (table, entry.seq):
        where = f"entry {entry.body.seq} of table {entry.body.table}"
        raise Tampered(f"What was sent as entry {entry.seq} of table {table} is {where}.", table, entry.seq, (), entry)
    if _leaf(entry, table).hex() != entry.leaf:
        raise Tampered(f"The text of entry {entry.seq} is not the one that its leaf commits to.", table, entry.seq)


def _leaf(entry: Entry, table: str) -> bytes:
    try:
        return leaf_of(_commits(entry))
    except ValueError as error:
        raise Tampered(f"The hashes of entry {entry.seq} cannot be checked: {error}.", table, entry.seq) from error


def _commits(entry: Entry) -> dict[str, bytes]:
    if entry.version in entry.commits:
        raise ValueError(f"{entry.version!r} is listed twice")
    if "full" not in {entry.version, *entry.commits}:
        raise ValueError("there is no full version")
    others = {name: hash_in(commit) for name, commit in entry.commits.items()}
    return {**others, entry.version: commit_of(hash_in(entry.salt), entry.raw)}


class Chain(msgspec.Struct, frozen=True):
    """The log up to a head. Starts before entry 1, or at any (seq, head) that is known from elsewhere."""

    table: str
    seq: int = 0
    head: str = ZERO

    def extend(self, entry: Entry) -> "Chain":
        """The chain with the next entry.

        Raises:
            Tampered: the entry is not the next one, is not what its leaf says, or does not lead to its head.
        """
        if entry.seq != self.seq + 1:
            raise Tampered(f"Entry {entry.seq} came after entry {self.seq}.", self.table, entry.seq)
        check_entry(entry, self.table)
        if head_of(bytes.fromhex(self.head), bytes.fromhex(entry.leaf)).hex() != entry.head:
            sentence = f"Entry {entry.seq} does not lead from the head of entry {self.seq} to the head that it names."
            raise Tampered(sentence, self.table, entry.seq)
        return Chain(self.table, entry.seq, entry.head)
