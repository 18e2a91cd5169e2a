"""A real server on this event loop, and readers who know nothing but the frames they were sent.

async with serving() as town:
    table = await town.table("tribunal", 4)
    async with town.socket(table, 0) as livia:         # the socket of seat 0
        await livia.act({"type": "say", "text": "Ave!"})
        await livia.reach(table.live.seq)
        assert livia.view == (await town.view(table, 0))
"""

import asyncio
import functools
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from games import Catalogue
from games.table.house import House
from server.app import build, running
from server.graceful import Server
from server.serve import server_of
from server.site import Site
from tests.server.live_support import GAMES, Table, chosen_from, seat

NDJSON, SSE = "application/x-ndjson", "text/event-stream"


class Sight:
    """What a follower knows, by nothing but the frames it was sent. `shown`: its view at each entry."""

    def __init__(self) -> None:
        self.view: dict[str, Any] = {}
        self.asks: list[Any] = []
        self.since = -1
        self.seq = -1
        self.shown: dict[int, dict[str, Any]] = {}
        self.asked: dict[int, list[Any]] = {}
        self.frames: list[dict[str, Any]] = []

    def take(self, frame: dict[str, Any]) -> None:
        """A frame, as docs/wire.md says it is to be taken."""
        assert "seq" in frame, frame
        self.frames.append(frame)
        if "view" in frame:
            self.view = dict(frame["view"])
        else:
            assert frame["seq"] == self.seq + 1, (frame["seq"], self.seq)
            changed = dict(frame["changed"])
            game = changed.pop("game", {})
            own = {**self.view["game"], **game} if game else self.view["game"]
            self.view = {**self.view, **changed, "game": own}
        self.seq = frame["seq"]
        self.view = {**self.view, "seq": frame["seq"], "head": frame["head"]}
        assert self.view["to_act"] == frame["to_act"]
        self.asks = frame.get("asks", self.asks)
        self.since = frame["since"]
        self.shown[self.seq] = self.view
        self.asked[self.seq] = self.asks


class Reader:
    """Somebody at a socket."""

    def __init__(self, connection: ClientConnection, coding: str, sight: Sight | None = None) -> None:
        self.connection = connection
        self.sight = sight or Sight()
        self.answers: dict[Any, dict[str, Any]] = {}
        self.problems: list[dict[str, Any]] = []
        self.order: list[tuple[str, Any]] = []
        self.raw: list[bytes] = []
        self.code: int | None = None
        self._coding = msgspec.msgpack if coding == "msgpack" else msgspec.json
        self._text = coding == "json"
        self._next = 1000

    @property
    def view(self) -> dict[str, Any]:
        return self.sight.view

    @property
    def seq(self) -> int:
        return self.sight.seq

    async def send(self, frame: Any) -> None:
        """Any frame at all: as it is when it is text or bytes."""
        if not isinstance(frame, str | bytes):
            data = self._coding.encode(frame)
            frame = data.decode() if self._text else data
        await self.connection.send(frame)

    async def act(self, action: dict[str, Any], **more: Any) -> dict[str, Any]:
        """An action, and its answer."""
        self._next += 1
        await self.send({"id": self._next, "action": action, **more})
        return await self.answer(self._next)

    async def answer(self, number: Any) -> dict[str, Any]:
        while number not in self.answers:
            assert await self.receive(), f"closed with {self.code}: {self.problems}"
        return self.answers[number]

    async def receive(self) -> bool:
        """Takes one message; whether there was one before the end."""
        try:
            data = await self.connection.recv()
        except ConnectionClosed as closed:
            self.code = closed.rcvd.code if closed.rcvd else 1006
            return False
        assert isinstance(data, str) == self._text
        raw = data.encode() if isinstance(data, str) else data
        self.raw.append(raw)
        self._sort(self._coding.decode(raw))
        return True

    def _sort(self, frame: dict[str, Any]) -> None:
        if "id" in frame:
            self.answers[frame["id"]] = frame
            self.order.append(("answer", frame.get("seq")))
        elif "problem" in frame:
            self.problems.append(frame["problem"])
        else:
            self.sight.take(frame)
            self.order.append(("frame", frame["seq"]))

    async def reach(self, seq: int) -> None:
        """Reads on until that entry has been shown."""
        while self.seq < seq:
            assert await self.receive(), f"closed with {self.code}: {self.problems}"

    async def end(self) -> int:
        """Reads on until the server has closed the connection; by which code."""
        while await self.receive():
            pass
        assert self.code is not None
        return self.code


class Listener:
    """Somebody at a stream."""

    def __init__(self, response: httpx.Response, media: str, sight: Sight | None = None) -> None:
        self.response = response
        self.sight = sight or Sight()
        self.problems: list[dict[str, Any]] = []
        self.alive = 0
        self.raw: list[bytes] = []
        self._media = media
        self._lines = response.aiter_lines()
        self._id: int | None = None

    @property
    def view(self) -> dict[str, Any]:
        return self.sight.view

    @property
    def seq(self) -> int:
        return self.sight.seq

    async def receive(self) -> bool:
        """Takes one line; whether there was one before the end."""
        try:
            line = await anext(self._lines)
        except StopAsyncIteration:
            return False
        self.raw.append(line.encode())
        if self._media == SSE:
            self._event(line)
        elif line:
            self._take(line)
        else:
            self.alive += 1
        return True

    def _event(self, line: str) -> None:
        name, _, value = line.partition(":")
        match name:
            case "id":
                self._id = int(value)
            case "data":
                self._take(value)
            case _:
                assert line.strip() in ("", ":"), line
                self.alive += line.startswith(":")

    def _take(self, data: str) -> None:
        frame = msgspec.json.decode(data)
        if "problem" in frame:
            self.problems.append(frame["problem"])
            return
        self.sight.take(frame)
        assert self._media == NDJSON or self._id == frame["seq"]

    async def reach(self, seq: int) -> None:
        while self.seq < seq:
            assert await self.receive(), f"ended: {self.problems}"

    async def end(self) -> None:
        while await self.receive():
            pass


