"""Setting up: material, first cards, passing them on."""

from collections import Counter

import pytest

from games import tribunal
from games.chance import Chance, Scripted
from games.tribunal import actions as act
from games.tribunal import events as happened
from games.tribunal.pieces import Options, colour_of, rank_of
from tests.games.test_tribunal_court import SEATS, Court, deal

every_table = pytest.mark.parametrize("seats", SEATS)


def opened(seats, number=0, **options):
    return tribunal.open(Options(**options), seats, Chance(bytes(32), number))


# --- Material -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "colours"), [(4, 4), (5, 5), (6, 5), (7, 5)])
def test_each_colour_has_the_cards_three_to_seven_and_ten(seats, colours):
    dealt = [
        card for number in range(60) for event in opened(seats, number)[1:] for card in getattr(event, "cards", ())
    ]

    kinds = {(colour_of(card), rank_of(card)) for card in dealt}

    assert len(kinds) == 6 * colours
    assert {rank for _, rank in kinds} == {3, 4, 5, 6, 7, 10}


def test_with_four_players_purple_is_left_out():
    court = Court(4)

    assert [pawn.colour for pawn in court.state.pawns] == ["red", "yellow", "green", "blue"]
    assert sum(map(len, court.state.hands)) + court.state.aside == 24


@pytest.mark.parametrize("seats", [5, 6, 7])
def test_with_more_players_all_five_colours_are_used(seats):
    court = Court(seats)

    assert [pawn.colour for pawn in court.state.pawns] == ["red", "yellow", "green", "blue", "purple"]
    assert sum(map(len, court.state.hands)) + court.state.aside == 30


@every_table
def test_pawns_and_the_spare_counter_begin_at_iustitia(seats):
    state = Court(seats).state

    assert {pawn.place for pawn in state.pawns} == {"iustitia"}
    assert state.scales == ()


@every_table
def test_everybody_begins_with_a_verdict_counter_and_an_extra_counter(seats):
    state = Court(seats).state

    assert state.verdict_counters == (1,) * seats
    assert state.extra_counters == (1,) * seats


@every_table
def test_everybody_begins_with_twenty_chips(seats):
    court = Court(seats)

    assert court.chips() == (20,) * seats
    assert tribunal.purses(court.state).total() == 20 * seats


@every_table
def test_purses_are_public(seats):
    court = Court(seats)

    assert all(tribunal.purses(view) == tribunal.purses(court.state) for view in court.views.values())


# --- Cards --------------------------------------------------------------------------------------------


@every_table
def test_everybody_is_dealt_four_cards_and_one_player_two_more(seats):
    court = Court(seats, passer=2)

    assert [len(hand) for hand in court.state.hands] == [6 if seat == 2 else 4 for seat in range(seats)]


@every_table
def test_cards_are_dealt_by_chance_and_none_twice(seats):
    deals = [[c for e in opened(seats, number) if isinstance(e, happened.Dealt) for c in e.cards] for number in (1, 2)]

    assert deals[0] != deals[1]
    assert all(len(set(cards)) == len(cards) == 4 * seats + 2 for cards in deals)


@every_table
def test_the_first_passer_is_drawn_by_chance(seats):
    drawn = {e.seat for number in range(80) for e in opened(seats, number) if isinstance(e, happened.PasserDrawn)}

    assert drawn == set(range(seats))


@every_table
def test_the_first_passer_must_pass_two_of_six_cards(seats):
    court = Court(seats, passer=1)
    hand = court.state.hands[1]

    assert court.to_act() == (1,)
    assert court.permits(1, act.PassCards((hand[4], hand[0])))
    assert not court.permits(1, act.PassCards(hand[:1]))
    assert not court.permits(1, act.PassCards(hand[:3]))
    assert not court.permits(1, act.PassCards((hand[0], hand[0])))
    assert not court.permits(1, act.PassCards((hand[0], court.state.hands[0][0])))


@every_table
def test_cards_go_to_the_left_neighbour(seats):
    court = Court(seats, passer=seats - 1)
    given = court.state.hands[seats - 1][1:3]

    court.play(seats - 1, act.PassCards(given))

    assert court.state.hands[0][-2:] == given
    assert not set(given) & set(court.state.hands[seats - 1])


@every_table
def test_the_receiver_has_six_cards_and_passes_two_in_turn(seats):
    court = Court(seats)

    court.play(0, act.PassCards(court.state.hands[0][:2]))

    assert court.to_act() == (1,)
    assert len(court.state.hands[1]) == 6
    assert len(court.state.hands[0]) == 4


