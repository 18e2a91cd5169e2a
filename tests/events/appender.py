"""A process that appends to a SQLite log and says so, to be killed or hindered by tests.

Usage: python -m tests.events.appender PATH [--tables N] [--each N] [--then sleep|close]

Prints one line for each acknowledged entry, `<table> <seq>`, as soon as it is acknowledged, `open` before the first and
`closed` after the last. Unavailable answers are asked again with the same command id. Exits 3 when the log cannot be
opened.
"""

import argparse
import asyncio
import os
import sys

from events.chain import ZERO
from events.sqlite import SqliteStore
from events.sqlite_writer import Pace
from events.store import Head, Store, StoreError, Unavailable
from tests.events.samples import command, entry, table


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())  # one call, no buffer: what is said has been said


async def append(store: Store, name: str, seq: int, before: bytes) -> bytes:
    """Append entry `seq`, asking as often as it takes; the head after it."""
    made = entry(name, seq, before)
    while True:
        try:
            answer = await store.append(name, seq - 1, made, command(name, seq))
        except Unavailable:
            await asyncio.sleep(0.001)
        else:
            assert answer.seq == seq, answer
            return made.head


async def play(store: Store, name: str, count: int) -> None:
    last = await store.head(name) or Head(0, ZERO)
    head = last.head
    for seq in range(last.seq + 1, last.seq + count + 1):
        head = await append(store, name, seq, head)
        say(f"{name} {seq}")


async def main(asked: argparse.Namespace) -> None:
    # A slice after few entries, so that a short run passes through everything the writer does.
    store = await SqliteStore.open(asked.path, Pace(entries_per_slice=asked.slice, checkpoint_pages=asked.pages))
    say("open")
    await asyncio.gather(*(play(store, table(number), asked.each) for number in range(1, asked.tables + 1)))
    if asked.then == "sleep":
        await asyncio.sleep(3600)
    await store.close()
    say("closed")


parser = argparse.ArgumentParser()
parser.add_argument("path")
parser.add_argument("--tables", type=int, default=1)
parser.add_argument("--each", type=int, default=1)
parser.add_argument("--slice", type=int, default=5)
parser.add_argument("--pages", type=int, default=40)
parser.add_argument("--then", choices=["sleep", "close"], default="close")
try:
    asyncio.run(main(parser.parse_args()))
except StoreError as error:
    sys.stderr.write(f"{error}\n")
    sys.exit(3)
