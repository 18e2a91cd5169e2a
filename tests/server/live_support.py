"""Servers on this event loop, and tables that are played there by commands; `live_wire` has the sockets and streams.

    async with opened() as site:
        table = await seat(site, "harbour", 3)         # three people have sat down, and the game has begun
        await table.do(0, {"type": "say", "text": "Ave!"})

Nothing here waits for a time to pass: tests wait for what should happen, and only a test that hangs is ended.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import msgspec

from events.ids import command_id, table_id
from events.memory import MemoryStore
from events.sqlite import SqliteStore
from events.store import Store
from games import Catalogue, tribunal
from games.core import Action, Seat
from games.table import actions as act
from games.table.house import House
from projections.position import Position
from server.app import running
from server.settings import Settings
from server.site import Site
from server.tables.live import LiveTable
from server.tables.service import Answer, Command, fresh_id
from tests.games import sample, sample_plain
from tests.laws.sampling import member

GAMES = (tribunal, sample, sample_plain)

HANGING = 120
"""Seconds after which a test hangs."""

NOON = 1_800_000_000_000

QUIT = {"leave", "abandon"}

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs a test."""
    return asyncio.run(asyncio.wait_for(work, HANGING))


async def until(is_so: Callable[[], Any]) -> None:
    """Lets the others work until something has come true."""
    while not is_so():  # noqa: ASYNC110  (what it waits for is not known to be an event)
        await asyncio.sleep(0.002)


class HandClock:
    """A time of day that goes on when it is told to."""

    def __init__(self, now: int = NOON) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def go_on(self, seconds: float) -> None:
        self.now += round(seconds * 1000)


@asynccontextmanager
async def opened(
    store: Any = None, clock: HandClock | None = None, bots: Any = None, games: Any = GAMES, **settings: Any
) -> AsyncIterator[Site]:
    """A site without a network. Where the time of day stands still its clock does, too: a test lets it tick."""
    chosen, store = chosen_from(store, settings)
    async with running(chosen, Catalogue(games), bots, store, clock) as site:
        if clock is not None:
            await site.clock.stop()
        yield site


def chosen_from(store: Any, settings: dict[str, Any]) -> tuple[Settings, Any]:
    """The settings of a server, and its store if that is one already and not the name of one."""
    name, ready = (store, None) if isinstance(store, str) else ("memory:", store)
    return Settings(**{"store": name, "unsafe_unlimited": True, "shutdown_seconds": 5.0, **settings}), ready


class Table:
    """A table as one server has it, with the ids of its people."""

    def __init__(self, site: Site, table: str, people: tuple[str, ...]) -> None:
        self.site = site
        self.id = table
        self.people = people

    def on(self, site: Site) -> "Table":
        """The same table on another server."""
        return Table(site, self.id, self.people)

    async def load(self) -> LiveTable:
        return await self.site.tables.load(self.id)

    @property
    def live(self) -> LiveTable:
        """The table in memory."""
        return next(live for live in self.site.tables.loaded() if live.id == self.id)

    @property
    def now(self) -> Position:
        return self.live.now

    @property
    def game(self) -> Any:
        return self.now.table.course.game

    @property
    def status(self) -> str:
        return self.now.table.status

    @property
    def over(self) -> bool:
        return self.now.table.over

    async def do(
        self, by: Seat | str, action: Action | dict[str, Any], key: str | None = None, if_match: int | None = None
    ) -> Answer:
        """An action by a seat as its holder sends it, or by a player (his id) or the server around the game."""
        live = await self.load()
        holder = self.people[by] if isinstance(by, int) else None
        sent = live.rules.actions.decode(msgspec.json.encode(action)) if isinstance(action, dict) else action
        name = fresh_id(holder or str(by), self.id, key)
        player = None if isinstance(sent, act.Sit) else holder
        return await self.site.tables.submit(live, Command(by, sent, name, if_match, player))

    async def move(self, rng: Random, around: float = 0.0) -> Answer:
        """Something that is allowed, mostly what the table waits for."""
        return await self.do(*choose((await self.load()).now, rng, around))

    async def play_out(self, rng: Random, around: float = 0.0) -> None:
        """On to the end."""
        while not (await self.load()).now.table.over:
            await self.move(rng, around)


async def seat(
    site: Site,
    game: str = "harbour",
    seats: int = 2,
    people: tuple[str, ...] = (),
    house: House | None = None,
    *,
    begun: bool = True,
    visibility: Any = "public",
    **options: Any,
) -> Table:
    """A new table. Its creator sits; with `begun` the others sit down, too, and the game begins."""
    ids = people or tuple(f"p{number}" for number in range(seats))
    table = Table(site, table_id(), ids)
    version = site.catalogue.current[game].game.version
    create = act.Create(game, version, seats, options, house or House(), visibility, "", ids[0], sit=True)
    await site.tables.create(table.id, create, command_id(ids[0], table.id, "create"))
    for number in range(1, seats) if begun else ():
        await table.do(number, act.Sit(ids[number], None, None))
    return table


async def harbour(site: Site, seats: int = 3, house: House | None = None) -> Table:
    """A game of Harbour in which the warden decides: talk is open, and all have chips."""
    table = await seat(site, "harbour", seats, house=house)
    await lay(table)
    return table


async def lay(table: Table) -> None:
    """Everybody lays his first card."""
    for number, hand in enumerate(table.game.hands):
        await table.do(number, {"type": "lay", "card": hand[0]})


def choose(now: Position, rng: Random, around: float = 0.0) -> tuple[Seat, dict[str, Any]]:
    """A seat, and an action that it may do: with that probability one that the table does not wait for."""
    place = rng.randrange(len(now.asks))
    kinds: dict[str, list[Any]] = {}
    for ask in now.asks[place] if rng.random() < around else ():
        if not ask.must and ask.type not in QUIT:
            kinds.setdefault(ask.type, []).append(ask)
    if kinds:
        return place, member(rng, rng.choice(kinds[rng.choice(sorted(kinds))]), now.windows, now.table.strikable)
    place = rng.choice(now.table.to_act)
    return place, member(rng, rng.choice([ask for ask in now.asks[place] if ask.must]), now.windows)


@asynccontextmanager
async def stored(kind: str) -> AsyncIterator[Store]:
    """A store that several servers may share, and that is gone afterwards."""
    if kind == "memory":
        yield MemoryStore()
        return
    with TemporaryDirectory() as folder:
        store = await SqliteStore.open(Path(folder) / "log.sqlite")
        try:
            yield store
        finally:
            await store.close()


async def written(site: Site, table: str, seq: int) -> None:
    """Returns when that entry is in the log."""
    while not await site.store.read(table, seq - 1, 1):  # noqa: ASYNC110  (the store alone knows)
        await asyncio.sleep(0)


async def entries(site: Site, table: str) -> list[Any]:
    """The log as the store has it."""
    return await site.store.read(table, 0, 100_000)


def said(entry: Any, version: str = "full") -> Any:
    """What stands in an entry."""
    return msgspec.json.decode(entry.versions[version])
