"""What verdicts are worth to a hand."""

from collections.abc import Iterable, Sequence
from itertools import combinations

ACCUSER = 10

ALLY = 0.3
"""How much of a card's value it is worth that one's neighbour wants the same with it."""


def split(card: str) -> tuple[str, int]:
    """Colour and number."""
    colour, _, number = card.partition("-")
    return colour, int(number)


def worth(card: str) -> int:
    """What the card brings if its colour is found innocent; as much is lost if it is found guilty."""
    number = split(card)[1]
    return -number if number == ACCUSER else number


def stake(hand: Iterable[str], colour: str | None) -> int:
    """What the hand gains if that colour is found innocent: below zero, it wants it found guilty."""
    return sum(worth(card) for card in hand if split(card)[0] == colour)


def stakes(hand: Sequence[str]) -> dict[str, int]:
    """The stake in every colour that the hand has cards of."""
    return {colour: stake(hand, colour) for colour in dict.fromkeys(split(card)[0] for card in hand)}


def cards_to_pass(hand: Sequence[str], count: int, zeal: float) -> list[str]:
    """Which cards to give the neighbour: what remains is worth fighting for, and he shall fight on the same side.

    `zeal`: what a charge counts as against a client of the same number. An accuser stands alone against many clients.
    """
    return list(max(combinations(hand, count), key=lambda passed: _left_with(hand, tuple(passed), zeal)))


def _left_with(hand: Sequence[str], passed: Sequence[str], zeal: float) -> float:
    kept = stakes([card for card in hand if card not in passed])
    allied = sum(worth(card) * _sign(kept.get(split(card)[0], 0)) for card in passed)
    return sum(value if value > 0 else -zeal * value for value in kept.values()) + ALLY * allied


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
