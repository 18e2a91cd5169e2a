"""What the Tribunal bot thinks of a position: stakes, forecast, plans, bids and answers."""

import random

import pytest

from clients.bots.tribunal.answers import answers
from clients.bots.tribunal.bids import bids, campaign
from clients.bots.tribunal.court import Court, Offer, Scene, Window, covers, read
from clients.bots.tribunal.forecast import Character, Odds, leaning, leanings, odds, pull
from clients.bots.tribunal.lawyer import Lawyer
from clients.bots.tribunal.memory import Memory
from clients.bots.tribunal.plans import choices, pleas
from clients.bots.tribunal.speech import feint, gift, talk, words_given
from clients.bots.tribunal.stakes import cards_to_pass, stake, stakes, worth
from clients.bots.tribunal.worth import Mood, Outlook, best, earns, paid, reserve, value
from comitium_client import Update
from comitium_client.asks import read_asks

MOOD = Mood(faith=1.0, greed=0.0, talk=1.0, guile=0.0, zeal=1.0)
INNOCENT = {"type": "place", "pan": "innocent"}
GUILTY = {"type": "place", "pan": "guilty"}


def game(**changes):
    """Trial 1 of five seats, red on trial; seat 0 pleads first and votes as it likes."""
    return {
        "options": {"appeal": False, "exile": False}, "phase": "plea", "turn": 0,
        "hands": [["red-7", "blue-3", "green-10", "green-4"], *[[None] * 4] * 4],
        "purses": {"seats": [20] * 5, "escrow": [0] * 5}, "verdict_counters": [1] * 5, "extra_counters": [1] * 5,
        "pawns": [{"colour": c, "place": "scales" if c == "red" else "iustitia"} for c in ("red", "blue", "green")],
        "votes": [False, True, True, False, True], "scales": [], "trial": 1, "chair": 4, "colour": "red",
        "order": [0, 1, 2, 3, 4], "begun": False, **changes,
    }  # fmt: skip


def offer(**changes):
    given = {
        "id": 9,
        "version": 1,
        "payer": 1,
        "payee": 0,
        "window": "plea:1:0",
        "amount": 3,
        "does": GUILTY,
        "times": 1,
    }
    return {**given, "never": None, "accepted": False, "done": 0, "broken": False, **changes}


def windows(state):
    if state["phase"] != "plea":
        kind = state["phase"]
        return [{"id": f"{kind}:1", "kind": kind, "deciders": [state["turn"]], "open": True, "offers": list(range(5))}]
    found = []
    for seat in state["order"][state["order"].index(state["turn"]) :]:
        rest = [other for other in range(5) if other != seat]
        is_open = seat == state["turn"]
        found.append({"id": f"plea:1:{seat}", "kind": "plea", "deciders": [seat], "open": is_open, "offers": rest})
    return found


def scene(me=0, offers=(), promises=(), **changes):
    state = game(**changes)
    update = Update(
        seq=50, head="", asks=(), since=50, to_act=(),
        view={"seat": me, "game": state, "windows": windows(state), "offers": list(offers), "promises": list(promises)},
    )  # fmt: skip
    found = read(update)
    assert found is not None
    return found


def outlook(me=0, mood=MOOD, **changes):
    here = scene(me, **changes)
    return Outlook(here, leanings(here, {}), mood)


# --- Stakes -------------------------------------------------------------------------------------------


def test_a_client_is_worth_his_number_and_an_accuser_the_reverse():
    assert worth("red-7") == 7
    assert worth("red-10") == -10


def test_clients_and_charges_in_one_colour_add_up():
    assert stake(("red-7", "red-10", "blue-3"), "red") == -3
    assert stakes(("red-7", "red-10", "blue-3")) == {"red": -3, "blue": 3}
    assert stake(("red-7",), None) == 0


def test_what_stands_against_each_other_in_the_hand_is_passed_on():
    passed = cards_to_pass(("red-7", "red-10", "blue-3", "blue-6", "green-5", "green-4"), 2, 0.5)
    assert "red-10" in passed


def test_who_does_not_like_to_accuse_passes_the_charge():
    hand = ("red-10", "blue-7", "blue-6", "green-5", "green-4", "yellow-3")
    assert "red-10" in cards_to_pass(hand, 2, 0.0)
    assert "red-10" not in cards_to_pass(hand, 2, 1.0)


# --- Forecast -----------------------------------------------------------------------------------------


def test_sure_counters_decide():
    assert odds(1, [1.0, 1.0]) == Odds(1.0, 0.0)
    assert odds(-1, [1.0]) == Odds(0.0, 0.0)


def test_probabilities_add_up_with_balance():
    found = odds(0, [0.5, 0.5])
    assert found == Odds(0.25, 0.25)


def test_a_stake_for_guilty_is_worth_the_reverse():
    assert Odds(0.8, 0.1).value(10) == pytest.approx(7.0)
    assert Odds(0.8, 0.1).value(-10) == pytest.approx(-7.0)


