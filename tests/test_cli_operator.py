"""What the operator does at a terminal, on a file that a server may have open."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import cli
from server.accounts import SCOPES, open_accounts
from tests.test_cli import run, said


@pytest.fixture
def file(tmp_path):
    """An accounts file that is not there yet."""
    return tmp_path / "a.accounts"


@pytest.fixture
def known(file):
    """The same, with a player: his id."""
    accounts = open_accounts(str(file))
    made = accounts.register("Livia", ("play", "read"))
    accounts.close()
    return made.player


def do(file, *words, typed=None, **env):
    """The command in this process; its exit code, what it printed for programs, and what for people."""
    shown = CliRunner().invoke(
        cli.main,
        [*words, *(() if file is None else ("--accounts", str(file)))],
        input=typed,
        env={"COLUMNS": "200", **env},
    )
    assert not shown.exception or isinstance(shown.exception, SystemExit), shown.exception
    return shown.exit_code, shown.stdout, shown.stderr


def seen(file, token):
    accounts = open_accounts(str(file))
    try:
        return accounts.principal(token)
    finally:
        accounts.close()


# --- Tokens -------------------------------------------------------------------------------------------


def test_an_operator_is_registered_and_his_token_printed_alone(file):
    done = run("token", "--new", "Ada", "--scopes", "operate,read", "--accounts", str(file))
    assert done.returncode == 0
    token = done.stdout.removesuffix("\n")
    who = seen(file, token)
    assert (who.name, who.scopes) == ("Ada", {"operate", "read"})
    assert token not in done.stderr
    assert who.player in done.stderr
    assert "operate read" in done.stderr
    assert token.encode() not in file.read_bytes()
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("scopes", [*SCOPES, "arbitrate read", "play, read ,operate"])
def test_a_player_gets_a_further_token_of_any_scope(file, known, scopes):
    code, token, told = do(file, "token", known, "--scopes", scopes)
    assert code == 0
    assert "Livia" in told
    who = seen(file, token.strip())
    assert who.player == known
    assert who.scopes == set(scopes.replace(",", " ").split())


def test_without_scopes_a_token_is_that_of_a_registration(file, known):
    assert seen(file, do(file, "token", known)[1].strip()).scopes == {"play", "read"}


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        ([], 2, "--new"),
        (["p-x", "--new", "Ada"], 2, "--new"),
        (["p-x"], 1, "no player with the id 'p-x'"),
        (["Livia"], 1, "no player with the id 'Livia'"),
        (["--new", " "], 1, "no name"),
        (["--new", "x" * 41], 1, "no name"),
        (["--new", "Ada", "--scopes", "rule"], 2, "arbitrate, operate, play, read"),
        (["--new", "Ada", "--scopes", ""], 2, "arbitrate, operate, play, read"),
        (["--new", "Ada", "--port", "1"], 2, "--port"),
    ],
)
def test_a_wrong_wish_is_said_in_a_sentence_and_makes_nothing(file, known, words, code, text):
    before = file.read_bytes()
    found, token, told = do(file, "token", *words)
    assert found == code
    assert text in told
    assert not token
    assert file.read_bytes() == before


def test_nobody_gets_a_token_for_somebody_who_was_erased(file, known):
    assert do(file, "player", "erase", known, "--yes")[0] == 0
    assert do(file, "token", known)[0] == 1


# --- Which file ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["token", "p-x"], ["keys"], ["keys", "rotate"], ["player", "erase", "p-x"]])
def test_a_file_that_is_not_there_is_not_made(file, words):
    code, out, told = do(file, *words)
    assert (code, out) == (1, "")
    assert "There is no accounts file" in told
    assert not file.exists()


def test_the_file_is_found_as_serve_finds_it(tmp_path):
    store = f"sqlite:{tmp_path / 'log.sqlite'}"
    beside = tmp_path / "log.sqlite.accounts"
    code, _, told = do(None, "token", "--new", "Ada", "--store", store)
    assert code == 0
    assert "new accounts file" in told
    assert str(beside) in told
    for env in ({"COMITIUM_STORE": store}, {"COMITIUM_ACCOUNTS": str(beside)}):
        assert do(None, "keys", **env)[0] == 0
    own = tmp_path / "own"
    assert do(own, "token", "--new", "Ada", COMITIUM_STORE=store, COMITIUM_ACCOUNTS=str(beside))[0] == 0
    assert own.exists(), "the option comes before the variables"


@pytest.mark.parametrize("words", [["token", "--new", "Ada"], ["keys"]])
@pytest.mark.parametrize(
    ("place", "text"),
    [("--store=memory:", "name a file"), ("--store=nonsense", "--store is"), ("--accounts=.", "is no file")],
)
def test_a_place_that_has_no_accounts_is_said(words, place, text):
    mode = Path().stat().st_mode
    code, _, told = do(None, *words, place)
    assert code in (1, 2)
    assert text in told
    assert Path().stat().st_mode == mode


def test_a_file_of_something_else_is_left_alone(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("buy milk" * 100)
    for words in (["token", "--new", "Ada"], ["keys", "rotate"]):
        done = run(*words, "--accounts", str(file))
        assert done.returncode == 1
        assert "accounts in" in said(done)
    assert file.read_text() == "buy milk" * 100


def test_a_file_that_somebody_is_writing_to_for_long_is_said(file, known):
    writer = open_accounts(str(file))
    writer._db.execute("BEGIN IMMEDIATE")
    code, token, told = do(file, "token", known)
    writer._db.execute("ROLLBACK")
    writer.close()
    assert (code, token) == (1, "")
    assert "locked" in told


# --- Keys and players ---------------------------------------------------------------------------------


def test_keys_are_listed_and_changed(file, known):
    _, out, _ = do(file, "keys")
    (first,) = out.splitlines()
    assert first.endswith("current")
    code, made, told = do(file, "keys", "rotate")
    assert code == 0
    assert "after its restart" in told
    assert "stay valid" in told
    _, out, _ = do(file, "keys")
    former, current = out.splitlines()
    assert former == first.removesuffix("  current")
    assert current.split()[0] == made.strip()
    assert current.endswith("current")


def test_the_place_may_stand_before_rotate(file, known):
    code, made, _ = do(None, "keys", "--accounts", str(file), "rotate")
    assert code == 0
    assert made.strip() in do(file, "keys")[1]


def test_a_player_is_forgotten_once_and_not_by_mistake(file, known):
    code, _, told = do(file, "player", "erase", known, typed="n\n")
    assert code == 1
    assert "Livia" in told
    assert seen_name(file, known) == "Livia"
    assert do(file, "player", "erase", known)[0] == 1, "nobody answers"
    assert do(file, "player", "erase", known, typed="y\n")[0] == 0
    assert seen_name(file, known) == "—"
    assert b"Livia" not in file.read_bytes()
    code, _, told = do(file, "player", "erase", known, "--yes")
    assert code == 1
    assert "no player" in told


def seen_name(file, player):
    accounts = open_accounts(str(file))
    try:
        return accounts.names([player])[player]
    finally:
        accounts.close()


def test_two_processes_at_once_make_tokens_that_both_hold(file, known):
    command = [sys.executable, "-m", "cli", "token", known, "--accounts", str(file)]
    root = Path(cli.__file__).parent
    env = {**os.environ, "PYTHONPATH": f"{root}:{root / 'clients/python'}"}
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root, env=env) for _ in range(3)]
    tokens = [each.communicate(timeout=60)[0].strip() for each in running]
    assert all(seen(file, token).player == known for token in tokens)
    assert len(set(tokens)) == 3
