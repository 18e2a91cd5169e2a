"""The bot `ten_kings`: gets rid of its worst deeds and keeps the good ones. It reads its asks and what lies on the table.

One among random players, games of the rules alone (600; with six cards to begin with 500): with four seats 6.75 heavens to their
4.45 and 27.7 % of the wins (even: 25 %), with six cards to begin with 8.60 to 3.59 and 34.1 %, without dice 6.76 to 3.61 and 41.8 %; with
two seats and six cards 9.72 to 0.19 and 95.7 %. More cannot be had of the wins: in the last judgement every roll below the smallest
target is as good for all who reach it, so heavens help only where the others fail.
"""

import random
from collections.abc import Iterable
from typing import Any

from clients.bots.bot import Move
from clients.bots.chancer import Chancer
from comitium_client import Ask, Entry, OneOf, Update

JOKER = "joker"
EVIL = ("spade", "club")


def worth(card: str) -> int:
    """1 to 13, 20 for the joker."""
    return 20 if card == JOKER else int(card.partition("-")[2])


def is_evil(card: str) -> bool:
    """A spade or a club."""
    return card.startswith(EVIL)


def to_pass(hand: Iterable[str]) -> str:
    """The worst evil deed: it is answered least. Without one the joker, if the good cards are too few to turn it; else the
    smallest good deed.
    """
    cards = list(hand)
    evil = [card for card in cards if is_evil(card)]
    if evil:
        return max(evil, key=worth)
    good = [card for card in cards if card != JOKER]
    return min(good, key=worth) if good else JOKER


def to_lay(laid: Iterable[str], cards: Iterable[str]) -> str | None:
    """What sends most evil back, and is answered least; None to take what lies there, as a single good deed is welcome."""
    lying, mine = list(laid), list(cards)
    burden = sum((1 if is_evil(card) else -1) * worth(card) for card in lying if card != JOKER)
    if not mine or (burden < 0 and JOKER not in lying):
        return None
    evil = [card for card in mine if is_evil(card)]
    if evil:
        return max(evil, key=worth)
    return min(mine, key=worth)


class Sinner:
    """Plays at once what it is asked for, and says nothing. What it does not know it leaves to chance."""

    def __init__(self, rng: random.Random, language: str = "en") -> None:
        self._chance = Chancer(rng, language)

    def hear(self, entry: Entry) -> None:
        """The table shows all that it needs."""

    def choose(self, now: Update) -> Move | None:
        asks = {ask.type: ask for ask in now.must}
        if "pass_on" in asks:
            return Move({"type": "pass_on", "card": to_pass(_cards(asks["pass_on"]))})
        if "take" not in asks:
            return self._chance.choose(now)
        game: dict[str, Any] = now.view["game"]
        card = to_lay(game["laid"], _cards(asks.get("retaliate")))
        return Move({"type": "take"} if card is None else {"type": "retaliate", "card": card})


def _cards(ask: Ask | None) -> list[str]:
    domain = None if ask is None else ask.fields["card"]
    return [str(card) for card in domain.one_of] if isinstance(domain, OneOf) else []
