"""The state of a table and its fold.

Two folds run side by side. The *course* (the game, what is offered and promised, whom the table waits for) folds
live entries only; the *record* (who holds the seats, the house, the number of draws, the time used, the disputes) folds
all of them and is never struck. The `past` keeps the course after each entry, so that a strike finds what it goes back to.
"""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import msgspec

from games import bargaining
from games.bargaining import Deals
from games.core import Seat, Window
from games.table import events as happened
from games.table.dispute import Strikable
from games.table.house import Status
from games.table.past import Past
from games.table.record import Record, created, evolve_record, undecided
from games.table.rules import Rules


class Course(msgspec.Struct, frozen=True):
    """What a strike takes back. `game` is None until the start."""

    game: Any = None
    deals: Deals = Deals()
    to_act: tuple[Seat, ...] = ()


class Table(msgspec.Struct, frozen=True):
    """A table after entry `seq`, written at `at` (ms since 1970)."""

    seq: int
    at: int
    record: Record
    course: Course
    past: Past[Course] | None = None

    @property
    def to_act(self) -> tuple[Seat, ...]:
        """Whom the table waits for: those who have to move, or during a dispute those who have to vote."""
        dispute = self.record.dispute if self.record.status == "disputed" else None
        return self.course.to_act if dispute is None else undecided(self.record, dispute)

    @property
    def strikable(self) -> Strikable:
        """The entries that a dispute may name first."""
        return Strikable(self.past, self.record.strikes, self.record.settled)

    @property
    def status(self) -> Status:
        return self.record.status

    @property
    def over(self) -> bool:
        """Nothing can be added any more, and the log is open."""
        return self.record.status in ("ended", "abandoned")


E = TypeVar("E")


class Body(msgspec.Struct, Generic[E], frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An entry's body. `by`: a seat, or "server", "clock", "arbiter", "operator". `draw`: the number of its draw."""

    table: str
    seq: int
    at: int
    by: Seat | str
    action: Any
    events: tuple[E, ...]
    draw: int | None = None


SURROUNDING = frozenset(happened.TYPES)
APART = SURROUNDING - {happened.Struck}
"""Events of entries that do nothing to the course, and so cannot be disputed."""
BARGAINING = frozenset(bargaining.TYPES)


def fold(rules: Rules, table: Table | None, body: Body[Any]) -> Table:
    """The table after the entry, as the reader of that body knows it."""
    for event in body.events:
        table = apply(rules, table, event, body.at)
    if table is None:
        raise ValueError("a log begins with an entry that creates the table")
    return close_entry(table, body.seq, body.at, body.draw, body.events)


def close_entry(table: Table, seq: int, at: int, draw: int | None, events: Sequence[Any]) -> Table:
    """The table once all events of the entry are folded."""
    record = table.record if draw is None else msgspec.structs.replace(table.record, draws=draw + 1)
    past = table.past
    if any([type(event) not in APART for event in events]):
        past = Past(past, seq, table.course, tuple(events))
    return Table(seq, at, record, table.course, past)


def apply(rules: Rules, table: Table | None, event: Any, at: int) -> Table:
    """The table after one event."""
    if table is None:
        if not isinstance(event, happened.Created):
            raise ValueError("the first event of a log is `created`")
        return Table(0, at, created(event), Course())
    if type(event) in SURROUNDING:
        record = evolve_record(table.record, event, at, table.seq + 1)
        return Table(table.seq, table.at, record, _course_around(table, event), table.past)
    return Table(table.seq, table.at, table.record, evolve_course(rules, table.course, event), table.past)


def _course_around(table: Table, event: Any) -> Course:
    """The course after an event of the table."""
    course = table.course
    match event:
        case happened.Asked(seats):
            return Course(course.game, course.deals, seats)
        case happened.Ended() | happened.Abandoned():
            return Course(course.game, course.deals, ())
        case happened.Struck(first=first):
            node = None if table.past is None else table.past.at(first - 1)
            if node is None:
                raise ValueError(f"entry {first} cannot be struck: the game had not begun before it")
            return node.value
        case _:
            return course


def evolve_course(rules: Rules, course: Course, event: Any) -> Course:
    """The course after an event of the game or of bargaining; a game with chips folds the latter too."""
    if type(event) in BARGAINING:
        game = rules.game.evolve(course.game, event) if rules.moneyed else course.game
        return Course(game, bargaining.evolve(course.deals, event), course.to_act)
    return Course(rules.game.evolve(course.game, event), course.deals, course.to_act)


def deadline(table: Table, seat: Seat) -> int | None:
    """When the seat's time is up (ms since 1970); None while no clock runs for it."""
    holder = table.record.holders[seat]
    move = table.record.house.move_seconds
    if table.status != "playing" or holder.since is None or move is None:
        return None
    return holder.since + move * 1000 + (holder.bank or 0)


def windows(rules: Rules, course: Course) -> tuple[Window, ...]:
    """The decisions that are open or announced; none in a game that closes no talk and has no offers."""
    return () if course.game is None else rules.windows(course.game)


def purse(rules: Rules, course: Course, seat: Seat) -> int:
    """The chips that the seat may spend now; 0 where there are none, or where they are hidden from the reader."""
    purses = rules.purses(course.game)
    return 0 if purses is None else purses.seats[seat] or 0
