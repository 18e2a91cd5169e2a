"""The same client without `await`: each call runs on an event loop in a thread of its own and waits for the answer.

    with Client("http://127.0.0.1:8000", token=token) as client:
        for update in client.table(table).follow():
            ...

What the calls do is said at the classes of the same names in `comitium_client`; there is one implementation.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypedDict, TypeVar, Unpack, cast

import httpx

from comitium_client import client as aio
from comitium_client.asks import Ask, Asks
from comitium_client.coding import Wire
from comitium_client.connector import Connect
from comitium_client.live import Live as AsyncLive
from comitium_client.live import Seen
from comitium_client.models import (
    Ack,
    Entry,
    Game,
    GameDetails,
    Invite,
    Key,
    Me,
    Moved,
    Player,
    Receipt,
    Registered,
    Standings,
    Summary,
    Token,
)
from comitium_client.receipts import Receipts
from comitium_client.retry import Retry
from comitium_client.session import Update
from comitium_client.table import Form
from comitium_client.table import Table as AsyncTable

__all__ = ["Client", "Live", "Table"]

T = TypeVar("T")

_END = object()


class Options(TypedDict, total=False):
    """The options of a client."""

    token: str | None
    receipts: Receipts | str | Path | None
    wire: Wire
    language: str | None
    timeout: float
    retry: Retry | None
    transport: httpx.AsyncBaseTransport | None
    connect: Connect


class Loop:
    """An event loop in a thread."""

    def __init__(self) -> None:
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._main, name="comitium-client", daemon=True)
        self._thread.start()
        self._ready.wait()

    def _main(self) -> None:
        with asyncio.Runner() as runner:  # which ends what is still running
            self._loop = runner.get_loop()
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        self._ready.set()
        await self._stop.wait()

    @property
    def running(self) -> bool:
        """Whether it was not closed."""
        return self._thread.is_alive()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Waits for the result; an interrupt cancels the work."""
        if not self.running:
            work.close()
            raise RuntimeError("The client is closed.")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        finally:
            future.cancel()

    def each(self, source: AsyncIterator[T]) -> Iterator[T]:
        """The same items, each waited for when it is asked for."""

        async def following() -> Any:
            return await anext(source, _END)

        while (item := self.run(following())) is not _END:
            yield cast("T", item)

    def close(self) -> None:
        """Ends the thread."""
        if self.running:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()


class Live:
    """A live session. Without `with` it opens by being iterated, and closes when the iteration ends."""

    def __init__(self, loop: Loop, live: AsyncLive) -> None:
        self._loop = loop
        self._live = live
        self._entered = False

    @property
    def now(self) -> Update:
        return self._live.now

    @property
    def view(self) -> dict[str, Any]:
        return self._live.view

    @property
    def asks(self) -> tuple[Ask, ...]:
        return self._live.asks

    @property
    def must(self) -> tuple[Ask, ...]:
        return self._live.must

    @property
    def since(self) -> int:
        return self._live.since

    @property
    def to_act(self) -> tuple[int, ...]:
        return self._live.to_act

    @property
    def seq(self) -> int:
        return self._live.seq

    @property
    def head(self) -> str:
        return self._live.head

    @property
    def over(self) -> bool:
        return self._live.over

    def open(self) -> None:
        self._loop.run(self._live.open())

    def close(self) -> None:
        if self._loop.running:
            self._loop.run(self._live.close())

    def act(
        self, action: str | Mapping[str, Any], /, *, key: str | None = None, if_match: int | Seen | None = "seen",
        **fields: Any,
    ) -> Ack:  # fmt: skip
        return self._loop.run(self._live.act(action, key=key, if_match=if_match, **fields))

    def __enter__(self) -> Self:
        self._loop.run(self._live.__aenter__())
        self._entered = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Update]:
        try:
            yield from self._loop.each(self._live)
        finally:
            if not self._entered:
                self.close()


