"""A life: drawing, passing, retaliating, and when it is over."""

import pytest

from games import core, ten_kings
from games.chance import Chance
from games.ten_kings import actions as act
from games.ten_kings import events as happened
from games.ten_kings.pieces import DECK, Options, is_evil, is_good, value
from tests.games.kings import LAY, PASS, TAKE, Kings


def opened(seats, number=0, **options):
    return ten_kings.open(Options(**options), seats, Chance(bytes(32), number))


# --- Cards and setting up -----------------------------------------------------------------------------


def test_there_are_fifty_two_cards_and_one_joker():
    assert len(DECK) == len(set(DECK)) == 53
    assert DECK.count("joker") == 1


def test_spades_and_clubs_are_evil_hearts_and_diamonds_good_and_the_joker_is_neither():
    assert {card.split("-")[0] for card in DECK if is_evil(card)} == {"spade", "club"}
    assert {card.split("-")[0] for card in DECK if is_good(card)} == {"heart", "diamond"}
    assert not is_evil("joker")
    assert not is_good("joker")
    assert sum(map(is_evil, DECK)) == sum(map(is_good, DECK)) == 26


def test_an_ace_counts_one_the_court_cards_eleven_to_thirteen_and_the_joker_twenty():
    assert [value(card) for card in ("club-1", "heart-10", "spade-11", "spade-12", "club-13", "joker")] == [
        1, 10, 11, 12, 13, 20,
    ]  # fmt: skip


@pytest.mark.parametrize(("options", "seats"), [({}, range(2, 9)), ({"six_cards": True}, range(2, 7))])
def test_two_to_eight_may_play_and_with_six_cards_to_begin_with_two_to_six(options, seats):
    assert ten_kings.seats_for(Options(**options)) == seats


def test_nobody_holds_a_card_before_his_first_turn():
    state = core.fold(ten_kings, opened(4))
    assert [len(state.hand(seat)) for seat in range(4)] == [1, 0, 0, 0]
    assert state.deck == 52


def test_with_the_option_everybody_begins_with_six_cards_before_the_first_turn():
    state = core.fold(ten_kings, opened(4, six_cards=True))
    assert [len(state.hand(seat)) for seat in range(4)] == [7, 6, 6, 6]
    assert state.deck == 53 - 25


def test_a_turn_begins_with_a_card_that_its_owner_alone_sees():
    drawn = opened(3)[-1]
    assert isinstance(drawn, happened.Drawn)
    assert ten_kings.redact(drawn, 0) is drawn
    for seat in (None, 1, 2):
        assert ten_kings.redact(drawn, seat).card is None
    assert ten_kings.discloses(drawn) == {0}


def test_any_card_of_the_deck_may_be_drawn_and_none_that_somebody_holds():
    drawn = {opened(2, number)[-1].card for number in range(600)}
    assert drawn == set(DECK)
    table = Kings(["spade-2", "heart-3"], ["club-4"])
    assert set(table.state.undrawn()) == set(DECK) - {"spade-2", "heart-3", "club-4"}


# --- Passing ------------------------------------------------------------------------------------------


def test_one_card_of_the_hand_goes_face_up_to_the_left_neighbour():
    table = Kings(["heart-3", "spade-9"], ["club-2"], ["club-5"]).do(0, PASS("heart-3"))
    assert table.events[0] == happened.Passed(0, 1, "heart-3")
    for seat in (None, 0, 1, 2):
        assert ten_kings.redact(table.events[0], seat) is table.events[0]
    table = Kings(["heart-3"], ["club-2"], ["spade-4"], turn=2).do(2, PASS("spade-4"))
    assert table.events[0].to == 0


def test_only_whose_turn_it_is_passes_a_card_and_any_of_his():
    table = Kings(["heart-3", "spade-9"], ["club-2"])
    (ask,) = ten_kings.asks(table.state, 0)
    assert set(ask.fields["card"].one_of) == {"heart-3", "spade-9"}
    assert ten_kings.asks(table.state, 1) == ()


def test_the_next_turn_is_the_left_neighbours():
    table = Kings(["heart-3"], ["club-2"], ["club-5"]).do(0, PASS("heart-3")).do(1, TAKE)
    assert table.state.turn == 1
    assert isinstance(table.events[-1], happened.Drawn)
    assert table.events[-1].seat == 1


