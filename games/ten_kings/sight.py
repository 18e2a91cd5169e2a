"""What an audience reads of an event, and who learned something by it."""

from msgspec.structs import replace

from games.core import Audience
from games.ten_kings import events as happened
from games.ten_kings.events import Event

NOBODY: frozenset[Audience] = frozenset()
EVERYBODY: frozenset[Audience] = frozenset({None})


def redact(event: Event, seat: Audience) -> Event:
    """A card that is drawn or dealt is its owner's secret, until he plays it."""
    match event:
        case happened.Drawn(owner):
            return event if seat == owner or event.card is None else replace(event, card=None)
        case happened.Dealt(owner):
            return event if seat == owner or event.cards is None else replace(event, cards=None)
        case _:
            return event


def discloses(event: Event) -> frozenset[Audience]:
    """None stands for everybody."""
    match event:
        case happened.Drawn(seat) | happened.Dealt(seat):
            return frozenset({seat})
        case happened.Passed() | happened.Retaliated() | happened.HandShown():
            return EVERYBODY
        case happened.DiceRolled() | happened.CardsRolled() | happened.FiveTurned():
            return EVERYBODY
        case _:
            return NOBODY
