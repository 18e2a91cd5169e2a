"""Who is measured: how each is started, what its sockets speak, and what a row of it means."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import msgspec

from bench.boardgame import open_matches, serve_boardgame
from bench.dialects import Door
from bench.house import open_tables, serve_ours
from bench.servers import Server, serve

Group = str


class Contender(msgspec.Struct, frozen=True):
    """One row. `doors` opens that many tables of that many seats on the port; without it the load opens `game`s."""

    name: str
    group: Group
    label: str
    dialect: str
    start: Callable[[Path], AbstractContextManager[Server]]
    doors: Callable[[int, int, int], list[Door]] | None
    share: float = 0.5
    game: str = ""


@contextmanager
def serve_echo(folder: Path) -> Iterator[Server]:
    """A bare echo over the web stack of our server."""
    with serve([sys.executable, "-m", "bench.peers.echo", "PORT"], folder) as server:
        yield server


def echo_doors(path: str, _: int, tables: int, seats: int) -> list[Door]:
    return [Door(table, seat, f"/{path}/{table}") for table in range(tables) for seat in range(seats)]


def tally(port: int, tables: int, seats: int) -> list[Door]:
    return open_tables(port, "tally", tables, seats)


MEMORY, FLAT = partial(serve_boardgame, flat=False), partial(serve_boardgame, flat=True)

CONTENDERS = (
    Contender("tally", "ours", "Comitium, SQLite, tally", "ours", serve_ours, tally),
    Contender("keyed", "ours", "the same, every command with an idempotency key", "kept", serve_ours, tally, 0.0),
    Contender("tribunal", "ours", "the same, Tribunal at play", "play", serve_ours, None, 0.0, "tribunal"),
    Contender("echo", "echo", "bare echo, same web stack", "echo", serve_echo, partial(echo_doors, "echo")),
    Contender(
        "echo_all", "echo", "the same, echo to the whole table", "echo_all", serve_echo, partial(echo_doors, "all")
    ),
    Contender("memory", "boardgame", "boardgame.io, in memory", "boardgame", MEMORY, open_matches),
    Contender("strict", "boardgame", "the same, stale moves dropped", "strict", MEMORY, open_matches, 0.0),
    Contender("flat", "boardgame", "boardgame.io, flat files", "boardgame", FLAT, open_matches),
)
