"""Open bargaining: offers with their chips in escrow, answers that quote what they answer, gifts."""

from typing import Any

from games import bargaining
from games.bargaining import Accepted, Amended, Offer, Offered, Paid, ordered
from games.core import Action, Seat
from games.table import actions as act
from games.table.state import Table


def decide_offer(table: Table, seq: int, seat: Seat, action: Action) -> list[Any]:
    """The events of an action of bargaining that the asks permit."""
    match action:
        case act.Offer(payee, window, amount, does, times, never):
            return [Offered(seq, seat, payee, window, amount, ordered(does), times, never and ordered(never))]
        case act.Amend(offer, version, amount, does, times, never):
            old, terms = find(table, offer), (ordered(does), times, never and ordered(never))
            return [Amended(offer, version + 1, seat, old.payee, old.amount, amount, *terms)]
        case act.Withdraw(offer):
            return [bargaining.ended(find(table, offer), "withdrawn")]
        case act.Accept(offer, version):
            return [Accepted(offer, version)]
        case act.Decline(offer):
            return [bargaining.ended(find(table, offer), "declined")]
        case act.Pay(to, amount):
            return [Paid(seat, to, amount, None, None)]
        case _:
            raise TypeError(f"no action of bargaining: {action}")


def find(table: Table, offer: int) -> Offer:
    """The open offer with that id.

    Raises:
        KeyError: there is none.
    """
    for known in table.course.deals.offers:
        if known.id == offer:
            return known
    raise KeyError(offer)
