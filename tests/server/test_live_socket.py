"""The socket itself: what it takes, what it refuses without closing, who may open it, and how many."""

from contextlib import AsyncExitStack

import msgspec
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from games.table import actions as act
from games.table.house import House
from server.rest import live
from tests.server.live_support import run, until
from tests.server.live_wire import NDJSON, serving

AVE = {"type": "boast"}


def at_a_table(coding="json", who=0, **settings):
    """Runs the test with a reader at a table of straws."""

    def wrap(test):
        def wrapped():
            async def body():
                async with serving(**settings) as town:
                    table = await town.table("straws", 3)
                    async with town.socket(table, who, coding=coding) as reader:
                        await test(town, table, reader)

            run(body())

        wrapped.__name__ = test.__name__
        return wrapped

    return wrap


async def still_lives(reader):
    """The socket does what it is for."""
    answer = await reader.act({"type": "say", "text": "Ave!"})
    assert "receipt" in answer, answer


# --- Frames -------------------------------------------------------------------------------------------

BAD = [
    "not json",
    "",
    "[]",
    "null",
    "17",
    "{}",
    '{"id": 1}',
    '{"action": {"type": "say", "text": "x"}}',
    '{"id": 1, "action": {"type": "say", "text": "x"}, "seat": 2}',
    '{"id": [1], "action": {"type": "say", "text": "x"}}',
    '{"id": null, "action": {"type": "say", "text": "x"}}',
    '{"id": 1, "action": {"type": "say", "text": "x"}, "if_match": "3"}',
    '{"id": 1, "action": {"type": "say", "text": "x"}, "key": 3}',
    '{"id": 1, "action": "say"}',
    '{"id": 1, "action": {"type": "fly"}}',
    '{"id": 1, "action": {"text": "x"}}',
    '{"id": 1, "action": {"type": "say"}}',
    '{"id": 1, "action": {"type": "say", "text": 3}}',
    '{"id": 1, "action": {"type": "say", "text": "x", "to": 1}}',
    '{"id": 1, "action": {"type": "sit", "player": "x", "bot": null, "entropy": null}}',
    '{"id": 1, "action": {"type": "time_up", "seat": 1}}',
    '{"id": 1, "action": {"type": "close", "why": "x"}}',
    '{"id": 1, "action": {"type": "say", "text": "x"}, "key": ""}',
    '{"authorization": 3}',
    '{"id": 1, "action": {"type": "say", "text": "\\ud800"}}',
    '{"id": 1, "action": ' + "[" * 5000 + "]" * 5000 + "}",
]

NO_ID = BAD[-2:]
"""What cannot be read to its end."""


@pytest.mark.parametrize("frame", BAD, ids=range(len(BAD)))
def test_a_frame_that_is_none_is_answered_with_a_problem_and_the_socket_lives(frame):
    @at_a_table()
    async def test(_town, table, reader):
        seq = table.live.seq
        await reader.send(frame)
        while not reader.answers:
            assert await reader.receive()
        ((number, answer),) = reader.answers.items()
        assert answer["problem"]["code"] == "malformed"
        assert number == (1 if '"id": 1' in frame and frame not in NO_ID else None)
        assert table.live.seq == seq
        await still_lives(reader)

    test()


def test_the_answer_carries_the_id_of_its_frame_be_it_text_or_number():
    @at_a_table()
    async def test(_town, _table, reader):
        for number in (1, 0, -5, 2**53, "", "a", "ä" * 100):
            await reader.send({"id": number, "action": {"type": "say", "text": "Ave!"}})
            assert "receipt" in await reader.answer(number)
            await reader.send({"id": number, "action": {"type": "fly"}})
            reader.answers.clear()
            assert "problem" in await reader.answer(number)

    test()


def test_a_refused_action_is_answered_with_the_reason():
    @at_a_table()
    async def test(_town, table, reader):
        (turn,) = table.now.table.course.to_act
        if turn == 0:
            await reader.act({"type": "keep"})
        answer = await reader.act({"type": "keep"})
        assert answer["problem"]["code"] == "refused"
        assert answer["problem"]["reason"] == "not_your_turn"
        assert answer["problem"]["status"] == 409
        await still_lives(reader)

    test()


def test_an_action_made_for_too_old_a_position_is_stale_and_for_one_unheard_of_forked():
    @at_a_table()
    async def test(_town, table, reader):
        head = table.live.seq
        beyond = await reader.act({"type": "say", "text": "x"}, if_match=head + 1)
        stale = await reader.act({"type": "say", "text": "x"}, if_match=0)

        assert beyond["problem"]["code"] == "log_forked"
        assert stale["problem"]["code"] == "stale"
        assert (stale["problem"]["expected"], stale["problem"]["head"]) == (0, head)
        assert stale["problem"]["missed"].endswith(f"/log?after={0}")
        assert "receipt" in await reader.act({"type": "say", "text": "x"}, if_match=head)

    test()


