"""What a fork goes on from: read from the log of the table that it was forked from, which is over and does not change.

So it is the same whenever it is asked for, and on every server: whoever sees the last seat taken may go on with it.
"""

from typing import Literal

import msgspec

from events import canonical
from games.table import actions as act
from games.table import resuming
from games.table.events import ForkedFrom
from games.table.resuming import Obstacle
from games.table.state import Table
from projections import codec
from projections.position import Position
from server.tables.errors import LogForked, TableFrozen
from server.tables.live import LiveTable
from server.tables.shelf import Shelf

MOST = 448 * 1024
"""Bytes of events (canonical JSON) that may come along. They stand twice in an entry, as its action and as its events,
and a line of an archive may have 1 MiB.
"""


Reason = Obstacle | Literal["too_long"]


class NoFork(Exception):  # noqa: N818  (it is said of an entry)
    """Nobody can go on from there. `reason`: for programs."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


async def position_at(shelf: Shelf, live: LiveTable, seq: int) -> Position:
    """The table that is over, after that entry.

    Raises:
        LogForked: it has no such entry.
        TableFrozen: the rules at hand cannot read it.
    """
    if seq > live.seq:
        raise LogForked(seq, live.seq)
    if live.lost or (live.broken is not None and live.broken <= seq):
        raise TableFrozen
    return await shelf.position_at(live, seq)


async def resume_at(shelf: Shelf, live: LiveTable, table: Table) -> act.Resume:
    """The action by which a fork goes on from the table as it stood at some entry.

    Raises:
        NoFork: that cannot be.
    """
    obstacle = resuming.obstacle(live.rules, table, await _made_by(shelf, live, table))
    if obstacle is not None:
        raise NoFork(obstacle)
    events = resuming.carried(live.rules, table)
    if len(canonical.encode(events)) > MOST:
        raise NoFork("too_long")
    return act.Resume(tuple(msgspec.to_builtins(event) for event in events))


async def _made_by(shelf: Shelf, live: LiveTable, table: Table) -> dict[int, str]:
    """By which type of action each entry was made in which an offer was made that is open."""
    found = {}
    for seq in resuming.offers_made(table):
        (entry,) = await shelf.store.read(live.id, seq - 1, 1)
        found[seq] = str(codec.action_in(entry.versions["full"])["type"])
    return found


async def resumption(shelf: Shelf, origin: ForkedFrom) -> act.Resume:
    """The action by which a table goes on that was forked there.

    Raises:
        NoSuchTable, LogForked, TableFrozen, NoFork: what it was forked from cannot be read here (any more).
    """
    live = await shelf.load(origin.table)
    position = await position_at(shelf, live, origin.seq)
    if position.head.hex() != origin.head:
        raise LogForked(origin.seq, live.seq)
    return await resume_at(shelf, live, position.table)
