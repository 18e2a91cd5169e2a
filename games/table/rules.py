"""One game's rules bound to the table: its codecs, and what it has of chips and windows."""

import functools
import operator
from collections.abc import Sequence
from typing import Any

import msgspec

from games import bargaining, core
from games.core import Game, Purses, Window
from games.table import actions, events


class Rules:
    """A game as the table layer uses it. One instance per game and rules version, made once."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.moneyed = isinstance(game, core.Moneyed)
        self.bargained = isinstance(game, core.Bargained)
        self.game_actions = members(game.Action)
        self.game_events = tuple(kind for kind in members(game.Event) if kind not in bargaining.TYPES)
        _disjoint([*actions.SEAT_ACTS, *actions.LIFECYCLE, *self.game_actions])
        _disjoint([*events.TYPES, *bargaining.TYPES, *self.game_events])
        self.Action: Any = union([*actions.SEAT_ACTS, *self.game_actions])
        self.AnyAction: Any = union([*actions.SEAT_ACTS, *self.game_actions, *actions.LIFECYCLE])
        self.Event: Any = union([*events.TYPES, *bargaining.TYPES, *self.game_events])
        self.actions: msgspec.json.Decoder[Any] = msgspec.json.Decoder(self.Action)
        self.any_actions: msgspec.json.Decoder[Any] = msgspec.json.Decoder(self.AnyAction)

    def windows(self, state: Any) -> tuple[Window, ...]:
        """The game's windows, none if it has none."""
        return tuple(self.game.windows(state)) if self.bargained else ()  # type: ignore[attr-defined]  # bargained says so

    def purses(self, state: Any) -> Purses | None:
        """The game's chips, None if it has none or has not begun."""
        return self.game.purses(state) if self.moneyed and state is not None else None  # type: ignore[attr-defined]  # moneyed says so

    def options(self, values: dict[str, Any]) -> Any:
        """The game's options from plain values.

        Raises:
            msgspec.ValidationError: an unknown option, or a value that it does not take.
        """
        return msgspec.convert(values, self.game.Options)


def members(union_type: Any) -> tuple[type[Any], ...]:
    """The classes of a union, or the one class."""
    return tuple(getattr(union_type, "__args__", (union_type,)))


def union(kinds: Sequence[type[Any]]) -> Any:
    """The union of the classes."""
    return functools.reduce(operator.or_, kinds)


def _disjoint(kinds: Sequence[type[Any]]) -> None:
    tags = [str(kind.__struct_config__.tag) for kind in kinds]
    twice = {tag for tag in tags if tags.count(tag) > 1}
    if twice:
        raise ValueError(f"a table and its game share the types {sorted(twice)}")
