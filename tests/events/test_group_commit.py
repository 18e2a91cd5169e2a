"""Whoever waits together is committed together: many callers share one fsync."""

import asyncio
import shutil

from events.sqlite import SqliteStore
from events.sqlite_writer import Pace
from events.store import Appended
from tests.events.samples import check_log, command, entries, table

WAL_HEADER, FRAME_HEADER, PAGE = 32, 24, 4096
KEEP_THE_WAL = Pace(entries_per_slice=10**6, checkpoint_pages=10**6)


def commits(wal):
    """How many transactions a write-ahead log holds: frames whose header has a database size end one.

    See https://www.sqlite.org/fileformat2.html#the_write_ahead_log
    """
    data = wal.read_bytes()[WAL_HEADER:]
    frames = range(0, len(data), FRAME_HEADER + PAGE)
    return sum(1 for at in frames if int.from_bytes(data[at + 4 : at + 8], "big"))


async def callers(store, count, each):
    """So many callers, each waiting for its own answer before it asks again."""

    async def one(number):
        name = table(number)
        for made in entries(name, each):
            assert await store.append(name, made.seq - 1, made, command(name, made.seq)) == Appended(made.seq)

    await asyncio.gather(*(one(number) for number in range(count)))


def test_callers_who_wait_together_share_a_commit(tmp_path):
    async def main():
        store = await SqliteStore.open(tmp_path / "log.sqlite", KEEP_THE_WAL)
        before = commits(tmp_path / "log.sqlite-wal")
        await callers(store, 50, 10)
        return store, commits(tmp_path / "log.sqlite-wal") - before

    async def run():
        store, made = await main()
        # 500 appends in 10 rounds of 50; a round may be torn in two when the writer is faster than the loop.
        assert 10 <= made <= 40
        await store.close()

    asyncio.run(run())


def test_a_caller_alone_is_not_kept_waiting_for_company(tmp_path):
    async def main():
        store = await SqliteStore.open(tmp_path / "log.sqlite", KEEP_THE_WAL)
        before = commits(tmp_path / "log.sqlite-wal")
        await callers(store, 1, 20)
        assert commits(tmp_path / "log.sqlite-wal") - before == 20
        await store.close()

    asyncio.run(main())


def test_an_answered_append_is_in_the_files(tmp_path):
    async def main():
        store = await SqliteStore.open(tmp_path / "log.sqlite")
        await callers(store, 20, 5)
        # The files as they are now, while the store is open: what a copy of the disk would hold.
        copy = tmp_path / "copy"
        copy.mkdir()
        for name in ("log.sqlite", "log.sqlite-wal"):
            shutil.copy(tmp_path / name, copy / name)
        other = await SqliteStore.open(copy / "log.sqlite")
        for number in range(20):
            log = await other.read(table(number))
            check_log(log)
            assert len(log) == 5
        assert [item.position for item in await other.feed(0)] == list(range(1, 101))
        await other.close()
        await store.close()

    asyncio.run(main())
