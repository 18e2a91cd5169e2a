"""A whole game between bots on a server, told as it happens from what a spectator receives, and checked to the end."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

import msgspec
from rich.console import Console

from clients.bots.bot import Factory
from clients.bots.playing import Pace, Player
from clients.terminal.lines import Line, show
from clients.terminal.shell import words_for
from clients.terminal.story import Story
from clients.terminal.words import Words
from comitium_client import Chain, Client, Entry, Receipt, Table

NAMES: Mapping[str, Sequence[str]] = {
    "en": ("Livia", "Marcus", "Flavia", "Gaius", "Drusilla", "Titus", "Agrippina"),
    "ja": ("リウィア", "マルクス", "フラウィア", "ガイウス", "ドルシラ", "ティトゥス", "アグリッピナ"),
}

READABLE = Pace(think=0.7, quiet=1.0, longest=6.0)
"""At speed 1 one can read along."""


class Demo(msgspec.Struct, frozen=True):
    """What is shown. `speed`: how many times as fast as one can read aloud; 0 is as fast as it goes."""

    seats: int = 5
    seed: int | None = None
    language: str = "en"
    speed: float = 1.0
    options: Mapping[str, bool] = {}

    @property
    def pace(self) -> Pace:
        """How fast the bots play."""
        if self.speed <= 0:
            return Pace()
        times = 1 / self.speed
        return Pace(READABLE.think * times, READABLE.quiet * times, READABLE.longest * times)

    def rng(self, seat: int) -> random.Random:
        """Where a bot gets its moods from."""
        return random.Random(None if self.seed is None else f"{self.seed} {seat}")  # noqa: S311  (moods are no secret)


class Untrue(Exception):  # noqa: N818  (a fact about the log)
    """Something that the server has shown does not hold."""


async def run_demo(url: str, demo: Demo, bot: Factory, console: Console) -> Table:
    """Plays, tells and checks one game on that server."""
    async with AsyncExitStack() as stack:
        watching = await stack.enter_async_context(Client(url, language=demo.language))
        words = await words_for(watching, demo.language, "tribunal")
        names = NAMES[words.language][: demo.seats]
        clients = [await stack.enter_async_context(Client(url, language=demo.language)) for _ in names]
        for client, name in zip(clients, names, strict=True):
            await client.register(name)
        table = await clients[0].create_table("tribunal", demo.seats, options=demo.options, sit=False)
        words.names = names
        await _introduce(console, words, table)
        telling = asyncio.ensure_future(_tell(watching.table(table.id), words, console))
        await _play(clients, table.id, demo, bot, telling)
        await _prove(watching.table(table.id), await telling, clients, words, console)
        return table


async def _introduce(console: Console, words: Words, table: Table) -> None:
    summary = await table.summary()
    show(console, [
        Line(words.own("demo.table", table=table.id, hash=summary.seed_hash), "quiet"),
        Line(words.own("demo.told"), "quiet"),
    ])  # fmt: skip


async def _play(clients: Sequence[Client], table: str, demo: Demo, bot: Factory, telling: "asyncio.Task[Any]") -> None:
    """Every bot sits down and plays. Whatever ends the telling ends the playing."""
    for seat, client in enumerate(clients):
        await client.table(table).sit(seat)
    players = [
        asyncio.ensure_future(Player(client.table(table), bot(demo.rng(seat), demo.language), demo.pace).play())
        for seat, client in enumerate(clients)
    ]
    try:
        await asyncio.wait({telling, *players}, return_when=asyncio.FIRST_EXCEPTION)
        await asyncio.gather(*players)
    finally:
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)


class Told(msgspec.Struct, frozen=True):
    """What the spectator has received: every entry, from the first on."""

    entries: tuple[Entry, ...]


async def _tell(table: Table, words: Words, console: Console) -> Told:
    """Tells what the stream brings, and keeps the entries for the proof."""
    story = Story(words, arrivals=False)
    entries = {}
    async with table.follow() as live:
        async for entry in table.log():  # what was there before the stream
            if entry.seq <= live.seq:
                entries[entry.seq] = entry
        async for update in live:
            if update.entry is not None:
                entries[update.entry.seq] = update.entry
                show(console, story.tell(update))
    return Told(tuple(entries[seq] for seq in sorted(entries)))


async def _prove(table: Table, told: Told, clients: Sequence[Client], words: Words, console: Console) -> None:
    """Checks everything that was received, once more and by itself, and says so."""
    chain, heads = Chain(table.id), {}
    for entry in told.entries:
        chain = chain.extend(entry)
        heads[entry.seq] = entry.head
    receipts = [receipt for client in clients for receipt in client.table(table.id).receipts]
    for receipt in receipts:
        _agree(receipt, heads)
    keys = sorted({receipt.key for receipt in receipts})
    show(console, [
        Line(""),
        Line(words.own("demo.log", entries=chain.seq), "deed"),
        Line(words.own("demo.head", head=chain.head), "deed"),
        Line(words.own("demo.checked", entries=chain.seq)),
        Line(words.own("demo.receipts", receipts=len(receipts), key=words.join(keys))),
    ])  # fmt: skip


def _agree(receipt: Receipt, heads: Mapping[int, str]) -> None:
    if heads.get(receipt.seq) != receipt.head:
        raise Untrue(f"The receipt for entry {receipt.seq} names another head than the spectator saw.")
