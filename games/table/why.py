"""Why an action is not among the asks, said as precisely as the reader may know."""

from collections.abc import Sequence

from games import core
from games.core import Action, Ask, Refused, Seat, Window
from games.table import actions as act
from games.table.asks import OFFERS_EACH, PROMISES_EACH, may_talk
from games.table.state import Table


def explain(table: Table, seat: Seat, action: Action, open_asks: Sequence[Ask], windows: Sequence[Window]) -> Refused:
    """The refusal of an action that the asks do not permit."""
    if table.status not in ("playing", "open"):
        return Refused(table.status)
    match action:
        case act.Say() | act.Whisper() | act.Promise() | act.Pay() if not may_talk(seat, windows):
            return Refused("talk_closed")
        case act.Whisper() if not table.record.house.whispers:
            return Refused("no_whispers")
        case act.Amend() | act.Withdraw() | act.Accept() | act.Decline():
            return _explain_answer(table, seat, action)
        case act.Offer() if sum(o.payer == seat for o in table.course.deals.offers) >= OFFERS_EACH:
            return Refused("too_many_offers", most=OFFERS_EACH)
        case act.Promise() if sum(p.by == seat for p in table.course.deals.promises) >= PROMISES_EACH:
            return Refused("too_many_promises", most=PROMISES_EACH)
    return _explain_by_asks(table, seat, action, open_asks, windows)


def _explain_answer(table: Table, seat: Seat, action: act.Amend | act.Withdraw | act.Accept | act.Decline) -> Refused:
    offer = next((o for o in table.course.deals.offers if o.id == action.offer), None)
    if offer is None:
        return Refused("no_such_offer", offer=action.offer)
    if seat != (offer.payee if isinstance(action, act.Accept | act.Decline) else offer.payer):
        return Refused("not_your_offer", offer=offer.id)
    if not isinstance(action, act.Withdraw) and action.version != offer.version:
        return Refused("offer_changed", offer=offer.id, version=offer.version)
    if offer.due:
        return Refused("offer_due", offer=offer.id)
    if offer.accepted:
        return Refused("offer_accepted", offer=offer.id)
    return Refused("not_among_asks", field="amount")


def _explain_by_asks(
    table: Table, seat: Seat, action: Action, open_asks: Sequence[Ask], windows: Sequence[Window]
) -> Refused:
    """The first field that lies outside, or that nothing of this type is open at all."""
    alike = [ask for ask in open_asks if ask.type == core.type_of(action)]
    if not alike:
        if table.status == "open":
            return Refused("not_while_open")
        own_turn = seat in table.course.to_act
        return Refused("not_now" if own_turn or isinstance(action, act.SEAT_ACTS) else "not_your_turn")
    wrong = next(
        (
            name
            for name, domain in alike[0].fields.items()
            if not any(core.contains(ask.fields.get(name, domain), getattr(action, name), windows) for ask in alike)
        ),
        None,
    )
    return Refused("not_among_asks", field=wrong or "")
