"""A client that nobody wrote: generated from /openapi.json while the test runs, imported, and played with.

The generator is openapi-python-client. It knows no MessagePack, so it says that it passes over that media type; it must
have nothing else to say.
"""

import importlib
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.server.harness import Served

PATIENCE = 120
"""Seconds after which a generator that hangs is ended."""

SETTINGS = "post_hooks: []\n"
"""The generated files are read by Python alone: they need no formatter."""


class Generated:
    """The client of a document, in a package of its own."""

    def __init__(self, package: str, document: dict[str, Any]) -> None:
        self.open = ExitStack()
        self.operations: dict[str, ModuleType] = {}
        self.models: Any = importlib.import_module(f"{package}.models")
        self.clients: Any = importlib.import_module(f"{package}.client")
        for methods in document["paths"].values():
            for operation in methods.values():
                name = re.sub(r"([A-Z])", r"_\1", operation["operationId"]).lower()
                path = f"{package}.api.{operation['tags'][0]}.{name}"
                self.operations[operation["operationId"]] = importlib.import_module(path)

    def anonymous(self, url: str) -> Any:
        return self._opened(self.clients.Client(base_url=url, httpx_args={"trust_env": False}))

    def known(self, url: str, token: str) -> Any:
        found = self.clients.AuthenticatedClient(base_url=url, token=token, httpx_args={"trust_env": False})
        return self._opened(found)

    def _opened(self, client: Any) -> Any:
        return self.open.enter_context(client)

    def call(self, operation: str, status: int, client: Any, *path: Any, **arguments: Any) -> Any:
        """What the operation's answer was read as."""
        answer = self.operations[operation].sync_detailed(*path, client=client, **arguments)
        assert answer.status_code == status, answer.content
        return answer.parsed


def generate(folder: Path, document: dict[str, Any]) -> str:
    """Writes the package `generated` into the folder; what the generator said meanwhile."""
    (folder / "openapi.json").write_text(json.dumps(document), "utf-8")
    (folder / "settings.yml").write_text(SETTINGS, "utf-8")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    files = ["--path", "openapi.json", "--config", "settings.yml", "--output-path", "generated"]
    done = subprocess.run([*command, *files], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def generated(served: Served, tmp_path, monkeypatch) -> Iterator[Generated]:
    document = served.nobody.get("/openapi.json").json()
    said = generate(tmp_path, document)
    remarks = re.findall(r"^(?:WARNING|ERROR) .*\n+(.*)$", said, re.MULTILINE)
    assert set(remarks) <= {"Unsupported content type application/msgpack"}, said
    monkeypatch.syspath_prepend(tmp_path)
    found = Generated("generated", document)
    with found.open:
        yield found
    for name in [name for name in sys.modules if name.partition(".")[0] == "generated"]:
        del sys.modules[name]


def check_operations(generated: Generated, document: dict[str, Any]) -> None:
    """Each operation is there, and takes what the document tells of; a token where it needs one."""
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    for operation in operations:
        found = inspect.signature(generated.operations[operation["operationId"]].sync_detailed).parameters
        told = {each["name"].lower().replace("-", "_") for each in operation["parameters"]}
        body = {"body"} if "requestBody" in operation else set()
        assert set(found) == {"client"} | told | body, operation["operationId"]
        if operation["security"] and {} not in operation["security"]:
            assert found["client"].annotation is generated.clients.AuthenticatedClient


def test_a_game_is_played_with_a_client_that_was_generated_from_the_document(served, generated):
    url, models = served.url, generated.models
    check_operations(generated, served.nobody.get("/openapi.json").json())

    anonymous = generated.anonymous(url)
    names = [game.game for game in generated.call("listGames", 200, anonymous).games]
    assert "straws" in names
    people = [
        generated.call("registerPlayer", 201, anonymous, body=models.NewPlayer(name=name))
        for name in ("Livia", "Marcus")
    ]
    livia, marcus = (generated.known(url, person.token) for person in people)
    assert generated.call("getMe", 200, livia).name == "Livia"

    made = generated.call("openTable", 201, livia, body=models.NewTable(game="straws", seats=2))
    table = made.table.id
    assert made.table.status == "open"
    took = generated.call("takeSeat", 201, marcus, table, body=models.TakeSeat(seat=1), idempotency_key="sit")
    assert took.seat == 1
    again = generated.call("takeSeat", 201, marcus, table, body=models.TakeSeat(seat=1), idempotency_key="sit")
    assert again.head == took.head

    for client in (livia, marcus):
        asked = generated.call("getAsks", 200, client, table)
        assert "keep" in [ask.type_ for ask in asked.asks]
        done = generated.call("act", 201, client, table, body=models.Action(type_="keep"), if_match=f'"{asked.since}"')
        assert done.receipt.table == table
        assert done.receipt.seq == done.seq
    refused = generated.call("act", 409, livia, table, body=models.Action(type_="keep"))
    assert refused.code == "ended"
    assert generated.call("getAsks", 401, generated.known(url, "cmt_none"), table).code == "unauthorized"

    view = generated.call("getView", 200, marcus, table)
    assert (view.seat, view.status, view.seq) == (1, "ended", done.seq)
    assert view.result.winners
    page = generated.call("getLog", 200, anonymous, table, after=1, limit=2)
    assert [entry.seq for entry in page.entries] == [2, 3]
    assert page.head == done.head
    assert generated.call("getEntry", 200, livia, table, done.seq).head == done.head
    listed = generated.call("listTables", 200, anonymous, game="straws")
    assert [(line.id, line.seq) for line in listed.tables] == [(table, done.seq)]
    assert generated.call("getTable", 200, anonymous, table).status == "ended"
    assert generated.call("forgetMe", 204, marcus) is None
