"""Who may do what. Who is asked to answer may always take; that he is asked tells nothing of his cards."""

from functools import lru_cache

from games.core import Ask, OneOf, Seat
from games.ten_kings.pieces import Card, answers
from games.ten_kings.state import Hand, State, known

Asks = tuple[Ask, ...]

TAKE = Ask("take")


def asks(state: State, seat: Seat) -> Asks:
    """What the seat may do now: pass a card on in its turn, answer when it is asked."""
    if state.phase == "pass" and seat == state.turn:
        return _passing(state.hand(seat))
    if state.phase == "answer" and seat == state.asked:
        return _answering(state.hand(seat), state.laid)
    return ()


@lru_cache(maxsize=4096)
def _passing(hand: Hand) -> Asks:
    return (Ask("pass_on", {"card": OneOf(known(hand))}),)


@lru_cache(maxsize=4096)
def _answering(hand: Hand, laid: tuple[Card, ...]) -> Asks:
    cards = tuple([card for card in known(hand) if answers(laid, card)])
    return (Ask("retaliate", {"card": OneOf(cards)}), TAKE) if cards else (TAKE,)
