"""Reading what is stored: exactly, or not at all."""

import msgspec
import pytest

from games.table import events as happened
from projections import codec
from projections.codec import Unreadable
from tests.games import sample
from tests.laws.driver import Driver
from tests.laws.playing import written


@pytest.fixture
def step():
    """The entry that started a game."""
    *_, last = written(Driver(sample, 2).fill())
    return last


@pytest.fixture
def rules():
    return Driver(sample, 2).rules


def changed(data, **fields):
    return msgspec.json.encode({**msgspec.json.decode(data), **fields})


def test_what_was_written_is_read(rules, step):
    bodies = codec.decode_versions(rules, step.after.seq, step.stored)

    assert bodies["full"].events == step.body.events
    assert set(bodies) == set(step.stored)


@pytest.mark.parametrize(
    "fields",
    [
        {"events": [{"type": "kraken"}]},
        {"events": [{"type": "left", "seat": 0, "player": "p0", "why": "bored"}]},
        {"events": [{"type": "left", "seat": "0", "player": "p0"}]},
        {"mood": "bad"},
        {"at": "noon"},
    ],
)
def test_what_these_rules_do_not_know_is_unreadable_and_says_where(rules, step, fields):
    with pytest.raises(Unreadable) as error:
        codec.decode(rules, 7, changed(step.stored["full"], **fields))

    assert error.value.seq == 7
    assert error.value.reason in str(error.value)


def test_the_action_of_an_entry_is_read_without_any_rules(step):
    assert codec.action_in(step.stored["full"]) == {"type": "start"}
    assert codec.action_in(changed(step.stored["full"], events=[{"type": "kraken"}])) == {"type": "start"}


def test_the_first_entry_says_what_is_played(step):
    first, *_ = written(Driver(sample, 2))

    created = codec.created(first.stored["full"])
    assert isinstance(created, happened.Created)
    assert (created.game, created.rules, created.seats) == ("harbour", 1, 2)
    for data in (step.stored["full"], b"{}", changed(first.stored["full"], events=[])):
        with pytest.raises(Unreadable):
            codec.created(data)
