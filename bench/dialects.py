"""How each peer talks: what a seat says to get in, how it sends a command, what an answer means.

`read` looks only for the few bytes that decide; the same for every peer, so that no peer's client works harder.
"""

from typing import Protocol

import msgspec

OTHER, ACK, REFUSED = -1, -2, -3
"""What a message is, when it is not the update for a command of the seat whose number it is."""


class Door(msgspec.Struct, frozen=True):
    """One seat of one table, and where its socket goes."""

    table: int
    seat: int
    path: str
    headers: dict[str, str] = {}
    match: str = ""
    secret: str = ""


class Dialect(Protocol):
    """What the load generator needs to know of a peer; one object for each socket."""

    acks: bool
    """Whether an accepted command is answered apart from its update."""
    audience: int | None
    """How many sockets receive each update; None: those of the whole table."""
    retries: bool
    """Whether a command is lost without an answer when another seat's was accepted first."""

    def __init__(self, door: Door) -> None: ...

    def greet(self, payload: bytes) -> tuple[list[bytes], bool]:
        """What to answer while getting in, and whether the seat is in now."""

    def command(self, number: int) -> bytes:
        """The seat's next command."""

    def read(self, payload: bytes) -> int:
        """The seat whose command this update brings, or OTHER, ACK, REFUSED."""

    def answer(self, payload: bytes) -> bytes | None:
        """What keeps the connection alive, if this message asks for it."""


class Ours:
    """Our wire: the entry comes before its answer."""

    acks, retries = True, False
    audience: int | None = None

    def __init__(self, door: Door) -> None:
        self.door = door

    def greet(self, payload: bytes) -> tuple[list[bytes], bool]:
        return [], b'"view"' in payload

    def command(self, number: int) -> bytes:
        return b'{"id":%d,"action":{"type":"add","amount":%d}}' % (number, number % 9 + 1)

    def read(self, payload: bytes) -> int:
        at = payload.find(b'"by":')
        if at >= 0:
            return payload[at + 5] - 48
        return ACK if b'"receipt"' in payload else REFUSED if b'"problem"' in payload else OTHER

    def answer(self, payload: bytes) -> bytes | None:  # noqa: ARG002  (nothing keeps ours alive but its own pings)
        return None


class Kept(Ours):
    """Our wire as the client libraries use it: every command has a key of its own."""

    def command(self, number: int) -> bytes:
        key = b"%d-%d-%d" % (self.door.table, self.door.seat, number)
        return b'{"id":%d,"key":"%s","action":{"type":"add","amount":%d}}' % (number, key, number % 9 + 1)


class Echo:
    """What comes back is what was sent, with the sender's seat in it."""

    acks, retries = False, False
    audience: int | None = 1

    def __init__(self, door: Door) -> None:
        self.door = door

    def greet(self, payload: bytes) -> tuple[list[bytes], bool]:  # noqa: ARG002  (the server's first word lets in)
        return [], True

    def command(self, number: int) -> bytes:
        return b'{"by":%d,"id":%d,"action":{"type":"add","amount":%d}}' % (self.door.seat, number, number % 9 + 1)

    def read(self, payload: bytes) -> int:
        return payload[6] - 48

    def answer(self, payload: bytes) -> bytes | None:  # noqa: ARG002  (an echo asks for nothing)
        return None


class EchoToAll(Echo):
    """Every message goes to all sockets of its table."""

    audience: int | None = None


class Boardgame:
    """boardgame.io's moves in socket.io events in engine.io packets. The sender's own update is its only answer."""

    acks, retries = False, False
    audience: int | None = None
    move = b"add"

    def __init__(self, door: Door) -> None:
        self.door = door
        self.state = 0

    def greet(self, payload: bytes) -> tuple[list[bytes], bool]:
        match payload[:2]:
            case b"0{":
                return [b"40/tally,"], False
            case b"40":
                who = msgspec.json.encode(["sync", self.door.match, str(self.door.seat), self.door.secret, 4])
                return [b"42/tally," + who], False
            case _:
                return [], payload.startswith(b'42/tally,["sync"')

    def command(self, number: int) -> bytes:
        return (
            b'42/tally,["update",{"type":"MAKE_MOVE","payload":{"type":"%s","args":[%d],"playerID":"%d",'
            b'"credentials":"%s"}},%d,"%s","%d"]'
            % (
                self.move,
                number % 9 + 1,
                self.door.seat,
                self.door.secret.encode(),
                self.state,
                self.door.match.encode(),
                self.door.seat,
            )
        )

    def read(self, payload: bytes) -> int:
        if not payload.startswith(b'42/tally,["update"'):
            return OTHER
        return payload[payload.rindex(b'"playerID":"') + 12] - 48

    def answer(self, payload: bytes) -> bytes | None:
        return b"3" if payload == b"2" else None


class BoardgameStrict(Boardgame):
    """The same with moves as they come: one that names an older state than the current is dropped without a word."""

    retries = True
    move = b"strict"

    def read(self, payload: bytes) -> int:
        mover = super().read(payload)
        if mover >= 0:
            at = payload.index(b'"_stateID":') + 11
            self.state = int(payload[at : payload.index(b",", at)].rstrip(b"}"))
        return mover


DIALECTS: dict[str, type[Dialect]] = {
    "ours": Ours,
    "kept": Kept,
    "echo": Echo,
    "echo_all": EchoToAll,
    "boardgame": Boardgame,
    "strict": BoardgameStrict,
}
