"""boardgame.io as a peer: installed once with npm into a scratch folder, started fresh for every measurement."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from bench.dialects import Door
from bench.rest import Rest
from bench.servers import ROOT, Server, serve

SOURCE = ROOT / "bench" / "peers" / "boardgame"
SCRATCH = ROOT / ".bench" / "boardgame"
PINNED = {"boardgame.io": "0.50.2", "node-persist": "3.1.0", "koa-compose": "4.1.0"}
SHOWN = [*PINNED, "koa", "socket.io", "ws"]


class Missing(Exception):  # noqa: N818  (why the peer is not there)
    """The peer cannot be measured on this machine."""


class Package(msgspec.Struct, frozen=True):
    version: str


def install() -> None:
    """Put the peer into the scratch folder, unless it is there.

    Raises:
        Missing: no node or npm here, or the packages cannot be had.
    """
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise Missing(f"{program} is not installed")
    SCRATCH.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "server.js"):
        shutil.copy(SOURCE / name, SCRATCH)
    if versions(*PINNED) == PINNED:
        return
    command = ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"]
    done = subprocess.run(command, cwd=SCRATCH, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode or versions(*PINNED) != PINNED:
        raise Missing(f"npm install failed: {done.stderr.strip()[-300:] or versions(*PINNED)}")


def versions(*names: str) -> dict[str, str]:
    """What is installed of those packages."""
    found = {}
    for name in names:
        file = SCRATCH / "node_modules" / name / "package.json"
        if file.exists():
            found[name] = msgspec.json.decode(file.read_bytes(), type=Package).version
    return found


@contextmanager
def serve_boardgame(folder: Path, *, flat: bool) -> Iterator[Server]:
    """Its server, in memory or with its flat-file store."""
    install()
    store = [str(folder / "flat")] if flat else []
    command = ["node", str(SCRATCH / "server.js"), "PORT", *store]
    with serve(command, folder, {"NODE_ENV": "production"}) as server:
        yield server


def open_matches(port: int, tables: int, seats: int) -> list[Door]:
    """Matches, opened and joined over its lobby."""
    rest = Rest(port)
    doors = []
    for table in range(tables):
        match = str(rest.post("/games/tally/create", {"numPlayers": seats})["matchID"])
        for seat in range(seats):
            joined = rest.post(f"/games/tally/{match}/join", {"playerID": str(seat), "playerName": f"Player {seat}"})
            secret = str(joined["playerCredentials"])
            doors.append(Door(table, seat, "/socket.io/?EIO=4&transport=websocket", {}, match, secret))
    rest.close()
    return doors
