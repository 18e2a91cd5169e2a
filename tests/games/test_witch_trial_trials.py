"""Trials: fees, jury, the three stages, what cards do, the verdict."""

import pytest

from games.witch_trial import actions as act
from games.witch_trial import cards
from games.witch_trial import events as happened
from tests.games.test_witch_trial_court import SEATS, motion, trial

every_table = pytest.mark.parametrize("seats", SEATS)
REST = motion("drama", cards.Rest())


# --- Fees and jury ------------------------------------------------------------------------------------


def test_the_bank_pays_the_defender_what_the_suspect_has_for_his_defense():
    court = trial(suspect_="baron")

    assert court.chips == (50, 80, 50)
    assert court.happened(happened.DefensePaid) == [happened.DefensePaid(1, 30)]


def test_an_appointed_defender_is_paid_just_so():
    court = trial()
    court.rest().rest().rest()
    court.fold(happened.Drew(2, 2, ("anna", "golf")), happened.CaseBuilt(2, "anna", "golf"), happened.TurnBegan(9, 2))
    court.play(2, act.Appoint(), 1, 1, 6, 6)

    assert court.happened(happened.DefensePaid)[-1] == happened.DefensePaid(0, 10)


def test_the_bank_adds_the_court_fee_of_the_charge_to_the_legal_fees():
    court = trial(charge_="smuggling")

    assert court.pot == 30
    assert court.state.purses.bank == -20 - 30


def test_what_lies_in_court_already_is_part_of_what_is_fought_for():
    court = trial(lineup=("note",))
    court.fold(happened.Spent(2, "fees", 5))

    assert court.pot == 20


@pytest.mark.parametrize(
    ("suspect", "charge", "jury"),
    [
        ("lewis", "golf", 7),
        ("anna", "gossip", 2),
        ("lewis", "smuggling", 11),
        ("anna", "smuggling", 7),
        ("anna", "heresy", 5),
    ],
)
def test_the_jury_begins_at_guilt_and_severity_with_what_the_charge_says_of_the_suspect(suspect, charge, jury):
    assert trial(suspect_=suspect, charge_=charge).jury == jury


def test_the_jury_never_begins_above_twelve():
    assert trial(suspect_="baron", charge_="heresy").jury == 12


def test_the_jury_never_begins_below_one():
    court = trial(suspect_="anna", charge_="mild", more=(mild(),))

    assert court.jury == 1


def mild():
    return cards.Charge(id="mild", name={}, severity=0, court=0, against={"anna": -6})


# --- Stages -------------------------------------------------------------------------------------------


def test_the_prosecution_speaks_first_then_the_defense_then_the_prosecution_closes():
    court = trial(["pet"], ["pet"])
    order = []
    for _ in range(3):
        order.append((court.trial.stage, court.to_act()))
        court.rest()

    assert order == [("prosecution", (0,)), ("defense", (1,)), ("closing", (0,))]


def test_nobody_but_the_two_has_anything_to_do_in_a_trial():
    court = trial(["pet"], ["pet"], ["pet"])

    assert court.asks(1) == court.asks(2) == ()


@pytest.mark.parametrize("seat", [0, 1])
def test_a_side_plays_as_many_cards_as_it_likes_in_any_order_each_by_itself(seat):
    court = trial(["pet", "note", "golf"], ["pet", "note", "golf"])
    if seat:
        court.rest()
    for card in ("golf", "pet", "note"):
        court.put(card)
        assert court.to_act() == (seat,)

    assert [event.card for event in court.happened(happened.Played)] == ["golf", "pet", "note"]
    assert court.hand(seat) == ()


def test_one_may_rest_without_having_played_anything():
    court = trial(["pet"])
    court.play(0, act.Rest())

    assert court.happened(happened.Played) == []


def test_only_a_rest_ends_what_a_side_plays_even_with_an_empty_hand():
    court = trial(["pet"])
    court.put("pet")

    assert court.to_act() == (0,)
    assert [ask.type for ask in court.asks(0)] == ["rest"]


def test_who_has_rested_plays_no_more_cards():
    court = trial(["pet"])
    court.play(0, act.Rest())

    assert not court.permits(0, act.Play("pet"))


def test_objections_are_not_played_by_themselves():
    court = trial(["nonsense"])

    assert not court.permits(0, act.Play("nonsense"))


def closing(*hand, other=(), more=()):
    court = trial(hand, other, more=more)
    return court.rest().rest()


def test_the_prosecution_closes_with_one_card_at_most():
    court = closing("pet", "pet")
    court.put("pet")

    assert court.trial.step == "proposal"
    assert not court.permits(0, act.Play("pet"))


@pytest.mark.parametrize(("card", "rolls"), [("pet", ()), ("lewis", (6,)), ("golf", ()), ("drama", ())])
def test_that_card_is_of_any_type(card, rolls):
    court = closing(card, "pet", other=("note",), more=(REST,))
    court.put(card, *rolls)

    assert court.trial.step == "proposal"


def test_the_prosecution_may_close_without_a_card():
    court = closing("pet")
    court.play(0, act.Rest())

    assert court.trial.step == "proposal"
    assert court.hand(0) == ("pet",)


