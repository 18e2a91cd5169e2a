"""Setting up: the deck, the first hands, the lineup, who begins; and using the discards again."""

from collections import Counter

import msgspec
import pytest

from games import core, witch_trial
from games.chance import Chance
from games.witch_trial import actions as act
from games.witch_trial import cards
from games.witch_trial import events as happened
from games.witch_trial.deck import house
from games.witch_trial.pieces import Options
from games.witch_trial.state import lying, stock
from tests.games.test_witch_trial_court import SEATS, Court, deck

every_table = pytest.mark.parametrize("seats", SEATS)


def begun(seats, number=0, **options):
    events = witch_trial.open(Options(**options), seats, Chance(bytes(32), number))
    return core.fold(witch_trial, events), events


# --- Money, cards, lineup -----------------------------------------------------------------------------


@every_table
def test_everybody_begins_with_fifty_dollars(seats):
    state, _ = begun(seats)

    assert state.purses == core.Purses((50,) * seats, (0,) * seats, pot=0, bank=0)


@every_table
def test_everybody_is_dealt_five_cards_and_whoever_begins_draws_a_sixth(seats):
    state, events = begun(seats)

    dealt = [event for event in events if isinstance(event, happened.Dealt)]
    assert [(event.seat, event.count, len(event.cards)) for event in dealt] == [(seat, 5, 5) for seat in range(seats)]
    assert [len(hand) for hand in state.hands] == [5 + (seat == state.active) for seat in range(seats)]


@every_table
def test_five_cards_lie_open_in_the_lineup(seats):
    state, _ = begun(seats)

    assert len(state.lineup) == 5


@every_table
def test_chance_says_who_begins(seats):
    firsts = {begun(seats, number)[0].active for number in range(80)}

    assert firsts == set(range(seats))


@every_table
def test_no_card_is_in_two_places_and_none_is_lost(seats):
    state, _ = begun(seats)

    assert Counter(lying(state)) + Counter(stock(state)) == Counter(state.book.all)
    assert len(stock(state)) == state.undrawn == 84 - 5 * seats - 6


def test_another_shuffle_gives_other_hands():
    hands = {begun(4, number)[0].hands for number in range(10)}

    assert len(hands) == 10


# --- The deck -----------------------------------------------------------------------------------------


def test_the_house_deck_is_played_with_unless_another_is_named():
    state, events = begun(3)

    assert events[0].deck == state.deck == house()


def test_all_read_names_and_effects_of_the_cards_in_the_first_event():
    _, events = begun(3)

    assert witch_trial.redact(events[0], None) is events[0]
    names = {card["id"]: card["name"]["en"] for card in msgspec.to_builtins(events[0])["deck"]["cards"]}
    assert names["faithful_pet"] == "Faithful Pet"


def test_a_deck_of_the_operators_is_played_with_as_it_stands_in_the_options():
    own = deck()
    options = {"deck": "own", "deck_file": {"sha256": "ab" * 32, "content": msgspec.to_builtins(own)}}

    state = core.fold(witch_trial, witch_trial.open(msgspec.convert(options, Options), 3, Chance(bytes(32), 0)))

    assert state.deck == own
    assert {card for hand in state.hands for card in hand} <= set(state.book.cards)


def test_copies_of_a_card_are_the_same_card():
    court = Court(["pet", "lewis", "pet", "golf"], ["pet"])

    assert court.hand(0) == ("golf", "lewis", "pet", "pet")
    assert stock(court.state).count("pet") == 2


def test_a_small_deck_is_dealt_as_far_as_it_goes():
    few = cards.Deck(title={}, note={}, cards=deck().cards[:4])
    file = core.Installed("ab" * 32, msgspec.to_builtins(few))
    events = witch_trial.open(Options("few", file), 3, Chance(bytes(32), 0))

    state = core.fold(witch_trial, events)

    assert [len(hand) for hand in state.hands] == [5, 3, 0]
    assert state.lineup == ()
    assert state.undrawn == 0


# --- Using the discards again -------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "times"), [(3, 0), (4, 0), (5, 0), (6, 1), (7, 1)])
def test_the_discards_are_used_again_once_with_six_or_seven_and_with_fewer_the_option_changes_nothing(seats, times):
    assert begun(seats, reshuffle=True)[0].reshuffles == times
    assert begun(seats)[0].reshuffles == 0


def discarded(*, reshuffle):
    """The deck is empty, the lineup too, and a trial lies behind: five cards are discarded. It is turn 3, of seat 2."""
    court = Court(["lewis", "golf", "pet", "pet"], ["note"], reshuffle=reshuffle).emptied()
    court.case().play(1, act.Defend(0))
    court.put("pet").put("pet").rest().put("note").rest().rest()
    return court


def test_the_discards_become_the_deck_when_a_card_is_needed_and_there_is_none():
    court = discarded(reshuffle=True)

    assert court.happened(happened.Reshuffled) == [happened.Reshuffled(5)]
    assert court.state.discards == ()
    place = [type(event) for event in court.events].index(happened.Reshuffled)
    assert isinstance(court.events[place - 1], happened.TurnBegan)
    assert isinstance(court.events[place + 1], happened.Drew)


def test_without_the_option_the_discards_stay_where_they_are():
    court = discarded(reshuffle=False)

    assert court.happened(happened.Reshuffled) == []
    assert court.state.discards == ("golf", "lewis", "note", "pet", "pet")
    assert court.state.undrawn == 0


def test_the_discards_are_not_touched_before_the_deck_is_empty():
    court = Court(["lewis", "golf", "pet"], reshuffle=True)
    court.case().play(1, act.Defend(0))
    court.rest().rest().rest()

    assert court.happened(happened.Reshuffled) == []
    assert court.state.discards == ("golf", "lewis")


def test_with_nothing_discarded_there_is_nothing_to_use_again_and_it_can_still_be_done_later():
    court = Court(["lewis", "golf"], reshuffle=True).emptied()
    court.play(0, act.Pass())

    assert court.happened(happened.Reshuffled) == []
    assert court.state.reshuffles == 1


def test_a_lineup_that_needs_a_card_uses_the_discards_again_too():
    court = discarded(reshuffle=True)

    assert len(court.state.lineup) == 4
    assert court.state.undrawn == 0


def test_the_discards_are_used_again_only_once():
    court = discarded(reshuffle=True)
    court.play(court.state.active, act.Pass())
    court.fold(happened.CaseBuilt(2, "lewis", "golf"))
    while court.state.active != 0:
        court.play(court.state.active, act.Pass())
    court.play(0, act.Defend(2))
    court.rest().rest().rest()

    assert court.state.discards == ("golf", "lewis")
    assert len(court.happened(happened.Reshuffled)) == 1
