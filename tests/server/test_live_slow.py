"""Readers who are slow or gone, and tables where nothing happens: nobody waits for them, and they learn where they are."""

import asyncio
import re
from contextlib import asynccontextmanager
from random import Random

import msgspec
import pytest

from server.outbox import Outbox, Overflow
from tests.server.live_support import run, until
from tests.server.live_wire import NDJSON, SSE, Sight, serving

WORD = {"type": "say", "text": "x" * 400}


# --- The queue ----------------------------------------------------------------------------------------


def test_a_queue_gives_what_was_put_in_its_order_and_ends_when_it_is_closed():
    async def body():
        box = Outbox(10)
        for message in (b"a", b"b"):
            box.put(message)
        assert await box.take() == [b"a", b"b"]
        box.put(b"c")
        box.close()
        box.put(b"d")
        assert await box.take() == [b"c"]
        assert await box.take() == []

    run(body())


def test_a_queue_wakes_who_waits_for_it():
    async def body():
        box = Outbox(10)
        for act, expected in ((lambda: box.put(b"a"), [b"a"]), (box.close, [])):
            waiting = asyncio.create_task(box.take())
            await asyncio.sleep(0)
            act()
            assert await waiting == expected

    run(body())


def test_a_queue_remembers_the_last_entry_that_was_taken_from_it_not_one_that_was_dropped():
    async def body():
        box, told = Outbox(2, lambda: told.append(True)), []
        box.fill([b"1", b"2", b"3"], 3)
        box.put(b"answer")
        box.put(b"4", 4)
        assert await box.take() == [b"1", b"2", b"3", b"answer", b"4"]
        assert box.seq == 4
        for seq in (5, 6, 7, 8):
            box.put(b"x", seq)
        assert told == [True]
        with pytest.raises(Overflow):
            await box.take()
        assert box.seq == 4

    run(body())


def test_a_queue_answers_with_nothing_when_the_patience_ends():
    async def body():
        assert await Outbox(1).take(0.001) == []

    run(body())


# --- Over the wire ------------------------------------------------------------------------------------


@asynccontextmanager
async def stuck(town, table, who):
    """A socket whose reader has stopped reading, and how he starts again."""
    async with town.socket(table, who, max_queue=1) as reader:
        await reader.receive()
        town.narrow()
        reader.connection.transport.pause_reading()
        yield reader, reader.connection.transport.resume_reading
        reader.connection.transport.abort()


async def talk_until(table, is_so):
    """Somebody talks and talks."""
    while not is_so():
        await table.do(1, WORD)


def test_a_slow_reader_is_closed_with_the_entry_to_go_on_from_and_the_others_go_on():
    async def body():
        async with serving(socket_queue=8) as town:
            table = await town.table("straws", 3)
            async with stuck(town, table, 0) as (slow, resume), town.socket(table, 1) as other:
                await other.receive()
                reading = asyncio.create_task(other.end())
                await talk_until(table, lambda: len(table.live.followers) == 1)
                resume()
                assert await slow.end() == 1013
                (problem,) = slow.problems
                assert problem["code"] == "unavailable"
                assert problem["seq"] == slow.seq < table.live.seq

                await until(lambda: other.seq == table.live.seq)
                await other.connection.close()
                await reading
            async with town.socket(table, 0, after=slow.seq, sight=slow.sight) as again:
                await again.reach(table.live.seq)
            assert again.view == await town.view(table, 0)

    run(body())


@pytest.mark.expects_errors("timeout graceful shutdown exceeded")
def test_a_reader_who_never_reads_again_is_cut_off_and_gives_its_place_back():
    async def body():
        limits = {"unsafe_unlimited": False, "action_burst": 100_000}
        async with serving(socket_queue=8, keepalive_seconds=0.2, shutdown_seconds=0.2, **limits) as town:
            table = await town.table("straws", 3)
            async with stuck(town, table, 0):
                await talk_until(table, lambda: not table.live.followers)
                await until(lambda: len(town.site.commands.sockets) == 0)

    run(body())


