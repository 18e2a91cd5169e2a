"""The events of bargaining and their fold: one ledger and one trail for every game.

The table layer emits these for open bargaining (talk, offers, gifts); games whose rules contain a petition emit the
same events. Chips in an offer lie in escrow from `offered` to `offer_ended`, so that purses, prices and asks never
count them; `paid` is the only event of bargaining that moves chips from one seat to another.

A *settlement* is something else: two sides share chips that belong to neither of them yet, and lie in the pot. It is part
of a game's rules and of its state, so its events (`Settlement`) are no events of the table: a game that knows settlements has
them among its own, folds them itself, and has texts for them. They are made here so that every trail can read them.
"""

from collections.abc import Callable
from typing import Literal

import msgspec

from games import core
from games.core import Partial, Purses, Seat

How = Literal["paid", "lapsed", "withdrawn", "declined", "void"]


class Offered(core.Event, frozen=True):
    """Chips put aside for a deed: `does`, `times` times, in the window, and `never` not at all. Ids are seqs."""

    offer: int
    payer: Seat
    payee: Seat
    window: str
    amount: int
    does: Partial
    times: int
    never: Partial | None


class Amended(core.Event, frozen=True):
    """New terms, version by version; only deeds after it count. `was` is the amount in escrow before."""

    offer: int
    version: int
    payer: Seat
    payee: Seat
    was: int
    amount: int
    does: Partial
    times: int
    never: Partial | None


class Accepted(core.Event, frozen=True):
    """The payee accepted this version. It binds the payer alone: no amendment, no withdrawal any more."""

    offer: int
    version: int


class OfferEnded(core.Event, frozen=True):
    """The offer is over and its chips leave escrow for the payer's purse (when paid, `paid` follows at once)."""

    offer: int
    how: How
    payer: Seat
    payee: Seat
    amount: int


class Paid(core.Event, frozen=True):
    """Chips went from purse to purse: for an offer, or as a gift (`offer` None). `window`: where it was earned."""

    payer: Seat
    payee: Seat
    amount: int
    offer: int | None
    window: str | None


class Promised(core.Event, frozen=True):
    """A word that binds nobody. With `does`, it falls due in the promiser's next window of that kind."""

    promise: int
    by: Seat
    to: Seat
    text: str
    does: Partial | None
    kind: str | None


class Did(core.Event, frozen=True):
    """A decider's public action in a window over which one may bargain: what offers and promises are measured by."""

    window: str
    kind: str
    seat: Seat
    deed: Partial


Event = Offered | Amended | Accepted | OfferEnded | Paid | Promised | Did
TYPES: tuple[type[core.Event], ...] = (Offered, Amended, Accepted, OfferEnded, Paid, Promised, Did)


# --- Settlements: a game's own events, not the table's ------------------------------------------------


class SplitProposed(core.Event, frozen=True):
    """Of the pot `by` would keep so many chips and leave so many to `to`, and there would be nothing left to fight for.

    Nothing moves, and nobody is bound until it is accepted. A later version of the same proposal replaces the earlier one.
    `window`: the decision of `to` that answers it, by an action `answer` with a field `accept`.
    """

    proposal: int
    version: int
    by: Seat
    to: Seat
    window: str
    keeps: int
    leaves: int


class SplitAnswered(core.Event, frozen=True):
    """`seat` takes the last version, or does not. Either way the proposal is over."""

    proposal: int
    version: int
    seat: Seat
    accept: bool


class SplitPaid(core.Event, frozen=True):
    """The pot is shared as proposed."""

    proposal: int
    by: Seat
    to: Seat
    window: str
    keeps: int
    leaves: int


Settlement = SplitProposed | SplitAnswered | SplitPaid
SETTLEMENTS: tuple[type[core.Event], ...] = (SplitProposed, SplitAnswered, SplitPaid)
ACCEPTING: Partial = {"type": "answer", "accept": True}
"""The deed that a proposal is made for."""


class Offer(msgspec.Struct, frozen=True):
    """An offer that has not ended. `done`, `broken`: what the payee did since this version was made."""

    id: int
    version: int
    payer: Seat
    payee: Seat
    window: str
    amount: int
    does: Partial
    times: int
    never: Partial | None
    accepted: bool = False
    done: int = 0
    broken: bool = False

    @property
    def due(self) -> bool:
        """The deed is done: no amendment, withdrawal or refusal any more."""
        return self.done >= self.times


