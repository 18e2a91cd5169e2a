"""The trail as CSV, as DOT and as a picture: well formed whatever people are called, and without a label over another."""

import csv
import io
import re
from functools import lru_cache
from random import Random
from xml.etree import ElementTree as ET

import msgspec
import pytest

from games import texts, tribunal
from projections.story import tell
from projections.trail import Trail, as_csv, as_dot, as_svg, trail
from projections.trail import layout as laid
from projections.trail.lettering import shortened, width, wrapped
from projections.trail.marks import LOOKS
from projections.trail.pieces import Bribe, Decision, Matter, Moved, Terms, Totals, TurnTotal
from projections.trail.sheet import COLUMNS
from projections.trail.words import OUTCOMES, outcome, speech
from tests.laws.harbour import NORTH, Harbour
from tests.projections.test_trail import GUILTY, INNOCENT, Court

SVG = "{http://www.w3.org/2000/svg}"

HOSTILE = (
    "</text><script>alert(1)</script>",
    'Livia "the\\knife" \\N',
    "=cmd|' /C calc'!A0",
    "two\nlines\r\n\tand a tab",
    "\u202egnp.exe\u0000\u0007\ud800",
    "<b>&amp;&#0;]]>",
    "@SUM(A1),x;y",
)

every_language = pytest.mark.parametrize("language", texts.LANGUAGES)


@lru_cache(maxsize=1)
def judged() -> Trail:
    """A trial with an offer of each outcome, and a gift."""
    court = Court().pleading(guilty=3)
    first, second, third, chair = court.order
    court.do(third, {"type": "pay", "to": first, "amount": 2})
    court.do(third, {"type": "pay", "to": first, "amount": 1})
    court.strike(court.table.seq)
    court.offer(chair, first, GUILTY, 5)
    court.offer(second, first, INNOCENT, 9, times=2, never=GUILTY)
    court.offer(first, second, INNOCENT, 4)
    court.place("g", "i", "g", "i")
    offer = court.offer(second, court.game.turn, {"type": "choose_colour", "colour": "blue"}, 1)
    court.colour("blue")
    found = court.trail()
    decisive = next(bribe for bribe in found.bribes if bribe.decisive)
    assert offer != decisive.id
    told = tuple(
        msgspec.structs.replace(bribe, broken=(7, 9)) if bribe is decisive else bribe for bribe in found.bribes
    )
    return msgspec.structs.replace(found, bribes=told)


def invented(seats: int, turns: int, each: int, amount: int = 30) -> Trail:
    """A trail of any size."""
    rng, bribes, sums = Random(seats * 1000 + turns), [], []
    nothing = tuple(Moved(seat, 0, 0) for seat in range(seats))
    for turn in range(1, turns + 1):
        decision = Decision(f"trial:{turn}", "red", rng.choice(("guilty", "innocent", "undecided")), turn * 1000 + 999)
        for number in range(each):
            payer, payee = rng.sample(range(seats), 2)
            seq = turn * 1000 + number
            does = {"type": "place", "pan": rng.choice(("guilty", "innocent")), "counter": "extra"}
            never = {"type": "give", "to": payer} if rng.random() < 0.3 else None
            how, kind = rng.choice(("paid", "paid", "lapsed")), rng.choice(("offer", "offer", "gift"))
            bribes.append(
                Bribe(
                    kind=kind, id=seq, turn=f"trial:{turn}", payer=payer, payee=payee, payer_player=None,
                    payee_player=None, amount=rng.randint(1, amount), window=Matter(f"plea:{turn}:{payee}", "plea"),
                    versions=(Terms(seq, 1, does, rng.randint(1, 20), never),) if kind == "offer" else (), made=seq, accepted=None, ended=seq,
                    how=how, paid=0, deeds=(), decision=decision, wanted="guilty",
                    way=rng.choice(("payer", "other", None)), without="innocent", decisive=rng.random() < 0.3,
                    broken=(1,) if rng.random() < 0.3 else (), struck_by=seq if rng.random() < 0.1 else None,
                )
            )  # fmt: skip
        sums.append(TurnTotal(f"trial:{turn}", (decision,), 99, nothing))
    return Trail("t1", "tribunal", 1, seats, 99999, True, tuple(bribes), Totals(0, nothing, tuple(sums)))


