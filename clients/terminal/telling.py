"""What happens at a table, as sentences: for any game, from the words that come with it."""

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from clients.terminal.deeds import deed_text, terms_text
from clients.terminal.lines import Line, Shown
from clients.terminal.words import Event, Words
from comitium_client import Update

QUIET = frozenset({"asked", "did", "entropy_given", "seed_sealed", "created"})
"""What is not worth a sentence."""

TALK = 4
"""The last words that are kept for the board."""

Offers = dict[int, Mapping[str, Any]]


def resumes(update: Update) -> bool:
    """Whether a fork begins here. All that happened before comes along with this one entry: that is told at its own table."""
    return update.entry is not None and update.entry.body.action["type"] == "resume"


class Teller:
    """Tells each entry once. Knows the offers that are open, so that an answer to one can say what it was."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self._offers: Offers = {}
        self.talk: deque[Line] = deque(maxlen=TALK)

    def begin(self, view: Mapping[str, Any]) -> None:
        """Starts from a whole view."""
        self._offers = {offer["id"]: offer for offer in view["offers"]}

    def tell(self, update: Update) -> list[Shown]:
        """What the entry of this update says."""
        if update.entry is None:
            self.begin(update.view)
            return []
        if resumes(update):
            self.begin(update.view)
            return [Line(self.words.own("tell.resumed"))]
        return [line for event in update.entry.body.events for line in self.event(event, update)]

    def event(self, event: Event, update: Update) -> Iterable[Shown]:  # noqa: ARG002  (for those who know a game)
        """One event, in none, one or more lines."""
        if event["type"] in QUIET:
            return ()
        told = self.deal(event)
        return (Line(self.words.tell(event)),) if told is None else told

    def deal(self, event: Event) -> tuple[Line, ...] | None:
        """An event of bargaining or talk; None for any other."""
        match event["type"]:
            case "offered":
                self._offers[event["offer"]] = {**event, "id": event["offer"], "version": 1}
                return (self._offer("tell.offered", event),)
            case "amended":
                self._offers[event["offer"]] = {**event, "id": event["offer"]}
                return (self._offer("tell.amended", event),)
            case "accepted":
                return (self._offer("tell.accepted", self._offers[event["offer"]]),)
            case "offer_ended":
                offer = self._offers.pop(event["offer"], event)
                return () if event["how"] == "paid" else (self._chips(f"tell.ended.{event['how']}", offer),)
            case "paid":
                return (self._chips("tell.gift" if event["offer"] is None else "tell.paid", event),)
            case "promised":
                return (self._promise(event),)
            case "said":
                self.talk.append(Line(self.words.own("tell.said", **event), "talk", 2))
                return (self.talk[-1],)
            case _:
                return None

    def _offer(self, key: str, offer: Mapping[str, Any]) -> Line:
        terms, deed = terms_text(self.words, offer), deed_text(self.words, offer["does"])
        said = {"chips": chips(self.words, offer["amount"]), "terms": terms, "deed": deed}
        return Line(self.words.own(key, **said, **offer), "deal", 2)

    def _chips(self, key: str, event: Mapping[str, Any]) -> Line:
        return Line(self.words.own(key, chips=chips(self.words, event["amount"]), **event), "deal", 2)

    def _promise(self, event: Event) -> Line:
        if event["does"] is None:
            return Line(self.words.own("tell.promised", **event), "talk", 2)
        deed = deed_text(self.words, event["does"])
        return Line(self.words.own("tell.promised.deed", deed=deed, **event), "talk", 2)


def chips(words: Words, count: int) -> str:
    """So many chips, in words."""
    return words.own("chips.one" if count == 1 else "chips.many", count=count)
