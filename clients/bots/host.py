"""House bots: run as tasks in the server's process, where they speak the wire through an in-process transport.

The server tells of every seat that a house bot takes, and of all of them again after a restart, each time with a token
for that seat. A bot ends with its table, and leaves no token behind.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Mapping
from contextlib import suppress

from clients.bots import BOTS
from clients.bots.bot import Factory
from clients.bots.inside import App, Inside
from clients.bots.playing import GivenUp, Pace, PaceOf, Player
from comitium_client import Client, ComitiumError, Forbidden, NotFound, Unauthorized, Update

AMONG_PEOPLE = Pace(think=0.6, quiet=5.0, longest=30.0, least=0.3)
"""People need time to read, and to make an offer before somebody decides."""

AMONG_BOTS = Pace(think=0.05, quiet=0.4, longest=3.0, least=0.05)

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 300.0
"""Seconds before a bot that has failed is started again."""

MOST_FAILURES = 20
"""A bot that fails so often without having done anything is left alone; a restart of the server tries again."""

OPENING_SECONDS = 0.05

log = logging.getLogger("comitium.bots")


def house_pace(now: Update) -> Pace:
    """Slower while there are people at the table."""
    people = any(seat["player"] is not None and seat["bot"] is None for seat in now.view["seats"])
    return AMONG_PEOPLE if people else AMONG_BOTS


class HouseBots:
    """All house bots of one process (the server's `BotHost`)."""

    def __init__(self, bots: Mapping[str, Factory] = BOTS, *, pace: PaceOf = house_pace, language: str = "en") -> None:
        self.names = tuple(bots)
        self._bots = bots
        self._pace = pace
        self._language = language
        self._inside: Inside | None = None
        self._tasks: dict[tuple[str, int], asyncio.Task[None]] = {}

    def attach(self, app: App, is_open: Callable[[], bool]) -> None:
        """Where the bots play. `is_open`: whether the application takes requests; when it no longer does, they end."""
        self._inside = Inside(app, is_open)

    def seated(self, table: str, seat: int, bot: str, token: str) -> None:
        """A house bot of that name sits there and may speak with that token; it begins to play."""
        former = self._tasks.pop((table, seat), None)
        if former is not None:
            former.cancel()
        task = asyncio.get_running_loop().create_task(self._look_after(table, bot, token))
        self._tasks[table, seat] = task
        task.add_done_callback(lambda done: self._forget((table, seat), done))

    @property
    def playing(self) -> int:
        """How many bots are at work."""
        return len(self._tasks)

    async def stop(self) -> None:
        """Ends all of them."""
        tasks = tuple(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _forget(self, where: tuple[str, int], task: "asyncio.Task[None]") -> None:
        if self._tasks.get(where) is task:
            del self._tasks[where]

    async def _look_after(self, table: str, bot: str, token: str) -> None:
        """Plays, and after a failure plays on, ever more slowly."""
        inside = await self._opened()
        failures = 0
        async with inside.client(token, self._language) as client:
            while inside.is_open() and failures < MOST_FAILURES:
                rng = random.Random()  # noqa: S311  (moods are no secret)
                player = Player(client.table(table), self._bots[bot](rng, self._language), self._pace, rng)
                try:
                    await player.play()
                except (NotFound, Unauthorized, Forbidden):
                    return
                except (ComitiumError, GivenUp) as error:
                    failures = 1 if player.diary.acted else failures + 1
                    if inside.is_open():
                        log.warning("the bot %s at table %s failed: %s", bot, table, error)
                        await asyncio.sleep(min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (failures - 1)))
                else:
                    await _give_back(client)
                    return

    async def _opened(self) -> Inside:
        """The application, once it takes requests: after a restart bots are seated before that."""
        while self._inside is None or not self._inside.is_open():  # noqa: ASYNC110  (it has nothing to wait for)
            await asyncio.sleep(OPENING_SECONDS)
        return self._inside


async def _give_back(client: Client) -> None:
    """The bot's tokens are good for nothing any more: a house bot is a player of one table."""
    with suppress(ComitiumError):
        for token in (await client.me()).tokens:
            await client.revoke_token(token.id)
