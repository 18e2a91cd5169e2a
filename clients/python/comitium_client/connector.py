"""Sockets as this client sees them: something to send over, receive from and close. The seam for other transports.

A house bot in the server's own process, or a test, passes a `Connect` of its own; `connect_socket` is the one over the
network.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus, WebSocketException
from websockets.typing import Subprotocol

from comitium_client.errors import ApiProblem, Disconnected, problem
from comitium_client.retry import seconds

OPEN_SECONDS = 10.0
LARGEST = 16 * 2**20
"""Bytes in a message: a whole view of a large game fits many times."""

MISUSED = 1002
"""The close code for a peer that does not keep to the protocol."""


class Connector(Protocol):
    """An open connection."""

    async def send(self, message: str | bytes) -> None:
        """Sends one message. Raises `Disconnected` when the connection is gone."""

    async def recv(self) -> str | bytes:
        """The next message. Raises `Disconnected` when there is none to come; no message is lost by cancelling it."""

    async def close(self) -> None:
        """Ends the connection, also for a `recv` that waits; never fails."""


class Connect(Protocol):
    """Opens connections. Raises `Disconnected`, or the `ApiProblem` with which the server turned it down."""

    async def __call__(self, url: str, headers: Mapping[str, str], subprotocols: Sequence[str]) -> Connector: ...


class Socket:
    """A connection over the network. Pings are answered and sent by the library, while nobody looks."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, message: str | bytes) -> None:
        try:
            await self._connection.send(message)
        except (ConnectionClosed, OSError) as error:
            raise _lost(error) from error

    async def recv(self) -> str | bytes:
        try:
            return await self._connection.recv(decode=False)
        except (ConnectionClosed, OSError) as error:
            raise _lost(error) from error

    async def close(self) -> None:
        await self._connection.close()


async def connect_socket(url: str, headers: Mapping[str, str], subprotocols: Sequence[str]) -> Connector:
    """Opens a WebSocket."""
    try:
        connection = await connect(
            url,
            additional_headers=dict(headers),
            subprotocols=[Subprotocol(name) for name in subprotocols],
            compression=None,
            max_size=LARGEST,
            open_timeout=OPEN_SECONDS,
            user_agent_header=None,
        )
    except InvalidStatus as error:
        raise _turned_down(error) from error
    except (OSError, InvalidMessage) as error:
        raise Disconnected(str(error) or type(error).__name__) from error
    except WebSocketException as error:
        raise Disconnected(str(error), MISUSED) from error
    return Socket(connection)


def _lost(error: Exception) -> Disconnected:
    close = error.rcvd if isinstance(error, ConnectionClosed) else None
    if close is None:
        return Disconnected(str(error) or type(error).__name__)
    return Disconnected(close.reason or "The server closed the connection.", close.code)


def _turned_down(error: InvalidStatus) -> ApiProblem:
    response = error.response
    try:
        document = msgspec.json.decode(response.body or b"{}", type=dict[str, object])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        document = {"detail": response.reason_phrase}
    return problem(document, response.status_code, seconds(response.headers.get("Retry-After")))
