"""Who learns what: hands are secret, all else lies open; and timing tells nothing."""

import msgspec
import pytest

from games import witch_trial
from games.chance import Chance
from games.witch_trial import actions as act
from games.witch_trial import cards
from games.witch_trial import events as happened
from tests.games.test_witch_trial_court import motion, trial

TRICKS = (
    motion("peek", cards.Peek()),
    motion("steal", cards.Steal(1)),
    motion("draw", cards.Draw("you", 2)),
    motion("drop", cards.Discard("opponent", 1, "random"), cards.Gamble(1, 4)),
)
AUDIENCES = (None, 0, 1, 2)


def whole():
    """A trial with everything that is hidden in it."""
    court = trial(["peek", "steal", "draw", "drop", "pet"], ["pet", "note", "map"], ["anna"], more=TRICKS)
    court.put("peek").put("steal").put("draw").put("drop", 3).put("pet")
    court.rest().rest().rest()
    return court


EVENTS = whole().events
HIDDEN = (happened.Dealt, happened.Drew, happened.Taken, happened.Received, happened.Peeked)


@pytest.mark.parametrize("audience", AUDIENCES)
def test_redaction_is_consistent(audience):
    for event in EVENTS:
        once = witch_trial.redact(event, audience)
        assert witch_trial.redact(once, None) == witch_trial.redact(event, None)
        assert witch_trial.redact(once, audience) == once
        assert type(once) is type(event)


@pytest.mark.parametrize("audience", AUDIENCES)
def test_an_event_that_hides_nothing_stays_the_same_object(audience):
    for event in EVENTS:
        once = witch_trial.redact(event, audience)
        assert once is event or isinstance(event, HIDDEN)
        assert witch_trial.redact(once, audience) is once


@pytest.mark.parametrize(
    ("event", "readers"),
    [
        (happened.Dealt(1, 1, ("pet",)), {1}),
        (happened.Drew(1, 1, ("pet",)), {1}),
        (happened.Taken(1, 0, 1, ("pet",)), {1}),
        (happened.Received(0, 1, 1, ("pet",)), {0, 1}),
        (happened.Peeked(0, 1, 1, ("pet",)), {0, 1}),
        (happened.Fetched(0, "pet"), set(AUDIENCES)),
        (happened.Bought(0, "pet", 1, 5), set(AUDIENCES)),
        (happened.Discarded(0, ("pet",)), set(AUDIENCES)),
    ],
)
def test_which_cards_move_is_read_by_those_who_see_them(event, readers):
    assert {seat for seat in AUDIENCES if b"pet" in msgspec.json.encode(witch_trial.redact(event, seat))} == readers


@pytest.mark.parametrize(
    ("event", "learned"),
    [
        (happened.Dealt(1, 1, ("pet",)), {1}),
        (happened.Drew(1, 1, ("pet",)), {1}),
        (happened.Taken(1, 0, 1, ("pet",)), {1}),
        (happened.Received(0, 1, 1, ("pet",)), {0}),
        (happened.Peeked(0, 1, 1, ("pet",)), {0}),
        (happened.TurnedUp(("pet",)), {None}),
        (happened.FirstDrawn(1), {None}),
        (happened.CourtRolled(1, 0, (1, 2), 3), {None}),
        (happened.WitnessRolled(1, "lewis", 3), {None}),
        (happened.Gambled(1, (3,), 3, False), {None}),
        (happened.VerdictRolled((3, 4), 7, 14), {None}),
        (happened.Played(0, "pet", "evidence"), {None}),
        (happened.CaseBuilt(0, "lewis", "golf"), {None}),
        (happened.Objected(0, 1, "nonsense", "trick"), {None}),
        (happened.Discarded(0, ("pet",)), {None}),
        (happened.Bought(0, "pet", 1, 5), set()),
        (happened.Rested(0), set()),
        (happened.MotionCarried(0, "trick"), set()),
        (happened.Heard(0, "evidence", 3, 10), set()),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, set) else "",
)
def test_draws_and_cards_that_were_hidden_are_disclosed(event, learned):
    assert witch_trial.discloses(event) == learned


def test_everybody_knows_how_many_cards_each_hand_has():
    court = whole()

    for view in court.views.values():
        assert [len(hand) for hand in view.hands] == [len(hand) for hand in court.state.hands]


def test_nobody_sees_another_hand():
    court = whole()

    for seat in range(3):
        for other in range(3):
            known = court.views[seat].hands[other]
            assert known == court.state.hands[other] if other == seat else set(known) <= {None}


def test_the_public_sees_no_hand_at_all():
    assert {card for hand in whole().views[None].hands for card in hand} <= {None}


def test_what_was_peeked_at_is_not_there_to_be_read_again():
    court = trial(["peek"], ["pet", "note"], more=TRICKS)
    court.put("peek")

    assert court.views[0].hands[1] == (None, None)


def test_a_stolen_card_leaves_one_hand_and_then_reaches_the_other():
    taken, received = [event for event in EVENTS if isinstance(event, happened.Taken | happened.Received)]

    assert (taken.seat, taken.by, received.seat, received.giver) == (1, 0, 0, 1)
    assert taken.cards == received.cards


def test_what_everybody_knew_of_a_hand_is_not_known_any_more_once_cards_left_it_face_down():
    court = trial((), ["note"], lineup=("pet",))
    court.fold(happened.Picked(1, "pet", 0))
    assert court.state.known[1] == ("pet",)
    court.fold(happened.Taken(1, 0, 1, ("note",)), happened.Received(0, 1, 1, ("note",)))

    assert court.state.known[1] == ()
    assert {view.known for view in court.views.values()} == {court.state.known}


def test_what_is_known_of_a_hand_is_the_same_for_all_and_true():
    court = whole()

    assert {view.known for view in court.views.values()} == {court.state.known}
    for hand, known in zip(court.state.hands, court.state.known, strict=True):
        assert not set(known) - set(hand)


def test_a_card_that_leaves_a_hand_openly_is_taken_off_what_everybody_knew():
    court = trial(["note"], ["note"], lineup=("pet",))
    court.fold(happened.Picked(0, "pet", 0))
    assert court.state.known[0] == ("pet",)
    court.put("pet")

    assert court.state.known[0] == ()


def test_hands_that_one_cannot_see_change_nothing_that_one_reads():
    logs = []
    for theirs in (["pet", "nonsense"], ["note", "map"]):
        court = trial(["trick", "pet"], theirs, more=(motion("trick", cards.Sway(1)),))
        court.put("trick").put("pet").rest()
        logs.append(msgspec.json.encode([witch_trial.redact(event, 0) for event in court.events]))

    assert logs[0] == logs[1]


def test_a_motion_waits_for_an_answer_whatever_the_other_side_holds():
    waits = set()
    for theirs in (["nonsense"], ["note"]):
        court = trial(["trick"], theirs, more=(motion("trick", cards.Sway(1)),))
        court.play(0, act.Play("trick"))
        waits.add((court.to_act(), court.jury))

    assert waits == {((1,), 7)}


@pytest.mark.parametrize("number", range(5))
def test_the_order_of_the_deck_is_nowhere_in_the_state(number):
    """The deck is a bag: whoever knows the whole state still does not know the next card."""
    events = witch_trial.open(witch_trial.Options(), 3, Chance(bytes(32), number))
    state = None
    for event in events:
        state = witch_trial.evolve(state, event)
    drawn = {
        tuple(
            e.cards
            for e in witch_trial.decide(state, state.active, act.Pass(), Chance(bytes(32), n))
            if isinstance(e, happened.Drew)
        )
        for n in range(8)
    }

    assert len(drawn) > 3
