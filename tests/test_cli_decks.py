"""`comitium decks`: what is in a deck file, or what is wrong with it, by the exit code."""

import pytest
from click.testing import CliRunner

import cli
from games.witch_trial import deck
from server.furniture import LARGEST, Furniture

HOUSE = deck.house_text()


def run(*words):
    return CliRunner().invoke(cli.main, [str(word) for word in words])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "printed.toml"
    path.write_text(HOUSE, "utf-8")
    return path


def test_the_house_deck_is_shown_as_its_file():
    done = run("decks", "show", "house")
    assert done.exit_code == 0
    assert done.output == HOUSE


def test_what_is_shown_can_be_checked(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(run("decks", "show", "house").output, "utf-8")
    assert run("decks", "check", file).exit_code == 0


def test_a_deck_that_comes_from_nowhere_is_not_shown():
    assert run("decks", "show", "printed").exit_code == 2


def test_a_good_deck_is_told_in_figures(file):
    done = run("decks", "check", file)
    assert done.exit_code == 0
    assert done.output.splitlines() == [
        "House deck",
        "  suspects: 21, 21 of them different",
        "  charges: 21, 21 of them different",
        "  evidence: 20, 20 of them different",
        "  motions: 18, 18 of them different",
        "  objections: 4, 1 of them different",
        "first jury value: 1 to 11 over 441 pairs of suspect and charge, 5.7 on average",
        "note: lewis_the_bum for smuggling: the jury begins at 11, so without further cards the verdict is certain.",
        "This deck can be used. Install it as FOLDER/witch_trial/deck/printed.toml, with `comitium serve --furniture FOLDER`.",
    ]


def test_a_good_deck_is_told_in_japanese(file):
    done = run("decks", "check", file, "--language", "ja")
    assert done.exit_code == 0
    assert done.output.startswith("ハウスデッキ\n  容疑者：21枚、21種類\n")
    assert "このデッキは使えます" in done.output


def test_copies_count_in_the_figures(file):
    text = HOUSE.replace("guilt = 6\n", "guilt = 6\ncopies = 2\n")
    first = text.index('[[cards]]\nkind = "suspect"\nid = "lighthouse_keeper"')
    text = text[:first] + text[text.index("[[cards]]", first + 1) :]
    file.write_text(text.replace("{ lighthouse_keeper = 3 }", "{ magician = 3 }"), "utf-8")
    done = run("decks", "check", file)
    assert done.exit_code == 0, done.output
    assert "  suspects: 21, 20 of them different" in done.output
    assert "over 441 pairs" in done.output


def test_what_is_odd_is_said_and_does_no_harm(file):
    file.write_text(HOUSE.replace("defense = 60", "defense = 61"), "utf-8")
    done = run("decks", "check", file)
    assert done.exit_code == 0
    assert "note: red_handed: $61 is not a multiple of $5." in done.output


def test_everything_that_is_wrong_is_told_with_its_line(file):
    text = HOUSE.replace("guilt = 6", "guilt = 60").replace('effect = "fetch"', 'effect = "fech"')
    lines = [number for number, line in enumerate(text.splitlines(), 1) if "guilt = 60" in line or "fech" in line]
    file.write_text(text, "utf-8")
    done = run("decks", "check", file)
    assert done.exit_code == 1
    first, second, last = done.output.splitlines()
    assert (
        first
        == f"{file}, line {lines[0]}: red_handed > guilt: a whole number from 1 to 6 is expected, not 60. (not_in_range)"
    )
    assert second.startswith(
        f"{file}, line {lines[1]}: short_memory > effects > 1 > effect: there is no effect fech; there are sway,"
    )
    assert last == "This deck cannot be used."


def test_what_is_wrong_is_told_in_japanese(file):
    file.write_text("title = 'x'\n", "utf-8")
    done = run("decks", "check", file, "--language", "ja")
    assert done.exit_code == 1
    assert f"{file}、1行目：title：" in done.output
    assert done.output.endswith("このデッキは使えません。\n")


def test_a_fault_without_a_line_is_told_too(file):
    file.write_text("x = " + "[" * 5000, "utf-8")
    done = run("decks", "check", file)
    assert done.exit_code == 1
    assert done.output.startswith(f"{file}: This is not TOML")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"title = 1\nnote = '\xff'\n", "line 2: this is no UTF-8"),
        (b"#" * (LARGEST + 1), f"larger than {LARGEST} bytes"),
    ],
)
def test_what_the_server_would_not_read_is_refused(data, said, file):
    file.write_bytes(data)
    done = run("decks", "check", file)
    assert done.exit_code == 1
    assert said in " ".join(done.output.split())


def test_a_file_that_is_not_there_is_said(tmp_path):
    done = run("decks", "check", tmp_path / "none.toml")
    assert done.exit_code == 2
    assert "does not exist" in done.output


class Game:
    """As much of the game as the server asks when it looks for files."""

    name, furniture = "witch_trial", deck.furniture

    def furnish(self, kind, text):
        return deck.furnish(kind, text)


@pytest.mark.parametrize(
    "name",
    ["printed.toml", "7-up_b.toml", "My Deck.toml", "house.toml", "printed.txt", "-x.toml", "x.toml.toml", "Ä.toml",
     f"{'x' * 40}.toml", f"{'x' * 41}.toml"],
)  # fmt: skip
def test_a_name_that_no_table_could_be_opened_with_is_said(name, tmp_path):
    folder = tmp_path / "witch_trial" / "deck"
    folder.mkdir(parents=True)
    (folder / name).write_text(HOUSE, "utf-8")
    served = len(Furniture(tmp_path).names(Game())["deck"]) == 2

    done = run("decks", "check", folder / name)

    assert done.exit_code == 0
    assert ("Install it as" in done.output) == served
    assert ("not under this name" in done.output) == (not served)
