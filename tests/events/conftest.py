"""The stores that every store test runs over. A new store is one more line of `KINDS`."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from events.memory import MemoryStore
from events.sqlite import SqliteStore
from events.sqlite_writer import Pace
from events.store import Store


@dataclass(frozen=True)
class Kind:
    """A way to open a store in a folder."""

    name: str
    open: Callable[[Path], Awaitable[Store]]
    keeps: bool  # what was appended is still there after closing and opening again


async def memory(_folder: Path) -> Store:
    return MemoryStore()


async def sqlite(folder: Path) -> Store:
    return await SqliteStore.open(folder / "log.sqlite")


async def restless(folder: Path) -> Store:
    """SQLite that moves its entries into the indexes and the database all the time."""
    return await SqliteStore.open(folder / "log.sqlite", Pace(entries_per_slice=2, checkpoint_pages=8))


KINDS = (
    Kind("memory", memory, keeps=False),
    Kind("sqlite", sqlite, keeps=True),
    Kind("restless", restless, keeps=True),
)
KEEPING = tuple(kind for kind in KINDS if kind.keeps)

Scenario = Callable[[Store], Awaitable[Any]]


def play_in(kind: Kind, folder: Path, scenario: Scenario) -> Any:
    """Run a scenario on a store of that kind, opened for it and closed after it."""

    async def main() -> Any:
        store = await kind.open(folder)
        try:
            return await scenario(store)
        finally:
            await store.close()

    return asyncio.run(main())


@pytest.fixture(params=KINDS, ids=[kind.name for kind in KINDS])
def kind(request: pytest.FixtureRequest) -> Kind:
    """Every kind of store."""
    return request.param


@pytest.fixture(params=KEEPING, ids=[kind.name for kind in KEEPING])
def keeping(request: pytest.FixtureRequest) -> Kind:
    """Every kind of store that keeps what it has."""
    return request.param


@pytest.fixture
def play(kind: Kind, tmp_path: Path) -> Callable[[Scenario], Any]:
    """Runs a scenario on each kind of store: `@play` above an async function runs it at once."""
    return lambda scenario: play_in(kind, tmp_path, scenario)
