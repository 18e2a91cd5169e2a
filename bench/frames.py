"""The client's half of a WebSocket, as cheap as Python allows: bytes in, messages out.

The mask of a client frame is all zeros, which every server undoes like any other: so the load generator pays nothing
for it and the server pays what it always pays.
"""

import struct

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
KEY = "AAAAAAAAAAAAAAAAAAAAAA=="
WHOLE = 0x80


class Broken(Exception):  # noqa: N818  (the connection is broken, not the program)
    """The peer closed, refused, or sent what this small client does not read."""


def upgrade(path: str, headers: dict[str, str]) -> bytes:
    """The request that turns a connection into a WebSocket."""
    lines = [
        f"GET {path} HTTP/1.1",
        "Host: 127.0.0.1",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {KEY}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def frame(payload: bytes, opcode: int = TEXT) -> bytes:
    """One whole client frame."""
    size = len(payload)
    if size < 126:
        return struct.pack("!BBxxxx", WHOLE | opcode, WHOLE | size) + payload
    if size < 65536:
        return struct.pack("!BBHxxxx", WHOLE | opcode, WHOLE | 126, size) + payload
    return struct.pack("!BBQxxxx", WHOLE | opcode, WHOLE | 127, size) + payload


class Frames:
    """Server frames out of a stream of bytes."""

    __slots__ = ("rest",)

    def __init__(self, rest: bytes = b"") -> None:
        self.rest = rest

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """The whole frames that are there now, as (opcode, payload); what is left waits for more."""
        if self.rest:
            data = self.rest + data
        at, end, whole = 0, len(data), []
        while end - at >= 2:
            first, size, start = data[at], data[at + 1], at + 2
            if size == 126:
                start += 2
                size = int.from_bytes(data[at + 2 : start], "big") if start <= end else end
            elif size == 127:
                start += 8
                size = int.from_bytes(data[at + 2 : start], "big") if start <= end else end
            if start + size > end:
                break
            if not first & WHOLE:
                raise Broken("a message in pieces")
            at = start + size
            whole.append((first & 15, data[start:at]))
        self.rest = data[at:]
        return whole
