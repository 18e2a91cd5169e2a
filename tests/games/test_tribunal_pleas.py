"""The pleas: verdict counters, extra counters, who may do what with them and when a plea ends."""

import pytest

from games.tribunal import actions as act
from games.tribunal import events as happened
from games.tribunal.pieces import Counter
from tests.games.test_tribunal_court import SEATS, Court

every_table = pytest.mark.parametrize("seats", SEATS)
either_pan = pytest.mark.parametrize("pan", ["guilty", "innocent"])


def pleading(seats=4, **options):
    """The first plea is seat 1's; seat 0 chairs and pleads last."""
    return Court(seats, **options).passed().pleading()


# --- Verdict counters ---------------------------------------------------------------------------------


@every_table
@either_pan
def test_a_speaker_places_the_verdict_counter_on_either_pan(seats, pan):
    court = pleading(seats)

    court.place_counter(pan)

    assert court.state.scales[-1] == Counter("verdict", 1, pan)
    assert court.state.verdict_counters[1] == 0


@every_table
def test_placing_the_last_verdict_counter_ends_the_plea(seats):
    court = pleading(seats)

    court.place_counter()

    assert court.to_act() == (2,)


def test_a_placed_counter_cannot_be_taken_back():
    court = pleading()

    court.place_counter("guilty")

    assert court.asks(1) == ()


@every_table
def test_only_the_speaker_moves_counters(seats):
    court = pleading(seats)

    assert court.to_act() == (1,)
    assert all(court.asks(seat) == () for seat in range(seats) if seat != 1)


@every_table
def test_every_seat_pleads_once_in_a_trial(seats):
    court = Court(seats).passed().balanced("red")

    assert [event.seat for event in court.happened(happened.SpeakerCalled)] == [*range(1, seats), 0]


@every_table
def test_a_verdict_counter_may_be_given_to_any_later_speaker(seats):
    court = pleading(seats)

    assert all(court.permits(1, act.Give("verdict", seat)) for seat in range(seats) if seat != 1)
    assert not court.permits(1, act.Give("verdict", 1))


@every_table
def test_a_verdict_counter_cannot_be_given_to_who_has_spoken(seats):
    court = pleading(seats)

    court.plead("guilty")

    assert not court.permits(2, act.Give("verdict", 1))
    assert court.permits(2, act.Give("verdict", 0))


def test_giving_the_last_verdict_counter_ends_the_plea():
    court = pleading()

    court.give(3)

    assert court.to_act() == (2,)
    assert court.state.verdict_counters == (1, 0, 1, 2)


def test_received_counters_add_to_ones_own_and_one_speaks_once():
    court = pleading()
    court.give(3)
    court.plead("guilty")

    assert court.to_act() == (3,)
    court.place_counter("guilty")
    assert court.to_act() == (3,)
    court.place_counter("innocent")

    assert court.to_act() == (0,)
    assert court.state.scales[-2:] == (Counter("verdict", 3, "guilty"), Counter("verdict", 3, "innocent"))


def test_a_speaker_may_split_some_to_the_pans_and_some_to_others():
    court = pleading()
    court.give(2)

    court.place_counter("innocent")
    court.give(0)

    assert court.to_act() == (3,)
    assert court.state.scales == (Counter("verdict", 2, "innocent"),)
    assert court.state.verdict_counters == (2, 0, 0, 1)


def test_received_counters_may_be_passed_on_once_more():
    court = pleading()

    court.give(2)
    court.give(3)
    court.give(3)

    assert court.state.verdict_counters == (1, 0, 0, 3)


def test_all_verdict_counters_must_be_used_in_this_trial():
    court = pleading()
    court.give(2)

    court.place_counter()

    assert court.to_act() == (2,)
    assert {ask.type for ask in court.asks(2)} == {"place", "give"}


@every_table
def test_the_chair_has_nobody_to_give_to_and_must_place_all(seats):
    court = pleading(seats)
    for _ in range(seats - 1):
        court.give(0)

    assert court.state.verdict_counters[0] == seats
    assert not any(court.permits(0, act.Give("verdict", seat)) for seat in range(seats))
    for _ in range(seats):
        assert court.to_act() == (0,)
        court.place_counter("innocent")
    assert court.place("red") == "innocent"


@every_table
def test_whatever_was_given_away_each_has_one_verdict_counter_in_the_next_trial(seats):
    court = pleading(seats)
    for _ in range(seats - 1):
        court.give(0)

    court.plead("guilty")

    assert court.state.trial == 2
    assert court.state.verdict_counters == (1,) * seats


# --- Extra counters -----------------------------------------------------------------------------------


