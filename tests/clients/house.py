"""A real server in the test's own event loop, reached over HTTP and sockets, with the games of the catalogue and two more."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from clients.bots.host import HouseBots
from clients.bots.playing import Pace
from comitium_client import Client
from games import Catalogue, tribunal
from server.serve import Served, serving
from server.settings import Settings
from tests.games import sample, sample_plain

GAMES = Catalogue((tribunal, sample, sample_plain))
AT_ONCE = Pace(quiet=0.01, longest=0.2, least=0.0)


@asynccontextmanager
async def house(store: Path | None = None, bots: HouseBots | None = None, **settings: Any) -> AsyncIterator[Served]:
    """The server; its house bots play at once."""
    where = "memory:" if store is None else f"sqlite:{store}"
    bots = bots or HouseBots(pace=lambda _: AT_ONCE)
    given = Settings.load({}, store=where, port=0, unsafe_unlimited=True, **settings)
    async with serving(given, GAMES, bots) as served:
        bots.attach(served.app, lambda: served.is_open)
        try:
            yield served
        finally:
            await bots.stop()


@asynccontextmanager
async def person(served: Served, name: str = "Livia", **options: Any) -> AsyncIterator[Client]:
    """Somebody who has registered there."""
    async with Client(served.url, **options) as client:
        await client.register(name)
        yield client


async def until(holds: Callable[[], Awaitable[bool]], seconds: float = 60) -> None:
    """Waits until it holds."""
    async with asyncio.timeout(seconds):
        while not await holds():  # noqa: ASYNC110  (tests look from outside)
            await asyncio.sleep(0.02)
