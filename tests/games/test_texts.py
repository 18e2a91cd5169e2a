"""The words of the games: every key in both languages, sentences filled in, and clear words for what is missing."""

import sys
from importlib import import_module
from itertools import product
from typing import Literal

import pytest

import games
from games import core, texts, tribunal
from games.core import Refused
from games.texts import LANGUAGES, MissingText, Wording, wording
from games.tribunal import events as happened
from tests.games.test_tribunal_sight import AUDIENCES, EVENTS

every_game = pytest.mark.parametrize("game", games.GAMES, ids=lambda game: game.name)
NAMES = ("Ada", "Ben", "Cleo", "Dan")

QUIZ = '''
"""A game of one file, with its texts beside it."""

from typing import Literal

import msgspec

from games import core

name = "quiz"
WINDOWS = ("answer",)
WHYS = ("solved",)
REFUSALS = ("too_late",)


class Options(msgspec.Struct, frozen=True):
    hard: bool = False
    level: Literal["low", "high"] = "low"
    rounds: int = 3


class Answer(core.Action, frozen=True):
    word: Literal["yes", "no"]


class Answered(core.Event, frozen=True):
    seat: int
    word: Literal["yes", "no"] | None
    marks: tuple[Literal["good", "bad"], ...] = ()
    why: Literal["solved"] = "solved"


Action = Answer
Event = Answered
'''

NEEDED = [
    "title", "summary", "rules", "option.hard", "option.level", "option.rounds", "value.hard.true",
    "value.hard.false", "value.level.low", "value.level.high", "action.answer", "action.answer.word",
    "value.word.yes", "value.word.no", "event.answered", "event.answered.hidden", "value.marks.good",
    "value.marks.bad", "why.solved", "window.answer", "refused.too_late",
]  # fmt: skip


@pytest.fixture
def quiz(tmp_path, monkeypatch):
    """The package of a game of one file; call it with texts per key to import the game."""
    package = f"parlour{abs(hash(tmp_path))}"
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").touch()
    (tmp_path / package / "quiz.py").write_text(QUIZ)
    monkeypatch.syspath_prepend(tmp_path)

    def make(**changed):
        words = {key: key for key in NEEDED} | {key.replace("__", "."): word for key, word in changed.items()}
        tables = [f'["quiz.{key}"]\nen = "{word}"\nja = "{word}"\n' for key, word in words.items() if word]
        (tmp_path / package / "quiz.toml").write_text("\n".join(tables), encoding="utf-8")
        return import_module(f"{package}.quiz")

    yield make
    sys.modules.pop(f"{package}.quiz", None)


# --- Every game ---------------------------------------------------------------------------------------


@every_game
def test_every_word_that_a_game_needs_is_there_in_both_languages(game):
    assert texts.missing_texts(game) == []


@every_game
def test_no_text_is_left_over(game):
    assert texts.stray_texts(game) == []


@every_game
def test_both_languages_fill_in_the_same_places(game):
    english, japanese = (texts.texts_for(game)[language] for language in ("en", "ja"))

    assert english.keys() == japanese.keys()
    for key in english:
        if not key.endswith(".rules"):
            assert blanks(english[key]) == blanks(japanese[key]), key


def blanks(text):
    return sorted(part.split("}")[0] for part in text.split("{")[1:])


@every_game
def test_texts_are_not_the_same_in_both_languages(game):
    english, japanese = (texts.texts_for(game)[language] for language in ("en", "ja"))

    assert not [key for key in english if english[key] == japanese[key] and not english[key].isdigit()]


# --- Completeness, on a small game --------------------------------------------------------------------


def test_what_a_game_needs_is_read_off_its_types_and_its_face(quiz):
    assert texts.needed(quiz()) == {f"quiz.{key}" for key in NEEDED}


def test_a_complete_game_lacks_nothing_even_as_a_single_file(quiz):
    game = quiz()

    assert texts.missing_texts(game) == []
    assert texts.stray_texts(game) == []


@pytest.mark.parametrize("key", NEEDED)
def test_each_missing_key_is_named_in_each_language(quiz, key):
    game = quiz(**{key.replace(".", "__"): ""})

    assert texts.missing_texts(game) == [f"en: quiz.{key}", f"ja: quiz.{key}"]


def test_a_place_that_no_field_fills_is_named(quiz):
    game = quiz(event__answered="{seat} {wrod}")

    assert texts.missing_texts(game)[0] == "en: quiz.event.answered cannot fill {wrod}"