class Promise(msgspec.Struct, frozen=True):
    """A promise as it was made."""

    id: int
    by: Seat
    to: Seat
    text: str
    does: Partial | None
    kind: str | None


class Deals(msgspec.Struct, frozen=True):
    """What is on the table between the seats: the offers that have not ended, in order of id, and the promises."""

    offers: tuple[Offer, ...] = ()
    promises: tuple[Promise, ...] = ()


def evolve(deals: Deals, event: Event) -> Deals:
    """The deals after the event."""
    match event:
        case Offered():
            made = Offer(
                event.offer,
                1,
                event.payer,
                event.payee,
                event.window,
                event.amount,
                event.does,
                event.times,
                event.never,
            )
            return Deals((*deals.offers, made), deals.promises)
        case Amended():
            return _change(deals, event.offer, lambda offer: _amend(offer, event))
        case Accepted():
            return _change(deals, event.offer, lambda offer: msgspec.structs.replace(offer, accepted=True))
        case OfferEnded():
            return Deals(tuple(o for o in deals.offers if o.id != event.offer), deals.promises)
        case Promised():
            made_promise = Promise(event.promise, event.by, event.to, event.text, event.does, event.kind)
            return Deals(deals.offers, (*deals.promises, made_promise))
        case Did():
            return Deals(tuple(_witness(offer, event) for offer in deals.offers), deals.promises)
        case Paid():
            return deals


def move_chips(purses: Purses, event: Event) -> Purses:
    """The purses after the event; a hidden purse stays hidden. For the `evolve` of every game with chips."""
    match event:
        case Offered():
            return _escrow(purses, event.payer, event.amount)
        case Amended():
            return _escrow(purses, event.payer, event.amount - event.was)
        case OfferEnded():
            return _escrow(purses, event.payer, -event.amount)
        case Paid():
            seats = add(add(purses.seats, event.payer, -event.amount), event.payee, event.amount)
            return msgspec.structs.replace(purses, seats=seats)
        case _:
            return purses


def share(purses: Purses, event: SplitPaid) -> Purses:
    """The purses after the pot is shared. For the `evolve` of games with settlements."""
    seats = add(add(purses.seats, event.by, event.keeps), event.to, event.leaves)
    return msgspec.structs.replace(purses, seats=seats, pot=purses.pot - event.keeps - event.leaves)


def closing(offer: Offer) -> list[Event]:
    """What becomes of an offer in the entry that closes its window."""
    if offer.due and not offer.broken:
        paid = Paid(offer.payer, offer.payee, offer.amount, offer.id, offer.window)
        return [ended(offer, "paid"), paid]
    return [ended(offer, "lapsed")]


def ended(offer: Offer, how: How) -> OfferEnded:
    """The event that ends this offer."""
    return OfferEnded(offer.id, how, offer.payer, offer.payee, offer.amount)


def ordered(partial: Partial) -> Partial:
    """The action as it stands on record, its lists in one order: a list is a set or a bag, whoever writes it down."""
    return {
        name: sorted(value, key=str) if isinstance(value, list | tuple) else value for name, value in partial.items()
    }


def add(purses: tuple[int | None, ...], seat: Seat, chips: int) -> tuple[int | None, ...]:
    """The purses with `chips` more (or fewer) at the seat."""
    return tuple(held + chips if place == seat and held is not None else held for place, held in enumerate(purses))


def _escrow(purses: Purses, seat: Seat, chips: int) -> Purses:
    escrow = tuple(held + chips if place == seat else held for place, held in enumerate(purses.escrow))
    return msgspec.structs.replace(purses, seats=add(purses.seats, seat, -chips), escrow=escrow)


def _change(deals: Deals, offer: int, change: Callable[[Offer], Offer]) -> Deals:
    return Deals(tuple(change(o) if o.id == offer else o for o in deals.offers), deals.promises)


def _amend(offer: Offer, event: Amended) -> Offer:
    return Offer(
        offer.id,
        event.version,
        offer.payer,
        offer.payee,
        offer.window,
        event.amount,
        event.does,
        event.times,
        event.never,
    )


def _witness(offer: Offer, event: Did) -> Offer:
    if offer.window != event.window or offer.payee != event.seat:
        return offer
    done = offer.done + core.covers(offer.does, event.deed)
    broken = offer.broken or (offer.never is not None and core.covers(offer.never, event.deed))
    return msgspec.structs.replace(offer, done=done, broken=broken)
