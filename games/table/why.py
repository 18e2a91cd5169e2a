"""Why an action is not among the asks, said as precisely as the reader may know."""

from collections.abc import Sequence

from games import core
from games.core import Action, Ask, Refused, Seat, Window
from games.table import actions as act
from games.table.asks import COURSE_MOST, OFFERS_EACH, PROMISES_EACH, has_room, may_talk, opened
from games.table.dispute import strike_of
from games.table.rules import Rules
from games.table.state import Table, purse

Answer = act.Amend | act.Withdraw | act.Accept | act.Decline


def explain(
    rules: Rules, table: Table, seat: Seat, action: Action, open_asks: Sequence[Ask], windows: Sequence[Window]
) -> Refused:
    """The refusal of an action that the asks do not permit."""
    if table.status not in ("playing", "open"):
        return _standing_still(table, action)
    found: Refused | None = None
    if table.status == "playing":
        found = _talk(table, seat, action, windows) or _bargaining(rules, table, seat, action, windows)
        found = found or _dispute(table, seat, action)
    return found or _by_asks(table, seat, action, open_asks, windows)


def _standing_still(table: Table, action: Action) -> Refused:
    """What a table that is not played on says to whatever it does not take."""
    dispute = table.record.dispute
    if dispute is None or table.status != "disputed":
        return Refused(table.status)
    match action:
        case act.VoteDispute():
            return Refused("no_vote")
        case act.WithdrawDispute():
            return Refused("not_your_dispute", dispute=dispute.id)
        case act.RuleDispute():
            return Refused("not_arbiter")
        case act.Whisper() if not table.record.house.whispers:
            return Refused("no_whispers")
        case _:
            return Refused("disputed", dispute=dispute.id)


def _dispute(table: Table, seat: Seat, action: Action) -> Refused | None:
    """What stands against a dispute."""
    house = table.record.house
    match action:
        case act.VoteDispute() | act.WithdrawDispute() | act.RuleDispute():
            return Refused("no_dispute")
        case act.Dispute() if house.disputes == "off":
            return Refused("no_disputes")
        case act.Dispute() if table.record.holders[seat].bot is not None:
            return Refused("people_only")
        case act.Dispute() if opened(table, seat) >= house.disputes_per_seat:
            return Refused("too_many_disputes", most=house.disputes_per_seat)
        case act.Dispute(first=first) if first not in table.strikable:
            return _why_not_struck(table, first)
        case _:
            return None


def _why_not_struck(table: Table, first: int) -> Refused:
    """Why a dispute may not begin with that entry."""
    strike = strike_of(table.record.strikes, first)
    if strike is not None:
        return Refused("struck_already", entry=first, by=strike.entry)
    if any(settled.first == first and settled.how == "rejected" for settled in table.record.settled):
        return Refused("dispute_rejected", entry=first)
    return Refused("not_strikable", entry=first)


def _talk(table: Table, seat: Seat, action: Action, windows: Sequence[Window]) -> Refused | None:
    """What stands against words and gifts."""
    match action:
        case act.Say() | act.Whisper() | act.Promise() | act.Pay() if not may_talk(seat, windows):
            return Refused("talk_closed")
        case act.Whisper() if not table.record.house.whispers:
            return Refused("no_whispers")
        case act.Promise() if sum(promise.by == seat for promise in table.course.deals.promises) >= PROMISES_EACH:
            return Refused("too_many_promises", most=PROMISES_EACH)
        case _:
            return None


def _bargaining(rules: Rules, table: Table, seat: Seat, action: Action, windows: Sequence[Window]) -> Refused | None:
    """What stands against chips."""
    if isinstance(action, act.BARGAINING) and not (rules.moneyed and rules.bargained):
        return Refused("no_bargaining")
    if isinstance(action, act.BARGAINING) and not has_room(table):
        return Refused("course_full", most=COURSE_MOST)
    chips = purse(rules, table.course, seat)
    match action:
        case act.Offer() if sum(offer.payer == seat for offer in table.course.deals.offers) >= OFFERS_EACH:
            return Refused("too_many_offers", most=OFFERS_EACH)
        case act.Offer(payee, window) if payee == seat or not _may_offer(seat, payee, window, windows):
            return Refused("no_offers")
        case act.Offer(amount=amount) | act.Pay(amount=amount) if amount > chips:
            return Refused("too_few_chips", chips=chips)
        case act.Amend() | act.Withdraw() | act.Accept() | act.Decline():
            return _answer(table, seat, action, chips, windows)
        case _:
            return None


def _answer(table: Table, seat: Seat, action: Answer, chips: int, windows: Sequence[Window]) -> Refused | None:
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
    if not _may_offer(seat, offer.payee, offer.window, windows):
        return Refused("no_offers")
    if isinstance(action, act.Amend) and action.amount > chips + offer.amount:
        return Refused("too_few_chips", chips=chips + offer.amount)
    return None


def _may_offer(seat: Seat, payee: Seat, window: str, windows: Sequence[Window]) -> bool:
    """Whether the window takes offers of the seat to the payee now."""
    return any(w.id == window and seat in w.offers and payee in w.deciders for w in windows)


def _by_asks(table: Table, seat: Seat, action: Action, open_asks: Sequence[Ask], windows: Sequence[Window]) -> Refused:
    """That nothing of this type is open at all, or the first field that lies outside the ask that comes closest."""
    alike = [ask for ask in open_asks if ask.type == core.type_of(action)]
    if not alike:
        if table.status == "open":
            return Refused("not_while_open")
        own_turn = seat in table.course.to_act
        return Refused("not_now" if own_turn or isinstance(action, act.SEAT_ACTS) else "not_your_turn")
    wrong = [core.outside(ask, action, windows, table.strikable) for ask in alike]
    return Refused("not_among_asks", field=min(wrong, key=len)[0])
