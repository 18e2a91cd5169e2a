"""The lobby: every table as one line, from what anybody may know of it. Needs no game's rules, so it reads any log."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from games.core import Seat
from games.table import events as happened
from games.table.house import House, Status, Visibility
from games.table.record import created, evolve_record
from games.table.state import Course, Table, close_entry
from projections.codec import Unreadable, around
from projections.view import Result, SeatView

_Unwritten = tuple[Table, bytes, int]
"""What a line will be made of."""


class Provenance(msgspec.Struct, frozen=True):
    """Where a foreign table comes from: which table it was, for whom its archive was written, and by which server's key
    it is closed (its id). `own_key`: that is a key of this server.
    """

    table: str
    audience: int | Literal["all", "public"]
    key: str
    own_key: bool


class Summary(msgspec.Struct, frozen=True):
    """A table in the lobby. Times are ms since 1970."""

    id: str
    game: str
    rules: int
    name: str
    status: Status
    visibility: Visibility
    options: dict[str, Any]
    house: House
    creator: str
    seats: tuple[SeatView, ...]
    to_act: tuple[Seat, ...]
    seq: int
    head: str
    created: int
    changed: int
    result: Result | None
    seed_hash: str | None
    foreign: Provenance | None = None
    forked_from: happened.ForkedFrom | None = None
    rematch_of: str | None = None


def summary(table: Table, head: bytes, opened: int) -> Summary:
    """The line of a table, created at `opened`."""
    record = table.record
    result = record.result
    return Summary(
        id=record.table,
        game=record.game,
        rules=record.rules,
        name=record.name,
        status=record.status,
        visibility=record.visibility,
        options=record.options,
        house=record.house,
        creator=record.creator,
        seats=tuple([SeatView(holder.player, holder.bot) for holder in record.holders]),
        to_act=table.to_act,
        seq=table.seq,
        head=head.hex(),
        created=opened,
        changed=table.at,
        result=None if result is None else Result(result.winners, result.scores, result.why),
        seed_hash=record.seed_hash,
        forked_from=record.forked_from,
        rematch_of=record.rematch_of,
    )


def glance(table: Table | None, seq: int, public: bytes) -> Table:
    """The table after an entry as the lobby sees it: lifecycle and turns, without the game.

    Raises:
        Unreadable: the entry is of a later form than this reader knows, or does not follow from those before.
    """
    body = around(seq, public)
    try:
        for event in body.events:
            table = _apply(table, event, body.at, seq)
    except (LookupError, TypeError, ValueError, msgspec.MsgspecError) as error:
        raise Unreadable(seq, type(error).__name__) from None
    if table is None:
        raise Unreadable(seq, "a log begins with `created`")
    return close_entry(table, body.seq, body.at, body.draw, ())


def _apply(table: Table | None, event: Any, at: int, seq: int) -> Table:
    if table is None:
        if not isinstance(event, happened.Created):
            raise Unreadable(seq, "a log begins with `created`")
        return Table(0, at, created(event), Course())
    course = table.course
    if isinstance(event, happened.Asked):
        course = Course(to_act=event.seats)
    elif isinstance(event, happened.Ended | happened.Abandoned):
        course = Course()
    return Table(table.seq, table.at, evolve_record(table.record, event, at, seq), course)


class Lobby:
    """All tables, newest first. A line is written when somebody reads it: most entries change lines that nobody looks at."""

    def __init__(self) -> None:
        self._lines: dict[str, Summary | _Unwritten] = {}

    def put(self, line: Summary) -> None:
        """The table's newest line."""
        self._lines[line.id] = line

    def note(self, table: Table, head: bytes, opened: int) -> None:
        """The table is there now; it was opened at `opened`."""
        self._lines[table.record.table] = (table, head, opened)

    def get(self, table: str) -> Summary | None:
        """The table's line."""
        found = self._lines.get(table)
        if isinstance(found, tuple):
            found = self._lines[table] = summary(*found)
        return found

    def counts(self) -> dict[Status, int]:
        """How many tables there are by status."""
        return dict(Counter(_status(line) for line in self._lines.values()))

    def newest(self, before: str | None = None) -> Iterator[Summary]:
        """The lines from the newest on, or from the one after table `before` in that order."""
        passing = before is not None
        for table in tuple(reversed(self._lines)):
            if not passing:
                yield self._line(table)
            elif table == before:
                passing = False

    def __iter__(self) -> Iterator[Summary]:
        return (self._line(table) for table in tuple(self._lines))

    def _line(self, table: str) -> Summary:
        line = self.get(table)
        if line is None:
            raise KeyError(table)
        return line


def _status(line: Summary | _Unwritten) -> Status:
    return line[0].status if isinstance(line, tuple) else line.status
