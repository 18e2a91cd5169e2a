"""The package: its names, what it leans on, and that the examples of its README run."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

import comitium_client
from comitium_client import errors, sync
from tests.clients.test_client_fakes import QUICK, House

HOME = Path(comitium_client.__file__).parent
README = (HOME.parent / "README.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
PROJECT = tomllib.loads((HOME.parent / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_exported_names_are_exactly_the_listed_ones():
    listed, listed_sync = README.partition("## Names")[2].split("; in `comitium_client.sync`:")
    assert re.findall(r"`(\w+)`", listed) == comitium_client.__all__
    assert re.findall(r"`(\w+)`", listed_sync) == sync.__all__
    assert all(hasattr(comitium_client, name) for name in comitium_client.__all__)
    assert comitium_client.__all__ == sorted(comitium_client.__all__)


def test_every_exception_is_exported_and_in_the_tree_that_is_described():
    found = {name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, Exception)}
    assert found <= set(comitium_client.__all__)
    assert all(issubclass(getattr(errors, name), errors.ComitiumError) for name in found)
    assert found == set(re.findall(r"\b[A-Z]\w+\b", errors.__doc__ or "")) & found
    assert set(errors.PROBLEMS) | {errors.Conflict} == {
        each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, errors.ApiProblem)
    } - {errors.ApiProblem}


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return {name.partition(".")[0] for name in names}


def test_it_leans_on_what_it_names_and_on_nothing_else():
    needed = {re.split(r"[^\w-]", each)[0] for each in PROJECT["dependencies"]}
    used = set().union(*(imported(path) for path in HOME.glob("*.py")))
    assert used - sys.stdlib_module_names == {*needed, "comitium_client"}


def test_the_core_does_no_input_or_output():
    allowed = {"collections", "typing", "msgspec", "comitium_client", "hashlib"}
    for name in ("session", "witness", "chain", "asks", "coding", "models", "errors"):
        assert imported(HOME / f"{name}.py") <= allowed | {"functools"}, name


def test_it_is_typed_and_licensed():
    assert (HOME / "py.typed").exists()
    assert (HOME.parent / "LICENSE").read_bytes() == (HOME.parents[2] / "LICENSE").read_bytes()


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_examples_run(number, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    house = House()
    fake = house.table("Livia", "Gaius", name="done")
    while not fake.over:
        fake.act(fake.now["turn"], {"type": "count", "n": 3})
    seams = {"transport": house.transport, "connect": house.connect, "retry": QUICK}
    address = 'Client("http://127.0.0.1:8000"'
    assert address in EXAMPLES[number]
    exec(compile(EXAMPLES[number].replace(address, f"{address}, **SEAMS"), "README.md", "exec"), {"SEAMS": seams})
    assert capsys.readouterr().out


def test_there_are_examples():
    assert len(EXAMPLES) >= 4
