"""Following a table without a socket: one frame a line (ndjson), or server-sent events."""

from collections.abc import AsyncIterator

from litestar.response import Stream

from server.access import Reader
from server.callers import Caller
from server.follow import Follower, Framing
from server.outbox import Outbox, Overflow
from server.problems import Problem
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


async def stream(site: Site, caller: Caller, live: LiveTable, reader: Reader, after: int | None, media: str) -> Stream:
    """The table's frames from that entry on, until the table or the server ends.

    Raises:
        Problem: the caller holds too many streams.
        LogForked: he has seen entries that this log does not have.
    """
    if not site.commands.sockets.take(caller.holder):
        raise Problem("rate_limited", "too_many_sockets", retry_after=10, most=site.settings.sockets_per_player)
    outbox = Outbox(site.settings.socket_queue)
    follower = Follower(live, reader, "json", outbox, outbox.close, FRAMINGS[media])
    try:
        follower.begin(after)
    except BaseException:
        site.commands.sockets.give_back(caller.holder)
        raise
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(_lines(site, caller, follower, outbox, media), media_type=media, headers=headers)


async def _lines(site: Site, caller: Caller, follower: Follower, outbox: Outbox, media: str) -> AsyncIterator[bytes]:
    site.stopping.add(outbox.close)
    site.commands.metrics.socket_opened()
    slow = False
    try:
        while True:
            waiting = await outbox.take(site.settings.keepalive_seconds)
            if waiting:
                yield b"".join(waiting)
            elif outbox.closed:
                return
            else:
                yield ALIVE[media]
    except Overflow:
        slow = True
        problem = Problem("unavailable", "too_slow", seq=follower.seq)
        trouble = encode("json", {"problem": problem.document(caller.language)})
        yield FRAMINGS[media](follower.seq, trouble)
    finally:
        follower.end()
        site.stopping.discard(outbox.close)
        site.commands.metrics.socket_closed(slow=slow)
        site.commands.sockets.give_back(caller.holder)
