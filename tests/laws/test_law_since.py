"""Since: the entry that a seat's asks were made by never comes back, so what is made of it never repeats.

`If-Match` is measured by it, and the clock and the house bots make their idempotency keys of it.
"""

from games.table import actions as act
from tests.laws.cases import every_case
from tests.laws.playing import played


@every_case
def test_since_is_the_last_entry_that_changed_a_seats_asks(case):
    before = None
    for step in played(case).steps:
        if before is not None:
            for seat in range(case.seats):
                if step.position.asks[seat] != before.asks[seat]:
                    assert step.position.since[seat] == step.after.seq
        before = step.position


@every_case
def test_whoever_did_what_the_table_waited_for_acts_on_something_new_afterwards(case):
    for step in played(case).steps[1:]:
        by = step.body.action.seat if isinstance(step.body.action, act.TimeUp) else step.body.by
        if (
            step.before.status == "playing"
            and by in step.before.course.to_act
            and not isinstance(step.body.action, act.SEAT_ACTS)
        ):
            assert step.position.since[by] == step.after.seq
