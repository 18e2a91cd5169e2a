"""How the scales may end: every counter that is still to come lies on a pan with some probability."""

import math
from collections.abc import Iterable, Mapping

import msgspec

from clients.bots.tribunal.court import Court, Offer, Pan, Scene

VOTED = 1.3
"""How firmly one takes a vote for the plea that will follow (log-odds)."""

PER_CHIP = 0.45
"""How much a chip offered moves a plea (log-odds)."""

MOST_TIMES = 3
"""An offer for more counters than this is not meant in earnest."""

EXILED = 0.75
"""What a verdict of guilty counts where the chair may still exile the colour."""


class Odds(msgspec.Struct, frozen=True):
    """Probabilities; what is missing from one is that the pans balance."""

    innocent: float
    guilty: float

    def value(self, stake: float, *, exile: bool = False) -> float:
        """What is to be expected for a hand that gains `stake` by innocent and loses it by guilty."""
        return stake * (self.innocent - (EXILED if exile else 1.0) * self.guilty)


def odds(balance: int, counters: Iterable[float]) -> Odds:
    """From the counters on the scales, and for each to come the probability that it is for innocent."""
    chances = {balance: 1.0}
    for innocent in counters:
        after: dict[int, float] = {}
        for difference, chance in chances.items():
            after[difference + 1] = after.get(difference + 1, 0.0) + chance * innocent
            after[difference - 1] = after.get(difference - 1, 0.0) + chance * (1 - innocent)
        chances = after
    return Odds(
        sum(chance for difference, chance in chances.items() if difference > 0),
        sum(chance for difference, chance in chances.items() if difference < 0),
    )


class Character(msgspec.Struct, frozen=True):
    """What one has seen of a seat: how firmly its pleas follow its votes, and how well it heeds offers."""

    firm: float = VOTED
    heed: float = 1.0


STRANGER = Character()


def probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def firmness(vote: bool | None, character: Character) -> float:
    """Log-odds that the seat's plea is for innocent, by its vote."""
    return 0.0 if vote is None else (-character.firm if vote else character.firm)


def pull(offers: Iterable[Offer]) -> int:
    """The chips that are offered for innocent, less those for guilty."""
    signs = {"innocent": 1, "guilty": -1}
    return sum(offer.amount * signs.get(str(offer.does.get("pan")), 0) for offer in offers if _in_earnest(offer))


def _in_earnest(offer: Offer) -> bool:
    return offer.times <= MOST_TIMES and not offer.broken


def leaning(vote: bool | None, offers: Iterable[Offer], character: Character = STRANGER) -> float:
    """The probability that a seat's plea is for innocent: by its vote, and by what is offered to it."""
    return probability(firmness(vote, character) + PER_CHIP * character.heed * pull(offers))


def leanings(scene: Scene, characters: Mapping[int, Character]) -> dict[int, float]:
    """Of every other seat that has yet to plead."""
    return {
        seat: leaning(scene.court.votes[seat], offers_to(scene, seat), characters.get(seat, STRANGER))
        for seat in scene.court.pleading
        if seat != scene.me
    }


def offers_to(scene: Scene, seat: int) -> tuple[Offer, ...]:
    """The offers on the plea of that seat."""
    window = scene.window_of(seat)
    return () if window is None else scene.offers_in(window.id)


def counters(court: Court, lean: Mapping[int, float]) -> list[float]:
    """One probability for each verdict counter of those seats."""
    return [innocent for seat, innocent in lean.items() for _ in range(court.verdict_counters[seat])]


def shifted(balance: int, pan: Pan, count: int) -> int:
    """The balance with so many more counters on that pan."""
    return balance + (count if pan == "innocent" else -count)
