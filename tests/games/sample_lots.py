"""Lots (2-4 seats), version 2: a game made for tests, of which two versions are shipped side by side.

Everybody has two lots, which he alone knows. Two rounds: all lay one in secret, then the lots are shown. Version 2: the
lowest lot wins a round, and the second round counts double. `sample_lots_1` has the rules of version 1 on the same classes.
"""

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from msgspec.structs import replace

from games import core
from games.chance import Source
from games.core import Ask, Audience, OneOf, Outcome, Seat

name = "lots"
version = 2
seats = range(2, 5)


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class BagFilled(core.Event, frozen=True):
    lots: int
    seats: int


class Dealt(core.Event, frozen=True):
    seat: Seat
    lots: tuple[int, ...] | None


class Laid(core.Event, frozen=True):
    seat: Seat
    number: int | None


class RoundWon(core.Event, frozen=True):
    lots: tuple[int, ...]
    seat: Seat
    points: int = 1


Event = BagFilled | Dealt | Laid | RoundWon


class Lay(core.Action, frozen=True):
    sealed: ClassVar[bool] = True
    number: int


Action = Lay


class State(msgspec.Struct, frozen=True):
    hands: tuple[tuple[int | None, ...], ...]
    laid: tuple[int | None, ...]
    done: tuple[bool, ...]
    won: tuple[int, ...]
    round: int = 0


def open(options: Options, seats: int, chance: Source) -> list[Event]:  # noqa: A001  (the word of the Game protocol)
    lots = chance.shuffle(range(1, 2 * seats + 1))
    given = [Dealt(seat, lots[2 * seat : 2 * seat + 2]) for seat in range(seats)]
    return [BagFilled(2 * seats, seats), *given]


def evolve(state: State | None, event: Event) -> State:
    if isinstance(event, BagFilled):
        return State(((),) * event.seats, (None,) * event.seats, (False,) * event.seats, (0,) * event.seats)
    assert state is not None
    match event:
        case Dealt(seat, lots):
            return replace(state, hands=put(state.hands, seat, (None, None) if lots is None else lots))
        case Laid(seat, lot):
            hand = tuple(held for held in state.hands[seat] if held != lot) if lot else (None,) * (2 - state.round - 1)
            laid, done = put(state.laid, seat, lot), put(state.done, seat, True)
            return replace(state, hands=put(state.hands, seat, hand), laid=laid, done=done)
        case RoundWon(_, winner, points):
            seats = len(state.won)
            won, laid = put(state.won, winner, state.won[winner] + points), (None,) * seats
            return replace(state, won=won, laid=laid, done=(False,) * seats, round=state.round + 1)
        case _:
            return state


def put(items: tuple, place: int, item: object) -> tuple:
    return (*items[:place], item, *items[place + 1 :])


def decide(state: State, seat: Seat, action: Lay, chance: Source) -> list[Event]:
    laid = Laid(seat, action.number)
    after = evolve(state, laid)
    if not all(after.done):
        return [laid]
    lots = tuple(lot or 0 for lot in after.laid)
    return [laid, RoundWon(lots, lots.index(min(lots)), after.round + 1)]


def redact(event: Event, seat: Audience) -> Event:
    match event:
        case Dealt(owner):
            return event if seat == owner or event.lots is None else replace(event, lots=None)
        case Laid(owner):
            return event if seat == owner or event.number is None else replace(event, number=None)
        case _:
            return event


def discloses(event: Event) -> frozenset[Audience]:
    match event:
        case Dealt(seat):
            return frozenset({seat})
        case RoundWon():
            return frozenset({None})
        case _:
            return frozenset()


def asks(state: State, seat: Seat) -> Sequence[Ask]:
    return () if state.round == 2 or state.done[seat] else (Ask("lay", {"number": OneOf(state.hands[seat])}),)


def outcome(state: State) -> Outcome | None:
    if state.round < 2:
        return None
    return Outcome(tuple(seat for seat, won in enumerate(state.won) if won == max(state.won)), state.won, "counted")


def bound(options: Options, seats: int) -> int:
    return 2 * seats
