"""What this lawyer pays for the decisions of others.

With chips offered, a deed is done with a probability that grows with their number; then one has gained something and
has paid. The best number is found by trying. Pleas are bought together: one counter turned is often worth nothing,
and two are worth the verdict.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from clients.bots.tribunal.court import PANS, Deed, Offer, Scene, Window, covers
from clients.bots.tribunal.forecast import PER_CHIP, STRANGER, Character, firmness, offers_to, probability, pull
from clients.bots.tribunal.stakes import stake
from clients.bots.tribunal.worth import EDGE, FEE, Outlook, appeal_gain, reserve

DEAR = 1.15
"""A chip paid is worth a little more than a chip, for it makes a rival richer."""

ALLY = 0.6
"""Log-odds from which on a seat is taken for an ally, who need not be paid."""

PRICES = (1, 2, 3, 4, 5, 6, 8, 10)
"""What is offered for a plea."""

SOLD, RESTED, UNDECIDED = -0.8, -1.6, -1.1
"""Log-odds that somebody sells an extra counter, appeals for us, and of several colours chooses ours."""

TURNED = 0.35
"""What a chip changes in them. A chair who does not care between colours is turned more easily."""

Characters = Mapping[int, Character]


class Bid(msgspec.Struct, frozen=True):
    """Chips for a deed, and what offering them is worth."""

    window: str
    payee: int
    does: Deed
    amount: int
    gain: float
    times: int = 1
    never: Deed | None = None

    def is_for(self, offer: Offer) -> bool:
        """Whether that offer was made for the same."""
        return (offer.payee, offer.window, offer.does) == (self.payee, self.window, self.does)


def bids(outlook: Outlook, characters: Characters, most: int) -> Iterator[Bid]:
    """Every deed of others that is worth some chips now, up to `most` in all."""
    yield from campaign(outlook, characters, most)
    for window in outlook.scene.windows:
        payee = window.deciders[0]
        if payee != outlook.scene.me and outlook.scene.me in window.offers:
            yield from _single(outlook, window, payee, most)


# --- Pleas ------------------------------------------------------------------------------------------


class Voter(msgspec.Struct, frozen=True):
    """Somebody who has yet to plead. `firm`: log-odds that he pleads for our side, without our chips; `chip`: what
    each of them adds; `bound`: what we have offered and cannot take back.
    """

    seat: int
    window: Window
    counters: int
    firm: float
    chip: float
    bound: int


def voters(outlook: Outlook, characters: Characters) -> list[Voter]:
    """Those who can be bought, allies first."""
    scene, sign = outlook.scene, 1 if outlook.side == "innocent" else -1
    found = []
    for seat in outlook.lean:
        window, who = scene.window_of(seat), characters.get(seat, STRANGER)
        if window is not None:
            offers = offers_to(scene, seat)
            chip, rivals = PER_CHIP * who.heed, [offer for offer in offers if offer.payer != scene.me]
            firm = sign * (firmness(outlook.court.votes[seat], who) + chip * pull(rivals))
            bound = sum(o.amount for o in offers if o.payer == scene.me and (o.accepted or o.due))
            found.append(Voter(seat, window, outlook.court.verdict_counters[seat], firm, chip, bound))
    return sorted(found, key=lambda voter: -voter.firm)


def bought(outlook: Outlook, voters: Iterable[Voter], chips: Mapping[int, int]) -> float:
    """What the trial is worth with so many chips offered to each seat."""
    lean, cost = {}, 0.0
    for voter in voters:
        amount = chips.get(voter.seat, 0)
        ours = probability(voter.firm + voter.chip * max(amount, voter.bound))
        lean[voter.seat] = ours if outlook.side == "innocent" else 1 - ours
        cost += ours * DEAR * amount
    return outlook.expected(lean) - cost


def campaign(outlook: Outlook, characters: Characters, most: int) -> list[Bid]:
    """The pleas to buy, all at one price."""
    known = voters(outlook, characters) if outlook.stake else []
    wavering = [voter for voter in known if voter.firm < ALLY and voter.counters and not voter.bound]
    without = bought(outlook, known, {})
    best: tuple[float, dict[int, int]] = (0.0, {})
    for count in range(1, len(wavering) + 1):
        for price in PRICES:
            if price * count <= most:
                chips = {voter.seat: price for voter in wavering[:count]}
                best = max(best, (bought(outlook, known, chips) - without, chips), key=lambda each: each[0])
    gain, chips = best
    return [_plea(outlook, voter, chips[voter.seat], gain / len(chips)) for voter in wavering if voter.seat in chips]


def keeping(outlook: Outlook, characters: Characters, offer: Offer) -> float:
    """What it is worth to leave an offer for a plea where it is, instead of taking it back."""
    known = voters(outlook, characters)
    return bought(outlook, known, {offer.payee: offer.amount}) - bought(outlook, known, {})


def _plea(outlook: Outlook, voter: Voter, amount: int, gain: float) -> Bid:
    """All the counters of the voter on our pan; if he has an extra one, not that on the other."""
    side = outlook.side
    other = PANS[side == PANS[0]]
    never = {"type": "place", "pan": other} if outlook.court.extra_counters[voter.seat] else None
    does = {"type": "place", "pan": side}
    return Bid(voter.window.id, voter.seat, does, amount, gain, times=voter.counters, never=never)


# --- Other decisions --------------------------------------------------------------------------------


def _single(outlook: Outlook, window: Window, payee: int, most: int) -> Iterator[Bid]:
    court = outlook.court
    match window.kind:
        case "plea" if court.extra_counters[payee] and not court.begun:
            does = {"type": "give", "counter": "extra", "to": outlook.scene.me}
            yield _best(window, payee, does, reserve(outlook), SOLD, most)
        case "exile" if outlook.stake:
            does = {"type": "exile", "exile": outlook.stake > 0}
            firm = TURNED * (_offered(outlook.scene, window, does) - _offered(outlook.scene, window, _not(does)))
            yield _best(window, payee, does, abs(outlook.stake), firm, most)
        case "appeal":
            gains = {colour: appeal_gain(outlook, colour) for colour in court.at("guilty", "innocent")}
            colour = max(gains, key=lambda each: gains[each])
            does = {"type": "appeal", "colour": colour}
            firm = RESTED + TURNED * _offered(outlook.scene, window, does)
            yield _best(window, payee, does, max(0.0, gains[colour] - FEE), firm, most)
        case "colour":
            untried, hand = court.at("iustitia"), outlook.scene.hand
            colour = max(untried, key=lambda each: abs(stake(hand, each)))
            does = {"type": "choose_colour", "colour": colour}
            yield _best(window, payee, does, EDGE * abs(stake(hand, colour)), UNDECIDED, min(most, 2), chip=1.0)
        case _:
            return


def _best(window: Window, payee: int, does: Deed, win: float, firm: float, most: int, chip: float = TURNED) -> Bid:
    """The best number of chips for a deed that is worth `win`."""

    def value(amount: int) -> float:
        return probability(firm + chip * amount) * (win - DEAR * amount)

    amount = max(range(max(0, most) + 1), key=value)
    return Bid(window.id, payee, does, amount, value(amount) - value(0))


def _offered(scene: Scene, window: Window, deed: Deed) -> int:
    """What others offer for that deed."""
    offers = [offer for offer in scene.offers_in(window.id) if offer.payer != scene.me]
    return sum(offer.amount for offer in offers if covers(offer.does, deed))


def _not(exile: Deed) -> Deed:
    return {**exile, "exile": not exile["exile"]}
