"""Playing and reading a table: view, asks, actions, log."""

from typing import Any

from litestar import Response, Router, get, post
from litestar.di import NamedDependency

from games.core import Audience
from games.table.asks import of_arbiter
from projections.view import view
from server import access
from server.commands import Wanted, check_key, whole
from server.problems import Problem
from server.rest.common import Call, again, not_modified, reply
from server.rest.documented import BODY, ENTRY, KEYED
from server.rest.entries import actor_of
from server.rest.media import ANSWERS, STREAMS
from server.rest.params import After, At, Key, LastEvent, LogLimit, Match, NoneMatch, SeatQuery, SeqRef
from server.rest.shapes import Asks, LogPage
from server.rest.streams import Following
from server.rest.visits import Visit
from server.tables.errors import LogForked
from server.tables.service import Answer
from server.wire.frames import answered, line
from server.wire.shapes import Done, Entry, View


@get(
    "/tables/{table:str}/view",
    refuses=("malformed", "forbidden", "not_your_seat", "not_found", "log_forked"),
    tells=("ETag",),
)
async def get_view(
    request: Call,
    here: NamedDependency[Visit],
    at: At = None,
    seen_by: SeatQuery = None,
    if_none_match: NoneMatch = None,
) -> Response[View]:
    """What the caller knows of the table, now or after an earlier entry."""
    seat = _own_or(here, seen_by)
    at = here.live.seq if at is None else at
    if at > here.live.seq:
        raise LogForked(at, here.live.seq)
    tag = f'"{at}-{"public" if seat is None else seat}-{request.coding}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Accept, Authorization"}
    if _has(if_none_match, tag):
        return not_modified(headers)
    position = here.live.now if at == here.live.seq else await here.shelf.position_at(here.live, at)
    return reply(request, view(position, seat), headers=headers)


def _own_or(here: Visit, seat: int | None) -> int | None:
    """The audience to read as: the caller's own, or the one that he asks for and may be.

    Raises:
        NotYourSeat, NoSpectators: as `access.audience`.
        Problem: there is no such seat.
    """
    if seat is not None and seat >= len(here.record.holders):
        raise Problem("not_found", "no_such_seat", seat=seat)
    return access.audience(here.live.now.table, here.reader, seat)


def _has(if_none_match: str | None, tag: str) -> bool:
    """Whether the caller has what he asks for (RFC 9110, 13.1.2: by weak comparison)."""
    tags = [] if if_none_match is None else [each.strip().removeprefix("W/") for each in if_none_match.split(",")]
    return tag in tags or "*" in tags


@get("/tables/{table:str}/asks", refuses=("forbidden", "not_your_seat", "not_found"), needs=("read",))
async def get_asks(request: Call, here: NamedDependency[Visit]) -> Response[Asks]:
    """What the caller's seat may do now, or the table's arbiter."""
    now = here.live.now
    if here.arbitrates:
        return reply(request, {"seq": now.seq, "since": 0, "asks": of_arbiter(now.table)})
    if here.seat is None:
        raise Problem("not_your_seat", "no_seat")
    return reply(request, {"seq": now.seq, "since": now.since[here.seat], "asks": now.asks[here.seat]})


@post(
    "/tables/{table:str}/actions",
    takes="action",
    refuses=(*BODY, *KEYED, *ENTRY, "not_your_seat", "offer_changed", "stale", "log_forked"),
    tells=("Location", "Idempotency-Replayed"),
    needs=(),
)
async def act(
    request: Call, here: NamedDependency[Visit], if_match: Match = None, idempotency_key: Key = None
) -> Response[Done]:
    """An action of the caller's seat, or of the table's arbiter: `type`, and the fields that its ask lists."""
    seat, key = here.seat, check_key(idempotency_key)
    wanted = Wanted(await request.body(), request.body_coding, key, whole(if_match, "If-Match"))
    answer = await here.site.commands.act(here.caller, here.live, seat, wanted, "rest")
    body = answered(answer.entry, answer.receipt, _actor(answer, seat), request.coding)
    return reply(request, body, 201, {"Location": f"{here.path}/log/{body.seq}", **again(replayed=answer.replayed)})


def _actor(answer: Answer, seat: Audience) -> Audience:
    """As whom the caller acted: the first answer is the same whatever has become of his seat."""
    return actor_of(answer.entry) if answer.replayed else seat


@get(
    "/tables/{table:str}/log",
    offers=(*ANSWERS, *STREAMS),
    refuses=("malformed", "forbidden", "not_found", "log_forked"),
)
async def get_log(
    request: Call,
    here: NamedDependency[Visit],
    after: After = None,
    page: LogLimit = 200,
    last_event_id: LastEvent = None,
) -> Response[LogPage]:
    """Entries, as the caller may read them; as `application/x-ndjson` or `text/event-stream` it goes on with what comes."""
    access.audience(here.live.now.table, here.reader)
    resumed = whole(last_event_id, "Last-Event-ID")
    if request.media in STREAMS:
        return _follow(request, here, after if resumed is None else resumed)
    return await _page(request, here, after or 0, page)


def _follow(request: Call, here: Visit, after: int | None) -> Response[Any]:
    """The frames from that entry on."""
    return Following(here.site, here.caller.at(here.reader), here.live, after, request.media)


async def _page(request: Call, here: Visit, after: int, limit: int) -> Response[LogPage]:
    seq, head = here.live.seq, here.live.head
    if after > seq:
        raise LogForked(after, seq)
    seen = access.log_audience(here.live.now.table, here.reader)
    stored = await here.shelf.store.read(here.live.id, after, min(limit, seq - after)) if after < seq else []
    entries = [line(entry, seen, request.coding) for entry in stored]
    return reply(request, {"entries": entries, "seq": seq, "head": head.hex()})


@get("/tables/{table:str}/log/{seq:int}", refuses=("forbidden", "not_found"))
async def get_entry(request: Call, here: NamedDependency[Visit], seq: SeqRef) -> Response[Entry]:
    """One entry, as the caller may read it."""
    seen = access.log_audience(here.live.now.table, here.reader)
    if not 1 <= seq <= here.live.seq:
        raise Problem("not_found", "no_such_entry", seq=seq)
    (entry,) = await here.shelf.store.read(here.live.id, seq - 1, 1)
    return reply(request, line(entry, seen, request.coding))


routes = Router("/", route_handlers=[get_view, get_asks, act, get_log, get_entry], tags=["play"])
