"""Servers for tests, and people who use them: one in this process without a network, one behind a real port.

    livia, marcus = rest.person("Livia"), rest.person("Marcus")
    table = rest.table(livia, marcus)                      # a game of straws, playing
    livia.post(f"{table}/actions", json={"type": "keep"})

Every answer is held to the OpenAPI document. Both know three games: tribunal, and from tests/games harbour (chips, windows, secrets) and straws (small).
"""

import asyncio
import functools
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, ClassVar, Self, TypeVar

import httpx
from litestar import Litestar

from events.store import Store
from games import Catalogue, tribunal
from server.app import build, running
from server.serve import server_for
from server.settings import Settings
from server.site import BotHost, Site
from tests.games import sample, sample_plain
from tests.server import contract

GAMES = (tribunal, sample, sample_plain)

T = TypeVar("T")


class Person:
    """Somebody who calls a server, with a token or (without an id) without one."""

    def __init__(self, server: "Server", player: str = "", token: str = "", name: str = "") -> None:
        self.id, self.token, self.name = player, token, name
        self._server = server

    def request(self, method: str, path: str, **kwargs: Any) -> httpx.Response:
        headers = httpx.Headers(kwargs.pop("headers", None))
        if self.token:
            headers.setdefault("authorization", f"Bearer {self.token}")
        return self._server.request(method, path, headers=headers, **kwargs)

    get = functools.partialmethod(request, "GET")
    post = functools.partialmethod(request, "POST")
    delete = functools.partialmethod(request, "DELETE")

    def view(self, table: str, **params: Any) -> dict[str, Any]:
        """What the person sees at the table."""
        return said(self.get(f"{table}/view", params=params))

    def act(self, table: str, kind: str, **fields: Any) -> httpx.Response:
        """An action."""
        return self.post(f"{table}/actions", json={"type": kind, **fields})


class Server:
    """What both kinds of server have in common."""

    site: Site
    app: Litestar

    def request(self, method: str, path: str, **kwargs: Any) -> httpx.Response:
        raise NotImplementedError

    @property
    def nobody(self) -> Person:
        """Somebody without a token."""
        return Person(self)

    def person(self, name: str, *scopes: str) -> Person:
        """A player who has just registered; with scopes, somebody to whom the operator gave a token."""
        if scopes:
            made = self.site.accounts.register(name, scopes)
            return Person(self, made.player, made.token, name)
        found = said(self.nobody.post("/v1/players", json={"name": name}), 201)
        return Person(self, found["id"], found["token"], name)

    def people(self, *names: str) -> list[Person]:
        return [self.person(name) for name in names]

    def table(self, creator: Person, *others: Person, game: str = "straws", **fields: Any) -> str:
        """The path of a new table with these people in its seats, in their order; it plays when they fill it."""
        wanted = {"game": game, "seats": max(2, 1 + len(others)), **fields}
        path = f"/v1/tables/{said(creator.post('/v1/tables', json=wanted), 201)['table']['id']}"
        for seat, other in enumerate(others, 1):
            invite = self._invite(creator, path) if wanted.get("visibility") == "private" else {}
            said(other.post(f"{path}/seats", json={"seat": seat, **invite}), 201)
        return path

    def _invite(self, creator: Person, path: str) -> dict[str, str]:
        return {"invite": said(creator.post(f"{path}/invites", json={}), 201)["code"]}

    def played(self, *people: Person, **fields: Any) -> str:
        """The path of a game of straws that is over."""
        path = self.table(*people, **fields)
        for person in people:
            said(person.act(path, "keep"), 201)
        return path


class Stand:
    """An application that one server after the other may use: to make one takes longer than most tests."""

    _all: ClassVar[list["Stand"]] = []

    def __init__(self, settings: Settings) -> None:
        self.site: Callable[[], AbstractAsyncContextManager[Site]] | None = None
        self.origins = settings.cors_origins
        self.app = build(self._open, settings)

    def _open(self) -> AbstractAsyncContextManager[Site]:
        assert self.site is not None
        return self.site()

    @classmethod
    def free(cls, settings: Settings) -> "Stand":
        for each in cls._all:
            if each.site is None and each.origins == settings.cors_origins:
                return each
        cls._all.append(cls(settings))
        return cls._all[-1]

    def leave(self) -> None:
        self.site = None


