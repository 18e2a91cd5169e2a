"""How the server ends, and how it parts from peers that do not read: what uvicorn does, and a little more.

On a signal no new connection is taken; every socket finishes and answers the action that it runs, sends what waits and
says goodbye (1001); streams end. Only then uvicorn closes what is left, waits for requests that are under way, and the
site is closed, which makes durable what was taken on.
"""

import asyncio
import socket
from collections.abc import Callable

import uvicorn
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from server.site import Site

FLUSH_SECONDS = 10.0
"""How long a connection that is over may take to get its last bytes to a peer."""

TICK = 0.01

WRITE = "comitium.write"


def head(length: int, *, text: bool) -> bytes:
    """The header of a whole, unmasked message of that many bytes (RFC 6455, 5.2)."""
    opcode = b"\x81" if text else b"\x82"
    if length < 126:
        return opcode + length.to_bytes(1, "big")
    if length < 1 << 16:
        return opcode + b"\x7e" + length.to_bytes(2, "big")
    return opcode + b"\x7f" + length.to_bytes(8, "big")


class Server(uvicorn.Server):
    """`site`: what is served, None before it is open."""

    def __init__(self, config: uvicorn.Config, site: Callable[[], Site | None]) -> None:
        super().__init__(config)
        self._site = site

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in self.servers:
            listener.close()
        site = self._site()
        if site is not None:
            await self._part(site)
        await super().shutdown(sockets)

    async def _part(self, site: Site) -> None:
        """Ends all sockets and streams; those that take too long are left to uvicorn."""
        site.ready = False
        clock = asyncio.get_running_loop().time
        end = clock() + site.settings.shutdown_seconds
        while site.stopping and clock() < end and not self.force_exit:
            for stop in tuple(site.stopping):
                stop()
            await asyncio.sleep(TICK)


class Patient(WebSocketsSansIOProtocol):
    """A socket that does not wait for ever: closing a transport waits until everything is flushed, and a peer that has
    stopped reading while its machine lives on never lets that happen.
    """

    async def run_asgi(self) -> None:
        # An ASGI extension of this house: many messages of one turn in one write, without a layer of calls for each.
        self.scope["extensions"][WRITE] = {"write": self.write_messages}
        await super().run_asgi()
        self._cut_later()

    async def write_messages(self, messages: list[bytes], *, text: bool) -> None:
        """Sends the messages, whole and in order.

        Raises:
            ClientDisconnected: nobody is there any more.
        """
        if not self.writable.is_set():
            await self.writable.wait()
        if self.disconnected or self.close_sent:
            raise ClientDisconnected
        self.transport.write(
            b"".join([part for message in messages for part in (head(len(message), text=text), message)])
        )

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self._cut_later()

    def _cut_later(self) -> None:
        self.loop.call_later(FLUSH_SECONDS, self.transport.abort)
