"""Disputes at one table: who opens them, who decides, when, and what stays when the course goes back."""

import pytest

from games.table import actions as act
from games.table import events as happened
from games.table.asks import of_arbiter
from games.table.dispute import Learned
from games.table.house import House
from games.table.state import deadline
from tests.laws.harbour import NORTH, Harbour

WHY = "Not what was said."


def objection(first):
    return act.Dispute(first=first, reason=WHY)


def offered(**house):
    """The trader has made an offer; nobody has learned anything since the cards were shown."""
    table = Harbour(seats=3, house=House(**house))
    return table, table.offer(table.trader, NORTH, 5)


def other(table):
    return next(seat for seat in range(len(table.table.record.holders)) if seat not in (table.trader, table.warden))


def test_the_game_stands_still_and_only_talk_goes_on():
    table, seq = offered()
    table.do(table.trader, objection(seq))
    assert table.table.status == "disputed"
    assert table.refused(table.warden, {"type": "admit", "pier": "north"}).params == {"dispute": seq + 1}
    assert table.refused(table.warden, act.Accept(seq, 1)).code == "disputed"
    table.do(table.warden, act.Say("I heard it differently."))


def test_most_of_the_people_decide_where_nobody_has_learned_anything():
    table, seq = offered()
    table.do(table.trader, objection(seq))
    assert table.table.record.dispute.learned == ()
    assert table.table.record.dispute.rule == "majority"
    table.do(table.warden, act.VoteDispute(True))
    assert table.table.status == "playing"
    assert [event.how for event in table.happened(happened.DisputeClosed)] == ["upheld"]
    assert table.happened(happened.Struck) == [happened.Struck(first=seq, last=seq)]
    assert (table.offers, table.escrow) == ({}, [0] * len(table.escrow))


def test_a_rejected_dispute_changes_nothing_and_cannot_be_brought_again():
    table, seq = offered()
    course = table.table.course
    table.do(table.trader, objection(seq))
    for seat in (table.warden, other(table)):
        table.do(seat, act.VoteDispute(False))
    assert (table.table.status, table.table.course) == ("playing", course)
    assert table.refused(table.warden, objection(seq)).code == "dispute_rejected"


def test_a_withdrawn_one_can_be_brought_again_but_counts():
    table, seq = offered(disputes_per_seat=2)
    for _ in range(2):
        table.do(table.trader, objection(seq))
        table.do(table.trader, act.WithdrawDispute())
    assert table.refused(table.trader, objection(seq)).code == "too_many_disputes"
    table.do(table.warden, objection(seq))


def test_where_something_was_learned_all_people_must_agree_and_it_is_named_by_reference_only():
    table = Harbour(seats=3)
    shown = next(body for body in table.bodies if any(isinstance(e, happened.Started) for e in body.events)).seq
    first = next(seq for seq in sorted(table.table.strikable) if seq > shown)
    table.do(table.trader, objection(first))
    dispute = table.table.record.dispute
    assert dispute.rule == "unanimous"
    assert dispute.learned
    for each in dispute.learned:
        event = table.bodies[each.seq - 1].events[each.event]
        assert each.seat in table.rules.game.discloses(event)
        assert set(Learned.__struct_fields__) == {"seat", "seq", "event"}
    table.do(table.warden, act.VoteDispute(True))
    assert table.table.status == "disputed"
    table.do(other(table), act.VoteDispute(True))
    assert table.table.status == "playing"
    assert table.table.record.strikes[-1].first == first


def test_one_against_it_is_enough_where_all_must_agree():
    table, seq = offered(disputes="unanimous")
    table.do(table.trader, objection(seq))
    table.do(table.warden, act.VoteDispute(False))
    assert table.table.status == "playing"
    assert table.table.record.strikes == ()


@pytest.mark.parametrize("uphold", [True, False])
def test_the_arbiter_decides_alone_in_his_house(uphold):
    table, seq = offered(disputes="arbiter", arbiter="judge")
    table.do(table.trader, objection(seq))
    assert table.table.to_act == ()
    assert [ask.type for ask in of_arbiter(table.table)] == ["rule_dispute"]
    assert table.refused(table.warden, act.VoteDispute(True)).code == "no_vote"
    table.do("arbiter", act.RuleDispute(uphold))
    assert bool(table.table.record.strikes) == uphold


