"""What may happen. A field that is None is hidden from the reader. Money is in dollars; `jury` is its new value."""

from typing import Literal

from games import bargaining, core
from games.core import Seat
from games.witch_trial.cards import AnyEffect, Deck
from games.witch_trial.pieces import Kind, Proof, Stage, Verdict, What, Why

# --- Setting up, and the deck -------------------------------------------------------------------------


class Opened(core.Event, frozen=True):
    """`deck`: what it is played with, for all to read. `reshuffle`: the discards will become a new deck, once."""

    seats: int
    deck: Deck
    reshuffle: bool


class Dealt(core.Event, frozen=True):
    """The first hand, off the deck; shown to the seat."""

    seat: Seat
    count: int
    cards: tuple[str, ...] | None


class TurnedUp(core.Event, frozen=True):
    """Cards off the deck join the lineup at its dear end."""

    cards: tuple[str, ...]


class FirstDrawn(core.Event, frozen=True):
    """Who has the first turn."""

    seat: Seat


class Drew(core.Event, frozen=True):
    """Cards off the deck into a hand; shown to the seat."""

    seat: Seat
    count: int
    cards: tuple[str, ...] | None


class Reshuffled(core.Event, frozen=True):
    """The discards become the deck."""

    count: int


# --- Turns --------------------------------------------------------------------------------------------


class TurnBegan(core.Event, frozen=True):
    turn: int
    seat: Seat


class Bought(core.Event, frozen=True):
    """From that place of the lineup into the hand; the price goes to the Legal Fees."""

    seat: Seat
    card: str
    place: int
    price: int


class Picked(core.Event, frozen=True):
    """From that place of the lineup into the hand, for nothing."""

    seat: Seat
    card: str
    place: int


class CaseBuilt(core.Event, frozen=True):
    """Both cards leave the hand and lie before the player."""

    seat: Seat
    suspect: str
    charge: str


class CourtRolled(core.Event, frozen=True):
    """Two dice of a seat for the defense of `of`'s case; the lowest total is appointed."""

    seat: Seat
    of: Seat
    dice: tuple[int, ...]
    total: int


class Appointed(core.Event, frozen=True):
    seat: Seat
    of: Seat


class TurnPassed(core.Event, frozen=True):
    """`over`: deck and lineup are empty and no case is pending, so that a whole round of this ends the game."""

    seat: Seat
    over: bool


# --- A trial ------------------------------------------------------------------------------------------


class TrialOpened(core.Event, frozen=True):
    """The prosecutor's pending case goes to court."""

    trial: int
    prosecutor: Seat
    defender: Seat
    suspect: str
    charge: str


class DefensePaid(core.Event, frozen=True):
    """The bank pays the defender."""

    seat: Seat
    amount: int


class CourtPaid(core.Event, frozen=True):
    """The bank adds to the Legal Fees."""

    amount: int


class JurySet(core.Event, frozen=True):
    """What the jury thinks before anybody has spoken."""

    jury: int


class StageBegan(core.Event, frozen=True):
    stage: Stage
    seat: Seat


class Played(core.Event, frozen=True):
    """The card leaves the hand and lies on the table. A motion has done nothing yet."""

    seat: Seat
    card: str
    kind: Kind


class WitnessRolled(core.Event, frozen=True):
    """A witness moves the jury if the die reaches his guilt."""

    seat: Seat
    card: str
    die: int


class Heard(core.Event, frozen=True):
    """Evidence or a witness has moved the jury by so much, 0 included."""

    seat: Seat
    kind: Proof
    moved: int
    jury: int


class ChargeReplaced(core.Event, frozen=True):
    seat: Seat
    old: str
    new: str
    jury: int


class Objected(core.Event, frozen=True):
    """The motion does nothing; the objection goes to who had played it."""

    seat: Seat
    to: Seat
    card: str
    motion: str


class MotionCarried(core.Event, frozen=True):
    """Nobody objected: the effects follow."""

    seat: Seat
    card: str


class Rested(core.Event, frozen=True):
    seat: Seat


class WentOn(core.Event, frozen=True):
    """Without a proposal."""

    seat: Seat


class VerdictRolled(core.Event, frozen=True):
    """Two dice upon the jury value; 13 or more convicts."""

    dice: tuple[int, ...]
    jury: int
    total: int


class FeesWon(core.Event, frozen=True):
    """The winner takes all Legal Fees."""

    seat: Seat
    amount: int


class TrialClosed(core.Event, frozen=True):
    """All its cards are discarded, suspect and charge too."""

    trial: int
    suspect: str
    verdict: Verdict


# --- Effects of motions -------------------------------------------------------------------------------


class JuryMoved(core.Event, frozen=True):
    seat: Seat
    moved: int
    jury: int


class Impeached(core.Event, frozen=True):
    """The last such card of seat `of` counts no more, and what it moved is taken back."""

    seat: Seat
    of: Seat
    what: Proof
    moved: int
    jury: int


class Barred(core.Event, frozen=True):
    """The seat plays no more such cards in this trial."""

    seat: Seat
    what: Kind


class Gambled(core.Event, frozen=True):
    seat: Seat
    dice: tuple[int, ...]
    total: int
    success: bool


class ChoiceOpened(core.Event, frozen=True):
    """The seat chooses. `left`: the effects that come after it."""

    seat: Seat
    what: What
    count: int
    left: tuple[AnyEffect, ...]


class Discarded(core.Event, frozen=True):
    """From the hand to this trial's cards."""

    seat: Seat
    cards: tuple[str, ...]


class Taken(core.Event, frozen=True):
    """Cards leave a hand, drawn by chance; shown to whom they leave."""

    seat: Seat
    by: Seat
    count: int
    cards: tuple[str, ...] | None


class Received(core.Event, frozen=True):
    """The same cards reach the other's hand; shown to both."""

    seat: Seat
    giver: Seat
    count: int
    cards: tuple[str, ...] | None


class Peeked(core.Event, frozen=True):
    """The hand of seat `of` is shown to the seat, and to nobody else."""

    seat: Seat
    of: Seat
    count: int
    cards: tuple[str, ...] | None


class Fetched(core.Event, frozen=True):
    """From the discards into the hand, open."""

    seat: Seat
    card: str


class Collected(core.Event, frozen=True):
    """Money to the seat from the bank or the Legal Fees."""

    seat: Seat
    source: Literal["bank", "fees"]
    amount: int


class Spent(core.Event, frozen=True):
    """Money of the seat to the bank or the Legal Fees."""

    seat: Seat
    target: Literal["bank", "fees"]
    amount: int


class Fined(core.Event, frozen=True):
    """Money of the seat to the other side, because a motion says so."""

    seat: Seat
    to: Seat
    amount: int


# --- The end ------------------------------------------------------------------------------------------


class CourtRose(core.Event, frozen=True):
    why: Why


Piles = Dealt | TurnedUp | FirstDrawn | Drew | Reshuffled
Turns = TurnBegan | Bought | Picked | CaseBuilt | CourtRolled | Appointed | TurnPassed
Opening = TrialOpened | DefensePaid | CourtPaid | JurySet | StageBegan
Cards = Played | WitnessRolled | Heard | ChargeReplaced | Objected | MotionCarried
Effects = JuryMoved | Impeached | Barred | Gambled | ChoiceOpened
Hands = Discarded | Taken | Received | Peeked | Fetched
Money = Collected | Spent | Fined
Closing = Rested | WentOn | bargaining.Settlement | VerdictRolled | FeesWon | TrialClosed | CourtRose
Event = Opened | Piles | Turns | Opening | Cards | Effects | Hands | Money | Closing | bargaining.Event
