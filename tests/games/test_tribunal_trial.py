"""A trial up to the pleas: the chair, the colour, the general vote, the order."""

import pytest

from games.chance import Chance
from games.tribunal import actions as act
from games.tribunal import events as happened
from games.tribunal.pieces import Counter
from tests.games.test_tribunal_court import SEATS, Court

every_table = pytest.mark.parametrize("seats", SEATS)


# --- The chair ----------------------------------------------------------------------------------------


@every_table
def test_the_first_chair_is_drawn_by_chance_and_not_with_the_first_passer(seats):
    def first_chair(number):
        court = Court(seats, passer=1)
        for _ in range(seats):
            seat = court.state.turn
            court.play(seat, act.PassCards(court.state.hands[seat][:2]), Chance(bytes(32), number))
        return court.happened(happened.ChairDrawn)[0].seat

    assert {first_chair(number) for number in range(80)} == set(range(seats))


@every_table
def test_the_chair_moves_clockwise_after_each_trial(seats):
    court = Court(seats).passed(chair=seats - 1)

    court.balanced("red").balanced("red")

    assert [event.chair for event in court.happened(happened.TrialOpened)] == [seats - 1, 0, 1]


@every_table
def test_trials_are_numbered(seats):
    court = Court(seats).passed().balanced("red").judged("green", "innocent")

    assert [event.trial for event in court.happened(happened.TrialOpened)] == [1, 2, 3]
    assert court.state.trial == 3


# --- Colour -------------------------------------------------------------------------------------------


@every_table
def test_the_chair_alone_chooses_the_colour(seats):
    court = Court(seats).passed(chair=2)

    assert court.to_act() == (2,)
    assert not any(court.asks(seat) for seat in range(seats) if seat != 2)


@every_table
def test_any_pawn_at_iustitia_may_be_chosen(seats):
    court = Court(seats).passed()
    colours = [pawn.colour for pawn in court.state.pawns]

    assert all(court.permits(0, act.ChooseColour(colour)) for colour in colours)
    assert court.permits(0, act.ChooseColour("purple")) == (seats > 4)


def test_a_colour_with_a_verdict_cannot_be_chosen_again():
    court = Court().passed().judged("red", "guilty")

    assert not court.permits(1, act.ChooseColour("red"))
    assert court.permits(1, act.ChooseColour("blue"))


def test_the_choice_puts_the_pawn_on_the_scales_and_is_final():
    court = Court().passed().colour("green")

    assert court.place("green") == "scales"
    assert court.state.colour == "green"
    assert not court.permits(0, act.ChooseColour("red"))


# --- General vote -------------------------------------------------------------------------------------


@every_table
def test_everybody_votes_at_the_same_time_and_once(seats):
    court = Court(seats).passed().colour()
    assert court.to_act() == tuple(range(seats))

    court.play(1, act.Vote(True))

    assert court.to_act() == tuple(seat for seat in range(seats) if seat != 1)


@every_table
def test_votes_stay_hidden_until_the_last_one_is_in(seats):
    court = Court(seats).passed().colour()

    for seat in range(seats - 1):
        court.play(seat, act.Vote(seat == 0))

    assert not court.happened(happened.VotesShown)
    assert court.views[None].votes == (None,) * seats
    assert court.views[0].votes == (True, *(None,) * (seats - 1))


@every_table
def test_who_has_voted_is_public(seats):
    court = Court(seats).passed().colour()

    court.play(2, act.Vote(True))

    for view in court.views.values():
        assert view.voted == tuple(seat == 2 for seat in range(seats))


@every_table
def test_then_all_votes_are_shown_at_once(seats):
    court = Court(seats).passed().colour()

    court.vote(0, 1)

    shown = court.happened(happened.VotesShown)
    assert shown == [happened.VotesShown((0, 1), tuple(range(2, seats)))]
    assert all(view.votes == tuple(seat < 2 for seat in range(seats)) for view in court.views.values())


