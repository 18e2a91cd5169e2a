"""The rules: how the court is set up, what follows from each action, and how it ends."""

from collections.abc import Callable
from typing import TypeVar

from games.chance import Source
from games.core import Outcome, Purses, Seat
from games.tribunal import actions as act
from games.tribunal import events as happened
from games.tribunal.actions import Action
from games.tribunal.events import Event
from games.tribunal.pieces import (
    ACCUSER,
    APPEAL_COST,
    HAND,
    MANY,
    PASSED,
    ROUNDS,
    Card,
    Colour,
    Direction,
    Finding,
    Options,
    Place,
    Why,
    colour_of,
    colours_for,
    deck,
    rank_of,
)
from games.tribunal.state import State, evolve

T = TypeVar("T")

Events = list[Event]

# --- Setting up ---------------------------------------------------------------------------------------


def open(options: Options, seats: int, chance: Source) -> Events:  # noqa: A001  (the word of the Game protocol)
    """Four cards each; a seat drawn by chance gets two more and passes first. The rest lies aside."""
    colours = colours_for(seats)
    cards = chance.sample(deck(colours), HAND * seats + PASSED)
    passer = chance.below(seats)
    return [
        happened.Opened(seats, colours, options.appeal, options.exile),
        *(happened.Dealt(seat, HAND, cards[HAND * seat : HAND * (seat + 1)]) for seat in range(seats)),
        happened.PasserDrawn(passer),
        happened.Dealt(passer, PASSED, cards[-PASSED:]),
    ]


# --- One action to its events -------------------------------------------------------------------------


def decide(state: State, seat: Seat, action: Action, chance: Source) -> Events:
    """The action is a member of the seat's asks: what is legal is said there, and not again here."""
    match action:
        case act.PassCards(cards):
            return _pass(state, seat, cards, chance)
        case act.ChooseColour(colour):
            return [happened.ColourChosen(seat, colour)]
        case act.Vote(guilty):
            return _then(state, happened.VoteCast(seat, guilty), _count_votes)
        case act.ChooseDirection(direction):
            return _set_order(state, seat, direction)
        case act.Place(counter, pan):
            return _then(state, happened.CounterPlaced(seat, counter, pan), _go_on)
        case act.Give(counter, to):
            return _then(state, happened.CounterGiven(seat, to, counter), _go_on)
        case act.Exile(exile):
            deed = happened.Exiled if exile else happened.ExileForgone
            return _then(state, deed(seat, _known(state.colour)), _close_trial)
        case act.Appeal(colour):
            return _appeal(state, seat, colour)
        case act.ForgoAppeal():
            return [happened.AppealForgone(seat), *_ask_next(state, seat)]


def _then(state: State, event: Event, follow: Callable[[State], Events]) -> Events:
    """The event, and what follows by itself from the court as it stands then."""
    return [event, *follow(evolve(state, event))]


def _known(value: T | None) -> T:
    """What is set in this phase of the game."""
    if value is None:
        raise TypeError("no trial is going on")
    return value


def _pass(state: State, seat: Seat, cards: tuple[Card, ...], chance: Source) -> Events:
    """Everybody passes once. The last one's two cards are set aside; then the first chair is drawn."""
    if state.passes + 1 < state.seats:
        to = state.left_of(seat)
        return [happened.Passed(seat, to, PASSED, cards), happened.Received(to, seat, PASSED, cards)]
    chair = chance.below(state.seats)
    return [happened.SetAside(seat, PASSED, cards), happened.ChairDrawn(chair), happened.TrialOpened(1, chair)]


# --- General vote -------------------------------------------------------------------------------------


def _count_votes(state: State) -> Events:
    """Once every fist is out they open; the spare counter joins the majority, a tie leaves it where it is."""
    if not all(state.voted):
        return []
    guilty = tuple(seat for seat, vote in enumerate(state.votes) if vote)
    innocent = tuple(seat for seat, vote in enumerate(state.votes) if not vote)
    shown = happened.VotesShown(guilty, innocent)
    majority = _heavier(len(guilty), len(innocent))
    if majority is None:
        return [shown]
    spare = happened.SparePlaced(majority)
    if min(len(guilty), len(innocent)) > _dissent(state.seats):
        return [shown, spare]
    return [shown, spare, *_reach(state, majority, early=True)]


def _dissent(seats: int) -> int:
    """So few against all others do not keep the general vote from deciding at once."""
    return 1 if seats >= MANY else 0


def _heavier(guilty: int, innocent: int) -> Finding | None:
    if guilty == innocent:
        return None
    return "guilty" if guilty > innocent else "innocent"


# --- Pleas --------------------------------------------------------------------------------------------


def _set_order(state: State, chair: Seat, direction: Direction) -> Events:
    """From the chair's neighbour round to the chair, who pleads last."""
    step = 1 if direction == "clockwise" else -1
    order = tuple((chair + step * place) % state.seats for place in range(1, state.seats + 1))
    return [happened.DirectionChosen(chair, direction, order), happened.SpeakerCalled(order[0])]


