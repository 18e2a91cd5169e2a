"""The tables in memory: loaded from their logs, caught up, looked back at. Reads only."""

import asyncio
from collections.abc import Callable
from itertools import islice

from events.entry import Entry
from events.store import Store
from games import Catalogue
from games.table.rules import Rules
from projections import codec
from projections.position import Position
from server.logs import Log
from server.tables import stranger
from server.tables.errors import NoSuchTable
from server.tables.history import Step
from server.tables.live import LiveTable
from server.wire.frames import News

BREATH = 32
"""Entries that are folded in one go, before others have their turn."""

PAGE = 500

MOST = 1000
"""Tables in memory, unless more are in use."""

STRANGER = Rules(stranger)

log = Log("tables")

Watcher = Callable[[LiveTable, Step], None]


class Shelf:
    """`watch` is told of every new step at any table, after it is durable, and of the last one of a table that is
    loaded. Of more than `most` tables those that were not used for longest are put away.
    """

    def __init__(self, store: Store, catalogue: Catalogue, most: int = MOST) -> None:
        self.store = store
        self.catalogue = catalogue
        self._most = most
        self._live: dict[str, LiveTable] = {}
        self._loading: dict[str, asyncio.Task[None]] = {}
        self._watchers: list[Watcher] = []

    def watch(self, watcher: Watcher) -> None:
        """Tells the watcher of every new step at any table."""
        self._watchers.append(watcher)

    def loaded(self) -> list[LiveTable]:
        """The tables that are in memory."""
        return list(self._live.values())

    def put(self, live: LiveTable) -> None:
        """A table that was just opened."""
        self._live[live.id] = live
        self._put_away()

    def has(self, table: str) -> bool:
        """Whether the table is in memory."""
        return table in self._live

    def get(self, table: str) -> LiveTable | None:
        """The table if it is in memory."""
        return self._live.get(table)

    def on_shelf(self, live: LiveTable) -> bool:
        """Whether this is the table that everybody gets who asks for it now."""
        return self._live.get(live.id) is live

    async def load(self, table: str) -> LiveTable:
        """The table, from memory or folded from its log. Whoever begins to follow it does so before he waits again.

        Raises:
            NoSuchTable: there is no such log.
        """
        while True:
            live = self._live.pop(table, None)
            if live is not None:
                self._live[table] = live
                return live
            task = self._loading.get(table)
            if task is None:
                task = asyncio.create_task(self._read(table))
                self._loading[table] = task
                task.add_done_callback(lambda _: self._loading.pop(table, None))
            await asyncio.shield(task)

    def _put_away(self) -> None:
        """Makes room: the order of the shelf is that of the last use."""
        for table in tuple(islice(self._live, max(0, len(self._live) - self._most))):
            live = self._live.pop(table)
            if live.in_use:
                self._live[table] = live

    async def _read(self, table: str) -> None:
        try:
            first = await self.store.read(table, 0, 1)
        except ValueError:
            raise NoSuchTable(table) from None
        if not first:
            raise NoSuchTable(table)
        live = self._begin(table, first[0])
        await self.catch_up(live)
        last = live.history.last
        if last is None:
            raise NoSuchTable(table)
        if table not in self._live:
            self.put(live)
            self._tell_watchers(live, Step(last.entry, None, live.now))

    def _begin(self, table: str, first: Entry) -> LiveTable:
        """The table before its first entry, with its rules; or a stranger's, which are never asked."""
        try:
            created = codec.created(first.versions["full"])
            return LiveTable(table, self.catalogue.rules(created.game, created.rules))
        except (codec.Unreadable, KeyError):
            live = LiveTable(table, STRANGER)
            live.broken = 1
            return live

    async def catch_up(self, live: LiveTable) -> None:
        """Folds what the log has beyond the table's position."""
        async with live.reading:
            while not live.lost:
                page = await self.store.read(live.id, live.seq, PAGE)
                for entry in page:
                    if entry.seq == live.seq + 1:
                        self._receive(live, entry)
                    if entry.seq % BREATH == 0:
                        await asyncio.sleep(0)
                if len(page) < PAGE:
                    break
            if live.idle:
                live.tip = live.position
                live.stalled = False

    def _receive(self, live: LiveTable, entry: Entry) -> None:
        try:
            step = live.receive(entry)
        except codec.Unreadable:
            live.halt()
            return
        if self.on_shelf(live):
            self.tell(live, step)

    async def position_at(self, live: LiveTable, seq: int) -> Position:
        """The table after that entry: from memory, or folded from the snapshot before it."""
        found = live.history.position(seq) or live.history.snapshot(seq)
        if found is not None and found.seq == seq:
            return found
        past = LiveTable(live.id, live.rules, to_act=False)
        past.position = found
        if found is not None and live.broken is not None and found.seq >= live.broken:
            past.broken = live.broken
        for entry in await self.store.read(live.id, past.seq, seq - past.seq):
            past.receive(entry)
            if entry.seq % BREATH == 0:
                await asyncio.sleep(0)
        return past.now

    def tell(self, live: LiveTable, step: Step) -> None:
        """Tells the table's followers and the watchers of a durable step. They do not fail: nothing undoes an entry."""
        if live.followers:
            news = News(step)
            for follower in tuple(live.followers):
                follower(news)
        self._tell_watchers(live, step)

    def _tell_watchers(self, live: LiveTable, step: Step) -> None:
        for watcher in self._watchers:
            try:
                watcher(live, step)
            except Exception as error:  # noqa: BLE001  (the entry is durable, and the others have to hear of it)
                log.error("not_told", table=live.id, seq=step.after.seq, error=type(error).__name__)  # noqa: TRY400  (an error may quote what nobody may know)
