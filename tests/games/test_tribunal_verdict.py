"""The verdict, exile, the end with its settlement, and the appeal."""

import pytest

from games import bargaining, tribunal
from games.core import fold
from games.tribunal import actions as act
from games.tribunal import events as happened
from tests.games.test_tribunal_court import SEATS, Court

every_table = pytest.mark.parametrize("seats", SEATS)

HANDS = (
    ("red-3", "red-10", "yellow-4", "green-5"),
    ("red-7", "yellow-10", "blue-6", "green-3"),
    ("green-10", "blue-10", "blue-7", "yellow-7"),
    ("red-4", "red-5", "red-6", "blue-3"),
)


def colours(court):
    return [pawn.colour for pawn in court.state.pawns]


# --- Verdict ------------------------------------------------------------------------------------------


@every_table
@pytest.mark.parametrize("verdict", ["guilty", "innocent"])
def test_the_pan_with_more_counters_decides(seats, verdict):
    court = Court(seats).passed().pleading("red")

    court.plead(*[verdict] * seats)

    assert court.place("red") == verdict
    assert court.happened(happened.VerdictReached)[-1] == happened.VerdictReached("red", verdict, early=False)


def test_the_spare_counter_counts_as_one_vote():
    court = Court(4).passed().colour("red")
    court.vote(1, 2, 3)

    court.direction().plead("guilty", "guilty", "innocent", "innocent")

    assert court.place("red") == "guilty"


@every_table
def test_the_verdict_waits_for_the_last_plea(seats):
    court = Court(seats).passed().pleading("red").plead(*["guilty"] * (seats - 1))

    assert court.place("red") == "scales"


def test_a_judged_pawn_stays_under_its_pan():
    court = Court().passed().judged("red", "guilty")

    court.balanced("blue").balanced("blue")

    assert court.place("red") == "guilty"


@every_table
def test_equal_pans_send_the_pawn_back_to_iustitia_and_it_may_be_tried_again(seats):
    court = Court(seats).passed().balanced("red")

    assert court.place("red") == "iustitia"
    assert court.happened(happened.Undecided) == [happened.Undecided("red", "iustitia")]
    assert court.permits(1, act.ChooseColour("red"))


def test_the_number_of_counters_may_be_odd_or_even():
    odd = Court(5).passed().colour("red")
    odd.vote(0, 1, 2)
    odd.direction().plead(*["guilty"] * 2, *["innocent"] * 3)

    even = Court(4).passed().pleading("red").plead("guilty", "guilty", "innocent", "innocent")

    assert odd.place("red") == even.place("red") == "iustitia"


def test_extra_counters_on_the_pans_leave_the_game():
    court = Court().passed().pleading("red")
    court.place_counter("guilty", "extra")
    court.plead("guilty", "guilty", "guilty", "guilty")

    assert court.state.scales == ()
    assert court.state.extra_counters == (1, 0, 1, 1)


def test_they_do_so_even_if_the_pans_are_equal():
    court = Court().passed().pleading("red")
    court.place_counter("guilty", "extra")
    court.plead("guilty")
    court.place_counter("innocent", "extra")
    court.plead("innocent", "innocent", "guilty")

    assert court.place("red") == "iustitia"
    assert court.state.scales == ()
    assert court.state.extra_counters == (1, 0, 0, 1)


@every_table
def test_after_the_verdict_each_has_a_verdict_counter_and_the_spare_is_back(seats):
    court = Court(seats).passed().pleading("red").plead(*["guilty"] * seats)

    assert court.state.verdict_counters == (1,) * seats
    assert court.state.scales == ()


def test_a_new_trial_begins_afresh():
    court = Court().passed().pleading("red").plead(*["guilty"] * 4)

    assert court.state.phase == "colour"
    assert court.state.colour is None
    assert court.state.order == ()
    assert court.state.votes == (None,) * 4


# --- The end ------------------------------------------------------------------------------------------


@every_table
def test_the_game_ends_when_everybody_has_chaired_once(seats):
    court = Court(seats).passed(chair=2)

    for _ in range(seats - 1):
        court.balanced("red")
    assert court.outcome() is None
    court.balanced("red")

    assert court.outcome().why == "all_chaired"
    assert len({event.chair for event in court.happened(happened.TrialOpened)}) == seats


