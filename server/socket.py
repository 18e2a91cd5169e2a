"""The socket of a table: frames out, actions in, every action answered by its id. docs/wire.md describes it.

One task reads, one writes. What the table says goes through a bounded outbox; an entry is put there before the answer
to the action that made it, so it arrives before it. An action that has begun is finished and answered whatever ends
the connection. A peer that reads nothing is given some time, then the connection is cut.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect

from server.bodies import UNREADABLE, unreadable
from server.callers import Caller
from server.commands import Commands, Wanted
from server.follow import Follower
from server.outbox import Outbox, Overflow
from server.problems import Problem
from server.refusals import problem_of
from server.tables.live import LiveTable
from server.wire.coding import Coding
from server.wire.socket_frames import ClientFrame, FrameId, ack, frame_of, id_of, login_of, trouble

NORMAL, GOING_AWAY, POLICY, TOO_SLOW = 1000, 1001, 1008, 1013

REVOKED_SECONDS = 1.0
"""How long a token that was revoked may still be listened with."""

Link = WebSocket[Any, Any, Any]


class Place(msgspec.Struct, frozen=True):
    """Who was let in at which table. `valid`: whether his token still is."""

    caller: Caller
    live: LiveTable
    valid: Callable[[], bool]


Admit = Callable[[str], Awaitable[Place]]
"""Lets in whom an Authorization header belongs to. Raises what keeps him out."""


class Socket:
    """One connection to one table. `admit` is for callers who may still send their token, as their first frame."""

    def __init__(
        self, link: Link, place: Place, coding: Coding, commands: Commands, admit: Admit | None = None
    ) -> None:
        """Raises: `Hidden`, `NoSpectators` when there is nothing here for the caller."""
        self._link = link
        self._coding: Coding = coding
        self._commands = commands
        self._admit = admit
        self._after: int | None = None
        self._busy = False
        self._code: int | None = None
        self._parting: bytes | None = None
        self._writer: asyncio.Task[None] | None = None
        self.outbox = Outbox(commands.settings.socket_queue, self._spilled)
        extension: Any = (link.scope.get("extensions") or {}).get("comitium.write") or {}
        self._prepared = extension.get("write")
        self._place = place
        self._follower = self._follow(place)

    def _follow(self, place: Place) -> Follower:
        return Follower(place.live, place.caller.reader, self._coding, self.outbox, self._ended)

    async def run(self, after: int | None) -> None:
        """Serves the connection until either side ends it."""
        self._after = after
        self._writer = asyncio.create_task(self._write())
        reader = asyncio.create_task(self._read())
        watch = asyncio.create_task(self._watch())
        try:
            self._begin()
            await asyncio.wait((self._writer, reader), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._follower.end()
            self._finish(GOING_AWAY)
            watch.cancel()
            if not self._busy:
                reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)
            await asyncio.wait((self._writer,), timeout=self._commands.settings.shutdown_seconds)
            self._writer.cancel()
            await asyncio.gather(self._writer, return_exceptions=True)

    async def _watch(self) -> None:
        """Ends the connection of a token that has been revoked, however silent it is."""
        pause = min(REVOKED_SECONDS, self._commands.settings.keepalive_seconds)
        while self._is_valid():  # noqa: ASYNC110  (nobody tells when a token ends)
            await asyncio.sleep(pause)

    def stop(self) -> None:
        """The server goes down: a running action is finished and answered, then the connection is closed."""
        self._finish(GOING_AWAY)

    # --- Beginning and ending ------------------------------------------------------------------------

    def _begin(self) -> None:
        try:
            self._follower.begin(self._after)
        except Exception as error:  # noqa: BLE001  (whatever it is, the client gets a problem, not a dead line)
            self._ended(error)

    def _ended(self, error: Exception | None = None) -> None:
        """The table has ended, or something (`error`) keeps this reader from going on."""
        if error is None:
            self._finish(NORMAL)
        else:
            self._finish(POLICY, self._trouble(problem_of(error, self._place.live)))

    def _finish(self, code: int, parting: bytes | None = None) -> None:
        """Closes the connection once the action that runs is answered; the first reason counts."""
        if self._code is not None:
            return
        self._code, self._parting = code, parting
        self._close_if_finished()

    def _close_if_finished(self) -> None:
        if self._busy or self._code is None:
            return
        if self._parting is not None:
            self.outbox.put(self._parting)
        self.outbox.close()

    def _spilled(self) -> None:
        """The outbox has overflowed: the writer says so as soon as the peer reads on, but does not wait for ever."""
        if self._writer is not None:
            asyncio.get_running_loop().call_later(self._commands.settings.keepalive_seconds, self._writer.cancel)

    # --- In ------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        while self._code is None:
            try:
                message = await self._link.receive()
            except WebSocketDisconnect:
                return
            if message["type"] != "websocket.receive":
                return
            self._busy = True
            try:
                await self._serve(message.get("text"), message.get("bytes"))
            finally:
                self._busy = False
                self._close_if_finished()

    async def _serve(self, text: str | None, data: bytes | None) -> None:
        """One frame of the client. JSON comes as text, MessagePack as bytes."""
        raw = text.encode() if text is not None else data or b""
        admit, self._admit = self._admit, None
        try:
            self._check(raw, is_text=text is not None)
            if admit is not None and (header := login_of(self._coding, raw)) is not None:
                await self._log_in(admit, header)
                return
            frame = frame_of(self._coding, raw)
        except Problem as problem:
            self._refuse(problem, None)
        except UNREADABLE as error:
            self._refuse(unreadable(error), id_of(self._coding, raw))
        else:
            await self._act(frame)

    def _check(self, raw: bytes, *, is_text: bool) -> None:
        """Raises: `Problem` for a frame that is not even looked into."""
        limit = self._commands.settings.body_limit
        if len(raw) > limit:
            raise Problem("too_large", "body_too_large", limit=limit)
        if is_text != (self._coding == "json"):
            raise Problem("malformed", "bad_frame")

    async def _log_in(self, admit: Admit, header: str) -> None:
        """From here on the caller is whom the token belongs to; he is sent what that one may see, from the beginning."""
        try:
            place = await admit(header)
            follower = self._follow(place)
        except Exception as error:  # noqa: BLE001  (he is told why, whatever it is)
            self._ended(error)
            return
        self._follower.end()
        self._place, self._follower = place, follower
        self._begin()

    async def _act(self, frame: ClientFrame) -> None:
        place = self._place
        if not self._is_valid():
            return
        try:
            wanted = Wanted(bytes(frame.action), self._coding, frame.key, frame.if_match)
            answer = await self._commands.act(place.caller, place.live, self._follower.audience, wanted)
        except Exception as error:  # noqa: BLE001  (every action is answered)
            self.outbox.put(self._trouble(problem_of(error, place.live), frame.id))
        else:
            self.outbox.put(ack(self._coding, frame.id, answer))

    def _refuse(self, problem: Problem, frame: FrameId | None) -> None:
        """Answers a frame that is no action. It counts like one, so that nobody sends such frames for ever."""
        try:
            self._commands.limit(self._place.caller)
        except Problem as limited:
            problem = limited
        self.outbox.put(self._trouble(problem, frame))

    def _trouble(self, problem: Problem, frame: FrameId | msgspec.UnsetType | None = msgspec.UNSET) -> bytes:
        self._commands.metrics.problem(problem.code)
        return trouble(self._coding, problem.document(self._place.caller.language), frame)

    def _is_valid(self) -> bool:
        """Whether the caller's token has not been revoked since; else the connection ends."""
        valid = self._place.valid()
        if not valid:
            self._ended(Problem("unauthorized", "bad_token"))
        return valid

    # --- Out -----------------------------------------------------------------------------------------

    async def _write(self) -> None:
        try:
            await self._write_all()
        except Overflow:
            problem = Problem("unavailable", "too_slow", retry_after=1, seq=self.outbox.seq)
            await self._send(self._trouble(problem))
            await self._link.close(TOO_SLOW)
        else:
            await self._link.close(GOING_AWAY if self._code is None else self._code)

    async def _write_all(self) -> None:
        while True:
            messages = await self.outbox.take()
            if not messages:
                return
            if self._prepared is not None:
                await self._prepared(messages, text=self._coding == "json")
                self._commands.metrics.frames += len(messages)
                continue
            for message in messages:
                await self._send(message)

    async def _send(self, message: bytes) -> None:
        self._commands.metrics.frames += 1
        if self._coding == "json":
            await self._link.send({"type": "websocket.send", "text": message.decode(), "bytes": None})
        else:
            await self._link.send({"type": "websocket.send", "bytes": message, "text": None})
