"""Law 11: rooms stay small, rules stay pure, the catalogue and its texts are complete."""

import ast
import io
import os
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import msgspec
import pytest

from games import GAMES, core, texts
from games.table.rules import Rules, members
from tests.laws.cases import EVERY, catalogued

ROOT = Path(__file__).parents[2]
ROOMS = ("games", "events", "projections", "server", "clients")
"""What runs in production. Tests are bounded by what one can read, and tools by their use."""

FILE, FUNCTION, USUAL = 300, 40, 25
"""Lines of code: those that hold something besides comment, docstring or nothing. What explains is not to be saved."""

SHARED = {"core", "chance", "bargaining", "texts", "table"}
"""What stands among the games and is none."""

PURE = {
    "ast", "bisect", "collections", "dataclasses", "enum", "functools", "games", "hashlib", "heapq", "hmac", "importlib",
    "itertools", "math", "msgspec", "operator", "re", "string", "tomllib", "typing",
}  # fmt: skip
"""All that rules may import. None of it knows a clock, a chance of its own, or the world outside."""

IMPURE = {"open", "print", "input", "eval", "exec", "compile", "hash", "globals", "breakpoint", "__import__"}
"""What rules do not call. `hash` differs from process to process."""


def sources(*rooms: str) -> list[Path]:
    return sorted(file for room in rooms for file in (ROOT / room).rglob("*.py"))


every_source = pytest.mark.parametrize(
    "file",
    [*sources(*ROOMS), ROOT / "cli.py", ROOT / "administration.py", ROOT / "furnishing.py", ROOT / "records.py"],
    ids=lambda f: str(f.relative_to(ROOT)),
)
every_rule = pytest.mark.parametrize("file", sources("games"), ids=lambda f: str(f.relative_to(ROOT)))


# --- Length -------------------------------------------------------------------------------------------


def code_lines(source: str) -> set[int]:
    """The numbers of the lines that hold code."""
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in skipped and token.type != tokenize.ENDMARKER:
            found.update(range(token.start[0], token.end[0] + 1))
    return found - docstring_lines(ast.parse(source))


def docstring_lines(tree: ast.AST) -> set[int]:
    """The lines of texts that stand by themselves."""
    alone = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    return {line for text in alone for line in range(text.lineno, (text.end_lineno or text.lineno) + 1)}


def functions(source: str) -> Iterator[tuple[str, int]]:
    """Every function with its lines of code, its signature included."""
    lines = code_lines(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, len(lines & set(range(node.lineno, (node.end_lineno or node.lineno) + 1)))


@every_source
def test_a_file_is_read_in_one_sitting(file):
    assert len(code_lines(file.read_text("utf-8"))) <= FILE


@every_source
def test_a_function_fits_on_a_screen(file):
    assert {name: length for name, length in functions(file.read_text("utf-8")) if length > FUNCTION} == {}


@pytest.mark.parametrize("room", ROOMS)
def test_nine_functions_in_ten_are_short(room):
    lengths = sorted(length for file in sources(room) for _, length in functions(file.read_text("utf-8")))

    assert lengths[len(lengths) * 9 // 10] < USUAL


def test_lines_of_code_are_counted_without_what_explains_them():
    source = '"""A module."""\n\n# why\nx = 1  # so\n\n\ndef f(\n    a,\n):\n    """A text\n    of two lines."""\n    return a\n'

    assert code_lines(source) == {4, 7, 8, 9, 12}
    assert list(functions(source)) == [("f", 4)]


# --- Purity -------------------------------------------------------------------------------------------


@every_rule
def test_rules_import_nothing_that_could_make_them_answer_differently(file):
    tree = ast.parse(file.read_text("utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert {name.partition(".")[0] for name in names} - PURE == set()


@every_rule
def test_rules_call_nothing_that_reaches_outside(file):
    tree = ast.parse(file.read_text("utf-8"))
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}

    assert (calls - own) & IMPURE == set()


def test_the_rooms_import_each_other_only_as_the_house_is_built():
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    path = os.pathsep.join([str(ROOT), str(ROOT / "clients" / "python")])
    found = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, check=False)

    assert found.returncode == 0, found.stdout.decode() + found.stderr.decode()


# --- Catalogue ----------------------------------------------------------------------------------------


def test_every_game_in_the_house_is_in_the_catalogue():
    folders = {path.parent.name for path in (ROOT / "games").glob("*/__init__.py")}
    files = {path.stem for path in (ROOT / "games").glob("*.py")} - {"__init__"}

    assert {core_name(game) for game in GAMES} == (folders | files) - SHARED


def core_name(game: core.Game) -> str:
    """The module of the game, whatever version of its rules it holds."""
    return str(vars(game)["__name__"]).split(".")[1]


def test_no_two_rules_have_the_same_name_and_version():
    assert len({(game.name, game.version) for game in GAMES}) == len(GAMES)


@pytest.mark.parametrize("game", EVERY, ids=lambda game: game.name)
def test_a_game_has_all_that_a_game_offers(game):
    rules = Rules(game)
    methods = ("open", "evolve", "asks", "decide", "redact", "discloses", "outcome", "bound")

    assert all(callable(getattr(game, method)) for method in methods)
    assert game.version >= 1
    assert min(game.seats) >= 2
    assert all(issubclass(kind, core.Action) for kind in rules.game_actions)
    assert all(issubclass(kind, core.Event) for kind in rules.game_events)
    assert msgspec.to_builtins(rules.options({})) == msgspec.to_builtins(game.Options())
    with pytest.raises(msgspec.ValidationError):
        rules.options({"no_such_option": 1})


@pytest.mark.parametrize("game", EVERY, ids=lambda game: game.name)
def test_what_a_game_is_made_of_cannot_be_changed(game):
    for kind in (game.Options, *members(game.State), *members(game.Action), *members(game.Event)):
        assert kind.__struct_config__.frozen, kind


@pytest.mark.parametrize("game", EVERY, ids=lambda game: game.name)
def test_every_number_of_seats_has_a_bound(game):
    assert all(game.bound(game.Options(), seats) > 0 for seats in game.seats)


@catalogued
def test_a_game_stands_in_the_house_under_its_name(game):
    assert core_name(game) == game.name
    assert import_module(f"games.{game.name}")


@catalogued
def test_a_game_has_all_its_words_in_each_language(game):
    assert texts.missing_texts(game) == []
    assert texts.stray_texts(game) == []
