"""What somebody has made up, as in an archive of one seat behind which no decision stands, may not cost more than it is long."""

import msgspec
import pytest
from msgspec.structs import replace

from games.table.redact import redact
from tests.laws.cases import SETUPS, catalogued
from tests.laws.playing import played

VAST = 10**12
"""So many of anything no machine holds, so that nothing here can be made by mistake."""

LARGE = 100_000
"""Bytes that no state comes near."""

ENTRIES = 40
"""Of each setup so many are looked at."""


def counting(case):
    """Each event that says how many of something there are, as a reader reads it from whom it is hidden, with the state before."""
    play = played(case)
    state = None
    for step in play.steps[:ENTRIES]:
        for event in step.body.events:
            if type(event) in play.driver.rules.own_events:
                hidden = redact(play.driver.rules, event, None)
                if state is None:
                    yield state, hidden, "seats"
                elif hidden is not event and hasattr(hidden, "count"):
                    yield state, hidden, "count"
                state = case.game.evolve(state, event)
        state = step.after.course.game  # as after a strike


@catalogued
def test_a_number_of_hidden_things_that_cannot_be_is_refused_before_any_is_made(game):
    found = set()
    for case in (case for case in SETUPS if case.game is game):
        for state, event, name in counting(case):
            if (type(event), name) not in found:
                found.add((type(event), name))
                told = made(game, state, replace(event, **{name: VAST}))
                assert len(told) < LARGE, event
    assert {name for _, name in found} == {"seats", "count"}


def made(game, state, event):
    """What becomes of the state; nothing where that is refused."""
    try:
        return msgspec.json.encode(game.evolve(state, event))
    except ValueError:
        return b""


@catalogued
def test_nobody_sits_in_seats_that_cannot_be(game):
    state, event, name = next(counting(next(case for case in SETUPS if case.game is game)))
    with pytest.raises(ValueError, match="cannot be"):
        game.evolve(state, replace(event, **{name: VAST}))