def test_every_outcome_is_among_what_is_rendered_here():
    assert {outcome(bribe) for bribe in judged().bribes} == set(OUTCOMES)


@pytest.mark.parametrize("render", [as_csv, as_dot, as_svg])
def test_there_are_words_in_two_languages_only(render):
    assert render(judged(), "en") != render(judged(), "ja")
    with pytest.raises(ValueError, match="en, ja"):
        render(judged(), "la")


@every_language
@pytest.mark.parametrize("render", [as_csv, as_dot, as_svg])
def test_the_same_trail_gives_the_same_text(render, language):
    again = msgspec.json.decode(msgspec.json.encode(judged()), type=Trail)

    assert render(judged(), language) == render(again, language)


# --- CSV ----------------------------------------------------------------------------------------------


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


@every_language
def test_csv_has_a_row_for_each_bribe_and_a_header(language):
    text = as_csv(judged(), language)
    lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))

    assert {len(line) for line in lines} == {len(COLUMNS)}
    assert len(set(lines[0])) == len(COLUMNS)
    assert [int(line[1]) for line in lines[1:]] == [bribe.id for bribe in judged().bribes]
    assert text.endswith("\r\n")
    assert text.count("\r\n") == len(lines)


def test_csv_says_what_came_of_it():
    paid = next(row for row in rows(as_csv(judged())) if row["decisive"] == "yes" and row["how it ended"] == "paid")

    assert (paid["turn"], paid["for"], paid["chips paid"]) == ("Trial 1", "Place a counter: guilty", "5")
    assert (paid["judged"], paid["verdict"], paid["verdict wanted"]) == ("red", "guilty", "guilty")
    assert (paid["whose way it went"], paid["verdict without that deed"]) == ("the payer's way", "undecided")
    assert paid["what the payee did"].endswith("Place a counter: verdict, guilty (as offered)")
    assert paid["promises broken then or later"] == "7, 9"


def test_csv_in_japanese():
    paid = rows(as_csv(judged(), "ja"))[2]

    assert (paid["裁判・手番"], paid["求める行い"], paid["判決"]) == ("裁判1", "カウンターを置く：有罪", "有罪")


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_no_cell_is_a_formula(sign):
    found = msgspec.structs.replace(
        judged(), bribes=tuple(msgspec.structs.replace(b, payer_player=f"{sign}1+1") for b in judged().bribes)
    )

    assert {row["payer's player id"] for row in rows(as_csv(found))} == {f"'{sign}1+1"}


@every_language
def test_hostile_names_stay_in_their_cells(language):
    found = list(csv.reader(io.StringIO(as_csv(judged(), language, HOSTILE), newline=""), strict=True))

    assert {len(line) for line in found} == {len(COLUMNS)}
    cells = [cell for line in found for cell in line]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)
    assert f"'{HOSTILE[2]}" in cells
    assert "two lines and a tab" in cells


# --- DOT ----------------------------------------------------------------------------------------------

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|->|[\w.]+|[{}\[\]=,;]|\s+')


def tokens(text: str) -> list[str]:
    """What the text is made of; nothing may be left over."""
    found, place = [], 0
    while place < len(text):
        match = TOKEN.match(text, place)
        assert match, f"no token: {text[place : place + 40]!r}"
        found.append(match[0])
        place = match.end()
    return [token for token in found if token.strip()]


@every_language
@pytest.mark.parametrize("names", [(), HOSTILE])
def test_dot_is_well_formed(language, names):
    found = tokens(as_dot(judged(), language, names))

    assert found[:3] == ["digraph", "trail", "{"]
    assert found.count("{") == found.count("}")
    assert found.count("[") == found.count("]")
    assert found.count("->") == len(judged().bribes) + len(OUTCOMES)
    assert not any("\n" in token for token in found)


