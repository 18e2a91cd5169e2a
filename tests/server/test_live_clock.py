"""The clock plays for who is late and for seats that nobody holds: once, at the right time, on however many servers."""

import asyncio
from contextlib import AsyncExitStack
from random import Random

import pytest

from events.memory import MemoryStore
from games.core import Refused
from games.table import actions as act
from games.table.house import House
from server.clock import RETRY_MS
from tests.server.live_support import NOON, HandClock, entries, harbour, lay, opened, run, said, seat, until
from tests.server.test_live_idempotence import Forgetful

MINUTE = House(move_seconds=60)
BANKED = House(move_seconds=60, bank_seconds=90)
CHANCE = House(absent="chance")


async def timed_out(table):
    """What the clock did, in its order: whose seat, and why."""
    log = await entries(table.site, table.id)
    found = []
    for entry in log:
        body = said(entry)
        if body["by"] == "clock":
            assert body["action"]["type"] == "time_up"
            (event,) = [event for event in body["events"] if event["type"] == "timed_out"]
            assert event["seat"] == body["action"]["seat"]
            found.append((event["seat"], event.get("why")))
    return found


def test_at_the_deadline_chance_plays_for_the_seat_and_not_before():
    async def body():
        clock = HandClock()
        async with opened(clock=clock) as site:
            table = await harbour(site, house=MINUTE)
            warden = table.game.warden
            clock.go_on(59.999)
            await site.clock.tick()
            assert await timed_out(table) == []

            clock.go_on(0.001)
            await site.clock.tick()

            assert await timed_out(table) == [(warden, "clock")]
            entry = said((await entries(site, table.id))[-1])
            assert entry["at"] == NOON + 60_000
            assert "draw" in entry
            assert table.game.steps + (table.game.phase != "warden") > 0

    run(body())


def test_steps_that_look_the_same_are_each_played_when_their_time_is_up():
    async def body():
        clock = HandClock()
        async with opened(clock=clock) as site:
            table = await harbour(site, house=MINUTE)
            warden = table.game.warden
            await table.do(warden, {"type": "admit", "pier": "north"})
            since = table.now.since[warden]
            for _ in range(2):
                clock.go_on(60)
                await site.clock.tick()

            assert await timed_out(table) == [(warden, "clock")] * 2
            assert table.game.phase == "deputy"
            assert since == table.live.seq - 2

    run(body())


def test_whoever_acts_in_time_is_left_alone_and_his_reserve_pays_for_what_he_took_longer():
    async def body():
        clock = HandClock()
        async with opened(clock=clock) as site:
            table = await harbour(site, house=BANKED)
            warden = table.game.warden
            clock.go_on(100)
            await site.clock.tick()
            await table.do(warden, {"type": "admit", "pier": "north"})
            assert table.now.table.record.holders[warden].bank == 50_000

            clock.go_on(109.9)
            await site.clock.tick()
            assert await timed_out(table) == []
            clock.go_on(0.1)
            await site.clock.tick()
            assert await timed_out(table) == [(warden, "clock")]
            assert table.now.table.record.holders[warden].bank == 0

    run(body())


def test_a_game_of_people_who_never_act_is_played_to_its_end_by_the_clock():
    async def body():
        clock = HandClock()
        async with opened(clock=clock) as site:
            table = await seat(site, "tribunal", 4, house=MINUTE)
            while not table.over:
                before = table.live.seq
                clock.go_on(60)
                await site.clock.tick()
                assert table.live.seq > before

            assert {why for _, why in await timed_out(table)} == {"clock"}
            assert site.clock.next() is None

    run(body())


def test_two_servers_whose_clocks_strike_together_act_once():
    async def body():
        clock, store = HandClock(), MemoryStore()
        async with AsyncExitStack() as stack:
            sites = [await stack.enter_async_context(opened(store, clock)) for _ in range(3)]
            table = await seat(sites[0], "tribunal", 5, house=MINUTE)
            for site in sites[1:]:
                await table.on(site).load()
            clocked = 0
            while not table.over and clocked < 40:
                clock.go_on(60)
                await asyncio.gather(*(site.clock.tick() for site in sites))
                for site in sites:
                    await site.tables.catch_up(await table.on(site).load())
                waited = {tuple(table.on(site).now.table.course.to_act) for site in sites}
                assert len(waited) == 1
                clocked += 1

            log = [said(entry) for entry in await entries(sites[0], table.id)]
            played = [(body["at"], body["action"]["seat"]) for body in log if body["by"] == "clock"]
            assert len(played) == len(set(played))
            assert len(played) >= clocked

    run(body())


def test_clocks_go_on_after_a_restart():
    async def body():
        clock, store = HandClock(), MemoryStore()
        async with opened(store, clock) as site:
            table = await harbour(site, house=MINUTE)
            warden = table.game.warden
            clock.go_on(100)
            async with opened(store, clock) as again:
                await again.clock.tick()
                assert await timed_out(table.on(again)) == [(warden, "clock")]

    run(body())