@pytest.mark.parametrize("seats", [5, 6, 7])
@pytest.mark.parametrize("majority", ["guilty", "innocent"])
def test_the_spare_counter_goes_to_the_majority(seats, majority):
    court = Court(seats).passed().colour()
    two = (0, 1)
    rest = tuple(range(2, seats))

    court.vote(*(rest if majority == "guilty" else two))

    assert court.state.scales == (Counter("verdict", None, majority),)


@pytest.mark.parametrize("seats", [4, 6])
def test_in_a_tied_general_vote_the_spare_counter_stays_out(seats):
    court = Court(seats).passed().colour()

    court.vote(*range(seats // 2))

    assert court.state.scales == ()
    assert not court.happened(happened.SparePlaced)
    assert court.state.phase == "direction"


@every_table
@pytest.mark.parametrize("verdict", ["guilty", "innocent"])
def test_a_unanimous_vote_is_the_verdict(seats, verdict):
    court = Court(seats).passed().judged("red", verdict)

    assert court.place("red") == verdict
    assert court.happened(happened.VerdictReached) == [happened.VerdictReached("red", verdict, early=True)]


@pytest.mark.parametrize("seats", [6, 7])
@pytest.mark.parametrize("verdict", ["guilty", "innocent"])
def test_with_six_or_seven_a_single_dissenter_does_not_prevent_the_verdict(seats, verdict):
    court = Court(seats).passed().colour("red")
    one, rest = (3,), tuple(seat for seat in range(seats) if seat != 3)

    court.vote(*(rest if verdict == "guilty" else one))

    assert court.place("red") == verdict


@pytest.mark.parametrize("seats", [6, 7])
def test_with_six_or_seven_two_dissenters_do(seats):
    court = Court(seats).passed().colour()

    court.vote(0, 1)

    assert court.place("red") == "scales"


@pytest.mark.parametrize("seats", [4, 5])
@pytest.mark.parametrize("guilty", [(0,), (1, 2, 3)])
def test_with_four_or_five_a_single_dissenter_prevents_it(seats, guilty):
    court = Court(seats).passed().colour()

    court.vote(*guilty, *(range(4, seats) if len(guilty) > 1 else ()))

    assert court.place("red") == "scales"
    assert court.state.phase == "direction"


@every_table
def test_the_spare_counter_joins_a_unanimous_majority_too(seats):
    court = Court(seats).passed().judged("red", "guilty")

    assert court.happened(happened.SparePlaced) == [happened.SparePlaced("guilty")]


@every_table
def test_an_early_verdict_makes_the_rest_of_the_trial_needless(seats):
    court = Court(seats).passed().judged("red", "innocent")

    assert not court.happened(happened.SpeakerCalled)
    assert court.state.scales == ()
    assert court.state.trial == 2
    assert court.to_act() == (1,)


@every_table
def test_otherwise_the_trial_goes_on(seats):
    court = Court(seats).passed().colour().divided()

    assert court.state.phase == "direction"
    assert court.to_act() == (0,)


# --- Order --------------------------------------------------------------------------------------------


@every_table
@pytest.mark.parametrize(("direction", "step"), [("clockwise", 1), ("counterclockwise", -1)])
def test_pleas_go_from_the_chairs_neighbour_to_the_chair(seats, direction, step):
    court = Court(seats).passed(chair=2).colour().divided()

    court.direction(direction)

    assert court.state.order == tuple((2 + step * place) % seats for place in range(1, seats + 1))
    assert court.state.order[-1] == 2
    assert court.to_act() == ((2 + step) % seats,)


def test_the_chair_alone_decides_the_direction_and_it_is_final():
    court = Court().passed(chair=3).colour().divided()
    assert court.to_act() == (3,)

    court.direction("counterclockwise")

    assert court.state.direction == "counterclockwise"
    assert not court.permits(3, act.ChooseDirection("clockwise"))
