"""Stopping in order: what was accepted is durable and answered, sockets are told, streams end, and all is there again."""

import asyncio
from random import Random

import httpx
import pytest
from websockets.exceptions import InvalidHandshake

from games.table.house import House
from server.clock import due
from tests.server.live_support import HandClock, lay, run, until
from tests.server.live_wire import NDJSON, SSE, serving
from tests.server.test_live_vacancy import Barracks


def slow_store(town):
    """Holds back what the store answers until the gate is opened."""
    gate, append = asyncio.get_running_loop().create_future(), town.site.store.append

    async def slowly(written):
        await gate
        return await written

    town.site.store.append = lambda *args: slowly(append(*args))
    return gate


def stop(town):
    town.server.should_exit = True


def test_silent_sockets_are_told_that_the_server_goes_and_streams_end():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 2)
            async with (
                town.socket(table, 0) as reader,
                town.socket(table) as spectator,
                town.stream(table, 0, media=NDJSON) as lines,
                town.stream(table, 1, media=SSE) as events,
            ):
                for one in (reader, spectator, lines, events):
                    await one.receive()
                stop(town)
                assert await reader.end() == 1001
                assert await spectator.end() == 1001
                await lines.end()
                await events.end()

                assert reader.problems == lines.problems == events.problems == []

    run(body())


def test_what_was_sent_before_the_end_is_sent_to_all_before_they_are_let_go():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 2)
            async with town.socket(table, 0) as reader, town.stream(table, 1) as lines:
                await reader.receive()
                await lines.receive()
                await table.do(1, {"type": "say", "text": "last words"})
                stop(town)
                await reader.end()
                await lines.end()

                assert reader.seq == lines.seq == table.live.seq

    run(body())


def test_an_action_that_is_under_way_on_a_socket_is_answered_before_the_close():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 2)
            async with town.socket(table, 0) as reader:
                await reader.receive()
                gate = slow_store(town)
                await reader.send({"id": 1, "action": {"type": "say", "text": "x"}})
                await until(lambda: not table.live.idle)
                stop(town)
                await until(lambda: not town.site.ready)
                gate.set_result(None)
                answer = await reader.answer(1)
                assert await reader.end() == 1001

                assert answer["seq"] == reader.seq

    run(body())


def test_a_request_that_is_under_way_is_answered():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 2)
            gate = slow_store(town)
            asking = asyncio.create_task(town.post(table, 0, "actions", {"type": "say", "text": "x"}))
            await until(lambda: not table.live.idle)
            stop(town)
            await until(lambda: not town.site.ready)
            gate.set_result(None)

            assert (await asking).status_code == 201

    run(body())


def test_nobody_new_is_let_in_while_the_server_goes():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 2)
            async with town.socket(table, 0) as reader:
                await reader.receive()
                gate = slow_store(town)
                await reader.send({"id": 1, "action": {"type": "say", "text": "x"}})
                await until(lambda: not table.live.idle)
                stop(town)
                await until(lambda: not town.site.ready)
                with pytest.raises((OSError, InvalidHandshake, httpx.HTTPError)):
                    async with town.socket(table, 1) as other:
                        assert await other.receive()
                gate.set_result(None)
                await reader.end()

    run(body())


def test_after_a_restart_over_sqlite_all_is_there(tmp_path):
    kept = {"store": f"sqlite:{tmp_path / 'log.sqlite'}"}
    clock = HandClock()
    house = House(move_seconds=600, bank_seconds=60, absent="bot")

    async def before():
        bots = Barracks()
        async with serving(clock=clock, bots=bots, **kept) as town:
            playing = await town.table("harbour", 3, house)
            await lay(playing)
            await playing.do(playing.game.deputy, {"type": "leave"})
            await town.site.vacancies.done()
            over = await town.table("straws", 2)
            await over.play_out(Random(81))
            private = await town.table("straws", 2, begun=False, visibility="private")
            invite = (await town.post(private, 0, "invites", {"role": "play"})).json()["code"]
            looks = {
                (t.id, who): await town.view(t, who)
                for t in (playing, over)
                for who in (0, 1, 2, None)
                if who != 2 or t is playing
            }
            lobby = [(line.id, line.status, line.seq, line.head, line.created) for line in town.site.lobby.newest()]
            keys = (await town.http.get("/v1/keys")).json()
            return town.tokens, (playing, over, private), invite, looks, lobby, keys, bots

    async def after(tokens, tables, invite, looks, lobby, keys, bots):
        later = Barracks()
        async with serving(clock=clock, bots=later, **kept) as town:
            town.tokens = tokens
            playing, over, private = (table.on(town.site) for table in tables)
            for (table, who), look in looks.items():
                assert await town.view(next(t for t in (playing, over) if t.id == table), who) == look
            assert lobby == [
                (line.id, line.status, line.seq, line.head, line.created) for line in town.site.lobby.newest()
            ]
            assert (await town.http.get("/v1/keys")).json() == keys
            guest = town.person("Guest")
            assert (await town.post(private, guest, "seats", {"invite": invite})).status_code == 201
            ((table, number, bot, token),) = later.told
            assert (table, number, bot) == bots.told[0][:3]
            assert town.site.accounts.principal(token).player == playing.now.table.record.holders[number].player
            warden = playing.game.warden
            assert town.site.clock.next() == due(playing.now.table, warden)
            clock.go_on(660)
            town.site.clock._wake.set()
            await until(lambda: playing.now.table.at == clock.now)

    run(after_of(before, after))


async def after_of(before, after):
    await after(*await before())


def test_a_table_of_before_goes_on_to_its_end_after_each_of_many_restarts(tmp_path):
    kept = {"store": f"sqlite:{tmp_path / 'log.sqlite'}"}

    async def body():
        tokens, table, rng = None, None, Random(82)
        while table is None or not table.over:
            async with serving(**kept) as town:
                if table is None:
                    table = await town.table("straws", 4)
                    tokens = town.tokens
                town.tokens, table = tokens, table.on(town.site)
                await table.move(rng, around=0.2)
                assert (await town.view(table, 0))["seq"] == table.live.seq

    run(body())


def test_a_store_that_closed_says_unavailable():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 2)
            seq = table.live.seq
            await town.site.store.close()
            answer = await town.post(table, 0, "actions", {"type": "say", "text": "x"})

            assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
            assert int(answer.headers["retry-after"]) >= 1
            assert table.live.seq == seq
            assert (await town.view(table, 0))["seq"] == seq

    run(body())
