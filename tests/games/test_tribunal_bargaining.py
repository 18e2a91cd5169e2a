"""Windows: when talk is closed, over what one may bargain; and chips that move by bargaining."""

import pytest

from games import tribunal
from games.bargaining import Amended, Did, Offered, OfferEnded, Paid
from games.core import Purses, describes, fold
from games.tribunal import actions as act
from tests.games.test_tribunal_court import SEATS, Court

every_table = pytest.mark.parametrize("seats", SEATS)


def others(seat, seats):
    return tuple(other for other in range(seats) if other != seat)


def only(court):
    (window,) = tribunal.windows(court.state)
    return window


def fits(window, **partial):
    return any(describes(partial, deed) for deed in window.deeds)


# --- Talk ---------------------------------------------------------------------------------------------


@every_table
def test_no_talk_between_the_choice_of_colour_and_the_general_vote(seats):
    court = Court(seats).passed().colour()

    for seat in range(seats):
        window = only(court)
        assert (window.id, window.kind, window.open) == ("vote:1", "vote", True)
        assert (window.talk, window.offers, window.deeds) == ((), (), ())
        court.play(seat, act.Vote(seat % 2 == 0))

    assert "vote:1" not in court.windows()


@every_table
def test_everybody_talks_during_all_other_decisions(seats):
    court = Court(seats, appeal=True, exile=True).passed()
    moments = [court.windows()]
    moments.append(court.colour().divided().windows())
    moments.append(court.direction().windows())
    moments.append(court.plead(*["guilty"] * seats).windows())

    kinds = [{window.kind for window in moment.values()} for moment in moments]

    assert kinds == [{"colour"}, {"direction"}, {"plea"}, {"exile"}]
    assert all(window.talk == tuple(range(seats)) for moment in moments for window in moment.values())


@every_table
def test_while_cards_are_passed_talk_is_free_and_there_are_no_offers(seats):
    assert tribunal.windows(Court(seats).state) == ()


# --- What one may bargain over ------------------------------------------------------------------------


@every_table
def test_others_may_influence_the_choice_of_colour_with_chips(seats):
    court = Court(seats).passed(chair=2)

    window = only(court)

    assert (window.id, window.deciders, window.open) == ("colour:1", (2,), True)
    assert window.offers == others(2, seats)
    assert fits(window, type="choose_colour", colour="red")


@every_table
def test_others_may_influence_the_direction_with_chips(seats):
    court = Court(seats).passed(chair=2).colour().divided()

    window = only(court)

    assert (window.id, window.deciders, window.open) == ("direction:1", (2,), True)
    assert window.offers == others(2, seats)
    assert fits(window, type="choose_direction", direction="counterclockwise")


@every_table
def test_others_may_influence_a_plea_with_chips(seats):
    court = Court(seats).passed().pleading()

    window = court.windows()["plea:1:1"]

    assert (window.deciders, window.open) == ((1,), True)
    assert window.offers == others(1, seats)
    assert window.deeds == court.asks(1)
    assert fits(window, type="place", counter="verdict", pan="innocent")
    assert fits(window, type="give", to=2)


@every_table
def test_pleas_still_to_come_are_announced_once_the_direction_is_chosen(seats):
    court = Court(seats).passed().pleading()

    windows = tribunal.windows(court.state)

    assert [window.id for window in windows] == [f"plea:1:{seat}" for seat in (*range(1, seats), 0)]
    assert [window.open for window in windows] == [True] + [False] * (seats - 1)


@every_table
def test_offers_to_later_speakers_come_from_everybody_else_the_speaker_included(seats):
    court = Court(seats).passed().pleading()

    for seat in (*range(2, seats), 0):
        assert court.windows()[f"plea:1:{seat}"].offers == others(seat, seats)


