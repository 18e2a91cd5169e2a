"""The lobby: what is played, who waits for players, a new table. A line in, lines out, and perhaps a table to go to."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec

from clients.terminal.lines import Grid, Line, Shown
from clients.terminal.reading import Unclear
from clients.terminal.words import Words
from comitium_client import ApiProblem, Client, Conflict, Forbidden, Summary, Table

SHOWN = 20
"""Tables in a list; the newest come first."""


class Reply(msgspec.Struct, frozen=True):
    """What a line leads to."""

    shown: list[Shown] = []
    table: str | None = None
    leaves: bool = False


class Lobby:
    """One player (or spectator) before he is at a table."""

    def __init__(self, client: Client, words: Words) -> None:
        self._client = client
        self._words = words
        self._listed: list[str] = []
        self._commands: Mapping[str, Callable[[Sequence[str]], Awaitable[Reply]]] = {
            "help": self._help, "games": self._games, "tables": self._tables, "new": self._new, "sit": self._sit,
            "watch": self._watch, "bot": self._bot, "quit": self._quit,
        }  # fmt: skip

    async def line(self, typed: str) -> Reply:
        """What the line leads to."""
        word, *rest = typed.split() or [""]
        command = self._commands.get(word.lower())
        if not word:
            return Reply()
        if command is None:
            return Reply([Line(self._words.own("unclear.command", typed=word), "wrong")])
        try:
            return await command(rest)
        except (Unclear, ApiProblem) as error:
            said = str(error) if isinstance(error, Unclear) else error.detail or error.code
            return Reply([Line(said, "wrong")])

    def _usage(self, command: str) -> Unclear:
        return Unclear(self._words.own("unclear.usage", usage=self._words.own(f"lobby.{command}")))

    # --- Looking --------------------------------------------------------------------------------------

    async def _help(self, _: Sequence[str]) -> Reply:
        return Reply([Line(self._words.own(f"lobby.{command}"), indent=2) for command in self._commands])

    async def _quit(self, _: Sequence[str]) -> Reply:
        return Reply(leaves=True)

    async def _games(self, _: Sequence[str]) -> Reply:
        lines: list[Shown] = []
        for game in await self._client.games():
            seats = f"{game.seats[0]}-{game.seats[-1]}" if game.seats else "?"
            minutes = "" if game.minutes is None else str(game.minutes)
            lines.append(Line(f"{game.game}: {game.title} ({seats}) {minutes}".rstrip(), "deed"))
            lines.append(Line(game.summary, indent=2))
        return Reply(lines)

    async def _tables(self, rest: Sequence[str]) -> Reply:
        found: list[Summary] = []
        async for summary in self._client.tables(game=rest[0] if rest else None, limit=SHOWN):
            found.append(summary)
            if len(found) == SHOWN:
                break
        self._listed = [summary.id for summary in found]
        if not found:
            return Reply([Line(self._words.own("lobby.none"), "quiet")])
        rows = [[str(number), *self._row(summary)] for number, summary in enumerate(found, 1)]
        titles = ["", *(self._words.own(f"lobby.title.{each}") for each in ("table", "game", "status", "seats"))]
        return Reply([Grid(titles, rows, frozenset({0}))])

    def _row(self, summary: Summary) -> list[str]:
        seats = [holder.name or holder.player or "-" for holder in summary.seats]
        return [summary.id, summary.game, self._words.own(f"status.{summary.status}"), self._words.join(seats)]

    # --- Going somewhere ------------------------------------------------------------------------------

    def _table(self, typed: str) -> Table:
        """By its number in the last list, or by its id."""
        if typed.isdigit() and 1 <= int(typed) <= len(self._listed):
            return self._client.table(self._listed[int(typed) - 1])
        return self._client.table(typed)

    async def _new(self, rest: Sequence[str]) -> Reply:
        """`new GAME SEATS [OPTION ...] [with BOT]`."""
        if len(rest) < 2 or not rest[1].isdigit():
            raise self._usage("new")
        game, seats, words = rest[0], int(rest[1]), list(rest[2:])
        bot = words[words.index("with") + 1] if "with" in words[:-1] else None
        options: dict[str, Any] = dict.fromkeys(words[: words.index("with")] if bot else words, True)
        table = await self._client.create_table(game, seats, options=options)
        if bot is not None:
            for _ in range(seats - 1):
                await table.sit(bot=bot)
        return Reply([Line(self._words.own("lobby.made", table=table.id))], table.id)

    async def _sit(self, rest: Sequence[str]) -> Reply:
        """`sit TABLE [SEAT] [INVITE]`; whoever sits there already comes back to his seat."""
        if not rest:
            raise self._usage("sit")
        seat = next((int(word) for word in rest[1:] if word.isdigit()), None)
        invite = next((word for word in rest[1:] if not word.isdigit()), None)
        table = self._table(rest[0])
        await sit_down(table, seat, invite)
        return Reply(table=table.id)

    async def _watch(self, rest: Sequence[str]) -> Reply:
        if not rest:
            raise self._usage("watch")
        table = self._table(rest[0])
        await table.summary()
        return Reply(table=table.id)

    async def _bot(self, rest: Sequence[str]) -> Reply:
        """`bot TABLE NAME [SEAT]`: a house bot takes a seat."""
        if len(rest) < 2:
            raise self._usage("bot")
        seat = int(rest[2]) if len(rest) > 2 and rest[2].isdigit() else None
        moved = await self._table(rest[0]).sit(seat, bot=rest[1])
        return Reply([Line(self._words.own("lobby.bot_sits", bot=rest[1], seat=moved.seat))])


async def sit_down(table: Table, seat: int | None = None, invite: str | None = None) -> bool:
    """Takes a seat; false when there is one already, or none is to be had: then one watches.

    Raises:
        ApiProblem: there is no such table, or that seat is not to be had.
    """
    try:
        await table.sit(seat, invite=invite)
    except (Conflict, Forbidden):
        if seat is not None or invite is not None:
            raise
        return False
    return True
