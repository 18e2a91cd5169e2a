"""Motions: when they take effect, objections, and each thing that a motion may do."""

import pytest

from games.core import OneOf
from games.witch_trial import actions as act
from games.witch_trial import cards
from games.witch_trial import events as happened
from games.witch_trial.deck import house
from games.witch_trial.state import stock
from tests.games.test_witch_trial_court import motion, trial

SWAY = motion("speech", cards.Sway(2), copies=3)


def court_of(*effects, hand=(), other=("note",), defends=False, **given):
    """A trial with a motion of these effects: in the hand of the prosecution, or of the defense, who have the floor."""
    card = motion("trick", *effects, copies=3)
    own = ("trick", *hand)
    hands = (other, own) if defends else (own, other)
    court = trial(*hands, more=(card, SWAY), **given)
    return court.rest() if defends else court


# --- Objections ---------------------------------------------------------------------------------------


def test_a_motion_does_nothing_until_the_other_side_has_not_objected():
    court = court_of(cards.Sway(2))
    court.play(0, act.Play("trick"))

    assert court.jury == 7
    assert court.to_act() == (1,)
    court.play(1, act.Allow())
    assert court.jury == 9
    assert court.to_act() == (0,)


@pytest.mark.parametrize("other", [("note",), ("nonsense",)])
def test_the_other_side_is_asked_whether_or_not_it_holds_an_objection(other):
    court = court_of(cards.Sway(2), other=other)
    court.play(0, act.Play("trick"))

    assert court.to_act() == (1,)
    assert court.permits(1, act.Allow())
    assert court.permits(1, act.Object("nonsense")) == (other == ("nonsense",))


def test_who_has_no_card_at_all_is_not_asked():
    court = court_of(cards.Sway(2), other=())
    court.play(0, act.Play("trick"))

    assert court.jury == 9
    assert court.to_act() == (0,)


def test_whoever_is_not_there_in_time_lets_a_motion_pass():
    court = court_of(cards.Sway(2), other=("nonsense",))
    court.play(0, act.Play("trick"))

    assert court.asks(1)[0].type == "allow"


def objected(*effects, **given):
    court = court_of(*effects, other=("nonsense", "note"), **given)
    court.play(0, act.Play("trick"))
    court.play(1, act.Object("nonsense"))
    return court


def test_an_objection_stops_all_that_the_motion_does():
    court = objected(cards.Sway(2), cards.Collect("bank", 50), cards.Gamble(1, 2), cards.Rest())

    assert court.jury == 7
    assert court.chips[0] == 50
    assert court.happened(happened.Gambled) == []
    assert court.trial.step == "cards"


def test_a_motion_that_was_objected_to_is_discarded_with_the_other_cards():
    court = objected(cards.Sway(2))
    assert court.trial.laid == ("trick",)

    court.rest().rest().rest()
    assert "trick" in court.state.discards


def test_the_objection_goes_to_the_hand_of_the_motions_player_for_all_to_see():
    court = objected(cards.Sway(2))

    assert court.hand(0) == ("nonsense",)
    assert court.hand(1) == ("note",)
    assert court.state.known[0] == ("nonsense",)
    assert "nonsense" not in court.state.discards


def test_it_serves_him_against_the_next_motion_of_the_other_side():
    court = objected(cards.Sway(2))
    court.fold(happened.Drew(1, 1, ("speech",)))
    court.rest().play(1, act.Play("speech"))

    assert court.permits(0, act.Object("nonsense"))


def test_nobody_objects_to_an_objection():
    court = court_of(cards.Sway(2), hand=("nonsense",), other=("nonsense",))
    court.play(0, act.Play("trick"))
    court.play(1, act.Object("nonsense"))

    assert not court.permits(0, act.Object("nonsense"))
    assert court.to_act() == (0,)
    assert court.jury == 7


def test_after_an_objection_the_player_goes_on():
    court = objected(cards.Sway(2), hand=("pet",))

    assert court.permits(0, act.Play("pet"))


def test_what_was_carried_out_cannot_be_objected_to():
    court = court_of(cards.Sway(2), other=("nonsense",))
    court.put("trick")

    assert court.asks(1) == ()