class Table:
    """One table."""

    def __init__(self, loop: Loop, table: AsyncTable) -> None:
        self._loop = loop
        self._table = table
        self.id = table.id

    def __repr__(self) -> str:
        return repr(self._table)

    @property
    def receipts(self) -> tuple[Receipt, ...]:
        return self._table.receipts

    def summary(self) -> Summary:
        return self._loop.run(self._table.summary())

    def view(self, at: int | None = None, seat: int | None = None) -> dict[str, Any]:
        return self._loop.run(self._table.view(at, seat))

    def asks(self) -> Asks:
        return self._loop.run(self._table.asks())

    def log(self, after: int = 0, limit: int | None = None) -> Iterator[Entry]:
        return self._loop.each(self._table.log(after, limit))

    def entry(self, seq: int) -> Entry:
        return self._loop.run(self._table.entry(seq))

    def archive(self) -> bytes:
        return self._loop.run(self._table.archive())

    def bribes(self, form: Form = "json") -> bytes:
        return self._loop.run(self._table.bribes(form))

    def follow(self, after: int | None = None) -> Live:
        return Live(self._loop, self._table.follow(after))

    def sit(
        self, seat: int | None = None, bot: str | None = None, invite: str | None = None, *, key: str | None = None
    ) -> Moved:
        return self._loop.run(self._table.sit(seat, bot, invite, key=key))

    def rise(self, seat: int, *, key: str | None = None) -> Moved:
        return self._loop.run(self._table.rise(seat, key=key))

    def invite(self, seat: int | None = None, role: str | None = None, *, key: str | None = None) -> Invite:
        return self._loop.run(self._table.invite(seat, role, key=key))

    def uninvite(self, code: str) -> None:
        self._loop.run(self._table.uninvite(code))

    def act(
        self, action: str | Mapping[str, Any], /, *, key: str | None = None, if_match: int | Seen | None = "seen",
        **fields: Any,
    ) -> Ack:  # fmt: skip
        return self._loop.run(self._table.act(action, key=key, if_match=if_match, **fields))

    def abandon(self, *, key: str | None = None) -> Ack:
        return self._loop.run(self._table.abandon(key=key))

    def fork(
        self, at: int, *, name: str | None = None, visibility: str | None = None, sit: bool = True,
        key: str | None = None,
    ) -> "Table":  # fmt: skip
        return Table(
            self._loop, self._loop.run(self._table.fork(at, name=name, visibility=visibility, sit=sit, key=key))
        )

    def rematch(self, *, key: str | None = None) -> "Table":
        return Table(self._loop, self._loop.run(self._table.rematch(key=key)))

    def contribute(self, seat: int) -> Moved:
        return self._loop.run(self._table.contribute(seat))


class Client:
    """`with Client("http://127.0.0.1:8000", token=...) as client:`; the options are those of the other client."""

    def __init__(self, server: str, **options: Unpack[Options]) -> None:
        self._client = aio.Client(server, **options)
        self._loop = Loop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._loop.running:
            self._loop.run(self._client.close())
            self._loop.close()

    @property
    def receipts(self) -> Receipts:
        return self._client.receipts

    def register(self, name: str) -> Registered:
        return self._loop.run(self._client.register(name))

    def me(self) -> Me:
        return self._loop.run(self._client.me())

    def new_token(self, scopes: tuple[str, ...] | None = None, *, key: str | None = None) -> Token:
        return self._loop.run(self._client.new_token(scopes, key=key))

    def revoke_token(self, token: str) -> None:
        self._loop.run(self._client.revoke_token(token))

    def player(self, player: str) -> Player:
        return self._loop.run(self._client.player(player))

    def games(self) -> tuple[Game, ...]:
        return self._loop.run(self._client.games())

    def game(self, name: str) -> GameDetails:
        return self._loop.run(self._client.game(name))

    def standings(
        self, game: str | None = None, *, bots: bool = True, limit: int | None = None, cursor: str | None = None
    ) -> Standings:
        return self._loop.run(self._client.standings(game, bots=bots, limit=limit, cursor=cursor))

    def keys(self) -> tuple[Key, ...]:
        return self._loop.run(self._client.keys())

    def create_table(
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
        creating = self._client.create_table(
            game, seats, options=options, house=house, visibility=visibility, name=name, sit=sit, key=key
        )
        return Table(self._loop, self._loop.run(creating))

    def tables(
        self, *, game: str | None = None, status: str | None = None, player: str | None = None, limit: int | None = None
    ) -> Iterator[Summary]:
        return self._loop.each(self._client.tables(game=game, status=status, player=player, limit=limit))

    def bring_archive(self, data: bytes) -> Table:
        return Table(self._loop, self._loop.run(self._client.bring_archive(data)))

    def table(self, table: str) -> Table:
        return Table(self._loop, self._client.table(table))
