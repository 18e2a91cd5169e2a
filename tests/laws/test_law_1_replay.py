"""Law 1: folding the decoded log gives the live state at every prefix, for the truth and for every audience."""

from games.table.state import Body, Table, fold
from projections import codec
from projections.position import advance
from tests.laws.cases import every_case
from tests.laws.playing import Play, Step, played


def audiences(play: Play) -> list[int | None]:
    return [None, *range(len(play.driver.table.record.holders))]


def decoded(play: Play, step: Step, audience: int | str | None) -> Body:
    data = step.stored["full"] if audience == "all" else step.read_by(audience)
    return codec.decode(play.driver.rules, step.after.seq, data)


@every_case
def test_the_decoded_log_leads_to_the_live_table_at_every_prefix(case):
    play = played(case)
    table: Table | None = None
    for step in play.steps:
        table = fold(play.driver.rules, table, decoded(play, step, audience="all"))
        assert table == step.after


@every_case
def test_a_server_that_reads_the_log_is_where_the_one_is_that_wrote_it(case):
    play = played(case)
    position = None
    for step in play.steps:
        bodies = codec.decode_versions(play.driver.rules, step.after.seq, step.stored)
        position = advance(play.driver.rules, position, bodies, step.entry.head)
        assert position == step.position


@every_case
def test_what_each_audience_folds_from_its_own_versions_is_what_the_server_shows_it(case):
    play = played(case)
    for audience in audiences(play):
        table: Table | None = None
        for step in play.steps:
            table = fold(play.driver.rules, table, decoded(play, step, audience))
            assert table.course.game == step.position.sight(audience)
            assert around(table) == around(step.after)


def around(table: Table) -> tuple:
    """What surrounds the game is the same for everybody, but for the seed."""
    record = table.record
    return (
        table.seq, table.at, table.course.deals, table.course.to_act, record.status, record.holders, record.draws,
        record.result, record.house, record.options,
    )  # fmt: skip


@every_case
def test_what_was_decided_is_read_back_as_it_was(case):
    play = played(case)
    for step in play.steps:
        assert decoded(play, step, audience="all").events == step.body.events


@every_case
def test_entries_that_draw_are_numbered_and_the_table_knows_how_many_there_are(case):
    draws = 0
    for step in played(case).steps:
        assert step.body.draw in (None, draws)
        draws += step.body.draw is not None
        assert step.after.record.draws == draws


@every_case
def test_what_was_written_is_read_back_to_the_same_bytes(case):
    play = played(case)
    for step in play.steps:
        for data in step.stored.values():
            assert codec.encode(codec.decode(play.driver.rules, step.after.seq, data)) == data
