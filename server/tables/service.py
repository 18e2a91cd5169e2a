"""The one command path: load, fold, decide, append at the expected seq, answer.

On a conflict the table catches up and decides again, which succeeds only if the action is still legal. A command id
that the log knows is answered with its entry. A refusal changes nothing and is not remembered.
"""

import asyncio
import os
import time
from collections.abc import Callable

import msgspec

from events.entry import Entry
from events.receipts import Receipt
from events.ids import command_id
from events.store import Appended, Conflict, Known, Store, Unavailable
from games import Catalogue
from games.chance import Chance, Forbidden, Source
from games.core import Action, Refused
from games.table import actions as act
from games.table import decide as deciding
from games.table.draft import Unsound
from games.table.state import Table
from projections import codec
from projections.position import Position
from server.tables.bound import Bound, Overrun
from server.tables.errors import (
    InProgress,
    KeyReused,
    LogForked,
    NoSuchTable,
    OutcomeUnknown,
    Stale,
    TableFrozen,
)
from server.tables.history import Step
from server.tables.live import LiveTable, Made
from server.tables.signer import Signer
from server.wire.frames import News

ATTEMPTS = 32
"""How often a command is decided anew when other writers are faster."""

PAGE = 500


class Command(msgspec.Struct, frozen=True):
    """What somebody wants done at a table. `by` as in an entry; `if_match`: the entry it was made for."""

    by: int | str
    action: Action
    id: bytes
    if_match: int | None = None


class Answer(msgspec.Struct, frozen=True):
    """The entry that the command became, with the server's receipt. `replayed`: it had been done before."""

    entry: Entry
    receipt: Receipt
    replayed: bool = False


Watcher = Callable[[LiveTable, Step], None]


def fresh_id(player: str, table: str, key: str | None) -> bytes:
    """The command id of a player's key, or a new one when he gave none."""
    return os.urandom(32) if key is None else command_id(player, table, key)


