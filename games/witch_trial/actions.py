"""What a player may want to do."""

from games import core
from games.core import Seat

# --- In one's turn ------------------------------------------------------------------------------------


class Buy(core.Action, frozen=True):
    """The card at that place of the lineup: 0 is the cheap end."""

    place: int


class Build(core.Action, frozen=True):
    """A suspect and a charge become one's pending case. `place`: where one of the two lies in the lineup; None if both are
    in hand.
    """

    suspect: str
    charge: str
    place: int | None


class Defend(core.Action, frozen=True):
    """The pending case of that seat."""

    of: Seat


class Appoint(core.Action, frozen=True):
    """The dice say who of the others defends one's own pending case."""


class Pass(core.Action, frozen=True):
    """Nothing of all that."""


# --- In a trial ---------------------------------------------------------------------------------------


class Play(core.Action, frozen=True):
    """Evidence, a suspect as a witness, another charge, or a motion."""

    card: str


class Rest(core.Action, frozen=True):
    """No more cards now."""


class Object(core.Action, frozen=True):
    """To the motion just played, with that objection."""

    card: str


class Allow(core.Action, frozen=True):
    """No objection to the motion."""


class Choose(core.Action, frozen=True):
    """As a motion demands: a card of one's own to discard, one of those discarded before this trial, or one of the lineup."""

    card: str


class Propose(core.Action, frozen=True):
    """A settlement: so many dollars of the Legal Fees for the prosecution, the rest for the defense."""

    prosecution: int


class GoOn(core.Action, frozen=True):
    """No proposal."""


class Answer(core.Action, frozen=True):
    """To exactly this version of the proposal."""

    proposal: int
    version: int
    accept: bool


Action = (
    Buy | Build | Defend | Appoint | Pass
    | Play | Rest | Object | Allow | Choose | Propose | GoOn | Answer
)  # fmt: skip
