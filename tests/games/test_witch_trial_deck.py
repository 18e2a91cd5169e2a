"""The house deck, and what a deck file may look like: facts, bounds, and every way to get one wrong, with its line."""

import re
import tomllib
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from games.core import BadFile
from games.texts import LANGUAGES, load
from games.witch_trial import deck
from games.witch_trial.cards import (
    AnyEffect,
    Charge,
    Deck,
    Draw,
    Evidence,
    Fetch,
    Gamble,
    Motion,
    Objection,
    Rest,
    Suspect,
    Sway,
    ThrowOut,
)
from games.witch_trial.deck_check import COMPOSITION, _Check, faults, words

HERE = Path(deck.__file__).parent
GUIDE = Path(__file__).parents[2] / "docs" / "games" / "decks.md"
HOUSE = deck.house_text()


def card(name):
    (found,) = (card for card in deck.house().cards if card.id == name)
    return found


def of(kind):
    return [card for card in deck.house().cards if isinstance(card, kind)]


def effects(motion):
    """Its effects, and those that hang on its dice."""
    for effect in motion.effects:
        yield effect
        if isinstance(effect, Gamble):
            yield from (*effect.then, *effect.otherwise)


def tag(thing):
    return type(thing).__struct_config__.tag


def numbers(thing):
    """Every number in an effect, without its sign."""
    values = msgspec.structs.asdict(thing).values()
    return [abs(value) for value in values if type(value) is int]


# --- The house deck -----------------------------------------------------------------------------------


def test_the_house_deck_has_84_cards_of_five_kinds():
    copies = Counter()
    for each in deck.house().cards:
        copies[tag(each)] += each.copies

    assert copies == COMPOSITION == {"suspect": 21, "charge": 21, "evidence": 20, "motion": 18, "objection": 4}
    assert copies.total() == 84


def test_the_house_deck_holds_what_the_rules_tell_of_the_printed_one():
    lewis, pet, golf, smuggling = card("lewis_the_bum"), card("faithful_pet"), card("golf"), card("smuggling")

    assert (lewis.name["en"], lewis.guilt) == ("Lewis the Bum", 4)
    assert (pet.name["en"], pet.prosecution, pet.defense) == ("Faithful Pet", 3, 2)
    assert (golf.name["en"], golf.severity, golf.against.get(lewis.id, 0)) == ("Golf", 3, 0)
    assert (smuggling.name["en"], smuggling.severity, smuggling.against[lewis.id]) == ("Smuggling", 5, 2)
    assert [type(effect) for effect in card("drama").effects] == [Gamble, Rest]
    assert card("drama").effects[0].dice == 1
    assert card("short_memory").effects == (Fetch(),)
    assert any(motion.effects == (ThrowOut(),) for motion in of(Motion))


def test_the_house_deck_says_that_it_is_not_the_printed_one():
    assert "not the printed" in deck.house().note["en"]
    assert "市販のゲームのカードではありません" in deck.house().note["ja"]
    assert "not the printed one" in HOUSE.partition("\ntitle")[0]


def test_no_two_cards_have_the_same_id_or_name():
    cards = deck.house().cards
    assert len({card.id for card in cards}) == len(cards)
    for language in LANGUAGES:
        assert len({card.name[language] for card in cards}) == len(cards)


def test_the_house_deck_speaks_both_languages():
    house = deck.house()
    said = [house.title, house.note, *(card.name for card in house.cards), *(card.text for card in of(Motion))]
    assert all(text.keys() == set(LANGUAGES) for text in said)
    assert all(re.search("[぀-ヿ一-鿿]", text["ja"]) for text in said)
    assert all(text["en"].isascii() for text in said)


def test_every_charge_is_another_against_one_suspect_or_two():
    suspects = {card.id for card in of(Suspect)}
    for charge in of(Charge):
        assert 1 <= len(charge.against) <= 2
        assert charge.against.keys() <= suspects
        assert 0 not in charge.against.values()


