"""A store that keeps its logs in memory: for trying things out and for tests. All is lost at the end."""

import asyncio
from collections.abc import Awaitable

from events.bell import Bell
from events.entry import Entry
from events.store import (
    Answer,
    Appended,
    Conflict,
    Found,
    Head,
    Item,
    Known,
    Unavailable,
    check_append,
    check_lane,
    check_range,
    lane_of,
)


class MemoryStore:
    """Logs in dicts and lists. Several services on one event loop may share it."""

    lanes = 1

    def __init__(self) -> None:
        self._logs: dict[str, list[Entry]] = {}
        self._commands: dict[bytes, Found] = {}
        self._feed: list[Item] = []
        self._bell = Bell()
        self._closed = False

    def append(self, table: str, expected: int, entry: Entry, command: bytes) -> Awaitable[Answer]:
        check_append(table, expected, entry, command, self.lanes)
        if self._closed:
            raise Unavailable("the store is closed")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        # Answered one turn of the loop later, as any other store would: a caller who never waits starves the others.
        loop.call_soon(_answer, future, self._append(table, expected, entry, command))
        return future

    def _append(self, table: str, expected: int, entry: Entry, command: bytes) -> Answer:
        if found := self._commands.get(command):
            return Known(found.seq)
        log = self._logs.get(table, [])
        if len(log) != expected:
            return Conflict(len(log))
        self._logs.setdefault(table, log).append(entry)
        self._commands[command] = Found(table, entry.seq)
        self._feed.append(Item(len(self._feed) + 1, table, entry.seq))
        self._bell.ring()
        return Appended(entry.seq)

    async def read(self, table: str, after: int = 0, limit: int = 1000) -> list[Entry]:
        lane_of(table)
        check_range(after, limit)
        return self._logs.get(table, [])[after : after + limit]

    async def head(self, table: str) -> Head | None:
        lane_of(table)
        log = self._logs.get(table)
        return Head(log[-1].seq, log[-1].head) if log else None

    async def find(self, command: bytes) -> Found | None:
        return self._commands.get(command)

    async def feed(self, lane: int, after: int = 0, limit: int = 1000) -> list[Item]:
        check_lane(lane, self.lanes)
        check_range(after, limit)
        return self._feed[after : after + limit]

    async def wait(self, lane: int, after: int, timeout: float) -> None:  # noqa: ASYNC109 - a hint, not an error, ends it
        check_lane(lane, self.lanes)
        if len(self._feed) <= after and not self._closed:
            await self._bell.wait(timeout)

    async def close(self) -> None:
        self._closed = True
        self._bell.ring()


def _answer(future: asyncio.Future[Answer], answer: Answer) -> None:
    if not future.done():  # its caller may have gone
        future.set_result(answer)
