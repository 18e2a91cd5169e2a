"""The position as this seat knows it: the fields of the view that the bot looks at."""

from typing import Any, Literal

import msgspec

from comitium_client import Ask, Update

Pan = Literal["guilty", "innocent"]
Deed = dict[str, Any]
"""An action, or a part of one, as plain values."""

PANS: tuple[Pan, Pan] = ("guilty", "innocent")


class Pawn(msgspec.Struct, frozen=True):
    colour: str
    place: str


class Counter(msgspec.Struct, frozen=True):
    kind: str
    seat: int | None
    pan: Pan


class Purses(msgspec.Struct, frozen=True):
    seats: tuple[int, ...]
    escrow: tuple[int, ...]


class Options(msgspec.Struct, frozen=True):
    appeal: bool = False
    exile: bool = False


class Court(msgspec.Struct, frozen=True):
    """The state of the game. Cards and votes that are hidden from this seat are None."""

    options: Options
    phase: str
    turn: int
    hands: tuple[tuple[str | None, ...], ...]
    purses: Purses
    pawns: tuple[Pawn, ...]
    verdict_counters: tuple[int, ...]
    extra_counters: tuple[int, ...]
    votes: tuple[bool | None, ...]
    scales: tuple[Counter, ...]
    trial: int
    chair: int | None
    colour: str | None
    order: tuple[int, ...]
    begun: bool

    @property
    def seats(self) -> int:
        return len(self.hands)

    @property
    def balance(self) -> int:
        """Counters for innocent, less those for guilty."""
        return sum(1 if counter.pan == "innocent" else -1 for counter in self.scales)

    @property
    def pleading(self) -> tuple[int, ...]:
        """Who has yet to plead in this trial, the speaker first; all, as long as the order is open."""
        if self.phase == "plea":
            return self.order[self.order.index(self.turn) :]
        return tuple(range(self.seats)) if self.phase in ("colour", "vote", "direction", "appeal") else ()

    def at(self, *places: str) -> tuple[str, ...]:
        """The colours whose pawns stand there."""
        return tuple(pawn.colour for pawn in self.pawns if pawn.place in places)


class Offer(msgspec.Struct, frozen=True):
    id: int
    version: int
    payer: int
    payee: int
    window: str
    amount: int
    does: Deed
    times: int
    never: Deed | None
    accepted: bool
    done: int
    broken: bool

    @property
    def due(self) -> bool:
        """Its deed is done."""
        return self.done >= self.times


class Promise(msgspec.Struct, frozen=True):
    id: int
    by: int
    to: int
    does: Deed | None
    kind: str | None


class Window(msgspec.Struct, frozen=True):
    id: str
    kind: str
    deciders: tuple[int, ...]
    open: bool
    offers: tuple[int, ...]


class Scene(msgspec.Struct, frozen=True):
    """A position from one seat."""

    me: int
    court: Court
    windows: tuple[Window, ...]
    offers: tuple[Offer, ...]
    promises: tuple[Promise, ...]
    asks: tuple[Ask, ...]
    raw_windows: tuple[dict[str, Any], ...]

    @property
    def hand(self) -> tuple[str, ...]:
        return tuple(card for card in self.court.hands[self.me] if card is not None)

    @property
    def purse(self) -> int:
        return self.court.purses.seats[self.me]

    def allows(self, action: Deed) -> bool:
        """Whether one may do that now."""
        return any(ask.allows(action, self.raw_windows) for ask in self.asks)

    def window_of(self, seat: int, kind: str = "plea") -> Window | None:
        """The decision of that kind which the seat has, or will have."""
        return next((w for w in self.windows if w.kind == kind and seat in w.deciders), None)

    def offers_in(self, window: str) -> tuple[Offer, ...]:
        """The offers on that decision."""
        return tuple(offer for offer in self.offers if offer.window == window)


def read(now: Update) -> Scene | None:
    """The position, or None if it is none of a trial: another game, not begun, or no seat of one's own."""
    view = now.view
    if view["seat"] is None or view["game"] is None:
        return None
    try:
        return Scene(
            me=view["seat"],
            court=msgspec.convert(view["game"], Court),
            windows=msgspec.convert(view["windows"], tuple[Window, ...]),
            offers=msgspec.convert(view["offers"], tuple[Offer, ...]),
            promises=msgspec.convert(view["promises"], tuple[Promise, ...]),
            asks=now.asks,
            raw_windows=tuple(view["windows"]),
        )
    except msgspec.ValidationError:
        return None


def covers(partial: Deed, deed: Deed) -> bool:
    """Whether the deed is one of those that the partial action describes."""
    return all(name in deed and deed[name] == value for name, value in partial.items())
