"""What each game is played with besides chips, counted wherever it may lie: after no entry there is more or less of it.

A game without such things says so by an empty count.
"""

from collections.abc import Callable
from typing import Any

Count = tuple[tuple[str, int], ...]


def tribunal(state: Any) -> Count:
    """Cards, pawns, and as many verdict counters as seats. Extra counters leave the game with the scales."""
    placed = sum(counter.kind == "verdict" and counter.seat is not None for counter in state.scales)
    return (
        ("cards", sum(map(len, state.hands)) + state.aside),
        ("pawns", len({pawn.colour for pawn in state.pawns})),
        ("verdict counters", sum(state.verdict_counters) + placed),
    )


def ten_kings(state: Any) -> Count:
    """All 53 cards: not drawn, in hands, lying between two."""
    return (("cards", state.deck + sum(map(len, (*state.secret, *state.open, state.laid)))),)


def witch_trial(state: Any) -> Count:
    """All cards of the deck: undrawn, in hands, in the lineup, discarded, in a case, in court."""
    trial = 0 if state.trial is None else 2 + len(state.trial.laid)
    cases = 2 * sum(case is not None for case in state.cases)
    return (
        ("cards", state.undrawn + sum(map(len, state.hands)) + len(state.lineup) + len(state.discards) + cases + trial),
    )


def harbour(state: Any) -> Count:
    """Cards: in hands, lying, or aside."""
    return (("cards", sum(map(len, state.hands)) + sum(state.laid) + state.aside),)


def straws(state: Any) -> Count:
    """Each straw once, as far as they are known."""
    return (("straws", len(set(state.straws))),)


CONSERVED: dict[str, Callable[[Any], Count]] = {
    "tribunal": tribunal,
    "ten_kings": ten_kings,
    "witch_trial": witch_trial,
    "harbour": harbour,
    "straws": straws,
}
