"""The command as people run it: helps, errors in a sentence, a server, a demo, a replay, a bot."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

import cli
from comitium_client.sync import Client
from server.settings import describe

ROOT = Path(__file__).parents[1]
ADDRESS = re.compile(r"http://\S+")
COMMANDS = ("serve", "games", "play", "watch", "bot", "demo", "replay", "token", "keys", "player")
HEAD = re.compile(r"\b[0-9a-f]{64}\b")


def run(*words, typed="", seconds=120, **env):
    """The command as a process; never with a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "cli", *words], check=False, input=typed, capture_output=True, text=True, timeout=seconds, cwd=ROOT,
        env={**os.environ, "COLUMNS": "100", "PYTHONPATH": f"{ROOT}:{ROOT / 'clients/python'}", **env},
    )  # fmt: skip
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    return done


def call(*words, **env):
    """The command in this process: quicker, for what ends at once."""
    done = CliRunner().invoke(cli.main, words, env=env)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def said(done):
    """What it said, without the frames that wrap it."""
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", done.stdout + done.stderr).split())


@contextmanager
def server(*words, end=signal.SIGTERM):
    """A server of its own, until the block ends."""
    command = [sys.executable, "-m", "cli", "serve", "--port", "0", "--log-level", "error", *words]
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'clients/python'}"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=env
    ) as child:
        lines = [child.stdout.readline() for _ in range(4)]
        found = ADDRESS.search(lines[0])
        assert found, child.stderr.read()
        assert "log: " in lines[1]
        try:
            yield found[0]
        finally:
            child.send_signal(end)
            _, err = child.communicate(timeout=30)
        assert child.returncode == 0, err
        assert "Traceback" not in err


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with server("--store", f"sqlite:{tmp_path_factory.mktemp('cli') / 'log.sqlite'}") as found:
        yield found


@pytest.fixture(scope="module")
def ended(url):
    """A table that four house bots have played to its end."""
    with Client(url) as client:
        client.register("Host")
        table = client.create_table("tribunal", 4, sit=False)
        for _ in range(4):
            table.sit(bot="random")
        for _ in table.follow():
            pass
        return table.id


# --- Help and version ---------------------------------------------------------------------------------


@pytest.mark.parametrize("command", cli.main.commands)
def test_every_command_has_help(command):
    shown = call(command, "--help")
    assert shown.exit_code == 0
    assert "Usage" in shown.output
    assert len(shown.output.splitlines()) > 6


def test_the_help_of_all_names_each_command():
    shown = call("--help").output
    assert all(command in shown for command in cli.main.commands)
    assert set(COMMANDS) <= set(cli.main.commands)


def test_serve_explains_every_setting_with_its_variable():
    shown = said(run("serve", "--help"))
    for setting in describe():
        assert setting.option in shown
        assert setting.variable in shown
        assert setting.meaning.split("`")[0].split(".")[0][:30] in shown


def test_the_version():
    done = run("--version")
    assert done.returncode == 0
    assert "comitium" in done.stdout


# --- Serving ------------------------------------------------------------------------------------------


def test_it_says_where_it_listens_and_where_the_log_is(tmp_path):
    with server("--store", f"sqlite:{tmp_path / 'a.sqlite'}", end=signal.SIGINT) as url, Client(url) as client:
        assert client.games()
    assert (tmp_path / "a.sqlite").exists()


