"""Receipts, signed in one go for all heads of one turn of the event loop, while their entries are being written.

One signature serves the whole turn (events.receipts), so it is made right here: a thread would have to fight for the
interpreter's lock after each signature, and on a busy server that takes longer than signing.
"""

import asyncio

from events.receipts import Receipt, SigningKey, sign_many


class Signer:
    """Signs heads with one key."""

    def __init__(self, key: SigningKey) -> None:
        self._key = key
        self._heads: list[tuple[str, int, bytes]] = []
        self._futures: list[asyncio.Future[Receipt]] = []

    def sign(self, table: str, seq: int, head: bytes) -> asyncio.Future[Receipt]:
        """The receipt for that head, soon. Must not be shown before the entry is durable."""
        loop = asyncio.get_running_loop()
        if not self._heads:
            loop.call_soon(self._sign_all)
        done: asyncio.Future[Receipt] = loop.create_future()
        self._heads.append((table, seq, head))
        self._futures.append(done)
        return done

    def _sign_all(self) -> None:
        heads, futures = self._heads, self._futures
        self._heads, self._futures = [], []
        for done, receipt in zip(futures, sign_many(self._key, heads), strict=True):
            if not done.done():  # its caller may have gone
                done.set_result(receipt)
