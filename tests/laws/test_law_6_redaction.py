"""Law 6: redaction keeps number, order and type of events, and is consistent from audience to audience."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from games import bargaining
from games.core import type_of
from games.table.events import Struck
from games.table.redact import redact
from tests.laws.cases import every_case
from tests.laws.playing import Play, played


def events(play: Play) -> Iterator[Any]:
    for step in play.steps:
        yield from step.body.events


@every_case
def test_who_knows_most_hides_the_same_from_others(case):
    play = played(case)
    rules = play.driver.rules
    for event in events(play):
        public = redact(rules, event, None)
        for seat in range(case.seats):
            own = redact(rules, event, seat)
            assert redact(rules, own, None) == public
            assert redact(rules, own, seat) == own
            assert redact(rules, public, seat) == public
        assert redact(rules, public, None) == public


@every_case
def test_redaction_blanks_fields_and_changes_nothing_else(case):
    play = played(case)
    for event in events(play):
        for audience in (None, *range(case.seats)):
            read = redact(play.driver.rules, event, audience)
            assert type(read) is type(event)
            changed = [name for name in event.__struct_fields__ if getattr(read, name) != getattr(event, name)]
            assert [getattr(read, name) for name in changed] == [None] * len(changed)
            assert (read is event) == (not changed)


@every_case
def test_the_public_knows_nothing_that_some_seat_does_not_know(case):
    play = played(case)
    for event in events(play):
        public = redact(play.driver.rules, event, None)
        for seat in range(case.seats):
            own = redact(play.driver.rules, event, seat)
            for name in event.__struct_fields__:
                assert getattr(public, name) in (None, getattr(own, name))


@every_case
def test_every_version_of_an_entry_has_the_same_number_order_and_types_of_events(case):
    play = played(case)
    for step in play.steps:
        types = [type_of(event) for event in step.body.events]
        for version in play.driver.versions(step.body).values():
            assert [type_of(event) for event in version.events] == types
            assert (version.seq, version.at, version.by, version.draw) == (
                step.body.seq, step.body.at, step.body.by, step.body.draw,
            )  # fmt: skip


@every_case
def test_a_sealed_action_is_its_type_alone_to_all_but_who_did_it(case):
    play = played(case)
    for step in play.steps:
        for name, version in play.driver.versions(step.body).items():
            if type(step.body.action).sealed and name not in ("full", str(step.body.by)):
                assert version.action == {"type": type_of(step.body.action)}
            else:
                assert version.action == step.body.action


@every_case
def test_what_is_disclosed_is_told_to_seats_and_the_public_alone(case):
    play = played(case)
    for event in events(play):
        if isinstance(event, play.driver.rules.game_events):
            assert case.game.discloses(event) <= {None, *range(case.seats)}


@every_case
def test_what_a_seat_learns_alone_and_not_by_its_own_doing_is_disclosed_to_it(case):
    play = played(case)
    for seat in range(case.seats):
        state, before = None, {}
        for step in play.steps:
            before[step.body.seq] = state
            by = step.body.by if isinstance(step.body.by, int) else getattr(step.body.action, "seat", None)
            for event in step.body.events:
                if isinstance(event, Struck):
                    state = before[event.first]
                elif isinstance(event, play.driver.rules.game_events):
                    state, learned = told(play, state, event, seat)
                    assert by == seat or not learned or {None, seat} & case.game.discloses(event), event
                elif play.driver.rules.moneyed and isinstance(event, bargaining.TYPES):
                    state = case.game.evolve(state, event)


def told(play: Play, state: Any, event: Any, seat: int) -> tuple[Any, Counter[str]]:
    """What the seat knows after the event, and what of it neither it knew before nor the public knows."""
    rules = play.driver.rules
    read, blank = redact(rules, event, seat), redact(rules, event, None)
    own = rules.game.evolve(state, read)
    if read == blank:
        return own, Counter()
    return own, Counter(known(own)) - Counter(known(rules.game.evolve(state, blank))) - Counter(known(state))


def known(state: Any) -> Iterator[str]:
    """Every single value in a state that is not hidden."""
    match state:
        case None:
            return
        case tuple():
            for item in state:
                yield from known(item)
        case msgspec.Struct():
            for name in state.__struct_fields__:
                yield from known(getattr(state, name))
        case _:
            yield repr(state)
