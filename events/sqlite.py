"""The log in one SQLite file: every append durable before it is answered, and those that wait committed together.

One thread writes. It takes all that waits, checks and writes it in one transaction, and commits with a single sync
(synchronous=FULL); the answers go back to the event loop in one call. Reads are small and go through a connection of
their own, on the loop: WAL readers do not wait for the writer.
"""

import asyncio
import queue
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import msgspec

from events.entry import Entry
from events.sqlite_file import open_locked
from events.store import Appended, Conflict, Found, Head, Item, Known, Unavailable, check_append

BATCH = 256
"""Appends in one transaction at the most, so that the first does not wait long for the last."""

RETRY_AFTER = 1.0
"""Seconds that a caller should wait after the disk has failed."""

INSERT = "INSERT INTO entry (table_id, seq, command, salt, leaf, head, body, versions) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
ENTRY = "SELECT seq, salt, leaf, head, body, versions FROM entry WHERE table_id = ? AND seq > ? ORDER BY seq LIMIT ?"

Result = Appended | Known | Conflict


@dataclass(slots=True)
class _Order:
    table: str
    expected: int
    entry: Entry
    command: bytes
    done: "asyncio.Future[Result]"
    result: "Result | BaseException" = field(default_factory=lambda: Unavailable("the disk failed", RETRY_AFTER))