def test_dot_has_a_box_a_trial_and_says_amount_deed_and_verdict_on_the_edge():
    text = as_dot(judged(), "en", ("Livia",))

    assert text.count("subgraph") == 3
    assert 'label="Trial 1\\nred: guilty"' in text
    assert '[label="5\\nTrial 1\\nPlace a counter: guilty\\nred: guilty\\nDecisive: otherwise undecided\\n' in text
    assert '[label="Livia"]' in text


def test_a_quote_or_a_backslash_in_a_name_stays_one():
    assert '[label="Livia \\"the\\\\knife\\" \\\\N"]' in as_dot(judged(), "en", HOSTILE)


# --- SVG ----------------------------------------------------------------------------------------------


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)


def arrows(picture: ET.Element) -> list[ET.Element]:
    return picture.findall(f"{SVG}g[@role='graphics-symbol img']")


@every_language
@pytest.mark.parametrize("names", [(), HOSTILE])
def test_the_picture_is_well_formed_and_has_nothing_in_it_that_acts(language, names):
    picture = parsed(as_svg(judged(), language, names))

    assert picture.tag == f"{SVG}svg"
    assert {each.tag.removeprefix(SVG) for each in picture.iter()} <= {
        "svg", "title", "desc", "rect", "path", "text", "g",
    }  # fmt: skip
    values = [(name, value) for each in picture.iter() for name, value in each.attrib.items()]
    assert not [name for name, _ in values if name.startswith("on") or "href" in name or name == "style"]
    assert not [value for name, value in values if "url(" in value or "://" in value]


def test_hostile_names_are_shown_as_they_are():
    shown = " ".join(parsed(as_svg(judged(), "en", HOSTILE)).itertext())

    assert "</text><script>alert(1)</script>" in shown
    assert "two lines and a tab" in shown
    assert "\u202e" not in shown


@every_language
def test_the_picture_has_a_title_a_description_and_words_for_every_arrow(language):
    picture = parsed(as_svg(judged(), language))
    told = speech(judged(), language, ())

    named = picture.attrib["aria-labelledby"].split()
    assert [picture.find(f"{SVG}{tag}").attrib["id"] for tag in ("title", "desc")] == named
    assert picture.find(f"{SVG}title").text == told.say(
        "title", game=texts.wording(tribunal, language).text("title"), table="t1"
    )
    assert len(arrows(picture)) == len(judged().bribes)
    for arrow, bribe in zip(arrows(picture), judged().bribes, strict=True):
        words = arrow.find(f"{SVG}title").text
        assert told.seat(bribe.payer) in words
        assert told.seat(bribe.payee) in words
        assert told.say(f"outcome.{outcome(bribe)}") in words


def test_the_verdicts_stand_at_the_heads_and_the_chips_with_them():
    shown = [text.text for text in parsed(as_svg(judged())).iter(f"{SVG}text")]

    assert shown.index("red: guilty") == shown.index("Trial 1") + 1
    assert shown[shown.index("Trial 1") + 2] == "11 paid"
    assert shown[shown.index("Trial 2") + 1] == "no verdict"
    assert {told for told in shown if told and told.startswith("paid ")} == {
        f"paid {each.paid}, got {each.received}" for each in judged().totals.seats
    }


def test_an_arrow_is_the_thicker_the_more_chips():
    picture = parsed(as_svg(judged()))
    thick = [float(arrow.find(f"{SVG}path").attrib["stroke-width"]) for arrow in arrows(picture)]
    amounts = [bribe.amount for bribe in judged().bribes]

    assert sorted(range(len(thick)), key=lambda n: thick[n]) == sorted(range(len(thick)), key=lambda n: amounts[n])


def test_each_outcome_has_a_colour_dashes_and_a_mark_of_its_own():
    assert set(LOOKS) == set(OUTCOMES)
    for told in ("colour", "dashes"):
        assert len({getattr(look, told) for look in LOOKS.values()}) == len(LOOKS)
    assert len({(look.mark(0, 0), look.hollow) for look in LOOKS.values()}) == len(LOOKS)


def test_every_colour_can_be_seen_on_white():
    for look in LOOKS.values():
        assert 1.05 / (lightness(look.colour) + 0.05) >= 3


