"""What every route needs: the request as we read it, who calls, and how an answer is written."""

from collections.abc import Mapping
from typing import Any

from litestar import Request, Response
from litestar.connection import ASGIConnection

from server import bodies
from server.accounts import Principal
from server.callers import Caller
from server.limits import Limiter, address_key, whole_seconds
from server.problems import Problem, language_of
from server.rest import media
from server.site import Site
from server.wire.coding import Coding, encode

Connection = ASGIConnection[Any, Any, Any, Any]


NO_HEADERS: Mapping[str, str] = {}


class Call(Request[Any, Any, Any]):
    """A request. Its body is JSON or MessagePack and read strictly; its answer comes in what `Accept` likes best."""

    @property
    def site(self) -> Site:
        """The server that is called."""
        site: Site = self.app.state.site
        return site

    @property
    def caller(self) -> Caller:
        """Who calls; found out before the handler begins."""
        caller: Caller = self.state.caller
        return caller

    @property
    def principal(self) -> Principal:
        """Who calls, where a token is needed (a route's `needs`).

        Raises:
            Problem: unauthorized.
        """
        found = self.caller.principal
        if found is None:
            raise Problem("unauthorized", "no_token")
        return found

    @property
    def player(self) -> str:
        """His player id."""
        return self.principal.player

    @property
    def media(self) -> str:
        """The media type to answer in.

        Raises:
            Problem: not_acceptable.
        """
        offered = self.route_handler.opt.get("offers", media.ANSWERS)
        found = media.best(self.headers.get("accept", ""), offered)
        if found is None:
            raise Problem("not_acceptable", "media_types", allowed=list(offered))
        return found

    @property
    def coding(self) -> Coding:
        """The coding to answer in."""
        return media.coding_of(self.media)

    @property
    def body_coding(self) -> Coding:
        """The coding that the body is in.

        Raises:
            Problem: unsupported_media_type.
        """
        found = media.coding_in(self.headers.get("content-type"))
        if found is None or self.headers.get("content-encoding", "identity").lower() != "identity":
            raise Problem("unsupported_media_type", "media_types", allowed=list(media.ANSWERS))
        return found

    async def body(self) -> bytes:
        """The bytes of the body.

        Raises:
            Problem: empty, too large, or not ours to read.
        """
        if not isinstance(self._body, bytes):
            self._check_kind()
            self._body = await self._receive_all(self.site.settings.body_limit)
        if not self._body:
            raise Problem("malformed", "empty_body")
        return self._body

    async def json(self) -> Any:
        """The body as what the handler takes; Litestar calls this."""
        field = self.route_handler.parsed_data_field
        decode = bodies.decoder(Any if field is None else field.annotation).decode
        return bodies.read(decode, await self.body(), self.body_coding, self.site.settings.text_limit)

    async def upload(self, kinds: tuple[str, ...], limit: int) -> bytes:
        """The bytes of a body that is a file of one of these kinds.

        Raises:
            Problem: empty, too large, or of another kind.
        """
        kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in kinds or self.headers.get("content-encoding", "identity").lower() != "identity":
            raise Problem("unsupported_media_type", "media_types", allowed=list(kinds))
        self._check_length(limit)
        found = await self._receive_all(limit)
        if not found:
            raise Problem("malformed", "empty_body")
        return found

    def _check_kind(self) -> None:
        """Refuses by the headers alone what needs not be received."""
        announced = self._check_length(self.site.settings.body_limit)
        if announced != "0":
            _ = self.body_coding

    def _check_length(self, limit: int) -> str:
        """The length that is announced, if any."""
        announced = self.headers.get("content-length", "")
        if announced.isdecimal() and int(announced[:15]) > limit:
            raise Problem("too_large", "body_too_large", limit=limit)
        return announced

    async def _receive_all(self, limit: int) -> bytes:
        """However it is cut, and whatever was announced."""
        found = bytearray()
        while True:
            message = await self.receive()
            if message["type"] != "http.request":
                raise Problem("malformed", "body_cut_off")
            found += message["body"]
            if len(found) > limit:
                raise Problem("too_large", "body_too_large", limit=limit)
            if not message.get("more_body"):
                return bytes(found)


def reply(call: Call, value: Any, status: int = 200, headers: Mapping[str, str] = NO_HEADERS) -> Response[Any]:
    """The value in the form that the caller likes best."""
    media_type = call.media
    body = encode(media.coding_of(media_type), value)
    usual = {"Cache-Control": "no-store", "Vary": "Accept"}
    return Response(body, status_code=status, media_type=media_type, headers={**usual, **headers})


def not_modified(headers: Mapping[str, str]) -> Response[Any]:
    """The caller has it already."""
    return Response(None, status_code=304, headers=headers)


def again(*, replayed: bool) -> dict[str, str]:
    """The header that tells a first answer from one that is given again."""
    return {"Idempotency-Replayed": "true"} if replayed else {}


# --- Who calls ----------------------------------------------------------------------------------------


def caller_of(connection: Connection, site: Site, token: str | None = None) -> Caller:
    """Who calls, by the bearer token alone.

    Raises:
        Problem: unauthorized, a token was sent that is none; rate_limited, by an address that tries many.
    """
    language = language_of(connection.headers.get("accept-language"))
    address = address_key(connection.client.host if connection.client else "?")
    token = token or bearer(connection.headers.get("authorization"))
    if token is None:
        return Caller(None, language, address)
    principal = site.accounts.principal(token)
    if principal is None:
        count(site.commands.limits.reads, address)
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


def need(caller: Caller, scope: str) -> None:
    """The caller's token must have the scope.

    Raises:
        Problem: forbidden.
    """
    if not caller.may(scope):
        raise Problem("forbidden", "scope", scope=scope)


def need_read(caller: Caller) -> None:
    """A token that is sent must let one read; without one everybody reads what is public.

    Raises:
        Problem: forbidden.
    """
    if caller.principal is not None:
        need(caller, "read")


def count(limiter: Limiter, key: str) -> None:
    """Counts one use.

    Raises:
        Problem: rate_limited, with the seconds to wait.
    """
    wait = limiter.wait(key)
    if wait:
        seconds = whole_seconds(wait)
        raise Problem("rate_limited", "too_many_requests", retry_after=seconds, seconds=seconds)
