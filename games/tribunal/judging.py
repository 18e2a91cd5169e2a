"""What a verdict is, which way a counter works, and what the scales would have said without one."""

from msgspec.structs import replace

from games import core
from games.core import Partial, Seat
from games.tribunal import events as happened
from games.tribunal.events import Event
from games.tribunal.pieces import Counter
from games.tribunal.rules import heavier_pan
from games.tribunal.state import State

UNDECIDED = "undecided"
"""The verdict of equal pans, unless an earlier one stands."""

PANS = ("guilty", "innocent")


def verdict(state: State, event: Event) -> core.Verdict | None:
    """The verdict that the event is. When the pans balance on appeal, it is the earlier one, which stands."""
    match event:
        case happened.VerdictReached(colour, found):
            return core.Verdict(found, colour)
        case happened.Undecided(colour):
            return core.Verdict(state.earlier or UNDECIDED, colour)
        case _:
            return None


def supports(deed: Partial) -> str | None:
    """A counter works for the pan that it lies on. Whatever else one may do moves no pan by itself."""
    pan = deed.get("pan")
    return pan if deed.get("type") == "place" and pan in PANS else None


def without(state: State, seat: Seat, deed: Partial) -> str | None:
    """The verdict from these scales with one counter fewer that the seat has placed as described.

    The spare counter and all others stay where they are. None when no such counter lies there, and when the description
    leaves open which pan, and the seat has counters on both.
    """
    found = [counter for counter in state.scales if _is_placed(counter, seat, deed)]
    if len({counter.pan for counter in found}) != 1:
        return None
    place = state.scales.index(found[0])
    lighter = replace(state, scales=(*state.scales[:place], *state.scales[place + 1 :]))
    return heavier_pan(lighter) or state.earlier or UNDECIDED


def _is_placed(counter: Counter, seat: Seat, deed: Partial) -> bool:
    placed = {"type": "place", "counter": counter.kind, "pan": counter.pan}
    return counter.seat == seat and core.covers(deed, placed)
