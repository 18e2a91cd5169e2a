"""Lines from the keyboard, or from a file or pipe, without holding up anything else."""

import asyncio
import threading
from typing import Protocol, TextIO


class Lines(Protocol):
    """Where lines come from."""

    async def next(self) -> str | None:
        """The next line, None when there are no more."""


class Keyboard:
    """A thread of its own waits for lines. It is a daemon: nobody can wake it up, so nobody waits for it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="keyboard", daemon=True).start()

    def _read(self) -> None:
        try:
            for line in self._stream:
                self._put(line.rstrip("\r\n"))
        except (OSError, ValueError):  # the stream is closed
            pass
        self._put(None)

    def _put(self, line: str | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except RuntimeError:  # the loop is closed; nobody reads any more
            return

    async def next(self) -> str | None:
        return await self._lines.get()


class Script:
    """Lines that are known beforehand."""

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)

    async def next(self) -> str | None:
        return self._lines.pop(0) if self._lines else None
