"""Turns: drawing, buying, building cases, who defends, passing, and the end."""

import pytest
from msgspec.structs import replace

from games import witch_trial
from games.core import Outcome
from games.witch_trial import actions as act
from games.witch_trial import events as happened
from games.witch_trial.pieces import TURNS, Case
from games.witch_trial.state import stock
from tests.games.test_witch_trial_court import SEATS, Court, trial

LINEUP = ("note", "pet", "golf", "anna", "baron")
every_table = pytest.mark.parametrize("seats", SEATS)


# --- Drawing and passing ------------------------------------------------------------------------------


def test_a_turn_begins_with_a_card_off_the_deck():
    court = Court()
    before = court.state.undrawn
    court.play(0, act.Pass())

    drew = court.happened(happened.Drew)[-1]
    assert (drew.seat, drew.count) == (1, 1)
    assert court.hand(1) == drew.cards
    assert len(court.state.lineup) == 5
    assert court.state.undrawn == before - 1 - 5


def test_with_an_empty_deck_nothing_is_drawn():
    court = Court(["pet"]).emptied()
    before = len(court.happened(happened.Drew))
    court.play(0, act.Pass())

    assert len(court.happened(happened.Drew)) == before
    assert court.hand(1) == ()


@every_table
def test_the_turn_goes_round_to_the_left(seats):
    court = Court(seats=seats, first=seats - 1)
    order = []
    for _ in range(seats):
        order.append(court.state.active)
        court.play(court.state.active, act.Pass())

    assert order == [seats - 1, *range(seats - 1)]


def test_only_whose_turn_it_is_may_act():
    court = Court(["pet"], ["pet"], lineup=LINEUP)

    assert court.to_act() == (0,)
    assert court.asks(1) == court.asks(2) == ()


def test_one_may_always_pass_and_that_is_all_one_does():
    court = Court(lineup=LINEUP)
    court.play(0, act.Pass())

    assert court.to_act() == (1,)
    assert court.chips == (50, 50, 50)


def test_a_turn_is_over_after_one_thing():
    court = Court(["lewis", "golf"], lineup=LINEUP)
    court.play(0, act.Buy(0))

    assert court.to_act() == (1,)


# --- Buying -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("place", "price"), [(0, 0), (1, 5), (2, 10), (3, 15), (4, 20)])
def test_the_price_goes_up_with_each_place_towards_the_deck_and_is_paid_into_the_legal_fees(place, price):
    court = Court(lineup=LINEUP)
    court.play(0, act.Buy(place))

    assert court.hand(0) == (LINEUP[place],)
    assert court.chips == (50 - price, 50, 50)
    assert court.pot == price


@pytest.mark.parametrize("place", range(5))
def test_the_others_slide_to_the_cheap_end_and_a_new_card_comes_in_at_the_dear_end(place):
    court = Court(lineup=LINEUP)
    court.play(0, act.Buy(place))

    *slid, new = court.state.lineup
    assert slid == [card for card in LINEUP if card != LINEUP[place]]
    assert [event.cards for event in court.happened(happened.TurnedUp)[1:]] == [(new,)]


def test_with_an_empty_deck_the_lineup_gets_shorter():
    court = Court(lineup=LINEUP).emptied()
    court.play(0, act.Buy(2))

    assert court.state.lineup == ("note", "pet", "anna", "baron")
    court.play(1, act.Buy(3))
    assert court.chips == (40, 35, 50)


@pytest.mark.parametrize("action", [act.Buy(0), act.Build("lewis", "golf", 2)], ids=["buy", "build"])
def test_the_last_card_of_the_deck_goes_to_the_lineup_before_the_next_player_draws(action):
    court = Court(["lewis"], lineup=LINEUP)
    left = stock(court.state)
    court.fold(happened.Drew(2, len(left) - 1, left[1:]))
    court.play(0, action)

    assert court.state.lineup[4:] == left[:1]
    assert court.hand(1) == ()


def test_one_buys_only_what_one_can_pay():
    court = Court(lineup=LINEUP).give(0, 1, 41)

    (buy,) = court.asks(0, "buy")
    assert buy.fields["place"].one_of == (0, 1)
    assert not court.permits(0, act.Buy(2))


def test_who_has_nothing_can_still_take_what_is_free():
    court = Court(lineup=LINEUP).give(0, 1, 50)
    court.play(0, act.Buy(0))

    assert court.hand(0) == ("note",)
    assert court.chips[0] == 0


