"""Runs the application under uvicorn, with the settings that were measured to be right (docs/performance.md)."""

import asyncio
import functools
import os
from collections.abc import Callable

import uvicorn

from games import Catalogue, with_extras
from server.app import build, running
from server.settings import Settings
from server.site import BotHost


def server_for(settings: Settings, catalogue: Catalogue | None = None, bots: BotHost | None = None) -> uvicorn.Server:
    """A server that is not yet running."""
    app = build(functools.partial(running, settings, catalogue, bots), settings)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        loop="uvloop",
        http="httptools",
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        ws_max_size=settings.body_limit,
        ws_ping_interval=settings.keepalive_seconds,
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=round(settings.shutdown_seconds),
        log_config=None,
        server_header=False,
    )
    return uvicorn.Server(config)


def serve(settings: Settings | None = None, started: Callable[[], None] | None = None) -> None:
    """Serves until it is told to stop."""
    settings = settings or Settings.load(os.environ)
    server_for(settings, with_extras(os.environ.get("COMITIUM_EXTRA_GAMES", ""))).run()
    if started is not None:
        started()


__all__ = ["asyncio", "serve", "server_for"]
