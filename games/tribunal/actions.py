"""What a seat may want to do in court."""

from typing import ClassVar

from games import core
from games.core import Seat
from games.tribunal.pieces import Card, Colour, CounterKind, Direction, Finding


class PassCards(core.Action, frozen=True):
    """Two cards of six to the left neighbour, face down."""

    sealed: ClassVar[bool] = True
    cards: tuple[Card, ...]


class ChooseColour(core.Action, frozen=True):
    colour: Colour


class Vote(core.Action, frozen=True):
    """In the general vote. `guilty`: the counter is in the fist."""

    sealed: ClassVar[bool] = True
    guilty: bool


class ChooseDirection(core.Action, frozen=True):
    direction: Direction


class Place(core.Action, frozen=True):
    """One counter on a pan: a step of one's plea."""

    counter: CounterKind
    pan: Finding


class Give(core.Action, frozen=True):
    """One counter to another seat: a step of one's plea."""

    counter: CounterKind
    to: Seat


class Exile(core.Action, frozen=True):
    exile: bool


class Appeal(core.Action, frozen=True):
    colour: Colour


class ForgoAppeal(core.Action, frozen=True):
    """The right of appeal goes on to the next seat."""


Action = PassCards | ChooseColour | Vote | ChooseDirection | Place | Give | Exile | Appeal | ForgoAppeal