@every_table
@either_pan
def test_the_extra_counter_may_be_placed_before_the_verdict_counter(seats, pan):
    court = pleading(seats)

    court.place_counter(pan, "extra")

    assert court.state.scales[-1] == Counter("extra", 1, pan)
    assert court.state.extra_counters[1] == 0
    assert court.to_act() == (1,)


def test_the_extra_counter_counts_like_any_other():
    court = Court(4).passed().pleading()

    court.place_counter("guilty", "extra")
    court.plead("guilty", "guilty", "innocent", "innocent")

    assert court.place("red") == "guilty"


def test_the_extra_counter_serves_once_in_the_game():
    court = pleading()
    court.place_counter("guilty", "extra")
    court.plead("innocent", "innocent", "innocent", "innocent")

    court.pleading("blue").plead("guilty", "guilty", "guilty")

    assert court.to_act() == (1,)
    assert not court.permits(1, act.Place("extra", "guilty"))
    assert not court.permits(1, act.Give("extra", 2))


def test_an_extra_counter_can_wait_for_a_later_trial():
    court = Court().passed().balanced("red").pleading("red")

    assert court.permits(2, act.Place("extra", "guilty"))


def test_the_extra_counter_is_only_for_ones_own_plea():
    court = pleading()

    assert all(not court.permits(seat, act.Place("extra", "guilty")) for seat in (0, 2, 3))


@pytest.mark.parametrize("leaving", [act.Place("verdict", "guilty"), act.Give("verdict", 3)])
def test_no_extra_counter_once_a_verdict_counter_has_left_the_hand(leaving):
    court = pleading()
    court.give(2)
    assert court.permits(2, act.Place("extra", "guilty"))

    court.play(2, leaving)

    assert court.to_act() == (2,)
    assert not court.permits(2, act.Place("extra", "guilty"))
    assert not court.permits(2, act.Give("extra", 0))


def test_the_next_speaker_may_use_an_extra_counter_again():
    court = pleading()

    court.place_counter()

    assert court.permits(2, act.Place("extra", "guilty"))


@every_table
def test_an_extra_counter_may_be_given_to_any_other_seat_even_one_that_has_spoken(seats):
    court = pleading(seats).plead("guilty")

    assert all(court.permits(2, act.Give("extra", seat)) for seat in range(seats) if seat != 2)
    assert not court.permits(2, act.Give("extra", 2))


def test_the_chair_may_give_an_extra_counter_though_no_verdict_counter():
    court = pleading().plead("guilty", "guilty", "innocent")

    assert court.permits(0, act.Give("extra", 1))
    assert not court.permits(0, act.Give("verdict", 1))


def test_giving_an_extra_counter_does_not_end_the_plea():
    court = pleading()

    court.give(3, "extra")

    assert court.to_act() == (1,)
    assert court.state.extra_counters == (1, 0, 1, 2)


def test_a_received_extra_counter_serves_in_the_same_trial_if_one_has_not_spoken():
    court = pleading()
    court.give(2, "extra")
    court.plead("guilty")

    court.place_counter("guilty", "extra")
    court.place_counter("guilty", "extra")

    assert court.to_act() == (2,)
    assert court.state.extra_counters == (1, 0, 0, 1)


def test_a_received_extra_counter_waits_for_the_next_trial_if_one_has_spoken():
    court = pleading().plead("guilty")
    court.give(1, "extra")
    assert court.state.extra_counters[1] == 2
    assert court.asks(1) == ()

    court.plead("innocent", "innocent", "guilty")
    court.pleading("red" if court.place("red") == "iustitia" else "blue").plead("guilty", "guilty", "guilty")

    assert court.state.turn == 1
    court.place_counter("guilty", "extra")
    court.place_counter("guilty", "extra")
    assert court.state.extra_counters[1] == 0


def test_several_extra_counters_may_be_used_or_passed_on():
    court = pleading()
    court.give(2, "extra")
    court.plead("guilty")

    court.place_counter("innocent", "extra")
    court.give(3, "extra")

    assert court.state.extra_counters == (1, 0, 0, 2)


def test_a_speaker_need_not_use_the_extra_counter():
    court = pleading()

    court.place_counter()

    assert court.state.extra_counters == (1, 1, 1, 1)


def test_a_plea_is_made_of_steps():
    court = pleading()
    court.give(2)

    steps = [court.place_counter("guilty", "extra"), court.place_counter("innocent"), court.give(3)]

    assert [len(step) for step in steps] == [1, 1, 2]
    assert steps[-1][-1] == happened.SpeakerCalled(3)