def test_an_announced_plea_shows_the_most_that_its_speaker_could_do():
    court = Court(4).passed().pleading()
    third, chair = court.windows()["plea:1:3"], court.windows()["plea:1:0"]

    assert all(
        fits(third, type="place", counter=c, pan=p) for c in ("verdict", "extra") for p in ("guilty", "innocent")
    )
    assert fits(third, type="give", counter="verdict", to=0)
    assert not fits(third, type="give", counter="verdict", to=1)
    assert all(fits(third, type="give", counter="extra", to=seat) for seat in (0, 1, 2))
    assert fits(chair, type="give", counter="extra", to=2)
    assert not fits(chair, type="give", counter="verdict")


def test_a_plea_is_one_window_over_all_its_steps():
    court = Court(4).passed().pleading()
    court.give(2)
    court.place_counter("guilty", "extra")
    assert court.windows()["plea:1:2"].open

    court.place_counter("guilty")
    assert court.windows()["plea:1:2"].open

    court.place_counter("innocent")
    assert "plea:1:2" not in court.windows()


def test_giving_the_last_verdict_counter_closes_the_window():
    court = Court(4).passed().pleading()

    court.give(0)

    assert "plea:1:1" not in court.windows()
    assert court.windows()["plea:1:2"].open


@every_table
def test_others_may_influence_the_exile_with_chips(seats):
    court = Court(seats, exile=True).passed(chair=3).judged("red", "guilty")

    window = only(court)

    assert (window.id, window.deciders, window.open) == ("exile:1", (3,), True)
    assert window.offers == others(3, seats)
    assert fits(window, type="exile", exile=False)


def test_others_may_influence_the_appeal_with_chips():
    court = Court(4, appeal=True).passed()
    for colour in ("red", "yellow", "green", "blue"):
        court.judged(colour, "innocent")

    window = only(court)

    assert (window.id, window.deciders, window.open) == ("appeal:0", (0,), True)
    assert window.offers == (1, 2, 3)
    assert fits(window, type="appeal", colour="red")
    assert fits(window, type="forgo_appeal")


@every_table
def test_the_last_plea_closes_its_window_in_the_entry_of_the_verdict(seats):
    court = Court(seats).passed().pleading().plead(*["guilty"] * (seats - 1))
    assert list(court.windows()) == ["plea:1:0"]

    court.plead("guilty")

    assert list(court.windows()) == ["colour:2"]


@every_table
def test_windows_are_the_same_for_everybody(seats):
    court = Court(seats).passed().pleading()

    assert all(tribunal.windows(view) == tribunal.windows(court.state) for view in court.views.values())


# --- Chips --------------------------------------------------------------------------------------------


def folded(*events):
    return tribunal.purses(fold(tribunal, events, Court(4).state))


OFFERED = Offered(7, 1, 2, "plea:1:2", 6, {"type": "place"}, 1, None)


def test_offered_chips_lie_in_escrow():
    assert folded(OFFERED) == Purses((20, 14, 20, 20), (0, 6, 0, 0))


def test_amended_offers_change_the_escrow():
    assert folded(OFFERED, Amended(7, 2, 1, 2, 6, 9, {"type": "give"}, 1, None)) == Purses(
        (20, 11, 20, 20), (0, 9, 0, 0)
    )


def test_an_ended_offer_gives_the_chips_back():
    assert folded(OFFERED, OfferEnded(7, "lapsed", 1, 2, 6)) == Purses((20, 20, 20, 20), (0, 0, 0, 0))


def test_a_paid_offer_moves_the_chips_to_the_payee():
    paid = folded(OFFERED, OfferEnded(7, "paid", 1, 2, 6), Paid(1, 2, 6, 7, "plea:1:2"))

    assert paid == Purses((20, 14, 26, 20), (0, 0, 0, 0))


def test_a_deed_or_a_promise_moves_no_chips():
    assert folded(Did("plea:1:2", "plea", 2, {"type": "place"})) == Purses((20,) * 4, (0,) * 4)
