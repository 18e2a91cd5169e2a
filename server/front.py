"""What every request passes on its way in and out, before and after the routes.

It gets an id (`X-Request-Id`), which stands in every line that is logged meanwhile; when it is answered, a line says so.
HEAD is answered as GET, without the body. An error that nothing else caught becomes a problem document, and a socket to
nowhere is turned away with one.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any, cast

import msgspec
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from server import logs
from server.problems import MEDIA_TYPE, Code, Problem, language_of

log = logs.Log("http")

QUIET = frozenset({"/healthz", "/readyz", "/metrics"})
"""What machines ask for all the time."""

Headers = list[tuple[bytes, bytes]]

Told = Callable[[Code], None]
"""Hears of every problem that is told from here."""


def _to_nobody(_code: Code) -> None:
    """For an application that does not count."""


class Front:
    """An application in front of another one."""

    def __init__(self, app: ASGIApp, told: Told = _to_nobody) -> None:
        self._app = app
        self._told = told

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        names = logs.request_id(_header(scope, b"x-request-id"))
        with logs.in_request(names):
            passage = Passage(scope, receive, send, names, self._told)
            try:
                await self._app(passage.scope, passage.receive, passage.send)
            except Exception as error:
                log.exception("unexpected")
                await passage.fail(error)
            finally:
                passage.tell()


class Passage:
    """One request or socket on its way."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, name: str, told: Told) -> None:
        self._receive = receive
        self._send = send
        self._name = name
        self._told = told
        self._began = time.perf_counter()
        self._status: int | None = None
        self._over = asyncio.Event()
        self._method = str(scope.get("method", ""))
        self._is_socket = not self._method
        self.scope = cast("Scope", {**scope, "method": "GET"}) if self._method == "HEAD" else scope

    async def receive(self) -> Any:
        """What comes from the caller; once he has all that he wants, that he is gone."""
        if self._over.is_set():
            return {"type": "http.disconnect"}
        if self._method != "HEAD":
            return await self._receive()
        return await self._unless_over()

    async def _unless_over(self) -> Any:
        """What HEAD has to say, or that it has been answered: whoever would go on sending a body waits for that."""
        coming = asyncio.ensure_future(self._receive())
        over = asyncio.ensure_future(self._over.wait())
        done, _ = await asyncio.wait((coming, over), return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        if coming in done:
            return coming.result()
        coming.cancel()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """What goes to the caller."""
        match message["type"]:
            case "http.response.start":
                self._status = message["status"]
                await self._send(cast("Message", {**message, "headers": self._headers(list(message["headers"]))}))
            case "http.response.body" if self._method == "HEAD":
                if not self._over.is_set():
                    self._over.set()
                    await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            case "websocket.close" if self._status is None:
                await self._turn_away()
            case _:
                if message["type"] == "websocket.accept":
                    self._status = 101
                await self._send(message)

    async def fail(self, error: Exception) -> None:
        """Nothing below has answered: says that it is our mistake, if that can still be said."""
        if self._status is None and not self._is_socket:
            await self._refuse()
        elif self._is_socket and self._status is None:
            await self._send({"type": "websocket.close", "code": 1011, "reason": ""})
        elif not self._over.is_set():
            raise error

    async def _turn_away(self) -> None:
        """A socket that no route has accepted: is told why, as by any route."""
        self._status = 404
        offered = cast("Any", self.scope).get("subprotocols") or []
        chosen = "comitium.json" if "comitium.json" in offered else None
        await self._send({"type": "websocket.accept", "subprotocol": chosen, "headers": []})
        text = msgspec.json.encode({"problem": self._document(Problem("not_found", "no_such_path"))}).decode()
        await self._send({"type": "websocket.send", "text": text, "bytes": None})
        await self._send({"type": "websocket.close", "code": 1008, "reason": ""})

    async def _refuse(self) -> None:
        problem = Problem("internal")
        headers: Headers = [(b"content-type", MEDIA_TYPE.encode())]
        await self.send({"type": "http.response.start", "status": problem.status, "headers": headers})
        body = msgspec.json.encode(self._document(problem))
        await self.send({"type": "http.response.body", "body": body, "more_body": False})

    def _document(self, problem: Problem) -> dict[str, Any]:
        self._told(problem.code)
        return problem.document(language_of(_header(self.scope, b"accept-language")))

    def _headers(self, found: Headers) -> Headers:
        """The headers of the answer, with what all answers have."""
        allowed = [(name, _with_head(value) if name.lower() == b"allow" else value) for name, value in found]
        return [*allowed, (b"x-request-id", self._name.encode()), (b"x-content-type-options", b"nosniff")]

    def tell(self) -> None:
        """Says in the log that it is over. Never with the query: what stands there is nobody's business."""
        path = self.scope["path"]
        facts = {
            "path": path,
            "status": self._status,
            "ms": round((time.perf_counter() - self._began) * 1000, 1),
        }
        if self._is_socket:
            log.info("socket", **facts)
        elif path in QUIET:
            log.debug("request", method=self._method, **facts)
        else:
            log.info("request", method=self._method, **facts)


def _header(scope: Scope, name: bytes) -> str | None:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name), None)


def _with_head(allow: bytes) -> bytes:
    """The methods of an address: with HEAD where there is GET, and nothing that is no method."""
    methods = {each.strip() for each in allow.split(b",")} - {b"websocket", b""}
    return b", ".join(sorted(methods | ({b"HEAD"} if b"GET" in methods else set())))
