"""Old forms of the table's own events and actions, and of those of bargaining: how each is told today.

A game has such mappings of its own, `upcast_events` and `upcast_actions` (docs/adding-a-game.md, "Changing a game"). An
upcaster takes plain values as they stand in the log, and gives them in today's form: one event for one, since others name
an event by its place in the entry. It is also given what redaction has left: null where something is hidden, and of a
sealed action its type alone. What has today's form already it gives back as it is, for one log may hold both; and what it
does not know it passes on, so that it is refused.

These are for every log, whatever the game, and come before the game's own.
"""

from collections.abc import Callable, Mapping
from typing import Any

Plain = dict[str, Any]
"""An event or action as plain values, its `type` included."""

Upcaster = Callable[[Plain], Plain]

EVENTS: Mapping[str, Upcaster] = {}
"""By the type that stands in the log. Nothing has changed its form yet."""

ACTIONS: Mapping[str, Upcaster] = {}
"""The same of actions."""
