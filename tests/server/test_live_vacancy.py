"""House bots take over seats that fall vacant where the house wants that, and are told again of theirs after a restart."""

from contextlib import AsyncExitStack
from random import Random

import pytest

from events.memory import MemoryStore
from games.table import actions as act
from games.table.house import House
from tests.server.live_support import entries, harbour, opened, run, said, seat
from tests.server.test_live_idempotence import Forgetful

BOT = House(absent="bot")


class Barracks:
    """Where house bots are told of their seats, and wait."""

    def __init__(self, *names):
        self.names = names or ("chancer",)
        self.told = []

    def seated(self, table, seat, bot, token):
        self.told.append((table, seat, bot, token))


async def sat(table):
    """Who sat down in mid-game, by seat and bot."""
    log = [said(entry) for entry in await entries(table.site, table.id)]
    started = next(body["seq"] for body in log if body["action"]["type"] == "start")
    events = [event for body in log if body["seq"] > started for event in body["events"]]
    return [(event["seat"], event.get("bot")) for event in events if event["type"] == "seated"]


def test_a_seat_that_falls_vacant_is_taken_over_by_a_house_bot_that_may_play_there():
    async def body():
        bots = Barracks()
        async with opened(bots=bots) as site:
            table = await harbour(site, house=BOT)
            warden = table.game.warden
            await table.do(warden, {"type": "leave"})
            await site.vacancies.done()

            ((told, number, bot, token),) = bots.told
            assert (told, number, bot) == (table.id, warden, "chancer")
            who = site.accounts.principal(token)
            holder = table.now.table.record.holders[warden]
            assert (holder.player, holder.bot) == (who.player, "chancer")
            assert who.bot
            assert who.scopes == {"play", "read"}
            assert await sat(table) == [(warden, "chancer")]

    run(body())


@pytest.mark.parametrize("house", [House(), House(absent="chance")])
def test_other_houses_get_no_bots(house):
    async def body():
        bots = Barracks()
        async with opened(bots=bots) as site:
            table = await harbour(site, house=house)
            await table.do(0, {"type": "leave"})
            await site.vacancies.done()

            assert bots.told == []
            assert await sat(table) == []

    run(body())


def test_without_house_bots_the_seat_waits_for_whoever_takes_it():
    async def body():
        async with opened() as site:
            table = await harbour(site, house=BOT)
            await table.do(0, {"type": "leave"})
            await site.vacancies.done()
            await table.do(0, act.Sit("heir", None, None))

            assert await sat(table) == [(0, None)]

    run(body())


def test_before_the_start_an_empty_seat_is_no_vacancy():
    async def body():
        bots = Barracks()
        async with opened(bots=bots) as site:
            table = await seat(site, "harbour", 3, house=BOT, begun=False)
            await table.do(1, act.Sit("p1", None, None))
            await table.do(1, act.Rise())
            await site.vacancies.done()

            assert bots.told == []

    run(body())


def test_of_several_servers_one_seats_its_bot():
    async def body():
        store, hosts = MemoryStore(), [Barracks() for _ in range(3)]
        async with AsyncExitStack() as stack:
            sites = [await stack.enter_async_context(opened(store, bots=bots)) for bots in hosts]
            table = await harbour(sites[0], house=BOT)
            for site in sites:
                await table.on(site).load()
            await table.do(1, {"type": "leave"})
            for site in sites:
                await site.tables.catch_up(table.on(site).live)
            for site in sites:
                await site.vacancies.done()

            assert await sat(table) == [(1, "chancer")]
            assert sum(len(bots.told) for bots in hosts) == 1

    run(body())


def test_all_seats_may_fall_to_bots_one_after_the_other():
    async def body():
        bots = Barracks()
        async with opened(bots=bots) as site:
            table = await harbour(site, house=BOT)
            for number in range(3):
                await table.do(number, {"type": "leave"})
            await site.vacancies.done()

            assert sorted(number for _, number, _, _ in bots.told) == [0, 1, 2]
            assert all(holder.bot for holder in table.now.table.record.holders)

    run(body())


def test_a_vacancy_from_before_a_restart_is_filled_after_it():
    async def body():
        store, bots = MemoryStore(), Barracks()
        async with opened(store) as site:
            table = await harbour(site, house=BOT)
            await table.do(2, {"type": "leave"})
            async with opened(store, bots=bots) as again:
                await again.vacancies.done()

                assert await sat(table.on(again)) == [(2, "chancer")]
                assert len(bots.told) == 1

    run(body())


def test_an_answer_that_was_lost_seats_no_second_bot():
    async def body():
        store, bots = Forgetful(), Barracks()
        async with opened(store, bots=bots) as site:
            table = await harbour(site, house=BOT)
            await table.do(1, {"type": "leave"})
            store.loses = "after"
            await site.vacancies.done()

            assert await sat(table) == [(1, "chancer")]
            assert len(bots.told) == 1

    run(body())


def test_after_a_restart_bots_are_told_of_their_seats_with_tokens_that_work(tmp_path):
    async def body():
        kept = {"accounts": str(tmp_path / "accounts")}
        store, bots = MemoryStore(), Barracks()
        async with opened(store, bots=bots, **kept) as site:
            tables = [await harbour(site, house=BOT) for _ in range(2)]
            for table in tables:
                await table.do(1, {"type": "leave"})
            await site.vacancies.done()
            heirs = [table.now.table.record.holders[1].player for table in tables]
            people = [
                tuple(heirs[n] if number == 1 else p for number, p in enumerate(t.people)) for n, t in enumerate(tables)
            ]
            tables[1].people = people[1]
            await tables[1].play_out(Random(61))
        told = []

        class Same(MemoryStore):
            def __init__(self):
                super().__init__()
                self.__dict__.update({**store.__dict__, "_closed": False})

        later = Barracks()
        async with opened(Same(), bots=later, **kept) as again:
            for table, number, bot, token in later.told:
                who = again.accounts.principal(token)
                told.append((table, number, bot, who.player))
        assert told == [(tables[0].id, 1, "chancer", heirs[0])]

    run(body())


def test_a_full_table_whose_server_ended_before_the_start_begins_when_it_is_back():
    async def body():
        store = MemoryStore()
        async with opened(store) as site:
            table = await seat(site, "harbour", 2, begun=False)
            site.tables.start_if_full = _nothing
            await table.do(1, act.Sit("p1", None, None))
            assert table.status == "open"
            async with opened(store) as again:
                await again.vacancies.done()

                assert table.on(again).status == "playing"

    async def _nothing(_live):
        return None

    run(body())
