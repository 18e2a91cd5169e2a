"""Opening tables, and the lobby."""

import hmac
import secrets
from base64 import b32encode
from hashlib import sha256
from typing import Annotated, Any

import msgspec
from litestar import Response, Router, get, post
from litestar.di import NamedDependency
from litestar.params import QueryParameter, RequestBody

from events.ids import command_id
from games.core import Refused
from games.table import actions as act
from games.table.house import Status
from games.table.rules import Rules
from projections.lobby import Summary
from server.archives import Foreign
from server.archives.foreign import line_of
from server.callers import Caller
from server.commands import check_key
from server.furniture import Unfurnished
from server.logs import escape
from server.problems import Problem
from server.refusals import problem
from server.rest.common import Call, again, count, need_read, reply
from server.rest.documented import BODY, KEYED
from server.rest.lines import line, lines
from server.rest.params import Key, PageLimit
from server.rest.shapes import NewTable, Opened, TableLine, TableList
from server.rest.visits import Visit
from server.site import Site
from server.tables.service import Answer
from server.wire.frames import answered

PAGE = 50


@post(
    "/tables",
    refuses=(*BODY, *KEYED, "forbidden", "in_progress"),
    tells=("Location", "Idempotency-Replayed"),
    needs=("play",),
)
async def open_table(request: Call, data: RequestBody[NewTable], idempotency_key: Key = None) -> Response[Opened]:
    """Opens a table; the creator takes seat 0, unless he says otherwise."""
    site, caller, player = request.site, request.caller, request.player
    count(site.commands.limits.creations, caller.limit_key)
    key = check_key(idempotency_key)
    rules = _check(site, data)
    table = table_id(site, player, key)
    creation = _create(site, table, rules, _action(rules, data, player, _furnished(site, rules, data)), player, key)
    answer = await site.commands.counted("rest", creation)
    body = answered(answer.entry, answer.receipt, 0 if data.sit else None, request.coding)
    opened = Opened(**msgspec.structs.asdict(body), table=line(site, summary_of(site, table)))
    return reply(request, opened, 201, {"Location": f"/v1/tables/{table}", **again(replayed=answer.replayed)})


def _check(site: Site, data: NewTable) -> Rules:
    """The rules of the game that is asked for.

    Raises:
        Problem: invalid.
    """
    rules = site.catalogue.current.get(data.game)
    if rules is None:
        raise Problem("invalid", "no_such_game", game=data.game)
    if escape(data.name) != data.name:
        raise Problem("invalid", "name_unseen")
    arbiter = data.house.arbiter
    if arbiter is not None and site.accounts.player(arbiter) is None:
        raise Problem("invalid", "no_such_player")
    return rules


def _furnished(site: Site, rules: Rules, data: NewTable) -> dict[str, Any]:
    """The options, with what stands in the files that they name.

    Raises:
        Problem: invalid.
    """
    try:
        return site.furniture.furnish(rules.game, data.options)
    except Unfurnished as refused:
        raise problem("invalid", refused.key, refused.params) from None


def _action(rules: Rules, data: NewTable, player: str, options: dict[str, Any]) -> act.Create:
    return act.Create(
        data.game,
        rules.game.version,
        data.seats,
        options,
        data.house,
        data.visibility,
        data.name,
        player,
        data.sit,
    )


async def _create(site: Site, table: str, rules: Rules, action: act.Create, player: str, key: str | None) -> Answer:
    """Entry 1, written now or before by the same key.

    Raises:
        Problem: invalid; the game is not for so many seats, or has no such options.
    """
    command = secrets.token_bytes(32) if key is None else command_id(player, table, key)
    try:
        return await site.tables.create(table, action, command)
    except Refused as refused:
        if refused.code != "seats":
            raise
        least, most = refused.params["lowest"], refused.params["highest"]
        raise Problem("invalid", "bad_seats", game=rules.game.name, least=least, most=most) from None
    except msgspec.ValidationError as error:
        raise Problem("invalid", "bad_field", field="options", why=str(error)) from None


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
        raise Problem("not_found", "no_such_table")
    return found


# --- The lobby ----------------------------------------------------------------------------------------


class Filter(msgspec.Struct, frozen=True):
    """Which tables somebody wants to see; None for any."""

    game: str | None
    status: Status | None
    player: str | None

    def fits(self, each: Summary) -> bool:
        """Whether the table is one of them."""
        return (
            (self.game is None or each.game == self.game)
            and (self.status is None or each.status == self.status)
            and (self.player is None or any(seat.player == self.player for seat in each.seats))
        )


@get("/tables", refuses=("malformed", "forbidden", "invalid"))
async def list_tables(
    request: Call,
    game: Annotated[str | None, QueryParameter(description="Tables of this game only.")] = None,
    status: Annotated[Status | None, QueryParameter(description="Tables in this state only.")] = None,
    player: Annotated[str | None, QueryParameter(description="Tables where this player sits.")] = None,
    cursor: Annotated[str | None, QueryParameter(description="`next` of the page before.")] = None,
    page: PageLimit = PAGE,
) -> Response[TableList]:
    """The tables that the caller may see in a list, newest first."""
    site, caller = request.site, request.caller
    need_read(caller)
    if cursor is not None and site.lobby.get(cursor) is None:
        raise Problem("invalid", "bad_query", parameter="cursor", value=cursor)
    found, following = _page(site, caller, Filter(game, status, player), cursor, page)
    return reply(request, TableList(tuple(lines(site, found)), following))


def _page(
    site: Site, caller: Caller, wanted: Filter, cursor: str | None, limit: int
) -> tuple[list[Summary], str | None]:
    """The lines of a page, and the cursor of the next one."""
    found: list[Summary] = []
    for each in site.lobby.newest(cursor):
        if wanted.fits(each) and _listed(site, caller, each):
            found.append(each)
            if len(found) > limit:
                return found[:limit], found[limit - 1].id
    return found, None


def _listed(site: Site, caller: Caller, each: Summary) -> bool:
    """Public tables are listed for all; the others for those whose tables they are."""
    if each.visibility == "public" or caller.may("operate"):
        return True
    player = caller.player
    if player is None:
        return False
    own = player in (each.creator, each.house.arbiter) or any(seat.player == player for seat in each.seats)
    return own or (each.visibility == "private" and site.accounts.is_admitted(each.id, player))


@get("/tables/{table:str}", refuses=("forbidden", "not_found"))
async def get_table(request: Call, here: NamedDependency[Visit]) -> Response[TableLine]:
    """The table's line."""
    site = request.site
    if isinstance(here.live, Foreign):
        return reply(request, line(site, line_of(here.live, site.own_keys)))
    return reply(request, line(site, summary_of(site, here.live.id)))


routes = Router("/", route_handlers=[open_table, list_tables, get_table], tags=["tables"])
