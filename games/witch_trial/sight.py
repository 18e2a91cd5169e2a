"""What an audience reads of an event, and who learned something by it."""

from msgspec.structs import replace

from games.core import Audience
from games.witch_trial import events as happened
from games.witch_trial.events import Event

NOBODY: frozenset[Audience] = frozenset()
EVERYBODY: frozenset[Audience] = frozenset({None})

DRAWN_OPENLY = (
    happened.TurnedUp, happened.FirstDrawn, happened.CourtRolled, happened.WitnessRolled, happened.Gambled,
    happened.VerdictRolled,
)  # fmt: skip
"""What comes from a draw, for all to see."""

SHOWN = (happened.Played, happened.CaseBuilt, happened.Objected, happened.Discarded)
"""What shows cards that were in a hand. Some of them may have been known; nobody is told less than he learned."""


def redact(event: Event, seat: Audience) -> Event:
    """Cards that come off the deck are for who gets them, those that are taken for both; what is peeked at is for who looks,
    and for its owner, who knows it anyway.
    """
    match event:
        case happened.Dealt(owner) | happened.Drew(owner) | happened.Taken(owner):
            return event if seat == owner or event.cards is None else replace(event, cards=None)
        case happened.Received(owner, other) | happened.Peeked(owner, other):
            return event if seat in (owner, other) or event.cards is None else replace(event, cards=None)
        case _:
            return event


def discloses(event: Event) -> frozenset[Audience]:
    """None stands for everybody. Which of his cards are taken from him, chance says; so he learns it, too."""
    match event:
        case happened.Dealt(seat) | happened.Drew(seat) | happened.Received(seat) | happened.Taken(seat):
            return frozenset({seat})
        case happened.Peeked(seat):
            return frozenset({seat})
        case _:
            return EVERYBODY if isinstance(event, (*DRAWN_OPENLY, *SHOWN)) else NOBODY
