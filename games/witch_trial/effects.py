"""What motions do: the vocabulary of effects, carried out one by one."""

from typing import Literal

from games.core import Seat
from games.witch_trial import cards
from games.witch_trial import events as happened
from games.witch_trial.cards import AnyEffect, Plain, Who
from games.witch_trial.flow import Flow

Effects = tuple[AnyEffect, ...]
Doing = (
    cards.Sway | cards.Settle | cards.Impeach | cards.Forbid | cards.Draw | cards.Steal | cards.Peek
    | cards.Discard | cards.Fetch | cards.Pick | cards.Collect | cards.Pay
)  # fmt: skip
"""All but those that say how the motion goes on."""

Course = Literal["done", "rest", "thrown_out", "choice"]
"""How far it came: all is carried out; all is, and the player rests; the trial is thrown out; somebody has to choose first."""


def carry_out(flow: Flow, effects: Effects) -> Course:
    """The effects in their order. What cannot be done is passed over; a rest comes last, whatever stands after it."""
    left, rests = effects, False
    while left:
        effect, left = left[0], left[1:]
        match effect:
            case cards.ThrowOut():
                return "thrown_out"
            case cards.Rest():
                rests = True
            case cards.Gamble():
                left = (*_gamble(flow, effect), *left)
            case _:
                _do(flow, effect, (*left, cards.Rest()) if rests else left)
        if flow.trial.choice is not None:
            return "choice"
    return "rest" if rests else "done"


def _gamble(flow: Flow, effect: cards.Gamble) -> tuple[Plain, ...]:
    """What the dice make of it."""
    dice = flow.dice(effect.dice)
    success = sum(dice) >= effect.at_least
    flow.add(happened.Gambled(flow.trial.speaker, dice, sum(dice), success))
    return effect.then if success else effect.otherwise


def _do(flow: Flow, effect: Doing, left: Effects) -> None:
    """One effect; `left`: what comes after it, should it have to wait."""
    match effect:
        case cards.Sway() | cards.Settle() | cards.Impeach() | cards.Forbid():
            _persuade(flow, effect)
        case cards.Draw() | cards.Steal() | cards.Peek():
            _handle(flow, effect)
        case cards.Discard() | cards.Fetch() | cards.Pick():
            _choose(flow, effect, left)
        case cards.Collect() | cards.Pay():
            _charge(flow, effect)


def _who(flow: Flow, who: Who) -> Seat:
    return flow.trial.speaker if who == "you" else flow.trial.listener


# --- Jury ---------------------------------------------------------------------------------------------


def _persuade(flow: Flow, effect: cards.Sway | cards.Settle | cards.Impeach | cards.Forbid) -> None:
    trial = flow.trial
    match effect:
        case cards.Sway(by):
            _move(flow, trial.jury + trial.towards(trial.speaker) * by)
        case cards.Settle(to):
            _move(flow, to)
        case cards.Impeach(what):
            _impeach(flow, what)
        case cards.Forbid(what) if not trial.is_barred(trial.listener, what):
            flow.add(happened.Barred(trial.listener, what))
        case cards.Forbid():
            pass


def _move(flow: Flow, wanted: int) -> None:
    before, jury = flow.trial.jury, flow.jury(wanted)
    flow.add(happened.JuryMoved(flow.trial.speaker, jury - before, jury))


def _impeach(flow: Flow, what: Literal["evidence", "witness"]) -> None:
    """What the opponent's last card of that type that still counts has really moved is taken back."""
    trial = flow.trial
    found = [
        weight for weight in trial.weights if (weight.seat, weight.kind) == (trial.listener, what) and weight.counts
    ]
    if found:
        jury = flow.jury(trial.jury - found[-1].moved)
        flow.add(happened.Impeached(trial.speaker, trial.listener, what, jury - trial.jury, jury))


# --- Hands --------------------------------------------------------------------------------------------


def _handle(flow: Flow, effect: cards.Draw | cards.Steal | cards.Peek) -> None:
    seat, other = flow.trial.speaker, flow.trial.listener
    match effect:
        case cards.Draw(who, count):
            flow.draw(_who(flow, who), count)
        case cards.Steal(count):
            stolen = _at_random(flow, other, count)
            if stolen:
                flow.add(happened.Taken(other, seat, len(stolen), stolen))
                flow.add(happened.Received(seat, other, len(stolen), stolen))
        case cards.Peek():
            hand = flow.state.hand(other)
            if hand:
                flow.add(happened.Peeked(seat, other, len(hand), hand))


def _at_random(flow: Flow, seat: Seat, count: int) -> tuple[str, ...]:
    """Up to so many cards of the hand, drawn by chance."""
    hand = flow.state.hand(seat)
    return tuple(sorted(flow.chance.sample(hand, min(count, len(hand)))))


def _choose(flow: Flow, effect: cards.Discard | cards.Fetch | cards.Pick, left: Effects) -> None:
    seat = flow.trial.speaker
    match effect:
        case cards.Discard(who, count, how):
            _discard(flow, _who(flow, who), count, how, left)
        case cards.Fetch() if flow.state.discards:
            flow.add(happened.ChoiceOpened(seat, "fetch", 1, left))
        case cards.Pick() if flow.state.lineup:
            flow.add(happened.ChoiceOpened(seat, "pick", 1, left))
        case _:
            pass


def _discard(flow: Flow, seat: Seat, count: int, how: Literal["choice", "random"], left: Effects) -> None:
    """Where there is no choice but to give all, all goes at once."""
    hand = flow.state.hand(seat)
    if len(hand) > count and how == "choice":
        flow.add(happened.ChoiceOpened(seat, "discard", count, left))
    elif hand:
        flow.add(happened.Discarded(seat, hand if how == "choice" else _at_random(flow, seat, count)))


# --- Money --------------------------------------------------------------------------------------------


def _charge(flow: Flow, effect: cards.Collect | cards.Pay) -> None:
    """As far as it is there. The bank has no end."""
    seat, other, state = flow.trial.speaker, flow.trial.listener, flow.state
    match effect:
        case cards.Collect("opponent", amount):
            _fine(flow, other, seat, amount)
        case cards.Pay("opponent", amount):
            _fine(flow, seat, other, amount)
        case cards.Collect("bank", amount) if amount:
            flow.add(happened.Collected(seat, "bank", amount))
        case cards.Collect("fees", amount) if min(amount, state.purses.pot):
            flow.add(happened.Collected(seat, "fees", min(amount, state.purses.pot)))
        case cards.Pay(("bank" | "fees") as target, amount) if min(amount, state.purse(seat)):
            flow.add(happened.Spent(seat, target, min(amount, state.purse(seat))))
        case _:
            pass


def _fine(flow: Flow, payer: Seat, payee: Seat, amount: int) -> None:
    paid = min(amount, flow.state.purse(payer))
    if paid:
        flow.add(happened.Fined(payer, payee, paid))
