"""The catalogue: the games that this server knows, one line each (and one per older rules version still shipped)."""

import importlib

from games import ten_kings, tribunal, witch_trial
from games.core import Game
from games.table.rules import Rules

GAMES: tuple[Game, ...] = (tribunal, ten_kings, witch_trial)


class Catalogue:
    """Games by name and rules version. The rules of a game are bound to the table layer once."""

    def __init__(self, games: tuple[Game, ...] = GAMES) -> None:
        self._rules = {(game.name, game.version): Rules(game) for game in games}
        self.current = {game.name: self._rules[game.name, game.version] for game in sorted(games, key=_age)}

    def rules(self, game: str, version: int) -> Rules:
        """The rules that a log was written by.

        Raises:
            KeyError: they are not shipped (any more).
        """
        return self._rules[game, version]

    def has(self, game: str, version: int) -> bool:
        """Whether the rules are shipped."""
        return (game, version) in self._rules


def with_extras(modules: str) -> Catalogue:
    """The catalogue and further games, named by their modules with commas between: for trying out games of one's own."""
    extras = tuple(importlib.import_module(name) for name in modules.split(",") if name)
    return Catalogue((*GAMES, *extras))


def _age(game: Game) -> int:
    return game.version
