"""The composition root: settings to a site, a site to an application."""

import functools
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from litestar import Litestar
from litestar.config.cors import CORSConfig

from events.memory import MemoryStore
from events.receipts import SigningKey
from events.sqlite import SqliteStore
from events.store import Store
from games import Catalogue
from projections.lobby import Lobby
from server import startup
from server.accounts import open_accounts
from server.archives import Importer, Imports, keeper_at
from server.clock import Clock
from server.commands import Commands
from server.front import Front
from server.furniture import Furniture
from server.metrics import Metrics
from server.neighbours import Neighbours
from server.problems import Code
from server.rest.common import Call
from server.rest.errors import on_error
from server.rest.routes import DEPENDENCIES, ROUTES, SIGNATURE_TYPES
from server.settings import Settings
from server.site import BotHost, NoBots, Site
from server.standings import Scorer
from server.tables.bound import Bound
from server.tables.service import Tables
from server.tables.signer import Signer
from server.tables.stories import Stories
from server.vacancies import Vacancies

EXPOSED = ("ETag", "Location", "Retry-After", "Idempotency-Replayed", "WWW-Authenticate", "X-Request-Id")
"""The headers of answers that pages of other origins may read."""


async def open_store(settings: Settings) -> Store:
    """The store that the settings name.

    Raises:
        StoreError: it cannot be opened.
    """
    match settings.store_kind:
        case "memory":
            return MemoryStore()
        case "sqlite":
            return await SqliteStore.open(settings.store_path)
        case _:
            raise NotImplementedError("Redis and Valkey have no store yet; use sqlite:PATH or memory:")


def assemble(
    settings: Settings, store: Store, catalogue: Catalogue, bots: BotHost, now_ms: Callable[[], int] | None
) -> Site:
    """A site, not yet at work."""
    accounts = open_accounts(settings.accounts_at)
    key = SigningKey(accounts.signing_key().private)
    bound = Bound(settings.decision_seconds)
    tables = Tables(store, catalogue, Signer(key), bound, now_ms, settings.tables_in_memory)
    lobby = Lobby()
    commands = Commands(tables, Metrics(lobby.counts), settings)
    imports = Imports(keeper_at(settings.archives_at, settings.archives_limit), catalogue)
    site = Site(
        settings=settings, catalogue=catalogue, store=store, accounts=accounts, key=key, bound=bound, bots=bots,
        tables=tables, lobby=lobby, commands=commands, clock=Clock(commands),
        vacancies=Vacancies(commands, accounts, bots), imports=imports, importer=Importer(imports, catalogue, bound),
        stories=Stories(bound), scorer=Scorer(tables, lobby, bound.run),
        furniture=Furniture(None if settings.furniture is None else Path(settings.furniture)),
    )  # fmt: skip
    for watcher in (functools.partial(startup.note, lobby), commands.metrics.note, site.close, site.scorer.note):
        tables.watch(watcher)
    return site


@asynccontextmanager
async def running(
    settings: Settings,
    catalogue: Catalogue | None = None,
    bots: BotHost | None = None,
    store: Store | None = None,
    now_ms: Callable[[], int] | None = None,
) -> AsyncIterator[Site]:
    """A site at work: everything opened on entry, and everything durable and closed on exit."""
    store = store or await open_store(settings)
    site = assemble(settings, store, catalogue or Catalogue(), bots or NoBots(), now_ms)
    neighbours = Neighbours(site.tables, site.lobby)
    site.bound.start()
    site.clock.start()
    try:
        await startup.wake_tables(site)
        if settings.store_kind == "redis":
            neighbours.start()
        site.scorer.start()
        site.ready = True
        yield site
    finally:
        site.ready = False
        for part in (neighbours, site.clock, site.vacancies, site.scorer):
            await part.stop()
        await site.tables.settle()
        await store.close()
        site.bound.stop()
        site.accounts.close()


def build(lifespan: Callable[[], AbstractAsyncContextManager[Site]], settings: Settings) -> Litestar:
    """The application; `lifespan()` is a context manager that yields the site."""

    @asynccontextmanager
    async def hold(app: Litestar) -> AsyncIterator[None]:
        async with lifespan() as site:
            app.state.site = site
            yield

    app = Litestar(
        route_handlers=ROUTES,
        dependencies=DEPENDENCIES,
        signature_types=SIGNATURE_TYPES,
        lifespan=[hold],
        exception_handlers={Exception: on_error},
        request_class=Call,
        cors_config=cors(settings),
        openapi_config=None,
        logging_config=None,
    )

    def told(code: Code) -> None:
        """The front tells a problem of its own; there is a site by then."""
        app.state.site.commands.metrics.problem(code)

    app.asgi_handler = Front(app.asgi_handler, told)
    return app


def cors(settings: Settings) -> CORSConfig | None:
    """What pages of other origins may do."""
    if not settings.cors_origins:
        return None
    return CORSConfig(allow_origins=list(settings.cors_origins), expose_headers=list(EXPOSED))
