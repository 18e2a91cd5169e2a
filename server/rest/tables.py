"""Opening tables, and the lobby."""

import hmac
import secrets
from base64 import b32encode
from hashlib import sha256
from typing import Annotated

from litestar import Response, Router, get, post
from litestar.params import Parameter

from events.ids import command_id
from games.core import Refused
from games.table import actions as act
from games.table.house import Status
from projections.lobby import Summary
from server.callers import Caller
from server.commands import check_key
from server.problems import Problem
from server.rest.common import AnyRequest, coding_of, limit, need, reply, visible
from server.rest.documented import problems
from server.rest.lines import line, lines
from server.rest.players import Key
from server.rest.shapes import NewTable, Opened, TableLine, TableList
from server.site import Site
from server.wire.frames import answered

PAGE = 50

Limit = Annotated[int, Parameter(ge=1, le=200, description="The most that one page holds.")]
TableId = Annotated[str, Parameter(description="The id of a table.", min_length=1, max_length=64)]


@post("/tables", responses=problems(400, 403, 409, 413, 415, 422))
async def open_table(
    request: AnyRequest, site: Site, caller: Caller, data: NewTable, idempotency_key: Key = None
) -> Response[Opened]:
    """Opens a table; the creator takes seat 0, unless he says otherwise."""
    player = need(caller, "play")
    limit(site.commands.limits.creations, caller.limit_key)
    rules = site.catalogue.current.get(data.game)
    if rules is None:
        raise Problem("invalid", "no_such_game", game=data.game)
    key = check_key(idempotency_key)
    table = table_id(site, player, key)
    action = act.Create(
        data.game,
        rules.game.version,
        data.seats,
        data.options,
        data.house,
        data.visibility,
        data.name,
        player,
        data.sit,
    )
    command = secrets.token_bytes(32) if key is None else command_id(player, table, key)
    try:
        answer = await site.tables.create(table, action, command)
    except Refused as refused:
        raise Problem(
            "invalid", "bad_seats", game=data.game, least=rules.game.seats[0], most=rules.game.seats[-1]
        ) from refused
    live = await site.table(table)
    body = answered(answer.entry, answer.receipt, 0 if data.sit else None, coding_of(request))
    opened = Opened(
        **{name: getattr(body, name) for name in body.__struct_fields__},
        table=line(site, summary_of(site, live.id)),
    )
    replayed = {"Idempotency_Replayed": "true"} if answer.replayed else {}
    return reply(request, opened, 201, Location=f"/v1/tables/{table}", **replayed)


def table_id(site: Site, player: str, key: str | None) -> str:
    """A table's id, which nobody can guess: the lane, and 80 bits. The same for the same key of the same player."""
    if key is None:
        digest = secrets.token_bytes(10)
    else:
        named = sha256(f"{len(player)}:{player}{key}".encode()).digest()
        digest = hmac.digest(site.accounts.secret("table ids"), named, sha256)[:10]
    return f"00-{b32encode(digest).decode().lower()}"


def summary_of(site: Site, table: str) -> Summary:
    """The table's line, from the lobby.

    Raises:
        Problem: not_found.
    """
    found = site.lobby.get(table)
    if found is None:
        raise Problem("not_found")
    return found


@get("/tables", responses=problems())
async def table_list(
    request: AnyRequest,
    site: Site,
    caller: Caller,
    game: str | None = None,
    status: Status | None = None,
    player: str | None = None,
    cursor: str | None = None,
    limit_to: Annotated[Limit, Parameter(query="limit")] = PAGE,
) -> Response[TableList]:
    """The tables that the caller may see, newest first; `player`: where that player sits."""
    if cursor is not None and site.lobby.get(cursor) is None:
        raise Problem("malformed", "bad_query", parameter="cursor", value=cursor)
    found: list[Summary] = []
    for each in site.lobby.newest(cursor):
        if _asked_for(each, game, status, player) and _listed(site, caller, each):
            found.append(each)
            if len(found) > limit_to:
                break
    shown = found[:limit_to]
    following = shown[-1].id if len(found) > limit_to else None
    return reply(request, TableList(tuple(lines(site, shown)), following))


def _asked_for(each: Summary, game: str | None, status: Status | None, player: str | None) -> bool:
    return (
        (game is None or each.game == game)
        and (status is None or each.status == status)
        and (player is None or any(seat.player == player for seat in each.seats))
    )


def _listed(site: Site, caller: Caller, each: Summary) -> bool:
    """Public tables are listed for all; the others for those whose tables they are."""
    if each.visibility == "public":
        return True
    own = caller.player is not None and (
        caller.player in (each.creator, each.house.arbiter) or any(seat.player == caller.player for seat in each.seats)
    )
    return (
        own
        or caller.may("operate")
        or (caller.player is not None and site.accounts.is_admitted(each.id, caller.player))
    )


@get("/tables/{table:str}", responses=problems(404))
async def table_page(request: AnyRequest, site: Site, caller: Caller, table: TableId) -> Response[TableLine]:
    """The table's line."""
    live, _ = await visible(site, caller, table)
    return reply(request, line(site, summary_of(site, live.id)))


routes = Router("/", route_handlers=[open_table, table_list, table_page], tags=["tables"])
