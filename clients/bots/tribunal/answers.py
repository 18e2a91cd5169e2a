"""What this lawyer says to the offers that he gets: yes binds the other and not himself, no makes room for a better one."""

from collections.abc import Callable, Iterator

from clients.bots.tribunal.court import Deed, Offer, Scene
from clients.bots.tribunal.plans import Plan, appeals, choices, pleas
from clients.bots.tribunal.worth import Outlook, earns, value

HOPELESS = 2.0
"""An offer that falls short by more than this, and by more than itself, is turned down."""

EARLY = 0.5
"""How often he answers before it is his turn to decide."""

Whim = Callable[[str], float]
"""A number from 0 to 1 for each matter, the same whenever it is asked for."""


def answers(outlook: Outlook, whim: Whim) -> Iterator[Deed]:
    """What he would say to each offer that waits for a word."""
    scene = outlook.scene
    waiting = [offer for offer in scene.offers if offer.payee == scene.me and not offer.accepted and not offer.due]
    if not waiting:
        return
    plans = own_plans(scene)
    if not plans:
        return
    chosen = max(plans, key=lambda plan: value(outlook, plan))
    for offer in waiting:
        answer = _answer(outlook, offer, plans, chosen, whim)
        if answer is not None:
            yield answer


def own_plans(scene: Scene) -> list[Plan]:
    """What he could do in the decision that he has, or will have."""
    court = scene.court
    if court.phase == "plea" and court.turn != scene.me:
        return list(pleas(court, scene.me, scene.offers)) if scene.me in court.pleading else []
    return choices(scene) if court.turn == scene.me else appeals(court) if court.phase == "appeal" else []


def _answer(outlook: Outlook, offer: Offer, plans: list[Plan], chosen: Plan, whim: Whim) -> Deed | None:
    is_open = outlook.court.turn == outlook.scene.me
    if not is_open and whim(f"early {offer.id} {offer.version}") > EARLY:
        return None
    quote = {"offer": offer.id, "version": offer.version}
    if earns(offer, chosen) or whim(f"guile {offer.id}") < outlook.mood.guile:  # the latter: a yes costs nothing
        return {"type": "accept", **quote}
    if is_open and _shortfall(outlook, offer, plans, chosen) > max(HOPELESS, offer.amount):
        return {"type": "decline", **quote}
    return None


def _shortfall(outlook: Outlook, offer: Offer, plans: list[Plan], chosen: Plan) -> float:
    """What he would lose by doing as asked, this offer included."""
    willing = [value(outlook, plan) for plan in plans if earns(offer, plan)]
    return value(outlook, chosen) - max(willing) if willing else float("inf")
