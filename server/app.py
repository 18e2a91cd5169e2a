"""The composition root: settings to a site, a site to an application."""

import functools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from litestar import Litestar, Request, Response, Router
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.openapi.config import OpenAPIConfig

from events.memory import MemoryStore
from events.receipts import SigningKey
from events.sqlite import SqliteStore
from events.store import Store
from games import Catalogue
from projections.lobby import Lobby, glance, summary
from server.accounts import open_accounts
from server.callers import Caller
from server.clock import Clock
from server.commands import Commands
from server.metrics import Metrics
from server.problems import MEDIA_TYPE, Code, Problem, language_of
from server.refusals import problem_of
from server.rest import games, live, meta, play, players, seats, tables
from server.rest.common import caller_of
from server.settings import Settings
from server.site import BotHost, NoBots, Site
from server.tables.bound import Bound
from server.tables.history import Step
from server.tables.live import LiveTable
from server.tables.service import Tables
from server.tables.signer import Signer

PAGE = 1000


def open_store(settings: Settings) -> Store:
    """The store that the settings name.

    Raises:
        StoreError: it cannot be opened.
    """
    match settings.store_kind:
        case "memory":
            return MemoryStore()
        case "sqlite":
            return SqliteStore(settings.store_path)
        case _:
            raise NotImplementedError("Redis and Valkey have no store yet; use sqlite:PATH or memory:")


@asynccontextmanager
async def running(
    settings: Settings,
    catalogue: Catalogue | None = None,
    bots: BotHost | None = None,
    store: Store | None = None,
) -> AsyncIterator[Site]:
    """A site at work: everything opened on entry, and everything durable and closed on exit."""
    store = store or open_store(settings)
    accounts = open_accounts(settings.accounts_at)
    signer = Signer(SigningKey(accounts.signing_key().private))
    bound = Bound(settings.decision_seconds)
    served = Tables(store, catalogue or Catalogue(), signer, bound)
    commands = Commands(served, Metrics(), settings)
    lobby = Lobby()
    clock = Clock(served)
    site = Site(settings, served.catalogue, store, accounts, served, lobby, clock, commands, bots or NoBots())
    served.watch(functools.partial(_note, lobby))
    bound.start()
    clock.start()
    try:
        await _read_lobby(site)
        site.ready = True
        yield site
    finally:
        site.ready = False
        await clock.stop()
        await store.close()
        signer.close()
        bound.stop()
        accounts.close()


def _note(lobby: Lobby, live: LiveTable, step: Step) -> None:
    before = lobby.get(live.id)
    opened = step.after.table.at if before is None else before.created
    lobby.put(summary(step.after.table, step.after.head, opened))


async def _read_lobby(site: Site) -> None:
    """Reads every table's line from the log, and wakes those whose clock runs."""
    newest: dict[str, int] = {}
    position = 0
    while items := await site.store.feed(0, position, PAGE):
        newest.update((item.table, item.seq) for item in items)
        position = items[-1].position
    for table in newest:
        await _read_line(site, table)


async def _read_line(site: Site, table: str) -> None:
    seen, opened, after, head = None, 0, 0, b""
    while entries := await site.store.read(table, after, PAGE):
        for entry in entries:
            seen = glance(seen, entry.seq, entry.versions.get("public", entry.versions["full"]))
            opened = opened or seen.at
            after, head = entry.seq, entry.head
    if seen is not None:
        site.lobby.put(summary(seen, head, opened))
        house = seen.record.house
        if seen.status == "playing" and (house.move_seconds is not None or house.absent == "chance"):
            site.clock.look(await site.tables.load(table))


def build(lifespan: Callable[[], Any], settings: Settings) -> Litestar:
    """The application; `lifespan()` is a context manager that yields the site."""

    @asynccontextmanager
    async def hold(app: Litestar) -> AsyncIterator[None]:
        async with lifespan() as site:
            app.state.site = site
            yield

    def site_of(state: State) -> Site:
        site: Site = state.site
        return site

    def caller(request: Request[Any, Any, Any], site: Site) -> Caller:
        return caller_of(request, site)

    v1 = Router("/v1", route_handlers=[m.routes for m in (players, games, tables, seats, play, live)])
    return Litestar(
        route_handlers=[v1, meta.routes],
        dependencies={
            "site": Provide(site_of, sync_to_thread=False),
            "caller": Provide(caller, sync_to_thread=False),
        },
        lifespan=[hold],
        exception_handlers={Exception: on_error},
        request_max_body_size=settings.body_limit,
        cors_config=cors(settings),
        openapi_config=OpenAPIConfig(title="Comitium", version="1", path="/", render_plugins=[]),
        signature_types=[Site, Caller],
    )


def cors(settings: Settings) -> CORSConfig | None:
    """What pages of other origins may do."""
    if not settings.cors_origins:
        return None
    return CORSConfig(
        allow_origins=list(settings.cors_origins),
        expose_headers=["ETag", "Location", "Retry-After", "Idempotency-Replayed"],
    )


STATUS_PROBLEMS: dict[int, Code] = {
    400: "malformed",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "too_large",
    415: "unsupported_media_type",
    422: "invalid",
    429: "rate_limited",
}


def on_error(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """Every error as a problem document."""
    if isinstance(error, HTTPException) and error.status_code in STATUS_PROBLEMS:
        problem = Problem(STATUS_PROBLEMS[error.status_code], _detail(error), headers=error.headers)
    else:
        problem = problem_of(error)
    language = language_of(request.headers.get("accept-language"))
    return Response(
        problem.document(language), status_code=problem.status, media_type=MEDIA_TYPE, headers=problem.headers
    )


def _detail(error: HTTPException) -> str | None:
    """What Litestar says about a body or parameter that does not fit; not what it says about paths."""
    if error.status_code != 400:
        return None
    extra = error.extra if isinstance(error.extra, list) else []
    parts = [
        f"{item.get('key', '')}: {item.get('message', '')}".strip(": ") for item in extra if isinstance(item, dict)
    ]
    return "; ".join(parts) or str(error.detail)
