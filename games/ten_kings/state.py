"""The table as it stands, and what each event changes in it."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar, assert_never

import msgspec
from msgspec.structs import replace

from games import core
from games.core import Seat
from games.ten_kings import events as happened
from games.ten_kings.events import Event, Judgement, Life, Opened
from games.ten_kings.pieces import DECK, Card, Options, Phase, Why

Hand = tuple[Card | None, ...]
"""Cards in the order of the deck; those that the reader does not know are None."""

T = TypeVar("T")

PLACE: dict[Any, int] = {card: place for place, card in enumerate(DECK)}


class State(msgspec.Struct, frozen=True):
    """The table as its reader knows it.

    secret: of each seat the cards that it has drawn, and nobody else has seen since
    open: of each seat the cards in its hand that everybody has seen
    turn: whose turn it is                        first: whose turn was the first of this life
    laid: the cards of the exchange, in their order    asked: who may answer it
    deck: cards that nobody has drawn in this life     heavens: of each seat so far
    karma: of each seat at the end of the last life    targets: of the last judgement, once it is there
    """

    options: Options
    phase: Phase
    life: int
    first: Seat
    turn: Seat
    secret: tuple[Hand, ...]
    open: tuple[tuple[Card, ...], ...]
    heavens: tuple[int, ...]
    deck: int = len(DECK)
    laid: tuple[Card, ...] = ()
    asked: Seat | None = None
    karma: tuple[int, ...] = ()
    targets: tuple[int, ...] = ()
    winners: tuple[Seat, ...] = ()
    why: Why | None = None

    @property
    def seats(self) -> int:
        return len(self.heavens)

    def hand(self, seat: Seat) -> Hand:
        """All that the seat holds."""
        return (*self.open[seat], *self.secret[seat])

    def left_of(self, seat: Seat) -> Seat:
        return (seat + 1) % self.seats

    @property
    def other(self) -> Seat:
        """Who takes part in the exchange and is not asked."""
        return self.left_of(self.turn) if self.asked == self.turn else self.turn

    def undrawn(self) -> tuple[Card, ...]:
        """The cards that nobody has drawn, for who knows all hands: a bag, out of which any may come next."""
        held = {*self.laid}.union(*self.secret, *self.open)
        return tuple([card for card in DECK if card not in held])


def known(hand: Hand) -> tuple[Card, ...]:
    """The cards of the hand that the reader knows, in the order of the deck."""
    return _sorted([card for card in hand if card is not None])


def evolve(state: State | None, event: Event) -> State:
    """The state after the event, as its reader knows it."""
    if isinstance(event, Opened):
        options = Options(lives=event.lives, six_cards=event.six_cards, dice=event.dice)
        seats = len(core.unknown(event.seats, core.MOST_SEATS))
        nothing = ((),) * seats
        return State(options, "pass", 0, 0, 0, nothing, nothing, (0,) * seats)
    if state is None:
        raise ValueError("a game begins with `opened`")
    return _live(state, event) if isinstance(event, Life) else _judge(state, event)


def _live(state: State, event: Life) -> State:
    match event:
        case happened.LifeBegun(life, first):
            nothing = ((),) * state.seats
            return replace(
                state, phase="pass", life=life, first=first, turn=first, secret=nothing, open=nothing, deck=len(DECK)
            )
        case happened.Dealt(seat, count, cards):
            gained: Sequence[Card | None] = core.unknown(count, len(DECK)) if cards is None else cards
            return replace(_drew(state, seat, gained), deck=state.deck - count)
        case happened.Drawn(seat, card):
            return replace(_drew(state, seat, (card,)), phase="pass", turn=seat, deck=state.deck - 1)
        case happened.Passed(seat, to, card) | happened.Retaliated(seat, to, card):
            return replace(_played(state, seat, card), phase="answer", laid=(*state.laid, card), asked=to)
        case happened.Taken(seat, cards):
            taken = _sorted((*state.open[seat], *cards))
            return replace(state, open=_put(state.open, seat, taken), laid=(), asked=None)
        case _:
            assert_never(event)


def _judge(state: State, event: Judgement) -> State:
    match event:
        case happened.HandShown(seat, cards):
            return replace(state, open=_put(state.open, seat, cards), secret=_put(state.secret, seat, ()))
        case happened.KarmaWeighed(seat, _, _, karma):
            before = state.karma if len(state.karma) == state.seats else (0,) * state.seats
            return replace(state, karma=_put(before, seat, karma))
        case happened.Judged(seat, _, heaven):
            return replace(state, heavens=_put(state.heavens, seat, state.heavens[seat] + heaven))
        case happened.LastJudged(seat, target):
            before = state.targets or (0,) * state.seats
            return replace(state, targets=_put(before, seat, target))
        case happened.GameEnded(why, winners):
            return replace(state, phase="ended", why=why, winners=winners)
        case _:
            return state


def _drew(state: State, seat: Seat, cards: Sequence[Card | None]) -> State:
    return replace(state, secret=_put(state.secret, seat, _sorted((*state.secret[seat], *cards))))


def _played(state: State, seat: Seat, card: Card) -> State:
    """The card has left the hand: one that all had seen there, or one of the others."""
    if card in state.open[seat]:
        return replace(state, open=_put(state.open, seat, _without(state.open[seat], card)))
    hand = state.secret[seat]
    return replace(state, secret=_put(state.secret, seat, _without(hand, card if card in hand else None)))


def _sorted(cards: Iterable[T]) -> tuple[T, ...]:
    return tuple(sorted(cards, key=lambda card: PLACE.get(card, len(DECK))))


def _without(cards: tuple[T, ...], card: T) -> tuple[T, ...]:
    gone = cards.index(card)
    return (*cards[:gone], *cards[gone + 1 :])


def _put(values: tuple[T, ...], seat: Seat, new: T) -> tuple[T, ...]:
    return (*values[:seat], new, *values[seat + 1 :])
