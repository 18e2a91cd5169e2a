"""Players and their tokens."""

from contextlib import suppress

from litestar import Response, Router, delete, get, post
from litestar.params import RequestBody

from events.ids import command_id
from games.core import Refused
from games.table import actions as act
from server.accounts import SCOPES
from server.commands import check_key
from server.problems import Problem
from server.rest.common import Call, count, need, reply
from server.rest.documented import BODY, KEYED
from server.rest.params import Key, PlayerRef, TokenRef
from server.rest.shapes import Me, NewPlayer, NewToken, PlayerLine, Registered, TokenGiven, TokenLine
from server.rest.standings import record_of
from server.site import Site
from server.tables.service import Command


@post("/players", refuses=(*BODY, *KEYED, "registration_closed"), tells=("Location",))
async def register_player(
    request: Call, data: RequestBody[NewPlayer], idempotency_key: Key = None
) -> Response[Registered]:
    """Registers a player. The token is shown this once, so a key that has registered somebody gives no second answer."""
    site, caller = request.site, request.caller
    if not site.settings.registration_open and not caller.may("operate"):
        raise Problem("registration_closed")
    count(site.commands.limits.registrations, caller.address)
    made = site.accounts.register(data.name, ("play", "read"), check_key(idempotency_key))
    answer = Registered(made.player, made.name, made.token, tuple(sorted(made.scopes)))
    return reply(request, answer, 201, {"Location": f"/v1/players/{made.player}"})


@get("/players/{player:str}", refuses=("not_found",))
async def get_player(request: Call, player: PlayerRef) -> Response[PlayerLine]:
    """Who a player id is, and how he has played at public tables that are over."""
    found = request.site.accounts.player(player)
    if found is None:
        raise Problem("not_found", "no_such_player")
    return reply(request, PlayerLine(found.id, found.name, found.bot, record_of(request.site, found.id)))


@get("/me", needs=())
async def get_me(request: Call) -> Response[Me]:
    """The caller and his tokens."""
    site, who = request.site, request.principal
    tokens = tuple(
        TokenLine(each.id, each.created, tuple(sorted(each.scopes)), each.id == who.token_id)
        for each in site.accounts.tokens(who.player)
    )
    return reply(request, Me(who.player, who.name, tuple(sorted(who.scopes)), tokens))


@post("/me/tokens", refuses=(*BODY, *KEYED, "forbidden"), needs=())
async def issue_token(request: Call, data: RequestBody[NewToken], idempotency_key: Key = None) -> Response[TokenGiven]:
    """A further token, with at most the scopes of the one that asks. It is shown this once."""
    site, who = request.site, request.principal
    count(site.commands.limits.creations, request.caller.limit_key)
    within = who.scopes
    wanted = within if data.scopes is None else frozenset(scope for scope in SCOPES if scope in data.scopes)
    made = site.accounts.issue(who.player, wanted, within=within, key=check_key(idempotency_key))
    return reply(request, TokenGiven(made.token_id, made.token, tuple(sorted(made.scopes))), 201)


@delete("/me/tokens/{token:str}", status_code=204, refuses=("forbidden", "not_found"), needs=())
async def revoke_token(request: Call, token: TokenRef) -> None:
    """Ends a token of the caller, at once. To end another than the one that asks takes the scope `play`."""
    site, who = request.site, request.principal
    if token != who.token_id:
        need(request.caller, "play")
    count(site.commands.limits.creations, request.caller.limit_key)
    if not site.accounts.revoke(who.player, token):
        raise Problem("not_found", "no_such_token")


@delete("/me", status_code=204, refuses=("forbidden",), needs=("play",))
async def forget_me(request: Call) -> None:
    """Forgets the caller: name and tokens. The logs keep his id, which stands for nobody then. First he gives up the
    seats that he holds, for nobody could ever play on there.
    """
    await give_up_seats(request.site, request.player)
    request.site.accounts.erase(request.player)


async def give_up_seats(site: Site, player: str) -> None:
    """The player rises from tables that have not begun, and leaves those that are played."""
    for line in site.lobby:
        seat = next((number for number, seat in enumerate(line.seats) if seat.player == player), None)
        if seat is None or line.status in ("ended", "abandoned"):
            continue
        action = act.Rise() if line.status == "open" else act.Leave()
        command = Command(seat, action, command_id(player, line.id, "forgotten"), player=player)
        with suppress(Refused):  # it has ended in the meantime, or cannot be played on
            await site.tables.submit(await site.table(line.id), command)


routes = Router(
    "/", route_handlers=[register_player, get_player, get_me, issue_token, revoke_token, forget_me], tags=["players"]
)
