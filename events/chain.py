"""The hash chain: what binds every version of every entry of a table, so that no line can be changed unseen.

With SHA-256 (FIPS 180-4) and HMAC (RFC 2104):

    derived(x) = HMAC(salt, name of x)                   the salt of version x
    commit(x)  = SHA-256(0x02 || derived(x) || bytes of x)
    leaf       = SHA-256(0x00 || commits in the order full, public, seat 0, seat 1...)
    head(n)    = SHA-256(0x01 || head(n-1) || leaf(n)),  head(0) = 32 zero bytes

The first byte keeps the three kinds of hash apart (as RFC 6962, section 2.1, does for trees). A reader gets its own
version with its derived salt, and the bare commits of the others: it can check all it sees and can guess nothing, for a
derived salt says nothing about the others. Hashes are over stored bytes; nothing is encoded anew before hashing.
"""

from collections.abc import Container, Mapping
from hashlib import sha256
from typing import Literal

from events.entry import FULL, ORDER, PUBLIC, SEAT_VERSIONS, Entry, Glimpse, Reading

Audience = int | None | Literal["all"]
"""A seat, the public (None), or everybody after the end ("all")."""

ZERO = bytes(32)
"""The head of an empty log."""

# HMAC by hand: for a key that is always 32 bytes two plain hashes cost half of what the general HMAC call costs.
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_INNER_PAD = bytes([0x36]) * 32
_OUTER = bytes(byte ^ 0x5C for byte in range(256))
_OUTER_PAD = bytes([0x5C]) * 32


class Tampered(ValueError):  # noqa: N818  (it is said of the log)
    """Something shown as part of a log does not fit that log."""

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(f"entry {seq}: {reason}")
        self.seq = seq
        self.reason = reason


def derive(salt: bytes, version: str) -> bytes:
    """The salt of one version: HMAC-SHA-256 with the entry's salt (32 bytes) as key over the version's name."""
    inner = sha256(salt.translate(_INNER) + _INNER_PAD + version.encode("ascii")).digest()
    return sha256(salt.translate(_OUTER) + _OUTER_PAD + inner).digest()


def commit(derived: bytes, data: bytes) -> bytes:
    """The commitment to one version: binding at once, and silent about `data` as long as `derived` is unknown."""
    return sha256(b"\x02" + derived + data).digest()


def leaf(commits: Mapping[str, bytes]) -> bytes:
    """The hash of all versions of an entry, from their commitments by name; the names are those of `entry.ORDER`."""
    if len(commits) == 1:
        return sha256(b"\x00" + next(iter(commits.values()))).digest()
    return sha256(b"\x00" + b"".join([commits[name] for name in sorted(commits, key=ORDER.__getitem__)])).digest()


def advance(head: bytes, leaf: bytes) -> bytes:
    """The head after an entry, from the head before it."""
    return sha256(b"\x01" + head + leaf).digest()


def seal(seq: int, before: bytes, versions: dict[str, bytes], salt: bytes) -> Entry:
    """The entry `seq` of a log whose head is `before`. `salt` must be 32 fresh random bytes (`secrets.token_bytes`)."""
    if len(salt) != 32:
        raise ValueError("a salt has 32 bytes")
    if FULL not in versions or not ORDER.keys() >= versions.keys():
        raise ValueError(f"{sorted(versions)} are not the versions of an entry")
    whole = leaf({name: commit(derive(salt, name), data) for name, data in versions.items()})
    return Entry(seq, salt, versions, whole, advance(before, whole))


def version_for(versions: Container[str], audience: Audience) -> str:
    """The name of the version that an audience reads, of those that an entry has."""
    if audience == "all":
        return FULL
    if audience is not None and (own := SEAT_VERSIONS[audience]) in versions:
        return own
    return PUBLIC if PUBLIC in versions else FULL


def read_as(entry: Entry, audience: Audience) -> Reading:
    """The entry as that audience may read it; of a glimpse there is one reading."""
    if isinstance(entry, Glimpse):
        return entry.reading
    name, salt = version_for(entry.versions, audience), entry.salt
    others = {other: commit(derive(salt, other), data) for other, data in entry.versions.items() if other != name}
    return Reading(entry.seq, name, entry.versions[name], derive(salt, name), others, entry.leaf, entry.head)


def readings(entry: Entry) -> dict[str, Reading]:
    """Every reading of an entry, by the name of its version: for many audiences cheaper than `read_as` for each."""
    if len(entry.versions) == 1:
        return {FULL: read_as(entry, None)}
    derived = {name: derive(entry.salt, name) for name in entry.versions}
    commits = {name: commit(derived[name], data) for name, data in entry.versions.items()}
    found = {}
    for name, data in entry.versions.items():
        others = {other: commits[other] for other in commits if other != name}
        found[name] = Reading(entry.seq, name, data, derived[name], others, entry.leaf, entry.head)
    return found


def check_reading(reading: Reading, before: bytes | None) -> None:
    """Raise `Tampered` unless the reading fits its own leaf and head.

    `before` is the head before this entry; None if unknown, and then the head is not checked. A reader should also know
    that the version is the one it is owed: `version_for({*reading.commits, reading.version}, audience)`.
    """
    if reading.version in reading.commits:
        raise Tampered(reading.seq, f"version {reading.version!r} is there twice")
    # Without fixed lengths, bytes could wander from a salt into its text, or from one commitment into the next.
    if any(len(part) != 32 for part in (reading.salt, *reading.commits.values())):
        raise Tampered(reading.seq, "a salt or commitment has not 32 bytes")
    commits = {**reading.commits, reading.version: commit(reading.salt, reading.entry)}
    _check(reading.seq, commits, reading.leaf, reading.head, before)


def check_entry(entry: Entry, before: bytes | None) -> None:
    """Raise `Tampered` unless a whole entry fits its own leaf and head; `before` as for `check_reading`."""
    if len(entry.salt) != 32:
        raise Tampered(entry.seq, "the salt has not 32 bytes")
    commits = {name: commit(derive(entry.salt, name), data) for name, data in entry.versions.items()}
    _check(entry.seq, commits, entry.leaf, entry.head, before)


def _check(seq: int, commits: Mapping[str, bytes], claimed: bytes, head: bytes, before: bytes | None) -> None:
    if FULL not in commits or not ORDER.keys() >= commits.keys():
        raise Tampered(seq, f"{sorted(commits)} are not the versions of an entry")
    if leaf(commits) != claimed:
        raise Tampered(seq, "its bytes, salt and commitments do not give its leaf")
    if before is not None and advance(before, claimed) != head:
        raise Tampered(seq, "its leaf and the head before it do not give its head")
