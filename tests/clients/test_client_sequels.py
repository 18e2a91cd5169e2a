"""Forks and rematches by the client, over a real server: entry 1 is checked, and one's part in the chance is given."""

import asyncio
from random import Random

import pytest

from comitium_client import Client, Forbidden, Invalid, LogForked, NotFound, Refused, sync
from tests.server.live_support import run
from tests.server.live_wire import serving


def client(town, table, who, kind=Client):
    return kind(f"http://127.0.0.1:{town.port}", token=town.token(table, who))


def entropies(site, table):
    return [holder.entropy for holder in site.tables.get(table).now.table.record.holders]


async def played(town, **more):
    table = await town.table("harbour", 2, **more)
    await table.play_out(Random(5))
    return table


def test_a_fork_is_opened_joined_and_played_on():
    async def body():
        async with serving() as town:
            table = await played(town)
            async with client(town, table, 0) as livia, client(town, table, 1) as marcus:
                fork = await livia.table(table.id).fork(6, name="What if")
                summary = await fork.summary()
                assert (summary.forked_from.table, summary.forked_from.seq) == (table.id, 6)
                assert (summary.name, summary.rematch_of) == ("What if", None)
                assert entropies(town.site, fork.id)[0] is not None
                async with fork.follow() as live:
                    await marcus.table(fork.id).sit()
                    async for update in live:
                        if update.view["status"] == "playing":
                            break
                    assert live.view["game"] == (await livia.table(table.id).view(at=6, seat=0))["game"]
                    assert update.entry.body.action == {"type": "resume"}
                assert all(entropies(town.site, fork.id))
                assert [entry.seq async for entry in fork.log()] == list(
                    range(1, town.site.tables.get(fork.id).seq + 1)
                )

    run(body())


def test_one_may_stand_in_a_fork_and_show_it_to_fewer():
    async def body():
        async with serving() as town:
            table = await played(town)
            async with client(town, table, 0) as livia, client(town, table, 1) as marcus:
                fork = await livia.table(table.id).fork(6, sit=False, visibility="private", key="one")
                again = await livia.table(table.id).fork(6, sit=False, visibility="private", key="one")
                assert fork.id == again.id
                assert entropies(town.site, fork.id) == [None, None]
                with pytest.raises(NotFound):
                    await marcus.table(fork.id).summary()

    run(body())


def test_what_the_server_does_not_allow_is_raised_as_what_it_is():
    async def body():
        async with serving() as town:
            table, going_on = await played(town, visibility="unlisted"), await town.table("harbour", 2)
            stranger = town.person("Stranger")
            async with client(town, table, 0) as livia, client(town, table, stranger) as other:
                with pytest.raises(Invalid):
                    await livia.table(table.id).fork(1)
                with pytest.raises(LogForked):
                    await livia.table(table.id).fork(10**6)
                with pytest.raises(Forbidden):
                    await other.table(table.id).fork(6)
                with pytest.raises(Forbidden):
                    await other.table(table.id).rematch()
                with pytest.raises(Refused):
                    await other.table(going_on.id).rematch()

    run(body())


def test_all_who_ask_for_a_rematch_sit_where_they_sat_and_have_a_part_in_its_chance():
    async def body():
        async with serving() as town:
            table = await played(town)
            async with client(town, table, 0) as livia, client(town, table, 1) as marcus:
                one, other = await asyncio.gather(livia.table(table.id).rematch(), marcus.table(table.id).rematch())
                assert one.id == other.id
                summary = await one.summary()
                assert (summary.rematch_of, summary.forked_from) == (table.id, None)
                assert [holder.player for holder in summary.seats] == list(table.people)
                assert summary.status == "playing"
                assert (await livia.table(table.id).rematch()).id == one.id

    run(body())


def test_who_asks_for_a_rematch_first_gives_his_part_before_the_other_comes():
    async def body():
        async with serving() as town:
            table = await played(town)
            async with client(town, table, 1) as marcus:
                made = await marcus.table(table.id).rematch()
                assert [each is not None for each in entropies(town.site, made.id)] == [False, True]

    run(body())


def test_where_somebody_else_sits_in_ones_seat_one_takes_no_other():
    async def body():
        async with serving() as town:
            table = await played(town)
            async with client(town, table, 0) as livia, client(town, table, 1) as marcus:
                made = await livia.table(table.id).rematch()
                live = await town.site.tables.load(made.id)
                other = town.person("Other")
                table.people = (table.people[0], other)
                assert (await town.http.post(
                    f"/v1/tables/{made.id}/seats", json={"seat": 1}, headers=town.headers(table, 1)
                )).status_code == 201  # fmt: skip
                assert (await marcus.table(table.id).rematch()).id == made.id
                assert [holder.player for holder in live.now.table.record.holders] == list(table.people)

    run(body())


def test_the_client_without_await_does_the_same():
    def calls(town, table):
        with client(town, table, 0, sync.Client) as livia:
            fork = livia.table(table.id).fork(6, name="Again")
            return fork.summary().forked_from.seq, livia.table(table.id).rematch().summary().rematch_of

    async def body():
        async with serving() as town:
            table = await played(town)
            assert await asyncio.to_thread(calls, town, table) == (6, table.id)

    run(body())
