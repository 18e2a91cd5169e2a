"""Talk, promises and gifts. A vote that was shown may be defended aloud; what is in the hand is nobody's business."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from clients.bots.tribunal.answers import Whim
from clients.bots.tribunal.court import PANS, Deed
from clients.bots.tribunal.worth import Outlook

PROMISED = 0.4
"""How often he gives his word together with a yes."""

FEINTS = 0.12
GIFTS = 0.06
TALKS = 0.5
RICH = 15


@cache
def _lines() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((files("clients.bots.tribunal") / "words.toml").read_text("utf-8"))


def line(topic: str, language: str, whim: float) -> str:
    """One of the lines on a topic."""
    said = _lines()[topic].get(language) or _lines()[topic]["en"]
    return said[int(whim * len(said)) % len(said)]


def words_given(outlook: Outlook, language: str, whim: Whim) -> Iterator[Deed]:
    """Promises to those whose offers he has accepted; whether he keeps them depends on what others offer later."""
    scene = outlook.scene
    given = [promise.does for promise in scene.promises if promise.by == scene.me and promise.id > outlook.began]
    for offer in scene.offers:
        said = offer.payee != scene.me or not offer.accepted or offer.due or offer.does in given
        if not said and whim(f"word {offer.id}") < PROMISED:
            text, kind = line("promise", language, whim(f"words {offer.id}")), offer.window.partition(":")[0]
            yield {"type": "promise", "to": offer.payer, "text": text, "does": offer.does, "kind": kind}


def feint(outlook: Outlook, language: str, whim: Whim) -> Iterator[Deed]:
    """Before his plea: tells an opponent what he likes to hear. It binds nobody."""
    scene, court = outlook.scene, outlook.court
    if court.phase != "plea" or scene.me not in court.pleading[1:] or not outlook.stake:
        return
    against = [seat for seat, vote in enumerate(court.votes) if vote != (outlook.side == "guilty")]
    given = any(promise.by == scene.me and promise.id > outlook.began for promise in scene.promises)
    if given or not against or whim(f"feint {court.trial}") > FEINTS:
        return
    to = against[int(whim(f"to {court.trial}") * len(against)) % len(against)]
    does = {"type": "place", "pan": PANS[outlook.side == PANS[0]]}
    text = line("feint", language, whim(f"feint words {court.trial}"))
    yield {"type": "promise", "to": to, "text": text, "does": does, "kind": "plea"}


def talk(outlook: Outlook, language: str, whim: Whim) -> Iterator[Deed]:
    """A word in his plea: for the side that he voted for, or that he can still be won."""
    scene, court = outlook.scene, outlook.court
    if court.phase == "plea" and scene.me == court.turn and whim(f"talk {court.trial}") < outlook.mood.talk * TALKS:
        topic = "open" if outlook.stake == 0 else "guilty" if court.votes[scene.me] else "innocent"
        yield {"type": "say", "text": line(topic, language, whim(f"line {court.trial}"))}


def gift(outlook: Outlook, whim: Whim, helper: int | None) -> Iterator[Deed]:
    """A chip, rarely, for somebody who was paid for his plea in the trial before this one."""
    rich = outlook.scene.purse >= RICH
    if helper is not None and rich and outlook.court.phase == "colour" and whim(f"gift {outlook.court.trial}") < GIFTS:
        yield {"type": "pay", "to": helper, "amount": 1}