def test_no_case_is_decided_before_cards_are_played_but_the_one_whose_numbers_are_printed():
    """Lewis the Bum (4) for Smuggling (5 + 2) comes to 11, and two dice show 2 at least."""
    certain = set()
    for suspect in of(Suspect):
        for charge in of(Charge):
            jury = suspect.guilt + charge.severity + charge.against.get(suspect.id, 0)
            convicting = sum(jury + one + two >= 13 for one in range(1, 7) for two in range(1, 7))
            if not jury >= 1 or not 0 < convicting < 36:
                certain.add((suspect.id, charge.id))

    assert certain == {("lewis_the_bum", "smuggling")}
    assert [remark.about for remark in deck.remarks(deck.house())] == ["certain"]


def test_cases_lean_to_neither_side():
    values = [deck.first_jury(suspect, charge) for suspect, charge in deck.pairs(deck.house())]
    chances = [sum(jury + one + two >= 13 for one in range(1, 7) for two in range(1, 7)) / 36 for jury in values]

    assert len(values) == 441
    assert 0.45 <= sum(chances) / len(chances) <= 0.55


def test_every_effect_of_the_vocabulary_is_on_some_card():
    known = {kind.__struct_config__.tag for kind in AnyEffect.__args__}
    assert {tag(effect) for motion in of(Motion) for effect in effects(motion)} == known


def test_the_text_of_a_motion_has_the_numbers_of_its_effects():
    for motion in of(Motion):
        wanted = sorted(number for effect in effects(motion) for number in numbers(effect))
        for language in LANGUAGES:
            assert sorted(int(found) for found in re.findall(r"\d+", motion.text[language])) == wanted, motion.id


WORDS = {
    ("who", "opponent"): ("opponent", "相手"),
    ("how", "random"): ("at random", "無作為"),
    ("how", "choice"): ("choice", "選んだ"),
    ("source", "bank"): ("bank", "銀行"),
    ("source", "opponent"): ("opponent", "相手"),
    ("source", "fees"): ("Legal Fees", "裁判費用"),
    ("target", "opponent"): ("opponent", "相手"),
    ("target", "fees"): ("Legal Fees", "裁判費用"),
    ("what", "evidence"): ("evidence", "証拠"),
    ("what", "witness"): ("witness", "証人"),
    ("what", "charge"): ("new charges", "新しい罪状"),
    ("what", "motion"): ("motions", "動議"),
}
"""How a text says what a field of an effect says."""


def test_the_text_of_a_motion_says_who_and_what():
    seen = set()
    for motion in of(Motion):
        for effect in effects(motion):
            for told in msgspec.structs.asdict(effect).items():
                english, japanese = WORDS.get(told, ("", "")) if type(told[1]) is str else ("", "")
                assert english in motion.text["en"]
                assert japanese in motion.text["ja"]
                seen.add(told) if english else None
    assert seen == WORDS.keys()


def test_money_comes_in_steps_of_five_dollars():
    assert not [remark for remark in deck.remarks(deck.house()) if remark.about == "odd_money"]


def test_evidence_serves_both_sides():
    """The defense a little more: the prosecution chooses the case, and has the last word."""
    prosecution = sum(card.prosecution for card in of(Evidence))
    defense = sum(card.defense for card in of(Evidence))
    assert 0.8 * defense <= prosecution <= defense


def test_the_four_objections_are_one_card():
    assert [card.copies for card in of(Objection)] == [4]


def test_the_house_deck_is_read_once():
    assert deck.house() is deck.house()


def test_a_deck_becomes_plain_values_and_again_a_deck():
    plain = deck.furnish("deck", HOUSE)
    assert msgspec.convert(plain, Deck) == deck.house()
    assert msgspec.json.decode(msgspec.json.encode(plain), type=Deck) == deck.house()
    assert deck.furniture == {"deck": ("house",)}


def test_there_are_no_other_files_than_decks():
    with pytest.raises(BadFile, match="no files of the kind board"):
        deck.furnish("board", HOUSE)


# --- Files that are no deck ---------------------------------------------------------------------------


def changed(old, new, text=HOUSE):
    """The house deck with one place changed, and the line of that place."""
    assert text.count(old) == 1, old
    return text.replace(old, new), text[: text.index(old)].count("\n") + 1


PET = 'id = "faithful_pet"\nname = { en = "Faithful Pet", ja = "忠実なペット" }\nprosecution = 3\ndefense = 2\n'
GOLF = "severity = 3\ncourt = 60\nagainst = { garden_gnome = 2, scarecrow = -1 }"
FETCH = '{ effect = "fetch" }'
OBJECTION = 'name = { en = "Objection!", ja = "異議あり！" }\n'
ONE_MORE = '[[cards]]\nkind = "objection"\nid = "another"\nname = { en = "Hm!" }\n'

