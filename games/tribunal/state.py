"""The court as it stands, and what each event changes in it."""

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import msgspec
from msgspec.structs import replace

from games import bargaining, core
from games.core import Purses, Seat
from games.tribunal import events as happened
from games.tribunal.events import Closing, Event, Opened, Opening, Plea, Setup, Verdict
from games.tribunal.pieces import (
    CARDS,
    PURSE,
    Card,
    Colour,
    Counter,
    CounterKind,
    Direction,
    Finding,
    Options,
    Pawn,
    Phase,
    Place,
    Why,
    deck,
)

T = TypeVar("T")

Hand = tuple[Card | None, ...]
"""A card that the reader does not know is None."""


class State(msgspec.Struct, frozen=True):
    """All that lies on the table. The spare counter is at the Iustitia place unless a counter of no seat is on the scales.

    phase, turn: what is being decided, and by whom (while all vote: the chair)
    aside: cards face down in nobody's hand          passes: how many seats have passed their cards on
    scales: the counters on both pans, in the order placed
    voted: whose fist is out                         votes: what was in it (guilty: true), None while hidden
    order: who pleads when, the chair last           begun: a verdict counter has left the speaker's hand in this plea
    earlier: in the trial on appeal, the verdict that stands if the pans balance
    """

    options: Options
    phase: Phase
    turn: Seat
    hands: tuple[Hand, ...]
    aside: int
    purses: Purses
    pawns: tuple[Pawn, ...]
    verdict_counters: tuple[int, ...]
    extra_counters: tuple[int, ...]
    voted: tuple[bool, ...]
    votes: tuple[bool | None, ...]
    scales: tuple[Counter, ...] = ()
    passes: int = 0
    trial: int = 0
    chair: Seat | None = None
    colour: Colour | None = None
    direction: Direction | None = None
    order: tuple[Seat, ...] = ()
    begun: bool = False
    earlier: Finding | None = None
    why: Why | None = None

    @property
    def seats(self) -> int:
        return len(self.hands)

    @property
    def later(self) -> tuple[Seat, ...]:
        """Who pleads after the speaker."""
        return self.order[self.order.index(self.turn) + 1 :]

    def left_of(self, seat: Seat) -> Seat:
        return (seat + 1) % self.seats

    def weight(self, pan: Finding) -> int:
        """Counters on the pan; of whatever kind, each counts one."""
        return sum(counter.pan == pan for counter in self.scales)

    def at(self, *places: Place) -> tuple[Colour, ...]:
        """The colours whose pawns stand there."""
        return tuple(pawn.colour for pawn in self.pawns if pawn.place in places)

    def place_of(self, colour: str) -> Place:
        return next(pawn.place for pawn in self.pawns if pawn.colour == colour)


def evolve(state: State | None, event: Event) -> State:
    """The court after the event."""
    if isinstance(event, Opened):
        return _opened(event)
    if state is None:
        raise TypeError("the first event of a game of Tribunal is `opened`")
    part = PARTS.get(type(event), _bargaining)
    return part(state, event)


def _bargaining(state: State, event: bargaining.Event) -> State:
    purses = bargaining.move_chips(state.purses, event)
    return state if purses is state.purses else replace(state, purses=purses)


def _opened(event: Opened) -> State:
    seats = len(core.unknown(event.seats, core.MOST_SEATS))
    return State(
        options=Options(event.appeal, event.exile),
        phase="passing",
        turn=0,
        hands=((),) * seats,
        aside=len(deck(event.colours)),
        purses=Purses((PURSE,) * seats, (0,) * seats),
        pawns=tuple(Pawn(colour, "iustitia") for colour in event.colours),
        verdict_counters=(1,) * seats,
        extra_counters=(1,) * seats,
        voted=(False,) * seats,
        votes=(None,) * seats,
    )


def _setup(state: State, event: Setup) -> State:
    match event:
        case happened.Dealt(seat, count, cards):
            hands = _taken_up(state.hands, seat, count, cards)
            return replace(state, hands=hands, aside=state.aside - count)
        case happened.PasserDrawn(seat):
            return replace(state, turn=seat)
        case happened.Passed(seat, _, count, cards):
            return replace(state, hands=_laid_off(state.hands, seat, count, cards), passes=state.passes + 1)
        case happened.Received(seat, _, count, cards):
            return replace(state, hands=_taken_up(state.hands, seat, count, cards), turn=seat)
        case happened.SetAside(seat, count, cards):
            hands = _laid_off(state.hands, seat, count, cards)
            return replace(state, hands=hands, passes=state.passes + 1, aside=state.aside + count)
        case happened.ChairDrawn(seat):
            return replace(state, chair=seat)


