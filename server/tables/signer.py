"""Receipts are signed beside the commit, by a thread of their own: Ed25519 needs no interpreter lock, the loop does."""

import asyncio
import queue
import threading
from dataclasses import dataclass

from events.receipts import Receipt, SigningKey, sign


@dataclass(frozen=True)
class _Order:
    table: str
    seq: int
    head: bytes
    done: "asyncio.Future[Receipt]"


class Signer:
    """Signs heads with one key, in the order they come."""

    def __init__(self, key: SigningKey) -> None:
        self._key = key
        self._orders: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="receipts", daemon=True)
        self._thread.start()

    def sign(self, table: str, seq: int, head: bytes) -> "asyncio.Future[Receipt]":
        """The receipt for that head, soon. Must not be shown before the entry is durable."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Receipt] = loop.create_future()
        self._orders.put(_Order(table, seq, head, done))
        return done

    def close(self) -> None:
        """Signs what is waiting and ends the thread."""
        self._orders.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (order := self._orders.get()) is not None:
            batch = [order, *self._waiting()]
            signed = [(one.done, sign(self._key, one.table, one.seq, one.head)) for one in batch]
            loop = order.done.get_loop()
            if not loop.is_closed():
                loop.call_soon_threadsafe(_deliver, signed)

    def _waiting(self) -> list[_Order]:
        found: list[_Order] = []
        while not self._orders.empty() and len(found) < 32:
            order = self._orders.get()
            if order is None:
                self._orders.put(None)
                break
            found.append(order)
        return found


def _deliver(signed: "list[tuple[asyncio.Future[Receipt], Receipt]]") -> None:
    for done, receipt in signed:
        if not done.done():
            done.set_result(receipt)
