"""A bare echo over the web stack that our server uses: what the stack alone can do.

`python -m bench.peers.echo PORT`. `/echo/TABLE` sends back what it gets, `/all/TABLE` sends it to all sockets there.
"""

import sys
from collections import defaultdict
from typing import Any

import uvicorn
from litestar import Litestar, WebSocket, websocket
from litestar.exceptions import WebSocketDisconnect

Socket = WebSocket[Any, Any, Any]
TABLES: dict[int, list[Socket]] = defaultdict(list)


@websocket("/echo/{table:int}")
async def echo(socket: Socket) -> None:
    """Back to the sender."""
    await socket.accept()
    await socket.send_text("hello")
    try:
        while True:
            await socket.send_text(await socket.receive_text())
    except WebSocketDisconnect:
        return


@websocket("/all/{table:int}")
async def echo_all(socket: Socket, table: int) -> None:
    """To everybody at the table."""
    await socket.accept()
    seats = TABLES[table]
    seats.append(socket)
    await socket.send_text("hello")
    try:
        while True:
            text = await socket.receive_text()
            for seat in seats:
                await seat.send_text(text)
    except WebSocketDisconnect:
        seats.remove(socket)


def main() -> None:
    """Serve until killed."""
    uvicorn.run(
        Litestar([echo, echo_all], openapi_config=None, logging_config=None),
        host="127.0.0.1",
        port=int(sys.argv[1]),
        loop="uvloop",
        http="httptools",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        access_log=False,
        log_level="warning",
    )


if __name__ == "__main__":
    main()
