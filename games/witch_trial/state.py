"""All that lies on the table, and what can be read off it."""

from collections import Counter

import msgspec

from games.core import Purses, Seat
from games.witch_trial.book import Book, book_of
from games.witch_trial.cards import Deck
from games.witch_trial.pieces import Case, Phase, Trial, Why

Hand = tuple[str | None, ...]
"""Sorted; or None for each card, where the reader may not see it."""


class State(msgspec.Struct, frozen=True):
    """The table. Copies of a card are the same card, so hands and piles are bags of ids.

    deck: what it is played with, with names and texts           active: whose turn it is; turn: its number, from 1
    known: of each hand the cards that everybody has seen go there  undrawn: cards in the deck
    reshuffles: how often the discards may still become the deck    lineup: from the cheap end to the dear one
    discards: of earlier trials, open, sorted                       cases: pending, by seat
    trials: how many were opened; proposals: how many were made     passes: in a row, while there is nothing else left to do
    """

    deck: Deck
    phase: Phase
    active: Seat
    turn: int
    hands: tuple[Hand, ...]
    known: tuple[tuple[str, ...], ...]
    undrawn: int
    cases: tuple[Case | None, ...]
    purses: Purses
    reshuffles: int = 0
    lineup: tuple[str, ...] = ()
    discards: tuple[str, ...] = ()
    trials: int = 0
    proposals: int = 0
    trial: Trial | None = None
    passes: int = 0
    why: Why | None = None

    @property
    def seats(self) -> int:
        return len(self.hands)

    @property
    def book(self) -> Book:
        return book_of(self.deck)

    @property
    def court(self) -> Trial:
        """The trial that goes on.

        Raises:
            TypeError: there is none.
        """
        if self.trial is None:
            raise TypeError("no trial is going on")
        return self.trial

    @property
    def is_bare(self) -> bool:
        """Whether there is no card to be had any more, and no case to be tried."""
        return not (self.lineup or self.can_draw or any(self.cases))

    @property
    def can_draw(self) -> bool:
        """Whether there is a card in the deck, or will be once one is needed."""
        return bool(self.undrawn or (self.reshuffles and self.discards))

    def left_of(self, seat: Seat) -> Seat:
        return (seat + 1) % self.seats

    def purse(self, seat: Seat) -> int:
        """Purses are open in this game."""
        return self.purses.seats[seat] or 0

    def hand(self, seat: Seat) -> tuple[str, ...]:
        """A hand that the reader knows: the seat's own, or any in the truth."""
        return tuple([card for card in self.hands[seat] if card is not None])

    def held(self, seat: Seat) -> tuple[str, ...]:
        """Each card of the hand once."""
        return tuple(dict.fromkeys(self.hand(seat)))


def stock(state: State) -> tuple[str, ...]:
    """The bag of cards that are in the deck: all that lie nowhere else. Only the truth can tell."""
    left = Counter(state.book.all)
    left.subtract(lying(state))
    return tuple(sorted(left.elements()))


def lying(state: State) -> list[str]:
    """All cards outside of the deck, as far as the reader knows them."""
    found = [card for seat in range(state.seats) for card in state.hand(seat)]
    found += [*state.lineup, *state.discards]
    for case in state.cases:
        found += [] if case is None else [case.suspect, case.charge]
    if state.trial is not None:
        found += [state.trial.suspect, state.trial.charge, *state.trial.laid]
    return found
