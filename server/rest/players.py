"""Players and their tokens."""

from typing import Annotated

from litestar import Response, Router, delete, get, post
from litestar.params import Parameter

from server.accounts import SCOPES
from server.callers import Caller
from server.commands import check_key
from server.problems import Problem
from server.rest.common import AnyRequest, limit, need, reply
from server.rest.documented import problems
from server.rest.shapes import Me, NewPlayer, NewToken, PlayerLine, Registered, TokenGiven, TokenLine
from server.site import Site

Key = Annotated[
    str | None, Parameter(header="Idempotency-Key", description="The same key and body give the first answer.")
]


@post("/players", responses=problems(400, 403, 413, 415, 422, 429))
async def register(
    request: AnyRequest, site: Site, caller: Caller, data: NewPlayer, idempotency_key: Key = None
) -> Response[Registered]:
    """Registers a player. The token is shown this once, so a key that has registered somebody gives no second answer."""
    if not site.settings.registration_open and not caller.may("operate"):
        raise Problem("registration_closed")
    limit(site.commands.limits.registrations, caller.address)
    made = site.accounts.register(data.name, ("play", "read"), check_key(idempotency_key))
    answer = Registered(made.player, made.name, made.token, tuple(sorted(made.scopes)))
    return reply(request, answer, 201, Location=f"/v1/players/{made.player}")


@get("/players/{player:str}", responses=problems(404))
async def player_page(request: AnyRequest, site: Site, player: str) -> Response[PlayerLine]:
    """Who a player id is."""
    found = site.accounts.player(player)
    if found is None:
        raise Problem("not_found")
    return reply(request, PlayerLine(found.id, found.name, found.bot))


@get("/me", responses=problems(401))
async def me(request: AnyRequest, site: Site, caller: Caller) -> Response[Me]:
    """The caller and his tokens."""
    if caller.principal is None:
        raise Problem("unauthorized")
    who = caller.principal
    tokens = tuple(TokenLine(t.id, t.created, tuple(sorted(t.scopes))) for t in site.accounts.tokens(who.player))
    return reply(request, Me(who.player, who.name, tuple(sorted(who.scopes)), tokens))


@post("/me/tokens", responses=problems(400, 401, 403, 413, 415, 422, 429))
async def issue(
    request: AnyRequest, site: Site, caller: Caller, data: NewToken, idempotency_key: Key = None
) -> Response[TokenGiven]:
    """A further token, with at most the scopes of the one that asks."""
    if caller.principal is None:
        raise Problem("unauthorized")
    limit(site.commands.limits.creations, caller.limit_key)
    within = caller.principal.scopes
    wanted = within if data.scopes is None else frozenset(scope for scope in SCOPES if scope in data.scopes)
    made = site.accounts.issue(caller.principal.player, wanted, within=within, key=check_key(idempotency_key))
    return reply(request, TokenGiven(made.token_id, made.token, tuple(sorted(made.scopes))), 201)


@delete("/me/tokens/{token:str}", status_code=204, responses=problems(401, 404))
async def revoke(site: Site, caller: Caller, token: str) -> None:
    """Ends a token, at once."""
    if caller.player is None:
        raise Problem("unauthorized")
    if not site.accounts.revoke(caller.player, token):
        raise Problem("not_found")


@delete("/me", status_code=204, responses=problems(401, 403))
async def erase(site: Site, caller: Caller) -> None:
    """Forgets the caller: name and tokens. The logs keep his id, which stands for nobody then."""
    site.accounts.erase(need(caller, "play"))


routes = Router("/", route_handlers=[register, player_page, me, issue, revoke, erase], tags=["players"])