class SqliteStore:
    """See `events.store.Store`, which says what each call promises."""

    lanes = 1

    def __init__(self, path: str | Path) -> None:
        self._lock, self._writer, self._reader = open_locked(Path(path))
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._heads: dict[str, int] = {}
        self._waiting: set[asyncio.Future[None]] = set()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)
        self._thread.start()

    # --- On the loop ---------------------------------------------------------------------------------

    def append(self, table: str, expected: int, entry: Entry, command: bytes) -> "asyncio.Future[Result]":
        """Queues the append; the future is done once it is durable, or known not to be."""
        check_append(table, expected, entry, command, 1)
        done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        if self._closed:
            done.set_exception(Unavailable("the disk failed", RETRY_AFTER))
        else:
            self._orders.put(_Order(table, expected, entry, command, done))
        return done

    async def read(self, table: str, after: int = 0, limit: int = 1000) -> list[Entry]:
        """Entries after that seq, in order."""
        return [_entry(*row) for row in self._ask(ENTRY, (table, after, limit))]

    async def head(self, table: str) -> Head | None:
        """Where the table's log ends."""
        rows = self._ask("SELECT seq, head FROM entry WHERE table_id = ? ORDER BY seq DESC LIMIT 1", (table,))
        return Head(*rows[0]) if rows else None

    async def find(self, command: bytes) -> Found | None:
        """Where the command was appended."""
        rows = self._ask("SELECT table_id, seq FROM entry WHERE command = ?", (command,))
        return Found(*rows[0]) if rows else None

    async def feed(self, lane: int, after: int = 0, limit: int = 1000) -> list[Item]:
        """What was appended after that position, over all tables."""
        if lane != 0:
            return []
        query = "SELECT position, table_id, seq FROM entry WHERE position > ? ORDER BY position LIMIT ?"
        return [Item(*row) for row in self._ask(query, (after, limit))]

    async def wait(self, lane: int, after: int, seconds: float) -> None:
        """Returns when something may be new, or the time is up."""
        if await self.feed(lane, after, 1):
            return
        hint = asyncio.get_running_loop().create_future()
        self._waiting.add(hint)
        try:
            await asyncio.wait((hint,), timeout=seconds)
        finally:
            self._waiting.discard(hint)

    async def close(self) -> None:
        """Writes what is queued, then closes the file."""
        if self._closed:
            return
        self._closed = True
        self._orders.put(None)
        await asyncio.to_thread(self._thread.join)
        self._reader.close()
        self._writer.close()
        self._lock.release()

    def _ask(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        try:
            return self._reader.execute(query, values).fetchall()
        except (apsw.BusyError, apsw.IOError, apsw.FullError, apsw.ConnectionClosedError) as error:
            raise Unavailable("the disk failed", RETRY_AFTER) from error

    # --- On the writer's thread ----------------------------------------------------------------------

    def _run(self) -> None:
        while (first := self._orders.get()) is not None:
            batch, last = self._gather(first)
            try:
                self._write(batch)
            except Exception as error:  # noqa: BLE001  (whatever it is, the callers must hear of it)
                self._undo(batch, error)
            self._deliver(batch)
            if last:
                return

    def _gather(self, first: _Order) -> tuple[list[_Order], bool]:
        batch = [first]
        while len(batch) < BATCH and not self._orders.empty():
            order = self._orders.get()
            if order is None:
                return batch, True
            batch.append(order)
        return batch, False

    def _write(self, batch: list[_Order]) -> None:
        """Checks each append, then writes those that hold, in one transaction. Checks come before the first write."""
        self._writer.execute("BEGIN IMMEDIATE")
        rows: list[tuple[Any, ...]] = []
        heads: dict[str, int] = {}
        commands: dict[bytes, int] = {}
        for order in batch:
            order.result = self._judge(order, heads, commands)
            if isinstance(order.result, Appended):
                heads[order.table] = order.entry.seq
                commands[order.command] = order.entry.seq
                rows.append(_row(order))
        self._writer.executemany(INSERT, rows)
        self._writer.execute("COMMIT")
        self._heads.update(heads)

    def _judge(self, order: _Order, heads: dict[str, int], commands: dict[bytes, int]) -> Result:
        """What becomes of the append, given what is written and what comes before it in this batch."""
        known = commands.get(order.command) or self._seq_of(order.command)
        if known is not None:
            return Known(known)
        head = heads.get(order.table)
        if head is None:
            head = self._head_of(order.table)
        return Appended(order.entry.seq) if head == order.expected else Conflict(head)

    def _seq_of(self, command: bytes) -> int | None:
        found: int | None = self._writer.execute("SELECT seq FROM entry WHERE command = ?", (command,)).get
        return found

    def _head_of(self, table: str) -> int:
        """Only this thread of this process writes, so what it knows of a table stays true."""
        if table not in self._heads:
            found = self._writer.execute("SELECT max(seq) FROM entry WHERE table_id = ?", (table,)).get
            self._heads[table] = found or 0
        return self._heads[table]

    def _undo(self, batch: list[_Order], error: Exception) -> None:
        """After a failed transaction nothing of it is there; should a commit have gone through, asking again tells."""
        self._heads.clear()
        if not self._writer.get_autocommit():
            try:
                self._writer.execute("ROLLBACK")
            except apsw.Error:
                pass
        for order in batch:
            order.result = Unavailable("the disk failed", RETRY_AFTER)
            order.result.__cause__ = error

    def _deliver(self, batch: list[_Order]) -> None:
        loops = {order.done.get_loop() for order in batch}
        for loop in loops:
            mine = batch if len(loops) == 1 else [order for order in batch if order.done.get_loop() is loop]
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._answer, mine)

    def _answer(self, batch: list[_Order]) -> None:
        for order in batch:
            if order.done.done():
                continue
            if isinstance(order.result, BaseException):
                order.done.set_exception(order.result)
            else:
                order.done.set_result(order.result)
        for hint in self._waiting:
            if not hint.done():
                hint.set_result(None)


def _row(order: _Order) -> tuple[Any, ...]:
    entry = order.entry
    others = {name: data.decode() for name, data in entry.versions.items() if name != "full"}
    return (
        order.table, entry.seq, order.command, entry.salt, entry.leaf, entry.head, entry.versions["full"].decode(),
        msgspec.json.encode(others).decode() if others else None,
    )  # fmt: skip


def _entry(seq: int, salt: bytes, leaf: bytes, head: bytes, body: str, versions: str | None) -> Entry:
    found = {"full": body.encode()}
    if versions is not None:
        found.update((name, text.encode()) for name, text in msgspec.json.decode(versions, type=dict[str, str]).items())
    return Entry(seq, salt, found, leaf, head)
