"""Other servers on the same store: what they write is taken in here, so that followers and the lobby hear of it.

Each lane's feed is followed by a task of its own. A table in memory catches up with its log; of any other only its line
in the lobby is read on. What this server writes itself comes by as well, and is known already. A store that one process
has for itself needs none of this.
"""

import asyncio

from events.entry import FULL, PUBLIC
from events.store import Unavailable
from games.table.state import Table
from projections.codec import Unreadable
from projections.lobby import Lobby, glance
from server.logs import Log
from server.tables.service import Tables

PAGE = 500

PATIENCE = 30.0
"""Seconds after which the feed is looked at even if nothing has rung."""

RETRY_SECONDS = 1.0

log = Log("neighbours")


class Line:
    """What the lobby knows of a table that is not in memory."""

    def __init__(self) -> None:
        self.table: Table | None = None
        self.opened = 0

    @property
    def seq(self) -> int:
        return 0 if self.table is None else self.table.seq


class Neighbours:
    """Follows the feeds from their beginning: what is known already costs a look."""

    def __init__(self, tables: Tables, lobby: Lobby) -> None:
        self._tables = tables
        self._store = tables.store
        self._lobby = lobby
        self._lines: dict[str, Line] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begins to follow."""
        self._tasks = [asyncio.create_task(self._follow(lane)) for lane in range(self._store.lanes)]

    async def stop(self) -> None:
        """Ends."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _follow(self, lane: int) -> None:
        position = 0
        while True:
            try:
                position = await self._next(lane, position)
            except Unavailable:
                await asyncio.sleep(RETRY_SECONDS)
            except Exception as error:  # noqa: BLE001  (whatever it is, the feed goes on)
                log.error("feed_failed", lane=lane, error=type(error).__name__)  # noqa: TRY400  (an error may quote what nobody may know)
                await asyncio.sleep(RETRY_SECONDS)

    async def _next(self, lane: int, position: int) -> int:
        """Takes in what is new after that position; how far it has come."""
        items = await self._store.feed(lane, position, PAGE)
        if not items:
            await self._store.wait(lane, position, PATIENCE)
            return position
        newest = {item.table: item.seq for item in items}
        for table, seq in newest.items():
            await self._take_in(table, seq)
        return items[-1].position

    async def _take_in(self, table: str, seq: int) -> None:
        live = self._tables.get(table)
        if live is None:
            await self._read_line(table, seq)
        elif live.seq < seq:
            await live.quiet()  # it may be an entry of our own, which is told as soon as its writer has its answer
            if live.seq < seq:
                await self._tables.catch_up(live)

    async def _read_line(self, table: str, seq: int) -> None:
        known = self._lobby.get(table)
        if known is not None and known.seq >= seq:
            return
        line = self._lines.setdefault(table, Line())
        head = b""
        while line.seq < seq:
            for entry in await self._store.read(table, line.seq, PAGE):
                try:
                    line.table = glance(line.table, entry.seq, entry.versions.get(PUBLIC, entry.versions[FULL]))
                except Unreadable:
                    return
                line.opened, head = line.opened or line.table.at, entry.head
        if line.table is not None:
            self._lobby.note(line.table, head, line.opened)
            if line.table.over:
                del self._lines[table]
