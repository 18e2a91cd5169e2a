"""The cards: good deeds and evil ones, and a joker; and what may be agreed beforehand."""

from typing import Literal, get_args

import msgspec

Card = Literal[
    "spade-1", "spade-2", "spade-3", "spade-4", "spade-5", "spade-6", "spade-7", "spade-8", "spade-9", "spade-10",
    "spade-11", "spade-12", "spade-13",
    "heart-1", "heart-2", "heart-3", "heart-4", "heart-5", "heart-6", "heart-7", "heart-8", "heart-9", "heart-10",
    "heart-11", "heart-12", "heart-13",
    "diamond-1", "diamond-2", "diamond-3", "diamond-4", "diamond-5", "diamond-6", "diamond-7", "diamond-8", "diamond-9",
    "diamond-10", "diamond-11", "diamond-12", "diamond-13",
    "club-1", "club-2", "club-3", "club-4", "club-5", "club-6", "club-7", "club-8", "club-9", "club-10", "club-11",
    "club-12", "club-13",
    "joker",
]  # fmt: skip
"""1 is the ace; 11, 12, 13 are jack, queen, king. Spades and clubs are evil deeds, hearts and diamonds good ones."""

Lives = Literal[10, 5]

Dice = Literal["dice", "cards", "none"]
"""How D% is rolled: by two ten-sided dice, by cards in their place, or not at all (five cards of the whole deck)."""

Phase = Literal["pass", "answer", "ended"]
Over = Literal["hand_full", "deck_empty"]
"""Why a life is over."""
Why = Literal["ascended", "nobody_ascended"]

DECK: tuple[Card, ...] = get_args(Card)
JOKER: Card = "joker"
JOKER_VALUE = 20
TAINT = 50
"""The karma that everybody is born with."""
FULL = 6
"""So many cards in the hand of whose turn ends, and the life is over."""
START = 6
"""Cards that everybody begins with, where that is played."""
FIVE = 5
"""Cards that are turned where there are no dice."""
MOST_WITH_START = 6
"""Seats, where everybody begins with six cards."""
CHAIN = 30
"""Answers to one card: no exchange holds more cards than there are evil ones, the joker and a good ace."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ten lives or five; six cards to begin each life with; what one rolls."""

    lives: Lives = 10
    six_cards: bool = False
    dice: Dice = "dice"

    @property
    def weight(self) -> int:
        """What each heaven adds to the last target, so that all of them make 100."""
        return 100 // self.lives


def value(card: Card) -> int:
    """1 to 13, and 20 for the joker."""
    return JOKER_VALUE if card == JOKER else int(card.partition("-")[2])


def is_evil(card: Card) -> bool:
    """A spade or a club. The joker is neither."""
    return card.startswith(("spade", "club"))


def is_good(card: Card) -> bool:
    """A heart or a diamond. The joker is neither."""
    return card.startswith(("heart", "diamond"))


def is_ace(card: Card) -> bool:
    """Of any suit."""
    return card.endswith("-1")


def answers(laid: tuple[Card, ...], card: Card) -> bool:
    """Whether the card may be laid on what lies there; the last card decides."""
    last = laid[-1]
    if closes(laid):
        return False
    if last == JOKER:
        return is_ace(card)
    if card == JOKER:
        return True
    return is_evil(last) and is_evil(card) and value(card) >= value(last)


def closes(laid: tuple[Card, ...]) -> bool:
    """An ace on the joker: nothing can follow, as everybody knows."""
    return len(laid) > 1 and laid[-2] == JOKER
