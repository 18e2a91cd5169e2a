"""What a table needs that nobody at it does: house bots for seats that fall vacant in mid-game, where the house rules
want that (`absent`: bot), those that play again in a rematch, and the start of a full table whose server ended just
before it.

Like the clock it follows the tables' latest positions and holds no truth. Its commands have fixed ids, so that of
several nodes one seats its bot.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Literal

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

What = Seat | Literal["start", "rematch"]
"""What there is to do at a table: to fill that seat, to begin, to seat the bots of the table before."""

log = Log("vacancies")


class Vacancies:
    """Watches the tables of this process. Without house bots a vacant seat waits for whoever takes it."""

    def __init__(self, commands: Commands, accounts: Accounts, bots: BotHost) -> None:
        self._commands = commands
        self._tables = tables = commands.tables
        self._accounts = accounts
        self._bots = bots
        self._work: dict[tuple[str, What], asyncio.Task[None]] = {}
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
            self._do((live.id, "start"), self._start(live.id))
        if step.before is None and lacks_bots(table):
            self._do((live.id, "rematch"), self._seat_again(live.id))
        for seat in vacant(table) if self._bots.names else ():
            self._do((live.id, seat), self._fill(live.id, seat))

    async def _start(self, table: str) -> None:
        await self._tables.start_if_full(await self._tables.load(table))

    async def _fill(self, table: str, seat: Seat) -> None:
        live = await self._tables.load(table)
        if seat not in vacant(live.now.table):
            return
        key = f"vacancy:{table}:{seat}:{live.now.since[seat]}"
        await self._put(live, seat, self._bots.names[0], command_id("server", table, key))

    async def _put(self, live: LiveTable, seat: Seat, bot: str, name: bytes) -> None:
        """Seats a house bot by the command of that id."""
        made = self._accounts.register(f"{bot}-bot", SCOPES, bot=True)
        try:
            await self._submit(live, Command(seat, act.Sit(made.player, bot, None), name))
        except (Refused, KeyReused):  # somebody else sat down first
            self._accounts.erase(made.player)
        else:
            self._bots.seated(live.id, seat, bot, made.token)

    async def _seat_again(self, table: str) -> None:
        """Seats the house bots of the table before in their seats, each once: whoever sends one away is rid of it."""
        live = await self._tables.load(table)
        former = await self._tables.load(live.now.table.record.rematch_of or "")
        for seat, holder in enumerate(former.now.table.record.holders):
            is_free = lacks_bots(live.now.table) and live.now.table.record.holders[seat].player is None
            name = command_id("server", table, f"rematch:{seat}")
            if is_free and holder.bot in self._bots.names and await self._tables.store.find(name) is None:
                await self._put(live, seat, holder.bot, name)

    async def seated_again(self, table: str) -> None:
        """Returns when the house bots of a rematch sit."""
        task = self._work.get((table, "rematch"))
        if task is not None:
            await asyncio.wait({task})

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

    def _do(self, what: tuple[str, What], work: Coroutine[Any, Any, None]) -> None:
        if what in self._work:
            work.close()
            return
        task = asyncio.create_task(work)
        self._work[what] = task
        task.add_done_callback(lambda done: self._finished(what, done))

    def _finished(self, what: tuple[str, What], task: asyncio.Task[None]) -> None:
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


def lacks_bots(table: Table) -> bool:
    """Whether it is a rematch that has not begun, so that bots of the table before may have to be seated."""
    record = table.record
    return record.rematch_of is not None and table.status == "open" and not is_full(table)
