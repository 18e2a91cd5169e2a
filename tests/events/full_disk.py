"""Appends to a log until its files may not grow any more, makes room, and goes on. Prints how it went."""

import asyncio
import resource
import sys

from events.chain import ZERO
from events.sqlite import SqliteStore
from events.sqlite_writer import Pace
from events.store import Appended, Head, Known, Unavailable
from tests.events.samples import command, entry, table

TABLE = table(1)


def limit(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


async def main(path: str) -> None:
    store = await SqliteStore.open(path, Pace(entries_per_slice=4, checkpoint_pages=10**6))
    limit(300_000)
    failed = 0
    for key in range(200):
        answer = None
        while not isinstance(answer, Appended | Known):
            last = await store.head(TABLE) or Head(0, ZERO)
            try:
                answer = await store.append(TABLE, last.seq, entry(TABLE, last.seq + 1, last.head), command(TABLE, key))
            except Unavailable:
                failed += 1
                if failed == 5:
                    limit(resource.RLIM_INFINITY)
    print(failed, (await store.head(TABLE)).seq)  # noqa: T201
    await store.close()


asyncio.run(main(sys.argv[1]))