def test_a_motion_that_was_objected_to_is_not_that_one_card():
    court = closing("drama", "pet", other=("nonsense",), more=(REST,))
    court.play(0, act.Play("drama"))
    court.play(1, act.Object("nonsense"))

    assert court.trial.step == "cards"
    court.put("pet")
    assert court.jury == 7 + 3
    assert court.trial.step == "proposal"


# --- Evidence and witnesses ---------------------------------------------------------------------------


def test_evidence_moves_the_jury_up_by_its_number_for_the_prosecution():
    court = trial(["pet"])
    court.put("pet")

    assert court.jury == 7 + 3


def test_evidence_moves_the_jury_down_by_its_number_for_the_defense():
    court = trial((), ["pet"])
    court.rest().put("pet")

    assert court.jury == 7 - 2


@pytest.mark.parametrize(("seat", "end"), [(0, 12), (1, 1)])
def test_what_would_go_beyond_one_or_twelve_is_lost(seat, end):
    court = trial(["map", "pet"], ["map", "pet"])
    if seat:
        court.rest()
    court.put("map")
    assert court.jury == end

    if not seat:
        court.rest().put("pet")
        assert court.jury == 12 - 2


@pytest.mark.parametrize(("die", "jury"), [(1, 7), (3, 7), (4, 11), (6, 11)])
def test_a_witness_moves_the_jury_by_his_guilt_if_the_die_shows_as_much_or_more(die, jury):
    court = trial(["lewis"])
    court.put("lewis", die)

    assert court.jury == jury


@pytest.mark.parametrize(("die", "jury"), [(3, 7), (4, 3)])
def test_a_witness_of_the_defense_moves_it_the_other_way(die, jury):
    court = trial((), ["lewis"])
    court.rest().put("lewis", die)

    assert court.jury == jury


def test_the_die_of_a_witness_stands_on_record_by_itself():
    court = trial(["lewis"])
    court.put("lewis", 5)

    assert court.happened(happened.WitnessRolled) == [happened.WitnessRolled(0, "lewis", 5)]


# --- New charges --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "jury"), [("golf", "smuggling", 7 + 4), ("smuggling", "golf", 11 - 4), ("heresy", "golf", 12 - 6)]
)
def test_a_new_charge_moves_the_jury_by_the_difference_for_this_suspect(old, new, jury):
    court = trial([new], charge_=old)
    court.put(new)

    assert court.jury == jury
    assert court.trial.charge == new


def test_the_defense_may_bring_a_new_charge_too():
    court = trial((), ["gossip"])
    court.rest().put("gossip")

    assert court.jury == 7 - 3


def test_the_next_new_charge_is_measured_against_the_last():
    court = trial(["smuggling", "gossip"])
    court.put("smuggling").put("gossip")

    assert court.jury == 11 - 7


def test_a_new_charge_does_not_change_the_court_fee():
    court = trial(["smuggling"])
    court.put("smuggling")

    assert court.pot == 15


# --- Verdict ------------------------------------------------------------------------------------------


def judged(*dice):
    """Jury 7, and these dice."""
    court = trial()
    court.rest().rest().play(0, act.Rest())
    court.play(0, act.GoOn(), *dice)
    return court


@pytest.mark.parametrize(("dice", "winner"), [((1, 4), 1), ((2, 4), 0), ((6, 6), 0), ((1, 1), 1)])
def test_thirteen_or_more_of_jury_and_two_dice_convict_and_less_acquits(dice, winner):
    court = judged(*dice)

    assert court.happened(happened.VerdictRolled) == [happened.VerdictRolled(dice, 7, 7 + sum(dice))]
    verdict = "convicted" if winner == 0 else "acquitted"
    assert court.happened(happened.TrialClosed) == [happened.TrialClosed(1, "lewis", verdict)]
    assert court.happened(happened.FeesWon) == [happened.FeesWon(winner, 15)]


def test_the_winner_takes_all_legal_fees():
    court = judged(6, 6)

    assert court.chips == (65, 70, 50)
    assert court.pot == 0


def test_all_cards_of_the_trial_are_discarded_suspect_and_charges_too():
    court = trial(["pet", "smuggling"], ["note"])
    court.put("pet").put("smuggling").rest().put("note").rest().rest()

    assert court.state.discards == ("golf", "lewis", "note", "pet", "smuggling")
    assert court.state.trial is None


@every_table
def test_after_a_trial_the_turn_passes_left_of_whose_turn_it_was(seats):
    court = trial(seats=seats)
    court.rest().rest().rest()

    assert court.state.active == 2


def test_after_the_trial_of_an_appointed_defender_it_passes_left_of_who_had_him_appointed():
    court = trial()
    court.rest().rest().rest()
    court.fold(happened.Drew(2, 2, ("anna", "golf")), happened.CaseBuilt(2, "anna", "golf"), happened.TurnBegan(9, 2))
    court.play(2, act.Appoint(), 6, 6, 1, 1)
    assert court.trial.defender == 1
    court.rest().rest().rest()

    assert court.state.active == 0


def test_what_is_used_in_a_trial_lies_on_the_table_until_it_is_over():
    court = trial(["pet", "smuggling"])
    court.put("pet").put("smuggling")

    assert court.trial.laid == ("pet", "golf")
    assert court.state.discards == ()
