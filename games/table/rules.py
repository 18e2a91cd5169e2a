"""One game's rules bound to the table: its codecs, and what it has of chips and windows."""

import functools
import operator
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from games import bargaining, core
from games.core import Ask, Game, Purses, Window
from games.table import actions, events

T = TypeVar("T")

MEMO = 256
"""States of which asks and windows are remembered: those of the entries that are being made just now."""


class _Memo(dict[int, tuple[Any, T]]):
    """What was last worked out of a few states, by their identity: a state never changes, and is kept while it is here."""

    def keep(self, state: Any, found: T) -> T:
        """Remembers what was found of the state."""
        if len(self) >= MEMO:
            self.clear()
        self[id(state)] = (state, found)
        return found


class Rules:
    """A game as the table layer uses it. One instance per game and rules version, made once."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.moneyed = isinstance(game, core.Moneyed)
        self.bargained = isinstance(game, core.Bargained)
        self.game_actions = members(game.Action)
        self.game_events = tuple(kind for kind in members(game.Event) if kind not in bargaining.TYPES)
        self.own_actions = frozenset(self.game_actions)
        self.own_events = frozenset(self.game_events)
        self.folded = frozenset([*self.game_events, *(bargaining.TYPES if self.moneyed else ())])
        """The events that the game's own state is folded from."""
        _disjoint([*actions.SEAT_ACTS, *actions.LIFECYCLE, *self.game_actions])
        _disjoint([*events.TYPES, *bargaining.TYPES, *self.game_events])
        self.Action: Any = union([*actions.SEAT_ACTS, *self.game_actions])
        self.AnyAction: Any = union([*actions.SEAT_ACTS, *self.game_actions, *actions.LIFECYCLE])
        self.Event: Any = union([*events.TYPES, *bargaining.TYPES, *self.game_events])
        self.actions: msgspec.json.Decoder[Any] = msgspec.json.Decoder(self.Action)
        self.any_actions: msgspec.json.Decoder[Any] = msgspec.json.Decoder(self.AnyAction)
        self._asks: _Memo[tuple[tuple[Ask, ...], ...]] = _Memo()
        self._windows: _Memo[tuple[Window, ...]] = _Memo()

    def asks(self, state: Any, seats: int) -> tuple[tuple[Ask, ...], ...]:
        """The game's asks of every seat. One state is asked several times while an entry is made, hence the memo."""
        known = self._asks.get(id(state))
        if known is not None:
            return known[1]
        return self._asks.keep(state, tuple([tuple(self.game.asks(state, seat)) for seat in range(seats)]))

    def windows(self, state: Any) -> tuple[Window, ...]:
        """The game's windows, none if it has none."""
        if not self.bargained:
            return ()
        known = self._windows.get(id(state))
        if known is not None:
            return known[1]
        return self._windows.keep(state, tuple(self.game.windows(state)))  # type: ignore[attr-defined]  # bargained says so

    def seats(self, options: Any) -> range:
        """For how many the game is, with these options."""
        return self.game.seats_for(options) if isinstance(self.game, core.Fitted) else self.game.seats

    def turn(self, state: Any) -> str | None:
        """The trial or turn that is being played; None where there is no bargaining."""
        return self.game.turn(state) if self.bargained else None  # type: ignore[attr-defined]  # asked of bargained games alone

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