def _opening(state: State, event: Opening) -> State:
    match event:
        case happened.TrialOpened(trial, chair):
            blank = {"colour": None, "direction": None, "order": (), "votes": (None,) * state.seats}
            fists = (False,) * state.seats
            return replace(state, phase="colour", turn=chair, trial=trial, chair=chair, voted=fists, **blank)
        case happened.ColourChosen(_, colour):
            return replace(_moved(state, colour, "scales"), phase="vote", colour=colour)
        case happened.VoteCast(seat, guilty):
            return replace(state, voted=_set(state.voted, seat, True), votes=_set(state.votes, seat, guilty))
        case happened.VotesShown(guilty, _):
            return replace(state, phase="direction", votes=tuple(seat in guilty for seat in range(state.seats)))
        case happened.SparePlaced(pan):
            return replace(state, scales=(*state.scales, Counter("verdict", None, pan)))


def _plea(state: State, event: Plea) -> State:
    match event:
        case happened.DirectionChosen(_, direction, order):
            return replace(state, direction=direction, order=order)
        case happened.SpeakerCalled(seat):
            return replace(state, phase="plea", turn=seat, begun=False)
        case happened.CounterPlaced(seat, kind, pan):
            scales = (*state.scales, Counter(kind, seat, pan))
            return replace(_counted(state, kind, seat, -1), scales=scales, begun=state.begun or kind == "verdict")
        case happened.CounterGiven(seat, to, kind):
            moved = _counted(_counted(state, kind, seat, -1), kind, to, +1)
            return replace(moved, begun=state.begun or kind == "verdict")


def _verdict(state: State, event: Verdict) -> State:
    match event:
        case happened.VerdictReached(colour, verdict):
            return _moved(state, colour, verdict)
        case happened.Undecided(colour, place):
            return _moved(state, colour, place)
        case happened.ExileOpened(seat):
            return replace(state, phase="exile", turn=seat)
        case happened.Exiled(_, colour):
            return _moved(state, colour, "exiled")
        case happened.ExileForgone():
            return state
        case happened.TrialClosed():
            return replace(state, scales=(), verdict_counters=(1,) * state.seats)


def _closing(state: State, event: Closing) -> State:
    match event:
        case happened.AppealAsked(seat):
            return replace(state, phase="appeal", turn=seat)
        case happened.Appealed(seat, _, verdict, cost):
            return replace(state, purses=_from_bank(state.purses, seat, -cost), earlier=verdict)
        case happened.AppealForgone():
            return state
        case happened.CourtRose(why):
            return replace(state, phase="ended", why=why)
        case happened.HandShown(seat, cards):
            return replace(state, hands=_set(state.hands, seat, cards))
        case happened.Settled(seat, gain):
            return replace(state, purses=_from_bank(state.purses, seat, gain))


PARTS: dict[type[core.Event], Callable[[State, Any], State]] = {
    kind: part
    for kinds, part in (
        (Setup, _setup), (Opening, _opening), (Plea, _plea), (Verdict, _verdict), (Closing, _closing),
    )
    for kind in get_args(kinds)
}  # fmt: skip
"""The part of the fold that each event of the game belongs to."""


def _set(items: tuple[T, ...], seat: Seat, item: T) -> tuple[T, ...]:
    return (*items[:seat], item, *items[seat + 1 :])


def _taken_up(hands: tuple[Hand, ...], seat: Seat, count: int, cards: Hand | None) -> tuple[Hand, ...]:
    return _set(hands, seat, hands[seat] + (core.unknown(count, len(CARDS)) if cards is None else cards))


def _laid_off(hands: tuple[Hand, ...], seat: Seat, count: int, cards: Hand | None) -> tuple[Hand, ...]:
    """When unknown cards leave, nobody can tell which of the known ones are still there."""
    held = hands[seat]
    if cards is None:
        return _set(hands, seat, core.unknown(len(held) - count, len(held)))
    return _set(hands, seat, tuple(card for card in held if card not in cards))


def _moved(state: State, colour: str, place: Place) -> State:
    pawns = tuple(Pawn(p.colour, place) if p.colour == colour else p for p in state.pawns)
    return replace(state, pawns=pawns)


def _counted(state: State, kind: CounterKind, seat: Seat, by: int) -> State:
    """`by` more counters of that kind in the seat's hand."""
    if kind == "verdict":
        held = state.verdict_counters
        return replace(state, verdict_counters=_set(held, seat, held[seat] + by))
    held = state.extra_counters
    return replace(state, extra_counters=_set(held, seat, held[seat] + by))


def _from_bank(purses: Purses, seat: Seat, chips: int) -> Purses:
    return replace(purses, seats=bargaining.add(purses.seats, seat, chips), bank=purses.bank - chips)
