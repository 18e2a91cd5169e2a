"""Every way in which every game of the catalogue can be set up, and the sample games with them."""

from collections.abc import Iterator
from itertools import product
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
import pytest

from games import GAMES
from games.core import Game
from games.table.rules import Rules
from tests.games import sample, sample_plain

EVERY: tuple[Game, ...] = (*GAMES, sample, sample_plain)

MANY = 16
"""From more combinations of options on, each option is tried by itself only."""

FEW = 24
"""Setups of a game that are all played every day."""

SEEDS = 1
"""Games played of each setup in the tests of every day; long campaigns play more."""


class Case(NamedTuple):
    """A game, for how many, with which options."""

    game: Game
    seats: int
    options: tuple[tuple[str, Any], ...]
    seed: int = 0

    def __str__(self) -> str:
        chosen = ",".join(f"{name}={value}" for name, value in self.options if value not in (False, None))
        return f"{self.game.name}-{self.seats}-{chosen or 'plain'}-{self.seed}"


def combinations(game: Game) -> list[tuple[tuple[str, Any], ...]]:
    """The options of the game in all combinations that it takes, the plain one first."""
    values = {name: list(_values(kind)) for name, kind in get_type_hints(game.Options).items()}
    values = {name: found for name, found in values.items() if found}
    found = [dict(zip(values, each, strict=True)) for each in product(*values.values())]
    if len(found) > MANY:
        found = [{}, *({name: value} for name, each in values.items() for value in each)]
    return [tuple(options.items()) for options in found if _is_taken(game, options)]


def _values(kind: Any) -> Iterator[Any]:
    """What an option of that type may be, as far as it can be listed; numbers and texts stay at their defaults."""
    if kind is bool:
        yield from (False, True)
    elif get_origin(kind) is Literal:
        yield from get_args(kind)


def _is_taken(game: Game, options: dict[str, Any]) -> bool:
    """Some options exclude each other."""
    try:
        msgspec.convert(options, game.Options)
    except msgspec.ValidationError:
        return False
    return True


def setups(game: Game) -> Iterator[tuple[int, tuple[tuple[str, Any], ...]]]:
    """Numbers of seats and options: all of them together; where those are too many for every day, all numbers with the
    plain options, and every other combination with two numbers, so that each number comes up again and again.
    """
    found = combinations(game)
    fits = [Rules(game).seats(msgspec.convert(dict(options), game.Options)) for options in found]
    few = sum(map(len, fits)) <= FEW
    for place, (options, seats) in enumerate(zip(found, fits, strict=True)):
        chosen = seats if few or not place else {seats[(place + step) % len(seats)] for step in (0, len(seats) // 2)}
        for number in sorted(chosen):
            yield number, options


CASES = [Case(game, seats, options, seed) for game in EVERY for seats, options in setups(game) for seed in range(SEEDS)]
SETUPS = [case for case in CASES if case.seed == 0]

every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_setup = pytest.mark.parametrize("case", SETUPS, ids=str)
catalogued = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
