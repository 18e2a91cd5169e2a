"""What a table needs that nobody at it does: house bots for seats that fall vacant in mid-game, where the house rules
want that (`absent`: bot), and the start of a full table whose server ended just before it.

Like the clock it follows the tables' latest positions and holds no truth. Its commands have fixed ids, so that of
several nodes one seats its bot.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

from events.ids import command_id
from events.store import Unavailable
from games.core import Refused, Seat
from games.table import actions as act
from games.table.state import Table
from server.accounts import Accounts, UnknownPlayer
from server.accounts.ports import Scope
from server.bots import BotHost
from server.commands import Commands
from server.logs import Log
from server.tables.errors import KeyReused, OutcomeUnknown
from server.tables.history import Step
from server.tables.live import LiveTable
from server.tables.service import Command

RETRY_SECONDS = 1.0
"""How long it waits when the store did not answer."""

SCOPES: tuple[Scope, ...] = ("play", "read")

log = Log("vacancies")


class Vacancies:
    """Watches the tables of this process. Without house bots a vacant seat waits for whoever takes it."""

    def __init__(self, commands: Commands, accounts: Accounts, bots: BotHost) -> None:
        self._commands = commands
        self._tables = tables = commands.tables
        self._accounts = accounts
        self._bots = bots
        self._work: dict[tuple[str, Seat | None], asyncio.Task[None]] = {}
        tables.watch(self.note)

    async def stop(self) -> None:
        """Ends."""
        tasks = tuple(self._work.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def done(self) -> None:
        """Returns when there is nothing to do any more."""
        while self._work:
            await asyncio.gather(*self._work.values(), return_exceptions=True)

    # --- Seats ---------------------------------------------------------------------------------------

    def note(self, live: LiveTable, step: Step) -> None:
        """Takes in a table's new position."""
        if step.before is not None and step.before.table.record is step.after.table.record:
            return
        table = step.after.table
        if step.before is None and is_full(table):
            self._do((live.id, None), self._start(live.id))
        for seat in vacant(table) if self._bots.names else ():
            self._do((live.id, seat), self._fill(live.id, seat))

    async def _start(self, table: str) -> None:
        await self._tables.start_if_full(await self._tables.load(table))

    async def _fill(self, table: str, seat: Seat) -> None:
        live = await self._tables.load(table)
        if seat not in vacant(live.now.table):
            return
        bot = self._bots.names[0]
        made = self._accounts.register(f"{bot}-bot", SCOPES, bot=True)
        key = f"vacancy:{table}:{seat}:{live.now.since[seat]}"
        command = Command(seat, act.Sit(made.player, bot, None), command_id("server", table, key))
        try:
            await self._submit(live, command)
        except (Refused, KeyReused):  # somebody else sat down first
            self._accounts.erase(made.player)
        else:
            self._bots.seated(table, seat, bot, made.token)

    async def _submit(self, live: LiveTable, command: Command) -> None:
        while True:
            try:
                await self._commands.by_itself(live, command)
            except (OutcomeUnknown, Unavailable):
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return

    # --- After a restart -----------------------------------------------------------------------------

    def wake_bots(self, table: Table) -> None:
        """Tells of the bots that sit at a table which is not over; their former tokens are gone with the process."""
        for seat, holder in enumerate(table.record.holders):
            if holder.player is None or holder.bot not in self._bots.names or table.over:
                continue
            try:
                issued = self._accounts.issue(holder.player, SCOPES, within=SCOPES)
            except UnknownPlayer:
                log.warning("bot_unknown", table=table.record.table, seat=seat)
                continue
            self._bots.seated(table.record.table, seat, holder.bot, issued.token)

    def _do(self, what: tuple[str, Seat | None], work: Coroutine[Any, Any, None]) -> None:
        if what in self._work:
            work.close()
            return
        task = asyncio.create_task(work)
        self._work[what] = task
        task.add_done_callback(lambda done: self._finished(what, done))

    def _finished(self, what: tuple[str, Seat | None], task: asyncio.Task[None]) -> None:
        del self._work[what]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.warning("vacancy_stays", table=what[0], seat=what[1], error=type(error).__name__)


def vacant(table: Table) -> tuple[Seat, ...]:
    """The seats that wait for a house bot."""
    if table.status != "playing" or table.record.house.absent != "bot":
        return ()
    return tuple(seat for seat, holder in enumerate(table.record.holders) if holder.player is None)


def is_full(table: Table) -> bool:
    """Whether all have sat down, and the game has not begun."""
    return table.status == "open" and all(holder.player is not None for holder in table.record.holders)
