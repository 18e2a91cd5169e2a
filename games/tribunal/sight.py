"""What an audience reads of an event, and who learned something by it."""

from msgspec.structs import replace

from games.core import Audience
from games.tribunal import events as happened
from games.tribunal.events import Event

NOBODY: frozenset[Audience] = frozenset()
EVERYBODY: frozenset[Audience] = frozenset({None})


def redact(event: Event, seat: Audience) -> Event:
    """Cards are for those who hold, give or get them; a vote is for who casts it, until all are shown."""
    match event:
        case happened.Dealt(owner) | happened.Passed(owner) | happened.SetAside(owner):
            return event if seat == owner or event.cards is None else replace(event, cards=None)
        case happened.Received(owner, giver):
            return event if seat in (owner, giver) or event.cards is None else replace(event, cards=None)
        case happened.VoteCast(owner):
            return event if seat == owner or event.guilty is None else replace(event, guilty=None)
        case _:
            return event


def discloses(event: Event) -> frozenset[Audience]:
    """None stands for everybody. What a seat gives or votes itself tells it nothing new."""
    match event:
        case happened.Dealt(seat) | happened.Received(seat):
            return frozenset({seat})
        case happened.PasserDrawn() | happened.ChairDrawn() | happened.VotesShown() | happened.HandShown():
            return EVERYBODY
        case _:
            return NOBODY
