"""The signs of the picture: for each outcome a colour, a pattern of dashes and a mark, each of which tells it alone.

The colours can be told apart by the colour-blind, differ in lightness, and have a contrast of 3 to 1 on white.
"""

from collections.abc import Callable, Sequence
from math import cos, pi, sin

import msgspec

from projections.trail.words import Outcome

INK = "#222222"

Drawn = Callable[[float, float], str]


class Look(msgspec.Struct, frozen=True):
    """`dashes`: lengths of line and gap, None for a whole line. `mark`: its outline around a point."""

    colour: str
    dashes: str | None
    mark: Drawn
    hollow: bool = False


def _around(x: float, y: float, corners: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x + dx:.1f} {y + dy:.1f}" for dx, dy in corners) + "Z"


def disc(x: float, y: float) -> str:
    return f"M{x - 5:.1f} {y:.1f}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z"


def square(x: float, y: float) -> str:
    return _around(x, y, ((-5, -5), (5, -5), (5, 5), (-5, 5)))


def triangle(x: float, y: float) -> str:
    return _around(x, y, ((-6, 5), (0, -6), (6, 5)))


def diamond(x: float, y: float) -> str:
    return _around(x, y, ((-6, 0), (0, -6), (6, 0), (0, 6)))


def cross(x: float, y: float) -> str:
    return f"M{x - 5:.1f} {y - 5:.1f}l10 10M{x - 5:.1f} {y + 5:.1f}l10 -10"


def star(x: float, y: float) -> str:
    """Five points: the bought deed was decisive."""
    turns = [(-pi / 2 + pi / 5 * corner, 7.5 if corner % 2 == 0 else 3.2) for corner in range(10)]
    return _around(x, y, [(reach * cos(turn), reach * sin(turn)) for turn, reach in turns])


def torn(x: float, y: float) -> str:
    """A jagged stroke: a word was broken."""
    return f"M{x - 1:.1f} {y - 7:.1f}l-4 6h9l-4 8"


LOOKS: dict[Outcome, Look] = {
    "won": Look("#0072b2", None, disc),
    "lost": Look("#c44e00", "12 5", square),
    "unknown": Look("#222222", "16 4 4 4", triangle),
    "gift": Look("#00855f", "5 3", diamond),
    "unpaid": Look("#767676", "2 4", disc, hollow=True),
    "struck": Look("#aa4499", "7 3 2 3 2 3", cross),
}
