"""The tool that writes golden logs: for every game by itself, and never over what is there."""

import pytest

from tests.games import sample_plain
from tests.laws import golden
from tests.laws.golden import COMMAND, complaint, main, missing, read, setups


@pytest.fixture
def straws(monkeypatch):
    """A catalogue of one game."""
    monkeypatch.setattr(golden, "EVERY", (sample_plain,))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "logs"


@pytest.mark.usefixtures("straws")
def test_a_game_without_a_golden_log_is_named_with_the_command_that_writes_one(folder):
    said = complaint(folder)
    assert "straws-1-2" in said
    assert COMMAND in said
    main(["--write"], folder)
    assert complaint(folder) == ""
    assert missing(folder) == {}


@pytest.mark.usefixtures("straws")
def test_what_is_written_is_a_game_to_its_end_and_the_same_each_time(folder, tmp_path):
    main(["--write"], folder)
    main(["--write"], tmp_path / "others")
    assert (folder / "straws-1-2.jsonl").read_bytes() == (tmp_path / "others" / "straws-1-2.jsonl").read_bytes()
    setup, lines = read(folder / "straws-1-2.jsonl")
    assert (setup.game, setup.rules, setup.seats) == ("straws", 1, 2)
    assert b"seed_disclosed" in bytes(lines[-1].entry)


@pytest.mark.usefixtures("straws")
def test_a_log_that_is_there_is_written_over_by_its_name_alone(folder, capsys):
    main(["--write"], folder)
    file = folder / "straws-1-2.jsonl"
    written = file.read_bytes()
    file.write_bytes(b"old\n")
    capsys.readouterr()
    main(["--write"], folder)
    assert file.read_bytes() == b"old\n"
    assert capsys.readouterr().out == ""
    main(["--anew", "straws-1-2"], folder)
    assert file.read_bytes() == written
    assert capsys.readouterr().out == f"{file}\n"


@pytest.mark.usefixtures("straws")
@pytest.mark.parametrize("words", [["--anew", "straws-9-2"], ["--anew", "../x"], []])
def test_what_no_rules_of_today_would_write_is_refused_and_nothing_is_done_unasked(folder, words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words, folder)
    assert ended.value.code == 2
    assert "--write" in capsys.readouterr().err
    assert not folder.exists()


@pytest.mark.usefixtures("straws")
def test_a_game_that_fails_while_it_is_played_leaves_the_log_that_was_there(folder, monkeypatch):
    main(["--write"], folder)
    written = (folder / "straws-1-2.jsonl").read_bytes()
    monkeypatch.setattr(golden, "play", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main(["--anew", "straws-1-2"], folder)
    assert (folder / "straws-1-2.jsonl").read_bytes() == written


def test_no_two_setups_have_the_same_name():
    names = [name for name, _ in setups()]
    assert len(names) == len(set(names))
