"""`comitium verify` and `comitium audit`: offline, by the exit code, with the first difference."""

import csv
import io
import json
from functools import cache

import msgspec
import pytest
from click.testing import CliRunner

import cli
from events.receipts import sign
from tests.projections.forks import AT, archived, child, parent
from tests.projections.logs import KEY, TABLE, played, resealed


@cache
def log():
    return played(seats=4, seed=1)


def run(*words):
    return CliRunner().invoke(cli.main, [str(word) for word in words])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "table.jsonl"
    path.write_bytes(log().archive())
    return path


@pytest.fixture
def keys(tmp_path):
    path = tmp_path / "keys.json"
    path.write_text(
        json.dumps({"keys": [{"id": KEY.id, "public_key": KEY.public.hex(), "created": 0, "current": True}]})
    )
    return path


def receipts(path, *kept):
    lines = [{"server": "http://x", "id": KEY.id, "public_key": KEY.public.hex()}]
    lines += [{"server": "http://x", **msgspec.to_builtins(receipt)} for receipt in kept]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def at(seq, head=None):
    return sign(KEY, TABLE, seq, head or log().entries[seq - 1].head)


def test_a_whole_archive_holds(file, keys, tmp_path):
    kept = receipts(tmp_path / "kept", at(3), at(20))
    done = run("verify", file, "--keys", keys, "--receipts", kept)
    assert done.exit_code == 0, done.output
    assert "everything that was checked holds" in done.output
    assert done.output.count(" passed ") == 6


def test_a_changed_line_is_named(file):
    lines = file.read_bytes().splitlines(keepends=True)
    lines[20] = lines[20].replace(b'"at":1', b'"at":2')
    file.write_bytes(b"".join(lines))
    done = run("verify", file)
    assert done.exit_code == 1
    assert "first difference: entry 20, line 21" in done.output


def test_a_log_written_anew_is_shown_by_a_receipt_alone(file, tmp_path):
    forged = resealed(log(), {3: {"full": log().entries[2].versions["full"].replace(b'"at":17', b'"at":18')}})
    file.write_bytes(forged.archive())
    assert run("verify", file).exit_code == 0
    done = run("verify", file, "--receipts", receipts(tmp_path / "kept", at(5)))
    assert done.exit_code == 1
    assert "receipts     failed" in done.output


def test_a_log_that_is_shorter_than_a_receipt_is_shown(file, tmp_path):
    last = len(log().entries)
    kept = receipts(tmp_path / "kept", at(last + 1, bytes(32)))
    done = run("verify", file, "--receipts", kept, "--json")
    assert done.exit_code == 1
    assert json.loads(done.output)["first"]["reason"] == "shorter_than_receipt"


def test_two_receipts_prove_a_fork_without_any_log(tmp_path):
    one, other = receipts(tmp_path / "one", at(4)), receipts(tmp_path / "other", at(4, b"\x01" * 32))
    assert run("verify", "--receipts", one).exit_code == 0
    done = run("verify", "--receipts", one, "--receipts", other)
    assert done.exit_code == 1
    assert "failed" in done.output


@pytest.fixture
def fork(tmp_path):
    """A fork's archive, and its parent's."""
    one, other = tmp_path / "fork.jsonl", tmp_path / "parent.jsonl"
    one.write_bytes(archived(child()))
    other.write_bytes(parent().archive())
    return one, other


def test_a_fork_is_held_against_its_parent(fork):
    one, other = fork
    done = run("verify", one, "--parent", other)
    assert done.exit_code == 0, done.output
    assert f"goes on from table {TABLE} at entry {AT}" in done.output
    told = json.loads(run("verify", one, "--parent", other, "--json").output)
    assert told["ok"]
    assert told["descent"]["ok"]
    assert told["descent"]["carried"] > 20


def test_a_fork_of_something_else_is_named(fork):
    one, other = fork
    done = run("verify", other, "--parent", one)
    assert done.exit_code == 1
    assert "does not go on from table" in done.output
    assert "(no_fork)" in done.output


def test_a_parent_that_is_cut_off_is_said(fork):
    one, other = fork
    other.write_bytes(other.read_bytes()[:-5])
    done = run("verify", one, "--parent", other)
    assert done.exit_code == 1
    assert "cannot be read" in done.output


def test_a_parent_without_its_fork_is_no_use(fork):
    done = run("verify", "--parent", fork[1], "--receipts", fork[1])
    assert done.exit_code == 2
    assert "fork" in done.output


def test_what_was_not_compared_is_said(fork):
    one, other = fork
    other.write_bytes(parent().archive("public"))
    done = run("verify", one, "--parent", other)
    assert done.exit_code == 0
    assert "not compared (not_all)" in done.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("verify",), "Give an archive"),
        (("verify", "/no/such/file"), "does not exist"),
        (("audit", "/no/such"), "does not exist"),
    ],
)
def test_what_is_missing_is_said(words, said):
    done = run(*words)
    assert done.exit_code == 2
    assert said in done.output


def test_a_file_that_is_no_archive_is_refused_with_its_line(tmp_path):
    path = tmp_path / "x"
    path.write_text("hello\n")
    assert run("verify", path).exit_code == 1
    done = run("audit", path)
    assert done.exit_code == 1
    assert "line 1" in done.output


def test_keys_and_receipts_that_are_none_are_refused_in_a_sentence(file, tmp_path):
    path = tmp_path / "x"
    path.write_text("hello\n")
    for words in (("--keys", path), ("--receipts", path)):
        done = run("verify", file, *words)
        assert done.exit_code == 1
        assert "Error" in done.output


def test_the_trail_of_an_archive_comes_in_every_form(file, tmp_path):
    rows = list(csv.reader(io.StringIO(run("audit", file).output)))
    bribes = json.loads(run("audit", file, "--as", "json").output)["bribes"]
    assert len(rows) == 1 + len(bribes) > 1
    assert run("audit", file, "--as", "dot").output.startswith("digraph")
    out = tmp_path / "trail.svg"
    assert run("audit", file, "--as", "svg", "--language", "ja", "--out", out).exit_code == 0
    assert out.read_text("utf-8").startswith("<")