def test_the_same_key_gives_the_first_answer_again():
    @at_a_table()
    async def test(_town, table, reader):
        first = await reader.act({"type": "say", "text": "x"}, key="k")
        again = await reader.act({"type": "say", "text": "x"}, key="k")
        other = await reader.act({"type": "say", "text": "y"}, key="k")

        assert again == {**first, "id": again["id"], "replayed": True}
        assert "replayed" not in first
        assert other["problem"]["code"] == "key_reused"

    test()


def test_too_large_a_frame_is_answered_and_the_socket_lives():
    @at_a_table(body_limit=2048)
    async def test(_town, _table, reader):
        await reader.send({"id": 1, "action": {"type": "say", "text": "x" * 3000}})
        answer = await reader.answer(None)
        assert answer["problem"]["code"] == "too_large"
        await still_lives(reader)

    test()


def test_a_frame_of_absurd_size_ends_the_connection_and_nothing_else():
    @at_a_table(body_limit=2048)
    async def test(town, table, reader):
        async with town.socket(table, 1) as other:
            await reader.send("x" * 100_000)
            assert await reader.end() == 1009
            await still_lives(other)

    test()


def test_bytes_on_a_socket_that_speaks_json_are_no_frame():
    @at_a_table()
    async def test(_town, _table, reader):
        await reader.send(msgspec.json.encode({"id": 1, "action": {"type": "say", "text": "x"}}))
        assert (await reader.answer(None))["problem"]["code"] == "malformed"
        await still_lives(reader)

    test()


def test_text_on_a_socket_that_speaks_messagepack_is_no_frame():
    @at_a_table("msgpack")
    async def test(_town, _table, reader):
        await reader.send('{"id": 1, "action": {"type": "say", "text": "x"}}')
        assert (await reader.answer(None))["problem"]["code"] == "malformed"
        await still_lives(reader)

    test()


def test_messagepack_is_spoken_in_both_directions():
    @at_a_table("msgpack")
    async def test(town, table, reader):
        done = await reader.act({"type": "say", "text": "無罪"}, key="k")
        bad = await reader.act({"type": "fly"})
        await reader.send(msgspec.msgpack.encode({"id": "x", "action": {"type": "say"}, "more": 1}))

        assert done["receipt"]["seq"] == table.live.seq
        assert bad["problem"]["code"] == "malformed"
        assert (await reader.answer("x"))["problem"]["code"] == "malformed"
        assert reader.sight.frames[-1]["entry"] == (await town.site.store.read(table.id))[-1].versions["full"]

    test()


def test_bad_frames_count_as_actions():
    @at_a_table(unsafe_unlimited=False, action_rate=0.01, action_burst=3)
    async def test(_town, _table, reader):
        codes = []
        for _ in range(5):
            reader.answers.clear()
            await reader.send("x")
            codes.append((await reader.answer(None))["problem"]["code"])
        assert codes == ["malformed"] * 3 + ["rate_limited"] * 2

    test()


# --- Who ----------------------------------------------------------------------------------------------


def test_who_sends_no_token_watches_and_may_not_act():
    @at_a_table(who=None)
    async def test(town, table, reader):
        answer = await reader.act({"type": "say", "text": "x"})
        assert answer["problem"]["code"] == "unauthorized"
        await table.do(0, {"type": "say", "text": "x"})
        await reader.reach(table.live.seq)
        assert reader.view == await town.view(table, None)

    test()


@pytest.mark.parametrize("coding", ["json", "msgpack"])
def test_a_token_may_come_as_the_first_frame_and_all_begins_anew_with_it(coding):
    @at_a_table(coding, who=None)
    async def test(town, table, reader):
        await reader.reach(table.live.seq)
        assert reader.view["seat"] is None
        await reader.send({"authorization": f"Bearer {town.token(table, 2)}"})
        while reader.view["seat"] is None:
            assert await reader.receive()

        assert reader.view == await town.view(table, 2)
        assert reader.sight.asks
        await still_lives(reader)

    test()


@pytest.mark.parametrize(("house", "visibility"), [(House(spectators=False), "public"), (House(), "private")])
def test_a_token_as_the_first_frame_opens_tables_that_are_not_for_everybody(house, visibility):
    async def body():
        async with serving() as town:
            table = await town.table("straws", 2, house, visibility=visibility)
            async with town.socket(table, 1, by="frame") as reader:
                await reader.send({"authorization": f"Bearer {town.token(table, 1)}"})
                await reader.reach(table.live.seq)
                assert reader.view == await town.view(table, 1)
                await still_lives(reader)
            for frame in ({"authorization": "Bearer x"}, {"authorization": "x"}, {"id": 1, "action": AVE}, "x"):
                async with town.socket(table, 1, by="frame") as reader:
                    await reader.send(frame)
                    assert await reader.end() == 1008
                    assert reader.problems[0]["code"] in {"unauthorized", "not_found", "forbidden"}
                    assert reader.sight.frames == []

    run(body())


def test_who_stays_silent_at_a_table_that_is_not_for_him_is_sent_away(monkeypatch):
    monkeypatch.setattr(live, "LOGIN_SECONDS", 0.01)

    async def body():
        async with serving() as town:
            table = await town.table("straws", 2, visibility="private")
            async with town.socket(table) as reader:
                assert await reader.end() == 1008
            assert reader.problems[0]["code"] == "not_found"

    run(body())


