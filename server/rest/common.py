"""What every route needs: who calls, in which coding, and how an answer is written."""

from typing import Any

import msgspec
from litestar import Request, Response
from litestar.connection import ASGIConnection

from games.core import Audience
from server import access
from server.access import Reader
from server.callers import Caller
from server.limits import Limiter, address_key, whole_seconds
from server.problems import Problem, language_of
from server.site import Site
from server.tables.errors import NoSuchTable
from server.tables.live import LiveTable
from server.wire.coding import Coding, encode

MSGPACK = "application/msgpack"
Connection = ASGIConnection[Any, Any, Any, Any]
AnyRequest = Request[Any, Any, Any]

MEDIA: dict[Coding, str] = {"json": "application/json", "msgpack": MSGPACK}


def caller_of(connection: Connection, site: Site, token: str | None = None) -> Caller:
    """Who calls, by the bearer token alone.

    Raises:
        Problem: unauthorized; a token was sent that is none.
    """
    language = language_of(connection.headers.get("accept-language"))
    address = address_key(connection.client.host if connection.client else "?")
    token = token or bearer(connection.headers.get("authorization"))
    if token is None:
        return Caller(None, language, address)
    principal = site.accounts.principal(token)
    if principal is None:
        raise Problem("unauthorized", "bad_token")
    return Caller(principal, language, address)


def bearer(header: str | None) -> str | None:
    """The token in an Authorization header.

    Raises:
        Problem: unauthorized; another scheme.
    """
    if not header:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise Problem("unauthorized", "bad_authorization")
    return token.strip()


def reader_of(site: Site, caller: Caller, table: str) -> Reader:
    """The caller as a reader of that table."""
    player = caller.player
    invited = player is not None and site.accounts.is_admitted(table, player)
    return Reader(player, invited, caller.may("operate"))


async def visible(site: Site, caller: Caller, table: str) -> tuple[LiveTable, Reader]:
    """The table, if it exists for the caller.

    Raises:
        NoSuchTable: it does not.
    """
    live = await site.table(table)
    reader = reader_of(site, caller, table)
    if not access.may_see(live.now.table.record, reader):
        raise NoSuchTable(table)
    return live, reader


def seat_at(live: LiveTable, caller: Caller) -> Audience:
    """The caller's seat at the table."""
    return None if caller.player is None else live.seat_of(caller.player)


def coding_of(request: AnyRequest) -> Coding:
    """MessagePack for who asks for it, else JSON."""
    return "msgpack" if MSGPACK in request.headers.get("accept", "") else "json"


def reply(request: AnyRequest, value: Any, status: int = 200, **headers: str) -> Response[Any]:
    """The value in the caller's coding."""
    coding = coding_of(request)
    names = {name.replace("_", "-"): text for name, text in headers.items()}
    return Response(encode(coding, value), status_code=status, media_type=MEDIA[coding], headers=names)


def need(caller: Caller, scope: str) -> str:
    """The caller's player id, if his token has the scope.

    Raises:
        Problem: unauthorized, or forbidden.
    """
    if caller.player is None:
        raise Problem("unauthorized")
    if not caller.may(scope):
        raise Problem("forbidden", "scope", scope=scope)
    return caller.player


def limit(limiter: Limiter, key: str) -> None:
    """Counts one use.

    Raises:
        Problem: rate_limited, with the seconds to wait.
    """
    wait = limiter.wait(key)
    if wait:
        raise Problem("rate_limited", retry_after=whole_seconds(wait))


def plain(value: Any) -> Any:
    """A struct as plain values, to be put together with others."""
    return msgspec.to_builtins(value)