def lightness(colour: str) -> float:
    """The relative luminance of WCAG."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@every_language
@pytest.mark.parametrize(
    ("seats", "turns", "each"), [(2, 1, 1), (2, 3, 40), (4, 4, 6), (5, 60, 3), (7, 12, 30), (8, 3, 100), (8, 60, 8)]
)
def test_no_label_lies_over_another_or_over_an_arrow_and_all_stays_on_the_page(seats, turns, each, language):
    found = invented(seats, turns, each)
    names = [f"a rather long name {seat}" for seat in range(seats)]
    bands = laid.bands(found, speech(found, language, names), 100.0)

    shown = [arrow for band in bands for column in band.columns for arrow in column.arrows]
    assert [arrow.bribe.id for arrow in shown] == [bribe.id for bribe in found.bribes]
    for band in bands:
        assert band.across <= laid.PAGE
        boxes = [arrow.box for column in band.columns for arrow in column.arrows]
        lines = [
            (arrow.x - 8, min(arrow.start, arrow.end) + 7, arrow.x + 8, max(arrow.start, arrow.end) - 7)
            for column in band.columns
            for arrow in column.arrows
        ]
        for place, box in enumerate(boxes):
            assert not [other for other in boxes[place + 1 :] if meet(box, other)]
            assert not [line for line in lines if meet(box, line)]
        for column in band.columns:
            for arrow in column.arrows:
                assert column.x <= arrow.x - 8
                assert arrow.box[2] <= column.x + column.across
        assert all(box[1] >= band.y + laid.HEAD for box in boxes)
        assert all(box[3] <= band.lanes[-1] for box in boxes)


def test_a_turn_too_broad_for_the_page_goes_on_below():
    found = invented(4, 1, 60)
    shown = [text.text for text in parsed(as_svg(found)).iter(f"{SVG}text")]

    assert shown.count("Trial 1") == 1
    assert shown.count("Trial 1 (continued)") >= 4


def test_without_a_bribe_the_picture_says_so():
    empty = Court().trail()

    assert "No chips were offered or given." in [t.text for t in parsed(as_svg(empty)).iter(f"{SVG}text")]
    assert as_csv(empty).count("\r\n") == 1
    assert "cluster_0" not in as_dot(empty)


# --- Words --------------------------------------------------------------------------------------------


@every_language
def test_a_game_without_texts_is_told_in_its_own_terms(language):
    harbour = Harbour()
    harbour.offer(harbour.trader, NORTH)
    harbour.admit("north", "north", "south")
    found = trail(tell(harbour.rules, "all", harbour.bodies), ())

    assert any(
        "admit" in cell and "north" in cell for cell in next(csv.reader([as_csv(found, language).split("\r\n")[1]]))
    )
    assert parsed(as_svg(found, language)) is not None
    assert tokens(as_dot(found, language))


def test_seats_in_deeds_are_told_by_name():
    told = speech(judged(), "en", ("Livia", "Marcus"))

    assert told.deed({"type": "give", "counter": "verdict", "to": 1}) == "Give a counter away: verdict, Marcus"
    assert told.deed({"type": "give", "to": 3}) == "Give a counter away: seat 3"
    assert told.deed({"type": "appeal"}) == "Appeal for 5 chips"


def test_who_has_no_name_is_told_by_seat():
    assert speech(judged(), "ja", (" ", "\u202e")).seat(1) == "席1"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ("",)),
        ("short", ("short",)),
        ("Place a counter: guilty", ("Place a counter:", "guilty")),
        ("abcdefghijklmnopqrstuvwxyz", ("abcdefghijklmno", "pqrstuvwxyz")),
        ("カウンターを置く：有罪、無罪", ("カウンターを置く：", "有罪、無罪")),
    ],
)
def test_text_is_broken_between_words_and_before_no_point(text, lines):
    assert wrapped(text, 11, 100, 3) == lines


def test_what_does_not_fit_ends_with_an_ellipsis():
    found = wrapped("one two three four five six seven eight nine ten", 11, 60, 2)

    assert len(found) == 2
    assert found[-1].endswith("…")
    assert all(width(line, 11) <= 60 for line in found)
    assert shortened("what fits…", 11, 200) == "what fits…"
