"""The desk without a terminal: a line in, a screen and perhaps an action out."""

import pytest

from clients.terminal.board import board
from clients.terminal.desk import Desk
from clients.terminal.form import Form
from clients.terminal.reading import Unclear, value
from clients.terminal.shell import teller_for
from comitium_client import Between, OtherDomain, SomeOf
from comitium_client.asks import read_ask
from tests.clients.terminal_support import (
    AROUND,
    DEEDS,
    OFFER,
    SAY,
    desk,
    entry,
    game,
    offering,
    quoting,
    text,
    update,
    view,
    words,
)


def act(line, **where):
    reply = desk(**where).line(line)
    return reply.action, text(reply.shown)


# --- Acting by name or number -------------------------------------------------------------------------


def test_an_action_by_its_number_or_name_with_its_values():
    wanted = {"type": "place", "counter": "verdict", "pan": "innocent"}
    for line in ("1 verdict innocent", "place verdict innocent", "PLACE ver inn"):
        assert act(line)[0] == wanted


def test_what_is_missing_is_asked_for():
    here = desk()
    assert "Counter? verdict, extra" in text(here.line("place").shown)
    assert "Pan? guilty, innocent" in text(here.line("extra").shown)
    assert here.line("guilty").action == {"type": "place", "counter": "extra", "pan": "guilty"}


def test_a_question_is_cancelled_by_a_dot():
    here = desk()
    here.line("place")
    assert "Cancelled" in text(here.line(".").shown)
    assert here.line("2 1").action == {"type": "give", "counter": "verdict", "to": 1}


def test_what_has_one_value_may_be_said_or_left_out():
    alone = {
        "type": "place",
        "must": True,
        "fields": {"counter": {"one_of": ["verdict"]}, "pan": {"one_of": ["guilty", "innocent"]}},
    }
    wanted = {"type": "place", "counter": "verdict", "pan": "guilty"}
    assert act("place guilty", asks=[alone])[0] == wanted
    assert act("place verdict guilty", asks=[alone])[0] == wanted
    forgo = {"type": "forgo_appeal", "must": True, "fields": {}}
    assert "more than there is" in act("forgo_appeal please", asks=[forgo])[1]


def test_of_several_asks_of_one_type_the_one_that_fits_is_meant():
    gives = [
        {"type": "give", "must": True, "fields": {"counter": {"one_of": [kind]}, "to": {"one_of": to}}}
        for kind, to in (("verdict", [1, 2]), ("extra", [1, 2, 3]))
    ]
    assert act("give extra 3", asks=gives)[0] == {"type": "give", "counter": "extra", "to": 3}
    assert act("give 3", asks=gives)[0] == {"type": "give", "counter": "extra", "to": 3}
    assert act("give verdict marcus", asks=gives)[0] == {"type": "give", "counter": "verdict", "to": 1}
    assert "Counter: extra" in text(desk(asks=gives).line("can").shown)


def test_what_is_an_action_but_not_open_is_said_to_be_that():
    assert "not open to you" in act("vote guilty")[1]


def test_a_question_does_not_stand_in_the_way():
    here = desk()
    here.line("place")
    shown = text(here.line("board").shown)
    assert "Trial 2" in shown
    assert "Counter?" in shown
    assert here.line("say Salve!").action == {"type": "say", "text": "Salve!"}
    here.line("place")
    assert here.line("quit").leaves


def test_into_free_text_anything_may_be_typed():
    speaking = {"type": "plead", "must": True, "fields": {"text": {"text": 50}}}
    here = desk(asks=[speaking])
    here.line("plead")
    assert here.line("help").action == {"type": "plead", "text": "help"}


def test_a_wrong_value_is_asked_again():
    here = desk()
    shown = text(here.line("place nothing").shown)
    assert "verdict, extra" in shown
    here.line("place")
    shown = text(here.line("golden").shown)
    assert '"golden" is not clear' in shown
    assert "Counter?" in shown


def test_a_seat_goes_by_name_or_number():
    assert act("give flavia")[0] == {"type": "give", "counter": "verdict", "to": 2}
    assert act("give 3")[0] == {"type": "give", "counter": "verdict", "to": 3}


def test_japanese_labels_are_values():
    assert act("place 評決 無罪", language="ja")[0] == {"type": "place", "counter": "verdict", "pan": "innocent"}


def test_a_list_may_be_written_with_labels():
    passing = {
        "type": "pass_cards",
        "must": True,
        "fields": {"cards": {"some_of": ["red-7", "blue-3", "green-10"], "min": 2, "max": 2}},
    }
    for line in ("1 red-7,blue-3", "1 red 7, blue 3", "pass_cards red 7,blue-3"):
        assert act(line, asks=[passing])[0] == {"type": "pass_cards", "cards": ["red-7", "blue-3"]}
    assert "2 to 2 of them" in act("1 red-7", asks=[passing])[1]


def test_a_deed_without_fields_needs_no_values():
    forgo = {"type": "forgo_appeal", "must": True, "fields": {}}
    assert act("1", asks=[forgo])[0] == {"type": "forgo_appeal"}


