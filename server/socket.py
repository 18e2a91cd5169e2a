"""The socket of a table: frames out, actions in, every action answered by its id. docs/wire.md describes it.

One task reads, one writes. What the table says goes through a bounded outbox; an entry is put there before the answer
to the action that made it, so it arrives before it.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
from litestar import WebSocket
from litestar.exceptions import WebSocketDisconnect

from server.callers import Caller
from server.commands import Commands, Wanted
from server.follow import Follower
from server.outbox import Outbox, Overflow
from server.problems import Problem
from server.refusals import problem_of
from server.tables.live import LiveTable
from server.wire.coding import Coding, encode
from server.wire.frames import ReceiptFields, receipt_fields

GOING_AWAY, TOO_SLOW, POLICY = 1001, 1013, 1008

FrameId = str | int


class ClientFrame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An action of the client. `id` comes back with the answer."""

    id: FrameId
    action: msgspec.Raw
    key: str | None = None
    if_match: int | None = None


class Ack(msgspec.Struct, frozen=True, omit_defaults=True):
    """The action is an entry now, and durable."""

    id: FrameId
    seq: int
    head: str
    receipt: ReceiptFields
    replayed: bool = False


class Trouble(msgspec.Struct, frozen=True, omit_defaults=True):
    """The action was not done; without an id, the connection ends."""

    problem: dict[str, Any]
    id: FrameId | None = None


_DECODERS: dict[Coding, Callable[[bytes], ClientFrame]] = {
    "json": msgspec.json.Decoder(ClientFrame).decode,
    "msgpack": msgspec.msgpack.Decoder(ClientFrame).decode,
}


class Socket:
    """One connection to one table."""

    def __init__(
        self, link: "WebSocket[Any, Any, Any]", live: LiveTable, caller: Caller, coding: Coding, commands: Commands
    ) -> None:
        self._link = link
        self._live = live
        self._caller = caller
        self._coding: Coding = coding
        self._commands = commands
        self.outbox = Outbox(commands.settings.socket_queue)
        self.follower = Follower(live, caller.reader, coding, self.outbox, self._ending)
        self._busy = 0
        self._over = False

    async def run(self, after: int | None) -> None:
        """Serves the connection until either side ends it."""
        writer = asyncio.create_task(self._write())
        reader = asyncio.create_task(self._read())
        try:
            self.follower.begin(after)
            await asyncio.wait((writer, reader), return_when=asyncio.FIRST_COMPLETED)
        except Exception as error:  # noqa: BLE001  (whatever it is, the client gets a problem, not a dead line)
            self.outbox.put(self._trouble(error, None))
        finally:
            self.follower.end()
            self.outbox.close()
            reader.cancel()
            await asyncio.gather(writer, reader, return_exceptions=True)

    def stop(self) -> None:
        """The server goes down: what waits is sent, then the connection is closed."""
        self.outbox.close()

    def _ending(self) -> None:
        """The table has ended: the connection closes once the last answers are out."""
        self._over = True
        self._close_if_done()

    def _close_if_done(self) -> None:
        if self._over and self._busy == 0:
            self.outbox.close()

    # --- In ------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        while True:
            data = await self._receive()
            if data is None:
                return
            await self._serve(data)

    async def _receive(self) -> bytes | None:
        try:
            message = await self._link.receive()
        except WebSocketDisconnect:
            return None
        if message["type"] != "websocket.receive":
            return None
        text = message.get("text")
        return text.encode() if text is not None else message.get("bytes") or b""

    async def _serve(self, data: bytes) -> None:
        try:
            frame = _DECODERS[self._coding](data)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            self.outbox.put(self._trouble(Problem("malformed", str(error)), _id_in(data)))
            return
        self._busy += 1
        try:
            self.outbox.put(await self._act(frame))
        finally:
            self._busy -= 1
            self._close_if_done()

    async def _act(self, frame: ClientFrame) -> bytes:
        try:
            wanted = Wanted(bytes(frame.action), self._coding, frame.key, frame.if_match)
            answer = await self._commands.act(self._caller, self._live, self.follower.audience, wanted)
        except Exception as error:  # noqa: BLE001  (every action is answered)
            return self._trouble(error, frame.id)
        ack = Ack(frame.id, answer.entry.seq, answer.entry.head.hex(), receipt_fields(answer.receipt), answer.replayed)
        return encode(self._coding, ack)

    def _trouble(self, error: Exception, frame: FrameId | None) -> bytes:
        problem = problem_of(error, self._live)
        return encode(self._coding, Trouble(problem.document(self._caller.language), frame))

    # --- Out -----------------------------------------------------------------------------------------

    async def _write(self) -> None:
        try:
            while messages := await self.outbox.take():
                for message in messages:
                    await self._send(message)
        except Overflow:
            problem = Problem("unavailable", "too_slow", seq=self.follower.seq)
            await self._send(encode(self._coding, Trouble(problem.document(self._caller.language))))
            await self._link.close(TOO_SLOW)
            return
        await self._link.close(1000 if self._over else GOING_AWAY)

    async def _send(self, message: bytes) -> None:
        if self._coding == "json":
            await self._link.send({"type": "websocket.send", "text": message.decode(), "bytes": None})
        else:
            await self._link.send({"type": "websocket.send", "bytes": message, "text": None})


class _OnlyId(msgspec.Struct):
    id: FrameId | None = None


def _id_in(data: bytes) -> FrameId | None:
    """The id of a frame that is wrong otherwise, so that its sender knows which one."""
    try:
        return msgspec.json.decode(data, type=_OnlyId).id
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