@every_table
def test_cards_just_received_may_be_passed_on(seats):
    court = Court(seats)
    given = court.state.hands[0][:2]
    court.play(0, act.PassCards(given))

    court.play(1, act.PassCards(given))

    assert court.state.hands[2][-2:] == given


@every_table
def test_everybody_passes_exactly_once(seats):
    court = Court(seats, passer=3).passed()

    passed = [event.seat for event in court.happened(happened.Passed)]
    set_aside = [event.seat for event in court.happened(happened.SetAside)]

    assert [*passed, *set_aside] == [(3 + step) % seats for step in range(seats)]


@every_table
def test_the_last_two_cards_are_set_aside_and_not_passed_to_the_first(seats):
    court = Court(seats)
    last = seats - 1
    for seat in range(last):
        court.play(seat, act.PassCards(court.state.hands[seat][:2]))
    aside, first_hand, left = court.state.aside, court.state.hands[0], court.state.hands[last][:2]

    court.play(last, act.PassCards(left), Scripted(0))

    assert court.state.aside == aside + 2
    assert court.state.hands[0] == first_hand
    assert not set(left) & set(court.state.hands[last])


@every_table
def test_undealt_cards_lie_aside_too(seats):
    court = Court(seats).passed()

    assert court.state.aside == (24 if seats == 4 else 30) - 4 * seats


@every_table
def test_then_everybody_has_four_cards_and_keeps_them_to_the_end(seats):
    court = Court(seats).passed()
    hands = court.state.hands

    for colour in [pawn.colour for pawn in court.state.pawns][:seats]:
        court.judged(colour, "innocent")

    assert all(len(hand) == 4 for hand in hands)
    assert court.outcome()
    assert court.state.hands == hands


def test_the_hands_asked_for_are_the_hands_of_the_game():
    hands = (("red-3", "red-4", "blue-10", "green-7"), ("blue-3", "blue-4", "red-10", "green-6"))

    court = Court(4, hands=hands).passed()

    assert court.state.hands[:2] == hands
    assert Counter(deal(4, hands)).most_common(1)[0][1] == 1


# --- What is known of the cards -----------------------------------------------------------------------


@every_table
def test_a_hand_is_known_to_its_owner_alone(seats):
    court = Court(seats).passed()

    for audience, view in court.views.items():
        for seat, hand in enumerate(view.hands):
            assert hand == (court.state.hands[seat] if seat == audience else (None,) * 4)


@every_table
def test_the_number_of_cards_in_a_hand_is_public(seats):
    court = Court(seats)
    court.play(0, act.PassCards(court.state.hands[0][:2]))

    for view in court.views.values():
        assert [len(hand) for hand in view.hands] == [6 if seat == 1 else 4 for seat in range(seats)]


def test_passed_cards_are_known_to_giver_and_receiver_only():
    court = Court(4)
    given = court.state.hands[0][:2]

    court.play(0, act.PassCards(given))

    assert court.views[0].hands[1] == (None, None, None, None, *given)
    assert court.views[1].hands[1][-2:] == given
    assert court.views[2].hands[1] == court.views[None].hands[1] == (None,) * 6


def test_once_the_receiver_has_passed_the_giver_no_longer_knows_what_is_left():
    court = Court(4)
    court.play(0, act.PassCards(court.state.hands[0][:2]))

    court.play(1, act.PassCards(court.state.hands[1][:2]))

    assert court.views[0].hands[1] == (None,) * 4
    assert court.views[0].hands[2] == (None,) * 6


def test_cards_set_aside_are_seen_by_who_sets_them_aside_and_then_by_nobody():
    court = Court(4).passed()
    event = court.happened(happened.SetAside)[0]

    assert event.seat == 3
    assert [a for a in court.audiences if tribunal.redact(event, a).cards is not None] == [3]
    assert all(view.aside == court.state.aside == 8 for view in court.views.values())


def test_the_act_of_passing_shows_no_cards_to_others():
    court = Court(4)
    passed, received = court.play(0, act.PassCards(court.state.hands[0][:2]))

    assert [a for a in court.audiences if tribunal.redact(passed, a).cards is not None] == [0]
    assert [a for a in court.audiences if tribunal.redact(received, a).cards is not None] == [0, 1]
