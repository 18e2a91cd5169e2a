"""Whoever follows a table knows at every entry what a fresh look shows, whatever he follows it by."""

import asyncio
from contextlib import AsyncExitStack
from random import Random

import pytest

from games.table.house import House
from tests.server.live_support import run, said, stored, written
from tests.server.live_wire import NDJSON, SSE, serving

WAYS = ("json", "msgpack", "subprotocol", NDJSON, SSE)

TALK = House(whispers=True)


async def follow(stack, town, table, who, way, **more):
    """A follower of any kind."""
    if way in (NDJSON, SSE):
        return await stack.enter_async_context(town.stream(table, who, media=way, **more))
    if way == "subprotocol":
        return await stack.enter_async_context(town.socket(table, who, by="subprotocol", **more))
    return await stack.enter_async_context(town.socket(table, who, coding=way, **more))


async def asks_of(town, table, who):
    answer = await town.get(table, who, "asks")
    return answer.json() if answer.status_code == 200 else {"asks": [], "since": 0}


def is_like_a_fresh_look(reader, view, asks):
    assert reader.view == view
    assert reader.sight.asks == asks["asks"]
    assert reader.sight.since == asks["since"]


@pytest.mark.parametrize(
    ("game", "kind"), [("tribunal", "memory"), ("tribunal", "sqlite"), ("harbour", "sqlite"), ("straws", "memory")]
)
def test_every_follower_of_a_whole_game_sees_at_every_entry_what_a_fresh_look_shows(game, kind):
    async def body():
        async with stored(kind) as store, serving(store) as town, AsyncExitStack() as stack:
            seats = 4
            table = await town.table(game, seats, TALK)
            everybody = [*range(seats), None]
            readers = {(who, way): await follow(stack, town, table, who, way) for who in everybody for way in WAYS}
            rng, looks = Random(game), {}
            while not table.over:
                await table.move(rng, around=0.4)
                looks[table.live.seq] = {
                    who: (await town.view(table, who), await asks_of(town, table, who)) for who in everybody
                }
            for (who, _), reader in readers.items():
                for seq, look in looks.items():
                    await reader.reach(seq)
                    is_like_a_fresh_look(reader, *look[who])
                await reader.end()
            assert all(reader.seq == table.live.seq for reader in readers.values())

    run(body())


def test_a_follower_who_comes_in_the_middle_sees_what_those_see_who_were_there_before():
    async def body():
        async with serving() as town, AsyncExitStack() as stack:
            table = await town.table("tribunal", 5, TALK)
            rng = Random(5)
            first = await follow(stack, town, table, 2, "json")
            late = []
            while not table.over:
                if len(late) < 10 and rng.random() < 0.2:
                    late.append(await follow(stack, town, table, 2, rng.choice(WAYS)))
                await table.move(rng, around=0.4)
            await first.end()
            for reader in late:
                await reader.end()
                assert reader.view == first.view == await town.view(table, 2)
                for seq, view in reader.sight.shown.items():
                    assert view == first.sight.shown[seq]

    run(body())


@pytest.mark.parametrize("way", WAYS)
def test_the_entry_that_ends_the_game_carries_the_result_and_is_the_last_thing_sent(way):
    async def body():
        async with serving() as town, AsyncExitStack() as stack:
            table = await town.table("straws", 2)
            reader = await follow(stack, town, table, 0, way)
            await table.play_out(Random(6))
            code = await reader.end()

            last = reader.sight.frames[-1]
            assert last["seq"] == table.live.seq
            assert last["changed"]["status"] == "ended"
            assert last["changed"]["result"]["winners"]
            assert last["to_act"] == []
            assert code in (None, 1000)

    run(body())


@pytest.mark.parametrize("way", WAYS)
def test_who_begins_to_follow_a_game_that_is_over_gets_its_end_and_nothing_more(way):
    async def body():
        async with serving() as town, AsyncExitStack() as stack:
            table = await town.table("straws", 2)
            await table.play_out(Random(7))
            reader = await follow(stack, town, table, 0, way)
            await reader.end()

            assert len(reader.sight.frames) == 1
            assert reader.view == await town.view(table, 0)
            assert reader.view["result"] is not None

    run(body())


def test_the_entry_comes_before_the_answer_to_the_action_that_made_it():
    async def body():
        async with serving() as town:
            table = await town.table("harbour", 3)
            async with town.socket(table, 0) as reader:
                for number, hand in enumerate(table.game.hands):
                    action = {"type": "lay", "card": hand[0]}
                    await (reader.act(action) if number == 0 else table.do(number, action))
                await reader.act({"type": "say", "text": "Ave!"})
                assert len(reader.answers) == 2
                for answer in reader.answers.values():
                    seq = answer["seq"]
                    assert reader.order.index(("frame", seq)) < reader.order.index(("answer", seq))

    run(body())


def test_the_action_that_ends_the_game_is_answered_after_its_entry_and_before_the_close():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 2)
            await table.do(table.now.table.course.to_act[0], {"type": "keep"})
            async with town.socket(table, table.now.table.course.to_act[0]) as reader:
                answer = await reader.act({"type": "keep"})
                assert await reader.end() == 1000

            assert answer["seq"] == table.live.seq
            assert reader.order[-2:] == [("frame", answer["seq"]), ("answer", answer["seq"])]
            assert reader.view["status"] == "ended"

    run(body())


def test_nobody_sees_an_entry_before_it_is_durable():
    async def body():
        async with serving() as town:
            table = await town.table("harbour", 3)
            heard, append = [], town.site.store.append
            table.live.followers.add(lambda news: heard.append(news.step.entry.seq))
            gate = asyncio.get_running_loop().create_future()

            async def slowly(written):
                await gate
                return await written

            town.site.store.append = lambda *args: slowly(append(*args))
            acting = asyncio.create_task(table.do(0, {"type": "lay", "card": table.game.hands[0][0]}))
            seq = table.live.seq
            await written(town.site, table.id, seq + 1)
            assert heard == []
            assert (await town.view(table, 0))["seq"] == seq
            gate.set_result(None)
            await acting
            assert heard == [seq + 1]

    run(body())


def test_the_frame_of_an_entry_holds_the_bytes_of_the_readers_own_version():
    async def body():
        async with serving() as town, AsyncExitStack() as stack:
            table = await town.table("tribunal", 4, TALK)
            readers = {who: await follow(stack, town, table, who, "json") for who in (0, 1, 2, 3, None)}
            packed = {who: await follow(stack, town, table, who, "msgpack") for who in (0, None)}
            await table.play_out(Random(8), around=0.3)
            log = {entry.seq: entry for entry in await town.site.store.read(table.id)}
            for who, reader in (*readers.items(), *packed.items()):
                await reader.end()
                for frame in reader.sight.frames[1:]:
                    versions = log[frame["seq"]].versions
                    own = str(who) if str(who) in versions else "public" if "public" in versions else "full"
                    assert frame["version"] == own
                    assert set(frame["commits"]) == set(versions) - {own}
                    if isinstance(frame["entry"], bytes):
                        assert frame["entry"] == versions[own]
                    else:
                        assert frame["entry"] == said(log[frame["seq"]], own)
                        assert any(versions[own] in raw for raw in reader.raw)

    run(body())
