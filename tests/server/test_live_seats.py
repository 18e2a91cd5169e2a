"""Taking a seat and losing it while one follows the table: what is shown changes with it, at that very entry."""

from contextlib import AsyncExitStack
from random import Random

import pytest

from games.core import Refused
from games.table import actions as act
from games.table.house import House
from tests.server.live_support import Table, run
from tests.server.live_wire import NDJSON, serving
from tests.server.test_live_follow import WAYS, follow


def hidden(view):
    """The hands in a view of Tribunal, as far as they are known."""
    return [[card for card in hand if card is not None] for hand in view["game"]["hands"]]


@pytest.mark.parametrize("way", WAYS)
def test_who_takes_a_seat_before_the_start_sees_with_its_eyes_from_then_on(way):
    async def body():
        async with serving() as town, AsyncExitStack() as stack:
            table = await town.table("tribunal", 4, begun=False)
            reader = await follow(stack, town, table, 3, way)
            await reader.reach(table.live.seq)
            assert reader.view["seat"] is None
            for number in range(1, 4):
                await table.do(number, act.Sit(table.people[number], None, None))
            await reader.reach(table.live.seq)

            assert reader.view["seat"] == 3
            assert reader.view == await town.view(table, 3)
            assert hidden(reader.view)[3]
            assert hidden(reader.view)[:3] == [[], [], []]

    run(body())


@pytest.mark.parametrize("way", WAYS)
def test_who_takes_over_a_vacant_seat_in_mid_game_sees_what_it_saw(way):
    async def body():
        async with serving() as town, AsyncExitStack() as stack:
            table = await town.table("tribunal", 4)
            await table.move(Random(21))
            heir = town.person("Heir")
            reader = await follow(stack, town, table, heir, way)
            await reader.reach(table.live.seq)
            assert hidden(reader.view) == [[], [], [], []]
            before = await town.view(table, 2)

            await table.do(2, {"type": "leave"})
            await table.do(2, act.Sit(heir, None, None))
            await reader.reach(table.live.seq)

            assert "view" in reader.sight.frames[-1]
            assert reader.view == await town.view(table, heir)
            assert hidden(reader.view)[2] == hidden(before)[2] != []
            assert reader.sight.asks

    run(body())


@pytest.mark.parametrize("way", WAYS)
def test_who_gives_up_his_seat_sees_the_table_as_a_spectator_from_that_entry_on(way):
    async def body():
        async with serving() as town, AsyncExitStack() as stack:
            table = await town.table("tribunal", 4)
            reader = await follow(stack, town, table, 1, way)
            await table.do(1, {"type": "leave"})
            await reader.reach(table.live.seq)

            assert reader.view["seat"] is None
            assert reader.view == await town.view(table, 1) == {**await town.view(table, None)}
            assert reader.sight.asks == []
            await table.do(0, {"type": "say", "text": "Vale!"})
            await reader.reach(table.live.seq)
            assert reader.view == await town.view(table, 1)

    run(body())


@pytest.mark.parametrize("way", WAYS)
def test_who_gives_up_his_seat_where_nobody_may_watch_is_shown_that_and_no_more(way):
    async def body():
        async with serving() as town, AsyncExitStack() as stack:
            table = await town.table("tribunal", 4, House(spectators=False))
            reader = await follow(stack, town, table, 1, way)
            await table.do(1, {"type": "leave"})
            left = table.live.seq
            await table.do(0, {"type": "say", "text": "Vale!"})
            code = await reader.end()

            assert reader.seq == left
            assert [problem["code"] for problem in reader.problems] == ["forbidden"]
            assert code in (None, 1008)

    run(body())


def test_leaving_by_the_socket_is_answered_before_the_socket_is_closed():
    async def body():
        async with serving() as town:
            table = await town.table("tribunal", 4, House(spectators=False))
            async with town.socket(table, 1) as reader:
                answer = await reader.act({"type": "leave"})
                assert await reader.end() == 1008

            assert reader.order[-2:] == [("frame", answer["seq"]), ("answer", answer["seq"])]

    run(body())


@pytest.mark.parametrize("way", WAYS)
def test_who_took_a_seat_while_he_was_away_gets_the_whole_view_when_he_comes_again(way):
    async def body():
        async with serving() as town, AsyncExitStack() as stack:
            table = await town.table("tribunal", 4)
            heir = town.person("Heir")
            async with town.stream(table, heir) as listener:
                await listener.reach(table.live.seq)
            after = listener.seq
            await table.do(2, {"type": "leave"})
            await table.do(2, act.Sit(heir, None, None))
            await table.do(0, {"type": "say", "text": "Vale!"})

            reader = await follow(stack, town, table, heir, way, after=after, sight=listener.sight)
            await reader.reach(table.live.seq)

            assert reader.sight.frames[-1]["resumed_from"] == after
            assert reader.view == await town.view(table, heir)

    run(body())


@pytest.mark.parametrize("way", WAYS)
def test_who_lost_his_seat_while_he_was_away_gets_nothing_of_what_it_saw_meanwhile(way):
    async def body():
        async with serving() as town, AsyncExitStack() as stack:
            table = await town.table("tribunal", 4, begun=False)
            await table.do(1, act.Sit(table.people[1], None, None))
            async with town.stream(table, 1) as listener:
                await listener.reach(table.live.seq)
            for number in (2, 3):
                await table.do(number, act.Sit(table.people[number], None, None))
            await table.do(1, {"type": "leave"})

            reader = await follow(stack, town, table, 1, way, after=listener.seq, sight=listener.sight)
            await reader.reach(table.live.seq)

            assert all(not known for known in hidden(reader.view))
            assert len(reader.sight.frames) == 2

    run(body())


def test_a_socket_acts_for_the_seat_that_its_owner_took_meanwhile():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 2, begun=False)
            async with town.socket(table, 1) as reader:
                refused = await reader.act({"type": "say", "text": "Ave!"})
                assert refused["problem"]["code"] == "not_your_seat"
                await table.do(1, act.Sit(table.people[1], None, None))
                done = await reader.act({"type": "say", "text": "Ave!"})

            assert done["seq"] == table.live.seq

    run(body())


def test_a_stream_of_a_private_table_ends_for_who_gave_up_his_seat():
    async def body():
        async with serving() as town:
            table = await town.table("tribunal", 4, visibility="private")
            async with town.stream(table, 1) as listener:
                await table.do(1, {"type": "leave"})
                await listener.end()
            async with town.stream(table, 1) as again:
                assert again.response.status_code == 404

            assert listener.problems[0]["code"] == "not_found"

    run(body())


def test_before_the_start_one_may_rise_and_another_may_take_the_seat():
    async def body():
        async with serving() as town, AsyncExitStack() as stack:
            table = await town.table("straws", 3, begun=False)
            await table.do(1, act.Sit(table.people[1], None, None))
            reader = await follow(stack, town, table, 1, NDJSON)
            await table.do(1, act.Rise())
            swapped = Table(town.site, table.id, (table.people[0], table.people[2], table.people[1]))
            await swapped.do(1, act.Sit(table.people[2], None, None))
            await reader.reach(table.live.seq)

            assert reader.view["seat"] is None
            with pytest.raises(Refused):
                await table.do(1, act.Rise())

    run(body())