class Tables:
    """The tables of this process. `watch` is told of every new step, after it is durable."""

    def __init__(self, store: Store, catalogue: Catalogue, signer: Signer, bound: Bound) -> None:
        self.store = store
        self.catalogue = catalogue
        self._signer = signer
        self._bound = bound
        self._live: dict[str, LiveTable] = {}
        self._loading: dict[str, asyncio.Task[LiveTable]] = {}
        self._watchers: list[Watcher] = []

    def watch(self, watcher: Watcher) -> None:
        """Tells the watcher of every new step at any table."""
        self._watchers.append(watcher)

    def loaded(self) -> list[LiveTable]:
        """The tables that are in memory."""
        return list(self._live.values())

    # --- Reading -------------------------------------------------------------------------------------

    async def load(self, table: str) -> LiveTable:
        """The table, from memory or folded from its log.

        Raises:
            NoSuchTable: there is no such log.
        """
        live = self._live.get(table)
        if live is not None:
            return live
        task = self._loading.get(table)
        if task is None:
            task = asyncio.create_task(self._read(table))
            self._loading[table] = task
            task.add_done_callback(lambda _: self._loading.pop(table, None))
        return await asyncio.shield(task)

    async def _read(self, table: str) -> LiveTable:
        try:
            first = await self.store.read(table, 0, 1)
        except ValueError:
            raise NoSuchTable(table) from None
        if not first:
            raise NoSuchTable(table)
        created = codec.created(first[0].versions["full"])
        try:
            rules = self.catalogue.rules(created.game, created.rules)
        except KeyError:
            raise NoSuchTable(table) from None
        live = LiveTable(table, rules)
        await self.catch_up(live)
        self._live[table] = live
        return live

    async def catch_up(self, live: LiveTable) -> None:
        """Folds what others have appended; stops, and says so, at an entry that cannot be read exactly."""
        while live.broken is None:
            page = await self.store.read(live.id, live.seq, PAGE)
            for entry in page:
                try:
                    step = live.receive(entry)
                except (codec.Unreadable, LookupError, TypeError, ValueError) as error:
                    live.broken = (
                        error
                        if isinstance(error, codec.Unreadable)
                        else codec.Unreadable(entry.seq, type(error).__name__)
                    )
                    return
                self._tell(live, step)
            if len(page) < PAGE:
                return

    async def position_at(self, live: LiveTable, seq: int) -> Position:
        """The table after that entry: from memory, or folded from the snapshot before it."""
        found = live.history.position(seq) or live.history.snapshot(seq)
        if found is not None and found.seq == seq:
            return found
        past = LiveTable(live.id, live.rules)
        past.position = found
        for entry in await self.store.read(live.id, past.seq, seq - past.seq):
            past.receive(entry)
        return past.now

    # --- Writing -------------------------------------------------------------------------------------

    async def create(self, table: str, action: act.Create, command: bytes) -> Answer:
        """Opens a table.

        Raises:
            Refused: the game is not for so many seats, or does not exist.
            msgspec.ValidationError: an option that it does not have.
            KeyReused, OutcomeUnknown: as for `submit`.
        """
        rules = self.catalogue.rules(action.game, action.rules)
        live = LiveTable(table, rules)
        at = _now_ms()
        decision = deciding.create(rules, action, table, os.urandom(32).hex(), at)
        entry, position = live.prepare(Made(decision, "server", action, at, None), os.urandom(32))
        receipt = self._signer.sign(table, 1, entry.head)
        match await self._append(table, 0, entry, command):
            case Appended():
                self._live[table] = live
                self._tell(live, live.accept(entry, position))
                return Answer(entry, await receipt)
            case _:
                known = await self.load(table)
                return await self._answer_again(known, 1, Command("server", action, command))

    async def submit(self, live: LiveTable, command: Command) -> Answer:
        """Does what the command says, once.

        Raises:
            Refused: the rules or the table do not allow it.
            Stale, LogForked: `if_match` does not hold.
            KeyReused, InProgress: the command id was used for something else, or is running.
            OutcomeUnknown: the store failed; ask again with the same id.
        """
        if command.id in live.running:
            raise InProgress
        live.running.add(command.id)
        try:
            async with live.lock:
                answer = await self._submit(live, command)
                await self._start_if_full(live)
                return answer
        finally:
            live.running.discard(command.id)

    async def _submit(self, live: LiveTable, command: Command) -> Answer:
        for _ in range(ATTEMPTS):
            try:
                made = self._decide(live, command)
            except (Refused, Stale, LogForked):
                known = await self._known(live, command)
                if known is None:
                    raise
                return known
            except (Overrun, Unsound, ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
                await self._freeze(live, error)
                raise TableFrozen from error
            entry, position = live.prepare(made, os.urandom(32))
            receipt = self._signer.sign(live.id, entry.seq, entry.head)
            match await self._append(live.id, live.seq, entry, command.id):
                case Appended():
                    self._tell(live, live.accept(entry, position))
                    return Answer(entry, await receipt)
                case Known(seq):
                    await self.catch_up(live)
                    return await self._answer_again(live, seq, command)
                case Conflict():
                    await self.catch_up(live)
        raise OutcomeUnknown(1)

    def _decide(self, live: LiveTable, command: Command) -> Made:
        if live.broken is not None:
            raise TableFrozen
        table = live.now.table
        _check_match(live, command)
        at = max(_now_ms(), table.at)
        chance = _chance(live, table, command.action)
        decision = self._bound.run(lambda: deciding.decide(live.rules, table, command.by, command.action, at, chance))
        draw = table.record.draws if chance.used else None
        return Made(decision, command.by, command.action, at, draw)

    async def _append(self, table: str, expected: int, entry: Entry, command: bytes) -> Appended | Known | Conflict:
        try:
            return await self.store.append(table, expected, entry, command)
        except Unavailable as error:
            raise OutcomeUnknown(max(1, round(error.retry_after))) from error

    async def _known(self, live: LiveTable, command: Command) -> Answer | None:
        found = await self.store.find(command.id)
        if found is None:
            return None
        await self.catch_up(live)
        return await self._answer_again(live, found.seq, command)

    async def _answer_again(self, live: LiveTable, seq: int, command: Command) -> Answer:
        """The first answer to a command that the log knows, provided that it asks for the same."""
        (entry,) = await self.store.read(live.id, seq - 1, 1)
        body = codec.decode(live.rules, seq, entry.versions["full"])
        if body.action != msgspec.to_builtins(command.action):
            raise KeyReused
        return Answer(entry, await self._signer.sign(live.id, seq, entry.head), replayed=True)

    # --- What the table does by itself ---------------------------------------------------------------

    async def _start_if_full(self, live: LiveTable) -> None:
        table = live.now.table
        if table.status == "open" and all(holder.player is not None for holder in table.record.holders):
            await self._submit(live, Command("server", act.Start(), command_id("server", live.id, f"start:{live.id}")))

    async def _freeze(self, live: LiveTable, error: BaseException) -> None:
        reason = "overrun" if isinstance(error, Overrun) else "rules"
        for _ in range(ATTEMPTS):
            table: Table = live.now.table
            if table.status == "frozen" or table.over:
                return
            made = self._decide(live, Command("server", act.Freeze(reason), b""))
            entry, position = live.prepare(made, os.urandom(32))
            outcome = await self._append(live.id, live.seq, entry, os.urandom(32))
            if isinstance(outcome, Appended):
                self._tell(live, live.accept(entry, position))
                return
            await self.catch_up(live)

    def _tell(self, live: LiveTable, step: Step) -> None:
        news = News(step)
        for follower in tuple(live.followers):
            follower(news)
        for watcher in self._watchers:
            watcher(live, step)


def _check_match(live: LiveTable, command: Command) -> None:
    if command.if_match is None:
        return
    if command.if_match > live.seq:
        raise LogForked(command.if_match, live.seq)
    since = live.now.since[command.by] if isinstance(command.by, int) else 0
    if command.if_match < since:
        raise Stale(command.if_match, live.seq)


def _chance(live: LiveTable, table: Table, action: Action) -> Source:
    """What the decision draws from. The key is fixed by the start; before it nothing is drawn."""
    if table.status == "playing" or isinstance(action, act.Start):
        return Chance(live.key(), table.record.draws)
    return Forbidden()


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
