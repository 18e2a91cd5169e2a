"""The state of a table and its fold.

Two folds run side by side. The *course* (the game, what is offered and promised, whom the table waits for) folds
live entries only; the *record* (who holds the seats, the house, the number of draws, the time used) folds all of
them and is never struck.
"""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import msgspec

from games import bargaining
from games.bargaining import Deals
from games.core import Seat, Window
from games.table import events as happened
from games.table.house import House, Status, Visibility
from games.table.rules import Rules


class Holder(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who holds a seat, and his clock: `since` when the table waits for him (ms), `bank` what his reserve has left (ms).

    `former`: who gave it up in mid-game, and so has seen what it holds.
    """

    player: str | None = None
    bot: str | None = None
    entropy: str | None = None
    agrees: bool = False
    since: int | None = None
    bank: int | None = None
    former: tuple[str, ...] = ()


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is never struck. `draws`: how many entries have drawn; `seed` is None where it is hidden."""

    table: str
    game: str
    rules: int
    options: dict[str, Any]
    house: House
    visibility: Visibility
    name: str
    creator: str
    status: Status
    holders: tuple[Holder, ...]
    seed: str | None = None
    seed_hash: str | None = None
    draws: int = 0
    result: happened.Ended | None = None


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
BARGAINING = frozenset(bargaining.TYPES)


def fold(rules: Rules, table: Table | None, body: Body[Any]) -> Table:
    """The table after the entry, as the reader of that body knows it."""
    for event in body.events:
        table = apply(rules, table, event, body.at)
    if table is None:
        raise ValueError("a log begins with an entry that creates the table")
    return close_entry(table, body.seq, body.at, body.draw)


def close_entry(table: Table, seq: int, at: int, draw: int | None) -> Table:
    """The table once all events of the entry are folded."""
    record = table.record if draw is None else msgspec.structs.replace(table.record, draws=draw + 1)
    return Table(seq, at, record, table.course)


def apply(rules: Rules, table: Table | None, event: Any, at: int) -> Table:
    """The table after one event."""
    if table is None:
        if not isinstance(event, happened.Created):
            raise ValueError("the first event of a log is `created`")
        return Table(0, at, created(event), Course())
    if type(event) in SURROUNDING:
        record = evolve_record(table.record, event, at)
        course = table.course
        if isinstance(event, happened.Asked):
            course = Course(course.game, course.deals, event.seats)
        elif isinstance(event, happened.Ended | happened.Abandoned):
            course = Course(course.game, course.deals, ())
        return Table(table.seq, table.at, record, course)
    return Table(table.seq, table.at, table.record, evolve_course(rules, table.course, event))


def evolve_course(rules: Rules, course: Course, event: Any) -> Course:
    """The course after an event of the game or of bargaining; a game with chips folds the latter too."""
    if type(event) in BARGAINING:
        game = rules.game.evolve(course.game, event) if rules.moneyed else course.game
        return Course(game, bargaining.evolve(course.deals, event), course.to_act)
    return Course(rules.game.evolve(course.game, event), course.deals, course.to_act)


def created(event: happened.Created) -> Record:
    """The record of a table that was just opened."""
    house = msgspec.convert(event.house, House)
    bank = None if house.bank_seconds is None else house.bank_seconds * 1000
    holders = tuple(Holder(bank=bank) for _ in range(event.seats))
    return Record(
        event.table, event.game, event.rules, event.options, house, event.visibility, event.name, event.creator,
        "open", holders,
    )  # fmt: skip


def evolve_record(record: Record, event: Any, at: int) -> Record:
    """The record after an event of the table."""
    match event:
        case happened.SeedSealed(seed, sealed):
            return msgspec.structs.replace(record, seed=seed, seed_hash=sealed)
        case happened.Seated(seat, player, bot):
            return with_holder(record, seat, player=player, bot=bot, agrees=False)
        case happened.EntropyGiven(seat, entropy):
            return with_holder(record, seat, entropy=entropy)
        case happened.Risen(seat):
            return with_holder(record, seat, player=None, bot=None, entropy=None, agrees=False)
        case happened.Left(seat, player):
            former = (*record.holders[seat].former, player)
            return with_holder(record, seat, player=None, bot=None, agrees=False, former=former)
        case happened.Started():
            return msgspec.structs.replace(record, status="playing")
        case happened.Asked(seats, again):
            return msgspec.structs.replace(record, holders=clocks(record, seats, at, again))
        case happened.AbandonAgreed(seat, agree):
            return with_holder(record, seat, agrees=agree)
        case happened.Frozen():
            return msgspec.structs.replace(record, status="frozen")
        case happened.Ended():
            return msgspec.structs.replace(record, status="ended", result=event, holders=clocks(record, (), at))
        case happened.Abandoned():
            return msgspec.structs.replace(record, status="abandoned", holders=clocks(record, (), at))
        case happened.SeedDisclosed(seed):
            return msgspec.structs.replace(record, seed=seed)
        case _:
            return record


def with_holder(record: Record, seat: Seat, **changes: Any) -> Record:
    """The record with that seat's holder changed."""
    holders = list(record.holders)
    holders[seat] = msgspec.structs.replace(holders[seat], **changes)
    return msgspec.structs.replace(record, holders=tuple(holders))


def clocks(record: Record, waiting: Sequence[Seat], at: int, again: Sequence[Seat] = ()) -> tuple[Holder, ...]:
    """The holders once the table waits for these seats: the others' clocks stop, and what they used is gone for good.

    So do the clocks of those who have acted and must act again, before they start anew.
    """
    stopped = [
        _clock(record.house, holder, seat in waiting and seat not in again, at)
        for seat, holder in enumerate(record.holders)
    ]
    return tuple(_clock(record.house, holder, seat in waiting, at) for seat, holder in enumerate(stopped))


def _clock(house: House, holder: Holder, waiting: bool, at: int) -> Holder:
    if waiting == (holder.since is not None):
        return holder
    if waiting:
        return msgspec.structs.replace(holder, since=at)
    return msgspec.structs.replace(holder, since=None, bank=bank_left(house, holder, at))


def bank_left(house: House, holder: Holder, now: int) -> int | None:
    """What is left of the seat's reserve (ms) at that time, counting the turn that runs."""
    if holder.bank is None or holder.since is None or house.move_seconds is None:
        return holder.bank
    return max(0, holder.bank - max(0, now - holder.since - house.move_seconds * 1000))


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


def seat_of(record: Record, player: str) -> Seat | None:
    """The seat that the player holds."""
    return next((seat for seat, holder in enumerate(record.holders) if holder.player == player), None)


def humans(record: Record) -> tuple[Seat, ...]:
    """The seats held by people."""
    return tuple(s for s, holder in enumerate(record.holders) if holder.player is not None and holder.bot is None)
