"""What is particular to the store in a SQLite file: the file itself, who may open it, and what the shell shows."""

import asyncio
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from events.entry import FULL
from events.sqlite import SqliteStore
from events.sqlite_writer import Pace
from events.store import Appended, Item, Known, StoreError, Unavailable
from tests.events.samples import check_log, command, entries, entry, table

ROOT = Path(__file__).parents[2]
ONE, TWO = table(1), table(2)


def run(path, scenario, pace=Pace()):  # noqa: B008 - frozen
    async def main():
        store = await SqliteStore.open(path, pace)
        try:
            return await scenario(store)
        finally:
            await store.close()

    return asyncio.run(main())


async def fill(store, name, count):
    made = entries(name, count)
    await asyncio.gather(*(store.append(name, e.seq - 1, e, command(name, e.seq)) for e in made))
    return made


async def nothing(_store):
    pass


# --- one process per file ---


def test_a_second_opener_is_refused_in_one_sentence(tmp_path):
    async def second(store):
        with pytest.raises(StoreError, match=r"log\.sqlite is in use by another process; one process per file$"):
            await SqliteStore.open(tmp_path / "log.sqlite")
        (tmp_path / "alias").symlink_to(tmp_path / "log.sqlite")
        with pytest.raises(StoreError, match="in use"):
            await SqliteStore.open(tmp_path / "alias")
        await fill(store, ONE, 1)

    run(tmp_path / "log.sqlite", second)
    run(tmp_path / "log.sqlite", nothing)


