"""Playing and reading a table: view, asks, actions, log."""

from typing import Annotated, Any

from litestar import Response, Router, get, post
from litestar.params import Parameter
from litestar.response import Stream

from events.chain import read_as
from projections.view import view
from server import access
from server.callers import Caller
from server.commands import Wanted, check_key, whole
from server.problems import Problem
from server.rest.common import AnyRequest, coding_of, need, reply, seat_at, visible
from server.rest.documented import problems
from server.rest.players import Key
from server.rest.shapes import AsksShape, Done, EntryShape, LogPage
from server.rest.streams import NDJSON, SSE, stream
from server.rest.tables import TableId
from server.site import Site
from server.tables.errors import LogForked
from server.tables.live import LiveTable
from server.wire.coding import encode
from server.wire.frames import EntryFields, answered, entry_fields

Match = Annotated[str | None, Parameter(header="If-Match", description="The entry that the action was made for.")]
NoneMatch = Annotated[str | None, Parameter(header="If-None-Match")]
LastEvent = Annotated[str | None, Parameter(header="Last-Event-ID")]
After = Annotated[int | None, Parameter(ge=0, le=1 << 53, description="Entries after this one.")]
At = Annotated[int | None, Parameter(ge=1, le=1 << 53, description="The view after that entry.")]
SeatQuery = Annotated[int | None, Parameter(ge=0, le=63, description="After the end: as that seat saw it.")]


@get("/tables/{table:str}/view", responses=problems(403, 404, 412))
async def view_page(
    request: AnyRequest,
    site: Site,
    caller: Caller,
    table: TableId,
    at: At = None,
    seat: SeatQuery = None,
    if_none_match: NoneMatch = None,
) -> Response[Any]:
    """What the caller knows of the table, now or after an earlier entry."""
    live, reader = await visible(site, caller, table)
    seen = access.audience(live.now.table, reader, seat)
    at = live.seq if at is None else at
    if at > live.seq:
        raise LogForked(at, live.seq)
    tag = f'"{at}-{"public" if seen is None else seen}"'
    if if_none_match is not None and tag in [each.strip() for each in if_none_match.split(",")]:
        return Response(None, status_code=304, headers={"ETag": tag})
    position = live.now if at == live.seq else await site.tables.position_at(live, at)
    return reply(request, view(position, seen), ETag=tag)


@get("/tables/{table:str}/asks", responses=problems(403, 404))
async def asks_page(request: AnyRequest, site: Site, caller: Caller, table: TableId) -> Response[AsksShape]:
    """What the caller's seat may do now."""
    need(caller, "read")
    live, _ = await visible(site, caller, table)
    seat = seat_at(live, caller)
    if seat is None:
        raise Problem("not_your_seat")
    return reply(request, {"seq": live.seq, "since": live.now.since[seat], "asks": live.now.asks[seat]})


@post("/tables/{table:str}/actions", responses=problems(400, 403, 404, 409, 412, 413, 415, 422))
async def act_here(
    request: AnyRequest,
    site: Site,
    caller: Caller,
    table: TableId,
    data: dict[str, Any],
    if_match: Match = None,
    idempotency_key: Key = None,
) -> Response[Done]:
    """An action of the caller's seat: `type`, and the fields that its ask lists."""
    need(caller, "play")
    live, _ = await visible(site, caller, table)
    seat = seat_at(live, caller)
    wanted = Wanted(encode("json", data), "json", check_key(idempotency_key), whole(if_match, "If-Match"))
    answer = await site.commands.act(caller, live, seat, wanted)
    body = answered(answer.entry, answer.receipt, seat, coding_of(request))
    replayed = {"Idempotency_Replayed": "true"} if answer.replayed else {}
    return reply(request, body, 201, Location=f"/v1/tables/{table}/log/{body.seq}", **replayed)


@get("/tables/{table:str}/log", responses=problems(403, 404, 406, 412))
async def log_page(
    request: AnyRequest,
    site: Site,
    caller: Caller,
    table: TableId,
    after: After = None,
    limit: Annotated[int, Parameter(ge=1, le=1000)] = 200,
    last_event_id: LastEvent = None,
) -> Response[LogPage] | Stream:
    """Entries, as the caller may read them; as `application/x-ndjson` or `text/event-stream` it goes on with what comes."""
    live, reader = await visible(site, caller, table)
    access.audience(live.now.table, reader)
    accept = request.headers.get("accept", "")
    for media in (NDJSON, SSE):
        if media in accept:
            begin = whole(last_event_id, "Last-Event-ID") if last_event_id else after
            return await stream(site, caller, live, reader, begin, media)
    return await _page(request, site, live, reader, after or 0, limit)


async def _page(
    request: AnyRequest, site: Site, live: LiveTable, reader: access.Reader, after: int, limit: int
) -> Response[LogPage]:
    if after > live.seq:
        raise LogForked(after, live.seq)
    seen = access.log_audience(live.now.table, reader)
    coding = coding_of(request)
    stored = await site.store.read(live.id, after, min(limit, live.seq - after)) if after < live.seq else []
    entries = [EntryFields(**entry_fields(read_as(entry, seen), coding)) for entry in stored]
    return reply(request, {"entries": entries, "seq": live.seq, "head": live.head.hex()})


@get("/tables/{table:str}/log/{seq:int}", responses=problems(403, 404))
async def log_entry(request: AnyRequest, site: Site, caller: Caller, table: TableId, seq: int) -> Response[EntryShape]:
    """One entry, as the caller may read it."""
    live, reader = await visible(site, caller, table)
    seen = access.log_audience(live.now.table, reader)
    if not 1 <= seq <= live.seq:
        raise Problem("not_found")
    (entry,) = await site.store.read(live.id, seq - 1, 1)
    return reply(request, EntryFields(**entry_fields(read_as(entry, seen), coding_of(request))))


routes = Router("/", route_handlers=[view_page, asks_page, act_here, log_page, log_entry], tags=["play"])