class Rest(Server):
    """A server in this process. Its event loop runs while a request (or `run`) is under way."""

    def __init__(self, settings: Settings, bots: BotHost | None = None, store: Store | None = None) -> None:
        self._stand = Stand.free(settings)
        self._stand.site = functools.partial(running, settings, Catalogue(GAMES), bots, store)
        self.app = self._stand.app
        self.runner = asyncio.Runner()
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.app, raise_app_exceptions=False), base_url="http://comitium.test"
        )

    def __enter__(self) -> Self:
        self._stop = asyncio.Event()
        self._life = self.run(self._start())
        self.site = self.app.state.site
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self.run(self.client.aclose())
        self.run(_end(self._life))
        self.runner.close()
        self._stand.leave()

    async def _start(self) -> asyncio.Task[None]:
        started = asyncio.Event()
        life = asyncio.create_task(self._live(started))
        await asyncio.wait((life, asyncio.create_task(started.wait())), return_when=asyncio.FIRST_COMPLETED)
        if life.done():
            await life
        return life

    async def _live(self, started: asyncio.Event) -> None:
        """Opens and closes in one task, as Litestar wants it."""
        async with self.app.lifespan():
            started.set()
            await self._stop.wait()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def request(self, method: str, path: str, **kwargs: Any) -> httpx.Response:
        answer = self.run(self.client.request(method, path, **kwargs))
        contract.check(answer)
        return answer

    def together(self, *calls: Coroutine[Any, Any, T]) -> list[T]:
        """All of them at the same time; see `Rest.calling`."""

        async def all_of_them() -> list[T]:
            return await asyncio.gather(*calls)

        return self.run(all_of_them())

    def calling(self, who: Person, method: str, path: str, **kwargs: Any) -> Coroutine[Any, Any, httpx.Response]:
        """A request that is still to be made."""
        headers = {"authorization": f"Bearer {who.token}", **kwargs.pop("headers", {})}
        return self.client.request(method, path, headers=headers, **kwargs)


async def _end(life: asyncio.Task[None]) -> None:
    await life


class Served(Server):
    """A server as it is run for good, under uvicorn, on a free port of the loopback; in a thread."""

    def __init__(self, settings: Settings, bots: BotHost | None = None) -> None:
        self.uvicorn = server_for(settings, Catalogue(GAMES), bots)
        self.thread = threading.Thread(target=self.uvicorn.run, name="served", daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        end = time.monotonic() + 20
        while not self.uvicorn.started:
            assert self.thread.is_alive(), "the server ended at once"
            assert time.monotonic() < end, "the server does not start"
            time.sleep(0.01)
        self.port: int = self.uvicorn.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.socket_url = f"ws://127.0.0.1:{self.port}"
        self.app = self.uvicorn.config.app
        self.site = self.app.state.site
        self.client = httpx.Client(base_url=self.url, timeout=20, trust_env=False)
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
        self.uvicorn.should_exit = True
        self.thread.join(20)
        assert not self.thread.is_alive(), "the server does not stop"

    def request(self, method: str, path: str, **kwargs: Any) -> httpx.Response:
        answer = self.client.request(method, path, **kwargs)
        contract.check(answer)
        return answer


def said(answer: httpx.Response, status: int = 200) -> Any:
    """The body of an answer that must have this status."""
    assert answer.status_code == status, (answer.status_code, answer.text)
    return answer.json()


def problem(answer: httpx.Response, code: str) -> dict[str, Any]:
    """The problem document that the answer must be."""
    assert answer.headers["content-type"].startswith("application/problem+json"), answer.text
    found: dict[str, Any] = answer.json()
    assert found["code"] == code, found
    assert found["type"] == f"/problems/{code}"
    assert found["status"] == answer.status_code
    assert found["title"]
    assert found["detail"]
    return found
