"""Offers: their terms, which deeds count for them, and how they are paid."""

import pytest

from games.bargaining import Offered, OfferEnded, Paid
from games.table import actions as act
from games.table import events as happened
from games.table.house import House
from tests.laws.driver import folded
from tests.laws.harbour import NORTH, SHIP, SOUTH, Harbour, amending, endings

# --- Terms --------------------------------------------------------------------------------------------


def test_an_offer_is_recorded_with_its_terms_and_the_seq_of_its_entry_as_id():
    table = Harbour()
    offer = table.offer(table.trader, NORTH, 7, times=2, never=SOUTH)

    assert table.happened(Offered) == [
        Offered(table.table.seq, table.trader, table.warden, "admit:1", 7, NORTH, 2, SOUTH)
    ]
    assert table.offers[offer].version == 1


def test_a_split_plea_of_three_steps_pays_an_offer_for_two_of_a_kind():
    table = Harbour()
    offer = table.offer(table.trader, NORTH, 7, times=2)
    table.admit("north", "south")
    assert not table.offers[offer].due

    table.admit("north")

    assert endings(table) == {offer: "paid"}
    assert table.purses[table.warden] == 57


def test_a_split_plea_with_only_one_of_a_kind_lets_an_offer_for_two_lapse():
    table = Harbour()
    offer = table.offer(table.trader, NORTH, 7, times=2)
    table.admit("north", "south", "south")

    assert endings(table) == {offer: "lapsed"}
    assert table.purses == [50] * 4


@pytest.mark.parametrize(
    "piers", [("north", "south", "north"), ("south", "north", "north"), ("north", "north", "south")]
)
def test_a_split_plea_breaks_an_offer_whose_never_happened_before_or_after_the_deed(piers):
    table = Harbour()
    offer = table.offer(table.trader, NORTH, 7, never=SOUTH)
    table.admit(*piers)

    assert endings(table) == {offer: "lapsed"}
    assert table.purses == [50] * 4


def test_a_plea_without_the_never_pays():
    table = Harbour()
    offer = table.offer(table.trader, NORTH, 7, never=SOUTH)
    table.admit("north", "north", "north")

    assert endings(table) == {offer: "paid"}


def test_absent_fields_match_anything():
    table = Harbour()
    offer = table.offer(table.trader, SHIP, 7, times=3)
    table.admit("north", "south", "north")

    assert endings(table) == {offer: "paid"}


def test_a_deed_of_another_type_does_not_count():
    table = Harbour()
    offer = table.offer(table.trader, {"type": "shut"}, 7)
    table.admit("north", "north", "north")

    assert endings(table) == {offer: "lapsed"}


def test_more_deeds_than_asked_for_pay_once():
    table = Harbour()
    table.offer(table.trader, NORTH, 7)
    table.admit("north", "north", "north")

    assert [event.amount for event in table.happened(Paid)] == [7]


@pytest.mark.parametrize("wish", [["oil", "figs"], ["figs", "oil"]])
@pytest.mark.parametrize("load", [["oil", "figs"], ["figs", "oil"]])
def test_a_deed_with_a_list_counts_in_whatever_order_it_is_written_and_after_a_replay_too(wish, load):
    table = Harbour()
    offer = table.offer(table.trader, {"type": "unload", "goods": wish}, 7, window="unload:1")
    table.admit("north", "north", "north")
    table.unload(load, ["wine"])

    assert endings(table) == {offer: "paid"}


def test_a_fold_of_the_decoded_log_counts_deeds_as_the_live_table_does():
    table = Harbour()
    table.offer(table.trader, {"type": "unload", "goods": ["figs"]}, 7, window="unload:1")
    table.admit("north", "north", "north")
    table.unload(["figs"])

    assert folded(table.rules, table.read()) == table.table


# --- Which deeds count --------------------------------------------------------------------------------


def test_an_offer_made_after_the_deed_is_not_paid_by_it():
    table = Harbour()
    table.admit("north")
    offer = table.offer(table.trader, NORTH, 7)
    table.admit("south", "south")

    assert endings(table) == {offer: "lapsed"}


def test_a_never_that_happened_before_the_offer_does_not_break_it():
    table = Harbour()
    table.admit("south")
    offer = table.offer(table.trader, NORTH, 7, never=SOUTH)
    table.admit("north", "north")

    assert endings(table) == {offer: "paid"}


def test_an_amendment_resets_what_counts():
    table = Harbour()
    offer = table.offer(table.trader, NORTH, 7, times=2)
    table.admit("north")
    assert table.offers[offer].done == 1

    table.do(table.trader, amending(offer, 1, NORTH, amount=7, times=2))

    assert (table.offers[offer].version, table.offers[offer].done) == (2, 0)
    table.admit("north", "south")
    assert endings(table) == {offer: "lapsed"}