@pytest.mark.parametrize("seats", [6, 7])
def test_the_game_ends_sooner_when_every_colour_has_a_verdict(seats):
    court = Court(seats).passed()

    for colour in colours(court):
        assert court.outcome() is None
        court.judged(colour, "innocent")

    assert court.outcome().why == "all_judged"
    assert court.state.trial == 5 < seats


def test_an_exiled_colour_counts_as_having_a_verdict():
    court = Court(6, exile=True).passed()

    for colour in colours(court):
        court.judged(colour, "guilty").play(court.state.turn, act.Exile(True))

    assert court.outcome().why == "all_judged"


@every_table
def test_at_the_end_all_hands_are_shown(seats):
    court = Court(seats).passed()
    hands = court.state.hands

    for _ in range(seats):
        court.balanced("red")

    assert [event.cards for event in court.happened(happened.HandShown)] == list(hands)
    assert all(view.hands == hands for view in court.views.values())


def test_nobody_acts_after_the_end():
    court = Court().passed()
    for _ in range(4):
        court.balanced("red")

    assert court.to_act() == ()
    assert tribunal.windows(court.state) == ()


# --- Settlement ---------------------------------------------------------------------------------------


def settled(red=None, yellow=None, green=None, blue=None, *, exiled=(), **options):
    """A game of four in which the colours are judged so; the chips afterwards."""
    court = Court(4, hands=HANDS, exile=bool(exiled), **options).passed()
    for colour, verdict in {"red": red, "yellow": yellow, "green": green, "blue": blue}.items():
        if verdict is None:
            court.balanced(colour)
        else:
            court.judged(colour, verdict)
        if exiled and verdict == "guilty":
            court.play(court.state.turn, act.Exile(colour in exiled))
    assert court.outcome()
    return court


def test_a_client_found_innocent_brings_its_number():
    assert settled(blue="innocent").chips()[3] == 20 + 3


def test_a_client_found_guilty_costs_its_number():
    assert settled(red="guilty").chips()[3] == 20 - 4 - 5 - 6


def test_an_accuser_gains_ten_by_guilty():
    assert settled(yellow="guilty").chips()[1] == 20 + 10


def test_an_accuser_loses_ten_by_innocent():
    assert settled(yellow="innocent").chips()[1] == 20 - 10


def test_a_client_and_a_charge_in_one_hand_are_both_settled():
    assert settled(red="guilty").chips()[0] == 20 - 3 + 10


def test_colours_without_a_verdict_are_not_settled():
    assert settled().chips() == (20, 20, 20, 20)


def test_all_cards_of_a_hand_are_added_up():
    court = settled(red="guilty", yellow="innocent", green="innocent", blue="guilty")

    assert court.chips() == (20 - 3 + 10 + 4 + 5, 20 - 7 - 10 - 6 + 3, 20 - 10 + 10 - 7 + 7, 20 - 4 - 5 - 6 - 3)
    assert [event.gain for event in court.happened(happened.Settled)] == [16, -20, 0, -18]


def test_the_bank_pays_and_receives():
    court = settled(red="guilty")

    assert court.state.purses.bank == 80 - sum(court.chips())
    assert court.state.purses.total() == 80


def test_a_purse_may_fall_below_zero():
    court = Court(4, hands=HANDS).passed()
    court.state = fold(tribunal, [bargaining.Paid(3, 0, 15, None, None)], court.state)

    for _ in range(3):
        court.balanced("yellow")
    court.judged("red", "guilty")

    assert court.chips()[3] == 20 - 15 - 15
    assert court.outcome().scores[3] == -10


def test_most_chips_win():
    court = settled(red="guilty", yellow="innocent", green="innocent", blue="guilty")

    assert court.outcome().winners == (0,)
    assert court.outcome().scores == court.chips()


def test_equal_purses_share_the_win():
    assert settled().outcome().winners == (0, 1, 2, 3)