def test_another_process_is_refused_until_the_first_is_gone(tmp_path):
    path = tmp_path / "log.sqlite"
    holder = subprocess.Popen(
        [sys.executable, "-m", "tests.events.appender", path, "--then", "sleep"], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert holder.stdout.readline()  # it has the file open
    with pytest.raises(StoreError, match="in use"):
        run(path, nothing)
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    run(path, nothing)  # nothing stale is left of a killed process


# --- what cannot be opened ---


def refused(path, words):
    with pytest.raises(StoreError, match=words) as told:
        run(path, nothing)
    assert str(told.value).startswith(str(path))
    assert "\n" not in str(told.value)


def test_a_missing_folder(tmp_path):
    refused(tmp_path / "no" / "log.sqlite", "there is no folder")


def test_a_folder(tmp_path):
    refused(tmp_path, "it is a folder")


def test_a_text_file(tmp_path):
    (tmp_path / "log.sqlite").write_text("Dear diary, " * 100)
    refused(tmp_path / "log.sqlite", "not a SQLite database")
    assert (tmp_path / "log.sqlite").read_text() == "Dear diary, " * 100


def test_the_file_of_another_application_is_left_as_it_is(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE photo (name)")
    other.close()
    before = path.read_bytes()
    refused(path, "another application made it")
    assert path.read_bytes() == before


def test_a_file_marked_by_another_application(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA application_id = 7")
    other.close()
    refused(path, "another application made it")


def test_a_log_of_a_newer_format_is_not_guessed_at(tmp_path):
    path = tmp_path / "log.sqlite"
    run(path, nothing)
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version = 2")
    newer.close()
    refused(path, r"written by a newer Comitium \(format 2; this one knows 1\)")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written(tmp_path):
    path = tmp_path / "log.sqlite"
    run(path, nothing)
    path.chmod(0o400)
    refused(path, "cannot be opened")


def test_an_empty_file_becomes_a_log(tmp_path):
    (tmp_path / "log.sqlite").touch()
    run(tmp_path / "log.sqlite", nothing)


def test_a_refused_opening_holds_nothing(tmp_path):
    path = tmp_path / "log.sqlite"
    path.write_text("Dear diary, " * 100)
    for _ in range(3):
        refused(path, "not a SQLite database")
    path.unlink()
    run(path, nothing)


# --- readable by hand ---


def test_the_file_can_be_read_with_nothing_but_sqlite(tmp_path):
    path = tmp_path / "log.sqlite"
    made = run(path, lambda store: fill(store, ONE, 8))
    shell = sqlite3.connect(path)
    kept = shell.execute("SELECT seq, full, others, hex(head) FROM entry WHERE table_id = ? ORDER BY seq", (ONE,))
    for one, (seq, full, others, head) in zip(made, kept.fetchall(), strict=True):
        assert (seq, full.encode(), head) == (one.seq, one.versions[FULL], one.head.hex().upper())
        shown = {name: json.loads(data) for name, data in one.versions.items() if name != FULL}
        assert (json.loads(others) if others else {}) == shown
    (count,) = shell.execute("SELECT count(*) FROM place JOIN command USING (position)").fetchone()
    assert count == 8  # closing leaves the indexes complete
    assert shell.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    shell.close()
    assert not path.with_name("log.sqlite-wal").exists()


@pytest.mark.parametrize("edit", ["UPDATE entry SET full = '{}'", "DELETE FROM entry WHERE seq = 3"])
def test_the_file_itself_refuses_to_be_edited(tmp_path, edit):
    path = tmp_path / "log.sqlite"
    run(path, lambda store: fill(store, ONE, 3))
    shell = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="the log is never edited"):
        shell.execute(edit)
    shell.close()


def test_the_log_can_be_read_by_others_while_it_is_written(tmp_path):
    path = tmp_path / "log.sqlite"

    async def both(store):
        await fill(store, ONE, 5)
        shell = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        assert shell.execute("SELECT count(*) FROM entry").fetchone() == (5,)
        await fill(store, TWO, 5)
        assert shell.execute("SELECT count(*) FROM entry").fetchone() == (10,)
        shell.close()

    run(path, both)


def test_the_file_names_its_application_and_format(tmp_path):
    run(tmp_path / "log.sqlite", nothing)
    header = (tmp_path / "log.sqlite").read_bytes()[:100]
    assert header[68:72] == b"Comi"
    assert int.from_bytes(header[60:64], "big") == 1


# --- the indexes lag behind, and nobody notices ---


def test_a_log_whose_indexes_are_missing_is_whole_when_it_is_opened(tmp_path):
    path = tmp_path / "log.sqlite"
    made = run(path, lambda store: fill(store, ONE, 40))
    shell = sqlite3.connect(path)
    with shell:
        shell.execute("DELETE FROM place")
        shell.execute("DELETE FROM command")
        shell.execute("UPDATE indexed SET position = 0")
    shell.close()

    async def again(store):
        assert await store.read(ONE) == made
        assert await store.append(ONE, 0, made[0], command(ONE, 17)) == Known(17)

    run(path, again)


def test_a_copy_taken_between_two_slices_is_whole(tmp_path):
    async def copies(store):
        for number in range(1, 9):
            await fill(store, table(number), 5)
            copy = tmp_path / f"copy {number}"
            copy.mkdir()
            for name in ("log.sqlite", "log.sqlite-wal"):
                shutil.copy(tmp_path / name, copy / name)
            other = await SqliteStore.open(copy / "log.sqlite")
            for earlier in range(1, number + 1):
                log = await other.read(table(earlier))
                assert len(log) == 5
                check_log(log)
                assert (await other.find(command(table(earlier), 3))).seq == 3
            assert await other.feed(0, after=5 * number) == []
            await other.close()

    run(tmp_path / "log.sqlite", copies, Pace(entries_per_slice=3, checkpoint_pages=10**6))


def test_large_reads_and_appends_at_the_same_time(tmp_path):
    async def main(store):
        made = await fill(store, ONE, 400)
        logs, *_ = await asyncio.gather(
            asyncio.gather(*(store.read(ONE) for _ in range(5))), *(fill(store, table(n), 20) for n in range(2, 20))
        )
        assert all(log[:400] == made for log in logs)
        feed = await store.feed(0)
        assert [item.position for item in feed] == list(range(1, 400 + 18 * 20 + 1))

    run(tmp_path / "log.sqlite", main, Pace(entries_per_slice=16, checkpoint_pages=64))


# --- trouble ---


def test_versions_that_are_no_text_are_refused_alone(tmp_path):
    async def main(store):
        first = entry(ONE, 1)
        with pytest.raises(ValueError, match="utf-8"):
            await store.append(TWO, 0, entry_of_bytes(), command(TWO, 1))
        assert await store.append(ONE, 0, first, command(ONE, 1)) == Appended(1)
        assert await store.feed(0) == [Item(1, ONE, 1)]

    run(tmp_path / "log.sqlite", main)


def entry_of_bytes():
    made = entry(TWO, 1)
    return type(made)(made.seq, made.salt, {FULL: b"\xff"}, made.leaf, made.head)


def test_one_request_that_the_file_refuses_does_not_spoil_the_batch(tmp_path):
    async def main(store):
        good, bad = entry(ONE, 1), entry(TWO, 1)
        short = type(bad)(bad.seq, b"short", bad.versions, bad.leaf, bad.head)
        answers = await asyncio.gather(
            store.append(ONE, 0, good, command(ONE, 1)),
            store.append(TWO, 0, short, command(TWO, 1)),
            store.append(table(3), 0, entry(table(3), 1), command(table(3), 1)),
            return_exceptions=True,
        )
        assert [type(answer) for answer in answers] == [Appended, Unavailable, Appended]
        assert await store.feed(0) == [Item(1, ONE, 1), Item(2, table(3), 1)]
        assert await store.append(TWO, 0, bad, command(TWO, 1)) == Appended(1)

    run(tmp_path / "log.sqlite", main)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_full_disk_is_unavailable_until_there_is_room(tmp_path):
    """In a process of its own, for the limit on file size holds for a whole process."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.events.full_disk", tmp_path / "log.sqlite"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    unavailable, appended = map(int, done.stdout.split())
    assert unavailable > 0
    log = run(tmp_path / "log.sqlite", lambda store: store.read(ONE))
    assert len(log) == appended
    check_log(log)
