"""What may happen at any table. The events of bargaining stand in `games.bargaining`."""

from typing import Any, Literal

import msgspec

from games import core
from games.core import Seat
from games.table.dispute import How, Learned, Rule
from games.table.house import Visibility


class ForkedFrom(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a fork goes on from: entry `seq` of another table, whose log has that `head` (hex) there."""

    table: str
    seq: int
    head: str


class Created(core.Event, frozen=True):
    """Entry 1: what is played, by which rules, in which house. `seats`: how many. `forked_from`: where it goes on from;
    `rematch_of`: the table whose players want to play again.

    Options and house stand as plain values, just as they were: a field that a later version adds must not change what
    an old entry says, byte by byte.
    """

    table: str
    game: str
    rules: int
    seats: int
    options: dict[str, Any]
    house: dict[str, Any]
    visibility: Visibility
    name: str
    creator: str
    forked_from: ForkedFrom | None = None
    rematch_of: str | None = None


class SeedSealed(core.Event, frozen=True):
    """The seed of all chance at this table, hidden from everybody until the end, and its hash, public at once."""

    seed: str | None
    hash: str


class Seated(core.Event, frozen=True):
    seat: Seat
    player: str
    bot: str | None


class EntropyGiven(core.Event, frozen=True):
    """The seat's part in the key of chance."""

    seat: Seat
    entropy: str


class Risen(core.Event, frozen=True):
    seat: Seat
    player: str


class Started(core.Event, frozen=True):
    """All seats are taken. With the seed these entropies give the key; the game's own opening follows, or what a fork
    goes on from.
    """

    entropies: tuple[str | None, ...]


class Said(core.Event, frozen=True):
    seat: Seat
    text: str


class Whispered(core.Event, frozen=True):
    seat: Seat
    to: tuple[Seat, ...]
    text: str | None


class Asked(core.Event, frozen=True, omit_defaults=True):
    """The table now waits for these seats: those with a must-ask. `again`: who has just acted, and is on the clock anew."""

    seats: tuple[Seat, ...]
    again: tuple[Seat, ...] = ()


class Left(core.Event, frozen=True):
    """The seat is vacant."""

    seat: Seat
    player: str


class TimedOut(core.Event, frozen=True):
    """What follows in this entry was played by chance for the seat: its time is up, or nobody holds it."""

    seat: Seat
    why: Literal["clock", "absent"]


class AbandonAgreed(core.Event, frozen=True):
    seat: Seat
    agree: bool


class DisputeOpened(core.Event, frozen=True, kw_only=True):
    """The game stands still. The seat wants the entries `from` to `to` struck, the last before this one.

    `learned`: what they disclosed, as references only. `rule`, `arbiter`, `until`: see `Dispute`.
    """

    dispute: int
    by: Seat
    first: int = msgspec.field(name="from")
    last: int = msgspec.field(name="to")
    reason: str
    learned: tuple[Learned, ...]
    rule: Rule
    arbiter: bool
    until: int


class DisputeVoted(core.Event, frozen=True):
    dispute: int
    seat: Seat
    uphold: bool


class DisputeRuled(core.Event, frozen=True):
    """By the arbiter."""

    dispute: int
    uphold: bool


class DisputeClosed(core.Event, frozen=True):
    """The game goes on; when `upheld`, from where `struck` puts it."""

    dispute: int
    how: How


class Struck(core.Event, frozen=True, kw_only=True):
    """The entries `from` to `to` do not count any more: the course is again what it was before `from`.

    They stay in the log. What a struck entry of this kind had struck counts again.
    """

    first: int = msgspec.field(name="from")
    last: int = msgspec.field(name="to")


class Frozen(core.Event, frozen=True):
    reason: str


class Ended(core.Event, frozen=True):
    """The result. After this entry the log is closed and opens to those who may read it."""

    winners: tuple[Seat, ...]
    scores: tuple[int, ...]
    why: str


class Abandoned(core.Event, frozen=True):
    """Closed without an outcome."""

    why: str


class SeedDisclosed(core.Event, frozen=True):
    """Now everybody can draw everything again."""

    seed: str


Event = (
    Created | SeedSealed | Seated | EntropyGiven | Risen | Started | Said | Whispered | Asked | Left | TimedOut
    | AbandonAgreed | DisputeOpened | DisputeVoted | DisputeRuled | DisputeClosed | Struck | Frozen | Ended | Abandoned
    | SeedDisclosed
)  # fmt: skip
TYPES: tuple[type[core.Event], ...] = (
    Created, SeedSealed, Seated, EntropyGiven, Risen, Started, Said, Whispered, Asked, Left, TimedOut,
    AbandonAgreed, DisputeOpened, DisputeVoted, DisputeRuled, DisputeClosed, Struck, Frozen, Ended, Abandoned,
    SeedDisclosed,
)  # fmt: skip
