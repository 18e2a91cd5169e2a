"""Going on where one stopped: the frames that were missed, or the whole view when they are too many."""

from contextlib import AsyncExitStack
from random import Random

import pytest

from games.table import actions as act
from games.table.house import House
from server import follow as following
from server.tables import history
from tests.server.live_support import run
from tests.server.live_wire import NDJSON, SSE, Sight, serving
from tests.server.test_live_follow import WAYS
from tests.server.test_live_follow import follow as begin

TALK = House(whispers=True)


def as_after(sight, seq):
    """What a reader knew who read up to that entry and no further."""
    known = Sight()
    known.view, known.seq = dict(sight.shown[seq]), seq
    known.asks = sight.asked[seq]
    return known


@pytest.mark.parametrize("who", [0, 3, None])
def test_from_every_entry_on_one_can_go_on_and_ends_in_the_same_view(who):
    async def body():
        async with serving() as town:
            table = await town.table("tribunal", 4, TALK)
            rng = Random(11)
            async with town.socket(table, who) as whole:
                for _ in range(60):
                    await table.move(rng, around=0.3)
                head = table.live.seq
                await whole.reach(head)
                for after in range(whole.sight.frames[0]["seq"], head + 1):
                    known = as_after(whole.sight, after)
                    way = rng.choice(WAYS)
                    async with AsyncExitStack() as stack:
                        reader = await begin(stack, town, table, who, way, after=after, sight=known)
                        await reader.reach(head)
                        assert reader.view == whole.view
                        assert known.asks == whole.sight.asks
                        assert [frame["seq"] for frame in known.frames] == list(range(after + 1, head + 1))

    run(body())


@pytest.mark.parametrize("way", WAYS)
def test_from_before_the_start_one_gets_the_whole_view_with_the_entry_that_started_the_game(way):
    async def body():
        async with serving() as town, AsyncExitStack() as stack:
            table = await town.table("tribunal", 4, begun=False)
            await table.do(0, {"type": "say", "text": "Ave!"})
            known = Sight()
            async with town.socket(table, 0, sight=known) as reader:
                await reader.reach(table.live.seq)
            for number in range(1, 4):
                await table.do(number, act.Sit(table.people[number], None, None))
            await table.move(Random(12))

            reader = await begin(stack, town, table, 0, way, after=known.seq, sight=known)
            await reader.reach(table.live.seq)

            assert reader.view == await town.view(table, 0)
            assert ["view" in frame for frame in known.frames[1:]].count(True) == 1

    run(body())


def test_from_nothing_on_one_gets_every_entry_as_a_frame():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 3)
            async with town.socket(table, 0, after=0) as reader:
                await reader.reach(table.live.seq)

            assert [frame["seq"] for frame in reader.sight.frames] == list(range(1, table.live.seq + 1))
            assert reader.view == await town.view(table, 0)

    run(body())


@pytest.mark.parametrize("way", WAYS)
def test_who_has_missed_nothing_is_sent_nothing_until_something_happens(way):
    async def body():
        async with serving() as town, AsyncExitStack() as stack:
            table = await town.table("harbour", 3)
            async with town.socket(table, 1) as reader:
                await reader.reach(table.live.seq)
            known = reader.sight
            again = await begin(stack, town, table, 1, way, after=known.seq, sight=known)
            await table.move(Random(13))
            await again.reach(table.live.seq)

            assert len(known.frames) == 2
            assert again.view == await town.view(table, 1)

    run(body())


@pytest.mark.parametrize("way", WAYS)
def test_who_has_missed_too_much_gets_the_whole_view_and_is_told_from_where_he_came(way, monkeypatch):
    monkeypatch.setattr(following, "RESUME_LIMIT", 5)

    async def body():
        async with serving() as town, AsyncExitStack() as stack:
            table = await town.table("harbour", 3)
            rng = Random(14)
            async with town.socket(table, 0) as reader:
                await reader.reach(table.live.seq)
            known, after = reader.sight, reader.seq
            for _ in range(6):
                await table.move(rng)

            again = await begin(stack, town, table, 0, way, after=after, sight=known)
            await again.reach(table.live.seq)

            assert known.frames[-1]["resumed_from"] == after
            assert again.view == await town.view(table, 0)

    run(body())


def test_more_missed_entries_than_may_wait_for_a_slow_reader_are_no_reason_to_close():
    async def body():
        async with serving(socket_queue=4) as town:
            table = await town.table("harbour", 3)
            after, rng = table.live.seq, Random(15)
            while not table.over:
                await table.move(rng)
            known = Sight()
            known.seq, known.view = after, {"game": {}, "to_act": []}
            async with town.socket(table, 0, after=after, sight=known) as reader:
                assert await reader.end() == 1000

            assert len(known.frames) == table.live.seq - after > 4

    run(body())


def test_entries_that_are_no_longer_in_memory_count_as_too_much(monkeypatch):
    monkeypatch.setattr(history, "STEPS", 8)

    async def body():
        async with serving() as town:
            table = await town.table("straws", 4)
            await table.play_out(Random(16), around=0.5)
            async with town.socket(table, None, after=1) as reader:
                await reader.end()

            assert [frame.get("resumed_from") for frame in reader.sight.frames] == [1]
            assert reader.view == await town.view(table, None)

    run(body())


def test_who_has_seen_more_than_the_log_has_is_told_that_it_is_another_log():
    async def body():
        async with serving() as town:
            table = await town.table("harbour", 3)
            head = table.live.seq
            async with town.socket(table, 0, after=head + 1) as reader:
                assert await reader.end() == 1008
            for media in (NDJSON, SSE):
                async with town.stream(table, 0, after=head + 1, media=media) as listener:
                    assert listener.response.status_code == 412
                    problems = [listener.response.json(), *reader.problems]
                    assert [(p["code"], p["seen"], p["head"]) for p in problems] == [("log_forked", head + 1, head)] * 2

    run(body())


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "", "99999999999999999999"])
def test_after_must_be_a_whole_number(after):
    async def body():
        async with serving() as town:
            table = await town.table("harbour", 3)
            async with town.socket(table, 0, after=after) as reader:
                assert await reader.end() == 1008
            assert reader.problems[0]["code"] == "malformed"
            async with town.stream(table, 0, after=after) as listener:
                assert listener.response.status_code == 400

    run(body())


def test_an_event_stream_goes_on_after_the_last_event_id_of_its_reader():
    async def body():
        async with serving() as town:
            table = await town.table("harbour", 3)
            rng = Random(17)
            async with town.stream(table, 0, media=SSE) as listener:
                await listener.reach(table.live.seq)
            for _ in range(4):
                await table.move(rng)
            known = listener.sight
            async with town.stream(table, 0, media=SSE, sight=known, Last_Event_ID=str(known.seq)) as again:
                await again.reach(table.live.seq)

            assert again.view == await town.view(table, 0)
            assert len(known.frames) == 5

    run(body())