def test_votes_and_bribes_move_a_plea():
    bribe = scene(offers=[offer(amount=6, does=INNOCENT)]).offers
    assert leaning(True, ()) < 0.5 < leaning(False, ())
    assert leaning(True, bribe) > 0.5
    assert leaning(True, bribe, Character(heed=0.0)) == leaning(True, ())


def test_what_cannot_be_meant_moves_nobody():
    assert pull(scene(offers=[offer(times=20), offer(broken=True), offer(does={"type": "give"})]).offers) == 0


# --- Plans --------------------------------------------------------------------------------------------


def test_every_plea_uses_all_verdict_counters():
    for plan in pleas(scene(verdict_counters=[3, 1, 1, 1, 1]).court, 0, ()):
        assert sum(deed["counter"] == "verdict" for deed in plan) == 3


def test_extra_counters_come_first_and_never_once_begun():
    court = scene().court
    assert any(deed["counter"] == "extra" for plan in pleas(court, 0, ()) for deed in plan)
    begun = scene(begun=True).court
    assert not any(deed["counter"] == "extra" for plan in pleas(begun, 0, ()) for deed in plan)


def test_a_counter_is_given_only_to_whoever_asks_and_has_not_spoken():
    asks = [offer(payer=2, does={"type": "give", "counter": "verdict", "to": 2})]
    given = [deed for plan in pleas(scene(offers=asks).court, 0, scene(offers=asks).offers) for deed in plan]
    assert {"type": "give", "counter": "verdict", "to": 2} in given
    spoken = scene(offers=asks, order=[2, 0, 1, 3, 4])
    assert not any(deed["type"] == "give" for plan in pleas(spoken.court, 0, spoken.offers) for deed in plan)


@pytest.mark.parametrize("phase", ["colour", "direction", "exile", "appeal"])
def test_other_decisions_are_single_deeds(phase):
    here = scene(
        phase=phase, turn=0, pawns=[{"colour": "red", "place": "iustitia"}, {"colour": "blue", "place": "guilty"}]
    )
    assert all(len(plan) == 1 for plan in choices(here))
    assert choices(here)


# --- What it does -------------------------------------------------------------------------------------


def decide(view):
    plans = choices(view.scene)
    return best(view, plans, {})


def test_it_pleads_for_its_clients_and_against_its_accused():
    assert decide(outlook())[-1]["pan"] == "innocent"
    accuser = outlook(hands=[["red-10", "blue-3", "blue-4", "blue-5"], *[[None] * 4] * 4])
    assert decide(accuser)[-1]["pan"] == "guilty"


def test_a_bribe_that_pays_more_than_the_plea_costs_is_earned():
    assert decide(outlook(offers=[offer(amount=15)]))[-1]["pan"] == "guilty"
    assert decide(outlook(offers=[offer(amount=1)]))[-1]["pan"] == "innocent"


def test_who_has_nothing_at_stake_is_cheap():
    hands = [["blue-3", "blue-4", "blue-5", "blue-6"], *[[None] * 4] * 4]
    assert decide(outlook(hands=hands, offers=[offer(amount=1)]))[-1]["pan"] == "guilty"


def test_an_offer_that_something_has_broken_earns_nothing():
    here = scene(offers=[offer(broken=True)])
    assert paid(here, ({"type": "place", "counter": "verdict", "pan": "guilty"},)) == 0


def test_an_offer_for_several_counters_needs_all_of_them():
    two = scene(offers=[offer(times=2)]).offers[0]
    placed = {"type": "place", "counter": "verdict", "pan": "guilty"}
    assert not earns(two, (placed,))
    assert earns(two, (placed, placed))


def test_a_word_given_weighs_a_little():
    promise = {"id": 40, "by": 0, "to": 1, "text": "", "does": GUILTY, "kind": "plea"}
    place = {"type": "place", "counter": "verdict", "pan": "innocent"}
    assert value(outlook(promises=[promise]), (place,)) == value(outlook(), (place,)) - MOOD.faith


def test_an_extra_counter_is_kept_while_there_is_more_to_win_later():
    settled = outlook(scales=[{"kind": "verdict", "seat": 1, "pan": "innocent"}] * 6)
    assert not any(deed["counter"] == "extra" for deed in decide(settled))
    assert reserve(settled) > 0


def test_the_chair_spares_its_clients_by_exile_and_lets_its_accused_stay():
    assert decide(outlook(phase="exile", turn=0))[0] == {"type": "exile", "exile": True}
    accuser = [["red-10", "blue-3", "blue-4", "blue-5"], *[[None] * 4] * 4]
    assert decide(outlook(phase="exile", turn=0, hands=accuser))[0] == {"type": "exile", "exile": False}


# --- Bids ---------------------------------------------------------------------------------------------


def test_it_bids_for_pleas_against_it_within_what_it_has():
    found = list(bids(outlook(), {}, 20))
    assert found
    assert all(0 <= bid.amount <= 20 for bid in found)
    assert {bid.does["pan"] for bid in campaign(outlook(), {}, 20)} == {"innocent"}


