"""Memory is bounded: of many tables those that were not used for longest are put away, and come back when asked for."""

import asyncio
from random import Random

from games.table.house import House
from tests.server.live_support import HandClock, harbour, opened, run, seat, until
from tests.server.live_wire import serving


async def _tables(site, count, **more):
    return [await seat(site, "straws", 2, **more) for _ in range(count)]


def loaded(site):
    return {live.id for live in site.tables.loaded()}


def test_of_many_tables_the_last_used_stay():
    async def body():
        async with opened(tables_in_memory=4) as site:
            tables = await _tables(site, 6)
            assert loaded(site) == {table.id for table in tables[2:]}
            await site.tables.load(tables[2].id)
            (new,) = await _tables(site, 1)

            assert loaded(site) == {table.id for table in (*tables[4:], tables[2], new)}

    run(body())


def test_a_table_that_was_put_away_comes_back_as_it_was_and_plays_on():
    async def body():
        async with opened(tables_in_memory=4) as site:
            table = await harbour(site)
            before, key = table.now, table.live.key(table.now.table.record)
            answer = await table.do(0, {"type": "say", "text": "x"}, key="k")
            await _tables(site, 5)
            assert table.id not in loaded(site)

            live = await table.load()
            assert live.now.seq == before.seq + 1
            assert live.key(live.now.table.record) == key
            again = await table.do(0, {"type": "say", "text": "x"}, key="k")
            assert (again.replayed, again.entry) == (True, answer.entry)
            await table.play_out(Random(71))

    run(body())


def test_a_table_that_somebody_follows_stays():
    async def body():
        async with serving(tables_in_memory=4) as town:
            table = await town.table("straws", 2)
            async with town.socket(table, 0) as reader, town.stream(table) as listener:
                await reader.receive()
                await _tables(town.site, 8)
                assert table.id in loaded(town.site)
                await table.do(1, {"type": "say", "text": "x"})
                await reader.reach(table.live.seq)
                await listener.reach(table.live.seq)
            await until(lambda: not table.live.in_use)
            await _tables(town.site, 8)
            assert table.id not in loaded(town.site)
            assert len(loaded(town.site)) <= 5

    run(body())


def test_a_table_where_something_is_being_done_stays():
    async def body():
        async with opened(tables_in_memory=4) as site:
            table = await seat(site, "straws", 2)
            append, gate = site.store.append, asyncio.get_running_loop().create_future()

            async def slowly(written):
                await gate
                return await written

            site.store.append = lambda *args: slowly(append(*args))
            acting = asyncio.create_task(table.do(0, {"type": "say", "text": "x"}))
            await asyncio.sleep(0)
            site.store.append = append
            await _tables(site, 8)
            assert table.id in loaded(site)
            gate.set_result(None)
            await acting
            assert table.live.seq == (await site.store.head(table.id)).seq

    run(body())


def test_what_is_done_to_a_table_that_was_put_away_meanwhile_is_seen_by_those_who_follow_it_now():
    async def body():
        async with opened(tables_in_memory=4) as site:
            table = await seat(site, "straws", 2)
            old = table.live
            await _tables(site, 5)
            heard = []
            new = await site.tables.load(table.id)
            assert new is not old
            new.followers.add(lambda news: heard.append(news.step.entry.seq))
            old_way = site.tables.load
            site.tables.load = lambda _table: asyncio.sleep(0, old)
            doing = asyncio.create_task(table.do(0, {"type": "say", "text": "x"}))
            await asyncio.sleep(0)
            site.tables.load = old_way
            await doing

            assert heard == [new.seq]

    run(body())


def test_many_who_ask_for_a_table_that_was_put_away_get_the_same_one():
    async def body():
        async with opened(tables_in_memory=4) as site:
            tables = await _tables(site, 10)
            found = await asyncio.gather(*(site.tables.load(table.id) for table in tables for _ in range(3)))

            assert len({id(live) for live in found}) == 10
            assert len(loaded(site)) <= 5

    run(body())


def test_clocks_run_for_tables_that_were_put_away():
    async def body():
        clock = HandClock()
        async with opened(clock=clock, tables_in_memory=4) as site:
            table = await harbour(site, house=House(move_seconds=60))
            warden, seq = table.game.warden, table.live.seq
            await _tables(site, 5)
            assert table.id not in loaded(site)
            clock.go_on(60)
            await site.clock.tick()

            assert table.live.seq == seq + 1
            assert table.now.table.record.holders[warden].since is not None or table.game.phase != "warden"

    run(body())


def test_the_lobby_never_goes_back_while_a_table_is_read_again():
    async def body():
        async with opened(tables_in_memory=4) as site:
            table = await seat(site, "tribunal", 4)
            await table.play_out(Random(72))
            line = site.lobby.get(table.id)
            await _tables(site, 5)
            seen = []
            put = site.lobby.put
            site.lobby.put = lambda each: (seen.append(each), put(each))
            await table.load()

            assert {each.seq for each in seen if each.id == table.id} <= {line.seq}
            assert site.lobby.get(table.id) == line

    run(body())
