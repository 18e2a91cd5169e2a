"""Lots (2-4 seats), version 1 as it was first released: a game made for tests, whose code is not shipped any more. Logs
that it has written are; `sample_lots_1` reads them.

Everybody has two lots, which he alone knows. Two rounds: all lay one in secret, then both the lots and who has won the
round are shown. Who wins most rounds wins.
"""

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from msgspec.structs import replace

from games import core
from games.chance import Source
from games.core import Ask, Audience, OneOf, Outcome, Seat

name = "lots"
version = 1
seats = range(2, 5)


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class BagFilled(core.Event, frozen=True):
    lots: int
    seats: int


class LotsGiven(core.Event, frozen=True):
    seat: Seat
    first: int | None
    second: int | None = None


class Laid(core.Event, frozen=True):
    seat: Seat
    lot: int | None


class RoundShown(core.Event, frozen=True):
    lots: tuple[int, ...]
    winner: Seat


Event = BagFilled | LotsGiven | Laid | RoundShown


class Drop(core.Action, frozen=True):
    sealed: ClassVar[bool] = True
    lot: int


Action = Drop


class State(msgspec.Struct, frozen=True):
    hands: tuple[tuple[int | None, ...], ...]
    laid: tuple[int | None, ...]
    done: tuple[bool, ...]
    won: tuple[int, ...]
    round: int = 0


def open(options: Options, seats: int, chance: Source) -> list[Event]:  # noqa: A001  (the word of the Game protocol)
    lots = chance.shuffle(range(1, 2 * seats + 1))
    given = [LotsGiven(seat, lots[2 * seat], lots[2 * seat + 1]) for seat in range(seats)]
    return [BagFilled(2 * seats, seats), *given]


def evolve(state: State | None, event: Event) -> State:
    if isinstance(event, BagFilled):
        return State(((),) * event.seats, (None,) * event.seats, (False,) * event.seats, (0,) * event.seats)
    assert state is not None
    match event:
        case LotsGiven(seat, first, second):
            return replace(state, hands=put(state.hands, seat, (first, second)))
        case Laid(seat, lot):
            hand = tuple(held for held in state.hands[seat] if held != lot) if lot else (None,) * (2 - state.round - 1)
            laid, done = put(state.laid, seat, lot), put(state.done, seat, True)
            return replace(state, hands=put(state.hands, seat, hand), laid=laid, done=done)
        case RoundShown(_, winner):
            seats = len(state.won)
            won, laid = put(state.won, winner, state.won[winner] + 1), (None,) * seats
            return replace(state, won=won, laid=laid, done=(False,) * seats, round=state.round + 1)
        case _:
            return state


def put(items: tuple, place: int, item: object) -> tuple:
    return (*items[:place], item, *items[place + 1 :])


def decide(state: State, seat: Seat, action: Drop, chance: Source) -> list[Event]:
    laid = Laid(seat, action.lot)
    after = evolve(state, laid)
    if not all(after.done):
        return [laid]
    lots = tuple(lot or 0 for lot in after.laid)
    return [laid, RoundShown(lots, lots.index(max(lots)))]


def redact(event: Event, seat: Audience) -> Event:
    match event:
        case LotsGiven(owner):
            return event if seat == owner or event.first is None else replace(event, first=None, second=None)
        case Laid(owner):
            return event if seat == owner or event.lot is None else replace(event, lot=None)
        case _:
            return event


def discloses(event: Event) -> frozenset[Audience]:
    match event:
        case LotsGiven(seat):
            return frozenset({seat})
        case RoundShown():
            return frozenset({None})
        case _:
            return frozenset()


def asks(state: State, seat: Seat) -> Sequence[Ask]:
    return () if state.round == 2 or state.done[seat] else (Ask("drop", {"lot": OneOf(state.hands[seat])}),)


def outcome(state: State) -> Outcome | None:
    if state.round < 2:
        return None
    return Outcome(tuple(seat for seat, won in enumerate(state.won) if won == max(state.won)), state.won, "counted")


def bound(options: Options, seats: int) -> int:
    return 2 * seats
