"""What a plan is worth in chips: what may come of the verdict, what is paid for it, and what is kept for later."""

from collections.abc import Mapping, Sequence

import msgspec

from clients.bots.tribunal.court import Court, Deed, Offer, Pan, Scene, covers
from clients.bots.tribunal.forecast import counters, odds, shifted
from clients.bots.tribunal.plans import Plan
from clients.bots.tribunal.stakes import stake, stakes

EDGE = 0.45
"""What part of its stake a chair may hope to win."""

FLIP = 0.35
"""The chance that a second trial ends otherwise."""

FEE = 5
"""An appeal's."""

RESERVE = 0.17
"""What an extra counter is worth, as a part of the stakes it could still decide."""


class Mood(msgspec.Struct, frozen=True):
    """What makes one lawyer unlike the other. `faith`: chips that a broken word costs him; `greed`: what part of a
    gain he keeps when he bids; `talk`: how often he speaks; `guile`: how often he accepts what he will not do; `zeal`:
    how much he likes to accuse.
    """

    faith: float
    greed: float
    talk: float
    guile: float
    zeal: float


class Outlook(msgspec.Struct, frozen=True):
    """A position, and how this lawyer sees the others. `began`: the entry that opened the trial."""

    scene: Scene
    lean: Mapping[int, float]
    mood: Mood
    began: int = 0

    @property
    def court(self) -> Court:
        return self.scene.court

    @property
    def stake(self) -> int:
        """In the colour on trial."""
        return stake(self.scene.hand, self.court.colour)

    @property
    def side(self) -> Pan:
        """The pan that this hand wants to be the heavier one."""
        return "guilty" if self.stake < 0 else "innocent"

    def verdict(self, balance: int, lean: Mapping[int, float] | None = None) -> float:
        """What the trial is worth with that on the scales, and those seats to come; without what is one's own."""
        to_come = counters(self.court, self.lean if lean is None else lean)
        return odds(balance, to_come).value(self.stake, exile=self.court.options.exile)

    def own(self) -> int:
        """The verdict counters that this seat will place, if its plea is still to come."""
        return self.court.verdict_counters[self.scene.me] if self.scene.me in self.court.pleading else 0

    def expected(self, lean: Mapping[int, float] | None = None) -> float:
        """What the trial is worth if this seat pleads for its own side."""
        return self.verdict(shifted(self.court.balance, self.side, self.own()), lean)


def best(outlook: Outlook, plans: Sequence[Plan], whims: Mapping[str, float]) -> Plan:
    """The plan that is worth most. `whims`: small preferences, so that equal plans are not always decided alike."""
    return max(plans, key=lambda plan: value(outlook, plan) + whims.get(str(plan[-1]), 0.0))


def value(outlook: Outlook, plan: Plan) -> float:
    """What the plan is worth in all."""
    return by_itself(outlook, plan) + paid(outlook.scene, plan) - broken_word(outlook, plan)


def by_itself(outlook: Outlook, plan: Plan) -> float:
    """What the plan is worth without anybody's chips."""
    hand = outlook.scene.hand
    match plan[0]:
        case {"type": "choose_colour", "colour": colour}:
            return EDGE * abs(stake(hand, colour))
        case {"type": "exile", "exile": exile}:
            return 0.0 if exile else float(-outlook.stake)
        case {"type": "appeal", "colour": colour}:
            return appeal_gain(outlook, colour) - FEE
        case {"type": "place" | "give"}:
            return _plea(outlook, plan)
        case _:
            return 0.0


def appeal_gain(outlook: Outlook, colour: str) -> float:
    """What a second trial of that colour would bring."""
    gain = stake(outlook.scene.hand, colour) * (1 if colour in outlook.court.at("guilty") else -1)
    return FLIP * 2 * gain


def _plea(outlook: Outlook, plan: Plan) -> float:
    balance, lean = outlook.court.balance, dict(outlook.lean)
    extras, passed = 0, []
    for deed in plan:
        extras += deed["counter"] == "extra"
        if deed["type"] == "place":
            balance = shifted(balance, deed["pan"], 1)
        elif deed["counter"] == "verdict":
            passed.append(lean.get(deed["to"], 0.5))
    to_come = [*counters(outlook.court, lean), *passed]
    trial = odds(balance, to_come).value(outlook.stake, exile=outlook.court.options.exile)
    return trial - extras * reserve(outlook)


def reserve(outlook: Outlook) -> float:
    """What an extra counter is worth for the trials that will follow this one."""
    court = outlook.court
    untried = [abs(each) for colour, each in stakes(outlook.scene.hand).items() if colour in court.at("iustitia")]
    following = len(court.at("iustitia")) if court.options.appeal else min(len(untried), court.seats - court.trial)
    return RESERVE * 2 * max(untried, default=0) if following else 0.0


# --- Bribes and words -------------------------------------------------------------------------------


def paid(scene: Scene, plan: Plan) -> int:
    """The chips that this plan earns from the offers to this seat on this decision."""
    window = scene.window_of(scene.me, scene.court.phase)
    if window is None:
        return 0
    return sum(offer.amount for offer in scene.offers_in(window.id) if offer.payee == scene.me and earns(offer, plan))


def earns(offer: Offer, plan: Plan) -> bool:
    """Whether the offer will be paid once the plan is carried out."""
    done = offer.done + sum(covers(offer.does, deed) for deed in plan)
    never = offer.never is not None and any(covers(offer.never, deed) for deed in plan)
    return done >= offer.times and not offer.broken and not never


def broken_word(outlook: Outlook, plan: Plan) -> float:
    """What it costs this lawyer to do something else than he has promised in this trial."""
    scene = outlook.scene
    words = [
        promise.does
        for promise in scene.promises
        if promise.by == scene.me and promise.kind == scene.court.phase and promise.id > outlook.began
    ]
    broken = any(does is not None and not _keeps(does, plan) for does in words)
    return outlook.mood.faith if broken else 0.0


def _keeps(does: Deed, plan: Plan) -> bool:
    return any(covers(does, deed) for deed in plan)