class Town:
    """A server and its people. Seats are held by `people` in their order."""

    def __init__(self, server: Server, http: httpx.AsyncClient) -> None:
        self.server = server
        self.site: Site = server.config.app.state.site
        self.port: int = server.servers[0].sockets[0].getsockname()[1]
        self.http = http
        self.tokens: dict[str, str] = {}

    def narrow(self) -> None:
        """Lets the kernel keep little for the connections that are open, so that who does not read is soon noticed."""
        for connection in self.server.server_state.connections:
            end = connection.transport.get_extra_info("socket")
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)

    def person(self, name: str, *scopes: Any) -> str:
        """The id of a new player."""
        made = self.site.accounts.register(name, scopes or ("play", "read"))
        self.tokens[made.player] = made.token
        return made.player

    async def table(
        self, game: str = "harbour", seats: int = 3, house: House | None = None, *, begun: bool = True, **more: Any
    ) -> Table:
        """A new table with new people."""
        people = tuple(self.person(f"P{number}") for number in range(seats))
        return await seat(self.site, game, seats, people, house, begun=begun, **more)

    def token(self, table: Table, who: int | str | None) -> str | None:
        """The token of a seat, of a player, or none."""
        if who is None:
            return None
        return self.tokens[table.people[who] if isinstance(who, int) else who]

    def headers(self, table: Table, who: int | str | None) -> dict[str, str]:
        token = self.token(table, who)
        return {} if token is None else {"Authorization": f"Bearer {token}"}

    async def get(self, table: Table, who: int | str | None, path: str, **params: Any) -> httpx.Response:
        return await self.http.get(f"/v1/tables/{table.id}/{path}", params=params, headers=self.headers(table, who))

    async def post(self, table: Table, who: int | str | None, path: str, body: Any, **headers: str) -> httpx.Response:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.http.post(
            f"/v1/tables/{table.id}/{path}", json=body, headers={**self.headers(table, who), **names}
        )

    async def view(self, table: Table, who: int | str | None, **params: Any) -> Any:
        """What a fresh GET says."""
        answer = await self.get(table, who, "view", **params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    @asynccontextmanager
    async def socket(
        self,
        table: Table,
        who: int | str | None = None,
        after: int | None = None,
        coding: str = "json",
        by: str = "header",
        sight: Sight | None = None,
        **more: Any,
    ) -> AsyncIterator[Reader]:
        """A socket; the token goes `by` header or subprotocol, or not at all."""
        url = f"ws://127.0.0.1:{self.port}/v1/tables/{table.id}/live" + ("" if after is None else f"?after={after}")
        token = self.token(table, who)
        offered = [f"comitium.{coding}"] + ([f"comitium.bearer.{token}"] if token and by == "subprotocol" else [])
        headers = self.headers(table, who) if by == "header" else {}
        protocols = [Subprotocol(name) for name in offered]
        async with connect(
            url, additional_headers=headers, subprotocols=protocols, compression=None, proxy=None, **more
        ) as connection:
            assert connection.subprotocol == f"comitium.{coding}"
            yield Reader(connection, coding, sight)

    @asynccontextmanager
    async def stream(
        self,
        table: Table,
        who: int | str | None = None,
        after: int | None = None,
        media: str = NDJSON,
        sight: Sight | None = None,
        **headers: str,
    ) -> AsyncIterator[Listener]:
        """A stream."""
        params = {} if after is None else {"after": str(after)}
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        url = f"/v1/tables/{table.id}/log"
        names = {**self.headers(table, who), "Accept": media, **names}
        async with self.http.stream("GET", url, params=params, headers=names) as response:
            if response.status_code != 200:
                await response.aread()
            yield Listener(response, media, sight)


@asynccontextmanager
async def serving(
    store: Any = None, clock: Any = None, bots: Any = None, games: Any = GAMES, **settings: Any
) -> AsyncIterator[Town]:
    """A server on a free port of the loopback, and how to call it."""
    chosen, store = chosen_from(store, {"port": 0, **settings})
    server = server_of(build(functools.partial(running, chosen, Catalogue(games), bots, store, clock), chosen), chosen)
    task = asyncio.create_task(server.serve())
    try:
        while not server.started:
            assert not task.done(), task.exception()
            await asyncio.sleep(0.005)
        async with httpx.AsyncClient(timeout=30, trust_env=False) as http:
            town = Town(server, http)
            http.base_url = httpx.URL(f"http://127.0.0.1:{town.port}")
            yield town
    finally:
        server.should_exit = True
        await task


__all__ = ["NDJSON", "SSE", "Listener", "Reader", "Sight", "Table", "Town", "serving"]
