"""Harbour (2-4 seats): a game made for tests, small, with all that a table has to cope with.

Two rounds. In secret, and without a word, everybody lays one of his three cards; then they are shown. The highest card
is the warden, the lowest his deputy. The warden admits three ships, one by one, each to the north or south pier; or he
shuts the harbour before the first, and then the deputy, who was announced, has nothing to do. The deputy takes two
steps: he unloads goods in the open, for which a die says what toll goes to the pot, or hides one kind of goods. At
the end everybody gets from the bank what his last card says, and the last warden the pot.

With `strict` nobody may offer any more once the warden has begun, and until he is done only he may speak; with
`hidden` purses are shown at the end only.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import msgspec
from msgspec.structs import replace

from games import bargaining, core
from games.chance import Source
from games.core import Ask, Audience, OneOf, Outcome, Purses, Seat, SomeOf, Window

name = "harbour"
version = 1
seats = range(2, 5)

CHIPS = 50
CARDS = tuple(range(1, 13))
HAND = 3
ROUNDS = 2
SHIPS = 3
LOADS = 2

Pier = Literal["north", "south"]
Goods = Literal["figs", "oil", "wine"]
GOODS: tuple[Goods, ...] = ("figs", "oil", "wine")


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    strict: bool = False
    hidden: bool = False


# --- Events -------------------------------------------------------------------------------------------


class HarbourOpened(core.Event, frozen=True):
    seats: int
    strict: bool
    hidden: bool


class Endowed(core.Event, frozen=True):
    seat: Seat
    public: bool
    chips: int | None


class Dealt(core.Event, frozen=True):
    seat: Seat
    count: int
    cards: tuple[int, ...] | None


class Laid(core.Event, frozen=True):
    seat: Seat
    card: int | None


class Shown(core.Event, frozen=True):
    """The cards laid, by seat; who is warden and who is deputy now."""

    cards: tuple[int, ...]
    warden: Seat
    deputy: Seat


class Admitted(core.Event, frozen=True):
    seat: Seat
    pier: Pier


class HarbourShut(core.Event, frozen=True):
    seat: Seat


class DeputyCalled(core.Event, frozen=True):
    seat: Seat


class Unloaded(core.Event, frozen=True):
    seat: Seat
    goods: tuple[Goods, ...]
    toll: int


class Hid(core.Event, frozen=True):
    seat: Seat
    goods: Goods | None


class RoundOpened(core.Event, frozen=True):
    round: int


class HandShown(core.Event, frozen=True):
    seat: Seat
    cards: tuple[int, ...]


class PurseShown(core.Event, frozen=True):
    seat: Seat
    chips: int


class Settled(core.Event, frozen=True):
    seat: Seat
    card: int
    pot: int


class Closed(core.Event, frozen=True):
    why: Literal["unloaded", "shut"]


Event = (
    HarbourOpened | Endowed | Dealt | Laid | Shown | Admitted | HarbourShut | DeputyCalled | Unloaded | Hid | RoundOpened
    | HandShown | PurseShown | Settled | Closed | bargaining.Event
)  # fmt: skip


# --- Actions ------------------------------------------------------------------------------------------


class Lay(core.Action, frozen=True):
    sealed: ClassVar[bool] = True
    card: int


class Admit(core.Action, frozen=True):
    pier: Pier


class Shut(core.Action, frozen=True):
    """Instead of admitting any ship."""


class Unload(core.Action, frozen=True):
    goods: tuple[Goods, ...]


class Hide(core.Action, frozen=True):
    sealed: ClassVar[bool] = True
    goods: Goods


Action = Lay | Admit | Shut | Unload | Hide


# --- State --------------------------------------------------------------------------------------------


class State(msgspec.Struct, frozen=True):
    """`aside`: cards in nobody's hand. `hold`: what the deputies brought ashore, None where it is hidden."""

    strict: bool
    hidden: bool
    phase: Literal["lay", "warden", "deputy", "closed"]
    round: int
    aside: int
    hands: tuple[tuple[int | None, ...], ...]
    laid: tuple[bool, ...]
    down: tuple[int | None, ...]
    purses: Purses
    warden: Seat | None = None
    deputy: Seat | None = None
    steps: int = 0
    piers: tuple[Pier, ...] = ()
    hold: tuple[Goods | None, ...] = ()
    why: str | None = None


