"""The words of the table: nothing is missing in either language, nothing stands there in vain, every place can be filled."""

import ast
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

import games.table
from games import bargaining, texts
from games.core import Refused
from games.table import actions as act
from games.table import events as happened
from games.table.house import House, Status
from games.table.rules import union
from games.texts import LANGUAGES, Wording
from tests.laws.harbour import NORTH, Harbour

WORDS = texts.load(files("games.table") / "texts.toml")
EVENTS = (*happened.TYPES, *bargaining.TYPES)
WHYS = ("agreed", "left", "operator")
REASONS = ("rules", "overrun")
STATUS = {"frozen", "disputed", "not_while_open", "not_while_playing"}
"""Codes made of a table's status, which no literal in the source names."""

every_language = pytest.mark.parametrize("language", LANGUAGES)


@cache
def refusals() -> dict[str, set[str]]:
    """The codes that the source of the table raises, with the values that each of them brings."""
    found: dict[str, set[str]] = {code: set() for code in STATUS}
    for file in Path(games.table.__path__[0]).glob("*.py"):
        calls = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call)]
        for call in calls:
            if ast.unparse(call.func) == "Refused":
                for code in literals(call.args[0]):
                    found.setdefault(code, set()).update(word.arg for word in call.keywords)
    return found


def literals(code: ast.expr) -> list[str]:
    """The codes that an expression may give, apart from those made of a status."""
    match code:
        case ast.Constant(value):
            return [value]
        case ast.IfExp(_, one, other):
            return literals(one) + literals(other)
        case _:
            return []


def needed() -> set[str]:
    """Every key that the table must have a text for."""
    kinds = union([*act.SEAT_ACTS, *act.LIFECYCLE])
    keys = texts.needed(SimpleNamespace(name="table", Options=House, Action=kinds, Event=union(happened.TYPES)))
    keys |= {f"table.{key}" for kind in bargaining.TYPES for key in texts._of_event(kind)}
    keys |= {f"table.why.{why}" for why in WHYS} | {f"table.value.reason.{reason}" for reason in REASONS}
    return keys | {f"table.refused.{code}" for code in refusals()}


def blanks(sentence: str) -> set[str]:
    return set(re.findall(r"\{(\w+)(?::seat)?\}", sentence))


# --- Completeness -------------------------------------------------------------------------------------


@every_language
def test_nothing_that_a_table_can_say_is_without_words(language):
    assert needed() - WORDS[language].keys() == set()


def test_no_words_stand_there_in_vain():
    labels = {key for key in WORDS["en"] if key.startswith("table.value.field.")}

    assert WORDS["en"].keys() - needed() - labels == set()


def test_fields_that_a_refusal_may_name_have_labels():
    fields = {field for kind in act.SEAT_ACTS for field in kind.__struct_encode_fields__}

    assert {key.rpartition(".")[2] for key in WORDS["en"] if key.startswith("table.value.field.")} == fields


def test_every_status_that_stops_an_action_is_a_status_of_tables():
    assert {code.removeprefix("not_while_") for code in STATUS} <= set(Status.__args__)


def test_japanese_is_japanese_and_english_is_not():
    japanese = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
    for key, text in WORDS["ja"].items():
        assert japanese.search(text) or not re.sub(r"\{.*?\}|\W", "", text), key
    assert not [key for key, text in WORDS["en"].items() if japanese.search(text)]


# --- Sentences ----------------------------------------------------------------------------------------


@every_language
@pytest.mark.parametrize("kind", EVENTS)
def test_an_event_brings_all_that_its_sentences_need(kind, language):
    info = texts._fields(kind)
    key = f"table.event.{kind.__struct_config__.tag}"

    assert blanks(WORDS[language][key]) <= info.keys()
    assert blanks(WORDS[language].get(f"{key}.hidden", "")) <= info.keys() - texts._may_hide(info)


@every_language
@pytest.mark.parametrize("code", sorted(refusals()))
def test_a_refusal_brings_all_that_its_sentence_needs(code, language):
    assert blanks(WORDS[language][f"table.refused.{code}"]) <= refusals()[code]


@pytest.mark.parametrize(
    "key", sorted(key for key in WORDS["en"] if key.startswith(("table.event.", "table.refused.", "table.value.")))
)
def test_both_languages_tell_the_same(key):
    assert blanks(WORDS["en"][key]) == blanks(WORDS["ja"][key])


@every_language
def test_a_whole_game_is_told_without_a_gap(language):
    words = Wording("table", language, WORDS[language])
    table = Harbour()
    table.do(0, act.Say("Ave!"))
    table.do(table.trader, act.Pay(table.warden, 3))
    table.do(table.warden, act.Accept(table.offer(table.trader, NORTH), 1))
    table.do(table.warden, act.Promise(table.trader, "North.", NORTH, "admit"))
    table.finish()

    told = [words.tell(event) for body in table.bodies for event in body.events if isinstance(event, EVENTS)]

    assert all(told)
    assert not [sentence for sentence in told if "{" in sentence or "None" in sentence]


def test_a_sentence_names_those_it_is_about():
    words = Wording("table", "en", WORDS["en"])
    names = ("Livia", "Marcus", "Flavia")
    gift, paid = bargaining.Paid(0, 1, 5, None, None), bargaining.Paid(0, 1, 5, 9, "w")

    assert words.tell(gift, names) == "Livia gives Marcus 5 chips."
    assert words.tell(paid, names) == "Livia pays Marcus 5 chips for offer 9."
    assert words.tell(happened.Whispered(2, (0, 1), None), names) == "Flavia whispers to Livia, Marcus."
    assert words.tell(happened.TimedOut(1, "clock")) == "Chance plays for seat 1: the time is up."
    assert words.refuse(Refused("not_among_asks", field="amount")) == (
        "That is not open to you now: look at the number of chips."
    )


def test_every_event_and_action_of_the_table_is_in_its_lists():
    for module, kinds in (
        (happened, happened.TYPES),
        (bargaining, (*bargaining.TYPES, *bargaining.SETTLEMENTS)),
        (act, (*act.SEAT_ACTS, *act.LIFECYCLE)),
    ):
        made = {
            kind
            for kind in vars(module).values()
            if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind.__module__ == module.__name__
        }
        assert {kind for kind in made if kind.__struct_config__.tag} == set(kinds)