def test_nonsense_is_no_command():
    action, shown = act("frobnicate")
    assert action is None
    assert "is no command" in shown
    assert act("")[0] is None


def test_nobody_abandons_by_a_wrong_number():
    shown = text(desk().line("can").shown)
    assert "abandon" in shown.splitlines()[-1]
    assert act("abandon")[0] == {"type": "abandon", "agree": True}


# --- Bargaining ---------------------------------------------------------------------------------------


def test_an_offer_in_one_line():
    assert act("offer marcus 3 innocent")[0] == {
        "type": "offer", "payee": 1, "window": "plea:2:1", "amount": 3, "times": 1, "never": None,
        "does": {"type": "place", "pan": "innocent"},
    }  # fmt: skip


def test_an_offer_for_several_counters_and_against_others():
    action = act("offer 2 5 place verdict guilty x2 unless innocent")[0]
    assert action["does"] == {"type": "place", "counter": "verdict", "pan": "guilty"}
    assert action["times"] == 2
    assert action["never"] == {"type": "place", "pan": "innocent"}


def test_an_offer_for_a_counter():
    assert act("offer gaius 2 give marcus")[0]["does"] == {"type": "give", "to": 1}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("offer marcus", "Like this: offer NAME"),
        ("offer marcus x innocent", "Like this: offer NAME"),
        ("offer marcus 99 innocent", "Chips"),
        ("offer marcus 3 sideways", "is no deed"),
        ("offer marcus 3 verdict", "more than one deed"),
        ("offer nobody 3 innocent", "is not clear"),
        ("offer livia 3 innocent", "has no decision ahead"),
        ("pay marcus", "Like this: pay"),
        ("pay marcus 19", "Chips"),
        ("say", "Like this: say"),
        ("leave", "Like this: leave for good"),
        ("whisper marcus hello", "not open to you"),
        ("amend 34 5", "not open to you"),
        ("accept 99", "Which offer? #34"),
    ],
)
def test_what_does_not_fit_is_said_before_anything_is_sent(line, said):
    action, shown = act(line)
    assert action is None
    assert said in shown.replace("\n    ", " ").replace("\n  ", " ")


def test_answers_quote_the_version():
    assert act("accept")[0] == {"type": "accept", "offer": 34, "version": 2}
    assert act("decline #34")[0] == {"type": "decline", "offer": 34, "version": 2}


def test_of_several_offers_one_must_be_named():
    asks = [quoting("accept"), quoting("accept", 36, 1)]
    assert "#34, #36" in act("accept", asks=asks)[1]
    assert act("accept 36", asks=asks)[0] == {"type": "accept", "offer": 36, "version": 1}


def test_an_own_offer_is_changed_in_its_amount_or_terms():
    mine = {**OFFER, "payer": 0, "payee": 1, "window": "plea:2:1"}
    fields = {name: domain for name, domain in offering(1)["fields"].items() if name not in ("payee", "window")}
    amend = {"type": "amend", "must": False, "fields": {**quoting("amend")["fields"], **fields}}
    seen = view(offers=[mine])
    asks = [amend, {"type": "withdraw", "must": False, "fields": {"offer": {"one_of": [34]}}}]
    more = act("amend 34 5", seen=seen, asks=asks)[0]
    assert (more["amount"], more["does"], more["version"]) == (5, mine["does"], 2)
    assert act("amend 34 5 innocent", seen=seen, asks=asks)[0]["does"] == {"type": "place", "pan": "innocent"}
    assert act("withdraw", seen=seen, asks=asks)[0] == {"type": "withdraw", "offer": 34}


def test_promises_with_and_without_a_deed():
    plain = act("promise marcus I shall remember this")[0]
    assert plain == {"type": "promise", "to": 1, "text": "I shall remember this", "does": None, "kind": None}
    bound = act("promise marcus innocent: you have my word")[0]
    assert (bound["does"], bound["kind"]) == ({"type": "place", "pan": "innocent"}, "plea")
    assert bound["text"] == "you have my word"


def test_talk_gifts_whispers_and_leaving():
    assert act("say Salve!")[0] == {"type": "say", "text": "Salve!"}
    assert act('"Salve!')[0] == {"type": "say", "text": "Salve!"}
    assert act("pay gaius 2")[0] == {"type": "pay", "to": 3, "amount": 2}
    assert act("leave for good")[0] == {"type": "leave"}
    whispers = {
        "type": "whisper",
        "must": False,
        "fields": {"to": {"some_of": [1, 2, 3], "min": 1, "max": 3}, "text": {"text": 500}},
    }
    assert act("whisper marcus,2 psst", asks=[whispers])[0] == {"type": "whisper", "to": [1, 2], "text": "psst"}


# --- Screens ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_board_fits_eighty_columns_without_colour(language):
    shown = text(board(words(language), view()))
    assert all(len(line) <= 80 for line in shown.splitlines())
    for name in ("Livia", "Marcus", "#34"):
        assert name in shown
    assert "\x1b" not in shown


