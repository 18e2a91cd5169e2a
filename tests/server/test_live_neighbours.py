"""Servers that share a store hear of each other: followers, views, clocks and the lobby."""

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random

import pytest

from games.table import actions as act
from games.table.house import House
from server.neighbours import Neighbours
from server.tables.shelf import Shelf
from tests.server.live_support import HandClock, harbour, lay, opened, run, seat, stored, until
from tests.server.live_wire import NDJSON, serving
from tests.server.test_live_follow import follow
from tests.server.test_live_idempotence import Forgetful


@asynccontextmanager
async def hearing(site):
    """A site that hears of the others."""
    neighbours = Neighbours(site.tables, site.lobby)
    neighbours.start()
    try:
        yield site
    finally:
        await neighbours.stop()


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_followers_on_one_server_see_what_is_done_on_another(kind):
    async def body():
        async with (
            stored(kind) as store,
            serving(store) as town,
            hearing(town.site),
            opened(store) as other,
            AsyncExitStack() as stack,
        ):
            table = await town.table("tribunal", 4, House(whispers=True))
            readers = {
                who: await follow(stack, town, table, who, way)
                for who, way in ((0, "json"), (1, NDJSON), (None, "json"))
            }
            await table.on(other).play_out(Random(101), around=0.3)
            for who, reader in readers.items():
                await reader.end()
                assert reader.view == await town.view(table, who)
                assert reader.view["status"] == "ended"

    run(body())


def test_two_servers_that_hear_of_each_other_play_one_game_without_conflicts_in_the_end():
    async def body():
        async with (
            stored("memory") as store,
            opened(store) as one,
            opened(store) as other,
            hearing(one),
            hearing(other),
        ):
            table = await seat(one, "tribunal", 5)
            rng = Random(102)
            await table.on(other).load()
            while not table.over:
                node = table.on(rng.choice((one, other)))
                await node.move(rng, around=0.3)
                await until(lambda: table.on(one).live.seq == table.on(other).live.seq)

            assert table.on(one).now == table.on(other).now

    run(body())


def test_the_lobby_knows_tables_of_other_servers_without_loading_them():
    async def body():
        async with stored("memory") as store, opened(store) as one, opened(store) as other, hearing(other):
            table = await harbour(one)
            await until(lambda: other.lobby.get(table.id) == one.lobby.get(table.id))
            await table.play_out(Random(103))
            await until(lambda: other.lobby.get(table.id) == one.lobby.get(table.id))

            assert other.lobby.get(table.id).status == "ended"
            assert other.tables.loaded() == []

    run(body())


def test_what_a_server_writes_itself_it_does_not_read_again(monkeypatch):
    read = []
    catch_up = Shelf.catch_up

    async def body():
        async with stored("memory") as store, opened(store) as site, hearing(site):
            table = await harbour(site)
            monkeypatch.setattr(Shelf, "catch_up", lambda shelf, live: (read.append(live.id), catch_up(shelf, live))[1])
            await table.play_out(Random(104))
            await asyncio.sleep(0.01)

            assert read == []

    run(body())


def test_a_clock_on_one_server_runs_for_what_happened_on_another():
    async def body():
        clock = HandClock()
        async with (
            stored("memory") as store,
            opened(store, clock) as one,
            opened(store, clock) as other,
            hearing(other),
        ):
            table = await seat(one, "harbour", 3, house=House(move_seconds=60))
            await table.on(other).load()
            await lay(table)
            await until(lambda: table.on(other).live.seq == table.live.seq)
            clock.go_on(60)
            await other.clock.tick()

            assert table.on(other).live.seq == table.live.seq + 1

    run(body())


def test_a_store_that_is_away_for_a_while_is_followed_again():
    async def body():
        store = Forgetful()
        async with opened(store) as one, opened(store) as other, hearing(other):
            table = await harbour(one)
            await table.on(other).load()
            store.down = True
            await asyncio.sleep(0.01)
            store.down = False
            await table.do(0, {"type": "say", "text": "x"})
            await until(lambda: table.on(other).live.seq == table.live.seq)

    run(body())


def test_a_seat_taken_on_another_server_is_a_seat_here():
    async def body():
        async with stored("memory") as store, opened(store) as one, opened(store) as other, hearing(other):
            table = await seat(one, "straws", 2, begun=False)
            await table.on(other).load()
            await table.do(1, act.Sit("p1", None, None))
            await until(lambda: table.on(other).status == "playing")

            assert await table.on(other).do(1, {"type": "say", "text": "x"})

    run(body())
