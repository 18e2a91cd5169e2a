"""The rules: setting up, one action to its events, the end. What is legal is said in `asks`, and not again here."""

import msgspec

from games.chance import Source
from games.core import Outcome, Purses, Seat
from games.witch_trial import actions as act
from games.witch_trial import cards, trials, turns
from games.witch_trial import events as happened
from games.witch_trial.actions import Action
from games.witch_trial.cards import AnyEffect, Deck
from games.witch_trial.deck import house
from games.witch_trial.events import Event
from games.witch_trial.flow import Flow
from games.witch_trial.pieces import STAGES, TURNS, Options
from games.witch_trial.state import State


def deck_of(options: Options) -> Deck:
    """What the table is played with: the house's deck, or the one that the options bring along."""
    return house() if options.deck_file is None else msgspec.convert(options.deck_file.content, Deck)


def open(options: Options, seats: int, chance: Source) -> list[Event]:  # noqa: A001  (the word of the Game protocol)
    """The cards of the deck stand in the first event, so that a log can be read whatever becomes of the file."""
    return turns.set_up(options, deck_of(options), seats, chance)


def decide(state: State, seat: Seat, action: Action, chance: Source) -> list[Event]:
    """The action is a member of the seat's asks."""
    flow = Flow(state, chance)
    if state.trial is None:
        _in_turn(flow, seat, action)
    else:
        _in_trial(flow, seat, action)
    return flow.events


def _in_turn(flow: Flow, seat: Seat, action: Action) -> None:
    match action:
        case act.Buy(place):
            turns.buy(flow, seat, place)
        case act.Build(suspect, charge, place):
            turns.build(flow, seat, suspect, charge, place)
        case act.Defend(of):
            trials.open_trial(flow, of, seat)
        case act.Appoint():
            trials.open_trial(flow, seat, turns.appointed(flow, seat))
        case act.Pass():
            turns.pass_turn(flow, seat)
        case _:
            raise TypeError(f"nothing for a turn: {action}")


def _in_trial(flow: Flow, seat: Seat, action: Action) -> None:
    match action:
        case act.Play(card):
            trials.play(flow, seat, card)
        case act.Rest():
            flow.add(happened.Rested(seat))
        case act.Object(card):
            trials.object_to(flow, seat, card)
        case act.Allow():
            trials.carry(flow)
        case act.Propose(prosecution):
            trials.propose(flow, seat, prosecution)
        case act.Answer(accept=accept):
            trials.answer(flow, seat, accept=accept)
        case act.GoOn():
            flow.add(happened.WentOn(seat))
            trials.go_on(flow)
        case act.Choose(card):
            trials.choose(flow, seat, card)
        case _:
            raise TypeError(f"nothing for a trial: {action}")


def outcome(state: State) -> Outcome | None:
    """The most money wins; equals share the win. What is left in court is nobody's."""
    if state.why is None:
        return None
    scores = tuple(chips for chips in state.purses.seats if chips is not None)
    best = max(scores)
    return Outcome(tuple(seat for seat, score in enumerate(scores) if score == best), scores, state.why)


def purses(state: State) -> Purses:
    """The pot is what lies in court as Legal Fees."""
    return state.purses


def bound(options: Options, seats: int) -> int:  # noqa: ARG001  (turns are capped for any number of seats)
    """No game asks for more actions.

    There are at most 400 turns, and in each at most one trial. A card that is played lies on the table until the trial is
    over, so each is played at most once in it; a motion is asked an objection for, and leaves what its effects leave to
    choose. Each stage takes a word of rest, a proposal or none, and an answer. A new version of a proposal is no must.
    """
    trial = 3 * len(STAGES) + sum(card.copies * _cost(card) for card in deck_of(options).cards)
    return TURNS * (1 + trial)


def _cost(card: cards.Card) -> int:
    """The actions that playing it may take."""
    match card:
        case cards.Motion(effects=effects):
            return 2 + sum(map(_choices, effects))
        case cards.Objection():
            return 0
        case _:
            return 1


def _choices(effect: AnyEffect) -> int:
    """The most choices that the effect may leave to somebody."""
    match effect:
        case cards.Gamble(then=then, otherwise=otherwise):
            return max(sum(map(_choices, then)), sum(map(_choices, otherwise)))
        case cards.Discard(count=count, how="choice"):
            return count
        case cards.Fetch() | cards.Pick():
            return 1
        case _:
            return 0
