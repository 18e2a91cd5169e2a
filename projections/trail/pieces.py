"""What the bribery trail is made of. All of it is plain enough to be written as JSON. `seq`: the number of an entry."""

from typing import Literal

import msgspec

from games.bargaining import How
from games.core import Partial, Seat

Kind = Literal["offer", "settlement", "gift"]
"""A settlement: the proposer leaves a part of the pot to the other side, who gives up the rest for it."""

Way = Literal["payer", "other", "undecided"]
"""Whose way a decision went: the payer's, another, or nobody's."""


class Terms(msgspec.Struct, frozen=True):
    """One version of an offer: chips for a deed, so many times, and never another."""

    seq: int
    amount: int
    does: Partial
    times: int
    never: Partial | None


class Matter(msgspec.Struct, frozen=True):
    """The decision (window) that chips were offered for. `kind` is None where the game has no such window."""

    id: str
    kind: str | None


class Deed(msgspec.Struct, frozen=True):
    """What the payee did in that decision. `wanted`: it is what the offer asks for; `forbidden`: what it rules out."""

    seq: int
    deed: Partial
    wanted: bool
    forbidden: bool


class Decision(msgspec.Struct, frozen=True):
    """A verdict that counts, and the trial or turn that it was reached in."""

    turn: str | None
    about: str
    verdict: str
    seq: int


class Bribe(msgspec.Struct, frozen=True, kw_only=True):
    """An offer or a settlement, from its first version to its end, or a gift of chips.

    id: of the offer; of a settlement the entry that proposed it, of a gift the one that paid it
    payer_player, payee_player: who held the seats when it was made
    amount: chips of the last version               versions: every version that counts, none of a gift
    made, accepted, ended: entries                  how: the offer's end, None while it is open
    paid: chips that moved in the course that counts
    deeds: what the payee did in that decision after the last version
    decision: the verdict of its turn               wanted: the verdict that the deed works for
    way: whose way it went, None where that is not known (yet)
    without: the verdict, had the payee not done such a deed once
    decisive: whether that would have been another one, None where it is not known
    broken: promises between the two, made no later than the deed, that were broken with or after the payment
    struck_by: the entry that struck it. It is void then, and told as it stood before that.
    """

    kind: Kind
    id: int
    turn: str | None
    payer: Seat
    payee: Seat
    payer_player: str | None
    payee_player: str | None
    amount: int
    versions: tuple[Terms, ...]
    window: Matter | None
    made: int
    accepted: int | None
    ended: int | None
    how: How | None
    paid: int
    deeds: tuple[Deed, ...]
    decision: Decision | None
    wanted: str | None
    way: Way | None
    without: str | None
    decisive: bool | None
    broken: tuple[int, ...]
    struck_by: int | None

    @property
    def terms(self) -> Terms | None:
        """The last version; None of a gift."""
        return self.versions[-1] if self.versions else None


class Moved(msgspec.Struct, frozen=True):
    """Chips that a seat paid to others and received from others, by offers and gifts."""

    seat: Seat
    paid: int
    received: int


class TurnTotal(msgspec.Struct, frozen=True):
    """Chips that moved for what was offered or given in a trial or turn, and what came of it. `chips`: of all seats."""

    turn: str | None
    decisions: tuple[Decision, ...]
    chips: int
    seats: tuple[Moved, ...]


class Totals(msgspec.Struct, frozen=True):
    """The sums over what counts: for every seat in all, and turn by turn in the order of the game."""

    chips: int
    seats: tuple[Moved, ...]
    turns: tuple[TurnTotal, ...]


class Trail(msgspec.Struct, frozen=True):
    """The whole trail up to entry `seq`, in the order in which the chips were offered or given."""

    table: str
    game: str
    rules: int
    seats: int
    seq: int
    judged: bool
    bribes: tuple[Bribe, ...]
    totals: Totals


def of_turn(trail: Trail, turn: TurnTotal) -> tuple[Bribe, ...]:
    """What was offered or given in it, struck or not."""
    return tuple([bribe for bribe in trail.bribes if bribe.turn == turn.turn])