# --- Retaliation --------------------------------------------------------------------------------------


def test_evil_is_answered_by_evil_of_at_least_the_same_value():
    table = Kings(["spade-6"], ["spade-5", "club-6", "spade-8", "heart-13"]).do(0, PASS("spade-6"))
    assert table.may(1) == ({"club-6", "spade-8"}, True)


def test_all_that_lies_there_goes_back_and_may_be_answered_again_by_the_card_laid_last():
    table = Kings(["spade-6", "club-7", "club-13"], ["spade-8"]).do(0, PASS("spade-6")).do(1, LAY("spade-8"))
    assert table.state.laid == ("spade-6", "spade-8")
    assert table.may(0) == ({"club-13"}, True), "a seven is worth more than the six, but not than the eight"


def test_the_chain_of_the_example_leaves_all_four_with_who_passed_the_six():
    table = Kings(["spade-6", "club-13"], ["spade-8", "spade-13"])
    table.do(0, PASS("spade-6")).do(1, LAY("spade-8")).do(0, LAY("club-13")).do(1, LAY("spade-13"))
    assert table.found(happened.Taken) == [happened.Taken(0, ("spade-6", "spade-8", "club-13", "spade-13"))]
    assert table.hand(0) == {"spade-6", "spade-8", "club-13", "spade-13"}


def test_who_does_not_answer_takes_every_card_of_the_exchange_and_all_know_them():
    table = Kings(["spade-6"], ["spade-8", "heart-2"], ["club-2"]).do(0, PASS("spade-6")).do(1, TAKE)
    assert table.events[0] == happened.Taken(1, ("spade-6",))
    assert table.state.open[1] == ("spade-6",)
    assert set(table.state.secret[1]) >= {"spade-8", "heart-2"}


def test_declining_is_always_allowed():
    table = Kings(["spade-6"], ["spade-8"]).do(0, PASS("spade-6"))
    assert table.may(1)[1]


@pytest.mark.parametrize("card", ["heart-3", "spade-13"])
def test_the_neighbour_is_asked_whatever_he_holds_so_that_the_question_tells_nothing(card):
    table = Kings([card], ["heart-2"], ["club-2"]).do(0, PASS(card))
    assert table.events == [happened.Passed(0, 1, card)]
    assert table.may(1) == (set(), True)


def test_only_an_empty_hand_takes_at_once():
    table = Kings(["spade-6"], [], ["club-2"]).do(0, PASS("spade-6"))
    assert table.found(happened.Taken) == [happened.Taken(1, ("spade-6",))]
    table = Kings(["spade-6"], ["spade-8"], ["club-2"]).do(0, PASS("spade-6")).do(1, LAY("spade-8"))
    assert table.found(happened.Taken) == [happened.Taken(0, ("spade-6", "spade-8"))]


# --- Good deeds, the joker, aces ----------------------------------------------------------------------


def test_a_good_deed_is_answered_by_the_joker_alone():
    table = Kings(["heart-2"], ["heart-9", "spade-13", "heart-1", "joker"]).do(0, PASS("heart-2"))
    assert table.may(1) == ({"joker"}, True)


def test_the_joker_answers_any_evil_deed_even_a_king():
    table = Kings(["spade-13"], ["joker", "club-12"]).do(0, PASS("spade-13"))
    assert table.may(1) == ({"joker"}, True)


def test_on_a_joker_only_an_ace_may_be_laid_of_any_suit():
    aces = {"spade-1", "heart-1", "diamond-1", "club-1"}
    table = Kings(["spade-2", *sorted(aces), "club-13", "heart-13"], ["joker"]).do(0, PASS("spade-2"))
    table.do(1, LAY("joker"))
    assert table.may(0) == (aces, True)


def test_a_passed_joker_is_answered_by_an_ace_only():
    table = Kings(["joker"], ["spade-13", "diamond-1"]).do(0, PASS("joker"))
    assert table.may(1) == ({"diamond-1"}, True)