def test_a_port_in_use_is_an_error_in_a_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run("serve", "--store", "memory:", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 1
    assert "Cannot listen on 127.0.0.1" in said(done)


def test_a_file_that_is_no_log_is_left_alone(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("buy milk")
    done = run("serve", "--store", f"sqlite:{file}", "--port", "0")
    assert done.returncode == 1
    assert "is not a log of Comitium" in said(done)
    assert file.read_text() == "buy milk"


def test_a_log_in_use_is_refused(tmp_path):
    file = f"sqlite:{tmp_path / 'a.sqlite'}"
    with server("--store", file):
        done = run("serve", "--store", file, "--port", "0")
    assert done.returncode == 1
    assert "in use by another process" in said(done)


@pytest.mark.parametrize(
    ("words", "env", "text"),
    [
        (["--port", "99999"], {}, "--port is '99999'"),
        ([], {"COMITIUM_PORT": "many"}, "COMITIUM_PORT is 'many'"),
        (["--nonsense"], {}, "--nonsense"),
        (["--log-level", "loud"], {}, "--log-level is 'loud'; allowed is 'debug'"),
    ],
)
def test_a_wrong_setting_is_named_with_what_is_allowed(words, env, text):
    done = call("serve", *words, **env)
    assert done.exit_code == 2
    assert text.replace("'", "") in said(done).replace("'", "")


def test_an_address_that_is_not_ours():
    done = run("serve", "--store", "memory:", "--host", "192.0.2.1", "--port", "0")
    assert done.returncode == 1
    assert "Cannot listen on 192.0.2.1" in said(done)


# --- Visiting -----------------------------------------------------------------------------------------


def test_games_are_listed_without_a_server_and_from_one(url):
    assert "Tribunal (4-7" in run("games").stdout
    assert "法廷" in call("games", "--language", "ja").stdout
    assert call("games", "--url", url).stdout == call("games").stdout


@pytest.mark.parametrize(
    "words",
    [
        ["games", "--url", "http://127.0.0.1:9"],
        ["watch", "00-x", "--url", "http://127.0.0.1:9"],
        ["replay", "00-x", "--url", "http://127.0.0.1:9"],
        ["play", "--name", "x", "--url", "http://127.0.0.1:9"],
        ["bot", "random", "--table", "00-x", "--url", "http://127.0.0.1:9"],
    ],
    ids=lambda words: words[0],
)
def test_without_a_server_it_says_so(words):
    done = call(*words)
    assert done.exit_code == 1
    assert "no answer from the server" in said(done)


def test_without_a_server_there_is_no_demo():
    done = run("demo", "--url", "http://127.0.0.1:9")
    assert done.returncode == 1
    assert "no answer from the server" in said(done)


@pytest.mark.parametrize("command", ["watch", "replay"])
def test_a_table_that_is_not_there(command, url):
    done = call(command, "00-aaaaaaaaaaaaaaaa", "--url", url)
    assert done.exit_code == 1
    assert "not_found" in said(done)


def test_one_plays_as_somebody(url):
    done = call("play", "--url", url)
    assert done.exit_code == 2
    assert "--name" in said(done)
    done = run("play", "--url", url, "--name", "Otto", typed="help\ngames\nquit\n")
    assert done.returncode == 0
    assert "You are Otto" in done.stdout
    assert "--token cmt_" in said(done)


def test_a_bot_is_sent_to_a_table(url):
    with Client(url) as client:
        client.register("Host")
        table = client.create_table("tribunal", 4, sit=False)
        for _ in range(3):
            table.sit(bot="random")
        done = run("bot", "tribunal", "--table", f"{url}/v1/tables/{table.id}", "--quiet", "0.05", "--seed", "3")
        assert done.returncode == 0
        assert "refused: 0" in done.stdout
        assert table.summary().status == "ended"
        full = call("bot", "tribunal", "--table", table.id, "--url", url)
        assert full.exit_code == 1


def test_a_game_is_watched_to_its_end(url, ended):
    done = run("watch", ended, "--url", url)
    assert done.returncode == 0
    assert "The table is over" in done.stdout


# --- Replay -------------------------------------------------------------------------------------------


def test_a_replay_prints_every_step(url, ended):
    done = run("replay", ended, "--url", url, "--all")
    assert done.returncode == 0
    last = int(re.search(r"\[1 of (\d+)\]", done.stdout)[1])
    assert all(f"[{seq} of {last}]" in done.stdout for seq in range(1, last + 1))
    assert "The court rises" in done.stdout


def test_a_replay_is_stepped_through_by_typing(url, ended):
    done = run("replay", f"{url}/v1/tables/{ended}", "--at", "20", typed="next\nback\n30\nseat 2\nquit\n")
    assert done.returncode == 0
    for seq in (20, 21, 30):
        assert f"[{seq} of" in done.stdout
    assert "(you)" in done.stdout


def test_a_replay_in_japanese_with_the_eyes_of_a_seat(url, ended):
    done = run("replay", ended, "--url", url, "--seat", "1", "--at", "9", "--language", "ja")
    assert "あなた" in done.stdout


@pytest.fixture(scope="module")
def archive(url, ended, tmp_path_factory):
    """The archive of a game that is over, as a file."""
    file = tmp_path_factory.mktemp("archives") / "table.jsonl"
    with Client(url) as client:
        file.write_bytes(client.table(ended).archive())
    return file


def test_a_file_is_replayed_like_the_table_that_it_was(url, ended, archive):
    done, there = run("replay", str(archive), "--all"), run("replay", ended, "--url", url, "--all")
    assert done.returncode == 0, said(done)
    assert "The court rises" in done.stdout
    last = int(re.search(r"\[1 of (\d+)\]", there.stdout)[1])
    assert re.findall(r"\[\d+ of \d+\]", done.stdout) == [f"[{seq} of {last}]" for seq in range(1, last + 1)]


def test_a_file_is_stepped_through_as_any_seat_that_it_allows(archive):
    done = run("replay", str(archive), "--at", "20", "--language", "ja", typed="next\nback\nseat 2\nseat 9\nquit\n")
    assert done.returncode == 0, said(done)
    assert "あなた" in done.stdout
    assert all(f"［{seq}／" in done.stdout for seq in (20, 21))


def test_offers_and_promises_stand_beside_the_entry_at_which_they_are_open(url):
    with Client(url) as client, Client(url) as other:
        client.register("Livia")
        other.register("Marcus")
        table = client.create_table("tribunal", 4)
        there = other.table(table.id)
        there.sit(1)
        for _ in range(2):
            table.sit(bot="random")
        promised = client.table(table.id).act("promise", to=1, text="I shall remember you.", does=None, kind=None)
        file = client.table(table.id).archive()
        assert promised.seq > 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "running.jsonl"
        path.write_bytes(file)
        done = run("replay", str(path), "--at", str(promised.seq), typed="quit\n")
    assert done.returncode == 0, said(done)
    assert done.stdout.count("I shall remember you.") >= 2, "told as it is made, and listed as open"


def test_a_file_that_does_not_hold_gets_the_line(archive, tmp_path):
    file = tmp_path / "spoiled.jsonl"
    lines = archive.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:7] + lines[8:]))
    done = run("replay", str(file))
    assert done.returncode == 1
    assert "line 8" in said(done)
    nothing = run("replay", str(tmp_path / "nothing.jsonl"))
    assert nothing.returncode == 1
    assert "cannot be read" in said(nothing)