@pytest.mark.parametrize("house", [MINUTE, CHANCE])
def test_tables_that_are_frozen_or_over_have_no_clock(house):
    async def body():
        clock = HandClock()
        async with opened(clock=clock) as site:
            frozen, ended = await harbour(site, house=house), await harbour(site, house=house)
            await frozen.do("server", act.Freeze("rules"))
            await frozen.do(frozen.game.warden, {"type": "leave"})
            await ended.play_out(Random(51))
            seqs = frozen.live.seq, ended.live.seq
            assert site.clock.next() is None
            clock.go_on(10_000)
            await site.clock.tick()
            for table in (frozen, ended):
                site.clock.look(table.live)

            assert site.clock.next() is None
            assert (frozen.live.seq, ended.live.seq) == seqs

    run(body())


def test_a_table_without_clocks_waits_for_ever():
    async def body():
        clock = HandClock()
        async with opened(clock=clock) as site:
            table = await harbour(site)
            await table.do(table.game.warden, {"type": "leave"})
            clock.go_on(10**9)
            await site.clock.tick()

            assert await timed_out(table) == []

    run(body())


def test_where_the_house_says_so_chance_plays_at_once_for_a_seat_that_nobody_holds():
    async def body():
        async with opened(clock=HandClock()) as site:
            table = await harbour(site, house=CHANCE)
            warden = table.game.warden
            await table.do(warden, {"type": "leave"})
            await site.clock.tick()

            assert {seat for seat, _ in await timed_out(table)} == {warden}
            assert {why for _, why in await timed_out(table)} == {"absent"}
            assert table.game.phase != "warden"
            assert warden not in table.now.table.course.to_act

    run(body())


def test_a_table_that_all_have_left_to_chance_is_played_to_its_end():
    async def body():
        async with opened(clock=HandClock()) as site:
            table = await seat(site, "tribunal", 4, house=CHANCE)
            for number in range(4):
                await table.do(number, {"type": "leave"})
                await site.clock.tick()

            assert table.status == "ended"

    run(body())


def test_where_the_house_says_so_a_table_is_over_when_somebody_leaves():
    async def body():
        async with opened(clock=HandClock()) as site:
            table = await harbour(site, house=House(absent="end", move_seconds=60))
            await table.do(0, {"type": "leave"})

            assert table.status == "abandoned"
            assert site.clock.next() is None

    run(body())


def test_a_store_that_fails_delays_the_clock_and_stops_it_for_no_table():
    async def body():
        clock, store = HandClock(), Forgetful()
        async with opened(store, clock) as site:
            tables = [await harbour(site, house=MINUTE) for _ in range(2)]
            clock.go_on(60)
            store.down = True
            await site.clock.tick()
            assert site.clock.next() == clock.now + RETRY_MS
            store.down = False
            clock.go_on(RETRY_MS / 1000)
            await site.clock.tick()

            assert [len(await timed_out(table)) for table in tables] == [1, 1]

    run(body())


def test_a_clock_whose_answer_was_lost_has_acted_once():
    async def body():
        clock, store = HandClock(), Forgetful()
        async with opened(store, clock) as site:
            table = await harbour(site, house=MINUTE)
            clock.go_on(60)
            store.loses = "after"
            await site.clock.tick()
            clock.go_on(RETRY_MS / 1000)
            await site.clock.tick()

            assert len(await timed_out(table)) == 1

    run(body())


def test_the_clock_strikes_by_itself():
    async def body():
        clock = HandClock()
        async with opened(clock=clock) as site:
            site.clock.start()
            table = await harbour(site, house=CHANCE)
            await table.do(table.game.warden, {"type": "leave"})
            await until(lambda: table.game.phase != "warden")
            again = await harbour(site, house=CHANCE)
            await again.do(again.game.warden, {"type": "leave"})
            await until(lambda: again.game.phase != "warden")

    run(body())


def test_many_turns_do_not_pile_up_in_the_clock():
    async def body():
        async with opened(clock=HandClock()) as site:
            table = await harbour(site, house=House(move_seconds=86_400))
            for number in range(500):
                site.clock._set("00-aaaaaaaaaaaaaaaa", 0, NOON + number)
            assert len(site.clock._queue) < 200
            await table.play_out(Random(52))
            site.clock._set("00-aaaaaaaaaaaaaaaa", 0, None)
            assert site.clock.next() is None
            assert site.clock._queue == []

    run(body())


def test_nobody_but_the_clock_says_that_time_is_up():
    async def body():
        clock = HandClock()
        async with opened(clock=clock) as site:
            table = await seat(site, "harbour", 2, house=MINUTE)
            clock.go_on(61)
            for by in (0, 1, "server", "operator"):
                with pytest.raises(Refused) as refused:
                    await table.do(by, act.TimeUp(0))
                assert refused.value.code == "not_your_seat"
            await lay(table)
            with pytest.raises(Refused) as early:
                await table.do("clock", act.TimeUp(table.game.warden))
            assert early.value.code == "time_left"

    run(body())