BAD = [
    # what is changed, into what, how many lines below it is told, the reason, and words of the sentence
    ('id = "golf"', 'id = "golf', 0, "syntax", "not TOML"),
    ("guilt = 6", "guilt = 6\nguilt = 6", 1, "syntax", "overwrite"),
    ("copies = 4", "copies = [", 0, "syntax", "end of the file"),
    ("title = {", 'owner = "me"\ntitle = {', 0, "unknown_field", "owner: there is no such field; there are title, note, cards"),
    ("title = {", "heading = {", 0, "unknown_field", "heading"),
    ("note = {", 'note = "A deck." #', 0, "not_a_table", "note"),
    ('kind = "objection"\n', "", -1, "missing_field", "objection: the field kind is missing"),
    ('kind = "objection"', 'kind = "shout"', 0, "unknown_kind", "no kind of card shout; there are suspect, charge"),
    ('kind = "objection"', "kind = 4", 0, "unknown_kind", "no kind of card 4"),
    ('id = "golf"', 'id = "Golf"', 0, "bad_id", "Golf"),
    ('id = "golf"', "id = 18", 0, "bad_id", "18"),
    ('id = "golf"\n', "", -2, "missing_field", "cards > 32: the field id"),
    ('id = "golf"', 'id = "smuggling"', 72, "duplicate_id", "smuggling stands on line 251 already"),
    ('id = "golf"', 'id = "lewis_the_bum"', 0, "duplicate_id", "lewis_the_bum stands on line 106 already"),
    (PET, PET.replace("prosecution = 3", 'prosecution = "3"'), 2, "not_in_range", "from 0 to 11 is expected, not 3"),
    (PET, PET.replace("prosecution = 3", "prosecution = 3.0"), 2, "not_in_range", "not 3.0"),
    (PET, PET.replace("prosecution = 3", "prosecution = true"), 2, "not_in_range", "not true"),
    (PET, PET.replace("defense = 2", "defense = -2"), 3, "not_in_range", "faithful_pet > defense"),
    (PET, PET.replace("defense = 2", "defence = 2"), 3, "unknown_field", "defence"),
    (PET, PET.replace("prosecution = 3\n", ""), -2, "missing_field", "faithful_pet: the field prosecution is missing"),
    (PET, PET + "guilt = 2\n", 4, "unknown_field", "guilt: there is no such field; there are kind, id, name, copies, prosecution, defense"),
    (PET, PET.replace('{ en = "Faithful Pet", ja = "忠実なペット" }', "{}"), 1, "no_words", "one language at least: en, ja"),
    (PET, PET.replace('ja = "忠実', 'jp = "忠実'), 1, "unknown_language", "name > jp"),
    (PET, PET.replace('"Faithful Pet"', '" "'), 1, "bad_words", "1 to 80"),
    (PET, PET.replace('"Faithful Pet"', '"' + "x" * 81 + '"'), 1, "bad_words", "1 to 80"),
    (PET, PET.replace('"Faithful Pet"', '"Pet\\u001b[2J"'), 1, "bad_words", "name > en"),
    (PET, PET.replace('"Faithful Pet"', "7"), 1, "bad_words", "name > en"),
    ("guilt = 6", "guilt = 7", 0, "not_in_range", "from 1 to 6"),
    ("guilt = 6", "guilt = 0", 0, "not_in_range", "from 1 to 6"),
    (GOLF, GOLF.replace("severity = 3", "severity = 10"), 0, "not_in_range", "from 0 to 9"),
    (GOLF, GOLF.replace("court = 60", "court = 501"), 1, "not_in_range", "from 0 to 500"),
    (GOLF, GOLF.replace("scarecrow", "nobody"), 2, "unknown_suspect", "golf > against > nobody: there is no suspect"),
    (GOLF, GOLF.replace("scarecrow", "faithful_pet"), 2, "unknown_suspect", "no suspect with the id faithful_pet"),
    (GOLF, GOLF.replace("-1", "-7"), 2, "not_in_range", "from -6 to 6"),
    (GOLF, GOLF.replace("{ garden_gnome = 2, scarecrow = -1 }", "2"), 2, "not_a_table", "golf > against"),
    ("copies = 4", "copies = 0", 0, "not_in_range", "from 1 to 5"),
    ("copies = 4", "copies = 3", -4, "composition", "4 objections, copies counted; this one has 3"),
    ("copies = 4", "copies = 5", -4, "composition", "this one has 5"),
    ("copies = 4", f"copies = 4\n\n{ONE_MORE}", 2, "composition", "this one has 5"),
    (f'id = "objection"\n{OBJECTION}', f'id = "objection"\n{OBJECTION}prosecution = 1\n', 2, "unknown_field", "prosecution"),
    (FETCH, '{ effect = "fech" }', 0, "unknown_effect", "no effect fech; there are sway, jury_to, draw, discard, steal, peek, fetch, collect, pay, rest, throw_out, impeach, forbid, pick, gamble"),
    (FETCH, '{ efect = "fetch" }', 0, "missing_field", "short_memory > effects > 1: the field effect is missing"),
    (FETCH, '{ effect = "fetch", count = 1 }', 0, "unknown_field", "effects > 1 > count"),
    (FETCH, '{ effect = "draw", count = 1 }', 0, "missing_field", "the field who"),
    (FETCH, '{ effect = "draw", who = "me", count = 1 }', 0, "not_one_of", "you, not me"),
    (FETCH, '{ effect = "draw", who = "you", count = 6 }', 0, "not_in_range", "from 1 to 5"),
    (FETCH, '{ effect = "collect", source = "bank", amount = -5 }', 0, "not_in_range", "from 0 to 500"),
    (FETCH, '"fetch"', 0, "not_a_table", "short_memory > effects > 1"),
    (f"[{FETCH}]", FETCH, 0, "not_a_list", "short_memory > effects"),
    (f"[{FETCH}]", "[]", 0, "wrong_length", "1 to 6 are allowed here, these are 0"),
    (f"[{FETCH}]", f"[{', '.join([FETCH] * 7)}]", 0, "wrong_length", "these are 7"),
    (f"[{FETCH}]", f"[\n{FETCH},\n  # and\n  {{ effect = 'nap' }}]", 3, "unknown_effect", "effects > 2 > effect: there is no effect nap"),
    (FETCH, '{ effect = "gamble", dice = 1, at_least = 4 }', 0, "no_stakes", "nothing is at stake"),
    (FETCH, f'{{ effect = "gamble", dice = 1, at_least = 7, then = [{FETCH}] }}', 0, "impossible_roll", "one die never shows 7"),
    (FETCH, f'{{ effect = "gamble", dice = 3, at_least = 7, then = [{FETCH}] }}', 0, "not_one_of", "1, 2, not 3"),
    (FETCH, f'{{ effect = "gamble", dice = true, at_least = 4, then = [{FETCH}] }}', 0, "not_one_of", "not true"),
    (FETCH, f'{{ effect = "gamble", dice = 2, at_least = 7, then = {FETCH} }}', 0, "not_a_list", "effects > 1 > then"),
    (FETCH, f'{{ effect = "gamble", dice = 2, at_least = 7, otherwise = [{{ effect = "gamble", dice = 1, at_least = 4, then = [{FETCH}] }}] }}', 0, "nested", "a gamble cannot stand within a gamble"),
    (FETCH, f'{{ effect = "rest", then = [{FETCH}] }}', 0, "unknown_field", "effects > 1 > then"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "below", "reason", "said"), BAD, ids=[f"{n}-{row[3]}" for n, row in enumerate(BAD)]
)
def test_a_bad_file_is_refused_with_its_line_and_the_reason(old, new, below, reason, said):
    text, line = changed(old, new)
    with pytest.raises(BadFile) as refused:
        deck.parse(text)
    assert (refused.value.line, refused.value.reason) == (line + below, reason)
    assert said in refused.value.sentence
    assert str(refused.value) == f"line {line + below}: {refused.value.sentence}"


