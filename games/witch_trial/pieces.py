"""What lies on the table besides the cards: cases, a trial with all that belongs to it; and what is agreed beforehand."""

from typing import Literal

import msgspec

from games import core
from games.core import Seat
from games.witch_trial.cards import AnyEffect

Phase = Literal["turn", "trial", "ended"]
Stage = Literal["prosecution", "defense", "closing"]
"""Whose cards are heard: the prosecution's, the defense's, and the one card with which the prosecution closes."""

Step = Literal["cards", "objection", "choice", "proposal"]
"""Within a stage: cards are played; a motion waits for an objection; an effect waits for a choice; the side that has
rested may propose a settlement.
"""

Kind = Literal["evidence", "witness", "charge", "motion"]
"""What a card is when it is played in a trial."""

Proof = Literal["evidence", "witness"]
What = Literal["discard", "fetch", "pick"]
Verdict = Literal["convicted", "acquitted", "settled", "thrown_out"]
Why = Literal["played_out", "turns_capped"]

STAGES: tuple[Stage, ...] = ("prosecution", "defense", "closing")

PURSE = 50
HAND = 5
PRICES = (0, 5, 10, 15, 20)
"""Of the lineup, in dollars, from the cheap end to the card nearest the deck."""
CONVICTS = 13
"""Jury and two dice together."""
JURY = (1, 12)
TURNS = 400
"""After so many turns the game is over, whatever goes on."""
VERSIONS = 10
"""So often one and the same proposal may be put: once, and changed nine times. Otherwise it could go on for ever."""
MANY = 6
"""From so many seats on the discards may be used again."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`deck`: by name; `deck_file`: what stands in one that is not the house's, filled in by the server. `reshuffle`: with six
    or seven seats the discards become a new deck, once; with fewer it changes nothing.
    """

    deck: str = "house"
    deck_file: core.Installed | None = None
    reshuffle: bool = False

    def __post_init__(self) -> None:
        if (self.deck == "house") != (self.deck_file is None):
            raise ValueError("a deck is the house's, or has a file")


class Case(msgspec.Struct, frozen=True):
    """A suspect and a charge before a player, until somebody defends."""

    suspect: str
    charge: str


class Weight(msgspec.Struct, frozen=True):
    """Evidence or a witness as it was heard: by how much it moved the jury, and whether it still counts."""

    seat: Seat
    kind: Proof
    moved: int
    counts: bool = True


class Bar(msgspec.Struct, frozen=True):
    """The seat plays no such cards any more in this trial."""

    seat: Seat
    what: Kind


class Choice(msgspec.Struct, frozen=True):
    """What a motion leaves to a seat: to discard so many cards, to fetch one from the discards, to pick one of the lineup.
    `left`: the effects of the motion that come after it.
    """

    seat: Seat
    what: What
    count: int
    left: tuple[AnyEffect, ...]


class Proposal(msgspec.Struct, frozen=True):
    """How the Legal Fees might be shared: who proposes it keeps so much, and leaves so much to the other."""

    number: int
    version: int
    by: Seat
    to: Seat
    keeps: int
    leaves: int


class Trial(msgspec.Struct, frozen=True):
    """A trial. laid: all cards that were used in it, besides suspect and charge; they stay on the table until its end.

    weights: evidence and witnesses in the order heard      motion: the one that waits for an objection
    bars: what a side may not play any more                 choices: how often an effect has waited for a choice
    """

    number: int
    prosecutor: Seat
    defender: Seat
    suspect: str
    charge: str
    jury: int = 1
    stage: Stage = "prosecution"
    step: Step = "cards"
    laid: tuple[str, ...] = ()
    weights: tuple[Weight, ...] = ()
    bars: tuple[Bar, ...] = ()
    motion: str | None = None
    choice: Choice | None = None
    choices: int = 0
    proposal: Proposal | None = None

    @property
    def speaker(self) -> Seat:
        """Whose cards are heard."""
        return self.defender if self.stage == "defense" else self.prosecutor

    @property
    def listener(self) -> Seat:
        """The other side."""
        return self.opponent(self.speaker)

    def opponent(self, seat: Seat) -> Seat:
        """The other side of the trial."""
        return self.prosecutor if seat == self.defender else self.defender

    def towards(self, seat: Seat) -> int:
        """The direction in which a seat wants the jury: up for the prosecution, down for the defense."""
        return 1 if seat == self.prosecutor else -1

    def is_barred(self, seat: Seat, what: Kind) -> bool:
        return Bar(seat, what) in self.bars
