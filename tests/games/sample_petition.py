"""Petition (2 seats): a game made for tests, whose own actions make offers and answer them, as a game with petitions does.

Twice seat 0 asks a favour of seat 1 and puts chips on the table; seat 1 grants it and keeps them, or declines. With
`counts` the state also counts the petitions by the events of bargaining, so that it does not follow from the game's own.
"""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from games import bargaining, core
from games.bargaining import Offered, OfferEnded, Paid
from games.chance import Source
from games.core import Ask, Audience, Between, OneOf, Outcome, Purses, Seat, Window

name = "petition"
version = 1
seats = range(2, 3)

CHIPS = 20
ROUNDS = 2
GRANT = {"type": "answer", "grant": True}


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    counts: bool = False


class CourtOpened(core.Event, frozen=True):
    counts: bool


class Petitioned(core.Event, frozen=True):
    seat: Seat


class Answered(core.Event, frozen=True):
    seat: Seat
    grant: bool


Event = CourtOpened | Petitioned | Answered | bargaining.Event


class Petition(core.Action, frozen=True):
    amount: int


class Answer(core.Action, frozen=True):
    grant: bool


Action = Petition | Answer


class State(msgspec.Struct, frozen=True):
    """`heard`: petitions answered; `waits`: one is not. `amount`: what lies on the table for it."""

    counts: bool
    purses: Purses
    heard: int = 0
    waits: bool = False
    made: int = 0


def evolve(state: State | None, event: Event) -> State:
    if isinstance(event, CourtOpened):
        return State(event.counts, Purses((CHIPS, CHIPS), (0, 0)))
    assert state is not None
    match event:
        case Petitioned():
            return replace(state, waits=True)
        case Answered():
            return replace(state, waits=False, heard=state.heard + 1)
        case _:
            made = state.made + (state.counts and isinstance(event, Offered))
            return replace(state, purses=bargaining.move_chips(state.purses, event), made=made)


def open(options: Options, seats: int, chance: Source) -> list[Event]:  # noqa: A001  (the word of the Game protocol)
    return [CourtOpened(options.counts)]


def decide(state: State, seat: Seat, action: Action, chance: Source) -> list[Event]:
    number, window = state.heard + 1, f"petition:{state.heard + 1}"
    match action:
        case Petition(amount):
            return [Petitioned(seat), Offered(number, 0, 1, window, amount, GRANT, 1, None)]
        case Answer(grant):
            amount = state.purses.escrow[0]
            end = OfferEnded(number, "paid" if grant else "declined", 0, 1, amount)
            paid = [Paid(0, 1, amount, number, window)] if grant else []
            return [Answered(seat, grant), end, *paid]


def redact(event: Event, seat: Audience) -> Event:
    return event


def discloses(event: Event) -> frozenset[Audience]:
    return frozenset()


ANSWER = Ask("answer", {"grant": OneOf((True, False))})


def asks(state: State, seat: Seat) -> Sequence[Ask]:
    if state.heard == ROUNDS:
        return ()
    if state.waits:
        return (ANSWER,) if seat == 1 else ()
    return (Ask("petition", {"amount": Between(1, state.purses.seats[0] or 0)}),) if seat == 0 else ()


def windows(state: State) -> Sequence[Window]:
    if state.heard == ROUNDS:
        return ()
    return (Window(f"petition:{state.heard + 1}", "petition", (1,), state.waits, (0, 1), (0,), (ANSWER,)),)


def turn(state: State) -> str:
    return f"petition:{state.heard + 1}"


def purses(state: State) -> Purses:
    return state.purses


def outcome(state: State) -> Outcome | None:
    if state.heard < ROUNDS:
        return None
    scores = tuple(chips or 0 for chips in state.purses.seats)
    return Outcome((), scores, "heard")


def bound(options: Options, seats: int) -> int:
    return 2 * ROUNDS
