"""The one command path: load, fold, decide, append at the expected seq, answer.

A command is decided on the tip of its table, which may be ahead of what is durable by the entries that are under way;
it is answered when its own entry is durable. On a conflict the table catches up and decides again, which succeeds only
if the action is still legal. A refusal that rests on entries under way is decided again once they are durable. A
command id that the log knows is answered with its entry. A refusal changes nothing and is not remembered.
"""

import asyncio
import secrets
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from events import canonical
from events.entry import Entry
from events.ids import command_id
from events.receipts import Receipt
from events.store import Appended, Conflict, Known, Store, Unavailable
from games import Catalogue
from games.chance import Chance, Forbidden, Source
from games.core import Action, Refused, type_of
from games.table import actions as act
from games.table import decide as deciding
from games.table.record import Record
from games.table.state import Table
from projections import codec
from projections.position import Position
from server.logs import Log
from server.tables import forks
from server.tables.bound import Bound, Overrun
from server.tables.errors import InProgress, KeyReused, LogForked, NoSuchTable, OutcomeUnknown, Stale, TableFrozen
from server.tables.live import LiveTable, Made
from server.tables.randomness import fresh
from server.tables.shelf import MOST, Shelf
from server.tables.signer import Signer

log = Log("tables")

ATTEMPTS = 32
"""How often a command is decided anew when other writers are faster."""

PATIENCE = 0.05
"""Seconds until the log is asked again what became of an entry; each time twice as long, to a second."""

FreezeReason = Literal["rules", "overrun"]
"""Why a table is frozen, as its log says it: the rules failed, or thought for too long."""

Clock = Callable[[], int]
"""The time of day, in ms since 1970."""


class Command(msgspec.Struct, frozen=True):
    """What somebody wants done at a table. `by` as in an entry; `if_match`: the entry it was made for; `player`: who
    must hold the seat when it is done.
    """

    by: int | str
    action: Action
    id: bytes
    if_match: int | None = None
    player: str | None = None


class Answer(msgspec.Struct, frozen=True):
    """The entry that the command became, with the server's receipt. `replayed`: it had been done before."""

    entry: Entry
    receipt: Receipt
    replayed: bool = False


def fresh_id(player: str, table: str, key: str | None) -> bytes:
    """The command id of a player's key, or a new one when he gave none."""
    return fresh() if key is None else command_id(player, table, key)