@pytest.mark.parametrize("media", [NDJSON, SSE])
def test_a_slow_stream_ends_with_the_entry_to_go_on_from(media):
    async def body():
        async with serving(socket_queue=8) as town:
            table = await town.table("straws", 3)
            reader, writer = await asyncio.open_connection("127.0.0.1", town.port, limit=4096)
            names = "".join(f"{name}: {value}\r\n" for name, value in town.headers(table, 0).items())
            writer.write(
                f"GET /v1/tables/{table.id}/log HTTP/1.1\r\nHost: x\r\nAccept: {media}\r\n{names}\r\n".encode()
            )
            await until(lambda: table.live.followers)
            town.narrow()
            writer.transport.pause_reading()
            await talk_until(table, lambda: not table.live.followers)
            writer.transport.resume_reading()
            data = await all_of(reader)
            writer.close()
            await writer.wait_closed()

            last = msgspec.json.decode(re.findall(rb'{"problem":.*}', data)[-1])["problem"]
            seqs = [int(seq) for seq in re.findall(rb'{"seq":(\d+),', data)]
            assert last["code"] == "unavailable"
            assert last["seq"] == seqs[-1] < table.live.seq

    run(body())


@pytest.mark.expects_errors("timeout graceful shutdown exceeded")
def test_a_stream_that_nobody_reads_any_more_is_cut_off():
    async def body():
        limits = {"unsafe_unlimited": False, "action_burst": 100_000}
        async with serving(socket_queue=8, keepalive_seconds=0.2, **limits) as town:
            table = await town.table("straws", 3)
            _, writer = await asyncio.open_connection("127.0.0.1", town.port, limit=4096)
            writer.write(f"GET /v1/tables/{table.id}/log HTTP/1.1\r\nHost: x\r\nAccept: {NDJSON}\r\n\r\n".encode())
            await until(lambda: table.live.followers)
            town.narrow()
            writer.transport.pause_reading()
            await talk_until(table, lambda: not table.live.followers)
            await until(lambda: len(town.site.commands.sockets) == 0)
            await until(lambda: not town.server.server_state.connections)
            writer.transport.abort()

    run(body())


async def all_of(reader):
    """All that comes until the body ends."""
    found = b""
    while not found.endswith(b"0\r\n\r\n"):
        found += await reader.read(4096)
    return found


# --- Silence ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("media", [NDJSON, SSE])
def test_a_silent_stream_gives_signs_of_life(media):
    async def body():
        async with serving(keepalive_seconds=0.1) as town:
            table = await town.table("straws", 3)
            async with town.stream(table, 0, media=media) as listener:
                while listener.alive < 3:
                    assert await listener.receive()
                await table.do(1, WORD)
                await listener.reach(table.live.seq)
                assert listener.view == await town.view(table, 0)

    run(body())


def test_a_silent_socket_is_asked_for_signs_of_life():
    async def body():
        async with serving(keepalive_seconds=0.1) as town:
            table = await town.table("straws", 3)
            async with town.socket(table, 0) as reader:
                await reader.receive()
                pings = []
                answer = (
                    reader.connection.protocol.recv_ping if hasattr(reader.connection.protocol, "recv_ping") else None
                )
                del answer
                transport = reader.connection.transport
                received = transport.get_protocol().data_received
                transport.get_protocol().data_received = lambda data: (pings.append(data[:1]), received(data))
                await until(lambda: pings.count(b"\x89") >= 2)
                await table.do(1, WORD)
                await reader.reach(table.live.seq)

    run(body())


def test_a_reader_that_goes_without_a_word_leaves_nothing_behind():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 3)
            async with town.socket(table, 0) as reader:
                await reader.receive()
                reader.connection.transport.abort()
                await until(lambda: not table.live.followers)
            await table.play_out(Random(31))
            known = Sight()
            async with town.socket(table, 0, sight=known) as again:
                await again.end()
            assert known.view == await town.view(table, 0)

    run(body())
