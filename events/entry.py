"""One line of a table's log, as a store keeps it and as one audience may read it."""

import msgspec

FULL = "full"
PUBLIC = "public"
MAX_SEATS = 100

SEAT_VERSIONS = tuple(str(seat) for seat in range(MAX_SEATS))
"""The name of each seat's version."""

ORDER = {name: place for place, name in enumerate((FULL, PUBLIC, *SEAT_VERSIONS))}
"""Every name a version may have, with its place in the order in which versions are hashed."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """What a store keeps: one accepted action with all its consequences, in every version, and where the chain stands.

    `versions` holds canonical JSON: "full"; "public" if it differs from full; "0", "1"... for each seat whose version
    differs from the public one (from full where there is no public one).
    """

    seq: int
    """1, 2, 3... within its table."""
    salt: bytes
    """32 random bytes; secret until the table has ended."""
    versions: dict[str, bytes]
    leaf: bytes
    """32 bytes: the hash of all versions."""
    head: bytes
    """32 bytes: the hash of the log up to here."""


class Reading(msgspec.Struct, frozen=True, gc=False):
    """An entry as one audience may read it: enough to check it against the chain, not enough to guess what is hidden."""

    seq: int
    version: str
    """The name of the version that this is."""
    entry: bytes
    """The bytes of that version."""
    salt: bytes
    """32 bytes: the salt derived for this version alone."""
    commits: dict[str, bytes]
    """The commitment to each *other* version."""
    leaf: bytes
    head: bytes


class Glimpse(Entry, frozen=True, gc=False):
    """An entry of which no more is at hand than one audience may read, as in an archive for a seat: `versions` holds what
    it reads as if it were the whole, and whoever asks gets `reading`. `salt` is that of the one version.
    """

    reading: Reading
