"""What becomes of promises: kept, broken, open, void or beyond checking, each with the entries that prove it."""

from collections import Counter
from random import Random

import pytest

from games import tribunal
from games.bargaining import Promised
from games.table import actions as act
from games.table.house import House
from projections.promises import record_of, verdicts
from projections.story import tell
from tests.laws.cases import CASES, every_case
from tests.laws.driver import Driver
from tests.laws.harbour import NORTH, Harbour
from tests.laws.playing import played
from tests.laws.sampling import member

SOUTH = {"type": "admit", "pier": "south"}


def story(table, audience="all"):
    return tell(table.rules, audience, table.read())


def promised(table, by, does, kind, to=None):
    to = next(seat for seat in range(4) if seat != by) if to is None else to
    table.do(by, act.Promise(to, "Trust me.", does, kind))
    return table.table.seq


def only(table):
    (found,) = verdicts(story(table))
    return found


def said(table):
    found = only(table)
    return found.verdict, found.proof


def test_words_alone_cannot_be_checked():
    table = Harbour()
    promised(table, table.warden, None, None)
    assert said(table) == ("uncheckable", ())


def test_a_deed_as_promised_keeps_it_and_is_its_proof():
    table = Harbour()
    promised(table, table.warden, NORTH, "admit")
    assert said(table) == ("open", ())
    table.admit("south")
    assert said(table)[0] == "open"
    table.admit("north")
    assert said(table) == ("kept", (table.table.seq,))


def test_what_was_done_before_the_promise_does_not_count():
    table = Harbour()
    table.admit("north")
    promised(table, table.warden, NORTH, "admit")
    assert said(table)[0] == "open"


def test_a_decision_that_is_over_without_the_deed_breaks_it():
    table = Harbour()
    promised(table, table.warden, NORTH, "admit")
    for _ in range(3):
        table.admit("south")
    assert said(table) == ("broken", (table.table.seq,))


def test_it_falls_due_in_the_promisers_own_decision():
    table = Harbour()
    promised(table, table.trader, NORTH, "admit")
    for _ in range(3):
        table.admit("south")
    assert said(table)[0] == "open"


def test_what_the_end_overtakes_before_the_decision_came_is_void():
    table = Harbour()
    promised(table, table.trader, NORTH, "admit")
    table.do("operator", act.Close("operator"))
    assert said(table) == ("void", (table.table.seq,))


def test_a_payment_is_kept_by_gifts_that_reach_the_amount():
    table = Harbour()
    promised(table, table.trader, {"type": "pay", "to": table.warden, "amount": 5}, None)
    table.do(table.trader, act.Pay(table.warden, 2))
    first = table.table.seq
    assert said(table) == ("open", (first,))
    table.do(table.trader, act.Pay(table.warden, 3))
    assert said(table) == ("kept", (first, table.table.seq))


def test_a_payment_to_somebody_else_keeps_nothing():
    table = Harbour()
    promised(table, table.trader, {"type": "pay", "amount": 1}, None, to=table.warden)
    table.do(table.trader, act.Pay(next(s for s in range(4) if s not in (table.trader, table.warden)), 9))
    assert said(table)[0] == "open"


def test_a_payment_that_is_not_made_before_the_turn_is_over_breaks_it():
    table = Harbour()
    promised(table, table.trader, {"type": "pay", "to": table.warden}, None)
    turn = table.rules.turn(table.game)
    while not table.table.over and table.rules.turn(table.game) == turn:
        assert said(table)[0] == "open"
        seat = table.table.to_act[0]
        table.do(seat, must(table, seat))
    assert said(table) == ("broken", (table.table.seq,))


def must(table, seat):
    ask = next(ask for ask in table.asks(seat) if ask.must)
    return member(Random(1), ask, tuple(table.windows().values()))


def test_a_promise_that_is_struck_is_void_and_lives_again_when_that_is_struck():
    table = Harbour(seats=3)
    seq = promised(table, table.warden, NORTH, "admit", to=table.trader)
    for _ in range(2):
        first = table.table.record.strikes[-1].entry if table.table.record.strikes else seq
        table.do(table.trader, act.Dispute(first=first, reason="No."))
        table.do(table.table.to_act[0], act.VoteDispute(True))
        if first == seq:
            assert said(table) == ("void", (table.table.seq,))
            assert only(table).struck_by == table.table.seq
    assert said(table) == ("open", ())


def test_a_deed_that_is_struck_proves_nothing():
    table = Harbour(seats=3)
    promised(table, table.warden, NORTH, "admit", to=table.trader)
    table.admit("north")
    table.do(table.trader, act.Dispute(first=table.table.seq, reason="No."))
    table.do(table.warden, act.VoteDispute(True))
    assert said(table) == ("open", ())


def test_who_promised_is_who_held_the_seat_then():
    table = Harbour()
    promised(table, table.warden, NORTH, "admit")
    player = table.table.record.holders[table.warden].player
    table.do(table.warden, act.Leave())
    assert only(table).player == player


@every_case
def test_every_promise_of_a_game_is_judged_once_and_at_the_end_none_is_open(case):
    play = played(case)
    for audience in ("all", None):
        bodies = play.driver.read()
        found = verdicts(tell(play.driver.rules, audience, bodies))
        made = [event.promise for body in bodies for event in body.events if isinstance(event, Promised)]
        assert [each.id for each in found] == made
        assert record_of(found)["open"] == 0
        assert record_of(found) == Counter(each.verdict for each in found)


@pytest.mark.parametrize("verdict", ["kept", "broken", "void", "uncheckable"])
def test_random_games_see_every_verdict(verdict):
    found = Counter()
    for case in CASES:
        play = played(case)
        found += Counter(each.verdict for each in verdicts(tell(play.driver.rules, "all", play.driver.read())))
    assert found[verdict]


def test_what_is_struck_decides_no_promise_though_the_dispute_over_it_counts():
    """The entry that opens a dispute counts, and so do the votes; but the turn that they stand in may be struck."""
    driver = Driver(tribunal, 4, {}, House(disputes_per_seat=9)).fill()
    rng = Random(0)

    def go_on():
        seat = driver.table.to_act[0]
        ask = next(ask for ask in driver.asks(seat) if ask.must)
        driver.do(seat, member(rng, ask, tuple(driver.windows().values()), driver.table.strikable))

    def turn():
        return driver.rules.turn(driver.game)

    while not driver.asks(0, "pay"):
        go_on()
    does = {"type": "pay", "to": 1, "amount": 2}
    driver.do(0, act.Promise(1, "Two.", does, None))
    promised, during = driver.table.seq, turn()
    while turn() == during:
        go_on()
    driver.do(1, act.Dispute(first=promised + 1, reason="A slip."))
    for seat in (0, 2, 3):
        if driver.table.status == "disputed":
            driver.do(seat, act.VoteDispute(uphold=True))
    assert turn() == during
    (found,) = verdicts(tell(driver.rules, "all", driver.read()))
    assert found.verdict == "open"
    driver.do(0, act.Pay(1, 2))
    (found,) = verdicts(tell(driver.rules, "all", driver.read()))
    assert (found.verdict, found.proof) == ("kept", (driver.table.seq,))
