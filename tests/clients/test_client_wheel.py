"""The client's wheel alone: with the dependencies that it declares and nothing else, it plays at a server."""

import os
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from server.settings import Settings
from tests.server.harness import Served

PROJECT = Path(__file__).parents[2] / "clients" / "python"

PATIENCE = 180
"""Seconds after which a test that hangs is ended."""

GAME = """
import random, sys
from comitium_client import Ended, random_action
from comitium_client.sync import Client

url, rng = sys.argv[1], random.Random(7)
with Client(url, wire=sys.argv[2]) as livia, Client(url, wire=sys.argv[2]) as marcus:
    livia.register("Livia")
    marcus.register("Marcus")
    table = livia.create_table("straws", 2)
    other = marcus.table(table.id)
    other.sit()
    for own in (table, other):
        with own.follow() as live:
            live.act("say", text="Salvete!")
            live.act(random_action(live.must, rng, live.view["windows"]))
    try:
        table.act("keep")
        print("was allowed too much")
    except Ended as refused:
        print(refused.code, end=" ")
    entries = list(table.log())
    summary = table.summary()
    print(table.view()["status"], len(entries) == summary.seq, entries[-1].head == summary.head, len(table.receipts) > 3)
"""


def needed(wheel: Distribution) -> list[Distribution]:
    """What the wheel requires, and what that requires in turn."""
    found: dict[str, Distribution] = {}
    open_ones = [wheel]
    while open_ones:
        for text in open_ones.pop().requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                each = distribution(requirement.name)
                if each.name not in found:
                    found[each.name] = each
                    open_ones.append(each)
    return list(found.values())


def link(each: Distribution, folder: Path) -> None:
    """The distribution's packages and modules stand in the folder, too."""
    for top in {file.parts[0] for file in each.files or ()} - {"..", "__pycache__"}:
        target, place = Path(str(each.locate_file(top))), folder / top
        if target.exists() and not place.exists():
            place.symlink_to(target)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A Python in an environment of its own that sees the wheel and what it declares."""
    folder = tmp_path_factory.mktemp("client")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=PROJECT, check=True, capture_output=True, timeout=PATIENCE)
    (wheel,) = folder.glob("comitium_client-*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    (told,) = (folder / "site").glob("*.dist-info")
    (folder / "needs").mkdir()
    for each in needed(PathDistribution(told)):
        link(each, folder / "needs")
    venv.create(folder / "env", with_pip=False)
    paths = os.pathsep.join([str(folder / "site"), str(folder / "needs")])
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "error"}
    return folder / "env" / "bin" / "python", environment


def run(alone: tuple[Path, dict[str, str]], folder: Path, code: str, *arguments: str) -> str:
    python, environment = alone
    done = subprocess.run(
        [str(python), "-c", code, *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_brings_the_client_its_types_and_its_licence_and_nothing_else(alone, tmp_path):
    python, _ = alone
    site = python.parents[2] / "site"
    told = next(site.glob("*.dist-info"))

    assert {path.name for path in site.iterdir()} == {"comitium_client", told.name}
    assert (site / "comitium_client" / "py.typed").exists()
    assert list(told.rglob("LICENSE"))
    found = run(alone, tmp_path, "import comitium_client; print(comitium_client.__file__)")
    assert found.startswith(str(site))
    for stranger in ("games", "server", "litestar", "rich"):
        found = run(alone, tmp_path, f"import importlib.util as found; print(found.find_spec('{stranger}'))")
        assert found.strip() == "None"


@pytest.mark.parametrize("wire", ["json", "msgpack"])
def test_the_wheel_plays_a_game_at_a_server(alone, tmp_path, wire):
    with Served(Settings(store="memory:", port=0)) as served:
        assert run(alone, tmp_path, GAME, served.url, wire).split() == ["ended", "ended", "True", "True", "True"]
