"""The wire without a network: requests and sockets to an ASGI application in the same process.

For house bots, which are clients like any other. The application cannot tell the difference, except by the address.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx

from comitium_client import ApiProblem, Client, Connector, Disconnected, Retry
from comitium_client.errors import problem

Message = MutableMapping[str, Any]
App = Callable[[Any, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]

URL = "http://inside"
ADDRESS = ("127.0.0.1", 0)

WAITING = 64
"""Messages from the application that wait for a slow reader; then the application waits, and closes if it likes."""

GONE = 1008
"""The close code for connections that nobody should try again."""

PARTING_SECONDS = 5.0


class Inside:
    """The way to one application. `is_open` says whether it still takes requests."""

    def __init__(self, app: App, is_open: Callable[[], bool] = lambda: True) -> None:
        self._app = app
        self.is_open = is_open

    def client(self, token: str, language: str | None = None) -> Client:
        """A client on this side of the network."""
        http = httpx.ASGITransport(app=self._app, client=ADDRESS, raise_app_exceptions=False)
        return Client(
            URL, token=token, language=language, transport=http, connect=self.connect, retry=Retry(attempts=4)
        )

    async def connect(self, url: str, headers: Mapping[str, str], subprotocols: Sequence[str]) -> Connector:
        """Opens a socket.

        Raises:
            Disconnected: the application takes none, or has failed.
            ApiProblem: it turned this one down.
        """
        if not self.is_open():
            raise Disconnected("The server is not open.", GONE)
        socket = InsideSocket(self._app, _scope(url, headers, subprotocols))
        await socket.open()
        return socket


class InsideSocket:
    """An open connection to the application."""

    def __init__(self, app: App, scope: dict[str, Any]) -> None:
        self._to_app: asyncio.Queue[Message] = asyncio.Queue()
        self._from_app: asyncio.Queue[Message] = asyncio.Queue(WAITING)
        self._closed = False
        self._serving = asyncio.ensure_future(app(scope, self._to_app.get, self._from_app.put))
        self._serving.add_done_callback(self._ended)

    async def open(self) -> None:
        """Waits until the application has accepted."""
        await self._to_app.put({"type": "websocket.connect"})
        message = await self._next()
        if message["type"] == "websocket.http.response.start":
            raise await self._turned_down(message)
        if message["type"] != "websocket.accept":
            raise self._lost(message)

    async def send(self, message: str | bytes) -> None:
        if self._closed or self._serving.done():
            raise Disconnected("The connection is closed.")
        kind = "text" if isinstance(message, str) else "bytes"
        await self._to_app.put({"type": "websocket.receive", kind: message})

    async def recv(self) -> str | bytes:
        message = await self._next()
        if message["type"] != "websocket.send":
            raise self._lost(message)
        text: str | None = message.get("text")
        return text if text is not None else bytes(message.get("bytes") or b"")

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._to_app.put_nowait({"type": "websocket.disconnect", "code": 1000, "reason": ""})
        while not self._from_app.empty():  # an application that waits to be read can end then
            self._from_app.get_nowait()
        await asyncio.wait({self._serving}, timeout=PARTING_SECONDS)
        self._serving.cancel()

    async def _next(self) -> Message:
        """The next message, or the close that stands for the end of the application."""
        if self._closed:
            raise Disconnected("The connection is closed.")
        return await self._from_app.get()

    def _ended(self, serving: "asyncio.Future[None]") -> None:
        error = None if serving.cancelled() else serving.exception()
        reason = "" if error is None else f"The application failed: {type(error).__name__}"
        while self._from_app.full():
            self._from_app.get_nowait()
        self._from_app.put_nowait({"type": "websocket.close", "code": 1006, "reason": reason})

    def _lost(self, message: Message) -> Disconnected:
        self._closed = True
        self._to_app.put_nowait({"type": "websocket.disconnect", "code": message.get("code", 1005), "reason": ""})
        return Disconnected(message.get("reason") or "The server closed the connection.", message.get("code", 1005))

    async def _turned_down(self, start: Message) -> ApiProblem:
        body = b""
        while (message := await self._next())["type"] == "websocket.http.response.body":
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        self._closed = True
        response = httpx.Response(start["status"], headers=start.get("headers", []), content=body)
        try:
            document = response.json()
        except ValueError:
            document = {"detail": response.reason_phrase}
        return problem(document, response.status_code)


def _scope(url: str, headers: Mapping[str, str], subprotocols: Sequence[str]) -> dict[str, Any]:
    parts = urlsplit(url)
    sent = {"host": parts.netloc, **headers, "sec-websocket-protocol": ", ".join(subprotocols)}
    return {
        "type": "websocket",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "scheme": "ws",
        "path": unquote(parts.path),
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in sent.items()],
        "client": ADDRESS,
        "server": (parts.hostname, 80),
        "subprotocols": list(subprotocols),
        "state": {},
        "extensions": {"websocket.http.response": {}},
    }