@pytest.mark.parametrize("card", ["pet", "golf", "lewis"])
def test_there_is_no_objection_to_anything_but_motions(card):
    court = trial([card], ["nonsense"])
    court.play(0, act.Play(card), *([6] if card == "lewis" else []))

    assert court.to_act() == (0,)


# --- The jury -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("by", "prosecution", "defense"), [(2, 9, 5), (-3, 4, 10), (11, 12, 1)])
def test_sway_moves_the_jury_towards_ones_side_and_below_zero_away_from_it(by, prosecution, defense):
    assert court_of(cards.Sway(by)).put("trick").jury == prosecution
    assert court_of(cards.Sway(by), defends=True).put("trick").jury == defense


@pytest.mark.parametrize("to", [1, 6, 12])
def test_jury_to_sets_the_jury(to):
    assert court_of(cards.Settle(to)).put("trick").jury == to


def test_impeach_takes_back_what_the_last_evidence_of_the_opponent_moved():
    court = court_of(cards.Impeach("evidence"), other=("pet", "note", "pet"), defends=True)
    assert court.trial.stage == "defense"
    court.fold(happened.Heard(0, "evidence", 3, 10), happened.Heard(0, "evidence", 2, 12))
    court.put("trick")

    assert court.jury == 10


def test_it_takes_back_only_what_was_really_moved():
    court = trial(["map"], ["trick"], more=(motion("trick", cards.Impeach("evidence")),))
    court.put("map")
    assert court.jury == 12
    court.rest().put("trick")

    assert court.jury == 7


def test_it_takes_back_witnesses_apart_from_evidence():
    court = trial(["pet", "anna"], ["trick"], more=(motion("trick", cards.Impeach("witness")),))
    court.put("anna", 6).put("pet").rest().put("trick")

    assert court.jury == 7 + 3


def test_what_was_impeached_once_is_not_impeached_again():
    court = trial(
        ["pet", "pet"], ["trick", "trick", "trick"], more=(motion("trick", cards.Impeach("evidence"), copies=3),)
    )
    court.put("pet").put("pet")
    assert court.jury == 12
    court.rest()
    court.put("trick")
    assert court.jury == 10
    court.put("trick")
    assert court.jury == 7
    court.put("trick")
    assert court.jury == 7


def test_ones_own_evidence_is_not_impeached():
    court = court_of(cards.Impeach("evidence"), hand=("pet",))
    court.put("pet").put("trick")

    assert court.jury == 10
    assert court.happened(happened.Impeached) == []


@pytest.mark.parametrize(
    ("what", "card"), [("evidence", "pet"), ("witness", "anna"), ("charge", "golf"), ("motion", "speech")]
)
def test_forbid_keeps_the_opponent_from_playing_such_cards_in_this_trial(what, card):
    court = court_of(cards.Forbid(what), other=("pet", "anna", "golf", "speech"))
    court.put("trick").rest()

    (play,) = court.asks(1, "play")
    assert set(play.fields["card"].one_of) == {"pet", "anna", "golf", "speech"} - {card}


def test_it_binds_the_opponent_alone_and_this_trial_alone():
    court = court_of(cards.Forbid("evidence"), hand=("pet",), other=("pet",))
    court.put("trick")
    assert court.permits(0, act.Play("pet"))
    court.rest()
    assert court.asks(1, "play") == ()

    court.rest().rest()
    court.fold(happened.Drew(2, 2, ("anna", "golf")), happened.CaseBuilt(2, "anna", "golf"), happened.TurnBegan(9, 1))
    court.play(1, act.Defend(2))
    court.rest()
    assert court.permits(1, act.Play("pet"))


# --- Hands --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("who", "seat"), [("you", 0), ("opponent", 1)])
def test_draw_takes_cards_off_the_deck(who, seat):
    court = court_of(cards.Draw(who, 2))
    before = len(court.hand(seat)), court.state.undrawn
    court.put("trick")

    assert len(court.hand(seat)) == before[0] + 2 - (seat == 0)
    assert court.state.undrawn == before[1] - 2


