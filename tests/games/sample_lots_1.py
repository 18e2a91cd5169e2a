"""Lots, version 1 as it is shipped beside version 2: the rules of version 1 on today's classes. What version 1 wrote when
its classes were others is told in today's form.
"""

from collections.abc import Callable, Mapping
from typing import Any

from games.chance import Source
from games.core import Seat
from tests.games import sample_lots
from tests.games.sample_lots import (
    Action,
    Event,
    Laid,
    Lay,
    Options,
    RoundWon,
    State,
    asks,
    bound,
    discloses,
    evolve,
    name,
    outcome,
    redact,
    seats,
)

__all__ = [
    "Action", "Event", "Options", "State", "asks", "bound", "decide", "discloses", "evolve", "name", "open", "outcome",
    "redact", "seats", "upcast_actions", "upcast_events", "version",
]  # fmt: skip

version = 1


def open(options: Options, seats: int, chance: Source) -> list[Event]:  # noqa: A001  (the word of the Game protocol)
    return sample_lots.open(options, seats, chance)


def decide(state: State, seat: Seat, action: Lay, chance: Source) -> list[Event]:
    laid = Laid(seat, action.number)
    after = evolve(state, laid)
    if not all(after.done):
        return [laid]
    lots = tuple(lot or 0 for lot in after.laid)
    return [laid, RoundWon(lots, lots.index(max(lots)))]


# --- Old forms ----------------------------------------------------------------------------------------


def _given(event: dict[str, Any]) -> dict[str, Any]:
    """Two numbers became a list; that of a reader who may not know them is null. What is left out had its default."""
    first, second = event.pop("first"), event.pop("second", None)
    return {**event, "type": "dealt", "lots": None if first is None and second is None else [first, second]}


def _laid(event: dict[str, Any]) -> dict[str, Any]:
    """A field has another name."""
    if "lot" in event:
        event["number"] = event.pop("lot")
    return event


def _round(event: dict[str, Any]) -> dict[str, Any]:
    """It counts as many points now as it says, which was one."""
    winner = event.pop("winner")
    return {**event, "type": "round_won", "seat": winner, "points": 1}


def _drop(action: dict[str, Any]) -> dict[str, Any]:
    """The action has another name, and so has its field, which others than the actor do not see."""
    told = {**action, "type": "lay"}
    if "lot" in told:
        told["number"] = told.pop("lot")
    return told


upcast_events: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "lots_given": _given, "laid": _laid, "round_shown": _round,
}  # fmt: skip
upcast_actions: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = {"drop": _drop}
