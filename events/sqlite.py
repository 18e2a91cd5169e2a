"""A store in one SQLite file: the embedded default.

One thread writes. The requests of one turn of the event loop are handed to it together; it takes whatever waits, decides
each request, and commits all at once (group commit, `synchronous=FULL`), so that fifty callers share one fsync. Their
answers go back to the loop in one piece. Readers have connections of their own, and see what is committed.

    append -> _requests -- end of the turn --> _jobs -> Writer.write -> COMMIT -> _deliver -> the callers
"""

import asyncio
import logging
import os
import queue
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import TypeVar, TypeVarTuple

import apsw

from events.bell import Bell
from events.entry import Entry
from events.sqlite_file import hold, open_log, open_reader, sentences
from events.sqlite_reader import Reader
from events.sqlite_writer import Pace, Request, Writer, request
from events.store import Answer, Found, Head, Item, Unavailable, check_append, check_lane, check_range, lane_of

INLINE = 50
"""So many entries are read at once on the event loop, which is faster than asking a thread; more by a thread."""

_logger = logging.getLogger(__name__)
_PACE = Pace()
_Future = asyncio.Future[Answer]
_Job = tuple[list[Request], list[_Future]]
_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")

# Errors that one request may cause for itself; all others (disk full, I/O) concern the whole batch.
_OWN_FAULT = (apsw.ConstraintError, apsw.TooBigError)


