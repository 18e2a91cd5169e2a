"""What one may do at any table. `Act` comes from the seats by the wire's `actions`; the rest has its own routes."""

from typing import Annotated, Any, ClassVar

import msgspec

from games import core
from games.core import Partial, Seat
from games.table.events import ForkedFrom
from games.table.house import House, Visibility

TEXT_LIMIT = 500
"""Characters in a message or promise."""

Words = Annotated[str, msgspec.Meta(min_length=1, max_length=TEXT_LIMIT)]
Entropy = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]


class Say(core.Action, frozen=True):
    """To everybody."""

    text: Words


class Whisper(core.Action, frozen=True):
    """To some seats, where the house allows it. Who whispers to whom is public, what is said is not."""

    sealed: ClassVar[bool] = True
    to: tuple[Seat, ...]
    text: Words


class Offer(core.Action, frozen=True):
    """Chips for a deed of the payee in the window: `does`, at least `times` times, and `never` not at all."""

    payee: Seat
    window: str
    amount: int
    does: Partial
    times: int
    never: Partial | None


class Amend(core.Action, frozen=True):
    """New terms for one's own offer; `version` is the one that is replaced."""

    offer: int
    version: int
    amount: int
    does: Partial
    times: int
    never: Partial | None


class Withdraw(core.Action, frozen=True):
    offer: int


class Accept(core.Action, frozen=True):
    """Holds the payer to exactly this version."""

    offer: int
    version: int


class Decline(core.Action, frozen=True):
    offer: int
    version: int


class Promise(core.Action, frozen=True):
    """Words that do not bind; with `does` and `kind` (of window) they can be checked afterwards."""

    to: Seat
    text: Words
    does: Partial | None
    kind: str | None


class Pay(core.Action, frozen=True):
    """A gift of chips, at once."""

    to: Seat
    amount: int


class Leave(core.Action, frozen=True):
    """Gives the seat up in mid-game; never struck."""


class Abandon(core.Action, frozen=True):
    """Agrees (or no longer agrees) to end the table without an outcome."""

    agree: bool


class Dispute(core.Action, frozen=True, kw_only=True):
    """Asks that the entry `from` and all after it be struck. The game stands still until that is decided."""

    first: int = msgspec.field(name="from")
    reason: Words


class VoteDispute(core.Action, frozen=True):
    uphold: bool


class WithdrawDispute(core.Action, frozen=True):
    """By who opened it."""


class RuleDispute(core.Action, frozen=True):
    """By the arbiter."""

    uphold: bool


SeatAct = (
    Say | Whisper | Offer | Amend | Withdraw | Accept | Decline | Promise | Pay | Leave | Abandon
    | Dispute | VoteDispute | WithdrawDispute | RuleDispute
)  # fmt: skip
SEAT_ACTS: tuple[type[core.Action], ...] = (
    Say, Whisper, Offer, Amend, Withdraw, Accept, Decline, Promise, Pay, Leave, Abandon,
    Dispute, VoteDispute, WithdrawDispute, RuleDispute,
)  # fmt: skip


TALK = (Say, Whisper)

BARGAINING = (Offer, Amend, Withdraw, Accept, Decline, Promise, Pay)
"""What needs a game with chips and decisions to bargain over."""


class Create(core.Action, frozen=True, omit_defaults=True):
    """By the server, for a player who opens a table. `seats`: how many. What the last two say stands at `Created`."""

    game: str
    rules: int
    seats: int
    options: dict[str, Any]
    house: House
    visibility: Visibility
    name: str
    creator: str
    sit: bool
    forked_from: ForkedFrom | None = None
    rematch_of: str | None = None


class Sit(core.Action, frozen=True):
    """A player takes a seat: before the start, or one that is vacant in mid-game. `bot` names a house bot."""

    player: str
    bot: str | None
    entropy: Entropy | None


class GiveEntropy(core.Action, frozen=True):
    entropy: Entropy


class Rise(core.Action, frozen=True):
    """Gives the seat up before the start."""


class Start(core.Action, frozen=True):
    """By the server, when the last seat is taken."""


class Resume(core.Action, frozen=True):
    """By the server, when the last seat of a fork is taken: the events that come along, as plain values. They may hold
    what nobody may know yet; everybody reads his part of them in the entry's own events.
    """

    sealed: ClassVar[bool] = True
    events: tuple[dict[str, Any], ...]


class TimeUp(core.Action, frozen=True):
    """By the clock: the seat's first must-ask is played by chance."""

    seat: Seat


class DisputeTimeUp(core.Action, frozen=True):
    """By the clock: whoever has not voted on the open dispute is against it."""


class Freeze(core.Action, frozen=True):
    """By the server: the rules failed here; the table stands still, readable, until it is abandoned."""

    reason: str


class Close(core.Action, frozen=True):
    """By the operator or the clock: ends the table without an outcome."""

    why: str


Lifecycle = Create | Sit | GiveEntropy | Rise | Start | Resume | TimeUp | DisputeTimeUp | Freeze | Close
LIFECYCLE: tuple[type[core.Action], ...] = (
    Create, Sit, GiveEntropy, Rise, Start, Resume, TimeUp, DisputeTimeUp, Freeze, Close,
)  # fmt: skip
