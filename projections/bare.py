"""A table whose rules are not at hand, or do not know what stands in its log: who sits there, and nothing of the game.

Lifecycle, seats and chance are read from the log without any rules, so such a table can still be watched, read and
abandoned by its people. Its game is unknown (null), and it is shown as frozen.
"""

import msgspec

from events.entry import FULL, Entry
from games.table.asks import asks
from games.table.rules import Rules
from games.table.state import Course, Table
from projections.lobby import glance
from projections.position import Asks, Position


def bare(rules: Rules, before: Position | None, entry: Entry) -> Position:
    """The position after the entry, as far as it can be read without the game's rules.

    Raises:
        Unreadable: not even that is possible.
    """
    table = _stand_still(glance(None if before is None else before.table, entry.seq, entry.versions[FULL]))
    seats = len(table.record.holders)
    open_asks = tuple([asks(rules, table, seat, ()) for seat in range(seats)])
    since = (entry.seq,) * seats if before is None or before.asks != open_asks else before.since
    return Position(table, entry.head, (None,) * (seats + 1), (), open_asks, since, whole=True)


def halted(position: Position) -> Position:
    """The same position at a table where nobody can do anything any more."""
    nothing: tuple[Asks, ...] = ((),) * len(position.asks)
    table = position.table
    record = table.record if table.over else msgspec.structs.replace(table.record, status="frozen")
    return msgspec.structs.replace(
        position, table=Table(table.seq, table.at, record, table.course, table.past), asks=nothing
    )


def _stand_still(table: Table) -> Table:
    record = table.record if table.over else msgspec.structs.replace(table.record, status="frozen")
    return Table(table.seq, table.at, record, Course(to_act=table.course.to_act))
