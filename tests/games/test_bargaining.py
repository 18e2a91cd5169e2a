"""The fold of bargaining by itself: what is open, what was done for it, where the chips are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import bargaining
from games.bargaining import (
    Accepted,
    Amended,
    Deals,
    Did,
    Offered,
    OfferEnded,
    Paid,
    Promise,
    Promised,
    closing,
    evolve,
    move_chips,
    ordered,
)
from games.core import Purses

NORTH, SOUTH = {"type": "place", "pan": "north"}, {"type": "place", "pan": "south"}
OFFERED = Offered(4, 0, 1, "w", 5, NORTH, 1, SOUTH)


def after(*events: bargaining.Event) -> Deals:
    deals = Deals()
    for event in events:
        deals = evolve(deals, event)
    return deals


def did(deed: dict, seat: int = 1, window: str = "w") -> Did:
    return Did(window, "kind", seat, deed)


# --- Deals --------------------------------------------------------------------------------------------


def test_an_offer_begins_open_in_its_first_version():
    (offer,) = after(OFFERED).offers

    assert (offer.id, offer.version, offer.accepted, offer.done, offer.broken, offer.due) == (
        4,
        1,
        False,
        0,
        False,
        False,
    )


@pytest.mark.parametrize(
    ("deed", "done", "broken"),
    [
        (did(NORTH), 1, False),
        (did(NORTH | {"counter": "extra"}), 1, False),
        (did(SOUTH), 0, True),
        (did({"type": "give", "pan": "north"}), 0, False),
        (did({"type": "place"}), 0, False),
        (did(NORTH, seat=2), 0, False),
        (did(NORTH, window="v"), 0, False),
    ],
)
def test_a_deed_counts_for_the_offers_to_whoever_did_it_in_that_window(deed, done, broken):
    (offer,) = after(OFFERED, deed).offers

    assert (offer.done, offer.broken) == (done, broken)


def test_one_deed_may_be_what_an_offer_asks_for_and_what_it_forbids():
    both = Offered(4, 0, 1, "w", 5, {"type": "place"}, 1, SOUTH)
    (offer,) = after(both, did(SOUTH)).offers

    assert offer.due
    assert closing(offer) == [OfferEnded(4, "lapsed", 0, 1, 5)]


def test_an_amendment_starts_anew_and_keeps_who_and_where():
    (offer,) = after(OFFERED, did(SOUTH), Amended(4, 2, 0, 1, 5, 9, SOUTH, 2, None)).offers

    assert (offer.payer, offer.payee, offer.window) == (0, 1, "w")
    assert (offer.version, offer.amount, offer.does, offer.times, offer.never) == (2, 9, SOUTH, 2, None)
    assert (offer.done, offer.broken, offer.accepted) == (0, False, False)


def test_an_answer_or_an_end_concerns_one_offer_alone():
    second = Offered(6, 2, 1, "w", 1, SOUTH, 1, None)
    deals = after(OFFERED, second, Accepted(6, 1))
    assert [offer.accepted for offer in deals.offers] == [False, True]

    assert [offer.id for offer in evolve(deals, OfferEnded(4, "declined", 0, 1, 5)).offers] == [6]


def test_promises_stay():
    deals = after(Promised(7, 0, 1, "You have my word.", None, None), OFFERED, OfferEnded(4, "void", 0, 1, 5))

    assert deals == Deals((), (Promise(7, 0, 1, "You have my word.", None, None),))


def test_a_payment_ends_the_offer_first_so_that_its_chips_are_there():
    (offer,) = after(OFFERED, did(NORTH)).offers

    assert closing(offer) == [OfferEnded(4, "paid", 0, 1, 5), Paid(0, 1, 5, 4, "w")]


# --- Chips --------------------------------------------------------------------------------------------


def test_chips_go_to_escrow_and_back_and_from_purse_to_purse():
    purses = Purses((10, 10, None), (0, 0, 0), pot=3, bank=-3)
    events = [OFFERED, Amended(4, 2, 0, 1, 5, 8, NORTH, 1, None), OfferEnded(4, "paid", 0, 1, 8), Paid(0, 1, 8, 4, "w")]

    steps = [purses := move_chips(purses, event) for event in events]

    assert [step.seats for step in steps] == [(5, 10, None), (2, 10, None), (10, 10, None), (2, 18, None)]
    assert [step.escrow for step in steps] == [(5, 0, 0), (8, 0, 0), (0, 0, 0), (0, 0, 0)]
    assert {(step.pot, step.bank) for step in steps} == {(3, -3)}


def test_a_hidden_purse_stays_hidden_while_its_escrow_is_seen():
    purses = move_chips(Purses((None, 10), (0, 0)), OFFERED)

    assert (purses.seats, purses.escrow, purses.total()) == ((None, 10), (5, 0), None)


@pytest.mark.parametrize("event", [Accepted(4, 1), did(NORTH), Promised(1, 0, 1, "Yes.", None, None)])
def test_words_and_deeds_move_no_chips(event):
    purses = Purses((10, 10), (0, 0))

    assert move_chips(purses, event) is purses


# --- One order of lists -------------------------------------------------------------------------------


@given(st.lists(st.sampled_from(["figs", "oil", "wine"]) | st.integers(0, 20)), st.randoms())
def test_a_list_is_written_in_one_order_however_it_came(goods, rng):
    mixed = list(goods)
    rng.shuffle(mixed)

    assert ordered({"type": "unload", "goods": mixed}) == ordered({"type": "unload", "goods": tuple(goods)})


def test_what_is_no_list_stays_as_it_is():
    partial = {"type": "place", "pan": "north", "count": 3, "last": None, "sure": True}

    assert ordered(partial) == partial
