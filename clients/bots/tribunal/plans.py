"""What one's own decision can be: every course of action that is worth a thought, as a list of deeds."""

from collections.abc import Iterable, Iterator, Sequence

from clients.bots.tribunal.court import PANS, Court, Deed, Offer, Pan, Scene

Plan = tuple[Deed, ...]

MOST_EXTRAS = 3
"""More extra counters than this are never used in one plea."""


def place(counter: str, pan: Pan) -> Deed:
    return {"type": "place", "counter": counter, "pan": pan}


def give(counter: str, to: int) -> Deed:
    return {"type": "give", "counter": counter, "to": to}


def choices(scene: Scene) -> list[Plan]:
    """Every plan for the decision that this seat has to take now."""
    match scene.court.phase:
        case "colour":
            return [({"type": "choose_colour", "colour": colour},) for colour in scene.court.at("iustitia")]
        case "direction":
            return [({"type": "choose_direction", "direction": way},) for way in ("clockwise", "counterclockwise")]
        case "exile":
            return [({"type": "exile", "exile": choice},) for choice in (True, False)]
        case "appeal":
            return [*appeals(scene.court), ({"type": "forgo_appeal"},)]
        case "plea":
            return list(pleas(scene.court, scene.me, scene.offers))
        case _:
            return []


def appeals(court: Court) -> list[Plan]:
    """Every colour that may be tried anew."""
    return [({"type": "appeal", "colour": colour},) for colour in court.at("guilty", "innocent")]


def pleas(court: Court, seat: int, offers: Sequence[Offer]) -> Iterator[Plan]:
    """Extra counters first, while that is allowed; then the verdict counters, on the pans or to somebody who asks."""
    held = court.verdict_counters[seat]
    for extras in _extras(court, seat, offers):
        pan = extras[0].get("pan") if extras else None
        for guilty in range(held + 1):
            if pan is None or guilty == (held if pan == "guilty" else 0):  # extra counters never work against one's own
                yield (*extras, *_verdicts(guilty, held - guilty))
        yield from ((*extras, *plan) for plan in _passing_on(court, seat, offers))


def _passing_on(court: Court, seat: int, offers: Sequence[Offer]) -> Iterator[Plan]:
    held, later = court.verdict_counters[seat], court.pleading[court.pleading.index(seat) + 1 :]
    for to in _asked_for("verdict", seat, later, offers):
        for passed in range(1, held + 1):
            for pan in PANS if passed < held else PANS[:1]:
                yield (place("verdict", pan),) * (held - passed) + (give("verdict", to),) * passed


def _verdicts(guilty: int, innocent: int) -> Plan:
    return (place("verdict", "guilty"),) * guilty + (place("verdict", "innocent"),) * innocent


def _extras(court: Court, seat: int, offers: Sequence[Offer]) -> Iterator[Plan]:
    """None of them, some of them on one pan, or one to whoever pays for it."""
    yield ()
    held = 0 if court.begun and court.turn == seat else min(court.extra_counters[seat], MOST_EXTRAS)
    for count in range(1, held + 1):
        for pan in PANS:
            yield (place("extra", pan),) * count
    if held:
        for to in _asked_for("extra", seat, range(court.seats), offers):
            yield (give("extra", to),)


def _asked_for(counter: str, seat: int, able: Sequence[int], offers: Iterable[Offer]) -> list[int]:
    """The seats to which somebody would pay this one to give such a counter, of those who may have it."""
    found = {
        int(offer.does["to"])
        for offer in offers
        if offer.payee == seat
        and offer.does.get("type") == "give"
        and offer.does.get("counter", counter) == counter
        and "to" in offer.does
    }
    return sorted(to for to in found if to in able and to != seat)