def test_a_token_as_a_later_frame_is_no_frame():
    @at_a_table()
    async def test(town, table, reader):
        await reader.send({"authorization": f"Bearer {town.token(table, 1)}"})
        assert (await reader.answer(None))["problem"]["code"] == "malformed"
        assert reader.view["seat"] == 0

    test()


@pytest.mark.parametrize("by", ["header", "subprotocol", "frame"])
def test_a_bad_token_is_turned_away_and_does_not_lock_its_owner_out(by):
    async def body():
        async with serving(unsafe_unlimited=False, sockets_per_player=1) as town:
            table = await town.table("straws", 2)
            good = town.tokens[table.people[0]]
            for _ in range(3):
                town.tokens[table.people[0]] = good[:-4] + "AAAA"
                async with town.socket(table, 0, by=by) as reader:
                    if by == "frame":
                        await reader.send({"authorization": f"Bearer {town.token(table, 0)}"})
                    assert await reader.end() == 1008
                    assert reader.problems[-1]["code"] == "unauthorized"
            town.tokens[table.people[0]] = good
            async with town.socket(table, 0, by=by) as reader:
                if by == "frame":
                    await reader.send({"authorization": f"Bearer {good}"})
                await still_lives(reader)

    run(body())


def test_a_token_that_is_revoked_does_nothing_any_more_on_a_socket_that_is_open():
    @at_a_table(keepalive_seconds=0.1)
    async def test(town, table, reader):
        async with town.socket(table, 0) as silent, town.stream(table, 0) as stream:
            who = town.site.accounts.principal(town.token(table, 0))
            town.site.accounts.revoke(who.player, who.token_id)

            await reader.send({"id": 1, "action": {"type": "say", "text": "x"}})
            assert await reader.end() == 1008
            assert await silent.end() == 1008
            await stream.end()
            codes = [each.problems[-1]["code"] for each in (reader, silent, stream)]
            assert codes == ["unauthorized"] * 3

    test()


def test_the_scope_read_does_not_act():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 2, begun=False)
            reader_only = town.person("Reader", "read")
            await table.do(1, act.Sit(reader_only, None, None))
            async with town.socket(table, reader_only) as reader:
                answer = await reader.act({"type": "say", "text": "x"})

            assert answer["problem"]["code"] == "forbidden"
            assert reader.view["seat"] == 1

    run(body())


def test_a_table_that_is_none_or_not_for_the_caller_is_not_found():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 2, visibility="private")
            stranger = town.person("Stranger")
            async with town.socket(table, stranger) as reader:
                assert await reader.end() == 1008
            hidden = reader.problems[0]
            for other in ("00-aaaaaaaaaaaaaaaa", "nonsense", "ff-aaaaaaaaaaaaaaaa"):
                table.id = other
                async with town.socket(table, stranger) as reader:
                    assert await reader.end() == 1008
                assert reader.problems[0] == hidden
            assert hidden["code"] == "not_found"

    run(body())


# --- How many -----------------------------------------------------------------------------------------


def test_a_player_holds_so_many_sockets_and_streams_and_gets_each_place_back():
    async def body():
        async with serving(unsafe_unlimited=False, sockets_per_player=3) as town:
            table = await town.table("straws", 2)
            held = town.site.commands.sockets
            for _ in range(3):
                async with AsyncExitStack() as stack:
                    for _ in range(2):
                        await (await stack.enter_async_context(town.socket(table, 0))).receive()
                    listener = await stack.enter_async_context(town.stream(table, 0))
                    await listener.receive()
                    async with town.socket(table, 0) as reader:
                        assert await reader.end() == 1008
                        assert reader.problems[0]["code"] == "rate_limited"
                    async with town.stream(table, 0, media=NDJSON) as refused:
                        assert refused.response.status_code == 429
                        assert int(refused.response.headers["retry-after"]) > 0
                    async with town.socket(table, 1) as other:
                        assert await other.receive()
                await until(lambda: len(held) == 0)

    run(body())


def test_a_closed_socket_is_followed_by_nobody_any_more():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 2)
            for _ in range(3):
                async with AsyncExitStack() as stack:
                    here = [
                        await stack.enter_async_context(open_one(table, who))
                        for who in (0, 1, None)
                        for open_one in (town.socket, town.stream)
                    ]
                    assert all([await one.receive() for one in here])
                    assert len(table.live.followers) == 6
                await until(lambda: not table.live.followers)
            assert town.site.stopping == set()

    run(body())


def test_who_speaks_no_subprotocol_gets_json():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 2)
            url = f"ws://127.0.0.1:{town.port}/v1/tables/{table.id}/live"
            async with connect(url, additional_headers=town.headers(table, 0), proxy=None) as plain:
                frame = msgspec.json.decode(await plain.recv())
                assert frame["view"] == await town.view(table, 0)
                await plain.close()
                with pytest.raises(ConnectionClosed):
                    await plain.recv()

    run(body())
