"""The cards of a Witch Trial as data, and the small vocabulary that motions' effects are composed of.

Everything that a deck may say stands here, so that the owner of a printed deck can type his in.
"""

from typing import Annotated, Literal

import msgspec

Said = dict[str, str]
"""A text by language: "en", "ja"."""

CardId = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Guilt = Annotated[int, msgspec.Meta(ge=1, le=6)]
Severity = Annotated[int, msgspec.Meta(ge=0, le=9)]
Step = Annotated[int, msgspec.Meta(ge=-11, le=11)]
Dollars = Annotated[int, msgspec.Meta(ge=0, le=500)]
Few = Annotated[int, msgspec.Meta(ge=1, le=5)]
Who = Literal["you", "opponent"]
"""You: who plays the motion. Opponent: the other side of the trial."""


class Effect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="effect", tag=str.lower):
    """One thing that a motion does. Effects are carried out in their order; one that cannot be is passed over."""


class Sway(Effect, frozen=True, tag="sway"):
    """The jury moves by so much towards your side; less than 0 is away from it."""

    by: Step


class Settle(Effect, frozen=True, tag="jury_to"):
    """The jury value becomes this."""

    to: Annotated[int, msgspec.Meta(ge=1, le=12)]


class Draw(Effect, frozen=True, tag="draw"):
    """Cards from the deck, as far as there are any."""

    who: Who
    count: Few


class Discard(Effect, frozen=True, tag="discard"):
    """Cards from the hand to this trial's discards: chosen by their owner, or at random. Who has fewer, all."""

    who: Who
    count: Few
    how: Literal["choice", "random"]


class Steal(Effect, frozen=True, tag="steal"):
    """Cards at random from the opponent's hand into yours."""

    count: Few


class Peek(Effect, frozen=True, tag="peek"):
    """You look at the opponent's hand."""


class Fetch(Effect, frozen=True, tag="fetch"):
    """You take any one card that was discarded in an earlier trial, or before this one."""


class Collect(Effect, frozen=True, tag="collect"):
    """Money to you, as far as it is there."""

    source: Literal["bank", "opponent", "fees"]
    amount: Dollars


class Pay(Effect, frozen=True, tag="pay"):
    """Money from you, as far as you have it."""

    target: Literal["bank", "opponent", "fees"]
    amount: Dollars


class Rest(Effect, frozen=True, tag="rest"):
    """You play no further card now: you rest at once."""


class ThrowOut(Effect, frozen=True, tag="throw_out"):
    """The trial ends at once; all its cards are discarded, suspect and charge too; the Legal Fees stay in court."""


class Impeach(Effect, frozen=True, tag="impeach"):
    """The last evidence or witness that the opponent played in this trial counts no more: the jury goes back by what it moved."""

    what: Literal["evidence", "witness"]


class Forbid(Effect, frozen=True, tag="forbid"):
    """The opponent plays no more such cards in this trial."""

    what: Literal["evidence", "witness", "charge", "motion"]


class Pick(Effect, frozen=True, tag="pick"):
    """You take a card of the lineup for nothing."""


Plain = (
    Sway | Settle | Draw | Discard | Steal | Peek | Fetch | Collect | Pay | Rest | ThrowOut | Impeach | Forbid | Pick
)


class Gamble(Effect, frozen=True, tag="gamble"):
    """Dice: if they show at least so much, one thing happens, otherwise another."""

    dice: Literal[1, 2]
    at_least: Annotated[int, msgspec.Meta(ge=2, le=12)]
    then: tuple[Plain, ...] = ()
    otherwise: tuple[Plain, ...] = ()


AnyEffect = Plain | Gamble


class _Card(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", omit_defaults=True, kw_only=True
):
    """`copies` of a card are all the same card, known by its `id`."""

    id: CardId
    name: Said
    copies: Few = 1


class Suspect(_Card, frozen=True, kw_only=True, tag="suspect"):
    """Stands trial, or is a witness. `defense`: the fee that the bank pays to the defender."""

    guilt: Guilt
    defense: Dollars


class Charge(_Card, frozen=True, kw_only=True, tag="charge"):
    """What somebody is accused of. `court`: what the bank adds to the Legal Fees; `against`: how much more severe it is
    against single suspects, by their ids.
    """

    severity: Severity
    court: Dollars
    against: dict[CardId, Annotated[int, msgspec.Meta(ge=-6, le=6)]] = {}


class Evidence(_Card, frozen=True, kw_only=True, tag="evidence"):
    """Moves the jury, for the prosecution up, for the defense down."""

    prosecution: Annotated[int, msgspec.Meta(ge=0, le=11)]
    defense: Annotated[int, msgspec.Meta(ge=0, le=11)]


class Motion(_Card, frozen=True, kw_only=True, tag="motion"):
    """What is out of the usual. `text`: the effects in words, for people."""

    effects: Annotated[tuple[AnyEffect, ...], msgspec.Meta(min_length=1, max_length=6)]
    text: Said


class Objection(_Card, frozen=True, kw_only=True, tag="objection"):
    """Cancels a motion, and goes to who played it."""


Card = Suspect | Charge | Evidence | Motion | Objection


class Deck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole deck. `note`: what it is, and whose."""

    title: Said
    note: Said
    cards: tuple[Card, ...]