def test_an_amendment_forgets_a_never_that_happened_before_it():
    table = Harbour()
    offer = table.offer(table.trader, NORTH, 7, never=SOUTH)
    table.admit("south")
    assert table.offers[offer].broken

    table.do(table.trader, amending(offer, 1, NORTH))
    table.admit("north", "north")

    assert endings(table) == {offer: "paid"}


def test_only_deeds_of_the_payee_in_that_window_count():
    table = Harbour(seats=3)
    offer = table.offer(table.trader, {"type": "unload"}, 7, window="unload:1")
    table.admit("north", "north", "north")
    table.unload(["figs"], ["oil"])
    assert endings(table) == {offer: "paid"}

    table.lay()
    again = table.offer(table.trader, {"type": "unload"}, 7, window="unload:2")
    assert table.offers[again].done == 0


# --- Due ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("who", "action"),
    [
        ("payer", {"type": "withdraw"}),
        ("payer", amending(0, 1, SOUTH)),
        ("payee", {"type": "decline", "version": 1}),
        ("payee", {"type": "accept", "version": 1}),
    ],
)
def test_once_the_deed_is_done_nobody_changes_the_offer_any_more(who, action):
    table = Harbour()
    offer = table.offer(table.trader, NORTH)
    table.admit("north")

    seat = table.trader if who == "payer" else table.warden
    assert table.refused(seat, {**action, "offer": offer}).code == "offer_due"


def test_a_due_offer_is_not_among_anybodys_asks():
    table = Harbour()
    offer = table.offer(table.trader, NORTH)
    table.admit("north")

    quoted = [ask for seat in range(4) for ask in table.asks(seat) if "offer" in ask.fields]
    assert table.offers[offer].due
    assert quoted == []


def test_a_due_offer_still_lapses_when_its_never_happens_later():
    table = Harbour()
    offer = table.offer(table.trader, NORTH, never=SOUTH)
    table.admit("north")
    table.admit("south")
    assert table.offers[offer].due

    table.admit("north")
    assert endings(table) == {offer: "lapsed"}


# --- Paying -------------------------------------------------------------------------------------------


def test_the_deed_that_closes_the_window_pays_in_that_very_entry():
    table = Harbour()
    offer = table.offer(table.trader, SOUTH, 7)
    table.admit("north", "north")
    assert table.offers

    table.admit("south")

    ended = OfferEnded(offer, "paid", table.trader, table.warden, 7)
    paid = Paid(table.trader, table.warden, 7, offer, "admit:1")
    assert table.events[-3:] == (ended, paid, happened.Asked((table.deputy,)))
    assert not table.offers


def test_two_due_offers_of_one_payer_are_both_paid():
    table = Harbour()
    first = table.offer(table.trader, NORTH, 30)
    second = table.offer(table.trader, NORTH, 20)
    table.admit("north", "north", "north")

    assert endings(table) == {first: "paid", second: "paid"}
    assert table.purses[table.trader] == 0
    assert table.purses[table.warden] == 100


def test_due_offers_are_paid_in_the_order_of_their_ids_whatever_happened_to_them_since():
    table = Harbour()
    one, other = table.traders
    first, second, third = table.offer(one, NORTH), table.offer(other, NORTH), table.offer(one, SHIP)
    table.do(table.warden, {"type": "accept", "offer": third, "version": 1})
    table.do(one, amending(first, 1, NORTH, amount=6))
    table.admit("north", "north", "north")

    assert [(event.offer, event.amount) for event in table.happened(Paid)] == [(first, 6), (second, 5), (third, 5)]


def test_offers_to_a_later_decider_are_made_beforehand_and_paid_when_his_decision_closes():
    table = Harbour()
    offer = table.offer(table.warden, {"type": "unload", "goods": ["figs"]}, 9, window="unload:1")
    table.admit("north", "north", "north")
    assert table.offers

    table.unload(["figs"], ["oil"])
    assert endings(table) == {offer: "paid"}


def test_an_offer_is_paid_although_its_window_takes_no_more_offers_when_the_deed_is_done():
    table = Harbour(strict=True)
    offer = table.offer(table.trader, SOUTH, 7)
    table.admit("north")
    assert table.windows()["admit:1"].offers == ()

    table.admit("south", "north")

    assert endings(table) == {offer: "paid"}


def test_an_offer_can_be_withdrawn_but_not_amended_when_its_window_takes_no_more_offers():
    table = Harbour(strict=True)
    offer = table.offer(table.trader, SOUTH)
    table.admit("north")

    assert table.refused(table.trader, amending(offer, 1, SOUTH)).code == "no_offers"
    table.do(table.trader, act.Withdraw(offer))
    assert endings(table) == {offer: "withdrawn"}


def test_what_the_clock_plays_for_the_payee_is_his_deed():
    table = Harbour(house=House(move_seconds=60))
    offer = table.offer(table.trader, SHIP, 7, times=3)
    while offer in table.offers and table.warden in table.table.course.to_act:
        table.do("clock", act.TimeUp(table.warden), at=table.at + 60_000)

    assert all(body.by == "clock" for body in table.bodies[-3:])
    assert endings(table) == {offer: "paid"}
