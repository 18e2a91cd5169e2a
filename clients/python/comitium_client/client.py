"""The client: one server, as one player or as a spectator."""

from collections.abc import AsyncIterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx
import msgspec

from comitium_client.coding import Wire, coding
from comitium_client.connector import Connect, connect_socket
from comitium_client.link import Link
from comitium_client.models import Game, GameDetails, Key, Me, Player, Registered, Standings, Summary, Token
from comitium_client.receipts import Receipts
from comitium_client.rest import given
from comitium_client.retry import Retry
from comitium_client.table import Table


class _Games(msgspec.Struct, frozen=True):
    games: tuple[Game, ...]


class _Tables(msgspec.Struct, frozen=True):
    tables: tuple[Summary, ...]
    next: str | None = None


class _Created(msgspec.Struct, frozen=True):
    """The summary stands in the answer, or under `table` there."""

    table: Summary | None = None


def _agent() -> str:
    try:
        return f"comitium-client/{version('comitium-client')}"
    except PackageNotFoundError:  # part of another distribution
        return "comitium-client"


class Client:
    """`async with Client("http://127.0.0.1:8000", token=...) as client:`; without a token you are a spectator.

    `receipts`: where receipts are kept, by default in memory; a path keeps them in a file of JSON lines. `wire`: json
    or msgpack. `language`: of the sentences for people (en, ja). `timeout`: seconds for each part of a request.
    `transport` and `connect` are the seams for requests and sockets that do not go over the network.
    """

    def __init__(
        self,
        server: str,
        *,
        token: str | None = None,
        receipts: Receipts | str | Path | None = None,
        wire: Wire = "json",
        language: str | None = None,
        timeout: float = 10.0,
        retry: Retry | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        connect: Connect = connect_socket,
    ) -> None:
        server = server.rstrip("/")
        headers = given({"User-Agent": _agent(), "Accept-Language": language})
        http = httpx.AsyncClient(base_url=server, headers=headers, timeout=timeout, transport=transport)
        kept = receipts if isinstance(receipts, Receipts) else Receipts(receipts)
        self._link = Link(server, http, coding(wire), kept, retry or Retry(), connect)
        self._rest = self._link.rest
        if token is not None:
            self._link.use(token)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connections for requests. Live sessions have their own."""
        await self._link.http.aclose()

    @property
    def receipts(self) -> Receipts:
        """Every receipt of this client."""
        return self._link.receipts

    # --- Who you are ----------------------------------------------------------------------------------

    async def register(self, name: str) -> Registered:
        """A new player. The token is shown once: keep it. A client without a token goes on as this player."""
        player = (await self._rest.post("/v1/players", {"name": name})).read(Registered)
        if not self._link.token:
            self._link.use(player.token)
        return player

    async def me(self) -> Me:
        """Who your token stands for."""
        return (await self._rest.get("/v1/me")).read(Me)

    async def new_token(self, scopes: tuple[str, ...] | None = None, *, key: str | None = None) -> Token:
        """A further token for yourself, with these scopes."""
        return (await self._rest.post("/v1/me/tokens", given({"scopes": scopes}), key=key)).read(Token)

    async def revoke_token(self, token: str) -> None:
        """The token of that id is good for nothing any more."""
        await self._rest.delete(f"/v1/me/tokens/{quote(token, safe='')}")

    async def player(self, player: str) -> Player:
        """The player of that id."""
        return (await self._rest.get(f"/v1/players/{quote(player, safe='')}")).read(Player)

    # --- What is there --------------------------------------------------------------------------------

    async def games(self) -> tuple[Game, ...]:
        """What can be played."""
        return (await self._rest.get("/v1/games")).read(_Games).games

    async def game(self, name: str) -> GameDetails:
        """One game, with the schemas of its options, actions, events and view, and its texts."""
        return (await self._rest.get(f"/v1/games/{quote(name, safe='')}")).read(GameDetails)

    async def standings(
        self, game: str | None = None, *, bots: bool = True, limit: int | None = None, cursor: str | None = None
    ) -> Standings:
        """Who has played how well at public tables that are over: a page, the best first. `cursor`: its `next` leads on."""
        query = {"game": game, "bots": None if bots else "false", "limit": limit, "cursor": cursor}
        return (await self._rest.get("/v1/standings", **query)).read(Standings)

    async def keys(self) -> tuple[Key, ...]:
        """The keys that the server signs receipts with, each pinned to what it was when first seen."""
        return await self._link.keys()

    # --- Tables ---------------------------------------------------------------------------------------

    async def create_table(
        self,
        game: str,
        seats: int,
        *,
        options: Mapping[str, Any] | None = None,
        house: Mapping[str, Any] | None = None,
        visibility: str | None = None,
        name: str | None = None,
        sit: bool = True,
        key: str | None = None,
    ) -> Table:
        """A new table. With `sit` you take seat 0, and your part in the chance is sent once the seed is sealed."""
        body = {
            "game": game,
            "seats": seats,
            "options": options,
            "house": house,
            "visibility": visibility,
            "name": name,
        }
        await self._link.ready()
        reply = await self._rest.post("/v1/tables", given({**body, "sit": sit}), key=key)
        summary = reply.read(_Created).table or reply.read(Summary)
        table = self.table(summary.id)
        await table.created(reply, summary, sit=sit)
        return table

    async def tables(
        self, *, game: str | None = None, status: str | None = None, player: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Summary]:
        """The tables that you may see. `limit`: the size of a page; all pages are read, as you ask for more."""
        cursor: str | None = None
        while True:
            query = {"game": game, "status": status, "player": player, "limit": limit, "cursor": cursor}
            page = (await self._rest.get("/v1/tables", **query)).read(_Tables)
            for summary in page.tables:
                yield summary
            cursor = page.next
            if cursor is None:
                return

    async def bring_archive(self, data: bytes) -> Table:
        """Brings an archive to the server: a table that can be read there.

        Raises:
            ApiProblem: `bad_archive`, with the `line` and the `reason`.
        """
        return self.table((await self._rest.upload("/v1/archives", data)).read(Summary).id)

    def table(self, table: str) -> Table:
        """The table of that id."""
        return Table(self._link, table)
