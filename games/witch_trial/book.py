"""A deck as the rules look things up in it."""

from collections.abc import Mapping

from games.witch_trial import cards
from games.witch_trial.cards import Card, Deck
from games.witch_trial.pieces import Kind

REMEMBERED = 64
"""Decks that are kept looked up. A table's deck never changes, and tables with the house's deck have the same one."""


class Book:
    """The cards by id; the ids of those of each type, in the order of the deck; and all of them, each as often as it is there."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.cards: Mapping[str, Card] = {card.id: card for card in deck.cards}
        self.suspects = tuple([card.id for card in deck.cards if isinstance(card, cards.Suspect)])
        self.charges = tuple([card.id for card in deck.cards if isinstance(card, cards.Charge)])
        self.objections = tuple([card.id for card in deck.cards if isinstance(card, cards.Objection)])
        self.playable = tuple([card.id for card in deck.cards if not isinstance(card, cards.Objection)])
        self.all = tuple([card.id for card in deck.cards for _ in range(card.copies)])

    def suspect(self, card: str) -> cards.Suspect:
        found = self.cards[card]
        if not isinstance(found, cards.Suspect):
            raise TypeError(f"{card} is no suspect")
        return found

    def charge(self, card: str) -> cards.Charge:
        found = self.cards[card]
        if not isinstance(found, cards.Charge):
            raise TypeError(f"{card} is no charge")
        return found

    def kind(self, card: str) -> Kind | None:
        """What the card is when it is played in a trial; None for an objection, which answers a motion, and is not played by
        itself.
        """
        match self.cards[card]:
            case cards.Evidence():
                return "evidence"
            case cards.Suspect():
                return "witness"
            case cards.Charge():
                return "charge"
            case cards.Motion():
                return "motion"
            case cards.Objection():
                return None

    def severity(self, charge: str, suspect: str) -> int:
        """How severe the charge is against this suspect."""
        found = self.charge(charge)
        return found.severity + found.against.get(suspect, 0)


_BOOKS: dict[int, Book] = {}


def book_of(deck: Deck) -> Book:
    """The deck looked up; remembered by its identity, as it cannot be a key itself."""
    known = _BOOKS.get(id(deck))
    if known is not None:
        return known
    if len(_BOOKS) >= REMEMBERED:
        _BOOKS.clear()
    return _BOOKS.setdefault(id(deck), Book(deck))


def shared(deck: Deck) -> Deck:
    """The deck, as one object for all who read an equal one: every audience of every table has it in its own events."""
    same = (book.deck for book in _BOOKS.values() if book.deck == deck)
    return book_of(next(same, deck)).deck
