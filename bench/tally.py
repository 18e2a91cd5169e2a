"""Tally (2-8 seats), for measuring only: every seat adds 1 to 9 to its own total, at any time. Nothing is hidden.

Served when the server is started with COMITIUM_EXTRA_GAMES=bench.tally.
"""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from games import core
from games.chance import Source
from games.core import Ask, Audience, Between, Outcome, Seat

name = "tally"
version = 1
seats = range(2, 9)

WHYS = ("target",)

# --- Events -------------------------------------------------------------------------------------------


class Opened(core.Event, frozen=True):
    """How many seats, and the total that ends it."""

    seats: int
    target: int


class Added(core.Event, frozen=True):
    seat: Seat
    amount: int


Event = Opened | Added

# --- Actions, options, state --------------------------------------------------------------------------


class Add(core.Action, frozen=True):
    """To one's own total."""

    amount: int


Action = Add


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The total that ends it; as it comes, none that anybody reaches."""

    target: Annotated[int, msgspec.Meta(ge=1, le=10**9)] = 10**9


class State(msgspec.Struct, frozen=True):
    """The totals by seat."""

    target: int
    totals: tuple[int, ...]


# --- Rules --------------------------------------------------------------------------------------------

AMOUNT = {"amount": Between(1, 9)}


def open(options: Options, seats: int, chance: Source) -> Sequence[Event]:  # noqa: A001, ARG001  (words of the protocol)
    return [Opened(seats, options.target)]


def evolve(state: State | None, event: Event) -> State:
    match event:
        case Opened(count, target):
            return State(target, (0,) * count)
        case Added(seat, amount):
            if state is None:
                raise TypeError("nothing is open yet")
            totals = state.totals
            return State(state.target, (*totals[:seat], totals[seat] + amount, *totals[seat + 1 :]))


def asks(state: State, seat: Seat) -> Sequence[Ask]:  # noqa: ARG001  (the same for every seat)
    return [] if outcome(state) else [Ask("add", {**AMOUNT})]


def decide(state: State, seat: Seat, action: Action, chance: Source) -> Sequence[Event]:  # noqa: ARG001  (protocol)
    return [Added(seat, action.amount)]


def redact(event: Event, seat: Audience) -> Event:  # noqa: ARG001  (nothing is hidden)
    return event


def discloses(event: Event) -> frozenset[Audience]:  # noqa: ARG001  (nothing was hidden)
    return frozenset()


def outcome(state: State) -> Outcome | None:
    best = max(state.totals)
    if best < state.target:
        return None
    return Outcome(tuple(seat for seat, total in enumerate(state.totals) if total == best), state.totals, "target")


def bound(options: Options, seats: int) -> int:
    return seats * options.target
