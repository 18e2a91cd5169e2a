"""Stands in for the rules of a game that this server does not ship (any more): knows nothing, and is asked nothing.

Its tables are read by `projections.bare`, so that they can be looked at and abandoned.
"""

from collections.abc import Sequence

import msgspec

from games import core
from games.chance import Source
from games.core import Ask, Audience, Outcome, Seat

name = "stranger"
version = 0
seats = range(1, 65)


class Options(msgspec.Struct, frozen=True):
    """Whatever they were."""


class State(msgspec.Struct, frozen=True):
    """Never made."""


class UnknownAction(core.Action, frozen=True):
    """No action of this name exists."""


class UnknownEvent(core.Event, frozen=True):
    """No event of this name exists."""


Action = UnknownAction
Event = UnknownEvent


def open(options: Options, seats: int, chance: Source) -> Sequence[UnknownEvent]:  # noqa: A001  (the word of the Game protocol)
    raise NotImplementedError


def evolve(state: State | None, event: UnknownEvent) -> State:
    raise NotImplementedError


def asks(state: State, seat: Seat) -> Sequence[Ask]:
    raise NotImplementedError


def decide(state: State, seat: Seat, action: UnknownAction, chance: Source) -> Sequence[UnknownEvent]:
    raise NotImplementedError


def redact(event: UnknownEvent, seat: Audience) -> UnknownEvent:
    raise NotImplementedError


def discloses(event: UnknownEvent) -> frozenset[Audience]:
    raise NotImplementedError


def outcome(state: State) -> Outcome | None:
    raise NotImplementedError


def bound(options: Options, seats: int) -> int:
    raise NotImplementedError