def evolve(state: State | None, event: Event) -> State:
    if isinstance(event, HarbourOpened):
        count, empty = event.seats, Purses((0,) * event.seats, (0,) * event.seats, bank=CHIPS * event.seats)
        nothing = ((),) * count
        return State(
            event.strict, event.hidden, "lay", 1, len(CARDS), nothing, (False,) * count, (None,) * count, empty,
        )  # fmt: skip
    assert state is not None
    if isinstance(event, bargaining.TYPES):
        return replace(state, purses=bargaining.move_chips(state.purses, event))
    if isinstance(event, Endowed | Dealt | HandShown | PurseShown | Settled | Closed):
        return _around(state, event)
    return _play(state, event)


def _play(state: State, event: Event) -> State:
    match event:
        case Laid(seat, card):
            hand = _without(state.hands[seat], card)
            hands, laid, down = (
                _set(state.hands, seat, hand),
                _set(state.laid, seat, True),
                _set(state.down, seat, card),
            )
            return replace(state, hands=hands, laid=laid, down=down)
        case Shown(cards, warden, deputy):
            return replace(state, down=cards, phase="warden", warden=warden, deputy=deputy, steps=0)
        case Admitted(_, pier):
            return replace(state, piers=(*state.piers, pier), steps=state.steps + 1)
        case DeputyCalled():
            return replace(state, phase="deputy", steps=0)
        case Unloaded(_, goods, toll):
            purses = replace(state.purses, pot=state.purses.pot + toll, bank=state.purses.bank - toll)
            return replace(state, hold=(*state.hold, *goods), steps=state.steps + 1, purses=purses)
        case Hid(_, hidden):
            return replace(state, hold=(*state.hold, hidden), steps=state.steps + 1)
        case RoundOpened(number):
            count = len(state.hands)
            aside, laid, down = state.aside + count, (False,) * count, (None,) * count
            return replace(state, phase="lay", round=number, aside=aside, laid=laid, down=down)
        case _:
            return state


def _around(state: State, event: Endowed | Dealt | HandShown | PurseShown | Settled | Closed) -> State:
    purses = state.purses
    match event:
        case Endowed(seat, _, chips):
            # What the bank gives is known, whoever may look into the purse.
            held = replace(purses, seats=_set(purses.seats, seat, chips), bank=purses.bank - CHIPS)
            return replace(state, purses=held)
        case Dealt(seat, count, cards):
            hand = (None,) * count if cards is None else cards
            return replace(state, hands=_set(state.hands, seat, hand), aside=state.aside - count)
        case HandShown(seat, cards):
            return replace(state, hands=_set(state.hands, seat, cards))
        case PurseShown(seat, chips):
            return replace(state, purses=replace(purses, seats=_set(purses.seats, seat, chips)))
        case Settled(seat, card, pot):
            seats_ = bargaining.add(purses.seats, seat, card + pot)
            return replace(state, purses=replace(purses, seats=seats_, pot=purses.pot - pot, bank=purses.bank - card))
        case Closed(why):
            return replace(state, phase="closed", why=why)


def _set(items: tuple, place: int, item: object) -> tuple:
    return (*items[:place], item, *items[place + 1 :])


def _without(hand: tuple[int | None, ...], card: int | None) -> tuple[int | None, ...]:
    """When an unknown card leaves a known hand, the rest is unknown."""
    return (None,) * (len(hand) - 1) if card is None else tuple(held for held in hand if held != card)


# --- Rules --------------------------------------------------------------------------------------------


def open(options: Options, seats: int, chance: Source) -> list[Event]:  # noqa: A001  (the word of the Game protocol)
    cards = chance.sample(CARDS, HAND * seats)
    return [
        HarbourOpened(seats, options.strict, options.hidden),
        *(Endowed(seat, not options.hidden, CHIPS) for seat in range(seats)),
        *(Dealt(seat, HAND, cards[HAND * seat : HAND * (seat + 1)]) for seat in range(seats)),
    ]


def decide(state: State, seat: Seat, action: Action, chance: Source) -> list[Event]:
    match action:
        case Lay(card):
            return _lay(state, seat, card)
        case Admit(pier):
            last = state.steps + 1 == SHIPS
            return [Admitted(seat, pier), *([DeputyCalled(state.deputy or 0)] if last else [])]
        case Shut():
            return [HarbourShut(seat), *_end_round(state, "shut")]
        case Unload(goods):
            done: Event = Unloaded(seat, goods, chance.roll(6))
        case Hide(hidden):
            done = Hid(seat, hidden)
    after = evolve(state, done)
    return [done, *(_end_round(after, "unloaded") if after.steps == LOADS else [])]


