"""The material: five colours of cards and pawns, two kinds of counters, chips; and what may be agreed beforehand."""

from typing import Literal, get_args

import msgspec

Colour = Literal["red", "yellow", "green", "blue", "purple"]
Card = Literal[
    "red-3", "red-4", "red-5", "red-6", "red-7", "red-10",
    "yellow-3", "yellow-4", "yellow-5", "yellow-6", "yellow-7", "yellow-10",
    "green-3", "green-4", "green-5", "green-6", "green-7", "green-10",
    "blue-3", "blue-4", "blue-5", "blue-6", "blue-7", "blue-10",
    "purple-3", "purple-4", "purple-5", "purple-6", "purple-7", "purple-10",
]  # fmt: skip
"""3 to 7: a client whom the holder defends; 10: the holder accuses that colour."""

Finding = Literal["guilty", "innocent"]
"""A pan of the scales, and the verdict when it outweighs the other."""

Place = Literal["iustitia", "scales", "guilty", "innocent", "exiled"]
"""Where a pawn stands: untried, on trial, under one of the pans, or in the corner of the exiled."""

CounterKind = Literal["verdict", "extra"]
Direction = Literal["clockwise", "counterclockwise"]
Phase = Literal["passing", "colour", "vote", "direction", "plea", "exile", "appeal", "ended"]
Why = Literal["all_chaired", "all_judged", "appeal_judged", "appeal_forgone", "trials_capped"]

ACCUSER = 10
HAND = 4
PASSED = 2
PURSE = 20
APPEAL_COST = 5
MANY = 6
"""From so many seats on, a general vote with one dissenter decides as well."""
ROUNDS = 3
"""With appeals the chair goes round at most so often: balanced pans must not go on for ever."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The two variants: one appeal in the game; exile of a colour found guilty."""

    appeal: bool = False
    exile: bool = False


class Pawn(msgspec.Struct, frozen=True):
    colour: Colour
    place: Place


class Counter(msgspec.Struct, frozen=True):
    """A counter on the scales. `seat`: who placed it; None for the spare one, which the general vote places."""

    kind: CounterKind
    seat: int | None
    pan: Finding


COLOURS: tuple[Colour, ...] = get_args(Colour)
CARDS: tuple[Card, ...] = get_args(Card)


def colours_for(seats: int) -> tuple[Colour, ...]:
    """All five, without purple when four play."""
    return COLOURS[:-1] if seats == 4 else COLOURS


def deck(colours: tuple[Colour, ...]) -> tuple[Card, ...]:
    """3 to 7 and 10 in each colour."""
    return tuple(card for card in CARDS if colour_of(card) in colours)


def colour_of(card: Card) -> str:
    return card.split("-")[0]


def rank_of(card: Card) -> int:
    return int(card.split("-")[1])
