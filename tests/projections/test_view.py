"""What an entry changed in a view: assigned to the view before it, it gives the view after it, for every audience."""

from itertools import pairwise
from typing import Any

import msgspec

from projections.view import changed, changed_game, view
from tests.games import sample
from tests.laws.cases import every_case
from tests.laws.driver import Driver
from tests.laws.playing import played, written


def plain(value: Any) -> Any:
    """As it comes over the wire."""
    return msgspec.json.decode(msgspec.json.encode(value))


def assigned(old: dict, step_before: Any, step_after: Any, audience: Any) -> dict:
    """The view after the changes are taken in as docs/wire.md says."""
    around = plain(changed(step_before, step_after))
    game = plain(changed_game(step_before.sight(audience), step_after.sight(audience)))
    whole = {**old, **around, "seq": step_after.seq, "head": step_after.head.hex()}
    return {**whole, "game": {**old["game"], **game}} if game else whole


@every_case
def test_the_changes_of_every_entry_lead_from_view_to_view_for_every_audience(case):
    steps = played(case).steps
    for audience in (None, *range(case.seats)):
        known, before = None, None
        for step in steps:
            now = step.position
            fresh = plain(view(now, audience))
            if known is not None and not now.whole:
                assert assigned(known, before, now, audience) == fresh
            known, before = fresh, now


@every_case
def test_only_what_differs_is_named(case):
    steps = played(case).steps
    for old, new in pairwise(steps):
        before, after = plain(view(old.position, None)), plain(view(new.position, None))
        for name, value in plain(changed(old.position, new.position)).items():
            assert before[name] != value == after[name]
        if not new.position.whole:
            named = changed_game(old.position.sight(None), new.position.sight(None))
            for name, value in plain(named).items():
                assert before["game"][name] != value == after["game"][name]


def test_only_the_start_needs_the_whole_view():
    steps = list(written(Driver(sample, 3).fill()))

    assert [step.position.whole for step in steps] == [True, False, False, True]


def test_before_the_start_the_game_is_unknown():
    first, *_, last = written(Driver(sample, 3).fill())

    assert view(first.position, 0).game is None
    assert view(last.position, 0).game is not None


def test_the_view_says_whose_it_is():
    *_, last = written(Driver(sample, 2).fill())

    assert [view(last.position, audience).seat for audience in (None, 0, 1)] == [None, 0, 1]
