"""What each event changes on the table."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, get_args

from msgspec.structs import replace

from games import bargaining, core
from games.core import Purses, Seat
from games.witch_trial import events as happened
from games.witch_trial.book import shared
from games.witch_trial.events import Cards, Closing, Effects, Event, Hands, Money, Opened, Opening, Piles, Turns
from games.witch_trial.hands import buried, gained, lost, unknown_lost
from games.witch_trial.pieces import PURSE, Bar, Case, Choice, Proposal, Trial, Weight
from games.witch_trial.state import State

T = TypeVar("T")


def evolve(state: State | None, event: Event) -> State:
    """The table after the event."""
    if isinstance(event, Opened):
        return _opened(event)
    if state is None:
        raise TypeError("the first event of a Witch Trial is `opened`")
    part = PARTS.get(type(event), _bargaining)
    return part(state, event)


def _bargaining(state: State, event: bargaining.Event) -> State:
    purses = bargaining.move_chips(state.purses, event)
    return state if purses is state.purses else replace(state, purses=purses)


def _opened(event: Opened) -> State:
    seats = len(core.unknown(event.seats, core.MOST_SEATS))
    return State(
        deck=shared(event.deck),
        phase="turn",
        active=0,
        turn=0,
        hands=((),) * seats,
        known=((),) * seats,
        undrawn=sum(card.copies for card in event.deck.cards),
        cases=(None,) * seats,
        purses=Purses((PURSE,) * seats, (0,) * seats),
        reshuffles=int(event.reshuffle),
    )


# --- Cards and turns ----------------------------------------------------------------------------------


def _piles(state: State, event: Piles) -> State:
    match event:
        case happened.Dealt(seat, count, cards) | happened.Drew(seat, count, cards):
            return replace(gained(state, seat, count, cards), undrawn=state.undrawn - count)
        case happened.TurnedUp(cards):
            return replace(state, lineup=(*state.lineup, *cards), undrawn=state.undrawn - len(cards))
        case happened.FirstDrawn(seat):
            return replace(state, active=seat)
        case happened.Reshuffled(count):
            return replace(state, undrawn=state.undrawn + count, discards=(), reshuffles=state.reshuffles - 1)


def _turns(state: State, event: Turns) -> State:
    match event:
        case happened.TurnBegan(turn, seat):
            return replace(state, phase="turn", turn=turn, active=seat)
        case happened.Bought(seat, card, place, price):
            paid = _moved(state.purses, seat, -price, pot=price)
            return replace(gained(state, seat, 1, (card,), is_open=True), **_slid(state, place), purses=paid)
        case happened.Picked(seat, card, place):
            return _chosen(replace(gained(state, seat, 1, (card,), is_open=True), **_slid(state, place)), 1)
        case happened.CaseBuilt(seat, suspect, charge):
            without = lost(state, seat, (suspect, charge))
            return replace(without, cases=_set(state.cases, seat, Case(suspect, charge)), passes=0)
        case happened.TurnPassed(_, over):
            return replace(state, passes=state.passes + 1 if over else 0)
        case happened.CourtRolled() | happened.Appointed():
            return state


def _slid(state: State, place: int) -> dict[str, Any]:
    """The lineup without the card at that place: what lay beyond slides to the cheap end."""
    return {"lineup": (*state.lineup[:place], *state.lineup[place + 1 :])}


# --- A trial ------------------------------------------------------------------------------------------


def _opening(state: State, event: Opening) -> State:
    match event:
        case happened.TrialOpened(number, prosecutor, defender, suspect, charge):
            trial = Trial(number, prosecutor, defender, suspect, charge)
            cases = _set(state.cases, prosecutor, None)
            return replace(state, phase="trial", trial=trial, trials=number, cases=cases)
        case happened.DefensePaid(seat, amount):
            return replace(state, purses=_moved(state.purses, seat, amount, bank=-amount))
        case happened.CourtPaid(amount):
            return replace(state, purses=_moved(state.purses, None, 0, pot=amount, bank=-amount))
        case happened.JurySet(jury):
            return _court(state, jury=jury)
        case happened.StageBegan(stage):
            return _court(state, stage=stage, step="cards")


def _cards(state: State, event: Cards) -> State:
    trial = state.court
    match event:
        case happened.Played(seat, card, kind):
            pending = {"motion": card, "step": "objection"} if kind == "motion" else {}
            return _court(lost(state, seat, (card,)), laid=(*trial.laid, card), **pending)
        case happened.WitnessRolled():
            return state
        case happened.Heard(seat, kind, moved, jury):
            return _court(state, weights=(*trial.weights, Weight(seat, kind, moved)), jury=jury)
        case happened.ChargeReplaced(_, old, new, jury):
            return _court(state, charge=new, laid=(*_without(trial.laid, new), old), jury=jury)
        case happened.Objected(seat, to, card):
            passed_on = gained(lost(state, seat, (card,)), to, 1, (card,), is_open=True)
            return _court(passed_on, motion=None, step="cards")
        case happened.MotionCarried():
            return _court(state, motion=None, step="cards")


def _effects(state: State, event: Effects) -> State:
    trial = state.court
    match event:
        case happened.JuryMoved(jury=jury):
            return _court(state, jury=jury)
        case happened.Impeached(of=of, what=what, jury=jury):
            return _court(state, weights=_impeached(trial.weights, of, what), jury=jury)
        case happened.Barred(seat, what):
            return _court(state, bars=(*trial.bars, Bar(seat, what)))
        case happened.Gambled():
            return state
        case happened.ChoiceOpened(seat, what, count, left):
            choice = Choice(seat, what, count, left)
            return _court(state, step="choice", choice=choice, choices=trial.choices + 1)


def _impeached(weights: tuple[Weight, ...], of: Seat, what: str) -> tuple[Weight, ...]:
    """The last that still counts does not count any more."""
    place = max(i for i, weight in enumerate(weights) if (weight.seat, weight.kind) == (of, what) and weight.counts)
    return _set(weights, place, replace(weights[place], counts=False))


def _hands(state: State, event: Hands) -> State:
    match event:
        case happened.Discarded(seat, cards):
            chosen = lost(state, seat, cards)
            return _chosen(_court(chosen, laid=(*state.court.laid, *cards)), len(cards))
        case happened.Taken(seat, _, count, cards):
            return unknown_lost(state, seat, count, cards)
        case happened.Received(seat, _, count, cards):
            return gained(state, seat, count, cards)
        case happened.Peeked():
            return state  # what was shown is not there to be read again: who wants to, keeps notes
        case happened.Fetched(seat, card):
            fetched = gained(state, seat, 1, (card,), is_open=True)
            return _chosen(replace(fetched, discards=_without(state.discards, card)), 1)


def _chosen(state: State, count: int) -> State:
    """So much of a choice is made, if a motion has left one."""
    trial = state.trial
    if trial is None or trial.choice is None:
        return state
    if trial.choice.count > count:
        return _court(state, choice=replace(trial.choice, count=trial.choice.count - count))
    return _court(state, choice=None, step="cards")


# --- Money and the end --------------------------------------------------------------------------------


def _money(state: State, event: Money) -> State:
    purses = state.purses
    match event:
        case happened.Collected(seat, source, amount):
            return replace(state, purses=_moved(purses, seat, amount, **{_pile(source): -amount}))
        case happened.Spent(seat, target, amount):
            return replace(state, purses=_moved(purses, seat, -amount, **{_pile(target): amount}))
        case happened.Fined(seat, to, amount):
            return replace(state, purses=_moved(_moved(purses, seat, -amount), to, amount))


def _pile(name: str) -> str:
    return "pot" if name == "fees" else name


def _closing(state: State, event: Closing) -> State:
    match event:
        case happened.Rested():
            return _court(state, step="proposal")
        case bargaining.SplitProposed(number, version, by, to, _, keeps, leaves):
            proposed = _court(state, proposal=Proposal(number, version, by, to, keeps, leaves))
            return replace(proposed, proposals=number)
        case bargaining.SplitAnswered():
            return _court(state, proposal=None)
        case bargaining.SplitPaid():
            return replace(state, purses=bargaining.share(state.purses, event))
        case happened.FeesWon(seat, amount):
            return replace(state, purses=_moved(state.purses, seat, amount, pot=-amount))
        case happened.TrialClosed():
            return replace(buried(state), trial=None)
        case happened.CourtRose(why):
            return replace(state, phase="ended", why=why)
        case happened.WentOn() | happened.VerdictRolled():
            return state


PARTS: dict[type[core.Event], Callable[[State, Any], State]] = {
    kind: part
    for kinds, part in (
        (Piles, _piles), (Turns, _turns), (Opening, _opening), (Cards, _cards), (Effects, _effects), (Hands, _hands),
        (Money, _money), (Closing, _closing),
    )
    for kind in get_args(kinds)
}  # fmt: skip
"""The part of the fold that each event of the game belongs to."""


def _court(state: State, **changes: Any) -> State:
    """The table with these changes to the trial."""
    return replace(state, trial=replace(state.court, **changes))


def _set(items: tuple[T, ...], place: int, item: T) -> tuple[T, ...]:
    return (*items[:place], item, *items[place + 1 :])


def _without(cards: Iterable[str], card: str) -> tuple[str, ...]:
    """One of these fewer."""
    left = list(cards)
    left.remove(card)
    return tuple(left)


def _moved(purses: Purses, seat: Seat | None, chips: int, *, pot: int = 0, bank: int = 0) -> Purses:
    """So much more (or less) for the seat, in the Legal Fees, and in the bank."""
    seats = purses.seats if seat is None else bargaining.add(purses.seats, seat, chips)
    return replace(purses, seats=seats, pot=purses.pot + pot, bank=purses.bank + bank)
