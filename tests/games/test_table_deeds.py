"""Deeds: the actions that stand on record because somebody may have bargained over them."""

import pytest

from games.bargaining import Did
from games.core import Refused
from games.table import actions as act
from tests.laws.harbour import NORTH, Harbour, offering

# --- Deeds on record ----------------------------------------------------------------------------------


def test_deeds_stand_before_what_they_cause_in_decisions_over_which_one_may_bargain():
    table = Harbour()
    table.admit("north")

    assert table.events[0] == Did("admit:1", "admit", table.warden, {"type": "admit", "pier": "north"})


def test_deeds_in_other_decisions_are_not_on_record():
    table = Harbour()
    laid = [event for body in table.bodies for event in body.events if isinstance(event, Did)]

    assert laid == []


def test_a_deed_is_on_record_after_the_offers_are_closed_only_if_somebody_bargained():
    silent, bribed, promised = Harbour(strict=True), Harbour(strict=True), Harbour(strict=True)
    bribed.offer(bribed.trader, NORTH)
    promised.do(promised.warden, act.Promise(promised.trader, "north!", NORTH, "admit"))
    for table in (silent, bribed, promised):
        table.admit("north", "north")

    assert not silent.happened(Did)
    assert bribed.happened(Did)
    assert promised.happened(Did)


def test_sealed_deeds_are_never_on_record():
    table = Harbour()
    table.admit("north", "north", "north")
    table.do(table.deputy, {"type": "hide", "goods": "figs"})

    assert not table.happened(Did)
    assert (
        table.refused(table.trader, offering(table.deputy, {"type": "hide"}, window="unload:1")).code
        == "not_among_asks"
    )


def test_a_refused_deed_counts_for_nothing():
    table = Harbour()
    offer = table.offer(table.trader, {"type": "shut"})
    table.admit("north")
    with pytest.raises(Refused):
        table.do(table.warden, {"type": "shut"})

    assert table.offers[offer].done == 0
