"""The socket's route: who opens it, in which coding, from which entry on."""

import asyncio
from typing import Any

from litestar import Router, WebSocket, websocket
from litestar.di import NamedDependency
from litestar.exceptions import WebSocketDisconnect

from server import access
from server.access import Hidden, NoSpectators
from server.callers import Caller
from server.commands import whole
from server.problems import Problem, language_of
from server.refusals import problem_of
from server.rest.common import bearer, caller_of, need_read
from server.rest.params import TableRef
from server.rest.visits import at_table
from server.site import Site
from server.socket import POLICY, Place, Socket
from server.tables.errors import NoSuchTable
from server.wire.coding import Coding
from server.wire.socket_frames import login_of, trouble

BEARER = "comitium.bearer."
CODINGS: dict[str, Coding] = {"comitium.json": "json", "comitium.msgpack": "msgpack"}

LOGIN_SECONDS = 10
"""How long a socket without a token may stay silent at a table that is not for everybody."""

Link = WebSocket[Any, Any, Any]


@websocket("/tables/{table:str}/live")
async def live_socket(socket: WebSocket[Any, Any, Any], site: NamedDependency[Site], table: TableRef) -> None:
    """Follows the table and acts at it; see docs/wire.md."""
    offered = socket.scope.get("subprotocols") or []
    chosen = next((name for name in offered if name in CODINGS), None)
    await socket.accept(subprotocols=chosen)
    entrance = Entrance(site, socket, table, CODINGS[chosen] if chosen else "json")
    site.commands.metrics.socket_opened()
    slow = False
    try:
        slow = await entrance.serve(_token_in(offered))
    except WebSocketDisconnect:
        pass
    except Exception as error:  # noqa: BLE001  (the client gets a problem, whatever it is)
        await entrance.turn_away(error)
    finally:
        site.commands.metrics.socket_closed(slow=slow)
        entrance.leave()


def _token_in(offered: list[str]) -> str | None:
    """The token that a browser gave as a subprotocol, for it can set no header."""
    return next((name.removeprefix(BEARER) for name in offered if name.startswith(BEARER)), None)


class Entrance:
    """Lets callers in at one table through one connection, and counts it among those they hold."""

    def __init__(self, site: Site, link: Link, table: str, coding: Coding) -> None:
        self._site = site
        self._link = link
        self._table = table
        self._coding: Coding = coding
        self._holder: str | None = None

    async def serve(self, token: str | None) -> bool:
        """Serves the connection until it ends; whether its reader was too slow.

        Raises:
            Problem, NoSuchTable, ...: what keeps the caller out.
        """
        after = whole(self._link.query_params.get("after"), "after")
        token = token or bearer(self._link.headers.get("authorization"))
        try:
            place = await self._enter(token)
        except (NoSuchTable, Hidden, NoSpectators):
            if token is not None:
                raise
            place = await self._enter_later()
        admit = None if place.caller.principal is not None else self._admit
        return await self._run(Socket(self._link, place, self._coding, self._site.commands, admit), after)

    async def _run(self, socket: Socket, after: int | None) -> bool:
        self._site.stopping.add(socket.stop)
        try:
            await socket.run(after)
        finally:
            self._site.stopping.discard(socket.stop)
        return socket.outbox.overflowed

    async def _enter(self, token: str | None) -> Place:
        caller = caller_of(self._link, self._site, token)
        self._hold(caller)
        if not self._site.ready:
            raise Problem("unavailable", "shutting_down", retry_after=1)
        need_read(caller)
        visit = await at_table(self._site, caller, self._table)
        access.audience(visit.live.now.table, visit.reader)
        return Place(caller.at(visit.reader), visit.live, lambda: self._is_valid(token))

    async def _enter_later(self) -> Place:
        """For a table that is not for everybody: waits for the first frame, which has to be the token.

        Raises:
            NoSuchTable: it does not come, or is something else.
        """
        try:
            async with asyncio.timeout(LOGIN_SECONDS):
                message: Any = await self._link.receive()
        except TimeoutError:
            raise NoSuchTable(self._table) from None
        text = message.get("text")
        header = login_of(self._coding, message.get("bytes") or b"" if text is None else text.encode())
        if header is None:
            raise NoSuchTable(self._table)
        return await self._admit(header)

    async def _admit(self, header: str) -> Place:
        return await self._enter(bearer(header) or "")

    def _is_valid(self, token: str | None) -> bool:
        return token is None or self._site.accounts.principal(token) is not None

    # --- Counting ------------------------------------------------------------------------------------

    def _hold(self, caller: Caller) -> None:
        """Raises: `Problem` when the caller holds too many sockets and streams already."""
        sockets = self._site.commands.sockets
        if not sockets.take(caller.holder):
            most = self._site.settings.sockets_per_player
            raise Problem("rate_limited", "too_many_sockets", retry_after=10, most=most)
        self.leave()
        self._holder = caller.holder

    def leave(self) -> None:
        """The connection is held by nobody any more."""
        if self._holder is not None:
            self._site.commands.sockets.give_back(self._holder)
            self._holder = None

    async def turn_away(self, error: Exception) -> None:
        """Says what keeps the caller out, and closes."""
        language = language_of(self._link.headers.get("accept-language"))
        problem = problem_of(error)
        metrics = self._site.commands.metrics
        metrics.problem(problem.code)
        metrics.frames += 1
        data = trouble(self._coding, problem.document(language))
        try:
            if self._coding == "json":
                await self._link.send_text(data.decode())
            else:
                await self._link.send_bytes(data)
            await self._link.close(POLICY)
        except WebSocketDisconnect:
            return


routes = Router("/", route_handlers=[live_socket])

__all__ = ["routes"]