def test_the_trail_of_a_table_is_that_of_its_archive(url, ended, archive):
    address = f"{url}/v1/tables/{ended}"
    here, there = call("audit", str(archive), "--as", "json"), call("audit", address, "--as", "json")
    assert there.exit_code == 0, said(there)
    assert json.loads(there.stdout) == json.loads(here.stdout)
    assert call("audit", address, "--as", "svg").stdout.startswith("<svg")
    wrong = call("audit", f"{url}/nothing")
    assert wrong.exit_code == 1
    assert "/v1/tables/ID" in said(wrong)
    missing = call("audit", f"{url}/v1/tables/00-aaaaaaaaaaaaaaaa")
    assert missing.exit_code == 1
    assert "not_found" in said(missing)


# --- The demo -----------------------------------------------------------------------------------------


def test_the_demo_tells_a_whole_game_and_checks_it():
    done = run("demo", "--speed", "0", "--seed", "1")
    assert done.returncode == 0, said(done)
    story = done.stdout
    for text in (
        "What follows is told from a spectator's stream alone", "Trial 1:", "puts", "on trial", "offers", "pleads",
        "The verdict on", "The court rises", "The log:", "entries", "Head:", "Checked:", "Receipts:",
    ):  # fmt: skip
        assert text in story, text
    assert len(re.findall(r" wins with \d+ chips| share the win with \d+ chips", " ".join(story.split()))) == 1
    entries = int(re.search(r"The log: (\d+) entries", story)[1])
    assert f"from entry 1 to {entries}" in " ".join(story.split())
    assert HEAD.search(story.partition("Head:")[2])


def test_the_demo_speaks_japanese_and_knows_the_variants():
    done = run("demo", "--speed", "0", "--language", "ja", "--seats", "4", "--exile", "--appeal")
    assert done.returncode == 0, said(done)
    for text in (
        "第1回裁判",
        "一般" if "一般" in done.stdout else "投票",
        "弁論は",
        "判決",
        "閉廷",
        "記録：",
        "先頭：",
        "検証：",
        "受領証：",
    ):
        assert text in done.stdout, text


def test_the_demo_plays_on_another_server(url):
    done = run("demo", "--speed", "0", "--url", url, "--seats", "4")
    assert done.returncode == 0, said(done)
    assert f"Server: {url}" in done.stdout


def test_the_demo_ends_cleanly_on_ctrl_c():
    command = [sys.executable, "-m", "cli", "demo", "--speed", "0.5"]
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'clients/python'}", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=env
    ) as child:
        while "Trial 1" not in child.stdout.readline():
            pass
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
    assert child.returncode == cli.INTERRUPTED
    assert err.strip() == ""


def test_a_demo_may_be_kept_and_looked_at_again():
    command = [sys.executable, "-m", "cli", "demo", "--speed", "0", "--keep"]
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'clients/python'}", "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=env
    ) as child:
        while "comitium replay" not in (line := child.stdout.readline()):
            pass
        done = run("replay", ADDRESS.search(line)[0], "--at", "1")
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=30)
    assert "[1 of" in done.stdout
