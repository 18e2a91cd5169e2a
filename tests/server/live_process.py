"""A server in a process of its own, as it is run for good, and its log as anybody reads it."""

import asyncio
import os
import socket
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import msgspec

from events.chain import advance, check_reading
from events.entry import Reading

ROOT = Path(__file__).parents[2]

SERVE = "from server.serve import serve; serve()"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class House:
    """A server in a process of its own, over one file."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.http = httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}", timeout=30, trust_env=False)
        self.process = None

    async def start(self, before="", **more):
        """Starts it, after the code `before`; with `more` in its environment."""
        env = {
            **os.environ,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'clients' / 'python'}",
            "COMITIUM_STORE": f"sqlite:{self.folder / 'log.sqlite'}",
            "COMITIUM_PORT": str(self.port),
            "COMITIUM_UNSAFE_UNLIMITED": "true",
            "COMITIUM_EXTRA_GAMES": "tests.games.sample_plain",
            "COMITIUM_LOG_LEVEL": "warning",
            **more,
        }
        command = [sys.executable, "-c", before + SERVE]
        self.process = await asyncio.create_subprocess_exec(*command, cwd=self.folder, env=env)
        while True:
            assert self.process.returncode is None, "the server ended at once"
            try:
                if (await self.http.get("/readyz")).status_code == 200:
                    return
            except httpx.TransportError:
                await asyncio.sleep(0.05)

    async def gone(self):
        await self.process.wait()
        return self.process.returncode

    async def kill(self):
        self.process.kill()
        await self.gone()

    async def post(self, token, path, body, **headers):
        names = {
            "Authorization": f"Bearer {token}",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        return await self.http.post(path, json=body, headers=names)

    async def log(self, token, table):
        """All entries, checked by their chain."""
        names, found, head = {"Authorization": f"Bearer {token}"}, [], bytes(32)
        while True:
            path = f"/v1/tables/{table}/log?after={len(found)}&limit=1000"
            answer = await self.http.get(path, headers=names)
            page = msgspec.json.decode(answer.content, type=Page)
            for each in page.entries:
                check_reading(each.reading(), head)
                head = advance(head, bytes.fromhex(each.leaf))
            found += page.entries
            if len(found) == page.seq:
                return found

    async def table(self, seats, game="straws"):
        """A table with new people: its id, and their tokens."""
        answers = [await self.post("x", "/v1/players", {"name": f"P{n}"}, Authorization="") for n in range(seats)]
        tokens = [answer.json()["token"] for answer in answers]
        opened = await self.post(tokens[0], "/v1/tables", {"game": game, "seats": seats})
        table = opened.json()["table"]["id"]
        for token in tokens[1:]:
            assert (await self.post(token, f"/v1/tables/{table}/seats", {})).status_code == 201
        return table, tokens


class Line(msgspec.Struct):
    """An entry of a log page, with its bytes as they came."""

    seq: int
    version: str
    salt: str
    commits: dict[str, str]
    leaf: str
    head: str
    entry: msgspec.Raw

    def reading(self):
        commits = {name: bytes.fromhex(value) for name, value in self.commits.items()}
        salt, leaf, head = (bytes.fromhex(value) for value in (self.salt, self.leaf, self.head))
        return Reading(self.seq, self.version, bytes(self.entry), salt, commits, leaf, head)

    @property
    def text(self):
        return msgspec.json.decode(self.entry)["action"].get("text")


class Page(msgspec.Struct):
    entries: list[Line]
    seq: int


@asynccontextmanager
async def house(folder):
    found = House(folder)
    try:
        yield found
    finally:
        await found.http.aclose()
        if found.process is not None and found.process.returncode is None:
            await found.kill()
