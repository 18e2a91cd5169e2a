"""What a seat may want to do in a life."""

from games import core
from games.ten_kings.pieces import Card


class PassOn(core.Action, frozen=True):
    """One card of the hand, face up, to the left neighbour."""

    card: Card


class Retaliate(core.Action, frozen=True):
    """Lays a card on what lies there, which goes back with it."""

    card: Card


class Take(core.Action, frozen=True):
    """Takes all that lies there."""


Action = PassOn | Retaliate | Take
