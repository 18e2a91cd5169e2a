"""The ledger: every chip is accounted for, at every entry, for the truth; what is hidden stays so for others."""

import pytest

from games.table import actions as act
from projections import codec
from projections.ledger import balance, ledger
from projections.story import tell
from tests.laws.cases import CASES
from tests.laws.harbour import NORTH, Harbour
from tests.laws.playing import played

MONEYED = [case for case in CASES if case.game.name in ("tribunal", "harbour")]
every_moneyed_case = pytest.mark.parametrize("case", MONEYED, ids=str)


def told(table, audience="all"):
    return ledger(tell(table.rules, audience, table.read()))


def last(table):
    line = told(table).lines[-1]
    return line.source, line.to, line.amount, line.type


def test_chips_come_from_the_box_when_the_game_is_set_up():
    table = Harbour(seats=3)
    lines = [(line.source, line.to, line.amount) for line in told(table).lines]
    assert lines == [("box", "bank", 150), *(("bank", f"seat:{seat}", 50) for seat in range(3))]


def test_a_gift_goes_from_purse_to_purse():
    table = Harbour(seats=3)
    table.do(table.trader, act.Pay(table.warden, 7))
    assert last(table) == (f"seat:{table.trader}", f"seat:{table.warden}", 7, "paid")


def test_an_offer_lies_in_escrow_and_is_paid_in_the_entry_that_closes_its_decision():
    table = Harbour(seats=3)
    offer = table.offer(table.trader, NORTH, 5)
    purse, escrow = f"seat:{table.trader}", f"escrow:{table.trader}"
    assert last(table) == (purse, escrow, 5, "offered")
    for pier in ("north", "south", "south"):
        table.admit(pier)
    moved = [line for line in told(table).lines if line.offer == offer]
    assert [(line.source, line.to, line.amount) for line in moved] == [
        (purse, escrow, 5), (escrow, purse, 5), (purse, f"seat:{table.warden}", 5),
    ]  # fmt: skip
    assert {line.window for line in moved} == {"admit:1"}
    assert {line.turn for line in moved} == {"round:1"}


def test_what_was_struck_stays_in_it_and_counts_no_more():
    table = Harbour(seats=3)
    table.do(table.trader, act.Pay(table.warden, 7))
    table.do(table.trader, act.Dispute(first=table.table.seq, reason="No."))
    table.do(table.warden, act.VoteDispute(True))
    found = told(table)
    assert found.lines[-1].struck_by == table.table.seq
    assert found.seats == (50, 50, 50)


def test_a_game_without_chips_has_an_empty_one():
    case = next(case for case in CASES if case.game.name == "straws")
    driver = played(case).driver
    assert (told(driver).lines, told(driver).seats) == ((), ())


@every_moneyed_case
def test_the_lines_that_count_add_up_to_the_balances_at_every_entry(case):
    driver = played(case).driver
    bodies = driver.read()
    for at in {*range(5, len(bodies), 17), len(bodies)}:
        found = ledger(tell(driver.rules, "all", bodies[:at]))
        assert found.broken_at is None
        sums = {}
        for line in found.lines:
            if line.struck_by is None:
                sums[line.source] = sums.get(line.source, 0) - line.amount
                sums[line.to] = sums.get(line.to, 0) + line.amount
        state = driver.tables[at - 1].course.game
        if state is not None:
            sums.pop("box", None)
            wanted = balance(driver.rules.purses(state))
            assert {name: sums.get(name, 0) for name in wanted} == wanted


@every_moneyed_case
def test_what_a_reader_may_not_know_has_no_balance_and_nothing_else_differs(case):
    driver = played(case).driver
    steps = played(case).steps[:-1]
    for audience in (None, 0):
        read = [codec.decode(driver.rules, step.after.seq, step.read_by(audience)) for step in steps]
        found, true = (
            ledger(tell(driver.rules, audience, read)),
            ledger(tell(driver.rules, "all", driver.read()[:-1])),
        )
        assert found.escrow == true.escrow
        for seen, real in zip(found.seats, true.seats, strict=True):
            assert seen in (None, real)
