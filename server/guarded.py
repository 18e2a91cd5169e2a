"""HTTP connections that neither grow nor wait without end: what uvicorn leaves to a proxy in front.

The head of a request (its line and headers) may have so many bytes, and a request must be complete in so many seconds.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_LIMIT = 32 * 1024
"""Bytes."""

REQUEST_SECONDS = 20.0
"""How long a request may take to arrive, its body included."""

CUT = "comitium.cut"
"""An ASGI extension of this house: ends a connection without waiting until everything has been read."""

TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Guarded(HttpToolsProtocol):
    """Counts what it has read of a request's head, and how long the request takes to come."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = True
        self._head = 0
        self._complete = False
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._late is None and self._in_head:
            self._expect()
        self._complete = False
        super().data_received(data)
        if self._complete or not self._in_head:
            return
        self._head += len(data)
        if self._head > HEAD_LIMIT and not self.transport.is_closing():
            self.transport.write(TOO_LARGE)
            self.transport.close()

    def handle_websocket_upgrade(self) -> None:
        self._arrived()
        super().handle_websocket_upgrade()

    def on_headers_complete(self) -> None:
        self._in_head = False
        extensions: Any = {CUT: {"abort": self.transport.abort}}
        self.scope["extensions"] = extensions
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._arrived()
        self._in_head, self._head, self._complete = True, 0, True
        super().on_message_complete()

    def _expect(self) -> None:
        self._late = self.loop.call_later(REQUEST_SECONDS, self._give_up)

    def _arrived(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        """The request does not come to its end."""
        self._late = None
        self.transport.abort()