def test_it_takes_as_many_as_there_are():
    court = court_of(cards.Draw("you", 5))
    left = stock(court.state)
    court.fold(happened.Drew(2, len(left) - 2, left[2:]))
    court.put("trick")

    assert court.hand(0) == left[:2]
    assert court.state.undrawn == 0


@pytest.mark.parametrize(("who", "seat"), [("you", 0), ("opponent", 1)])
def test_discard_by_choice_asks_the_owner_card_by_card(who, seat):
    hand = ("pet", "note", "map")
    court = court_of(cards.Discard(who, 2, "choice"), hand=hand, other=hand)
    court.put("trick")

    assert court.to_act() == (seat,)
    court.play(seat, act.Choose("pet"))
    assert court.to_act() == (seat,)
    court.play(seat, act.Choose("map"))
    assert court.hand(seat) == ("note",)
    assert court.to_act() == (0,)
    assert set(court.trial.laid) == {"trick", "pet", "map"}
    assert court.state.discards == ()


def test_where_there_is_no_choice_all_goes_at_once():
    court = court_of(cards.Discard("opponent", 2, "choice"), other=("pet", "note"))
    court.put("trick")

    assert court.hand(1) == ()
    assert court.to_act() == (0,)
    assert court.happened(happened.Discarded) == [happened.Discarded(1, ("note", "pet"))]


@pytest.mark.parametrize(("count", "left"), [(1, 2), (2, 1), (5, 0)])
def test_discard_at_random_asks_nobody(count, left):
    court = court_of(cards.Discard("opponent", count, "random"), other=("pet", "note", "map"))
    court.put("trick")

    assert len(court.hand(1)) == left
    assert court.to_act() == (0,)


@pytest.mark.parametrize("how", ["choice", "random"])
def test_from_an_empty_hand_nothing_is_discarded(how):
    court = court_of(cards.Discard("opponent", 1, how), other=())
    court.put("trick")

    assert court.happened(happened.Discarded) == []
    assert court.to_act() == (0,)


@pytest.mark.parametrize(("count", "left"), [(1, 2), (5, 0)])
def test_steal_takes_cards_of_the_opponent_at_random(count, left):
    court = court_of(cards.Steal(count), other=("pet", "note", "map"))
    court.put("trick")

    assert len(court.hand(1)) == left
    assert len(court.hand(0)) == 3 - left


def test_from_an_empty_hand_nothing_is_stolen():
    court = court_of(cards.Steal(1), other=())
    court.put("trick")

    assert court.happened(happened.Taken) == court.happened(happened.Received) == []


def test_peek_shows_the_opponents_hand_to_who_plays_it():
    court = court_of(cards.Peek(), other=("pet", "note"))
    court.put("trick")

    assert court.happened(happened.Peeked) == [happened.Peeked(0, 1, 2, ("note", "pet"))]


# --- Fetching and picking -----------------------------------------------------------------------------


def second_trial(*effects, other=("pet",)):
    """The second trial of seats 0 and 1; in the first pet and map were used."""
    court = court_of(*effects, hand=("map", "anna", "golf"), other=("pet", "pet"))
    court.put("map").rest().put("pet").rest().rest()
    court.fold(happened.CaseBuilt(0, "anna", "golf"), happened.TurnBegan(9, 1))
    court.play(1, act.Defend(0))
    return court


def test_fetch_takes_any_card_that_was_discarded_in_an_earlier_trial():
    court = second_trial(cards.Fetch())
    court.put("trick")

    (ask,) = court.asks(0)
    assert ask.type == "choose"
    assert set(ask.fields["card"].one_of) == {"golf", "lewis", "map", "pet"}
    court.play(0, act.Choose("map"))
    assert court.hand(0) == ("map",)
    assert court.state.discards == ("golf", "lewis", "pet")
    assert court.state.known[0] == ("map",)


def test_cards_of_the_trial_that_goes_on_cannot_be_fetched():
    court = second_trial(cards.Fetch())
    court.put("trick")

    (ask,) = court.asks(0)
    assert not {"trick", "anna"} & set(ask.fields["card"].one_of)


