"""What may happen between birth and the last judgement. A field that is None is hidden from the reader."""

from games import core
from games.core import Seat
from games.ten_kings.pieces import Card, Dice, Lives, Over, Why


class Opened(core.Event, frozen=True):
    """`seats`: how many."""

    seats: int
    lives: Lives
    six_cards: bool
    dice: Dice


# --- A life -------------------------------------------------------------------------------------------


class LifeBegun(core.Event, frozen=True):
    """All 53 cards lie face down again. `first`: whose turn is the first."""

    life: int
    first: Seat


class Dealt(core.Event, frozen=True):
    """Shown to the seat."""

    seat: Seat
    count: int
    cards: tuple[Card, ...] | None


class Drawn(core.Event, frozen=True):
    """The turn of the seat begins with a card that it alone sees."""

    seat: Seat
    card: Card | None


class Passed(core.Event, frozen=True):
    """Face up to the left neighbour, who is asked."""

    seat: Seat
    to: Seat
    card: Card


class Retaliated(core.Event, frozen=True):
    """The seat lays a card, and all that lies there goes to the other."""

    seat: Seat
    to: Seat
    card: Card


class Taken(core.Event, frozen=True):
    """The seat takes all that lies there into its hand. Everybody has seen it."""

    seat: Seat
    cards: tuple[Card, ...]


# --- Judgement ----------------------------------------------------------------------------------------


class LifeEnded(core.Event, frozen=True):
    life: int
    over: Over


class HandShown(core.Event, frozen=True):
    seat: Seat
    cards: tuple[Card, ...]


class KarmaWeighed(core.Event, frozen=True):
    """The sums of evil and good deeds, the joker included on the side that it takes."""

    seat: Seat
    evil: int
    good: int
    karma: int


class DiceRolled(core.Event, frozen=True):
    """Two ten-sided dice, 0 to 9 each; 0 and 0 are 100."""

    seat: Seat
    tens: int
    units: int
    roll: int


class CardsRolled(core.Event, frozen=True):
    """A red card for the tens and a black one for the units, in place of dice; a ten counts 0."""

    seat: Seat
    cards: tuple[Card, ...]
    roll: int


class FiveTurned(core.Event, frozen=True):
    """Five of all cards in place of dice: 50, and evil more, and good less. With the joker it is hell, whatever it comes to."""

    seat: Seat
    cards: tuple[Card, ...]
    roll: int
    joker: bool


class Judged(core.Event, frozen=True):
    """Where the life has led: greater than the karma is heaven."""

    seat: Seat
    karma: int
    heaven: bool


class LastJudged(core.Event, frozen=True):
    """`target`: what the heavens come to. Smaller is ascended, by so much (`margin`; 0 where it is not)."""

    seat: Seat
    target: int
    ascended: bool
    margin: int


class GameEnded(core.Event, frozen=True):
    """Of those who ascended, the smallest margin wins."""

    why: Why
    winners: tuple[Seat, ...]


Life = LifeBegun | Dealt | Drawn | Passed | Retaliated | Taken
Roll = DiceRolled | CardsRolled | FiveTurned
Judgement = LifeEnded | HandShown | KarmaWeighed | Roll | Judged | LastJudged | GameEnded
Event = Opened | Life | Judgement
