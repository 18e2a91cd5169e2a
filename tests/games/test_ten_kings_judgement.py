"""Karma, D%, and the last judgement."""

import pytest

from games import core, ten_kings
from games.chance import Chance, Scripted
from games.ten_kings import events as happened
from games.ten_kings.judgement import last_judgement, percent, weigh
from games.ten_kings.pieces import DECK, Options
from tests.games.kings import PASS, TAKE, Kings

# --- Karma --------------------------------------------------------------------------------------------


def karma(*hand):
    return weigh(0, hand).karma


def test_the_karma_of_the_example_is_sixty_seven():
    assert weigh(0, ("spade-3", "spade-9", "club-12", "heart-7")) == happened.KarmaWeighed(0, 24, 7, 67)


def test_karma_is_fifty_and_evil_deeds_more_and_good_ones_less():
    assert karma() == 50
    assert karma("spade-13", "club-1") == 64
    assert karma("heart-13", "diamond-10") == 27


def test_karma_may_leave_the_range_of_the_dice():
    assert karma(*[card for card in DECK if card.startswith("spade")]) == 50 + 91
    assert karma(*[card for card in DECK if card.startswith("heart")]) == 50 - 91


def test_the_joker_is_evil_with_more_evil_cards_than_good_ones():
    assert weigh(0, ("joker", "spade-2", "club-3", "heart-13")) == happened.KarmaWeighed(0, 25, 13, 62)


def test_the_joker_is_good_with_more_good_cards_than_evil_ones():
    assert weigh(0, ("joker", "spade-13", "heart-2", "heart-3")) == happened.KarmaWeighed(0, 13, 25, 38)


@pytest.mark.parametrize(
    "hand", [("joker",), ("joker", "spade-13", "heart-1"), ("joker", "club-2", "club-3", "heart-9", "heart-8")]
)
def test_with_the_joker_and_as_many_of_both_the_karma_is_exactly_fifty(hand):
    assert karma(*hand) == 50


# --- D% -----------------------------------------------------------------------------------------------


def test_two_noughts_are_a_hundred():
    assert (percent(0, 0), percent(0, 1), percent(9, 9), percent(3, 0)) == (100, 1, 99, 30)


def ended(*dice, hands=(["heart-2"], ["club-2"]), first=0, turn=0, **options):
    """The last turn of a life, with these results of chance."""
    table = Kings(*hands, turn=turn, first=first, deck=0, **options)
    left = (turn + 1) % len(hands)
    return table.do(turn, PASS(hands[turn][0])).do(left, TAKE, Scripted(*dice))


def test_everybody_rolls_two_ten_sided_dice_from_the_lifes_first_player_on():
    table = ended(4, 7, 0, 0, 0, 5, "club-9", hands=(["heart-2"], ["club-2"], ["club-3"]), first=1)
    assert table.found(happened.DiceRolled)[:3] == [
        happened.DiceRolled(1, 4, 7, 47), happened.DiceRolled(2, 0, 0, 100), happened.DiceRolled(0, 0, 5, 5),
    ]  # fmt: skip


def test_all_hands_are_shown_before_anybody_rolls():
    table = ended(4, 7, 0, 0, "club-9")
    shown = [place for place, event in enumerate(table.events) if isinstance(event, happened.HandShown)]
    rolled = [place for place, event in enumerate(table.events) if isinstance(event, happened.DiceRolled)]
    assert max(shown) < min(rolled)
    assert table.found(happened.HandShown) == [happened.HandShown(0, ()), happened.HandShown(1, ("heart-2", "club-2"))]


def test_greater_than_the_karma_is_heaven_and_otherwise_it_is_hell():
    """Seat 0 holds nothing: its karma is 50. Seat 1 holds two of hearts and of clubs: 50 as well."""
    table = ended(5, 1, 5, 0, "club-9")
    assert table.found(happened.Judged) == [happened.Judged(0, 50, heaven=True), happened.Judged(1, 50, heaven=False)]
    assert table.state.heavens == (1, 0)
    assert table.state.karma == (50, 50)


def test_cards_as_dice_show_a_red_and_a_black_one_and_a_ten_stands_for_nought():
    table = ended(3, 6, 9, 9, "club-9", dice="cards")
    assert table.found(happened.CardsRolled) == [
        happened.CardsRolled(0, ("heart-4", "spade-7"), 47), happened.CardsRolled(1, ("heart-10", "spade-10"), 100),
    ]  # fmt: skip


