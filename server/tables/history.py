"""The recent steps of a table in memory, and snapshots of the rest: what resuming and looking back read first."""

from collections import deque

import msgspec

from events.entry import Entry
from projections.position import Position

STEPS = 512
"""Entries kept with their positions, so that a follower who missed fewer is answered from memory."""

INTERVAL = 256
"""Entries between two snapshots: the most that looking back has to fold."""


class Step(msgspec.Struct, frozen=True):
    """An entry, the position before it and the one after."""

    entry: Entry
    before: Position | None
    after: Position


class History:
    """Positions share what did not change between them, so a step weighs little more than its entry."""

    def __init__(self) -> None:
        self._steps: deque[Step] = deque(maxlen=STEPS)
        self._snapshots: list[Position] = []

    def add(self, step: Step) -> None:
        """Keeps the step of the newest entry."""
        self._steps.append(step)
        if step.after.seq % INTERVAL == 0:
            self._snapshots.append(step.after)

    @property
    def last(self) -> Step | None:
        """The newest step."""
        return self._steps[-1] if self._steps else None

    def since(self, after: int) -> list[Step] | None:
        """The steps after that entry, None when some are no longer here."""
        if not self._steps or self._steps[0].entry.seq > after + 1:
            return None
        return list(self._steps)[after + 1 - self._steps[0].entry.seq :]

    def position(self, seq: int) -> Position | None:
        """The position at that entry if it is still here."""
        first = self._steps[0].entry.seq if self._steps else 0
        if first and first <= seq < first + len(self._steps):
            return self._steps[seq - first].after
        return None

    def snapshot(self, seq: int) -> Position | None:
        """The latest snapshot at or before that entry."""
        index = seq // INTERVAL - 1
        return self._snapshots[index] if 0 <= index < len(self._snapshots) else None
