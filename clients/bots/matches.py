"""Matches between bots on a server: many tables at once, one bot of a kind among several of another, seat by seat."""

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

import msgspec

from clients.bots import BOTS
from clients.bots.playing import Diary, Pace, Player
from comitium_client import Client, Table

FAST = Pace(quiet=0.02, longest=0.5, least=0.0)


class Match(msgspec.Struct, frozen=True):
    """What is measured: `one` in one seat, `others` in all the others; it sits in each seat in turn."""

    one: str
    others: str
    seats: int
    games: int
    game: str = "tribunal"
    options: Mapping[str, Any] = {}
    seed: int = 0

    def bots(self, number: int) -> list[str]:
        """Who sits where in that game."""
        return [self.one if seat == number % self.seats else self.others for seat in range(self.seats)]


class Score(msgspec.Struct, frozen=True):
    """How it went for the one: a shared win counts as a part of one."""

    games: int = 0
    wins: float = 0.0
    chips: int = 0
    others: float = 0.0
    refused: int = 0

    def with_game(self, seat: int, result: Mapping[str, Any], refused: int) -> "Score":
        """The score after another game."""
        scores, winners = result["scores"], result["winners"]
        rest = (sum(scores) - scores[seat]) / (len(scores) - 1)
        won = 1 / len(winners) if seat in winners else 0.0
        return Score(
            self.games + 1, self.wins + won, self.chips + scores[seat], self.others + rest, self.refused + refused
        )

    def __str__(self) -> str:
        if not self.games:
            return "no games"
        win, chips, others = self.wins / self.games, self.chips / self.games, self.others / self.games
        return f"wins {win:.1%} of {self.games} games, {chips:.1f} chips; the others {others:.1f}"


async def play_match(
    url: str, match: Match, at_once: int = 8, progress: Callable[[Score], None] = lambda _: None
) -> Score:
    """Plays the match on that server."""
    score, numbers = Score(), iter(range(match.games))

    async def line() -> None:
        nonlocal score
        async with AsyncExitStack() as stack:
            clients = [await _player(stack, url, f"{match.one}-{seat}") for seat in range(match.seats)]
            for number in numbers:
                result, diaries = await _game(clients, match, number)
                refused = sum(len(diary.refused) for diary in diaries)
                score = score.with_game(number % match.seats, result, refused)
                progress(score)

    await asyncio.gather(*(line() for _ in range(min(at_once, match.games))))
    return score


async def _player(stack: AsyncExitStack, url: str, name: str) -> Client:
    client = await stack.enter_async_context(Client(url))
    await client.register(name)
    return client


async def _game(clients: Sequence[Client], match: Match, number: int) -> tuple[Mapping[str, Any], list[Diary]]:
    """One game: its result, and what became of everybody's actions."""
    table = await clients[0].create_table(match.game, match.seats, options=match.options, sit=False)
    handles = [client.table(table.id) for client in clients]
    for seat, handle in enumerate(handles):
        await handle.sit(seat)
    playing = [
        Player(handle, BOTS[bot](mood(match.seed, number, seat), "en"), FAST).play()
        for seat, (bot, handle) in enumerate(zip(match.bots(number), handles, strict=True))
    ]
    diaries = await asyncio.gather(*playing)
    return await _result(handles[0]), list(diaries)


async def _result(table: Table) -> Mapping[str, Any]:
    result = (await table.summary()).result
    if result is None:
        raise RuntimeError(f"table {table.id} ended without a result")
    return result


def mood(seed: int, number: int, seat: int) -> random.Random:
    """Where a bot's moods come from, the same in every run."""
    return random.Random(f"{seed} {number} {seat}")  # noqa: S311  (moods are no secret)
