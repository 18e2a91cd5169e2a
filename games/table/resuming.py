"""Going on from an entry of another table: what comes along, and where that cannot be.

All events of the game's own kinds that count come along, in their order, so every seat reads of them again just what it
read before. Of bargaining there is left what it did to the purses: chips that were paid. Offers that are open, promises
and talk stay behind; what lies in escrow is with its payer again.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from games import bargaining
from games.bargaining import Offered, Paid
from games.core import Refused, fold, tag_of
from games.table.actions import Offer
from games.table.dispute import strike_of
from games.table.past import Past
from games.table.rules import Rules
from games.table.state import Course, Table

Obstacle = Literal["not_begun", "has_outcome", "offer_open", "not_carried"]
"""Why nobody can go on from there: there is no game yet, or none any more; an offer that the game itself has made waits
for its answer; or the events that come along do not lead to the same state (as with rules that fold bargaining into more
than purses).
"""

OFFER = tag_of(Offer)


def carried(rules: Rules, table: Table) -> tuple[Any, ...]:
    """What comes along from the table as it stands."""
    kept = (_carry(rules, event) for node in _counting(table) for event in node.events)
    return tuple([event for event in kept if event is not None])


def _carry(rules: Rules, event: Any) -> Any:
    """The event as it comes along; None where it stays behind."""
    if isinstance(event, Paid):
        return Paid(event.payer, event.payee, event.amount, None, None)
    return event if type(event) in rules.own_events else None


def _counting(table: Table) -> list[Past[Course]]:
    """The entries that count, oldest first."""
    strikes = table.record.strikes
    return [node for node in table.past or () if strike_of(strikes, node.seq) is None][::-1]


def read(rules: Rules, events: Sequence[Mapping[str, Any]]) -> tuple[Any, ...]:
    """The events from plain values.

    Raises:
        Refused: there is none, or one that cannot come along.
    """
    event_type = rules.Event
    try:
        found: tuple[Any, ...] = msgspec.convert(events, tuple[event_type, ...])  # type: ignore[valid-type]  # a union made at run time
    except msgspec.ValidationError:
        raise Refused("not_carried") from None
    if not found or any(_carry(rules, event) != event for event in found):
        raise Refused("not_carried")
    return found


# --- Where one cannot go on ----------------------------------------------------------------------------


def obstacle(rules: Rules, table: Table, made_by: Mapping[int, str]) -> Obstacle | None:
    """What keeps anybody from going on from the table as it stands. `made_by`: by which type of action each of the
    entries was made that `offers_made` names.
    """
    if table.course.game is None:
        return "not_begun"
    if rules.game.outcome(table.course.game) is not None:
        return "has_outcome"
    if any(made_by[seq] != OFFER for seq in offers_made(table)):
        return "offer_open"
    same = fold(rules.game, _folded(rules, carried(rules, table))) == without_offers(rules, table)
    return None if same else "not_carried"


def offers_made(table: Table) -> tuple[int, ...]:
    """The entries in which the offers were made that are open."""
    open_ones = {offer.id for offer in table.course.deals.offers}
    return tuple(
        node.seq
        for node in _counting(table)
        if any(isinstance(event, Offered) and event.offer in open_ones for event in node.events)
    )


def without_offers(rules: Rules, table: Table) -> Any:
    """The game's state if every open offer ended now: what a fork has to come to."""
    ends = [bargaining.ended(offer, "void") for offer in table.course.deals.offers]
    return fold(rules.game, _folded(rules, ends), table.course.game)


def _folded(rules: Rules, events: Sequence[Any]) -> list[Any]:
    return [event for event in events if type(event) in rules.folded]