def test_what_is_paid_after_the_settlement_still_counts():
    court = settled()

    after = fold(tribunal, [bargaining.Paid(0, 2, 3, None, None)], court.state)

    assert tribunal.outcome(after).winners == (2,)
    assert tribunal.outcome(after).scores == (17, 20, 23, 20)


# --- Exile --------------------------------------------------------------------------------------------


def test_after_a_verdict_of_guilty_the_chair_may_exile_the_colour():
    court = Court(exile=True).passed(chair=2).pleading("red").plead(*["guilty"] * 4)
    assert court.to_act() == (2,)
    assert court.permits(2, act.Exile(True))
    assert court.permits(2, act.Exile(False))

    court.play(2, act.Exile(True))

    assert court.place("red") == "exiled"
    assert court.happened(happened.Exiled) == [happened.Exiled(2, "red")]


def test_an_early_verdict_can_be_followed_by_exile_too():
    court = Court(exile=True).passed().judged("red", "guilty")

    assert court.to_act() == (0,)
    assert court.permits(0, act.Exile(True))


def test_no_exile_after_innocent():
    court = Court(exile=True).passed().judged("red", "innocent")

    assert court.state.phase == "colour"


def test_no_exile_after_equal_pans():
    court = Court(exile=True).passed().balanced("red")

    assert court.state.phase == "colour"


def test_no_exile_without_the_variant():
    court = Court().passed().judged("red", "guilty")

    assert court.state.phase == "colour"


def test_the_chair_may_let_the_colour_stay_guilty():
    court = Court(exile=True).passed().judged("red", "guilty")

    court.play(0, act.Exile(False))

    assert court.place("red") == "guilty"
    assert court.state.trial == 2


def test_exile_is_final():
    court = Court(exile=True).passed().judged("red", "guilty")
    court.play(0, act.Exile(True))

    court.balanced("blue").balanced("blue")

    assert court.place("red") == "exiled"
    assert not court.permits(court.state.turn, act.ChooseColour("red"))


def test_an_exiled_colour_is_not_settled():
    court = settled(red="guilty", yellow="guilty", exiled=("red",))

    assert court.chips() == (20 - 4, 20 + 10, 20 - 7, 20)


# --- Appeal -------------------------------------------------------------------------------------------


def all_judged(seats=4, verdict="innocent", chair=0, **options):
    """Every colour has a verdict: the question of appeal is open."""
    court = Court(seats, appeal=True, **options).passed(chair=chair)
    for colour in colours(court):
        court.judged(colour, verdict)
    return court


def poor(court, seat, left):
    """The seat's purse down to `left`."""
    gift = bargaining.Paid(seat, (seat + 1) % court.seats, court.chips()[seat] - left, None, None)
    court.state = fold(tribunal, [gift], court.state)
    return court


@every_table
def test_with_appeals_the_game_goes_on_until_every_colour_has_a_verdict(seats):
    court = Court(seats, appeal=True).passed()

    for _ in range(seats + 1):
        court.balanced("red")

    assert court.outcome() is None
    assert court.state.chair == 1


@every_table
def test_the_next_chair_is_asked_first(seats):
    court = all_judged(seats, chair=1)

    last = court.happened(happened.TrialOpened)[-1].chair
    assert court.to_act() == ((last + 1) % seats,)


def test_an_appeal_costs_five_chips_to_the_bank():
    court = all_judged()

    court.play(0, act.Appeal("green"))

    assert court.chips() == (15, 20, 20, 20)
    assert court.state.purses.bank == 5


def test_the_appellant_chooses_the_colour_and_chairs_a_normal_trial_of_it():
    court = all_judged()
    court.play(0, act.ForgoAppeal())

    court.play(1, act.Appeal("green"))

    assert court.place("green") == "scales"
    assert court.state.chair == 1
    assert court.state.trial == 5
    assert court.to_act() == (0, 1, 2, 3)
    assert court.divided().to_act() == (1,)
    assert court.direction().state.order == (2, 3, 0, 1)


@pytest.mark.parametrize("colour", ["red", "yellow", "green", "blue"])
def test_any_colour_may_be_appealed(colour):
    assert all_judged().permits(0, act.Appeal(colour))


def test_who_forgoes_hands_the_right_on_to_the_left():
    court = all_judged()

    court.play(0, act.ForgoAppeal())

    assert court.to_act() == (1,)