class Tables(Shelf):
    """The tables of this process, and the only place that decides."""

    def __init__(
        self,
        store: Store,
        catalogue: Catalogue,
        signer: Signer,
        bound: Bound,
        clock: Clock | None = None,
        most: int = MOST,
    ) -> None:
        super().__init__(store, catalogue, most)
        self.now_ms = clock or now_ms
        self._signer = signer
        self._bound = bound
        self._mending: dict[LiveTable, asyncio.Task[None]] = {}

    async def create(self, table: str, action: act.Create, command: bytes) -> Answer:
        """Opens a table.

        Raises:
            Refused: the game is not for so many seats.
            msgspec.ValidationError: an option that it does not have.
            KeyReused, OutcomeUnknown: as for `submit`.
        """
        rules = self.catalogue.rules(action.game, action.rules)
        live = LiveTable(table, rules)
        at = self.now_ms()
        decision = deciding.create(rules, action, table, secrets.token_hex(32), at)
        entry, position = live.prepare(Made(decision, "server", action, at, None), fresh())
        receipt = self._signer.sign(table, 1, entry.head)
        match await self._append(table, entry, command):
            case Appended():
                step = live.accept(entry, position)
                live.tip = position
                if not self.has(table):
                    self.put(live)
                    self.tell(live, step)
                return Answer(entry, await receipt)
            case _:
                known = await self.load(table)
                return await self._answer_again(known, 1, Command("server", action, command))

    async def opened(self, table: str) -> Answer:
        """The first entry of a table that is there already.

        Raises:
            NoSuchTable: it is not.
        """
        live = await self.load(table)
        (entry,) = await self.store.read(table, 0, 1)
        return Answer(entry, await self._signer.sign(live.id, 1, entry.head), replayed=True)

    async def submit(self, live: LiveTable, command: Command) -> Answer:
        """Does what the command says, once.

        Raises:
            Refused: the rules or the table do not allow it.
            Stale, LogForked: `if_match` does not hold.
            KeyReused, InProgress: the command id was used for something else, or is running.
            OutcomeUnknown: the store failed; ask again with the same id.
        """
        if not self.on_shelf(live):
            live = await self.load(live.id)
        if command.id in live.running:
            raise InProgress
        live.running.add(command.id)
        try:
            answer = await self._submit(live, command)
            await self.start_if_full(live)
            return answer
        finally:
            live.running.discard(command.id)

    async def _submit(self, live: LiveTable, command: Command) -> Answer:
        for _ in range(ATTEMPTS):
            if live.stalled:
                await live.quiet()
                await self.catch_up(live)
            sure = live.idle
            try:
                entry, position = self._bound.run(lambda: _make(live, command, self.now_ms()))
            except (Refused, Stale, LogForked):
                if not sure:
                    await live.quiet()
                    continue
                known = await self.known(live, command)
                if known is None:
                    raise
                return known
            except (Exception, Overrun, SystemExit) as error:
                if not sure:
                    await live.quiet()
                    continue
                await self._freeze(live, command, error)
                raise TableFrozen from error
            answer = await self._write(live, command, entry, position)
            if answer is not None:
                return answer
        raise OutcomeUnknown(1)

    async def _write(self, live: LiveTable, command: Command, entry: Entry, position: Position) -> Answer | None:
        """Appends the entry and answers; None when others were faster, and it must be decided anew."""
        live.take_off(position)
        receipt = self._signer.sign(live.id, entry.seq, entry.head)
        outcome: Appended | Known | Conflict | None = None
        try:
            outcome = await self._append(live.id, entry, command.id)
        finally:
            if isinstance(outcome, Appended) and entry.seq == live.seq + 1:
                self.tell(live, live.accept(entry, position))
            else:
                live.stalled = True
                self._mend(live)
            live.land()
        match outcome:
            case Appended():
                return Answer(entry, await receipt)
            case Known(seq):
                return await self._answer_again(live, seq, command)
            case _:
                return None

    async def _append(self, table: str, entry: Entry, command: bytes) -> Appended | Known | Conflict:
        try:
            return await self.store.append(table, entry.seq - 1, entry, command)
        except Unavailable as error:
            raise OutcomeUnknown(max(1, round(error.retry_after))) from error

    async def known(self, live: LiveTable, command: Command) -> Answer | None:
        """The first answer to the command, if the log knows it."""
        found = await self._find(command.id)
        return None if found is None else await self._answer_again(live, found, command)

    async def _find(self, command: bytes) -> int | None:
        try:
            found = await self.store.find(command)
        except Unavailable as error:
            raise OutcomeUnknown(max(1, round(error.retry_after))) from error
        return None if found is None else found.seq

    async def _answer_again(self, live: LiveTable, seq: int, command: Command) -> Answer:
        """The first answer to a command that the log knows, provided that it asks for the same."""
        await self.catch_up(live)
        (entry,) = await self.store.read(live.id, seq - 1, 1)
        if canonical.encode(codec.action_in(entry.versions["full"], live.rules)) != canonical.encode(command.action):
            raise KeyReused
        return Answer(entry, await self._signer.sign(live.id, seq, entry.head), replayed=True)

    # --- After a store that did not answer -----------------------------------------------------------

    def _mend(self, live: LiveTable) -> None:
        """Finds out what became of entries that were under way, so that followers see them even if nobody acts."""
        if live not in self._mending:
            task = asyncio.create_task(self._catch_up_soon(live))
            self._mending[live] = task
            task.add_done_callback(lambda _: self._mending.pop(live, None))

    async def _catch_up_soon(self, live: LiveTable) -> None:
        wait = PATIENCE
        await live.quiet()
        while live.stalled:
            try:
                await self.catch_up(live)
            except Unavailable:
                await asyncio.sleep(wait)
                wait = min(1.0, 2 * wait)

    async def settle(self) -> None:
        """Ends what is still being found out; for the end of the process."""
        tasks = tuple(self._mending.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- What the table does by itself ---------------------------------------------------------------

    async def start_if_full(self, live: LiveTable) -> None:
        """Begins the game once the last seat is taken, or goes on with that of the table that this one was forked from."""
        record = live.now.table.record
        if record.status != "open" or any(holder.player is None for holder in record.holders):
            return
        try:
            action = act.Start() if record.forked_from is None else await forks.resumption(self, record.forked_from)
        except (forks.NoFork, NoSuchTable, LogForked, Refused) as error:
            log.error("fork_stays", table=live.id, error=type(error).__name__)  # noqa: TRY400  (the table waits)
            return
        name = f"{type_of(action)}:{live.id}"
        with suppress(Refused):  # whoever sat down has sat down, even if the game cannot begin
            await self._submit(live, Command("server", action, command_id("server", live.id, name)))

    async def _freeze(self, live: LiveTable, command: Command, error: BaseException) -> None:
        """The rules failed: says so in the log, unless it says so already."""
        log.error("rules_failed", table=live.id, seq=live.next.seq, action=type_of(command.action), error=_where(error))
        if isinstance(command.action, act.Freeze):
            return
        reason: FreezeReason = "overrun" if isinstance(error, Overrun) else "rules"
        key = f"freeze:{live.id}:{live.next.seq}"
        await self._submit(live, Command("server", act.Freeze(reason), command_id("server", live.id, key)))


def _make(live: LiveTable, command: Command, now: int) -> tuple[Entry, Position]:
    """The entry of the command on the table's tip, and the position it leads to."""
    if live.lost:
        raise TableFrozen
    position = live.next
    table = position.table
    _check_match(position, command)
    _check_holder(table.record, command)
    chance = _chance(live, table, command.action)
    known = deciding.Known(position.windows, position.asks)
    decision = deciding.decide(live.rules, table, command.by, command.action, now, chance, known)
    draw = table.record.draws if chance.used else None
    return live.prepare(Made(decision, command.by, command.action, now, draw), fresh())


def _check_match(position: Position, command: Command) -> None:
    if command.if_match is None:
        return
    if command.if_match > position.seq:
        raise LogForked(command.if_match, position.seq)
    since = position.since[command.by] if isinstance(command.by, int) else 0
    if command.if_match < since:
        raise Stale(command.if_match, position.seq)


def _check_holder(record: Record, command: Command) -> None:
    """Whoever acts must hold the seat when it comes to it: he may have left in the meantime."""
    seat, player = command.by, command.player
    if player is not None and isinstance(seat, int) and record.holders[seat].player != player:
        raise Refused("not_your_seat")


def _chance(live: LiveTable, table: Table, action: Action) -> Source:
    """What the decision draws from. The key is fixed by the start; before it nothing is drawn."""
    if table.status == "playing" or isinstance(action, act.Start):
        return Chance(live.key(table.record), table.record.draws)
    return Forbidden()


def _where(error: BaseException) -> str:
    """What failed where, without what the error says: it may quote what nobody may know."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


def now_ms() -> int:
    """The time of day."""
    return time.time_ns() // 1_000_000
