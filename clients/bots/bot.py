"""What a bot is: it is told what happens at its table, and says what it would do. It does no I/O and holds no rules."""

import random
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from comitium_client import Entry, Update

Action = dict[str, Any]


class Move(msgspec.Struct, frozen=True):
    """What a bot would do. `patient`: others may have something to say first, so it waits until all have fallen silent."""

    action: Action
    patient: bool = False


class Bot(Protocol):
    """One player at one table."""

    def hear(self, entry: Entry) -> None:
        """Something has happened; every entry comes once, in order."""

    def choose(self, now: Update) -> Move | None:
        """What to do in this position, or None. It is asked once for each position, and again if nothing came of it."""


Factory = Callable[[random.Random, str], Bot]
"""Makes a bot: where it gets its moods from, and the language in which it speaks (en, ja)."""
