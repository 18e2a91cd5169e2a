"""What the command does at a server: playing, watching, replaying, lending a seat to a bot, listing games."""

import random
import re
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from rich.console import Console

from clients.bots.bot import Factory
from clients.bots.playing import Diary, Pace, Player
from clients.terminal.keyboard import Keyboard
from clients.terminal.lines import Line, Shown, show
from clients.terminal.lobby import sit_down
from clients.terminal.replay import Replay
from clients.terminal.shell import at_table, in_lobby, words_for
from clients.terminal.words import Words
from comitium_client import Client, Game, Retry, Table

HOME = "http://127.0.0.1:8000"

ADDRESS = re.compile(r"(?P<server>https?://[^/\s]+(?:/[^\s]*?)??)/(?:v1/)?tables/(?P<table>[^/?#\s]+)\S*")

PATIENCE = Retry(attempts=4)
"""Somebody who looks at a screen wants to know soon that the connection is gone."""

ALONE = Retry(attempts=12)
"""A bot has time: a server may be restarted meanwhile."""


class Visitor(msgspec.Struct, frozen=True):
    """Who goes where. Without a token `name` is registered; without a name one is a spectator."""

    url: str = HOME
    token: str | None = None
    name: str | None = None
    language: str = "en"
    receipts: str | None = None

    def at(self, target: str) -> tuple["Visitor", str]:
        """The visitor at the server that the address of a table names, and that table's id."""
        found = ADDRESS.fullmatch(target)
        if found is None:
            return self, target
        return msgspec.structs.replace(self, url=found["server"]), found["table"]


@asynccontextmanager
async def visit(visitor: Visitor, retry: Retry = PATIENCE) -> AsyncIterator[Client]:
    """A client for the visitor."""
    async with Client(
        visitor.url, token=visitor.token, receipts=visitor.receipts, language=visitor.language, retry=retry
    ) as client:
        yield client


async def _arrive(client: Client, visitor: Visitor, console: Console) -> None:
    """Says who one is; a new player is shown how to come back."""
    words = Words(visitor.language)
    if visitor.token is None and visitor.name is not None:
        made = await client.register(visitor.name)
        show(console, [Line(words.own("lobby.token", token=made.token), "quiet")])
    if visitor.token is not None or visitor.name is not None:
        show(console, [Line(words.own("lobby.welcome", name=(await client.me()).name))])


async def play(visitor: Visitor, table: str | None, seat: int | None, invite: str | None, console: Console) -> None:
    """At a table, or in the lobby first."""
    keyboard = Keyboard(sys.stdin)
    async with visit(visitor) as client:
        await _arrive(client, visitor, console)
        if table is None:
            await in_lobby(client, visitor.language, keyboard, console)
            return
        here = client.table(table)
        if not await sit_down(here, seat, invite) and (await here.view())["seat"] is None:
            show(console, [Line(Words(visitor.language).own("desk.watching"), "quiet")])
        await at_table(client, here, visitor.language, keyboard, console)


async def watch(visitor: Visitor, table: str, console: Console) -> None:
    """Looks on, until the table ends."""
    async with visit(visitor) as client:
        show(console, [Line(Words(visitor.language).own("desk.watching"), "quiet")])
        await at_table(client, client.table(table), visitor.language, Keyboard(sys.stdin), console, stays=True)


class NoSeat(Exception):  # noqa: N818  (a fact about the table)
    """The bot has no seat there, and there is none to be had."""


async def lend(
    visitor: Visitor, table: str, seat: int | None, invite: str | None, bot: Factory, pace: Pace, seed: int | None
) -> Diary:
    """Lets a bot play for the visitor.

    Raises:
        NoSeat: all seats are taken, and none by the visitor.
    """
    async with visit(visitor) as client:
        if visitor.token is None:
            made = await client.register(visitor.name or "bot")
            visitor = msgspec.structs.replace(visitor, token=made.token)
        await _take_seat(client, client.table(table), seat, invite)
    rng = random.Random(seed)  # noqa: S311  (moods are no secret)
    async with visit(visitor, ALONE) as client:
        return await Player(client.table(table), bot(rng, visitor.language), pace, rng).play()


async def _take_seat(client: Client, table: Table, seat: int | None, invite: str | None) -> None:
    if not await sit_down(table, seat, invite):
        me = (await client.me()).id
        if all(holder.player != me for holder in (await table.summary()).seats):
            raise NoSeat(f"There is no free seat at table {table.id}.")


# --- Replaying ----------------------------------------------------------------------------------------


def is_file(target: str) -> bool:
    """Whether a file is meant: an archive, one day."""
    return Path(target).is_file() or target.endswith((".json", ".jsonl", ".comitium", ".gz"))


async def replay(visitor: Visitor, table: str, seat: int | None, at: int | None, console: Console) -> None:
    """Steps through a table as it is typed."""
    keyboard = Keyboard(sys.stdin)
    async with visit(visitor) as client:
        stepping = await _open(client, visitor, client.table(table), seat, console)
        show(console, await stepping.step(at or 1))
        while (typed := await keyboard.next()) is not None:
            reply = await stepping.line(typed)
            show(console, reply.shown)
            if reply.leaves:
                return


async def replay_all(visitor: Visitor, table: str, seat: int | None, console: Console) -> None:
    """Every step, one after the other."""
    async with visit(visitor) as client:
        stepping = await _open(client, visitor, client.table(table), seat, console)
        async for shown in stepping.all():
            show(console, shown)


async def _open(client: Client, visitor: Visitor, table: Table, seat: int | None, console: Console) -> Replay:
    words = await words_for(client, visitor.language, (await table.summary()).game)
    stepping = Replay(table, words, seat)
    with console.status(words.own("replay.reading", table=table.id)):
        await stepping.open()
    return stepping


# --- Games --------------------------------------------------------------------------------------------


async def games(visitor: Visitor) -> list[Shown]:
    """The catalogue of a server."""
    async with visit(visitor) as client:
        return list(game_lines(await client.games()))


def game_lines(found: Iterable[Game]) -> Iterable[Shown]:
    """A game a paragraph."""
    for game in found:
        seats = f"{game.seats[0]}-{game.seats[-1]}" if game.seats else "?"
        minutes = "" if game.minutes is None else f", {game.minutes}"
        yield Line(f"{game.game}: {game.title} ({seats}{minutes})", "deed")
        yield Line(game.summary, indent=2)
