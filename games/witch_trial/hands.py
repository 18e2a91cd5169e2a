"""Cards that come to hands and leave them, as far as the reader knows which.

A hand is known, or none of it is: then each card is None. What everybody has seen go there stands in `known`, which is the same
for all readers: it follows from what is public alone.
"""

from msgspec.structs import replace

from games import core
from games.core import Seat
from games.witch_trial.state import Hand, State

Cards = tuple[str, ...]


def gained(state: State, seat: Seat, count: int, cards: Cards | None, *, is_open: bool = False) -> State:
    """The hand with so many cards more; `is_open`: everybody sees which."""
    hand, known = state.hands[seat], state.known[seat]
    fuller: Hand = core.unknown(len(hand) + count, len(state.book.all))
    if cards is not None and None not in hand:
        fuller = tuple(sorted([*state.hand(seat), *cards]))
    if is_open and cards is not None:
        known = tuple(sorted([*known, *cards]))
    return _with(state, seat, fuller, known)


def lost(state: State, seat: Seat, cards: Cards) -> State:
    """The hand without these cards, which everybody sees leave it."""
    known = list(state.known[seat])
    for card in cards:
        if card in known:
            known.remove(card)
    return _with(state, seat, _rest(state.hands[seat], len(cards), cards), tuple(known))


def unknown_lost(state: State, seat: Seat, count: int, cards: Cards | None) -> State:
    """The hand without cards that left it face down: whatever everybody knew of it may be gone."""
    return _with(state, seat, _rest(state.hands[seat], count, cards), ())


def buried(state: State) -> State:
    """All cards of the trial that goes on join the discards."""
    trial = state.court
    return replace(state, discards=tuple(sorted([*state.discards, *trial.laid, trial.suspect, trial.charge])))


def _rest(hand: Hand, count: int, cards: Cards | None) -> Hand:
    if cards is None or None in hand:
        return core.unknown(len(hand) - count, len(hand))
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def _with(state: State, seat: Seat, hand: Hand, known: Cards) -> State:
    hands = (*state.hands[:seat], hand, *state.hands[seat + 1 :])
    return replace(state, hands=hands, known=(*state.known[:seat], known, *state.known[seat + 1 :]))
