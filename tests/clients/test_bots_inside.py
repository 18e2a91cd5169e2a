"""The wire without a network: sockets and requests to an application in the same process."""

import asyncio

import pytest

from clients.bots.inside import Inside
from comitium_client import ApiProblem, Disconnected, NotFound
from tests.clients.house import house, person


def socket_app(*steps):
    """An application that does these steps: messages to send, or None to wait for one."""

    async def app(_, receive, send):
        await receive()
        for step in steps:
            if step is None:
                await receive()
            else:
                await send(step)

    return app


ACCEPT = {"type": "websocket.accept"}
URL = "ws://inside/v1/tables/x/live?after=3"


def connect(*steps, **options):
    return Inside(socket_app(*steps), **options).connect(URL, {"Authorization": "Bearer t"}, ["comitium.json"])


def test_messages_go_both_ways():
    async def work():
        async def echo(scope, receive, send):
            assert (await receive())["type"] == "websocket.connect"
            await send(ACCEPT)
            said = await receive()
            await send({"type": "websocket.send", "text": said["text"].upper()})
            await send({"type": "websocket.send", "bytes": b"\x01", "text": None})
            assert scope["path"] == "/v1/tables/x/live"
            assert scope["query_string"] == b"after=3"
            assert (b"authorization", b"Bearer t") in scope["headers"]
            assert scope["subprotocols"] == ["comitium.json"]
            await receive()

        socket = await Inside(echo).connect(URL, {"Authorization": "Bearer t"}, ["comitium.json"])
        await socket.send("salve")
        assert await socket.recv() == "SALVE"
        assert await socket.recv() == b"\x01"
        await socket.close()
        await socket.close()

    asyncio.run(work())


def test_a_close_says_its_code():
    async def work():
        socket = await connect(ACCEPT, {"type": "websocket.close", "code": 1013, "reason": "slow"})
        with pytest.raises(Disconnected, match="slow") as caught:
            await socket.recv()
        assert caught.value.code == 1013
        with pytest.raises(Disconnected):
            await socket.recv()
        with pytest.raises(Disconnected):
            await socket.send("x")

    asyncio.run(work())


def test_an_application_that_fails_is_a_lost_connection():
    async def work():
        async def fail(_, receive, send):
            await receive()
            await send(ACCEPT)
            raise ValueError("oh")

        socket = await Inside(fail).connect(URL, {}, [])
        with pytest.raises(Disconnected, match="ValueError"):
            await socket.recv()

    asyncio.run(work())


def test_who_is_not_accepted_is_disconnected():
    with pytest.raises(Disconnected):
        asyncio.run(connect({"type": "websocket.close", "code": 1008}))


def test_who_is_turned_down_is_told_why():
    start = {"type": "websocket.http.response.start", "status": 404, "headers": []}
    body = {"type": "websocket.http.response.body", "body": b'{"code": "not_found", "detail": "No."}'}
    with pytest.raises(NotFound, match="No"):
        asyncio.run(connect(start, body))


def test_a_turning_down_without_a_document():
    start = {"type": "websocket.http.response.start", "status": 500, "headers": []}
    body = {"type": "websocket.http.response.body", "body": b"oops"}
    with pytest.raises(ApiProblem):
        asyncio.run(connect(start, body))


def test_nobody_gets_in_when_it_is_closed():
    with pytest.raises(Disconnected, match="not open"):
        asyncio.run(connect(ACCEPT, is_open=lambda: False))


def test_an_application_that_is_not_read_waits_and_can_still_be_left():
    async def work():
        sent = []

        async def flood(_, receive, send):
            await receive()
            await send(ACCEPT)
            while True:
                await send({"type": "websocket.send", "text": "x"})
                sent.append(1)

        socket = await Inside(flood).connect(URL, {}, [])
        await asyncio.sleep(0.05)
        assert len(sent) < 200
        socket._serving.cancel()
        await socket.close()

    asyncio.run(work())


def test_a_whole_client_works_inside_a_server():
    async def work():
        async with house() as served, person(served) as outside:
            token = await outside.new_token()
            async with Inside(served.app).client(token.token) as client:
                assert (await client.me()).name == "Livia"
                table = await client.create_table("straws", 2)
                async with client.table(table.id).follow() as live:
                    await live.act("say", text="From within.")
                    assert live.seq > 1

    asyncio.run(work())
