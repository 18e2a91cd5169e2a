"""Offers: who may make them, who may answer them how, and how they end unpaid."""

import pytest

from games.bargaining import Accepted, Amended
from games.table import actions as act
from tests.laws.harbour import NORTH, SOUTH, Harbour, amending, endings, offering

# --- What may be offered ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"window": "admit:2"}, "no_offers"),
        ({"window": "lay:1"}, "no_offers"),
        ({"window": "unload:1"}, "no_offers"),  # not the warden's to decide
        ({"amount": 0}, "not_among_asks"),
        ({"amount": -5}, "not_among_asks"),
        ({"amount": 51}, "too_few_chips"),
        ({"times": 0}, "not_among_asks"),
        ({"times": 21}, "not_among_asks"),
        ({"does": {}}, "not_among_asks"),
        ({"does": {"pier": "north"}}, "not_among_asks"),
        ({"does": {"type": "unload"}}, "not_among_asks"),
        ({"does": {"type": "admit", "pier": "west"}}, "not_among_asks"),
        ({"does": {"type": "admit", "pier": None}}, "not_among_asks"),
        ({"does": {"type": "admit", "goods": "figs"}}, "not_among_asks"),
        ({"never": {"type": "admit", "pier": "west"}}, "not_among_asks"),
    ],
)
def test_an_offer_outside_the_asks_is_refused(change, code):
    table = Harbour()
    sound = offering(table.warden, NORTH)

    assert table.refused(table.trader, {**sound, **change}).code == code


def test_nobody_offers_to_himself_or_to_one_who_does_not_decide():
    table = Harbour()

    assert table.refused(table.warden, offering(table.warden, NORTH)).code == "no_offers"
    assert table.refused(table.trader, offering(table.traders[1], NORTH)).code == "no_offers"
    assert table.refused(table.trader, offering(9, NORTH)).code == "no_offers"


def test_no_offers_before_the_start_nor_while_no_decision_takes_any():
    table = Harbour()
    table.admit("north", "north", "north")
    table.unload(["figs"], ["oil"])

    assert table.game.phase == "lay"
    assert table.refused(0, offering(1, NORTH, window="lay:2")).code == "no_offers"


# --- Answers ------------------------------------------------------------------------------------------


def test_accepting_quotes_the_id_and_the_version():
    table = Harbour()
    offer = table.offer(table.trader, NORTH)
    table.do(table.warden, act.Accept(offer, 1))

    assert table.events == (Accepted(offer, 1),)
    assert table.offers[offer].accepted


@pytest.mark.parametrize("answer", [act.Accept, act.Decline])
def test_an_answer_that_arrives_after_an_amendment_is_refused(answer):
    table = Harbour()
    offer = table.offer(table.trader, NORTH, 7)
    table.do(table.trader, amending(offer, 1, NORTH, amount=1))
    assert table.happened(Amended) == [Amended(offer, 2, table.trader, table.warden, 7, 1, NORTH, 1, None)]

    refusal = table.refused(table.warden, answer(offer, 1))

    assert refusal.code == "offer_changed"
    assert refusal.params == {"offer": offer, "version": 2}
    table.do(table.warden, answer(offer, 2))


def test_an_amendment_of_an_older_version_is_refused():
    table = Harbour()
    offer = table.offer(table.trader, NORTH)
    table.do(table.trader, amending(offer, 1, SOUTH))

    assert table.refused(table.trader, amending(offer, 1, NORTH)).code == "offer_changed"


def test_an_accepted_offer_binds_its_payer():
    table = Harbour()
    offer = table.offer(table.trader, NORTH)
    table.do(table.warden, act.Accept(offer, 1))

    assert table.refused(table.trader, act.Withdraw(offer)).code == "offer_accepted"
    assert table.refused(table.trader, amending(offer, 1, SOUTH)).code == "offer_accepted"
    assert table.refused(table.warden, act.Accept(offer, 1)).code == "offer_accepted"


def test_an_accepted_offer_obliges_the_payee_to_nothing():
    table = Harbour()
    offer = table.offer(table.trader, NORTH)
    table.do(table.warden, act.Accept(offer, 1))
    table.admit("south", "south", "south")

    assert endings(table) == {offer: "lapsed"}


def test_an_accepted_offer_may_still_be_declined():
    table = Harbour()
    offer = table.offer(table.trader, NORTH)
    table.do(table.warden, act.Accept(offer, 1))
    table.do(table.warden, act.Decline(offer, 1))

    assert endings(table) == {offer: "declined"}