@every_table
def test_each_seat_is_asked_once_and_if_nobody_appeals_the_game_ends(seats):
    court = all_judged(seats)

    for _ in range(seats):
        assert court.outcome() is None
        court.play(court.state.turn, act.ForgoAppeal())

    assert court.outcome().why == "appeal_forgone"
    assert sorted(event.seat for event in court.happened(happened.AppealAsked)) == list(range(seats))


def test_there_is_one_appeal_only_and_then_the_game_ends():
    court = all_judged()
    court.play(0, act.Appeal("green"))

    court.vote(0, 1, 2, 3)

    assert court.place("green") == "guilty"
    assert court.outcome().why == "appeal_judged"


def test_the_new_verdict_replaces_the_old_one():
    court = all_judged(hands=HANDS)
    court.play(0, act.Appeal("blue"))

    court.divided().direction("clockwise").plead("guilty", "guilty", "guilty", "guilty")

    assert court.place("blue") == "guilty"
    assert court.chips()[3] == 20 + 4 + 5 + 6 - 3


@pytest.mark.parametrize("verdict", ["guilty", "innocent"])
def test_if_the_appeal_ends_in_equal_pans_the_old_verdict_stands(verdict):
    court = all_judged(verdict=verdict)
    court.play(0, act.Appeal("red"))

    court.divided().direction().plead("guilty", "guilty", "innocent", "innocent")

    assert court.place("red") == verdict
    assert court.happened(happened.Undecided) == [happened.Undecided("red", verdict)]
    assert court.outcome().why == "appeal_judged"


def test_an_appeal_needs_five_chips_in_the_purse():
    court = poor(all_judged(), 0, 4)

    assert not court.permits(0, act.Appeal("red"))
    assert court.permits(0, act.ForgoAppeal())
    assert poor(all_judged(), 0, 5).permits(0, act.Appeal("red"))


def test_chips_in_escrow_do_not_pay_for_an_appeal():
    court = all_judged()
    offered = bargaining.Offered(9, 0, 1, "appeal:1", 16, {"type": "forgo_appeal"}, 1, None)

    court.state = fold(tribunal, [offered], court.state)

    assert not court.permits(0, act.Appeal("red"))


def test_exiled_colours_cannot_be_appealed():
    court = Court(4, appeal=True, exile=True).passed()
    for colour in ("red", "yellow", "green", "blue"):
        court.judged(colour, "guilty").play(court.state.turn, act.Exile(colour == "red"))

    assert not court.permits(0, act.Appeal("red"))
    assert court.permits(0, act.Appeal("blue"))


def test_with_all_colours_exiled_nobody_is_asked():
    court = Court(4, appeal=True, exile=True).passed()
    for colour in ("red", "yellow", "green", "blue"):
        court.judged(colour, "guilty").play(court.state.turn, act.Exile(True))

    assert court.outcome().why == "all_judged"
    assert not court.happened(happened.AppealAsked)


def test_a_new_verdict_of_guilty_may_be_followed_by_exile():
    court = all_judged(exile=True)
    court.play(0, act.Appeal("green"))
    court.vote(0, 1, 2, 3)
    assert court.to_act() == (0,)

    court.play(0, act.Exile(True))

    assert court.place("green") == "exiled"
    assert court.outcome().why == "appeal_judged"


@every_table
def test_after_three_rounds_of_the_chair_the_game_ends_without_an_appeal(seats):
    court = Court(seats, appeal=True).passed()

    for _ in range(3 * seats - 1):
        court.balanced("red")
    assert court.outcome() is None
    court.balanced("red")

    assert court.outcome().why == "trials_capped"
    assert not court.happened(happened.AppealAsked)


def test_a_last_verdict_in_the_last_round_still_opens_the_appeal():
    court = Court(4, appeal=True).passed()
    for colour in ("red", "yellow", "green"):
        court.judged(colour, "innocent")
    for _ in range(8):
        court.balanced("blue")

    court.judged("blue", "innocent")

    assert court.state.trial == 12
    assert court.to_act() == (0,)
    assert court.permits(0, act.ForgoAppeal())