def _lay(state: State, seat: Seat, card: int) -> list[Event]:
    after = evolve(state, Laid(seat, card))
    if not all(after.laid):
        return [Laid(seat, card)]
    cards = tuple(card for card in after.down if card is not None)
    return [Laid(seat, card), Shown(cards, cards.index(max(cards)), cards.index(min(cards)))]


def _end_round(state: State, why: Literal["unloaded", "shut"]) -> list[Event]:
    if state.round < ROUNDS:
        return [RoundOpened(state.round + 1)]
    events: list[Event] = []
    for seat, (hand, chips) in enumerate(zip(state.hands, state.purses.seats, strict=True)):
        known = tuple(card for card in hand if card is not None)
        pot = state.purses.pot if seat == state.warden else 0
        events += [HandShown(seat, known), PurseShown(seat, chips or 0), Settled(seat, sum(known), pot)]
    return [*events, Closed(why)]


def redact(event: Event, seat: Audience) -> Event:
    match event:
        case Endowed(owner, public):
            return event if public or seat == owner or event.chips is None else replace(event, chips=None)
        case Dealt(owner):
            return event if seat == owner or event.cards is None else replace(event, cards=None)
        case Laid(owner):
            return event if seat == owner or event.card is None else replace(event, card=None)
        case Hid(owner):
            return event if seat == owner or event.goods is None else replace(event, goods=None)
        case _:
            return event


def discloses(event: Event) -> frozenset[Audience]:
    match event:
        case Dealt(seat) | Endowed(seat, False):
            return frozenset({seat})
        case Shown() | Unloaded() | HandShown() | PurseShown():
            return frozenset({None})
        case _:
            return frozenset()


# --- Who may do what ----------------------------------------------------------------------------------

PIERS = Ask("admit", {"pier": OneOf(("north", "south"))})
SHUT = Ask("shut")
UNLOAD = Ask("unload", {"goods": SomeOf(GOODS, 1, 2)})
HIDE = Ask("hide", {"goods": OneOf(GOODS)})


def asks(state: State, seat: Seat) -> Sequence[Ask]:
    if state.phase == "lay":
        return () if state.laid[seat] else (Ask("lay", {"card": OneOf(state.hands[seat])}),)
    if state.phase == "warden" and seat == state.warden:
        return _warden(state)
    return (UNLOAD, HIDE) if state.phase == "deputy" and seat == state.deputy else ()


def _warden(state: State) -> tuple[Ask, ...]:
    return (PIERS,) if state.steps else (PIERS, SHUT)


def turn(state: State) -> str:
    return f"round:{state.round}"


def windows(state: State) -> Sequence[Window]:
    everybody = tuple(range(len(state.hands)))
    if state.phase in ("lay", "closed"):
        silent = Window(f"lay:{state.round}", "lay", everybody, open=True, talk=(), offers=(), deeds=())
        return (silent,) if state.phase == "lay" else ()
    found = []
    if state.phase == "warden" and state.warden is not None:
        begun = state.strict and state.steps > 0
        talk, offers = ((state.warden,), ()) if begun else (everybody, _others(everybody, state.warden))
        found.append(Window(f"admit:{state.round}", "admit", (state.warden,), True, talk, offers, _warden(state)))
    if state.deputy is not None:
        called, offers = state.phase == "deputy", _others(everybody, state.deputy)
        found.append(Window(f"unload:{state.round}", "unload", (state.deputy,), called, everybody, offers, (UNLOAD,)))
    return found


def _others(everybody: tuple[Seat, ...], seat: Seat) -> tuple[Seat, ...]:
    return tuple(other for other in everybody if other != seat)


def purses(state: State) -> Purses:
    return state.purses


def outcome(state: State) -> Outcome | None:
    if state.why is None:
        return None
    scores = tuple(chips or 0 for chips in state.purses.seats)
    return Outcome(tuple(seat for seat, score in enumerate(scores) if score == max(scores)), scores, state.why)


def bound(options: Options, seats: int) -> int:
    return ROUNDS * (seats + SHIPS + LOADS)