def test_who_has_not_voted_in_time_is_against_it():
    table, seq = offered(dispute_seconds=60)
    table.do(table.trader, objection(seq))
    until = table.table.record.dispute.until
    assert until == table.at + 60_000
    assert table.refused("clock", act.DisputeTimeUp(), at=until - 1).code == "time_left"
    table.do("clock", act.DisputeTimeUp(), at=until)
    assert [event.how for event in table.happened(happened.DisputeClosed)] == ["rejected"]


def test_whoever_leaves_takes_his_vote_along_and_the_others_may_have_decided():
    table, seq = offered(disputes="unanimous")
    table.do(table.trader, objection(seq))
    table.do(table.warden, act.VoteDispute(True))
    table.do(other(table), act.Leave())
    assert table.table.status == "playing"
    assert table.table.record.strikes[-1].first == seq


def test_a_strike_that_is_struck_brings_back_what_it_struck():
    table, seq = offered()
    course = table.table.course
    for first in (seq, None):
        table.do(table.trader, objection(table.table.record.strikes[-1].entry if first is None else first))
        table.do(table.warden, act.VoteDispute(True))
    assert table.table.course == course
    assert table.escrow[table.trader] == 5
    assert len(table.table.record.all_strikes) == 2
    table.do(table.warden, act.Accept(seq, 1))


def test_seats_and_talk_and_draws_of_struck_entries_stay():
    table, seq = offered()
    table.do(table.warden, act.Say("So be it."))
    table.do(other(table), act.Leave())
    draws = table.table.record.draws
    table.do(table.trader, objection(seq))
    table.do(table.warden, act.VoteDispute(True))
    assert table.table.record.holders[other(table)].player is None
    assert table.table.record.draws == draws


def test_no_clock_runs_while_the_table_stands_still():
    table, seq = offered(move_seconds=100, bank_seconds=50)
    due = deadline(table.table, table.warden)
    opened = table.at + 7_000
    table.do(table.trader, objection(seq), at=opened)
    assert deadline(table.table, table.warden) is None
    assert table.refused("clock", act.TimeUp(table.warden), at=due + 1).code == "disputed"
    table.do(table.trader, act.WithdrawDispute(), at=opened + 500_000)
    assert deadline(table.table, table.warden) == due + 500_000


def test_time_that_was_used_stays_used():
    table, seq = offered(move_seconds=10, bank_seconds=60)
    table.do(table.warden, {"type": "admit", "pier": "north"}, at=table.at + 30_000)
    bank = table.table.record.holders[table.warden].bank
    assert bank < 60_000
    table.do(table.trader, objection(seq))
    table.do(other(table), act.VoteDispute(True))
    assert table.table.record.holders[table.warden].bank == bank
    assert table.table.record.holders[table.warden].since == table.at


def test_only_what_moved_the_game_or_the_bargaining_can_be_named():
    table, seq = offered()
    table.do(table.warden, act.Say("Hm."))
    start = next(body.seq for body in table.bodies if any(isinstance(e, happened.Started) for e in body.events))
    for entry in (0, 1, start, seq + 1, seq + 2, 10**6):
        assert table.refused(table.trader, objection(entry)).code == "not_strikable"


def test_the_only_person_decides_alone_and_at_once():
    table = Harbour(seats=3)
    seq = table.offer(table.trader, NORTH, 5)
    for seat in (table.warden, other(table)):
        table.do(seat, act.Leave())
    table.do(table.trader, objection(seq))
    assert table.table.status == "playing"
    assert table.happened(happened.Struck)


@pytest.mark.parametrize("end", [act.Freeze("rules"), act.Close("operator")])
def test_a_table_that_stops_for_good_drops_its_dispute(end):
    table, seq = offered()
    table.do(table.trader, objection(seq))
    table.do("server" if isinstance(end, act.Freeze) else "operator", end)
    assert table.table.record.dispute is None
    assert [settled.how for settled in table.table.record.settled] == ["void"]
