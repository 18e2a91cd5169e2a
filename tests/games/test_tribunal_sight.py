"""Who learns what: the events as audiences read them, and what they disclose."""

import msgspec
import pytest

from games import tribunal
from games.tribunal import actions as act
from games.tribunal import events as happened
from tests.games.test_tribunal_court import Court


def whole_game():
    court = Court(4, exile=True, appeal=True).passed()
    for colour in ("red", "yellow", "green"):
        court.judged(colour, "innocent")
    court.pleading("blue").plead(*["guilty"] * 4).play(court.state.turn, act.Exile(False))
    return court


EVENTS = whole_game().events
HIDDEN = (happened.Dealt, happened.Passed, happened.Received, happened.SetAside, happened.VoteCast)
AUDIENCES = (None, 0, 1, 2, 3)


@pytest.mark.parametrize("audience", AUDIENCES)
def test_redaction_is_consistent(audience):
    for event in EVENTS:
        once = tribunal.redact(event, audience)
        assert tribunal.redact(once, None) == tribunal.redact(event, None)
        assert tribunal.redact(once, audience) == once
        assert type(once) is type(event)


@pytest.mark.parametrize("audience", AUDIENCES)
def test_an_event_that_hides_nothing_stays_the_same_object(audience):
    for event in EVENTS:
        once = tribunal.redact(event, audience)
        assert once is event or isinstance(event, HIDDEN)
        assert tribunal.redact(once, audience) is once


def test_the_public_reads_no_card_before_the_end():
    text = msgspec.json.encode([tribunal.redact(event, None) for event in EVENTS]).decode()

    assert not any(card in text for event in EVENTS for card in getattr(event, "cards", ()))


def test_the_own_vote_stays_readable_to_its_voter_alone():
    cast = happened.VoteCast(2, True)

    assert [audience for audience in AUDIENCES if tribunal.redact(cast, audience).guilty is not None] == [2]


@pytest.mark.parametrize(
    ("event", "learned"),
    [
        (happened.Dealt(1, 2, ("red-3", "red-4")), {1}),
        (happened.PasserDrawn(1), {None}),
        (happened.ChairDrawn(1), {None}),
        (happened.Received(2, 1, 2, ("red-3", "red-4")), {2}),
        (happened.VotesShown((0,), (1, 2, 3)), {None}),
        (happened.HandShown(0, ("red-3",)), {None}),
    ],
)
def test_draws_and_what_was_hidden_are_disclosed(event, learned):
    assert tribunal.discloses(event) == learned


@pytest.mark.parametrize(
    "event",
    [
        happened.Passed(1, 2, 2, ("red-3", "red-4")),
        happened.SetAside(1, 2, ("red-3", "red-4")),
        happened.VoteCast(1, True),
        happened.ColourChosen(1, "red"),
        happened.CounterPlaced(1, "verdict", "guilty"),
        happened.VerdictReached("red", "guilty", early=True),
    ],
)
def test_public_choices_and_ones_own_secret_ones_disclose_nothing(event):
    assert tribunal.discloses(event) == frozenset()


@pytest.mark.parametrize("audience", [None, 0])
def test_other_hands_that_one_cannot_see_change_nothing_that_one_reads(audience):
    mine, a, b, c = Court(4).passed().state.hands

    logs = []
    for hands in [(mine, a, b, c), (mine, c, a, b)]:
        court = Court(4, hands=hands).passed().pleading("red").plead("guilty", "innocent", "guilty", "guilty")
        logs.append(msgspec.json.encode([tribunal.redact(event, audience) for event in court.events]))

    assert logs[0] == logs[1]


def test_a_vote_that_one_cannot_see_changes_nothing_that_one_reads():
    logs = []
    for choice in (True, False):
        court = Court(4).passed().colour()
        court.play(2, act.Vote(choice))
        logs.append(msgspec.json.encode([tribunal.redact(event, 0) for event in court.events]))

    assert logs[0] == logs[1]


def test_what_a_seat_may_do_does_not_depend_on_what_it_cannot_see():
    court = Court(5).passed().pleading()
    hands = court.state.hands
    other = msgspec.structs.replace(court.state, hands=(hands[0], hands[3], hands[4], hands[1], hands[2]))

    assert tribunal.asks(other, 0) == tribunal.asks(court.state, 0)
    assert tribunal.asks(other, 1) == tribunal.asks(court.state, 1)
    assert tribunal.windows(other) == tribunal.windows(court.state)
