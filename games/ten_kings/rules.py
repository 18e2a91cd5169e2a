"""The rules: how a life begins, what follows from each action, and how it ends."""

from collections.abc import Callable
from typing import Any

from games.chance import Source
from games.core import Outcome, Seat
from games.ten_kings import actions as act
from games.ten_kings import events as happened
from games.ten_kings.actions import Action
from games.ten_kings.events import Event
from games.ten_kings.judgement import judge, last_judgement
from games.ten_kings.pieces import CHAIN, DECK, FULL, MOST_WITH_START, START, Options, Over, closes
from games.ten_kings.state import State, evolve

Events = list[Event]

# --- Setting up ---------------------------------------------------------------------------------------


def seats_for(options: Options) -> range:
    """With six cards each to begin with, there are not enough for more than six."""
    return range(2, 1 + MOST_WITH_START) if options.six_cards else range(2, 9)


def open(options: Options, seats: int, chance: Source) -> Events:  # noqa: A001  (the word of the Game protocol)
    """The first life, in which seat 0 has the first turn."""
    opened = happened.Opened(seats, options.lives, options.six_cards, options.dice)
    return [opened, *_begin(evolve(None, opened), 1, 0, chance)]


def _begin(state: State, life: int, first: Seat, chance: Source) -> Events:
    """The cards are shuffled together anew. Nobody holds any, or everybody six."""
    begun: Events = [happened.LifeBegun(life, first)]
    if state.options.six_cards:
        dealt = chance.sample(DECK, START * state.seats)
        hands = [dealt[START * place : START * (place + 1)] for place in range(state.seats)]
        begun += [happened.Dealt((first + place) % state.seats, START, hand) for place, hand in enumerate(hands)]
    after = state
    for event in begun:
        after = evolve(after, event)
    return [*begun, _draw(after, first, chance)]


def _draw(state: State, seat: Seat, chance: Source) -> Event:
    return happened.Drawn(seat, chance.pick(state.undrawn()))


# --- One action to its events -------------------------------------------------------------------------


def decide(state: State, seat: Seat, action: Action, chance: Source) -> Events:
    """The action is a member of the seat's asks: what is legal is said there, and not again here."""
    match action:
        case act.PassOn(card):
            return _then(state, happened.Passed(seat, state.left_of(seat), card), _ask, chance)
        case act.Retaliate(card):
            return _then(state, happened.Retaliated(seat, state.other, card), _ask, chance)
        case act.Take():
            return _take(state, seat, chance)


def _then(state: State, event: Event, follow: Callable[..., Events], *given: Any) -> Events:
    """The event, and what follows by itself from the table as it stands then."""
    return [event, *follow(evolve(state, event), *given)]


def _ask(state: State, chance: Source) -> Events:
    """The other is asked, whatever his cards are; unless everybody can see that he has no answer."""
    asked = state.asked
    if asked is None or (state.hand(asked) and not closes(state.laid)):
        return []
    return _take(state, asked, chance)


def _take(state: State, seat: Seat, chance: Source) -> Events:
    return _then(state, happened.Taken(seat, state.laid), _end_turn, chance)


def _end_turn(state: State, chance: Source) -> Events:
    """A life ends at the end of a turn, by the hand of whose turn it was; or when the deck has nothing more to give."""
    over = _over(state)
    if over is None:
        return [_draw(state, state.left_of(state.turn), chance)]
    ended = happened.LifeEnded(state.life, over)
    judged, after = judge(evolve(state, ended), chance)
    if state.life == state.options.lives:
        return [ended, *judged, *last_judgement(after, chance)]
    return [ended, *judged, *_begin(after, state.life + 1, state.left_of(state.first), chance)]


def _over(state: State) -> Over | None:
    if not state.options.six_cards and len(state.hand(state.turn)) >= FULL:
        return "hand_full"
    return None if state.deck else "deck_empty"


# --- The end ------------------------------------------------------------------------------------------


def outcome(state: State) -> Outcome | None:
    """Of those who ascended, the smallest margin wins; the score is in heavens. Nobody may have ascended."""
    if state.why is None:
        return None
    return Outcome(state.winners, state.heavens, state.why)


def bound(options: Options, seats: int) -> int:  # noqa: ARG001  (the same for all)
    """No game asks for more actions. Each turn takes a card from the deck, asks for one card to pass on and for at most
    `CHAIN` answers: each of them lays another card, or is the last.
    """
    return options.lives * len(DECK) * (1 + CHAIN)