@pytest.mark.parametrize(
    ("text", "line", "reason", "said"),
    [
        ("", 1, "missing_field", "deck: the field title"),
        ("cards = 3", 1, "not_a_list", "cards"),
        ('title = {en="x"}\nnote = {en="x"}\ncards = []\n', 3, "composition", "21 suspects, copies counted; this one has 0"),
        ('title = {en="x"}\nnote = {en="x"}\ncards = [3]\n', 3, "not_a_table", "cards > 1"),
        ("x = " + "[" * 5000 + "]" * 5000, None, "syntax", "too deep"),
        ("x = " + "9" * 5000, None, "syntax", "too long"),
        ('x = 1\ny = "', 2, "syntax", "not TOML"),
    ],
    ids=["empty", "no list", "no cards", "no card", "deep", "long", "open"],
)  # fmt: skip
def test_a_file_that_is_nothing_like_a_deck_is_refused_too(text, line, reason, said):
    found = faults(text)
    assert (line, reason) in [(fault.line, fault.reason) for fault in found]
    assert any(said in fault.sentence for fault in found)


def test_all_faults_of_a_file_are_told_in_the_order_of_its_lines():
    text = HOUSE.replace("guilt = 6", "guilt = 60").replace(FETCH, "3").replace('id = "golf"', 'id = ""')
    found = faults(text)
    assert [fault.reason for fault in found] == ["not_in_range", "bad_id", "not_a_table"]
    assert [fault.line for fault in found] == sorted(fault.line for fault in found)