def test_contradictory_offers_may_both_be_accepted():
    table = Harbour()
    one, other = table.traders
    for_north, for_south = table.offer(one, NORTH, never=SOUTH), table.offer(other, SOUTH, never=NORTH)
    table.do(table.warden, act.Accept(for_north, 1))
    table.do(table.warden, act.Accept(for_south, 1))
    table.admit("south", "south", "south")

    assert endings(table) == {for_north: "lapsed", for_south: "paid"}


def test_open_and_accepted_offers_are_paid_alike():
    table = Harbour()
    one, other = table.traders
    accepted, silent = table.offer(one, NORTH), table.offer(other, NORTH)
    table.do(table.warden, act.Accept(accepted, 1))
    table.admit("north", "north", "north")

    assert endings(table) == {accepted: "paid", silent: "paid"}


@pytest.mark.parametrize("action", [act.Accept(99, 1), act.Decline(99, 1), act.Withdraw(99), amending(99, 1, NORTH)])
def test_an_offer_that_is_not_there_cannot_be_answered(action):
    assert Harbour().refused(0, action).code == "no_such_offer"


def test_only_the_payee_answers_and_only_the_payer_changes():
    table = Harbour()
    offer = table.offer(table.trader, NORTH)
    stranger = table.traders[1]

    for seat in (table.trader, stranger, table.deputy):
        assert table.refused(seat, act.Accept(offer, 1)).code == "not_your_offer"
        assert table.refused(seat, act.Decline(offer, 1)).code == "not_your_offer"
    for seat in (table.warden, stranger, table.deputy):
        assert table.refused(seat, act.Withdraw(offer)).code == "not_your_offer"
        assert table.refused(seat, amending(offer, 1, NORTH)).code == "not_your_offer"


# --- Other ends ---------------------------------------------------------------------------------------


def test_offers_end_withdrawn_or_declined_and_the_chips_go_back():
    table = Harbour()
    first, second = table.offer(table.trader, NORTH, 7), table.offer(table.trader, SOUTH, 8)
    assert table.purses[table.trader] == 35

    table.do(table.trader, act.Withdraw(first))
    assert endings(table) == {first: "withdrawn"}
    table.do(table.warden, act.Decline(second, 1))
    assert endings(table) == {second: "declined"}
    assert table.purses == [50] * 4
    assert not table.offers


def test_an_offer_for_an_announced_decision_that_never_comes_is_void():
    table = Harbour()
    offer = table.offer(table.trader, {"type": "unload"}, window="unload:1")
    kept = table.offer(table.trader, {"type": "shut"})
    table.do(table.warden, {"type": "shut"})

    assert endings(table) == {offer: "void", kept: "paid"}


def test_offers_whose_window_is_still_open_when_the_table_is_abandoned_are_void_even_if_due():
    table = Harbour()
    due, other = table.offer(table.trader, NORTH), table.offer(table.trader, {"type": "unload"}, window="unload:1")
    table.admit("north")
    table.do("operator", act.Close("operator"))

    assert endings(table) == {due: "void", other: "void"}
    assert table.purses == [50] * 4
    assert table.escrow == [0] * 4


def test_offers_that_are_open_at_the_end_of_the_game_are_void_and_count_for_who_made_them():
    table = Harbour()
    table.admit("north", "north", "north")
    table.unload(["figs"], ["oil"])
    table.lay()
    payer = next(seat for seat in range(4) if seat not in (table.warden, table.deputy))
    offer = table.offer(payer, {"type": "unload"}, 40, window="unload:2")
    before = table.purses[payer]
    table.do(table.warden, {"type": "shut"})

    settled = table.game.hands[payer][0]
    assert endings(table) == {offer: "void"}
    assert table.table.record.result.scores[payer] == before + 40 + settled
    assert table.escrow == [0] * 4


def test_offers_of_the_deed_that_ends_the_game_are_paid_and_count_in_the_result():
    table = Harbour()
    table.admit("north", "north", "north")
    table.unload(["figs"], ["oil"])
    table.lay()
    payer, deputy = table.warden, table.deputy
    offer = table.offer(payer, {"type": "unload", "goods": ["wine"]}, 10, window="unload:2")
    table.admit("north", "north", "north")
    table.unload(["figs"])
    before, hands = table.purses, table.game.hands
    table.unload(["wine"])

    assert endings(table) == {offer: "paid"}
    assert table.table.record.result.scores[deputy] == before[deputy] + 10 + hands[deputy][0]


def test_the_table_goes_on_from_a_withdrawn_offer_as_if_it_had_not_been():
    table = Harbour()
    before = table.table.course
    table.do(table.trader, act.Withdraw(table.offer(table.trader, NORTH)))

    assert table.table.course == before
