"""Law 7: chips, cards and counters come from somewhere and go somewhere."""

from collections.abc import Iterator

from games.table.state import Table, apply
from tests.laws.cases import every_case
from tests.laws.conserved import CONSERVED
from tests.laws.playing import Play, Step, played


def tables(play: Play) -> Iterator[tuple[Step, Table]]:
    """The table after each single event, once the game is laid out."""
    for step in play.steps:
        if step.before is not None and step.before.course.game is not None:
            table = step.before
            for event in step.body.events:
                table = apply(play.driver.rules, table, event, step.body.at)
                yield step, table


@every_case
def test_no_event_makes_or_loses_a_chip(case):
    play = played(case)
    if not play.driver.rules.moneyed:
        return
    totals = {play.driver.rules.purses(table.course.game).total() for _, table in tables(play)}

    assert len(totals) == 1
    assert None not in totals


@every_case
def test_what_lies_in_escrow_is_what_is_offered(case):
    play = played(case)
    if not play.driver.rules.moneyed:
        return
    for _, table in tables(play):
        escrow = play.driver.rules.purses(table.course.game).escrow
        offers = table.course.deals.offers
        assert list(escrow) == [sum(o.amount for o in offers if o.payer == seat) for seat in range(case.seats)]


@every_case
def test_nobody_spends_more_than_he_has_while_the_game_goes_on(case):
    play = played(case)
    if not play.driver.rules.moneyed:
        return
    for step in play.steps:
        purses = play.driver.rules.purses(step.after.course.game)
        if purses is not None and not step.after.over:
            assert min(purses.seats) >= 0
            assert min(purses.escrow) >= 0


@every_case
def test_views_know_the_same_chips_or_none(case):
    play = played(case)
    if not play.driver.rules.moneyed:
        return
    for step in play.steps:
        true = play.driver.rules.purses(step.after.course.game)
        for audience in (None, *range(case.seats)):
            seen = play.driver.rules.purses(step.position.sight(audience))
            if seen is not None:
                assert (seen.escrow, seen.pot, seen.bank) == (true.escrow, true.pot, true.bank)
                assert all(one in (None, other) for one, other in zip(seen.seats, true.seats, strict=True))


@every_case
def test_what_else_a_game_is_played_with_stays_in_it(case):
    play = played(case)
    count = CONSERVED[case.game.name]
    counted = [count(step.after.course.game) for step in play.steps if step.after.course.game is not None]

    assert len(set(counted)) == 1