def test_a_fault_is_told_in_japanese_as_well():
    text, _ = changed('id = "golf"', 'id = "Golf"')
    (fault,) = faults(text)
    assert "Golfは使えません" in fault.sentence_in("ja")
    assert fault.sentence_in("en") == fault.sentence


def test_every_reason_is_tried_here():
    """What is said of a file, as far as it makes one unfit, stands before the remarks."""
    text = (HERE / "deck_faults.toml").read_text("utf-8").partition("# --- Remarks")[0]
    told = {key.removeprefix("deck.") for key in tomllib.loads(text)}
    assert told == {row[3] for row in BAD} | {"no_such_kind"}


def test_what_is_said_has_the_same_places_to_fill_in_both_languages():
    told = load(HERE / "deck_faults.toml")
    for key in told["en"]:
        places = [sorted(re.findall(r"\{\w+\}", told[language][key])) for language in LANGUAGES]
        assert places[0] == places[1], key


def test_a_value_of_the_file_is_repeated_shortly_and_does_nothing_to_a_terminal():
    text, _ = changed('id = "golf"', 'id = "\\u001b[2J' + "x" * 500 + '"')
    (fault,) = faults(text)
    assert fault.sentence.isprintable()
    assert len(fault.sentence) < 200


WEIRD = [0, -1, 99, 10**30, 2.5, True, "", "x", "house", [], [[]], [{}], {}, {"en": "x"}, {"en": 1}, tomllib.loads("x = 2000-01-01")["x"]]  # fmt: skip


def places(data):
    """Where something stands in a deck that may be replaced: the first card of each kind, and motions of every make."""
    wanted = [0, 21, 42, *(n for n, each in enumerate(data["cards"]) if each["id"] in ("drama", "subpoena")), 80]
    yield from [("title",), ("title", "en"), ("note",), ("cards",)]
    for index in wanted:
        yield ("cards", index)
        yield from under(("cards", index), data["cards"][index])