def test_from_an_empty_lineup_nothing_is_bought():
    assert Court().emptied().asks(0, "buy") == ()


def test_there_is_no_largest_hand():
    court = Court(["pet"] * 5 + ["note"] * 4 + ["golf"] * 3 + ["nonsense"] * 3, lineup=("note",))
    court.play(0, act.Buy(0))

    assert len(court.hand(0)) == 16


def test_what_is_bought_everybody_has_seen():
    court = Court(["pet"], lineup=LINEUP)
    court.play(0, act.Buy(1))

    assert court.state.known[0] == ("pet",)
    assert court.views[1].known[0] == ("pet",)
    assert court.views[1].hands[0] == (None, None)


# --- Building a case ----------------------------------------------------------------------------------


def test_a_case_is_a_suspect_and_a_charge_of_ones_hand_laid_before_oneself():
    court = Court(["lewis", "golf", "pet"])
    court.case("lewis", "golf")

    assert court.state.cases == (Case("lewis", "golf"), None, None)
    assert court.hand(0) == ("pet",)
    assert court.to_act() == (1,)


@pytest.mark.parametrize(
    ("hand", "suspect", "charge", "place"), [("golf", "baron", "golf", 4), ("lewis", "lewis", "smuggling", 3)]
)
def test_one_of_the_two_may_come_from_the_lineup_for_nothing(hand, suspect, charge, place):
    court = Court([hand], lineup=("note", "pet", "note", "smuggling", "baron"))
    court.play(0, act.Build(suspect, charge, place))

    assert court.state.cases[0] == Case(suspect, charge)
    assert court.hand(0) == ()
    assert court.chips[0] == 50
    assert court.pot == 0
    assert len(court.state.lineup) == 5


def test_not_both_come_from_the_lineup():
    court = Court(["pet"], lineup=("golf", "anna"))

    assert court.asks(0, "build") == ()


def test_any_suspect_goes_with_any_charge():
    court = Court(["lewis", "anna", "golf", "heresy"])

    (build,) = court.asks(0, "build")
    assert set(build.fields["suspect"].one_of) == {"lewis", "anna"}
    assert set(build.fields["charge"].one_of) == {"golf", "heresy"}


def test_nobody_has_two_pending_cases():
    court = Court(["lewis", "lewis", "golf", "golf"]).case()
    court.play(1, act.Pass())
    court.play(2, act.Pass())

    assert court.asks(0, "build") == ()


def test_a_card_of_the_lineup_is_named_by_its_place():
    court = Court(["golf"], lineup=("lewis", "pet", "lewis"))
    court.play(0, act.Build("lewis", "golf", 2))

    assert court.state.lineup[:2] == ("lewis", "pet")


# --- Defending ----------------------------------------------------------------------------------------


def test_one_may_defend_any_pending_case_of_another():
    court = Court(["lewis", "golf"], ["anna", "gossip"]).case()
    court.case("anna", "gossip")

    (defend,) = court.asks(2, "defend")
    assert defend.fields["of"].one_of == (0, 1)


def test_whose_case_it_is_prosecutes_and_who_takes_it_on_defends():
    court = trial()

    assert (court.trial.prosecutor, court.trial.defender) == (0, 1)
    assert court.state.cases == (None, None, None)


def test_nobody_defends_his_own_case():
    court = Court(["lewis", "golf"]).case()
    court.play(1, act.Pass())
    court.play(2, act.Pass())

    assert court.asks(0, "defend") == ()


def pending(seats=3):
    """Seat 0 has a case pending, and it is his turn again."""
    court = Court(["lewis", "golf"], seats=seats).case()
    for seat in range(1, seats):
        court.play(seat, act.Pass())
    return court


def test_a_defender_is_appointed_for_ones_own_case_only():
    court = pending()
    assert court.permits(0, act.Appoint())

    court.play(0, act.Pass())
    assert not court.permits(1, act.Appoint())


def test_all_others_roll_two_dice_and_the_lowest_total_defends():
    court = pending(4)
    court.play(0, act.Appoint(), 3, 4, 1, 2, 6, 6)

    rolled = court.happened(happened.CourtRolled)
    assert [(event.seat, event.dice, event.total) for event in rolled] == [
        (1, (3, 4), 7),
        (2, (1, 2), 3),
        (3, (6, 6), 12),
    ]
    assert (court.trial.prosecutor, court.trial.defender) == (0, 2)


