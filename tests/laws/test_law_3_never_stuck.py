"""Law 3: until the outcome somebody has a must-ask, and every game ends within its bound."""

from games.table.asks import waiting
from tests.laws.cases import every_case
from tests.laws.playing import played


@every_case
def test_until_the_end_the_table_waits_for_somebody_and_says_for_whom(case):
    play = played(case)
    for step in play.steps:
        table = step.after
        asked = tuple(seat for seat in range(case.seats) if any(ask.must for ask in step.position.asks[seat]))
        assert table.to_act == asked
        assert bool(asked) == (table.status in ("playing", "disputed"))
        if table.status == "playing":
            assert table.course.to_act == waiting(play.driver.rules, table)


@every_case
def test_only_those_for_whom_the_table_waits_have_a_running_clock(case):
    for step in played(case).steps:
        running = [seat for seat, holder in enumerate(step.after.record.holders) if holder.since is not None]
        assert tuple(running) == step.after.course.to_act


@every_case
def test_every_game_ends_with_an_outcome_within_its_bound(case):
    play = played(case)
    options = play.driver.rules.options(dict(case.options))
    result = play.driver.table.record.result

    assert play.moves <= case.game.bound(options, case.seats)
    assert result is not None
    assert len(result.scores) == case.seats
    assert set(result.winners) <= set(range(case.seats))
    assert result.why


@every_case
def test_the_outcome_is_there_when_the_table_ends_and_not_before(case):
    play = played(case)
    for step in play.steps:
        state = step.after.course.game
        if state is not None:
            assert (case.game.outcome(state) is not None) == step.after.over


@every_case
def test_no_window_stays_open_when_the_game_is_over(case):
    assert not [window for window in played(case).steps[-1].position.windows if window.open]