def test_a_hidden_variant_may_not_use_what_may_be_hidden(quiz):
    game = quiz(event__answered__hidden="{seat:seat} {word}")

    assert texts.missing_texts(game)[0] == "en: quiz.event.answered.hidden cannot fill {word}"


def test_stray_keys_are_named(quiz):
    assert texts.stray_texts(quiz(evnet__answered="?")) == ["quiz.evnet.answered"]


def test_a_game_may_have_its_minutes_and_refusals_unasked(quiz):
    assert texts.stray_texts(quiz(minutes="5", refused__other="No.")) == []


@pytest.mark.parametrize("table", ['en = "a"', 'en = "a"\nja = " "', 'en = "a"\nja = "b"\nde = "c"'])
def test_a_key_has_a_text_in_each_language_and_nothing_else(tmp_path, table):
    file = tmp_path / "texts.toml"
    file.write_text(f'["quiz.title"]\n{table}\n')

    with pytest.raises(MissingText, match=r"texts\.toml: quiz\.title"):
        texts.load(file)


# --- Saying -------------------------------------------------------------------------------------------


class Moved(core.Event, frozen=True):
    seat: int
    to: tuple[int, ...]
    card: Literal["ace"] | None
    count: int
    fast: bool = True


WORDS = Wording(
    "quiz",
    "en",
    {
        "quiz.event.moved": "{seat:seat} moves {card} to {to:seat}, {count} times, {fast}.",
        "quiz.event.moved.hidden": "{seat:seat} moves something.",
        "quiz.value.card.ace": "the ace",
        "quiz.value.fast.true": "quickly",
        "quiz.refused.late": "Too late by {by}.",
    },
)


def test_an_event_is_told_with_names_labels_and_numbers():
    assert WORDS.tell(Moved(0, (1, 3), "ace", 2), NAMES) == "Ada moves the ace to Ben, Dan, 2 times, quickly."


def test_without_names_seats_are_told_by_number():
    assert WORDS.tell(Moved(0, (), "ace", 2)) == "seat 0 moves the ace to -, 2 times, quickly."


def test_what_is_hidden_is_told_in_other_words():
    assert WORDS.tell(Moved(0, (1,), None, 2), NAMES) == "Ada moves something."


def test_a_refusal_is_a_sentence():
    assert WORDS.refuse(Refused("late", by=3)) == "Too late by 3."


def test_free_text_stays_as_it_is():
    assert WORDS.label("name", "Zoe") == "Zoe"


def test_a_missing_key_is_told_clearly():
    with pytest.raises(MissingText, match=r"no text in 'en' for quiz\.event\.flown"):
        WORDS.text("event.flown")


def test_a_missing_value_is_told_clearly():
    with pytest.raises(MissingText, match=r"nothing to fill in: quiz\.refused\.late, \{by\}"):
        WORDS.sentence("refused.late")


def test_a_yes_or_no_without_a_label_is_told_clearly():
    with pytest.raises(MissingText, match=r"quiz\.value\.fast\.false"):
        WORDS.tell(Moved(0, (1,), "ace", 1, fast=False), NAMES)


@pytest.mark.parametrize(
    ("language", "event", "told"),
    [
        ("en", happened.Passed(0, 1, 2, ("red-3", "blue-10")), "Ada passes red 3, blue 10 to Ben."),
        ("ja", happened.Passed(0, 1, 2, None), "AdaがBenに札を2枚渡す。"),
        ("en", happened.VotesShown((), (0, 1)), "The general vote. For guilty: -. For innocent: Ada, Ben."),
        ("ja", happened.CounterPlaced(2, "extra", "guilty"), "Cleoが追加カウンターを「有罪」の皿に置く。"),
        ("en", happened.CourtRose("all_judged"), "The court rises. Every colour has its verdict."),
        ("ja", happened.VerdictReached("red", "innocent", early=True), "一般投票により、赤は無罪。"),
    ],
)
def test_what_happens_in_court_reads_well(language, event, told):
    assert wording(tribunal, language).tell(event, NAMES) == told


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_of_a_game_can_be_told_from_every_side(language):
    for event, audience in product(EVENTS, AUDIENCES):
        told = wording(tribunal, language).tell(tribunal.redact(event, audience), NAMES)
        assert "{" not in told
        assert "None" not in told
