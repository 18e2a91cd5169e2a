"""The clock: plays by chance for whoever's time is up, and for seats that nobody holds where the house wants that.

It holds no truth: what it does next follows from each table's latest position, and its commands have fixed ids, so
several clocks on several nodes act once.
"""

import asyncio
import heapq

from events.ids import command_id
from games.core import Refused, Seat
from games.table import actions as act
from games.table.state import Table, deadline
from server.commands import Commands
from server.logs import Log
from server.tables.history import Step
from server.tables.live import LiveTable
from server.tables.service import Command

RETRY_MS = 1000
"""How long the clock waits when something failed, the store for example."""

LONGEST_WAIT = 60.0
"""Seconds after which it looks at the time of day anew, which may have been set."""

LAST_SECONDS = 5.0
"""How long what it does just now may take at the end."""

DISPUTE = -1
"""Stands where a seat's number does, for the vote on the table's dispute."""

Clocked = Seat
"""A seat, or the dispute."""

log = Log("clock")


class Clock:
    """Watches the tables of this process."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self._tables = tables = commands.tables
        self._due: dict[tuple[str, Clocked], int] = {}
        self._queue: list[tuple[int, str, Clocked]] = []
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        tables.watch(self.note)

    def start(self) -> None:
        """Begins to tick."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Ends, when what it does just now is done."""
        task, self._task = self._task, None
        if task is not None:
            self._wake.set()
            await asyncio.wait((task,), timeout=LAST_SECONDS)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    # --- When --------------------------------------------------------------------------------------

    def note(self, live: LiveTable, step: Step) -> None:
        """Takes in a table's new position."""
        if step.before is None or step.before.table.record is not step.after.table.record:
            self.look(live)

    def look(self, live: LiveTable) -> None:
        """Takes in when the seats of the table are due."""
        table = live.now.table
        for what in (DISPUTE, *range(len(table.record.holders))):
            self._set(live.id, what, due(table, what))

    def _set(self, table: str, seat: Clocked, at: int | None) -> None:
        key = (table, seat)
        if at is None:
            self._due.pop(key, None)
        elif self._due.get(key) != at:
            self._due[key] = at
            heapq.heappush(self._queue, (at, table, seat))
            self._tidy()
            self._wake.set()

    def _tidy(self) -> None:
        """Throws away what is out of date once it is more than what is not."""
        if len(self._queue) > 2 * len(self._due) + 64:
            self._queue = [(at, table, seat) for (table, seat), at in self._due.items()]
            heapq.heapify(self._queue)

    def next(self) -> int | None:
        """When something is due next (ms since 1970)."""
        while self._queue:
            at, table, seat = self._queue[0]
            if self._due.get((table, seat)) == at:
                return at
            heapq.heappop(self._queue)
        return None

    # --- What --------------------------------------------------------------------------------------

    async def _run(self) -> None:
        while self._task is not None:
            await self.tick()
            await self._wait()

    async def _wait(self) -> None:
        at = self.next()
        wait = LONGEST_WAIT if at is None else min(LONGEST_WAIT, max(0, at - self._tables.now_ms()) / 1000)
        try:
            async with asyncio.timeout(wait):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._wake.clear()

    async def tick(self) -> None:
        """Does everything that is due now."""
        now = self._tables.now_ms()
        while (at := self.next()) is not None and at <= now:
            _, table, seat = heapq.heappop(self._queue)
            del self._due[table, seat]
            try:
                await self._act(table, seat)
            except Exception as error:  # noqa: BLE001  (one table's trouble must not stop the clock of the others)
                if not isinstance(error, Refused):
                    log.warning("clock_failed", table=table, seat=seat, error=type(error).__name__)
                self._set(table, seat, now + RETRY_MS)

    async def _act(self, table: str, seat: Clocked) -> None:
        """Plays for the seat, or ends the vote, if that is still due; a notice that is out of date does nothing."""
        live = await self._tables.load(table)
        at = due(live.now.table, seat)
        if at is not None and at <= self._tables.now_ms():
            await self._commands.by_itself(live, _command(live, seat))
        self.look(live)


def _command(live: LiveTable, what: Clocked) -> Command:
    """What the clock does, with the id that all clocks give it."""
    dispute = live.now.table.record.dispute
    if what == DISPUTE or dispute is not None:
        key = f"clock:{live.id}:dispute:{dispute.id if dispute else 0}"
        return Command("clock", act.DisputeTimeUp(), command_id("clock", live.id, key))
    key = f"clock:{live.id}:{what}:{live.now.since[what]}"
    return Command("clock", act.TimeUp(what), command_id("clock", live.id, key))


def due(table: Table, seat: Clocked) -> int | None:
    """When chance plays for the seat (ms since 1970): at once where nobody holds it and the house says so.

    For the table's dispute: when missing votes count against it.
    """
    if seat == DISPUTE:
        dispute = table.record.dispute
        return dispute.until if dispute is not None and table.status == "disputed" else None
    if table.status != "playing" or seat not in table.course.to_act:
        return None
    if table.record.holders[seat].player is None and table.record.house.absent == "chance":
        return 0
    return deadline(table, seat)