def test_with_nothing_discarded_fetch_is_passed_over():
    court = court_of(cards.Fetch(), cards.Sway(1))
    court.put("trick")

    assert court.jury == 8
    assert court.trial.step == "cards"


def test_pick_takes_a_card_of_the_lineup_for_nothing():
    court = court_of(cards.Pick(), lineup=("note", "pet", "golf", "anna", "map"))
    court.put("trick")

    assert court.asks(0)[0].fields["card"] == OneOf(("note", "pet", "golf", "anna", "map"))
    court.play(0, act.Choose("map"))
    assert court.hand(0) == ("map",)
    assert court.chips[0] == 50
    assert court.state.lineup[:4] == ("note", "pet", "golf", "anna")
    assert len(court.state.lineup) == 5


def test_of_two_copies_in_the_lineup_the_cheaper_goes():
    court = court_of(cards.Pick(), lineup=("note", "pet", "golf", "pet", "map"))
    court.put("trick").play(0, act.Choose("pet"))

    assert court.state.lineup[:4] == ("note", "golf", "pet", "map")


def test_from_an_empty_lineup_nothing_is_picked():
    court = court_of(cards.Pick())
    court.put("trick")

    assert court.trial.step == "cards"


# --- Money --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "amount", "chips", "pot", "bank"),
    [
        ("bank", 70, (120, 70, 50), 15, -105),
        ("opponent", 30, (80, 40, 50), 15, -35),
        ("opponent", 500, (120, 0, 50), 15, -35),
        ("fees", 10, (60, 70, 50), 5, -35),
        ("fees", 500, (65, 70, 50), 0, -35),
    ],
)
def test_collect_brings_money_as_far_as_it_is_there(source, amount, chips, pot, bank):
    court = court_of(cards.Collect(source, amount))
    court.put("trick")

    assert (court.chips, court.pot, court.state.purses.bank) == (chips, pot, bank)


@pytest.mark.parametrize(
    ("target", "amount", "chips", "pot", "bank"),
    [
        ("bank", 20, (30, 70, 50), 15, -15),
        ("bank", 500, (0, 70, 50), 15, 15),
        ("opponent", 20, (30, 90, 50), 15, -35),
        ("opponent", 500, (0, 120, 50), 15, -35),
        ("fees", 500, (0, 70, 50), 65, -35),
    ],
)
def test_pay_costs_money_as_far_as_one_has_it(target, amount, chips, pot, bank):
    court = court_of(cards.Pay(target, amount))
    court.put("trick")

    assert (court.chips, court.pot, court.state.purses.bank) == (chips, pot, bank)


@pytest.mark.parametrize(
    "effect", [cards.Pay("bank", 5), cards.Pay("opponent", 5), cards.Pay("fees", 5)], ids=["bank", "opponent", "fees"]
)
def test_who_has_nothing_pays_nothing(effect):
    court = court_of(effect).give(0, 2, 50)
    court.put("trick")

    assert court.chips[0] == 0
    assert not court.happened(happened.Spent)
    assert not court.happened(happened.Fined)


@pytest.mark.parametrize("source", ["bank", "opponent", "fees"])
def test_where_nothing_is_to_be_had_nothing_is_said(source):
    court = court_of(cards.Collect(source, 0 if source == "bank" else 5)).give(1, 2, 70)
    court.fold(happened.Collected(2, "fees", 15))
    before = court.chips
    court.put("trick")

    assert court.chips == before


# --- How a motion goes on -----------------------------------------------------------------------------


def test_rest_ends_what_one_plays_at_once():
    court = court_of(cards.Rest(), hand=("pet",))
    court.put("trick")

    assert court.trial.step == "proposal"
    assert court.happened(happened.Rested) == [happened.Rested(0)]


def test_what_stands_after_a_rest_still_happens_before_it():
    court = court_of(cards.Rest(), cards.Sway(2), hand=("pet",))
    court.put("trick")

    assert court.jury == 9
    assert court.trial.step == "proposal"