def test_with_an_empty_purse_it_bids_nothing():
    assert campaign(outlook(), {}, 0) == []


def test_without_a_stake_it_bids_nothing():
    assert campaign(outlook(hands=[["blue-3"] * 4, *[[None] * 4] * 4]), {}, 20) == []


def test_nobody_is_paid_for_what_is_decided():
    settled = outlook(scales=[{"kind": "verdict", "seat": 1, "pan": "innocent"}] * 9)
    assert campaign(settled, {}, 20) == []


# --- Answers and words --------------------------------------------------------------------------------


def test_it_accepts_what_it_will_do_and_declines_what_is_far_too_little():
    assert [a["type"] for a in answers(outlook(offers=[offer(does=INNOCENT)]), lambda _: 0.5)] == ["accept"]
    poor = outlook(hands=[["red-7", "red-6", "red-5", "red-4"], *[[None] * 4] * 4], offers=[offer(amount=1)])
    assert [a["type"] for a in answers(poor, lambda _: 0.5)] == ["decline"]


def test_it_answers_each_offer_once():
    assert list(answers(outlook(offers=[offer(does=INNOCENT, accepted=True)]), lambda _: 0.5)) == []


def test_guile_accepts_what_it_will_not_do():
    sly = Mood(faith=0.0, greed=0.0, talk=0.0, guile=1.0, zeal=1.0)
    assert [a["type"] for a in answers(outlook(mood=sly, offers=[offer(amount=1)]), lambda _: 0.5)] == ["accept"]


def test_a_promise_goes_with_a_yes_and_only_once():
    given = list(words_given(outlook(offers=[offer(accepted=True)]), "en", lambda _: 0.1))
    assert [(each["type"], each["to"], each["does"]) for each in given] == [("promise", 1, GUILTY)]
    promise = {"id": 40, "by": 0, "to": 1, "text": "", "does": GUILTY, "kind": "plea"}
    again = outlook(offers=[offer(accepted=True)], promises=[promise])
    assert list(words_given(again, "en", lambda _: 0.1)) == []


@pytest.mark.parametrize("language", ["en", "ja", "xx"])
def test_talk_is_the_same_whatever_it_holds(language):
    """The hand shows in nothing that is said: with the same vote the words are the same."""
    other = [["red-3", "green-6", "green-7", "blue-6"], *[[None] * 4] * 4]
    said = [list(talk(outlook(hands=hands), language, lambda _: 0.1)) for hands in (game()["hands"], other)]
    assert said[0] == said[1] != []


def test_a_feint_comes_before_the_plea_and_to_an_opponent():
    early = outlook(order=[1, 2, 0, 3, 4], turn=1)
    (found,) = feint(early, "en", lambda _: 0.0)
    assert early.court.votes[found["to"]] is True
    assert found["does"] == GUILTY


def test_gifts_are_small_and_rare():
    chair = outlook(phase="colour", turn=4)
    assert list(gift(chair, lambda _: 0.0, 2)) == [{"type": "pay", "to": 2, "amount": 1}]
    assert list(gift(chair, lambda _: 0.5, 2)) == []
    assert list(gift(chair, lambda _: 0.0, None)) == []


# --- The whole lawyer ---------------------------------------------------------------------------------


def asks(*given):
    return read_asks(given)


def test_without_a_trial_it_does_what_it_must_and_nothing_else():
    must = {"type": "keep", "must": True, "fields": {}}
    view = {"seat": 0, "game": {"pile": 3}, "windows": [], "offers": [], "promises": [], "status": "playing"}
    update = Update(seq=1, head="", view=view, asks=asks(must), since=1, to_act=(0,))
    move = Lawyer(random.Random(1)).choose(update)
    assert move is not None
    assert move.action == {"type": "keep"}


def test_the_vote_follows_the_stake():
    ask = {"type": "vote", "must": True, "fields": {"guilty": {"one_of": [True, False]}}}
    state = game(phase="vote", order=[], votes=[None] * 5)
    view = {"seat": 0, "game": state, "windows": [], "offers": [], "promises": []}
    move = Lawyer(random.Random(1)).choose(Update(seq=1, head="", view=view, asks=asks(ask), since=1, to_act=(0,)))
    assert move is not None
    assert move.action == {"type": "vote", "guilty": False}
    assert not move.patient


def test_what_others_do_shapes_what_it_thinks_of_them():
    memory, before = Memory(), scene()
    for _ in range(6):
        memory._learn(before, 1, innocent=True)  # has voted guilty
    assert memory.character(1).firm < memory.character(2).firm


def test_partial_deeds_cover_what_they_leave_open():
    assert covers(GUILTY, {"type": "place", "counter": "extra", "pan": "guilty"})
    assert not covers(GUILTY, {"type": "place", "counter": "extra", "pan": "innocent"})
    assert isinstance(scene(), Scene)
    assert all(isinstance(each, Window) for each in scene().windows)
    assert isinstance(scene().court, Court)
    assert all(isinstance(each, Offer) for each in scene(offers=[offer()]).offers)
