"""Our server with tables to measure: players registered, tables full, a door for every seat."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.dialects import Door
from bench.frames import Broken
from bench.rest import Rest
from bench.servers import PATIENCE, Server, Unstarted, serve

ENV = {"COMITIUM_UNSAFE_UNLIMITED": "true", "COMITIUM_EXTRA_GAMES": "bench.tally"}
COMITIUM = [sys.executable, "-c", "from cli import main; main()"]
"""The command, by the same Python as runs the bench."""
COMMAND = [*COMITIUM, "serve", "--host", "127.0.0.1", "--port", "PORT", "--store"]


@contextmanager
def serve_ours(folder: Path) -> Iterator[Server]:
    """Our server as anybody starts it, but for its rate limits."""
    with serve([*COMMAND, f"sqlite:{folder / 'bench.sqlite'}"], folder, ENV) as server:
        await_ready(server.port)
        yield server


def await_ready(port: int) -> None:
    """Return once it says that it is ready."""
    until, rest = time.monotonic() + PATIENCE, Rest(port)
    while True:
        try:
            rest.get("/readyz")
        except (Broken, OSError) as problem:
            if time.monotonic() > until:
                raise Unstarted(str(problem)) from problem
            rest.close()
            time.sleep(0.1)
        else:
            rest.close()
            return


def tokens(rest: Rest, count: int) -> list[str]:
    """New players, by their tokens."""
    return [str(rest.post("/v1/players", {"name": f"Player {n}"})["token"]) for n in range(count)]


def open_table(rest: Rest, game: str, seated: list[str], table: int) -> list[Door]:
    """A table with those players, which starts by itself when the last has sat down."""
    made = rest.post("/v1/tables", {"game": game, "seats": len(seated)}, seated[0])
    name = str(made["receipt"]["table"])
    for seat, token in enumerate(seated[1:], 1):
        rest.post(f"/v1/tables/{name}/seats", {"seat": seat}, token)
    path = f"/v1/tables/{name}/live"
    return [
        Door(table, seat, path, {"Authorization": f"Bearer {token}"}, name, token) for seat, token in enumerate(seated)
    ]


def open_tables(port: int, game: str, tables: int, seats: int) -> list[Door]:
    """Tables of that game, each with players of its own."""
    rest = Rest(port)
    doors = [door for table in range(tables) for door in open_table(rest, game, tokens(rest, seats), table)]
    rest.close()
    return doors
