"""What waits to be sent to one follower: bounded, so that a slow reader is closed and never slows the others."""

import asyncio
from collections import deque


class Overflow(Exception):  # noqa: N818  (said of a queue)
    """The reader is too slow: more waits for it than it may."""


class Outbox:
    """A queue of encoded messages for one writer. Putting never blocks."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._waiting: deque[bytes] = deque()
        self._wake = asyncio.Event()
        self.overflowed = False
        self.closed = False

    def put(self, message: bytes) -> None:
        """Adds a message; nothing more is taken once the queue has overflowed or closed."""
        if self.closed or self.overflowed:
            return
        if len(self._waiting) >= self._limit:
            self.overflowed = True
        else:
            self._waiting.append(message)
        self._wake.set()

    def close(self) -> None:
        """No more comes; what waits is still sent."""
        self.closed = True
        self._wake.set()

    async def take(self, patience: float | None = None) -> list[bytes]:
        """Everything that waits, in order; empty when the time is up, or when it is closed and nothing is left.

        Raises:
            Overflow: the reader was too slow.
        """
        if not self._waiting and not self.closed and not self.overflowed:
            self._wake.clear()
            try:
                await asyncio.wait_for(self._wake.wait(), patience)
            except TimeoutError:
                return []
        if self.overflowed:
            raise Overflow
        taken = list(self._waiting)
        self._waiting.clear()
        return taken