def _go_on(state: State) -> Events:
    """A plea ends with the speaker's last verdict counter; after the last plea the scales decide."""
    if state.verdict_counters[state.turn]:
        return []
    if state.later:
        return [happened.SpeakerCalled(state.later[0])]
    return _weigh(state)


# --- Verdict ------------------------------------------------------------------------------------------


def heavier_pan(state: State) -> Finding | None:
    """The pan with more counters; None when the pans are equal."""
    return _heavier(state.weight("guilty"), state.weight("innocent"))


def _weigh(state: State) -> Events:
    """The heavier pan. Equal pans: back to Iustitia, or on appeal back to the earlier verdict, which stands."""
    verdict = heavier_pan(state)
    if verdict is None:
        return _then(state, happened.Undecided(_known(state.colour), state.earlier or "iustitia"), _close_trial)
    return _reach(state, verdict, early=False)


def _reach(state: State, verdict: Finding, *, early: bool) -> Events:
    """After every finding of guilt the chair may exile the colour, where that is played."""
    colour: Colour = _known(state.colour)
    reached = happened.VerdictReached(colour, verdict, early)
    if verdict == "guilty" and state.options.exile:
        return [reached, happened.ExileOpened(_known(state.chair), colour)]
    return _then(state, reached, _close_trial)


def _close_trial(state: State) -> Events:
    """The scales are emptied; then the end, the question of appeal, or the next chair's trial."""
    closed = happened.TrialClosed(state.trial)
    why = _ending(state)
    if why is not None:
        return [closed, *_rise(state, why)]
    following = state.left_of(_known(state.chair))
    if not state.at("iustitia"):
        return [closed, happened.AppealAsked(following)]
    return [closed, happened.TrialOpened(state.trial + 1, following)]


def _ending(state: State) -> Why | None:
    """Why no trial and no question of appeal follows, if so."""
    if state.earlier is not None:
        return "appeal_judged"
    if not state.at("iustitia"):
        return None if state.options.appeal and state.at("guilty", "innocent") else "all_judged"
    if not state.options.appeal:
        return "all_chaired" if state.trial == state.seats else None
    return "trials_capped" if state.trial == ROUNDS * state.seats else None


# --- Appeal -------------------------------------------------------------------------------------------


def _appeal(state: State, seat: Seat, colour: Colour) -> Events:
    """Paid to the bank; the appellant chairs a normal trial of that colour, and no other appeal follows."""
    verdict: Finding = "guilty" if colour in state.at("guilty") else "innocent"
    return [
        happened.Appealed(seat, colour, verdict, APPEAL_COST),
        happened.TrialOpened(state.trial + 1, seat),
        happened.ColourChosen(seat, colour),
    ]


def _ask_next(state: State, seat: Seat) -> Events:
    """Each seat is asked once: the one who chaired last is the last."""
    if seat == state.chair:
        return _rise(state, "appeal_forgone")
    return [happened.AppealAsked(state.left_of(seat))]


# --- End ----------------------------------------------------------------------------------------------


def _rise(state: State, why: Why) -> Events:
    """All hands are shown, and each seat settles with the bank; what is owed may exceed the purse."""
    hands: list[tuple[Card, ...]] = [tuple(_known(card) for card in hand) for hand in state.hands]
    shown = [happened.HandShown(seat, hand) for seat, hand in enumerate(hands)]
    gains = [sum(_gain(card, state.place_of(colour_of(card))) for card in hand) for hand in hands]
    return [happened.CourtRose(why), *shown, *(happened.Settled(seat, gain) for seat, gain in enumerate(gains))]


def _gain(card: Card, place: Place) -> int:
    """A client acquitted earns his number, one convicted costs it; for the accuser's ten it is the other way round."""
    if place not in ("guilty", "innocent"):
        return 0
    rank = rank_of(card)
    won = (place == "guilty") == (rank == ACCUSER)
    return rank if won else -rank


def outcome(state: State) -> Outcome | None:
    """Most chips win; equals share the win."""
    if state.why is None:
        return None
    scores = tuple(chips for chips in state.purses.seats if chips is not None)
    best = max(scores)
    return Outcome(tuple(seat for seat, score in enumerate(scores) if score == best), scores, state.why)


def purses(state: State) -> Purses:
    """All chips are public; the bank has no limit."""
    return state.purses


def bound(options: Options, seats: int) -> int:
    """No game asks for more actions.

    Each seat passes cards once. A trial takes one choice of colour, one vote a seat, one choice of direction, at most
    one word on exile, and the pleas. In the pleas every seat speaks once, and nobody else moves counters meanwhile, so
    a speaker moves each counter that he holds at most once: of verdict counters the i-th speaker has at most i, of
    extra counters there are at most as many as seats. Trials: one a seat; with appeals at most three rounds of the
    chair and the trial on appeal, and every seat is asked for an appeal at most once.
    """
    pleas = seats * (seats + 1) // 2 + seats * seats
    trial = 1 + seats + 1 + pleas + int(options.exile)
    if not options.appeal:
        return seats + seats * trial
    return seats + (ROUNDS * seats + 1) * trial + seats
