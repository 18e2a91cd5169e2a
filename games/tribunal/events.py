"""What may happen in court. A field that is None is hidden from the reader."""

from games import bargaining, core
from games.core import Seat
from games.tribunal.pieces import Card, Colour, CounterKind, Direction, Finding, Place, Why

# --- Setting up ---------------------------------------------------------------------------------------


class Opened(core.Event, frozen=True):
    """The material is laid out. `seats`: how many."""

    seats: int
    colours: tuple[Colour, ...]
    appeal: bool
    exile: bool


class Dealt(core.Event, frozen=True):
    """Shown to the seat."""

    seat: Seat
    count: int
    cards: tuple[Card, ...] | None


class PasserDrawn(core.Event, frozen=True):
    """Who gets two more cards and passes first."""

    seat: Seat


class Passed(core.Event, frozen=True):
    """Cards leave a hand face down; shown to whom they leave."""

    seat: Seat
    to: Seat
    count: int
    cards: tuple[Card, ...] | None


class Received(core.Event, frozen=True):
    """The same cards reach the left neighbour, who passes next; shown to both, for the giver knows what he gave."""

    seat: Seat
    giver: Seat
    count: int
    cards: tuple[Card, ...] | None


class SetAside(core.Event, frozen=True):
    """The last passer's cards go to those that nobody has; shown to him as they leave, to nobody afterwards."""

    seat: Seat
    count: int
    cards: tuple[Card, ...] | None


class ChairDrawn(core.Event, frozen=True):
    """Who chairs the first trial."""

    seat: Seat


# --- Colour and general vote --------------------------------------------------------------------------


class TrialOpened(core.Event, frozen=True):
    """The black pawn stands before this chair."""

    trial: int
    chair: Seat


class ColourChosen(core.Event, frozen=True):
    """The colour's pawn stands on the scales."""

    seat: Seat
    colour: Colour


class VoteCast(core.Event, frozen=True):
    """A fist is held out; what is in it only its owner knows."""

    seat: Seat
    guilty: bool | None


class VotesShown(core.Event, frozen=True):
    """All fists open at once: which seats are for guilty, and which for innocent."""

    for_guilty: tuple[Seat, ...]
    for_innocent: tuple[Seat, ...]


class SparePlaced(core.Event, frozen=True):
    """The spare counter joins the majority of the general vote."""

    pan: Finding


# --- Pleas --------------------------------------------------------------------------------------------


class DirectionChosen(core.Event, frozen=True):
    """The black pawn goes to the chair's left or right; `order`: who pleads when, the chair last."""

    seat: Seat
    direction: Direction
    order: tuple[Seat, ...]


class SpeakerCalled(core.Event, frozen=True):
    """The seat's plea begins."""

    seat: Seat


class CounterPlaced(core.Event, frozen=True):
    seat: Seat
    counter: CounterKind
    pan: Finding


class CounterGiven(core.Event, frozen=True):
    seat: Seat
    to: Seat
    counter: CounterKind


# --- Verdict ------------------------------------------------------------------------------------------


class VerdictReached(core.Event, frozen=True):
    """`early`: by the general vote alone."""

    colour: Colour
    verdict: Finding
    early: bool


class Undecided(core.Event, frozen=True):
    """Equal pans: the pawn goes back to where it came from."""

    colour: Colour
    place: Place


class ExileOpened(core.Event, frozen=True):
    """The chair may exile the colour just found guilty."""

    seat: Seat
    colour: Colour


class Exiled(core.Event, frozen=True):
    seat: Seat
    colour: Colour


class ExileForgone(core.Event, frozen=True):
    seat: Seat
    colour: Colour


class TrialClosed(core.Event, frozen=True):
    """The scales are emptied: extra counters leave the game, verdict counters go back, one to each seat."""

    trial: int


# --- Appeal and end -----------------------------------------------------------------------------------


class AppealAsked(core.Event, frozen=True):
    """The right of appeal is with this seat."""

    seat: Seat


class Appealed(core.Event, frozen=True):
    """`cost` chips go to the bank; `verdict` is the earlier one, which stands if the pans will balance."""

    seat: Seat
    colour: Colour
    verdict: Finding
    cost: int


class AppealForgone(core.Event, frozen=True):
    seat: Seat


class CourtRose(core.Event, frozen=True):
    """No trial follows any more."""

    why: Why


class HandShown(core.Event, frozen=True):
    seat: Seat
    cards: tuple[Card, ...]


class Settled(core.Event, frozen=True):
    """What the seat gets from the bank for its cards; below zero, what it pays."""

    seat: Seat
    gain: int


Setup = Dealt | PasserDrawn | Passed | Received | SetAside | ChairDrawn
Opening = TrialOpened | ColourChosen | VoteCast | VotesShown | SparePlaced
Plea = DirectionChosen | SpeakerCalled | CounterPlaced | CounterGiven
Verdict = VerdictReached | Undecided | ExileOpened | Exiled | ExileForgone | TrialClosed
Closing = AppealAsked | Appealed | AppealForgone | CourtRose | HandShown | Settled
Event = Opened | Setup | Opening | Plea | Verdict | Closing | bargaining.Event