def under(path, value):
    """All that stands in the value, however deep."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield (*path, name)
        yield from under((*path, name), part)


def written(value):
    """A value in TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {written(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(written(part) for part in value) + "]"
    if isinstance(value, str):
        return msgspec.json.encode(value).decode()
    return str(value).lower()


@pytest.mark.parametrize("weird", WEIRD, ids=repr)
def test_whatever_stands_in_a_file_it_is_a_deck_or_is_refused(weird):
    """What is looked for is at least what the types refuse."""
    for path in places(tomllib.loads(HOUSE)):
        data = tomllib.loads(HOUSE)
        place = data
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = weird
        check = _Check(data, {})
        check.run()
        assert all(fault.sentence for fault in check.found)
        if not check.found:
            assert msgspec.convert(data, Deck).cards


# --- Other ways to write a deck -----------------------------------------------------------------------


def test_a_deck_may_be_written_in_other_forms_of_toml():
    data = tomllib.loads(HOUSE)
    lines = ["title.en = 'House deck'", 'title."ja" = "ハウスデッキ"', f"note = {written(data['note'])}"]
    for each in data["cards"]:
        rest = {name: value for name, value in each.items() if name not in ("name", "effects")}
        lines += ["[[ cards ]]  # one", *(f"{name} = {written(value)}" for name, value in rest.items())]
        lines += ["[cards.name]", *(f'"{language}" = """\n{text}"""' for language, text in each["name"].items())]
        for effect in each.get("effects", ()):
            lines += ["[[cards.effects]]", *(f"{name} = {written(value)}" for name, value in effect.items())]
    text = "\r\n".join(lines)
    assert deck.parse(text) == deck.house()

    wrong, line = changed('effect = "fetch"', 'effect = "fech"', text)
    assert [(fault.line, fault.reason) for fault in faults(wrong)] == [(line, "unknown_effect")]
    wrong, line = changed('"en" = """\nGolf"""', 'en = ""', text)
    assert [(fault.line, fault.reason) for fault in faults(wrong)] == [(line, "bad_words")]


def test_one_language_is_enough():
    text = re.sub(r', ja = "[^"]*"', "", HOUSE)
    found = deck.parse(text)
    assert all(card.name.keys() == {"en"} for card in found.cards)
    untold = [remark.params for remark in deck.remarks(found) if remark.about == "untold"]
    assert untold == [{"count": len(found.cards), "missing": "ja"}]


def test_a_text_may_have_the_wide_space_of_japanese():
    text, _ = changed("忠実なペット", "忠実な　ペット")
    assert any(card.name["ja"] == "忠実な　ペット" for card in deck.parse(text).cards if "ja" in card.name)


def test_what_is_odd_but_allowed_is_remarked_on():
    odd = HOUSE.replace("guilt = 6\ndefense = 60", "guilt = 6\ndefense = 61")
    odd = odd.replace('[{ effect = "throw_out" }]', '[{ effect = "throw_out" }, { effect = "peek" }]')
    odd = odd.replace("amount = 50", "amount = 52")
    about = Counter(remark.about for remark in deck.remarks(deck.parse(odd)))
    assert about == {"certain": 1, "odd_money": 2, "after_the_end": 1}


def test_every_remark_can_be_told():
    odd = HOUSE.replace("guilt = 2", "guilt = 6").replace("defense = 60", "defense = 61").replace(', ja = "密輸"', "")
    odd = odd.replace('{ effect = "throw_out" }', '{ effect = "throw_out" }, { effect = "peek" }')
    found = deck.remarks(deck.parse(odd))
    assert {remark.about for remark in found} == {"certain", "odd_money", "after_the_end", "untold"}
    for language in LANGUAGES:
        assert all("{" not in words(language).sentence(remark.about, **remark.params) for remark in found)


# --- The guide ----------------------------------------------------------------------------------------


def test_the_examples_of_the_guide_are_those_of_a_deck():
    guide = GUIDE.read_text("utf-8")
    shown = tomllib.loads("\n".join(re.findall(r"^```toml\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)))
    house = tomllib.loads(HOUSE)["cards"]
    for each in shown["cards"]:
        house.remove(next(card for card in house if card["kind"] == each["kind"]))
    for each in house:
        each.pop("against", None)
    text = "\n".join(
        f"{name} = {written(value)}" for name, value in {**shown, "cards": [*shown["cards"], *house]}.items()
    )

    found = deck.parse(text)

    assert {tag(card) for card in found.cards[:5]} == COMPOSITION.keys()
    assert found.cards[3].effects == (Sway(by=2), Draw(who="you", count=1))


def test_the_guide_has_an_example_of_every_effect():
    rows = re.findall(r"^\| `(\w+)` \|.*\| `(\{ effect = .*\})` \|$", GUIDE.read_text("utf-8"), re.MULTILINE)
    for name, example in rows:
        text, _ = changed(FETCH, example)
        motion = next(card for card in deck.parse(text).cards if card.id == "short_memory")
        assert tag(motion.effects[0]) == name
    assert {name for name, _ in rows} == {kind.__struct_config__.tag for kind in AnyEffect.__args__}


def test_the_guide_has_every_field():
    guide = GUIDE.read_text("utf-8")
    for kind in (Deck, Suspect, Charge, Evidence, Motion, Objection, *AnyEffect.__args__):
        for field in kind.__struct_encode_fields__:
            assert f"`{field}`" in guide, field
