"""Straws (2-6 seats): a game made for tests, without chips and windows.

Everybody draws a straw that only he sees. In turn each keeps his own or changes it for his left neighbour's; at any
time he may boast, once. Then all are shown, and the longest straw wins.
"""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from games import core
from games.chance import Source
from games.core import Ask, Audience, Outcome, Seat

name = "straws"
version = 1
seats = range(2, 7)


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


# --- Events -------------------------------------------------------------------------------------------


class StrawsCut(core.Event, frozen=True):
    seats: int


class Drawn(core.Event, frozen=True):
    seat: Seat
    straw: int | None


class Kept(core.Event, frozen=True):
    seat: Seat


class Taken(core.Event, frozen=True):
    """A straw leaves the seat, which knows it."""

    seat: Seat
    straw: int | None


class Put(core.Event, frozen=True):
    """And reaches another, who knows it from now on."""

    seat: Seat
    straw: int | None


class Swapped(core.Event, frozen=True):
    seat: Seat
    other: Seat


class Boasted(core.Event, frozen=True):
    seat: Seat


class StrawsShown(core.Event, frozen=True):
    straws: tuple[int, ...]


Event = StrawsCut | Drawn | Kept | Taken | Put | Swapped | Boasted | StrawsShown


# --- Actions ------------------------------------------------------------------------------------------


class Keep(core.Action, frozen=True):
    pass


class Swap(core.Action, frozen=True):
    pass


class Boast(core.Action, frozen=True):
    pass


Action = Keep | Swap | Boast


# --- State --------------------------------------------------------------------------------------------


class State(msgspec.Struct, frozen=True):
    turn: int
    straws: tuple[int | None, ...]
    boasted: tuple[bool, ...]
    shown: bool = False


def evolve(state: State | None, event: Event) -> State:
    if isinstance(event, StrawsCut):
        return State(0, (None,) * event.seats, (False,) * event.seats)
    assert state is not None
    match event:
        case Drawn(seat, straw) | Put(seat, straw):
            return replace(state, straws=_set(state.straws, seat, straw))
        case Taken(seat):
            return replace(state, straws=_set(state.straws, seat, None))
        case Kept() | Swapped():
            return replace(state, turn=state.turn + 1)
        case Boasted(seat):
            return replace(state, boasted=_set(state.boasted, seat, True))
        case StrawsShown(straws):
            return replace(state, straws=straws, shown=True)


def _set(items: tuple, place: int, item: object) -> tuple:
    return (*items[:place], item, *items[place + 1 :])


# --- Rules --------------------------------------------------------------------------------------------


def open(options: Options, seats: int, chance: Source) -> list[Event]:  # noqa: A001  (the word of the Game protocol)
    straws = chance.shuffle(range(1, seats + 1))
    return [StrawsCut(seats), *(Drawn(seat, straw) for seat, straw in enumerate(straws))]


def decide(state: State, seat: Seat, action: Action, chance: Source) -> list[Event]:
    match action:
        case Boast():
            return [Boasted(seat)]
        case Keep():
            events: list[Event] = [Kept(seat)]
        case Swap():
            other = (seat + 1) % len(state.straws)
            own, their = state.straws[seat], state.straws[other]
            events = [Taken(seat, own), Taken(other, their), Put(other, own), Put(seat, their), Swapped(seat, other)]
    for event in events:
        state = evolve(state, event)
    return [*events, StrawsShown(state.straws)] if state.turn == len(state.straws) else events


def asks(state: State, seat: Seat) -> Sequence[Ask]:
    if state.shown:
        return ()
    boast = () if state.boasted[seat] else (Ask("boast", must=False),)
    return (Ask("keep"), Ask("swap"), *boast) if seat == state.turn else boast


def redact(event: Event, seat: Audience) -> Event:
    match event:
        case Drawn(owner) | Taken(owner) | Put(owner):
            return event if seat == owner or event.straw is None else replace(event, straw=None)
        case _:
            return event


def discloses(event: Event) -> frozenset[Audience]:
    match event:
        case Drawn(seat) | Put(seat):
            return frozenset({seat})
        case StrawsShown():
            return frozenset({None})
        case _:
            return frozenset()


def outcome(state: State) -> Outcome | None:
    if not state.shown:
        return None
    scores = tuple(straw or 0 for straw in state.straws)
    return Outcome((scores.index(max(scores)),), scores, "shown")


def bound(options: Options, seats: int) -> int:
    return seats
