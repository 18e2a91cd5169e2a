"""Following a table without a socket: one frame a line (ndjson), or server-sent events."""

import asyncio
import time
from typing import Any

from litestar.response import Stream
from litestar.types import ASGIApp, Receive, Scope, Send

from server.callers import Caller
from server.follow import Follower, Framing
from server.guarded import CUT
from server.outbox import Outbox, Overflow
from server.problems import Problem
from server.refusals import problem_of
from server.site import Site
from server.tables.live import LiveTable
from server.wire.coding import encode

NDJSON, SSE = "application/x-ndjson", "text/event-stream"


def _line(_seq: int, frame: bytes) -> bytes:
    return frame + b"\n"


def _event(seq: int, frame: bytes) -> bytes:
    return b"id: %d\ndata: %s\n\n" % (seq, frame)


FRAMINGS: dict[str, Framing] = {NDJSON: _line, SSE: _event}
ALIVE = {NDJSON: b"\n", SSE: b": \n\n"}


REVOKED_SECONDS = 1.0
"""How long a token that was revoked may still be listened with."""


class Following(Stream):
    """The answer that goes on. What it holds (a place among the sockets, a follower) it holds while it is being sent."""

    def __init__(self, site: Site, caller: Caller, live: LiveTable, after: int | None, media: str) -> None:
        super().__init__((), media_type=media)
        self._site = site
        self._caller = caller
        self._live = live
        self._after = after
        self._media = media
        self._writer: asyncio.Task[None] | None = None
        self._trouble: bytes | None = None
        self._valid_until = 0.0
        self._outbox = Outbox(site.settings.socket_queue, self._spilled)

    def to_asgi_response(self, *_: Any, **__: Any) -> ASGIApp:  # type: ignore[override]  # Litestar awaits what it gives
        """Itself: it must also see when the reader has gone, or reads nothing."""
        return self._serve

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises: `Problem`, `LogForked` before anything is sent."""
        commands = self._site.commands
        if not commands.sockets.take(self._caller.holder):
            most = self._site.settings.sockets_per_player
            raise Problem("rate_limited", "too_many_sockets", retry_after=10, most=most)
        commands.metrics.socket_opened()
        self._site.stopping.add(self._outbox.close)
        try:
            if not await self._follow(receive, send):
                await _cut(scope, receive)
        finally:
            self._site.stopping.discard(self._outbox.close)
            commands.metrics.socket_closed(slow=self._outbox.overflowed)
            commands.sockets.give_back(self._caller.holder)

    async def _follow(self, receive: Receive, send: Send) -> bool:
        """Follows to the end; false when the reader has read nothing for so long that the rest was not sent."""
        live = await self._site.table(self._live.id)
        follower = Follower(live, self._caller.reader, "json", self._outbox, self._ended, FRAMINGS[self._media])
        try:
            follower.begin(self._after)
            self._writer = asyncio.create_task(self._write(send))
            gone = asyncio.create_task(_gone(receive))
            await asyncio.wait((self._writer, gone), return_when=asyncio.FIRST_COMPLETED)
            self._writer.cancel()
            gone.cancel()
            await asyncio.gather(self._writer, gone, return_exceptions=True)
            return not self._writer.cancelled() or (gone.done() and not gone.cancelled())
        finally:
            follower.end()

    def _ended(self, error: Exception | None = None) -> None:
        """The table has ended, or something (`error`) keeps this reader from going on."""
        if error is not None:
            self._trouble = self._problem(problem_of(error, self._live))
        self._outbox.close()

    def _spilled(self) -> None:
        """The outbox has overflowed: the writer says so as soon as the peer reads on, but does not wait for ever."""
        if self._writer is not None:
            asyncio.get_running_loop().call_later(self._site.settings.keepalive_seconds, self._writer.cancel)

    async def _write(self, send: Send) -> None:
        headers = [
            (b"content-type", self._media.encode()),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        try:
            while chunk := await self._next():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        except Overflow:
            self._trouble = self._problem(Problem("unavailable", "too_slow", retry_after=1, seq=self._outbox.seq))
        self._site.commands.metrics.frames += self._trouble is not None
        await send({"type": "http.response.body", "body": self._trouble or b"", "more_body": False})

    async def _next(self) -> bytes:
        """What is to be sent next; nothing at the end."""
        waiting = await self._outbox.take(self._site.settings.keepalive_seconds)
        if not self._outbox.closed and not self._is_valid():
            self._ended(Problem("unauthorized", "bad_token"))
            return b""
        if waiting:
            self._site.commands.metrics.frames += len(waiting)
            return b"".join(waiting)
        return b"" if self._outbox.closed else ALIVE[self._media]

    def _is_valid(self) -> bool:
        """Whether the caller's token has not been revoked since; asked once a second at the most."""
        now = time.monotonic()
        if now < self._valid_until:
            return True
        self._valid_until = now + min(REVOKED_SECONDS, self._site.settings.keepalive_seconds)
        return _valid(self._site, self._caller)

    def _problem(self, problem: Problem) -> bytes:
        self._site.commands.metrics.problem(problem.code)
        document = encode("json", {"problem": problem.document(self._caller.language)})
        return FRAMINGS[self._media](self._outbox.seq, document)


def _valid(site: Site, caller: Caller) -> bool:
    """Whether the caller's token has not been revoked since."""
    who = caller.principal
    return who is None or any(token.id == who.token_id for token in site.accounts.tokens(who.player))


async def _cut(scope: Scope, receive: Receive) -> None:
    """Ends the connection as it is: closing it in order would wait for a reader who does not read."""
    extensions: Any = scope.get("extensions") or {}
    if CUT in extensions:
        extensions[CUT]["abort"]()
        await _gone(receive)


async def _gone(receive: Receive) -> None:
    """Returns when the reader has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