def test_those_who_tie_for_the_lowest_roll_again_and_nobody_else():
    court = pending(4)
    court.play(0, act.Appoint(), 1, 2, 6, 6, 2, 1, 5, 5, 4, 4)

    assert [event.seat for event in court.happened(happened.CourtRolled)] == [1, 2, 3, 1, 3]
    assert court.happened(happened.Appointed) == [happened.Appointed(3, 0)]


def test_they_roll_until_one_of_them_is_lowest_alone():
    court = pending(3)
    court.play(0, act.Appoint(), 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 4, 4)

    assert court.trial.defender == 1


# --- The end ------------------------------------------------------------------------------------------


def bare(seats=3):
    """No deck, no lineup, no case."""
    return Court(seats=seats).emptied()


@every_table
def test_a_full_round_of_passes_ends_the_game_when_nothing_is_left(seats):
    court = bare(seats)
    for seat in range(seats):
        assert court.state.why is None
        court.play(seat, act.Pass())

    assert court.happened(happened.CourtRose) == [happened.CourtRose("played_out")]
    assert court.to_act() == ()


def test_the_round_need_not_begin_with_the_first_player():
    court = bare()
    court.play(0, act.Pass())
    court.play(1, act.Pass())
    court.play(2, act.Build("lewis", "golf", None))
    court.play(0, act.Defend(2))
    court.rest().rest().rest()
    assert court.state.passes == 0
    for seat in (1, 2, 0):
        assert court.state.why is None
        court.play(seat, act.Pass())

    assert court.state.why == "played_out"


@pytest.mark.parametrize("lineup", [("note",), ()])
def test_passes_count_only_once_deck_lineup_and_pending_cases_are_gone(lineup):
    court = Court(["lewis", "golf"], lineup=lineup)
    court = court.emptied() if lineup else court
    for seat in (0, 1, 2, 0):
        court.play(seat, act.Pass())

    assert court.state.passes == 0
    assert court.state.why is None


def test_a_pending_case_keeps_the_game_going():
    court = Court(["lewis", "golf"]).emptied().case()
    for seat in (1, 2, 0, 1, 2):
        court.play(seat, act.Pass())

    assert court.state.why is None


def test_discards_that_may_be_used_again_keep_the_game_going():
    court = Court(reshuffle=True).emptied()
    without = replace(court.state, discards=("note",))

    assert court.state.is_bare
    assert not without.is_bare


def test_no_look_into_hands_ends_the_game_sooner():
    """Nobody holds anything that could become a case, and all the same everybody is asked."""
    court = bare()
    court.fold(happened.TurnPassed(0, over=True))

    assert witch_trial.outcome(court.state) is None


def test_after_four_hundred_turns_the_game_is_over():
    court = Court(lineup=("note",))
    court.fold(happened.TurnBegan(TURNS, 1))
    court.play(1, act.Buy(0))

    assert TURNS == 400
    assert court.state.why == "turns_capped"


def test_turn_four_hundred_itself_is_played():
    court = Court()
    court.fold(happened.TurnBegan(TURNS - 1, 1))
    court.play(1, act.Pass())

    assert court.state.turn == TURNS
    assert court.to_act() == (2,)


def test_a_trial_in_the_last_turn_is_held_to_its_end():
    court = Court(["lewis", "golf"], first=1)
    court.fold(happened.CaseBuilt(0, "lewis", "golf"), happened.TurnBegan(TURNS, 1))
    court.play(1, act.Defend(0))
    court.rest().rest().rest()

    assert court.happened(happened.FeesWon)
    assert court.state.why == "turns_capped"


def ended(*gifts):
    court = bare()
    for payer, payee, amount in gifts:
        court.give(payer, payee, amount)
    for seat in range(3):
        court.play(seat, act.Pass())
    return witch_trial.outcome(court.state)


def test_the_most_money_wins():
    assert ended((0, 2, 7)) == Outcome((2,), (43, 50, 57), "played_out")


def test_equals_share_the_win():
    assert ended((0, 1, 10), (0, 2, 10)) == Outcome((1, 2), (30, 60, 60), "played_out")


def test_what_is_left_in_court_is_nobodys():
    court = Court(lineup=("note", "pet")).emptied()
    court.play(0, act.Buy(1))
    court.play(1, act.Buy(0))
    for seat in (2, 0, 1):
        court.play(seat, act.Pass())

    assert court.pot == 5
    assert witch_trial.outcome(court.state).scores == (45, 50, 50)
