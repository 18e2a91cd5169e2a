"""The clock: plays by chance for whoever's time is up, and for seats that nobody holds where the house wants that.

It holds no truth: what it does next follows from each table's latest position, and its commands have fixed ids, so
several clocks on several nodes act once.
"""

import asyncio
import heapq
import logging
import time

from events.ids import command_id
from games.core import Refused, Seat
from games.table import actions as act
from games.table.state import Table, deadline
from server.tables.errors import OutcomeUnknown
from server.tables.history import Step
from server.tables.live import LiveTable
from server.tables.service import Command, Tables

RETRY_MS = 1000
"""How long the clock waits when the store did not answer."""

log = logging.getLogger("comitium.clock")


class Clock:
    """Watches the tables of this process."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._due: list[tuple[int, str, Seat]] = []
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        tables.watch(self.note)

    def start(self) -> None:
        """Begins to tick."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Ends."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def note(self, live: LiveTable, step: Step) -> None:
        """Takes in a table's new position."""
        if step.before is None or step.before.table.record is not step.after.table.record:
            self.look(live)

    def look(self, live: LiveTable) -> None:
        """Takes in when the seats of the table are due."""
        for seat in live.now.table.course.to_act:
            at = due(live.now.table, seat)
            if at is not None:
                heapq.heappush(self._due, (at, live.id, seat))
                self._wake.set()

    async def _run(self) -> None:
        while True:
            wait = None if not self._due else max(0.0, self._due[0][0] - _now_ms()) / 1000
            try:
                await asyncio.wait_for(self._wake.wait(), wait)
            except TimeoutError:
                pass
            self._wake.clear()
            while self._due and self._due[0][0] <= _now_ms():
                _, table, seat = heapq.heappop(self._due)
                await self._act(table, seat)

    async def _act(self, table: str, seat: Seat) -> None:
        """Plays for the seat if it is still due; a notice that is out of date does nothing."""
        live = await self._tables.load(table)
        now = live.now
        at = due(now.table, seat)
        if at is None or at > _now_ms() or seat not in now.table.course.to_act:
            return
        key = f"clock:{table}:{seat}:{now.since[seat]}"
        try:
            await self._tables.submit(live, Command("clock", act.TimeUp(seat), command_id("clock", table, key)))
        except Refused:
            return
        except OutcomeUnknown:
            heapq.heappush(self._due, (_now_ms() + RETRY_MS, table, seat))
            return
        if live.now.table.course.to_act:
            self.look(live)


def due(table: Table, seat: Seat) -> int | None:
    """When chance plays for the seat (ms since 1970): at once where nobody holds it and the house says so."""
    if table.status != "playing":
        return None
    if table.record.holders[seat].player is None and table.record.house.absent == "chance":
        return 0
    return deadline(table, seat)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
