"""Words, deeds and sentences: the terminal fills in as the wire says, and in both languages."""

import tomllib
from pathlib import Path

import msgspec
import pytest

import clients.terminal
from clients.terminal.deeds import deed_text, terms_text
from clients.terminal.telling import Teller
from clients.terminal.words import Words
from games import texts, tribunal
from games.tribunal import events as happened
from tests.clients.terminal_support import OFFER, entry, update, view, words

OWN = tomllib.loads((Path(clients.terminal.__file__).parent / "texts.toml").read_text("utf-8"))


def test_every_own_text_is_there_in_both_languages():
    assert all(table.keys() == {"en", "ja"} and all(table.values()) for table in OWN.values())


def test_both_languages_fill_in_the_same_places():
    for key, table in OWN.items():
        blanks = [sorted(set(texts._BLANK.findall(table[language]))) for language in ("en", "ja")]
        assert blanks[0] == blanks[1], key


@pytest.mark.parametrize(
    "event",
    [
        happened.ColourChosen(1, "red"),
        happened.VotesShown((1, 2), ()),
        happened.Dealt(0, 4, ("red-7", "blue-3", "green-10", "green-4")),
        happened.Dealt(0, 4, None),
        happened.CourtRose("all_judged"),
        happened.Settled(2, -10),
        happened.DirectionChosen(3, "clockwise", (0, 1, 2, 3)),
    ],
    ids=lambda event: type(event).__name__,
)
@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_it_tells_events_as_the_server_would(event, language):
    told = words(language).tell(msgspec.to_builtins(event))
    assert told == texts.wording(tribunal, language).tell(event, ["Livia", "Marcus", "Flavia", "Gaius"])


def test_an_event_that_nobody_knows_is_told_by_its_fields():
    assert words().tell({"type": "eclipsed", "moon": 3}) == "eclipsed: moon 3"


def test_seats_without_names_are_told_by_number():
    assert Words("en").seat(3) == "seat 3"
    assert Words("ja").seat(3) == "席3"
    assert Words("xx").language == "en"


def test_deeds_are_nouns():
    say = words()
    assert deed_text(say, {"type": "place", "pan": "innocent"}) == "a counter on innocent"
    assert deed_text(say, {"type": "place", "pan": "guilty", "counter": "extra"}) == "the extra counter on guilty"
    assert deed_text(say, {"type": "exile", "exile": False}) == "no exile"
    assert deed_text(say, {"type": "give", "to": 1, "counter": "extra"}) == "the extra counter for Marcus"
    assert deed_text(say, None) == "none"
    assert deed_text(words("ja"), {"type": "choose_colour", "colour": "red"}) == "赤を裁くこと"


def test_deeds_of_other_games_are_told_by_labels():
    say = Words("en", "harbour", {"harbour.action.admit": "Admit", "harbour.value.pier.north": "north pier"})
    assert deed_text(say, {"type": "admit"}) == "Admit"
    assert deed_text(say, {"type": "admit", "pier": "north"}) == "Admit (pier: north pier)"
    assert deed_text(say, {"type": "admit", "to": 2, "ships": ["a", "b"]}) == "Admit (to: seat 2, ships: a, b)"


def test_terms_say_how_often_and_what_must_not_be_done():
    say = words()
    assert terms_text(say, {**OFFER, "times": 2}) == "a counter on guilty, 2 times"
    none = {**OFFER, "never": {"type": "place", "pan": "innocent"}}
    assert terms_text(say, none) == "a counter on guilty, none on innocent"
    other = {**OFFER, "never": {"type": "give", "to": 2}}
    assert terms_text(say, other) == "a counter on guilty, without a counter for Flavia"


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ({"type": "offered", **OFFER, "offer": 50}, "Flavia offers Livia 3 chips for a counter on guilty."),
        ({"type": "amended", **OFFER, "offer": 34, "was": 3, "amount": 1}, "Flavia now offers Livia 1 chip"),
        (
            {"type": "accepted", "offer": 34, "version": 2},
            "Livia accepts the 3 chips of Flavia for a counter on guilty.",
        ),
        (
            {"type": "offer_ended", "offer": 34, "how": "declined", "payer": 2, "payee": 0, "amount": 3},
            "Livia declines",
        ),
        ({"type": "offer_ended", "offer": 34, "how": "lapsed", "payer": 2, "payee": 0, "amount": 3}, "Flavia keeps"),
        (
            {"type": "paid", "payer": 2, "payee": 0, "amount": 3, "offer": 34, "window": "x"},
            "Flavia pays Livia 3 chips.",
        ),
        ({"type": "paid", "payer": 2, "payee": 0, "amount": 1, "offer": None, "window": None}, "a present of 1 chip"),
        ({"type": "promised", "by": 0, "to": 1, "text": "Yes.", "does": None, "kind": None}, 'promises Marcus: "Yes."'),
        ({"type": "said", "seat": 1, "text": "Salve {seat}"}, 'Marcus: "Salve {seat}"'),
        ({"type": "left", "seat": 1, "player": "p1"}, "Marcus leaves"),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_bargaining_is_told_in_the_terminals_own_words(event, told):
    teller = Teller(words())
    teller.begin(view())
    shown = teller.tell(update(view(), happened=entry(41, 0, {"type": "x"}, event)))
    assert told in shown[0].text


def test_a_paid_offer_is_told_once():
    teller = Teller(words())
    teller.begin(view())
    ended = {"type": "offer_ended", "offer": 34, "how": "paid", "payer": 2, "payee": 0, "amount": 3}
    assert teller.tell(update(view(), happened=entry(41, 0, {"type": "x"}, ended))) == []
