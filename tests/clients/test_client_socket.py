"""The connection over the network, against a real WebSocket server on a free loopback port."""

import asyncio
import contextlib
import http
import json

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from comitium_client import ApiProblem, Client, Disconnected, Malformed, NotFound, Unauthorized, Unavailable
from comitium_client.connector import connect_socket
from tests.clients.test_client_fakes import QUICK, House, runs


@contextlib.asynccontextmanager
async def serving(house: House, turned_down: list[tuple[int, bytes]] | None = None):
    """The house behind a real socket. `turned_down`: the answers to the next handshakes."""

    def handshake(_connection: ServerConnection, _request: Request) -> Response | None:
        if not turned_down:
            return None
        status, body = turned_down.pop(0)
        headers = Headers({"Content-Type": "application/problem+json", "Retry-After": "0"})
        return Response(status, http.HTTPStatus(status).phrase, headers, body)

    async def talk(connection: ServerConnection) -> None:
        request = connection.request
        fake = await house.connect(request.path, request.headers, [connection.subprotocol])
        house.agents = [request.headers.get("User-Agent", "")]
        writing = asyncio.create_task(write(connection, fake))
        with contextlib.suppress(ConnectionClosed, Disconnected):
            async for message in connection:
                await fake.send(message)
        await fake.close()
        await writing

    async def write(connection: ServerConnection, fake) -> None:
        with contextlib.suppress(ConnectionClosed):
            try:
                while True:
                    message = await fake.recv()
                    await connection.send(
                        message.decode() if isinstance(message, bytes) and not fake._msgpack else message
                    )
            except Disconnected as end:
                await connection.close(end.code or 1011, end.reason)

    protocols = ["comitium.json", "comitium.msgpack"]
    async with serve(talk, "127.0.0.1", 0, subprotocols=protocols, process_request=handshake) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def client(house: House, address: str, wire="json") -> Client:
    return Client(address, token=house.token("Livia"), transport=house.transport, retry=QUICK, wire=wire)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.mark.parametrize("wire", ["json", "msgpack"])
@runs
async def test_a_game_over_the_network(wire):
    house = House()
    fake = house.table("Livia")
    async with serving(house) as address, client(house, address, wire) as livia:
        async with livia.table("t1").follow() as live:
            async for update in live:
                if live.must and update.seq == live.seq:
                    await live.act("count", n=3)
            assert live.view == fake.view(0)
            assert len(livia.table("t1").receipts) == 4
        assert house.agents[0].startswith("comitium-client")


@pytest.mark.expects_errors("connection handler failed")
@runs
async def test_a_cut_is_mended():
    house = House()
    fake = house.table("Livia")
    async with serving(house) as address, client(house, address) as livia, livia.table("t1").follow() as live:
        await anext(live)
        house.cut(fake, 1012)
        assert (await live.act("count", n=1)).seq == fake.seq
        house.faults.append("lose")
        assert (await live.act("count", n=1)).replayed
        assert len(house.dialled) == 3


@runs
async def test_whom_the_server_turns_down():
    house = House()
    house.table("Livia")
    down = [
        (404, json.dumps({"code": "not_found", "status": 404, "detail": "No such table."}).encode()),
        (401, b"<html>"),
        (503, b""),
    ]
    async with serving(house, down) as address:
        for expected in (NotFound, Unauthorized, Unavailable):
            with pytest.raises(expected) as found:
                await connect_socket(address.replace("http", "ws") + "/v1/tables/t1/live", {}, ["comitium.json"])
            assert found.value.transient is (expected is Unavailable)
        down += [(503, b""), (400, b"{}")]
        async with client(house, address) as livia:
            with pytest.raises(Malformed):
                await livia.table("t1").follow().open()


@runs
async def test_nobody_there():
    async with serving(House()) as address:
        url = address.replace("http", "ws")
    with pytest.raises(Disconnected) as found:
        await connect_socket(url, {}, ["comitium.json"])
    assert found.value.code is None


@runs
async def test_somebody_who_speaks_otherwise():
    async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises((Disconnected, ApiProblem)):
            await connect_socket(f"ws://127.0.0.1:{port}/", {}, ["comitium.json"])


@runs
async def test_a_subprotocol_that_was_not_asked_for_is_hopeless():
    async def deaf(_connection: ServerConnection) -> None:
        return

    async with serve(deaf, "127.0.0.1", 0, select_subprotocol=lambda *_: "smoke.signals") as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Disconnected) as found:
            await connect_socket(f"ws://127.0.0.1:{port}/", {}, ["comitium.json"])
        assert found.value.code == 1002


@pytest.mark.expects_errors("connection handler failed")
@runs
async def test_sending_over_a_closed_connection():
    house = House()
    house.table("Livia")
    async with serving(house) as address:
        socket = await connect_socket(address.replace("http", "ws") + "/v1/tables/t1/live", {}, ["comitium.json"])
        await socket.close()
        with pytest.raises(Disconnected):
            await socket.send("{}")
        with pytest.raises(Disconnected):
            await drain(socket)


async def drain(socket) -> None:
    while True:
        await socket.recv()