def test_cards_as_dice_give_every_number_as_often():
    found = {Chance(bytes(32), number).below(10) for number in range(100)}
    assert found == set(range(10))
    rolls = {percent((1 + red) % 10, (1 + black) % 10) for red in range(10) for black in range(10)}
    assert rolls == set(range(1, 101))


def test_without_dice_five_of_all_cards_are_turned():
    five = ("spade-3", "spade-9", "club-12", "heart-7", "heart-1")
    table = ended(five, ("heart-13", "heart-12", "heart-11", "diamond-13", "diamond-12"), "club-9", dice="none")
    assert table.found(happened.FiveTurned) == [
        happened.FiveTurned(0, five, 66, joker=False),
        happened.FiveTurned(1, ("heart-13", "heart-12", "heart-11", "diamond-13", "diamond-12"), -11, joker=False),
    ]
    assert table.state.heavens == (1, 0)


def test_without_dice_the_joker_means_hell_whatever_it_comes_to():
    five = ("joker", "spade-13", "club-13", "spade-12", "club-12")
    table = ended(five, five, "club-9", dice="none")
    assert table.found(happened.FiveTurned)[0] == happened.FiveTurned(0, five, 100, joker=True)
    assert table.state.heavens == (0, 0)


# --- The last judgement -------------------------------------------------------------------------------


def last(heavens, *dice, **options):
    table = Kings(*[["heart-2"]] * len(heavens), heavens=tuple(heavens), **options)
    events = last_judgement(table.state, Scripted(*dice))
    return core.fold(ten_kings, events, table.state), events


def test_the_last_judgement_of_the_example():
    """Eight heavens and a roll of 47, two heavens and a roll of 8: both ascend, and the smaller difference wins."""
    state, events = last((8, 2), 4, 7, 0, 8)
    assert [event for event in events if isinstance(event, happened.LastJudged)] == [
        happened.LastJudged(0, 80, ascended=True, margin=33), happened.LastJudged(1, 20, ascended=True, margin=12),
    ]  # fmt: skip
    assert ten_kings.outcome(state) == core.Outcome((1,), (8, 2), "ascended")


def test_it_comes_after_ten_lives_from_seat_nought_on():
    table = ended(*[0, 5] * 4, life=10, first=1)
    assert [event.seat for event in table.found(happened.DiceRolled)] == [1, 0, 0, 1]
    assert table.state.phase == "ended"
    assert table.found(happened.LifeBegun) == []
    assert ten_kings.outcome(table.state) is not None


def test_after_nine_lives_the_tenth_begins():
    table = ended(0, 5, 0, 5, "club-9", life=9)
    assert table.found(happened.LifeBegun) == [happened.LifeBegun(10, 1)]
    assert ten_kings.outcome(table.state) is None


def test_with_five_lives_each_heaven_counts_twenty():
    state, events = last((3, 1), 5, 9, 2, 0, lives=5)
    assert state.targets == (60, 20)
    assert [event.ascended for event in events if isinstance(event, happened.LastJudged)] == [True, False]
    table = ended(*[0, 5] * 4, life=5, lives=5)
    assert table.state.phase == "ended"


def test_only_smaller_than_the_target_is_ascended():
    state, _ = last((5, 5), 5, 0, 4, 9)
    assert state.winners == (1,)


def test_equal_differences_share_the_win():
    state, _ = last((8, 3, 9), 7, 0, 2, 0, 0, 1)
    assert state.winners == (0, 1)


def test_if_nobody_ascends_nobody_wins():
    state, _ = last((1, 0), 9, 9, 0, 1)
    assert ten_kings.outcome(state) == core.Outcome((), (1, 0), "nobody_ascended")


def test_who_was_never_in_heaven_cannot_ascend_by_dice():
    state, _ = last((0, 1), 0, 1, 9, 9)
    assert state.winners == ()


def test_without_dice_the_joker_keeps_one_from_ascending():
    good = ("heart-13", "heart-12", "heart-11", "diamond-13", "diamond-12")
    state, _ = last((9, 9), ("joker", *good[:4]), good, dice="none")
    assert state.winners == (1,)


def test_the_score_is_in_heavens():
    state, _ = last((4, 7), 0, 1, 0, 2)
    assert ten_kings.outcome(state).scores == (4, 7)


@pytest.mark.parametrize("options", [Options(), Options(lives=5)])
def test_all_heavens_together_make_a_hundred(options):
    assert options.lives * options.weight == 100