def test_the_board_shows_scales_pawns_purses_counters_and_hands():
    shown = text(board(words(), view()))
    assert "guilty: 1 # spare" in shown
    assert "innocent: 1 # Gaius (extra)" in shown
    assert "Iustitia: green" in shown
    assert "Livia (you)" in shown
    assert "red 7, blue 3, green 10" in shown
    assert "4 hidden" in shown
    assert "Flavia to Livia: 3 for a counter on guilty" in shown


def test_the_board_of_an_unknown_game_shows_its_fields():
    say = words(game="straws")
    seen = view(game={"pile": 7, "taken": [1, 2], "none": None}, windows=[], offers=[])
    shown = text(board(say, seen))
    assert "pile: 7" in shown
    assert "taken: [1,2]" in shown
    assert "none" not in shown


def test_the_board_before_the_start_and_after_the_end():
    free = [{"player": None, "bot": None}, *view()["seats"][1:]]
    assert "(seat 0 is free)" in text(board(words(game="x"), view(game=None, status="open", seats=free, to_act=[])))
    over = view(status="ended", result={"winners": [2], "scores": [1, 2, 3, 4], "why": "x"}, to_act=[])
    assert "Won by Flavia" in text(board(words(), over))


def test_one_may_look_at_everything():
    here = desk(
        seen=view(
            promises=[
                {"id": 1, "by": 1, "to": 0, "text": "Yes.", "does": {"type": "place", "pan": "guilty"}, "kind": "plea"}
            ]
        )
    )
    for line, said in {
        "help": "promise NAME", "board": "Trial 2: red", "can": "Place a counter [place]", "offers": "#34",
        "promises": "Marcus to Livia: a counter on guilty", "rules": "Whoever has the most chips",
    }.items():  # fmt: skip
        assert said in text(here.line(line).shown), line
    assert here.line("quit").leaves


def test_who_watches_may_do_nothing():
    here = desk(seen=view(seat=None), asks=[])
    assert "nothing you may do" in text(here.line("can").shown)
    assert "not open to you" in text(here.line("place verdict guilty").shown)
    assert "not open to you" in text(here.line("say hello").shown)


# --- What comes from the table ------------------------------------------------------------------------


def test_the_first_view_is_a_board_with_what_one_may_do():
    here = desk()
    shown = text(here.see(update(view(seq=41), since=41)))
    assert "Trial 2" in shown


def test_an_entry_is_told_and_a_turn_is_announced():
    here = desk(asks=AROUND, seen=view(to_act=[1]))
    said = entry(41, 1, {"type": "say"}, {"type": "said", "seat": 1, "text": "Well?"})
    shown = text(here.see(update(view(seq=41), (*DEEDS, *AROUND), 41, said)))
    assert 'Marcus: "Well?"' in shown
    assert "It is your turn" in shown
    again = text(
        here.see(update(view(seq=42), (*DEEDS, *AROUND), 41, entry(42, 1, {"type": "say"}, *said.body.events)))
    )
    assert "It is your turn" not in again


def test_the_board_remembers_what_was_said():
    here = desk()
    said = entry(41, 1, {"type": "say"}, {"type": "said", "seat": 1, "text": "Well?"})
    here.see(update(view(seq=41), happened=said))
    assert 'Marcus: "Well?"' in text(here.line("board").shown)


def test_a_question_that_is_out_of_date_is_dropped():
    here = desk()
    here.line("place")
    said = entry(41, 1, {"type": "say"}, {"type": "said", "seat": 1, "text": "Well?"})
    assert "What you may do has changed" in text(here.see(update(view(seq=41), (SAY,), 41, said)))
    assert here.line("say ok").action is not None


def test_a_desk_needs_a_table():
    say = words()
    with pytest.raises(RuntimeError):
        Desk(say, teller_for(say)).line("can")


# --- Values -------------------------------------------------------------------------------------------


def test_numbers_have_bounds():
    assert value(words(), "amount", Between(1, 5), "3") == 3
    for typed in ("0", "6", "x", ""):
        with pytest.raises(Unclear):
            value(words(), "amount", Between(1, 5), typed)


def test_bags_may_repeat():
    assert value(words(), "dice", SomeOf((1, 2), 2, 2, repeats=True), "1,1") == [1, 1]
    with pytest.raises(Unclear):
        value(words(), "dice", SomeOf((1, 2), 2, 2), "1,1")


def test_what_this_client_does_not_know_it_cannot_fill_in():
    with pytest.raises(Unclear, match="newer"):
        value(words(), "x", OtherDomain({"colour_wheel": 3}), "1")


def test_a_form_settles_what_has_one_value():
    form = Form(words(), read_ask(quoting("accept")), ())
    assert form.field is None
    assert form.action == {"type": "accept", "offer": 34, "version": 2}


def test_truth_values_go_by_their_labels():
    vote = {"type": "vote", "must": True, "fields": {"guilty": {"one_of": [True, False]}}}
    assert act("vote guilty", asks=[vote])[0] == {"type": "vote", "guilty": True}
    assert act("vote innocent", asks=[vote])[0] == {"type": "vote", "guilty": False}
    assert game()["phase"] == "plea"
