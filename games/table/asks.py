"""Who may do what at a table: the game's own asks, and those of the table around it.

Legality exists here once; `decide` relies on it. The asks are built from cached parts, so that asks that did not
change are the same objects and comparing them costs next to nothing.
"""

from collections.abc import Sequence
from functools import lru_cache

from games.bargaining import Offer
from games.core import Action, Ask, Between, Deed, Domain, EntryAfter, Match, OneOf, Seat, SomeOf, Text, Window
from games.table.actions import BARGAINING, TALK, TEXT_LIMIT
from games.table.dispute import Dispute
from games.table.record import undecided
from games.table.rules import Rules
from games.table.state import Table, purse

OFFERS_EACH = 16
"""Offers of one seat that may be open at once."""

PROMISES_EACH = 50
"""Promises that one seat may make at one table."""

TIMES_LIMIT = 20
"""The most often that an offer may ask for a deed."""

COURSE_MOST = 20_000
"""Entries in the course of a table (Table.past) from which on there is no bargaining any more: each is kept in memory, and
while a game's own actions come to an end, there is none to offering and withdrawing.
"""

PROMISED_MOST = 999
"""The largest payment that one may promise. One need not have the chips: a promise binds nobody."""

SAY = Ask("say", {"text": Text(TEXT_LIMIT)}, must=False)
LEAVE = Ask("leave", {}, must=False)
VOTE = Ask("vote_dispute", {"uphold": OneOf((True, False))})
WITHDRAW = Ask("withdraw_dispute", {}, must=False)
RULE = Ask("rule_dispute", {"uphold": OneOf((True, False))})
ABANDON = {agree: Ask("abandon", {"agree": OneOf((agree,))}, must=False) for agree in (True, False)}


def asks(rules: Rules, table: Table, seat: Seat, windows: Sequence[Window]) -> tuple[Ask, ...]:
    """Everything open to the seat now: the game's asks first, then the table's."""
    if table.over or table.record.holders[seat].player is None:
        return _vacant(rules, table, seat)
    abandon = ABANDON[not table.record.holders[seat].agrees]
    match table.status:
        case "playing":
            return (
                *_of_game(rules, table, seat), *talk(table, seat, windows), *deals(rules, table, seat, windows),
                *disputes(table, seat), abandon, LEAVE,
            )  # fmt: skip
        case "disputed":
            return (*_talk(table, seat), *_in_dispute(table, seat), abandon, LEAVE)
        case "open":
            return (SAY, abandon)
        case _:
            return (abandon, LEAVE)


def asks_for(
    rules: Rules, table: Table, seat: Seat, windows: Sequence[Window], action: type[Action]
) -> tuple[Ask, ...]:
    """Of the asks at least those of the action's type: whoever wants to know no more need not build all of them."""
    if table.status == "playing" and table.record.holders[seat].player is not None:
        if action in rules.own_actions:
            return _of_game(rules, table, seat)
        if action in TALK:
            return talk(table, seat, windows)
        if action in BARGAINING:
            return deals(rules, table, seat, windows)
    return asks(rules, table, seat, windows)


def _of_game(rules: Rules, table: Table, seat: Seat) -> tuple[Ask, ...]:
    return rules.asks(table.course.game, len(table.record.holders))[seat]


def _vacant(rules: Rules, table: Table, seat: Seat) -> tuple[Ask, ...]:
    """A vacant seat is asked by the game alone: it waits for whoever takes it over, or for chance."""
    return _of_game(rules, table, seat) if table.status == "playing" else ()


def of_arbiter(table: Table) -> tuple[Ask, ...]:
    """What is open to the arbiter, who has no seat."""
    dispute = table.record.dispute
    return (RULE,) if dispute is not None and dispute.arbiter else ()


def disputes(table: Table, seat: Seat) -> tuple[Ask, ...]:
    """Asking that entries be struck, where the house allows it: for people, and not too often."""
    record = table.record
    if record.house.disputes == "off" or record.holders[seat].bot is not None or table.past is None:
        return ()
    if not table.strikable or opened(table, seat) >= record.house.disputes_per_seat:
        return ()
    return (_dispute(table.past.first.seq),)


def opened(table: Table, seat: Seat) -> int:
    """How many disputes the seat has opened that are over."""
    return sum([settled.by == seat for settled in table.record.settled])


def _in_dispute(table: Table, seat: Seat) -> tuple[Ask, ...]:
    """Voting, for who has not yet, and taking it back, for who opened it."""
    dispute: Dispute | None = table.record.dispute
    if dispute is None:
        return ()
    votes = (VOTE,) if seat in undecided(table.record, dispute) else ()
    return (*votes, WITHDRAW) if seat == dispute.by else votes


@lru_cache(maxsize=1024)
def _dispute(start: int) -> Ask:
    return Ask("dispute", {"from": EntryAfter(start), "reason": Text(TEXT_LIMIT)}, must=False)


def waiting(rules: Rules, table: Table) -> tuple[Seat, ...]:
    """The seats with a must-ask."""
    if table.status != "playing":
        return ()
    found = rules.asks(table.course.game, len(table.record.holders))
    return tuple([seat for seat, asked in enumerate(found) if asked and any([ask.must for ask in asked])])


def may_talk(seat: Seat, windows: Sequence[Window]) -> bool:
    """Talk is open except where an open window closes it."""
    return all(seat in window.talk for window in windows if window.open)


def talk(table: Table, seat: Seat, windows: Sequence[Window]) -> tuple[Ask, ...]:
    """Speaking to all and, if the house allows it, whispering to some."""
    return _talk(table, seat) if may_talk(seat, windows) else ()


