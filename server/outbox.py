"""What waits to be sent to one follower: bounded, so that a slow reader is closed and never slows the others."""

import asyncio
from collections.abc import Callable, Iterable


class Overflow(Exception):  # noqa: N818  (said of a queue)
    """The reader is too slow: more waits for it than it may."""


class Outbox:
    """A queue of encoded messages for one writer. Putting never blocks.

    `seq`: the last entry of which the writer has taken the frame. What waits when the queue overflows is dropped, so
    that is where a slow reader goes on.
    """

    def __init__(self, limit: int, spilled: Callable[[], None] | None = None) -> None:
        """`spilled` is told when it overflows."""
        self._limit = limit
        self._spilled = spilled
        self._room = limit
        self._waiting: list[bytes] = []
        self._newest = 0
        self._wake: asyncio.Future[None] | None = None
        self.seq = 0
        self.overflowed = False
        self.closed = False

    def fill(self, messages: Iterable[bytes], seq: int) -> None:
        """Adds what a follower begins with, up to that entry. However much it is, it is no sign of a slow reader."""
        begin = list(messages)
        self._room += len(begin)
        for message in begin:
            self.put(message)
        self._newest = seq

    def put(self, message: bytes, seq: int | None = None) -> None:
        """Adds a message, the frame of that entry if it is one. Nothing is taken after an overflow or the close."""
        if self.closed or self.overflowed:
            return
        if len(self._waiting) >= self._room:
            self._overflow()
        else:
            self._waiting.append(message)
            self._newest = self._newest if seq is None else seq
        self._ring()

    def _overflow(self) -> None:
        self.overflowed = True
        self._waiting.clear()
        if self._spilled is not None:
            self._spilled()

    def close(self) -> None:
        """No more comes; what waits is still sent."""
        self.closed = True
        self._ring()

    async def take(self, patience: float | None = None) -> list[bytes]:
        """Everything that waits, in order; empty when the time is up, or when it is closed and nothing is left.

        Raises:
            Overflow: the reader was too slow.
        """
        if not self._waiting and not self.closed and not self.overflowed:
            await self._news(patience)
        if self.overflowed:
            raise Overflow
        taken, self._waiting = self._waiting, []
        self.seq, self._room = self._newest, self._limit
        return taken

    async def _news(self, patience: float | None) -> None:
        self._wake = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(patience):
                await self._wake
        except TimeoutError:
            pass
        finally:
            self._wake = None

    def _ring(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)
