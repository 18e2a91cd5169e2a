"""House bots in a server's process: they play where they are seated, come back after a restart, and end with the table."""

import asyncio
import random

import pytest

from clients.bots.bot import Move
from clients.bots.chancer import Chancer
from clients.bots.host import AMONG_BOTS, AMONG_PEOPLE, HouseBots, house_pace
from clients.bots.playing import Pace, Player
from comitium_client import Client, Update
from tests.clients.house import AT_ONCE, house, person, until


async def ended(table):
    async with asyncio.timeout(60):
        async for _ in table.follow():
            pass
    return await table.summary()


async def idle(bots):
    async def is_idle():
        return not bots.playing

    await until(is_idle, 20)


def test_a_table_of_house_bots_plays_itself():
    async def work():
        bots = HouseBots(pace=lambda _: AT_ONCE)
        async with house(bots=bots) as served, person(served) as client:
            table = await client.create_table("tribunal", 5, sit=False)
            for name in ("tribunal", "random", "tribunal", "random", "tribunal"):
                await table.sit(bot=name)
            summary = await ended(table)
            assert summary.status == "ended"
            assert [holder.bot for holder in summary.seats] == ["tribunal", "random", "tribunal", "random", "tribunal"]
            await idle(bots)

    asyncio.run(work())


def test_a_person_plays_among_them():
    async def work():
        async with house() as served, person(served) as client:
            table = await client.create_table("tribunal", 4)
            for _ in range(3):
                await table.sit(bot="tribunal")
            await Player(table, Chancer(random.Random(0)), AT_ONCE).play()
            assert (await table.summary()).status == "ended"

    asyncio.run(work())


def test_the_server_names_them():
    async def work():
        async with house() as served, Client(served.url) as client:
            answer = await client._rest.get("/v1/games/tribunal")
            assert answer.read(dict)["bots"] == ["random", "tribunal", "ten_kings"]

    asyncio.run(work())


def test_after_a_restart_they_play_on(tmp_path):
    async def work():
        file = tmp_path / "log.sqlite"
        slow = HouseBots(pace=lambda _: Pace(think=0.05, quiet=0.05))
        async with house(file, slow) as served, person(served) as client:
            table = await client.create_table("tribunal", 4, sit=False)
            for _ in range(4):
                await table.sit(bot="tribunal")
            await asyncio.sleep(0.5)
            before = (await table.summary()).seq
        bots = HouseBots(pace=lambda _: AT_ONCE)
        async with house(file, bots) as served, Client(served.url) as client:
            summary = await ended(client.table(table.id))
            assert summary.status == "ended"
            assert summary.seq > before
            await idle(bots)

    asyncio.run(work())


def test_no_token_outlives_the_table():
    async def work():
        bots = HouseBots(pace=lambda _: AT_ONCE)
        told = []
        async with house(bots=bots) as served, person(served) as client:
            seated = bots.seated
            bots.seated = lambda *given: (told.append(given), seated(*given))[1]
            table = await client.create_table("tribunal", 4, sit=False)
            for _ in range(4):
                await table.sit(bot="random")
            await ended(table)
            await idle(bots)
            assert len(told) == 4
            assert all(served.site.accounts.principal(token) is None for _, _, _, token in told)

    asyncio.run(work())


def test_a_bot_sent_away_ends():
    async def work():
        bots = HouseBots(pace=lambda _: AT_ONCE)
        async with house(bots=bots) as served, person(served) as client:
            table = await client.create_table("tribunal", 4)
            moved = await table.sit(bot="random")
            await asyncio.sleep(0.1)
            assert bots.playing == 1
            await table.rise(moved.seat)
            await idle(bots)

    asyncio.run(work())


class Broken(Chancer):
    """Fails, and would do what is not allowed."""

    def hear(self, entry):
        raise RuntimeError("deaf")

    def choose(self, now):
        return Move({"type": "nonsense"}) if now.must else None


@pytest.mark.expects_errors("a bot failed")
def test_a_broken_bot_neither_stops_its_table_nor_the_server():
    async def work():
        factories = {"broken": lambda rng, _: Broken(rng), "random": Chancer}
        async with house(bots=HouseBots(factories, pace=lambda _: AT_ONCE)) as served, person(served) as client:
            table = await client.create_table("straws", 2, sit=False)
            await table.sit(bot="broken")
            await table.sit(bot="random")
            assert (await ended(table)).status == "ended"
            assert await client.games()

    asyncio.run(work())


def test_the_server_stops_with_bots_in_mid_game():
    async def work():
        bots = HouseBots(pace=lambda _: Pace(think=0.05))
        clock = asyncio.get_running_loop().time
        async with house(bots=bots) as served:
            async with person(served) as client:
                table = await client.create_table("tribunal", 4, sit=False)
                for _ in range(4):
                    await table.sit(bot="random")
            await asyncio.sleep(0.2)
            begun = clock()
        assert clock() - begun < 5
        await idle(bots)

    asyncio.run(work())


def test_people_get_more_time():
    bot = {"player": "b", "bot": "random"}
    view = {"seats": [bot, {"player": "p", "bot": None}]}
    now = Update(seq=1, head="", view=view, asks=(), since=1, to_act=())
    assert house_pace(now) is AMONG_PEOPLE
    alone = Update(seq=1, head="", view={"seats": [bot, {"player": None, "bot": None}]}, asks=(), since=1, to_act=())
    assert house_pace(alone) is AMONG_BOTS
