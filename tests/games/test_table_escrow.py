"""Chips: those in an offer lie in escrow, and none is ever made, lost or spent twice."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.bargaining import OfferEnded, Paid
from games.table import actions as act
from games.table.asks import OFFERS_EACH
from games.table.state import apply
from tests.laws.harbour import NORTH, SOUTH, Harbour, amending, offering
from tests.laws.sampling import member

# --- Escrow -------------------------------------------------------------------------------------------


def test_an_offer_moves_its_chips_from_the_purse_to_escrow():
    table = Harbour()
    table.offer(table.trader, NORTH, 20)

    assert table.purses[table.trader] == 30
    assert table.escrow[table.trader] == 20
    assert sum(table.purses) + sum(table.escrow) == 200


def test_what_lies_in_escrow_can_be_neither_paid_nor_offered():
    table = Harbour()
    table.offer(table.trader, NORTH, 45)

    assert table.refused(table.trader, act.Pay(table.warden, 6)).params == {"chips": 5}
    assert table.refused(table.trader, offering(table.warden, NORTH, 6)).code == "too_few_chips"
    assert {
        ask.fields["amount"].max for ask in table.asks(table.trader) if "amount" in ask.fields if ask.type != "amend"
    } == {5}


def test_who_has_everything_in_escrow_is_asked_for_no_chips():
    table = Harbour()
    table.offer(table.trader, NORTH, 50)

    assert not table.asks(table.trader, "pay")
    assert not table.asks(table.trader, "offer")
    assert table.refused(table.trader, act.Pay(table.warden, 1)).code == "too_few_chips"
    assert table.refused(table.trader, offering(table.warden, NORTH, 1)).code == "too_few_chips"


def test_an_amendment_may_use_the_chips_that_the_offer_holds_already():
    table = Harbour()
    offer = table.offer(table.trader, NORTH, 45)

    assert table.refused(table.trader, amending(offer, 1, NORTH, amount=51)).params == {"chips": 50}
    table.do(table.trader, amending(offer, 1, NORTH, amount=50))
    assert (table.purses[table.trader], table.escrow[table.trader]) == (0, 50)
    table.do(table.trader, amending(offer, 2, NORTH, amount=1))
    assert (table.purses[table.trader], table.escrow[table.trader]) == (49, 1)


@pytest.mark.parametrize("end", ["withdraw", "decline", "lapse", "void"])
def test_escrow_comes_back_whole_when_the_offer_ends_unpaid(end):
    table = Harbour()
    offer = table.offer(table.trader, NORTH, 20)
    table.do(table.trader, amending(offer, 1, NORTH, amount=30))
    match end:
        case "withdraw":
            table.do(table.trader, act.Withdraw(offer))
        case "decline":
            table.do(table.warden, act.Decline(offer, 2))
        case "lapse":
            table.admit("south", "south", "south")
        case _:
            table.do("operator", act.Close("operator"))

    assert [event.amount for event in table.happened(OfferEnded)] == [30]
    assert table.purses[table.trader] == 50
    assert table.escrow == [0, 0, 0, 0]


def test_a_paid_offer_goes_from_escrow_to_the_payee():
    table = Harbour()
    table.offer(table.trader, NORTH, 20)
    table.admit("north", "north", "north")

    assert (table.purses[table.trader], table.purses[table.warden]) == (30, 70)
    assert table.escrow == [0, 0, 0, 0]


def test_chips_received_can_be_spent_at_once():
    table = Harbour()
    table.do(table.trader, act.Pay(table.warden, 50))
    table.do(table.warden, act.Pay(table.trader, 100))

    assert table.purses[table.trader] == 100


def test_a_hidden_purse_is_spent_like_any_other():
    table = Harbour(hidden=True)
    table.offer(table.trader, NORTH, 50)
    assert table.refused(table.trader, act.Pay(table.warden, 1)).code == "too_few_chips"
    table.admit("north", "north", "north")

    assert (table.purses[table.trader], table.purses[table.warden]) == (0, 100)


# --- Gifts --------------------------------------------------------------------------------------------


def test_a_gift_is_paid_at_once_and_for_nothing():
    table = Harbour()
    table.do(table.trader, act.Pay(table.deputy, 3))

    assert table.events == (Paid(table.trader, table.deputy, 3, None, None),)
    assert (table.purses[table.trader], table.purses[table.deputy]) == (47, 53)


def test_nobody_pays_more_than_he_has():
    table = Harbour()
    before, refused = table.table.seq, 0
    for _ in range(100):
        if table.purses[table.trader]:
            table.do(table.trader, act.Pay(table.warden, 1))
        else:
            refused += table.refused(table.trader, act.Pay(table.warden, 1)).code == "too_few_chips"

    assert (table.table.seq - before, refused) == (50, 50)
    assert (table.purses[table.trader], table.purses[table.warden]) == (0, 100)


@pytest.mark.parametrize(("to", "amount"), [(None, 1), (9, 1), (-1, 1), (0, 0), (0, -1)])
def test_a_gift_to_nobody_or_of_nothing_is_refused(to, amount):
    table = Harbour()
    payee = table.warden if to == 0 else table.trader if to is None else to

    assert table.refused(table.trader, act.Pay(payee, amount)).code == "not_among_asks"


# --- Limits -------------------------------------------------------------------------------------------


def test_a_seat_has_at_most_so_many_offers_open_at_once():
    table = Harbour()
    offers = [table.offer(table.trader, NORTH, 1) for _ in range(OFFERS_EACH)]
    refusal = table.refused(table.trader, offering(table.warden, NORTH, 1))
    assert (refusal.code, refusal.params) == ("too_many_offers", {"most": OFFERS_EACH})
    assert table.offer(table.traders[1], NORTH, 1)

    table.do(table.trader, act.Withdraw(offers[0]))
    assert table.offer(table.trader, SOUTH, 1)


# --- Conservation -------------------------------------------------------------------------------------

BARGAIN = ("offer", "amend", "withdraw", "accept", "decline", "pay")


@settings(deadline=None)
@given(rng=st.randoms(use_true_random=False), strict=st.booleans(), hidden=st.booleans())
def test_no_event_makes_or_loses_a_chip_whatever_is_bargained(rng, strict, hidden):
    table = Harbour(strict=strict, hidden=hidden, seats=3)
    for _ in range(40):
        if table.table.over:
            break
        before = table.table
        bargain(table, rng)
        for event in table.events:
            before = apply(table.rules, before, event, table.at)
            check(table, before)


def bargain(table: Harbour, rng: Random) -> None:
    """Some action of bargaining if one is open and the die says so, else some action that the table waits for."""
    windows = tuple(table.windows().values())
    moves = [(seat, ask) for seat in range(3) for ask in table.asks(seat) if ask.type in BARGAIN or ask.must]
    kinds = sorted({ask.type for _, ask in moves})
    kind = rng.choice(kinds)
    seat, ask = rng.choice([(seat, ask) for seat, ask in moves if ask.type == kind])
    table.do(seat, member(rng, ask, windows))


def check(table: Harbour, after) -> None:
    purses = table.rules.purses(after.course.game)
    offers = after.course.deals.offers
    assert purses.total() == 150
    assert min(purses.seats) >= 0
    assert min(purses.escrow) >= 0
    assert purses.bank <= 0  # it starts with what it gives out, and only ever gives more
    assert list(purses.escrow) == [sum(offer.amount for offer in offers if offer.payer == seat) for seat in range(3)]