def test_after_an_ace_on_the_joker_nobody_can_answer_and_the_jokers_player_takes_all_at_once():
    table = Kings(["spade-2", "heart-1"], ["joker", "spade-1", "club-1"]).do(0, PASS("spade-2"))
    table.do(1, LAY("joker")).do(0, LAY("heart-1"))
    assert table.found(happened.Taken) == [happened.Taken(1, ("spade-2", "joker", "heart-1"))]
    table = Kings(["joker", "club-1"], ["spade-1"], ["club-3"]).do(0, PASS("joker")).do(1, LAY("spade-1"))
    assert table.found(happened.Taken) == [happened.Taken(0, ("joker", "spade-1"))]


def test_an_evil_ace_laid_as_any_card_counts_one():
    table = Kings(["spade-1"], ["club-1", "club-2", "heart-1"]).do(0, PASS("spade-1"))
    assert table.may(1) == ({"club-1", "club-2"}, True)
    table = Kings(["spade-2"], ["club-1"]).do(0, PASS("spade-2"))
    assert table.may(1) == (set(), True)


# --- The end of a life --------------------------------------------------------------------------------


def test_six_cards_in_the_hand_of_whose_turn_ends_are_the_end_of_the_life():
    hand = ["heart-2", "heart-3", "heart-4", "heart-5", "heart-6", "heart-7", "heart-8"]
    table = Kings(hand, ["club-2"], ["club-3"]).do(0, PASS("heart-2")).do(1, TAKE)
    assert table.found(happened.LifeEnded) == [happened.LifeEnded(1, "hand_full")]
    table = Kings(hand[:6], ["club-2"], ["club-3"]).do(0, PASS("heart-2")).do(1, TAKE)
    assert table.found(happened.LifeEnded) == []


def test_six_cards_in_another_hand_are_not():
    table = Kings(["heart-2"], ["club-2", "club-3", "club-4", "club-5", "club-6"]).do(0, PASS("heart-2")).do(1, TAKE)
    assert len(table.state.hand(1)) == 7, "with the card drawn for the next turn"
    assert table.found(happened.LifeEnded) == []


def test_cards_that_come_back_count_for_whose_turn_it_is():
    table = Kings(["spade-2", "heart-3", "heart-4", "heart-5", "heart-6"], ["spade-3", "club-2"])
    table.do(0, PASS("spade-2")).do(1, LAY("spade-3")).do(0, TAKE)
    assert table.found(happened.LifeEnded) == [happened.LifeEnded(1, "hand_full")]


def test_the_life_ends_too_when_the_deck_has_no_card_for_the_next_turn():
    table = Kings(["heart-2"], ["club-2"], deck=0).do(0, PASS("heart-2")).do(1, TAKE)
    assert table.found(happened.LifeEnded) == [happened.LifeEnded(1, "deck_empty")]


def test_with_six_cards_to_begin_with_a_life_ends_by_the_deck_alone():
    hand = ["heart-2", "heart-3", "heart-4", "heart-5", "heart-6", "heart-7", "heart-8"]
    table = Kings(hand, ["club-2"], ["club-3"], six_cards=True).do(0, PASS("heart-2")).do(1, TAKE)
    assert table.found(happened.LifeEnded) == []
    table = Kings(hand, ["club-2"], deck=0, six_cards=True).do(0, PASS("heart-2")).do(1, TAKE)
    assert table.found(happened.LifeEnded) == [happened.LifeEnded(1, "deck_empty")]


def test_each_life_begins_one_seat_further_with_all_cards_together_again():
    table = Kings(["heart-2"], ["club-2"], ["club-3"], deck=0, first=2, life=4, turn=0)
    table.do(0, PASS("heart-2")).do(1, TAKE)
    assert table.found(happened.LifeBegun) == [happened.LifeBegun(5, 0)]
    assert (table.state.turn, table.state.deck) == (0, 52)
    assert [len(table.state.hand(seat)) for seat in range(3)] == [1, 0, 0]


def test_an_action_that_is_not_asked_for_is_no_member_of_the_asks():
    table = Kings(["heart-2"], ["club-2"])
    for action in (act.Take(), act.Retaliate("heart-2"), act.PassOn("club-2")):
        assert not core.permits(ten_kings.asks(table.state, 0), action)
