"""A process that is killed at any moment loses no entry that it acknowledged, and leaves none half there.

This shows that nothing is told before it is committed, and that a log in any state can be opened. It says nothing about
fsync: what a process has written survives its death in the kernel's memory. `test_faults.py` is about that.
"""

import asyncio
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from events.sqlite import SqliteStore
from tests.events.samples import check_log, command, entry, table

ROOT = Path(__file__).parents[2]
TABLES = 6


def killed(path, after):
    """Start an appender, kill it so many seconds after it began, and return the entries that it acknowledged."""
    appender = subprocess.Popen(
        [sys.executable, "-m", "tests.events.appender", path, "--tables", str(TABLES), "--each", "100000"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert appender.stdout.readline() == "open\n"
    time.sleep(after)
    appender.send_signal(signal.SIGKILL)
    said, _ = appender.communicate()
    assert appender.returncode == -signal.SIGKILL
    return [(name, int(seq)) for name, seq in map(str.split, said.splitlines())]


async def inspect(path, acknowledged):
    """Check the log that is left; how many entries it has."""
    store = await SqliteStore.open(path)
    count = 0
    for number in range(1, TABLES + 1):
        name = table(number)
        log = []
        while page := await store.read(name, after=len(log)):
            log += page
        check_log(log)
        for kept in log[-20:]:
            assert kept == entry(name, kept.seq, log[kept.seq - 2].head if kept.seq > 1 else bytes(32))
            assert (await store.find(command(name, kept.seq))).seq == kept.seq
        assert max((seq for spoken, seq in acknowledged if spoken == name), default=0) <= len(log)
        count += len(log)
    await check_feed(store, count)
    await store.close()
    return count


async def check_feed(store, count):
    """The feed has every entry once, in order, without a gap."""
    seqs = dict.fromkeys(map(table, range(1, TABLES + 1)), 0)
    position = 0
    while page := await store.feed(0, after=position):
        for item in page:
            position += 1
            seqs[item.table] += 1
            assert (item.position, item.seq) == (position, seqs[item.table])
    assert position == count


def rounds(path, number, seed):
    moments = random.Random(seed)
    before = 0
    for _ in range(number):
        acknowledged = killed(path, moments.uniform(0.0, 0.25))
        count = asyncio.run(inspect(path, acknowledged))
        assert before + len(acknowledged) <= count <= before + len(acknowledged) + TABLES
        before = count
    return before


def test_killing_loses_nothing_that_was_acknowledged(tmp_path):
    assert rounds(tmp_path / "log.sqlite", 5, seed=1) > 0


@pytest.mark.soak
def test_killing_loses_nothing_that_was_acknowledged_for_long(tmp_path):
    for seed in range(10):
        assert rounds(tmp_path / f"log {seed}.sqlite", 30, seed) > 0