def test_a_rest_waits_for_a_choice():
    court = court_of(cards.Rest(), cards.Discard("you", 1, "choice"), cards.Sway(2), hand=("pet", "note"))
    court.put("trick").play(0, act.Choose("pet"))

    assert court.jury == 9
    assert court.trial.step == "proposal"


def test_throw_out_ends_the_trial_at_once_and_discards_all_its_cards():
    court = court_of(cards.ThrowOut(), hand=("pet",))
    court.put("pet").put("trick")

    assert court.state.trial is None
    assert court.state.discards == ("golf", "lewis", "pet", "trick")
    assert court.happened(happened.VerdictRolled) == court.happened(happened.FeesWon) == []
    assert court.happened(happened.TrialClosed) == [happened.TrialClosed(1, "lewis", "thrown_out")]
    assert court.state.active == 2


def test_the_legal_fees_stay_for_the_next_trial_and_the_defense_fee_stays_paid():
    court = court_of(cards.ThrowOut())
    court.put("trick")

    assert court.pot == 15
    assert court.chips == (50, 70, 50)


def test_what_stands_after_throw_out_does_not_happen():
    court = court_of(cards.ThrowOut(), cards.Collect("bank", 50))
    court.put("trick")

    assert court.chips[0] == 50


@pytest.mark.parametrize(
    ("dice", "rolls", "jury"), [(1, (4,), 12), (1, (3,), 5), (2, (2, 2), 12), (2, (1, 2), 5), (2, (6, 6), 12)]
)
def test_a_gamble_does_one_thing_or_another_as_the_dice_say(dice, rolls, jury):
    court = court_of(cards.Gamble(dice, 4, then=(cards.Sway(5),), otherwise=(cards.Sway(-2),)))
    court.put("trick", *rolls)

    assert court.jury == jury
    assert court.happened(happened.Gambled) == [happened.Gambled(0, rolls, sum(rolls), jury == 12)]


def test_after_a_gamble_the_other_effects_follow():
    """Drama: a die, then a rest."""
    court = court_of(cards.Gamble(1, 4, then=(cards.Sway(5),)), cards.Rest())
    court.put("trick", 1)

    assert court.jury == 7
    assert court.trial.step == "proposal"


def test_a_gamble_may_leave_a_choice_and_even_throw_the_case_out():
    court = court_of(
        cards.Gamble(1, 4, then=(cards.Discard("opponent", 1, "choice"), cards.ThrowOut())), other=("pet", "note")
    )
    court.put("trick", 6)
    assert court.to_act() == (1,)
    court.play(1, act.Choose("pet"))

    assert court.state.trial is None


def test_effects_happen_in_their_order():
    court = court_of(cards.Settle(1), cards.Sway(2), cards.Settle(6), cards.Sway(-1))
    court.put("trick")

    assert [event.jury for event in court.happened(happened.JuryMoved)] == [1, 3, 6, 5]


def test_several_choices_of_one_motion_come_one_after_another_each_with_a_name_of_its_own():
    court = court_of(cards.Discard("you", 1, "choice"), cards.Discard("you", 1, "choice"), hand=("pet", "note", "map"))
    court.put("trick")
    first = court.windows()["choice"].id
    court.play(0, act.Choose("pet"))
    second = court.windows()["choice"].id
    court.play(0, act.Choose("note"))

    assert first != second
    assert court.hand(0) == ("map",)
    assert court.trial.step == "cards"


def test_a_card_drawn_by_a_motion_can_be_played_at_once():
    court = court_of(cards.Draw("you", 1))
    court.put("trick")
    (card,) = court.hand(0)

    assert court.permits(0, act.Play(card))


# --- The house deck -----------------------------------------------------------------------------------


def test_in_the_house_deck_drama_is_a_die_and_a_rest_short_memory_fetches_and_one_motion_throws_a_case_out():
    motions = {card.id: card.effects for card in house().cards if isinstance(card, cards.Motion)}

    gamble, rest = motions["drama"]
    assert (gamble.dice, rest) == (1, cards.Rest())
    assert motions["short_memory"] == (cards.Fetch(),)
    assert (cards.ThrowOut(),) in motions.values()
