"""The thin shell around desk and lobby: the connection, the keyboard and the screen, and nothing else."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Any

from rich.console import Console

from clients.terminal.desk import Desk
from clients.terminal.keyboard import Lines
from clients.terminal.lines import Line, Shown, show
from clients.terminal.lobby import Lobby
from clients.terminal.story import Story
from clients.terminal.telling import Teller
from clients.terminal.words import Words
from comitium_client import ApiProblem, Client, Disconnected, Live, OfferChanged, Stale, Summary, Table, Update

AGAIN_SECONDS = 3.0
"""Between attempts to get back to a table."""

PEOPLE = frozenset({"created", "seated", "risen", "left"})
"""Events after which somebody else may sit somewhere."""


async def words_for(client: Client, language: str, game: str) -> Words:
    """The words of a game, from the server."""
    return Words(language, game, (await client.game(game)).texts.get(language, {}))


def teller_for(words: Words) -> Teller:
    """Who tells what happens: for games that the terminal knows, a story."""
    return Story(words) if words.game == "tribunal" else Teller(words)


def names_of(summary: Summary) -> list[str]:
    """What to call the seats; the same name twice gets the number of the seat."""
    names = [holder.name or holder.player or "-" for holder in summary.seats]
    often = Counter(names)
    return [f"{name}-{seat}" if often[name] > 1 else name for seat, name in enumerate(names)]


class Room:
    """One person at one table, until the table ends or he goes."""

    def __init__(self, table: Table, desk: Desk, lines: Lines, console: Console, *, stays: bool = False) -> None:
        """`stays`: also when there are no more lines to read."""
        self._table = table
        self._desk = desk
        self._lines = lines
        self._console = console
        self._stays = stays
        self._typing: asyncio.Task[str | None] | None = None
        self._seen: int | None = None

    async def stay(self) -> None:
        """Shows what happens, and does what is typed."""
        try:
            while not await self._connected():  # noqa: ASYNC110  (each time it tries to connect)
                await asyncio.sleep(AGAIN_SECONDS)
        finally:
            if self._typing is not None:
                self._typing.cancel()

    def _show(self, shown: list[Shown]) -> None:
        show(self._console, shown)

    def _say(self, key: str, kind: Any = "wrong", **params: Any) -> None:
        self._show([Line(self._desk.words.own(key, **params), kind)])

    async def _connected(self) -> bool:
        """Follows the table as long as the connection holds. True when that is the end."""
        try:
            async with self._table.follow(self._seen) as live:
                if self._seen is not None:
                    self._say("desk.back", "quiet", seq=live.seq)
                return await self._follow(live)
        except Disconnected as error:
            self._say("desk.lost", reason=error.reason)
            return False

    async def _follow(self, live: Live) -> bool:
        coming: asyncio.Task[Update | None] = asyncio.ensure_future(_next(live))
        try:
            while True:
                self._typing = self._typing or asyncio.ensure_future(self._line())
                await asyncio.wait({coming, self._typing}, return_when=asyncio.FIRST_COMPLETED)
                if coming.done():
                    update = coming.result()
                    if update is None or await self._see(update):
                        return True
                    coming = asyncio.ensure_future(_next(live))
                elif self._typing.done():
                    typed, self._typing = self._typing.result(), None
                    if typed is None or await self._type(live, typed):
                        return True
        finally:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)

    async def _line(self) -> str | None:
        line = await self._lines.next()
        if line is None and self._stays:
            await asyncio.Event().wait()
        return line

    async def _see(self, update: Update) -> bool:
        """Shows an update; true when the table is over."""
        if self._seen == update.seq:  # where a session begins anew
            return update.over
        if self._seen is None or _moves_people(update):
            self._desk.words.names = names_of(await self._table.summary())
        self._seen = update.seq
        self._show(self._desk.see(update))
        if update.over:
            self._say("desk.over", "quiet")
        return update.over

    async def _type(self, live: Live, typed: str) -> bool:
        """Does what was typed; true when he goes."""
        if self._seen is None:
            return False
        reply = self._desk.line(typed)
        self._show(reply.shown)
        if reply.action is not None:
            await self._act(live, reply.action)
        return reply.leaves

    async def _act(self, live: Live, action: Mapping[str, Any]) -> None:
        try:
            await live.act(action, if_match=self._desk.now.seq)
        except (Stale, OfferChanged):
            self._say("desk.stale")
        except ApiProblem as problem:
            self._say("desk.refused", reason=problem.detail or problem.code)


async def _next(live: Live) -> Update | None:
    return await anext(live, None)


def _moves_people(update: Update) -> bool:
    return update.entry is None or any(event["type"] in PEOPLE for event in update.entry.body.events)


async def at_table(
    client: Client, table: Table, language: str, lines: Lines, console: Console, *, stays: bool = False
) -> None:
    """Plays or watches at that table."""
    words = await words_for(client, language, (await table.summary()).game)
    await Room(table, Desk(words, teller_for(words)), lines, console, stays=stays).stay()


async def in_lobby(client: Client, language: str, lines: Lines, console: Console) -> None:
    """The lobby, and whatever tables he goes to from there."""
    lobby = Lobby(client, Words(language))
    while (typed := await lines.next()) is not None:
        try:
            reply = await lobby.line(typed)
        except Disconnected as error:
            show(console, [Line(Words(language).own("desk.lost", reason=error.reason), "wrong")])
            continue
        show(console, reply.shown)
        if reply.table is not None:
            await at_table(client, client.table(reply.table), language, lines, console)
        if reply.leaves:
            return