def _talk(table: Table, seat: Seat) -> tuple[Ask, ...]:
    if not table.record.house.whispers:
        return (SAY,)
    return (SAY, _whisper(seat, len(table.record.holders)))


def deals(rules: Rules, table: Table, seat: Seat, windows: Sequence[Window]) -> tuple[Ask, ...]:
    """Offers, answers to them, gifts and promises, in a game that has chips and windows to bargain over."""
    if not (rules.moneyed and rules.bargained and has_room(table)):
        return ()
    found: list[Ask] = []
    chips, seats = purse(rules, table.course, seat), len(table.record.holders)
    known = table.course.deals
    own = [offer for offer in known.offers if offer.payer == seat]
    if chips > 0 and len(own) < OFFERS_EACH:
        found += _offers(seat, chips, windows)
    for offer in known.offers:
        if offer.payee == seat and not offer.due:
            found += _to_payee(offer)
    for offer in own:
        if not offer.due:
            found += _to_payer(offer, chips, windows)
    if may_talk(seat, windows):
        if chips > 0:
            found.append(_pay(seat, seats, chips))
        if sum([promise.by == seat for promise in known.promises]) < PROMISES_EACH:
            found += _promises(seat, windows, seats)
    return tuple(found)


def has_room(table: Table) -> bool:
    """Whether the course is short enough for more bargaining. What lies in escrow then stays there until its window is
    closed.
    """
    return table.past is None or table.past.height < COURSE_MOST


def _offers(seat: Seat, chips: int, windows: Sequence[Window]) -> list[Ask]:
    return [
        _offer(window.id, payee, chips)
        for window in windows
        if seat in window.offers
        for payee in window.deciders
        if payee != seat
    ]


def _to_payee(offer: Offer) -> list[Ask]:
    """What the payee may do about an offer that is not due yet."""
    decline = _quote("decline", offer.id, offer.version)
    return [decline] if offer.accepted else [_quote("accept", offer.id, offer.version), decline]


def _to_payer(offer: Offer, chips: int, windows: Sequence[Window]) -> list[Ask]:
    """What the payer may do about an offer that is not due yet; an accepted one binds him."""
    if offer.accepted:
        return []
    withdraw = _withdraw(offer.id)
    if any(window.id == offer.window and offer.payer in window.offers for window in windows):
        return [_amend(offer.id, offer.version, offer.window, chips + offer.amount), withdraw]
    return [withdraw]


def _promises(seat: Seat, windows: Sequence[Window], seats: int) -> list[Ask]:
    """Words alone, or a deed in a decision of a kind that is in sight; one's own decision says best what one could do."""
    kinds: dict[str, str] = {}
    for window in sorted(windows, key=lambda window: seat not in window.deciders):
        if window.deeds:
            kinds.setdefault(window.kind, window.id)
    deeds = [_promise(seat, seats, kind, kinds[kind]) for kind in sorted(kinds)]
    return [_promise(seat, seats, None, None), _promise_to_pay(seat, seats), *deeds]


def _others(seat: Seat, seats: int) -> tuple[Seat, ...]:
    return tuple(other for other in range(seats) if other != seat)


@lru_cache(maxsize=1024)
def _whisper(seat: Seat, seats: int) -> Ask:
    return Ask("whisper", {"to": SomeOf(_others(seat, seats), 1, seats - 1), "text": Text(TEXT_LIMIT)}, must=False)


@lru_cache(maxsize=8192)
def _offer(window: str, payee: Seat, chips: int) -> Ask:
    fields = {"payee": OneOf((payee,)), "window": OneOf((window,)), **_terms(window, chips)}
    return Ask("offer", fields, must=False)


@lru_cache(maxsize=8192)
def _amend(offer: int, version: int, window: str, chips: int) -> Ask:
    fields = {"offer": OneOf((offer,)), "version": OneOf((version,)), **_terms(window, chips)}
    return Ask("amend", fields, must=False)


def _terms(window: str, chips: int) -> dict[str, Domain]:
    return {
        "amount": Between(1, chips),
        "does": Match(window),
        "times": Between(1, TIMES_LIMIT),
        "never": Match(window, or_null=True),
    }


@lru_cache(maxsize=8192)
def _quote(kind: str, offer: int, version: int) -> Ask:
    return Ask(kind, {"offer": OneOf((offer,)), "version": OneOf((version,))}, must=False)


@lru_cache(maxsize=8192)
def _withdraw(offer: int) -> Ask:
    return Ask("withdraw", {"offer": OneOf((offer,))}, must=False)


@lru_cache(maxsize=8192)
def _pay(seat: Seat, seats: int, chips: int) -> Ask:
    return Ask("pay", {"to": OneOf(_others(seat, seats)), "amount": Between(1, chips)}, must=False)


@lru_cache(maxsize=8192)
def _promise(seat: Seat, seats: int, kind: str | None, window: str | None) -> Ask:
    does: Domain = OneOf((None,)) if window is None else Match(window)
    fields: dict[str, Domain] = {
        "to": OneOf(_others(seat, seats)),
        "text": Text(TEXT_LIMIT),
        "does": does,
        "kind": OneOf((kind,)),
    }
    return Ask("promise", fields, must=False)


@lru_cache(maxsize=1024)
def _promise_to_pay(seat: Seat, seats: int) -> Ask:
    """A gift, to be made before the trial or turn is over."""
    gift = Ask("pay", {"to": OneOf(_others(seat, seats)), "amount": Between(1, PROMISED_MOST)}, must=False)
    fields: dict[str, Domain] = {
        "to": OneOf(_others(seat, seats)),
        "text": Text(TEXT_LIMIT),
        "does": Deed(gift),
        "kind": OneOf((None,)),
    }
    return Ask("promise", fields, must=False)
