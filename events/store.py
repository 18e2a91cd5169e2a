"""What every store of logs promises, in words and as a protocol.

A store keeps one log per table, an order of all entries per lane (the feed), and which commands it has seen.

1. *Exact.* An entry is appended only at the seq the caller expects: of any number of writers, in any number of
   processes, one gets it and the others are told where the table is.
2. *Once.* A command id is appended at most once, for ever. A known id is answered with where it went, even when the
   expected seq is stale, and nothing is written.
3. *Whole.* An entry is there with all its versions or not at all, and it is never changed or deleted.
4. *Durable first.* `append` answers, and any reader sees the entry, only when a crash of the machine cannot lose it
   (memory excepted, which keeps nothing).
5. *Never a guess.* When the outcome cannot be known, the answer is `Unavailable`; asking again with the same command
   id is always right, and finds out.
6. *In order.* Within a table by seq, within a lane by position, both 1, 2, 3... without a gap; there is no order across
   lanes. An entry of a table with a larger seq has the larger position.
7. *Bytes.* Versions come back as they went in. They must be canonical JSON: a store may keep them as text.

Whatever is wrong with the call itself (an id that is none, an entry that does not follow the expected seq) is a
ValueError, raised before anything is written.
"""

from collections.abc import Awaitable
from typing import Protocol

import msgspec

from events.entry import FULL, ORDER, Entry
from events.ids import command_id as command_id
from events.ids import lane_of as lane_of
from events.ids import table_id as table_id


class Appended(msgspec.Struct, frozen=True, gc=False):
    """The entry is durable at this seq."""

    seq: int


class Known(msgspec.Struct, frozen=True, gc=False):
    """This command id was appended before, at this seq of its table; nothing was written now."""

    seq: int


class Conflict(msgspec.Struct, frozen=True, gc=False):
    """The table's last entry has this seq (0: there is none), not the one expected; nothing was written."""

    seq: int


Answer = Appended | Known | Conflict


class Head(msgspec.Struct, frozen=True, gc=False):
    """The last entry of a table: its seq, and the hash of the log up to it."""

    seq: int
    head: bytes


class Found(msgspec.Struct, frozen=True, gc=False):
    """Where a command went."""

    table: str
    seq: int


class Item(msgspec.Struct, frozen=True, gc=False):
    """One line of a lane's feed: which entry came at which position."""

    position: int
    table: str
    seq: int


class StoreError(Exception):
    """A store cannot be opened or used as it is; the message is one sentence for the operator."""


class Unavailable(Exception):  # noqa: N818  (it is said of the store)
    """The outcome is unknown: ask again with the same command id, after `retry_after` seconds."""

    def __init__(self, reason: str, retry_after: float = 1.0) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class Store(Protocol):
    """A place for logs. One instance serves one event loop; several instances may share the same logs."""

    lanes: int
    """How many lanes the store has; a table's lane must be below it."""

    def append(self, table: str, expected: int, entry: Entry, command: bytes) -> Awaitable[Answer]:
        """Append `entry`, whose seq is `expected + 1`, to the table's log. `expected=0` creates the table.

        `command` has 32 bytes (`command_id`). May raise `Unavailable`, at once or when awaited. Cancelling the
        wait does not take the command back.
        """
        ...

    async def read(self, table: str, after: int = 0, limit: int = 1000) -> list[Entry]:
        """Entries `after + 1`, `after + 2`..., at most `limit`; none when there are none or there is no such table."""
        ...

    async def head(self, table: str) -> Head | None:
        """The last entry of the table; None when there is no such table."""
        ...

    async def find(self, command: bytes) -> Found | None:
        """Where that command went; None when it was never appended."""
        ...

    async def feed(self, lane: int, after: int = 0, limit: int = 1000) -> list[Item]:
        """Positions `after + 1`, `after + 2`... of the lane, at most `limit`."""
        ...

    async def wait(self, lane: int, after: int, timeout: float) -> None:  # noqa: ASYNC109 - a hint, not an error, ends it
        """Return when there may be something after that position, at the latest after `timeout` seconds. A hint only."""
        ...

    async def close(self) -> None:
        """Finish what has been taken on, then let go of everything. Later appends are `Unavailable`."""
        ...


def check_append(table: str, expected: int, entry: Entry, command: bytes, lanes: int) -> None:
    """Raise ValueError unless the call could be answered by any store; every store begins with this."""
    if lane_of(table) >= lanes:
        raise ValueError(f"{table} is in lane {lane_of(table)}; this store has {lanes}")
    if entry.seq != expected + 1 or expected < 0:
        raise ValueError(f"entry {entry.seq} cannot follow seq {expected}")
    if len(command) != 32:
        raise ValueError("a command id has 32 bytes")
    if FULL not in entry.versions or not ORDER.keys() >= entry.versions.keys():
        raise ValueError(f"{sorted(entry.versions)} are not the versions of an entry")


def check_range(after: int, limit: int) -> None:
    """Raise ValueError for a range that cannot be read."""
    if after < 0 or limit < 0:
        raise ValueError(f"cannot read {limit} after {after}")


def check_lane(lane: int, lanes: int) -> None:
    """Raise ValueError for a lane that a store of so many lanes does not have."""
    if not 0 <= lane < lanes:
        raise ValueError(f"there is no lane {lane}; this store has {lanes}")
