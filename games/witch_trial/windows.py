"""The decisions that one may talk about and promise deeds in. None of them takes offers: in this game chips that bind are
shared by settlements alone, and whatever else is agreed is a gift or a promise.

In a trial there are: the stage of cards that is heard, or comes next; the objection or the choice that a motion waits for; after
a rest the proposal; and the answer to it, which is announced from the beginning of the stage on. As the cards that somebody
might play are hidden, the deeds are all that the deck could make possible.
"""

from collections.abc import Iterator
from functools import lru_cache

from games.core import Ask, Between, Domain, OneOf, Seat, Window
from games.witch_trial import names
from games.witch_trial.book import Book
from games.witch_trial.pieces import PRICES, STAGES, Trial
from games.witch_trial.state import State

Asks = tuple[Ask, ...]

WINDOWS = ("turn", "plea", "objection", "choice", "proposal", "answer")

BOTH = OneOf((False, True))
EITHER_ANSWER: Asks = (Ask("answer", {"accept": BOTH}),)


def turn(state: State) -> str:
    """The last trial that was opened. What is promised to be paid falls due when the next one is: so a word given for an
    answer can be kept after the answer, which ends the trial at once.
    """
    return f"trial:{state.trials}"


def windows(state: State) -> tuple[Window, ...]:
    """The decisions that are open or announced; the same for every reader."""
    if state.phase == "turn":
        deeds = _in_turn(state)
        return (_window(names.turn_window(state.turn), state.active, state.seats, deeds),)
    return () if state.trial is None else tuple(_in_court(state, state.trial))


def _in_turn(state: State) -> Asks:
    """The most that anybody could do here."""
    book, places = state.book, tuple(range(len(state.lineup)))
    built: dict[str, Domain] = {
        "suspect": OneOf(book.suspects),
        "charge": OneOf(book.charges),
        "place": OneOf((None, *places)),
    }
    others = tuple(seat for seat in range(state.seats) if seat != state.active)
    return (
        Ask("pass"), Ask("appoint"), Ask("buy", {"place": OneOf(tuple(range(len(PRICES))))}), Ask("build", built),
        Ask("defend", {"of": OneOf(others)}),
    )  # fmt: skip


def _in_court(state: State, trial: Trial) -> Iterator[Window]:
    seats, book = state.seats, state.book
    if trial.step == "proposal":
        yield from _next_plea(state, trial)
        propose = Ask("propose", {"prosecution": Between(0, state.purses.pot)})
        yield _window(names.proposal_window(trial), trial.speaker, seats, (Ask("go_on"), propose))
    else:
        yield _window(names.plea_window(trial, trial.stage), trial.speaker, seats, _pleading(book))
    if trial.step == "objection":
        deeds = (Ask("allow"), Ask("object", {"card": OneOf(book.objections)}))
        yield _window(names.objection_window(trial), trial.listener, seats, deeds)
    if trial.step == "choice" and trial.choice is not None:
        yield _window(names.choice_window(trial), trial.choice.seat, seats, _choosing(book))
    waits = trial.proposal is not None
    yield _window(names.answer_window(trial), trial.listener, seats, EITHER_ANSWER, is_open=waits)


def _next_plea(state: State, trial: Trial) -> Iterator[Window]:
    """What follows if nothing is settled."""
    stage = STAGES.index(trial.stage) + 1
    if stage < len(STAGES):
        yield _window(
            names.plea_window(trial, STAGES[stage]), trial.listener, state.seats, _pleading(state.book), is_open=False
        )


def _pleading(book: Book) -> Asks:
    return (Ask("rest"), Ask("play", {"card": OneOf(book.playable)}))


def _choosing(book: Book) -> Asks:
    return (Ask("choose", {"card": OneOf(tuple(book.cards))}),)


def _window(name: str, decider: Seat, seats: int, deeds: Asks, *, is_open: bool = True) -> Window:
    """Everybody may talk, nobody may offer."""
    kind = name.partition(":")[0]
    return Window(name, kind, (decider,), is_open, _all(seats), (), deeds)


@lru_cache(maxsize=16)
def _all(seats: int) -> tuple[Seat, ...]:
    return tuple(range(seats))