class SqliteStore:
    """Made by `open`, and bound to the event loop that it was opened on."""

    lanes = 1

    def __init__(self, path: str | os.PathLike[str], pace: Pace) -> None:
        """Only `open` calls this: until the file is open nothing works."""
        self._path = Path(path).resolve()  # two names of one file are one file
        self._pace = pace
        self._loop = asyncio.get_running_loop()
        self._opened: asyncio.Future[None] = self._loop.create_future()
        self._requests: list[Request] = []
        self._futures: list[_Future] = []
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._bell = Bell()
        self._closed = False
        self._near: Reader  # on the loop
        self._far: Reader  # on _reading
        self._position: int
        self._reading = ThreadPoolExecutor(1, "log-reader")
        # A daemon, so that a process which never closes its store can still end; what was acknowledged is safe.
        self._writing = threading.Thread(target=self._write, name="log-writer", daemon=True)

    @classmethod
    async def open(cls, path: str | os.PathLike[str], pace: Pace = _PACE) -> "SqliteStore":
        """Open the file, or make it. Raises StoreError, with one sentence that says why it cannot be used."""
        store = cls(path, pace)
        store._writing.start()
        try:
            await store._opened
        except BaseException:
            store._jobs.put(None)
            raise
        return store

    def append(self, table: str, expected: int, entry: Entry, command: bytes) -> Awaitable[Answer]:
        check_append(table, expected, entry, command, self.lanes)
        if self._closed:
            raise Unavailable("the log is closed")
        if not self._requests:
            self._loop.call_soon(self._hand_over)
        future = self._loop.create_future()
        self._requests.append(request(table, expected, entry, command))
        self._futures.append(future)
        return future

    async def read(self, table: str, after: int = 0, limit: int = 1000) -> list[Entry]:
        lane_of(table)
        check_range(after, limit)
        if limit > INLINE:
            head = await self.head(table)
            limit = min(limit, max(head.seq - after, 0)) if head else 0
        if limit > INLINE:
            return await self._elsewhere(self._far.read, table, after, limit)
        return self._here(self._near.read, table, after, limit)

    async def head(self, table: str) -> Head | None:
        lane_of(table)
        return self._here(self._near.head, table)

    async def find(self, command: bytes) -> Found | None:
        return self._here(self._near.find, command)

    async def feed(self, lane: int, after: int = 0, limit: int = 1000) -> list[Item]:
        check_lane(lane, self.lanes)
        check_range(after, limit)
        limit = min(limit, max(self._position - after, 0))
        if limit > INLINE:
            return await self._elsewhere(self._far.feed, after, limit)
        return self._here(self._near.feed, after, limit)

    async def wait(self, lane: int, after: int, timeout: float) -> None:  # noqa: ASYNC109 - a hint, not an error, ends it
        check_lane(lane, self.lanes)
        if self._position <= after and not self._closed:
            await self._bell.wait(timeout)

    async def close(self) -> None:
        if self._closed:
            return
        self._hand_over()
        self._closed = True
        self._bell.ring()
        await asyncio.to_thread(self._reading.shutdown)
        self._jobs.put(None)
        await asyncio.to_thread(self._writing.join)

    # --- on the event loop ---

    def _hand_over(self) -> None:
        if self._requests:
            self._jobs.put((self._requests, self._futures))
            self._requests, self._futures = [], []

    def _begin(self, near: Reader, far: Reader, position: int) -> None:
        self._near, self._far, self._position = near, far, position
        _resolve(self._opened, None)

    def _deliver(self, futures: list[_Future], answers: list[Answer | Unavailable], position: int) -> None:
        for future, answer in zip(futures, answers, strict=True):
            _resolve(future, answer)
        self._position = position
        self._bell.ring()

    def _here(self, read: Callable[[*_Ts], _T], *args: *_Ts) -> _T:
        if self._closed:
            raise Unavailable("the log is closed")
        try:
            return read(*args)
        except apsw.Error as error:
            raise Unavailable(f"the log cannot be read: {error}") from error

    async def _elsewhere(self, read: Callable[[*_Ts], _T], *args: *_Ts) -> _T:
        if self._closed:
            raise Unavailable("the log is closed")
        return await self._loop.run_in_executor(self._reading, lambda: self._here(read, *args))

    # --- on the writing thread ---

    def _write(self) -> None:
        with ExitStack() as files:
            try:
                writer, near, far = self._open(files)
            except Exception as error:  # noqa: BLE001 - whoever opens is told, not the thread
                files.close()  # first, for whoever is told may try again at once
                self._tell(_resolve, self._opened, error)
                return
            self._tell(self._begin, near, far, writer.position)
            while batch := self._next_batch():
                requests, futures = batch
                answers = _answer(writer, requests)
                self._tell(self._deliver, futures, answers, writer.position)
                _tidy(writer)

    def _open(self, files: ExitStack) -> tuple[Writer, Reader, Reader]:
        with sentences(self._path):
            files.enter_context(closing(hold(self._path)))
            writer = files.enter_context(closing(Writer(open_log(self._path), self._pace)))
            near, far = (files.enter_context(closing(Reader(open_reader(self._path), writer.tail))) for _ in range(2))
        return writer, near, far

    def _next_batch(self) -> _Job | None:
        """All that waits; None when the store is closed and everything has been taken."""
        job = self._jobs.get()
        if job is None:
            return None
        requests, futures = job
        while not self._jobs.empty():
            more = self._jobs.get()
            if more is None:
                self._jobs.put(None)
                break
            requests += more[0]
            futures += more[1]
        return requests, futures

    def _tell(self, callback: Callable[[*_Ts], None], *args: *_Ts) -> None:
        with suppress(RuntimeError):  # the loop was closed before the store was: nobody waits any more
            self._loop.call_soon_threadsafe(callback, *args)


def _resolve(future: asyncio.Future[_T], result: _T | Exception) -> None:
    if future.done():  # its caller may have gone
        return
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)


def _answer(writer: Writer, requests: list[Request]) -> list[Answer | Unavailable]:
    try:
        return [*writer.write(requests)]
    except _OWN_FAULT as error:
        if len(requests) > 1:  # the others need not suffer
            return [answer for alone in requests for answer in _answer(writer, [alone])]
        return [_unavailable(error)]
    except Exception as error:  # noqa: BLE001 - the callers are told, and the thread goes on
        return [_unavailable(error) for _ in requests]


def _tidy(writer: Writer) -> None:
    try:
        writer.tidy()
    except Exception:
        # It only makes later work cheaper, and is tried again after more entries; every answer before it holds.
        _logger.exception("The log goes on, but its indexes or its write-ahead log could not be tidied up.")


def _unavailable(error: Exception) -> Unavailable:
    told = Unavailable(f"the log cannot be written: {error}")
    told.__cause__ = error
    return told
