"""What a verdict is, which way a counter works, and what the scales would have said without one."""

import pytest
from msgspec.structs import replace

from games import core, tribunal
from games.core import Verdict
from games.tribunal import actions as act
from games.tribunal import events as happened
from games.tribunal.pieces import Counter
from tests.games.test_tribunal_court import SEATS, Court
from tests.games.test_tribunal_verdict import all_judged

every_table = pytest.mark.parametrize("seats", SEATS)

GUILTY, INNOCENT = {"type": "place", "pan": "guilty"}, {"type": "place", "pan": "innocent"}


def scales(*counters, earlier=None):
    """A court with these on the scales: a seat, or None for the spare counter, and a pan; perhaps a kind."""
    lying = tuple(Counter(kind[0] if kind else "verdict", seat, pan) for seat, pan, *kind in counters)
    return replace(Court(4).state, scales=lying, earlier=earlier)


def verdicts(court):
    """What each event of the game says, as a verdict, from the court that it happened in."""
    state, found = None, []
    for event in court.events:
        found.append(tribunal.verdict(state, event) if state is not None else None)
        state = tribunal.evolve(state, event)
    return [verdict for verdict in found if verdict is not None]


def test_it_is_a_game_that_judges():
    assert isinstance(tribunal, core.Judged)


# --- The verdict --------------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", ["guilty", "innocent"])
def test_the_verdict_says_what_was_found_about_which_colour(verdict):
    court = Court().passed().pleading("blue").plead(*[verdict] * 4)

    assert verdicts(court) == [Verdict(verdict, "blue")]


def test_an_early_verdict_is_one_too():
    assert verdicts(Court().passed().judged("red", "guilty")) == [Verdict("guilty", "red")]


def test_equal_pans_leave_it_undecided():
    assert verdicts(Court().passed().balanced("red")) == [Verdict("undecided", "red")]


@pytest.mark.parametrize("earlier", ["guilty", "innocent"])
def test_equal_pans_on_appeal_say_the_verdict_that_stands(earlier):
    court = all_judged(verdict=earlier)
    court.play(0, act.Appeal("red"))
    court.divided().direction().plead("guilty", "guilty", "innocent", "innocent")

    assert verdicts(court)[-1] == Verdict(earlier, "red")
    assert len(verdicts(court)) == 5


def test_exile_is_no_verdict():
    court = Court(exile=True).passed().judged("red", "guilty")
    court.play(0, act.Exile(True))

    assert verdicts(court) == [Verdict("guilty", "red")]


# --- What a deed works for ----------------------------------------------------------------------------


@pytest.mark.parametrize("pan", ["guilty", "innocent"])
def test_a_counter_works_for_the_pan_that_it_lies_on(pan):
    assert tribunal.supports({"type": "place", "pan": pan}) == pan
    assert tribunal.supports({"type": "place", "pan": pan, "counter": "extra"}) == pan


@pytest.mark.parametrize(
    "deed",
    [
        {"type": "place"},
        {"type": "place", "counter": "verdict"},
        {"type": "give", "to": 2},
        {"type": "exile", "exile": True},
        {"type": "choose_colour", "colour": "red"},
        {"type": "appeal"},
        {},
    ],
)
def test_nothing_else_works_for_a_verdict(deed):
    assert tribunal.supports(deed) is None


# --- Without it ---------------------------------------------------------------------------------------


def test_one_counter_fewer_may_turn_the_verdict():
    court = scales((1, "guilty"), (2, "guilty"), (3, "innocent"), (0, "innocent"), (None, "guilty"))

    assert tribunal.without(court, 1, GUILTY) == "undecided"
    assert tribunal.without(court, 3, INNOCENT) == "guilty"


def test_from_equal_pans_one_counter_fewer_leaves_the_other_pan_heavier():
    court = scales((1, "guilty"), (2, "innocent"))

    assert tribunal.without(court, 1, GUILTY) == "innocent"
    assert tribunal.without(court, 2, INNOCENT) == "guilty"


def test_only_one_counter_is_taken_away_however_many_the_seat_has_placed():
    court = scales((1, "guilty"), (1, "guilty"), (2, "innocent"))

    assert tribunal.without(court, 1, GUILTY) == "undecided"


@pytest.mark.parametrize("earlier", ["guilty", "innocent"])
def test_on_appeal_equal_pans_mean_that_the_earlier_verdict_stands(earlier):
    court = scales((1, "guilty"), (2, "innocent"), (3, "innocent"), earlier=earlier)

    assert tribunal.without(court, 3, INNOCENT) == earlier


def test_the_kind_of_counter_matters_where_it_is_named():
    court = scales((1, "guilty", "extra"), (2, "innocent"))

    assert tribunal.without(court, 1, {**GUILTY, "counter": "extra"}) == "innocent"
    assert tribunal.without(court, 1, {**GUILTY, "counter": "verdict"}) is None


def test_none_where_the_seat_has_no_such_counter_there():
    court = scales((1, "guilty"), (None, "innocent"))

    assert tribunal.without(court, 1, INNOCENT) is None
    assert tribunal.without(court, 2, GUILTY) is None
    assert tribunal.without(court, 1, {"type": "give", "to": 2}) is None


def test_a_description_without_a_pan_means_something_only_if_all_lie_on_one():
    anywhere = {"type": "place"}

    assert tribunal.without(scales((1, "guilty"), (2, "innocent")), 1, anywhere) == "innocent"
    assert tribunal.without(scales((1, "guilty"), (1, "innocent")), 1, anywhere) is None


@every_table
def test_it_is_what_the_court_itself_would_have_found(seats):
    """Weighed by hand."""
    court = Court(seats).passed().pleading().plead(*["guilty"] * (seats - 1))
    first = court.state.order[0]
    before = court.state
    lighter = tribunal.evolve(before, happened.CounterPlaced(court.state.turn, "verdict", "innocent"))

    without = tribunal.without(lighter, first, GUILTY)
    left = tuple(counter for counter in lighter.scales if counter.seat != first)
    weight = [sum(counter.pan == pan for counter in left) for pan in ("guilty", "innocent")]

    assert without == ("guilty" if weight[0] > weight[1] else "innocent" if weight[0] < weight[1] else "undecided")
    assert lighter.scales != left
    assert tribunal.without(before, first, GUILTY) is not None


def test_the_scales_stay_as_they_are():
    court = scales((1, "guilty"), (2, "innocent"))

    tribunal.without(court, 1, GUILTY)

    assert court.weight("guilty") == court.weight("innocent") == 1


def test_an_early_verdict_has_nothing_to_take_away():
    court = Court().passed().colour("red")
    for seat in range(3):
        court.play(seat, act.Vote(True))
    before = tribunal.evolve(court.state, happened.SparePlaced("guilty"))

    assert [tribunal.without(before, seat, GUILTY) for seat in range(4)] == [None] * 4
