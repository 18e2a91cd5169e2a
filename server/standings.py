"""Keeps the standings: reads every public table once it is over, one after the other and in slices.

After a restart that is all those of the lobby, while the server is at work already; until it is done, answers say how
many tables are still to be read. A table that has just ended goes first. The log is the only input, so every start leads
to the same standings; a table that cannot be read here counts nowhere.
"""

import asyncio
from collections import OrderedDict

from events.entry import FULL
from events.store import Unavailable
from projections import codec
from projections.lobby import Lobby
from projections.standings import Played, Reading, Standings
from server.logs import Log
from server.tables.bound import Overrun
from server.tables.history import Step
from server.tables.live import LiveTable
from server.tables.shelf import BREATH, Shelf
from server.tables.stories import Runner, story_of

RETRY_SECONDS = 1.0
"""How long it waits when the store did not answer."""

log = Log("standings")


class Scorer:
    """Follows the tables of a shelf; its standings are there to be asked."""

    def __init__(self, tables: Shelf, lobby: Lobby, run: Runner) -> None:
        """`run`: what runs the rules for an entry, in bounds."""
        self.standings = Standings()
        self._tables = tables
        self._lobby = lobby
        self._run_rules = run
        self._waiting: OrderedDict[str, int] = OrderedDict()
        self._left_out: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        tables.watch(self.note)

    @property
    def pending(self) -> int:
        """How many tables are still to be read."""
        return len(self._waiting)

    def start(self) -> None:
        """Begins with what the lobby has by now."""
        for line in self._lobby:
            if line.status == "ended" and line.visibility == "public" and line.forked_from is None:
                self._add(line.id, line.seq)
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Ends, wherever it stands."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def done(self) -> None:
        """Returns when nothing is left to be read."""
        await self._idle.wait()

    def note(self, live: LiveTable, step: Step) -> None:
        """Hears of a step at a table: of interest if it was its last."""
        table = step.after.table
        record = table.record
        if record.status == "ended" and record.visibility == "public" and record.forked_from is None:
            self._add(live.id, table.seq)
            if live.id in self._waiting:
                self._waiting.move_to_end(live.id, last=False)

    def _add(self, table: str, last: int) -> None:
        if table not in self.standings and table not in self._left_out:
            self._waiting.setdefault(table, last)
            self._idle.clear()
            self._wake.set()

    # --- Reading --------------------------------------------------------------------------------------

    async def _run(self) -> None:
        while True:
            while self._waiting:
                table, last = next(iter(self._waiting.items()))
                await self._take(table, last)
                await asyncio.sleep(0)
            self._idle.set()
            self._wake.clear()
            await self._wake.wait()

    async def _take(self, table: str, last: int) -> None:
        """Counts the table, or leaves it out for as long as this process lives."""
        try:
            self.standings.note(await self._read(table, last))
        except Unavailable:
            self._waiting.move_to_end(table)
            await asyncio.sleep(RETRY_SECONDS)
            return
        except (Exception, Overrun) as error:  # noqa: BLE001  (other rules than those that wrote it may fail in any way)
            reason = error.reason if isinstance(error, codec.Unreadable) else type(error).__name__
            log.warning("not_counted", table=table, reason=reason)
            self._left_out.add(table)
        del self._waiting[table]

    async def _read(self, table: str, last: int) -> Played:
        """What counts of the table.

        Raises:
            Unavailable: the store did not answer.
            Exception, Overrun: it cannot be read by the rules at hand.
        """
        (first,) = await self._tables.store.read(table, 0, 1)
        created = codec.created(first.versions[FULL])
        live = LiveTable(table, self._tables.catalogue.rules(created.game, created.rules), to_act=False)
        reading = Reading(await story_of(self._tables, live, "all", last, run=self._run_rules))
        await asyncio.sleep(0)
        passages = reading.passages()
        while (passage := self._run_rules(lambda: next(passages, None))) is not None:
            if passage.seq % BREATH == 0:
                await asyncio.sleep(0)
        played = reading.played()
        if played is None:
            raise codec.Unreadable(last, "the log does not lead to an outcome")
        return played
