"""The bot `tribunal`: it knows what it wants, what that is worth, and that others have their price, too.

Measured by `python -m clients.bots --games 500` over HTTP and sockets, 500 games a line; no action was refused.

    seats  match                     wins    an even share  chips  the others' chips
    5      1 tribunal, 4 random      62.7%   20%            40.6   19.5
    5      1 random, 4 tribunal       3.9%   20%            18.5   30.3
    4      1 tribunal, 3 random      74.1%   25%            40.8   19.3
    4      1 random, 3 tribunal       8.6%   25%            20.5   30.4
"""

import random
from collections.abc import Iterator

from clients.bots.bot import Move
from clients.bots.chancer import Chancer
from clients.bots.tribunal.answers import answers
from clients.bots.tribunal.bids import Bid, bids, keeping
from clients.bots.tribunal.court import Deed, Offer, Scene, read
from clients.bots.tribunal.forecast import leanings
from clients.bots.tribunal.memory import Memory
from clients.bots.tribunal.plans import choices
from clients.bots.tribunal.speech import feint, gift, talk, words_given
from clients.bots.tribunal.stakes import cards_to_pass
from clients.bots.tribunal.worth import Mood, Outlook, best
from comitium_client import Entry, Update

OFFERS, AMENDMENTS, PROMISES = 5, 4, 2
"""The most offers, changed offers, and promises of one trial."""

REFUSALS = 2
"""After so many refusals of one seat he asks it no more for this decision."""

WHIM = 0.25
"""How much chips' worth a whim can outweigh."""

MARGIN = 0.4
"""What an offer must bring to be worth the talk."""

MARGINS = {"choose_colour": 0.1}

SHARE = 0.9
"""The part of what one has that may lie in offers at the same time."""

CURIOUS = {"give": 0.12, "choose_colour": 0.25}
"""How often he thinks of buying such a deed at all; any other always."""

PASSED = 2

MOODS = ((0.0, 2.5), (0.0, 0.3), (0.2, 1.0), (0.0, 0.15), (0.2, 1.0))
"""Within which bounds the moods of lawyers differ."""


class Lawyer:
    """One seat's mind."""

    def __init__(self, rng: random.Random, language: str = "en") -> None:
        self._rng = rng
        self._language = language
        self._mood = Mood(*(rng.uniform(low, high) for low, high in MOODS))
        self._memory = Memory()
        self._whims: dict[str, float] = {}
        self._scene: Scene | None = None
        self._otherwise = Chancer(rng, language)

    def hear(self, entry: Entry) -> None:
        trial = self._memory.began
        self._memory.hear(entry, self._scene)
        if self._memory.began != trial:
            self._whims.clear()

    def choose(self, now: Update) -> Move | None:
        scene = self._scene = read(now)
        if scene is None:
            return self._otherwise.choose(now) if now.must else None
        outlook = self._outlook(scene)
        for action in self._deals(outlook):
            if scene.allows(action):
                return Move(action)
        return self._duty(outlook) if now.must else None

    def _outlook(self, scene: Scene) -> Outlook:
        lean = leanings(scene, self._memory.characters(scene.court.seats))
        return Outlook(scene, lean, self._mood, self._memory.began)

    def _whim(self, matter: str) -> float:
        if matter not in self._whims:
            self._whims[matter] = self._rng.random()
        return self._whims[matter]

    # --- What he has to do ----------------------------------------------------------------------------

    def _duty(self, outlook: Outlook) -> Move:
        scene = outlook.scene
        match scene.court.phase:
            case "passing":
                return Move({"type": "pass_cards", "cards": cards_to_pass(scene.hand, PASSED, self._mood.zeal)})
            case "vote":
                undecided = self._whim("vote") < 0.5
                return Move({"type": "vote", "guilty": outlook.stake < 0 or (outlook.stake == 0 and undecided)})
            case _:
                plans = choices(scene)
                whims = {str(plan[-1]): WHIM * self._whim(str(plan[-1])) for plan in plans}
                return Move(best(outlook, plans, whims)[0], patient=True)

    # --- What he may do -------------------------------------------------------------------------------

    def _deals(self, outlook: Outlook) -> Iterator[Deed]:
        """What he would like to say or offer, the most urgent first."""
        if outlook.court.phase in ("passing", "vote", "ended"):
            return
        yield from answers(outlook, self._whim)
        yield from self._bids(outlook)
        yield from self._speech(outlook)

    def _bids(self, outlook: Outlook) -> Iterator[Deed]:
        """New offers, changes of those that were made for the same, and the end of those that make no sense any more."""
        scene, characters = outlook.scene, self._memory.characters(outlook.court.seats)
        mine = [offer for offer in scene.offers if offer.payer == scene.me]
        free = [offer for offer in mine if not offer.accepted and not offer.due]
        wanted = [bid for bid in bids(outlook, characters, self._most(outlook, free)) if self._is_curious(bid)]
        for bid in sorted(wanted, key=lambda bid: -bid.gain):
            yield from self._bid(bid, next((offer for offer in mine if bid.is_for(offer)), None))
        for offer in free:
            is_plea = offer.does["type"] == "place" and not any(bid.is_for(offer) for bid in wanted)
            if is_plea and keeping(outlook, characters, offer) < -MARGIN:
                yield {"type": "withdraw", "offer": offer.id}

    def _is_curious(self, bid: Bid) -> bool:
        kind = str(bid.does["type"])
        often = CURIOUS.get(kind, 1.0)
        return bid.gain > MARGINS.get(kind, MARGIN) and self._whim(f"buy {kind} {bid.payee} {bid.window}") < often

    def _bid(self, bid: Bid, made: Offer | None) -> Iterator[Deed]:
        said, terms = (
            self._memory.said,
            {"amount": bid.amount, "does": bid.does, "times": bid.times, "never": bid.never},
        )
        if made is None:
            refused = self._memory.refused[bid.window, bid.payee]
            if len(refused) < REFUSALS and bid.amount > max(refused, default=0) and said["offer"] < OFFERS:
                yield {"type": "offer", "payee": bid.payee, "window": bid.window, **terms}
        elif not made.accepted and not made.due and bid.amount > made.amount and said["amend"] < AMENDMENTS:
            yield {"type": "amend", "offer": made.id, "version": made.version, **terms}

    def _most(self, outlook: Outlook, mine: list[Offer]) -> int:
        """The chips that may lie in offers which he can still change: never more than he has."""
        purse, open_offers = outlook.scene.purse, sum(offer.amount for offer in mine)
        return int((purse + open_offers) * (SHARE - self._mood.greed))

    def _speech(self, outlook: Outlook) -> Iterator[Deed]:
        said = self._memory.said
        if said["promise"] < PROMISES:
            yield from words_given(outlook, self._language, self._whim)
            yield from feint(outlook, self._language, self._whim)
        if not said["say"]:
            yield from talk(outlook, self._language, self._whim)
        if not said["pay"]:
            yield from gift(outlook, self._whim, self._memory.helper)
