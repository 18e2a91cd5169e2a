"""The socket's route: who opens it, in which coding, from which entry on."""

from typing import Any

from litestar import Router, WebSocket, websocket

from server import access
from server.callers import Caller
from server.commands import whole
from server.problems import Problem
from server.refusals import problem_of
from server.rest.common import caller_of, visible
from server.site import Site
from server.socket import POLICY, Socket
from server.wire.coding import Coding, encode

BEARER = "comitium.bearer."
CODINGS: dict[str, Coding] = {"comitium.json": "json", "comitium.msgpack": "msgpack"}


@websocket("/tables/{table:str}/live")
async def live_socket(socket: WebSocket[Any, Any, Any], site: Site, table: str) -> None:
    """Follows the table and acts at it; see docs/wire.md."""
    offered = socket.scope.get("subprotocols") or []
    chosen = next((name for name in offered if name in CODINGS), None)
    coding = CODINGS[chosen] if chosen else "json"
    await socket.accept(subprotocols=chosen)
    try:
        caller = caller_of(socket, site, _token_in(offered))
        live, reader = await visible(site, caller, table)
        access.audience(live.now.table, reader)
        after = whole(socket.query_params.get("after"), "after")
        if not site.commands.sockets.take(caller.holder):
            raise Problem("rate_limited", "too_many_sockets", retry_after=10, most=site.settings.sockets_per_player)
    except Exception as error:  # noqa: BLE001  (the client gets a problem, whatever it is)
        await _turn_away(socket, coding, error)
        return
    await _serve(site, caller, Socket(socket, live, caller.at(reader), coding, site.commands), after)


async def _serve(site: Site, caller: Caller, served: Socket, after: int | None) -> None:
    site.stopping.add(served.stop)
    site.commands.metrics.socket_opened()
    try:
        await served.run(after)
    finally:
        site.stopping.discard(served.stop)
        site.commands.metrics.socket_closed(slow=served.outbox.overflowed)
        site.commands.sockets.give_back(caller.holder)


def _token_in(offered: list[str]) -> str | None:
    """The token that a browser gave as a subprotocol, for it can set no header."""
    return next((name.removeprefix(BEARER) for name in offered if name.startswith(BEARER)), None)


async def _turn_away(socket: WebSocket[Any, Any, Any], coding: Coding, error: Exception) -> None:
    document = problem_of(error).document("en")
    data = encode(coding, {"problem": document})
    if coding == "json":
        await socket.send_text(data.decode())
    else:
        await socket.send_bytes(data)
    await socket.close(POLICY)


routes = Router("/", route_handlers=[live_socket])
