"""Runs the application under uvicorn, with the settings that were measured to be right (docs/performance.md)."""

import asyncio
import functools
import gc
import math
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass

import uvicorn
from litestar import Litestar

from games import Catalogue, with_extras
from server import logs
from server.app import build, running
from server.graceful import Patient, Server
from server.guarded import Guarded
from server.settings import Settings
from server.site import BotHost, Site

FRAME_FACTOR = 4
"""A socket frame beyond the limit is answered with a problem; one so many times as large ends the connection."""

TICK = 0.01

GC_THRESHOLDS = (50_000, 20, 50)
"""Positions and entries hold no cycles, so looking for some after every 700 new objects only costs."""

SWITCH_SECONDS = 0.0005
"""How long the log's writer waits for a busy event loop to let it run: with the default, 5 ms, it is mostly waiting."""


def server_for(settings: Settings, catalogue: Catalogue | None = None, bots: BotHost | None = None) -> Server:
    """A server that is not yet running. What it logs goes where `logs.set_up` says, as one line a request of ours."""
    return server_of(build(functools.partial(running, settings, catalogue, bots), settings), settings)


def server_of(app: Litestar, settings: Settings, kind: type[Server] = Server) -> Server:
    """The same for an application that was built otherwise."""
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        loop="uvloop",
        http=Guarded,
        ws=Patient,
        ws_per_message_deflate=False,
        ws_max_size=FRAME_FACTOR * settings.body_limit,
        ws_ping_interval=settings.keepalive_seconds,
        access_log=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        lifespan="on",
        timeout_graceful_shutdown=math.ceil(settings.shutdown_seconds),
        log_config=None,
        log_level=None,
        server_header=False,
    )
    return kind(config, lambda: getattr(app.state, "site", None))


# --- A server in an event loop that is there already --------------------------------------------------


class Tenant(Server):
    """Leaves the signals to the owner of the event loop."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@dataclass(frozen=True)
class Served:
    """A server at work. `task` ends when it has been told to stop and has stopped."""

    url: str
    site: Site
    app: Litestar
    server: uvicorn.Server
    task: "asyncio.Task[None]"

    @property
    def is_open(self) -> bool:
        """Whether it takes requests."""
        return self.site.ready and self.server.started


@asynccontextmanager
async def serving(
    settings: Settings, catalogue: Catalogue | None = None, bots: BotHost | None = None
) -> AsyncIterator[Served]:
    """Serves in this event loop as long as the context lasts.

    Raises:
        OSError: it cannot listen there.
        StoreError: the log cannot be opened.
        AccountsFileError: the accounts cannot.
    """
    with listen(settings.host, settings.port) as listener:
        async with running(settings, catalogue, bots) as site:
            app = build(lambda: nullcontext(site), settings)
            server = server_of(app, settings, Tenant)
            task = asyncio.ensure_future(server.serve([listener]))
            try:
                while not server.started and not task.done():  # noqa: ASYNC110  (uvicorn has nothing to wait for)
                    await asyncio.sleep(TICK)
                yield Served(url_of(settings.host, listener), site, app, server, task)
            finally:
                server.should_exit = True
                await task


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there.

    Raises:
        OSError: somebody else does, or there is no such address here.
    """
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    return socket.create_server(address, family=family, backlog=2048)


def url_of(host: str, listener: socket.socket) -> str:
    """The address to reach it by, with the port that it really got."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{listener.getsockname()[1]}"


# --- A process of its own -----------------------------------------------------------------------------


def serve(
    settings: Settings | None = None,
    bots: BotHost | None = None,
    started: Callable[[Served], None] = lambda _: None,
) -> None:
    """Serves until it is told to stop. `started` is told once it takes requests.

    Raises:
        OSError, StoreError, AccountsFileError: as for `serving`.
    """
    settings = settings or Settings.load(os.environ)
    logs.set_up(settings.log_level, settings.log_format)
    _tune()
    catalogue = with_extras(os.environ.get("COMITIUM_EXTRA_GAMES", ""))
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(settings, catalogue, bots, started))


def _tune() -> None:
    """Settings of the interpreter that were measured to matter under load (docs/performance.md)."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    try:
        import uvloop  # noqa: PLC0415  (there is none for Windows)
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop


async def _serve(
    settings: Settings, catalogue: Catalogue, bots: BotHost | None, started: Callable[[Served], None]
) -> None:
    async with serving(settings, catalogue, bots) as served:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, served.server.handle_exit)
        started(served)
        await asyncio.wait({served.task})
