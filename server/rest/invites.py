"""Invites: codes that let somebody play at a table, or watch it."""

import time

from litestar import Response, Router, delete, post
from litestar.di import NamedDependency
from litestar.params import RequestBody

from server.commands import check_key
from server.problems import Problem
from server.rest.common import Call, again, count, reply
from server.rest.documented import BODY, KEYED
from server.rest.params import CodeRef, Key, TableRef
from server.rest.shapes import InviteGiven, NewInvite, UseInvite
from server.rest.visits import Visit


@post(
    "/tables/{table:str}/invites",
    refuses=(*BODY, *KEYED, "forbidden", "not_found", "read_only"),
    tells=("Idempotency-Replayed",),
    needs=("play",),
)
async def make_invite(
    request: Call, here: NamedDependency[Visit], data: RequestBody[NewInvite], idempotency_key: Key = None
) -> Response[InviteGiven]:
    """A code that lets somebody play (at that seat) or watch. The table's creator and its players give them."""
    site, caller, player = request.site, request.caller, request.player
    _check_host(here)
    if data.seat is not None and data.seat >= len(here.record.holders):
        raise Problem("invalid", "no_such_seat", seat=data.seat)
    count(site.commands.limits.creations, caller.limit_key)
    asked = time.time_ns() // 1_000_000
    made = site.accounts.invite(here.live.id, data.role, data.seat, player, check_key(idempotency_key))
    return reply(request, InviteGiven(made.code, made.role, made.seat), 201, again(replayed=made.created < asked))


@delete(
    "/tables/{table:str}/invites/{code:str}",
    status_code=204,
    refuses=("forbidden", "not_found", "read_only"),
    needs=("play",),
)
async def revoke_invite(request: Call, here: NamedDependency[Visit], code: CodeRef) -> None:
    """Ends a code. Whoever has used it stays."""
    site, caller = request.site, request.caller
    _check_host(here)
    count(site.commands.limits.creations, caller.limit_key)
    if not site.accounts.uninvite(here.live.id, code):
        raise Problem("not_found", "no_such_invite")


def _check_host(here: Visit) -> None:
    if not here.belongs:
        raise Problem("forbidden", "invites_by_players_only")


@post("/tables/{table:str}/watch", status_code=204, refuses=(*BODY, "forbidden", "not_found"), needs=("read",))
async def use_invite(request: Call, table: TableRef, data: RequestBody[UseInvite]) -> None:
    """Uses an invite to a private table: from now on the caller may read it."""
    site, caller, player = request.site, request.caller, request.player
    count(site.commands.limits.creations, caller.limit_key)
    found = site.accounts.invite_of(data.invite)
    if found is None or found.table != table:
        raise Problem("not_found", "no_such_invite")
    site.accounts.admit(table, player)


routes = Router("/", route_handlers=[make_invite, revoke_invite, use_invite], tags=["seats"])
