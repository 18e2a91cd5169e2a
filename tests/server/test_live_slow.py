"""Readers who are slow or gone, and tables where nothing happens: nobody waits for them, and they learn where they are."""

import asyncio
import socket
from contextlib import asynccontextmanager, suppress
from random import Random

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
    """A socket whose reader has stopped reading, with small buffers."""
    async with town.socket(table, who, max_queue=1) as reader:
        await reader.receive()
        transport = reader.connection.transport
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        transport.pause_reading()
        yield reader, transport.resume_reading


async def talk_until(table, is_so):
    """Somebody talks and talks."""
    while not is_so():
        await table.do(1, WORD)


def spilled(town, table):
    """How many followers the table has lost."""
    return lambda: len(table.live.followers) < 2


def test_a_slow_reader_is_closed_with_the_entry_to_go_on_from_and_the_others_go_on():
    async def body():
        async with serving(socket_queue=8) as town:
            table = await town.table("straws", 3)
            async with stuck(town, table, 0) as (slow, resume), town.socket(table, 1) as other:
                reading = asyncio.create_task(other.end())
                await talk_until(table, spilled(town, table))
                resume()
                assert await slow.end() == 1013
                (problem,) = slow.problems
                assert problem["code"] == "unavailable"
                assert problem["seq"] == slow.seq < table.live.seq

                await other.connection.close()
                await reading
                known = slow.sight
                async with town.socket(table, 0, after=slow.seq, sight=known) as again:
                    await again.reach(table.live.seq)
                assert again.view == await town.view(table, 0)
            assert other.sight.seq > problem["seq"]

    run(body())


def test_a_reader_who_never_reads_again_is_cut_off_and_gives_its_place_back():
    async def body():
        async with serving(socket_queue=8, keepalive_seconds=0.2, unsafe_unlimited=False, action_burst=100_000) as town:
            table = await town.table("straws", 3)
            async with stuck(town, table, 0):
                async with town.socket(table, 1) as other:
                    reading = asyncio.create_task(other.end())
                    await talk_until(table, spilled(town, table))
                    await until(lambda: len(town.site.commands.sockets) == 1)
                    await other.connection.close()
                    await reading

    run(body())


@pytest.mark.parametrize("media", [NDJSON, SSE])
def test_a_slow_stream_ends_with_the_entry_to_go_on_from(media):
    async def body():
        async with serving(socket_queue=8) as town:
            table = await town.table("straws", 3)
            reader, writer = await asyncio.open_connection("127.0.0.1", town.port, limit=4096)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            names = "".join(f"{name}: {value}\r\n" for name, value in town.headers(table, 0).items())
            request = f"GET /v1/tables/{table.id}/log HTTP/1.1\r\nHost: x\r\nAccept: {media}\r\n{names}\r\n"
            writer.write(request.encode())
            await until(lambda: table.live.followers)
            await talk_until(table, lambda: not table.live.followers)
            data = await reader.read(-1) if await _ends(reader) else b""
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

            assert b'"code":"unavailable"' in data

    async def _ends(reader):
        return not reader.at_eof()

    run(body())


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
                answer = reader.connection.protocol.recv_ping if hasattr(reader.connection.protocol, "recv_ping") else None
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
