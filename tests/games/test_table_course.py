"""The length of a course: from an entry on there is no bargaining any more, and still the game comes to its end."""

import pytest

from games.core import tag_of
from games.table import actions as act
from games.table import asks as asking
from games.table.house import House
from tests.laws.harbour import NORTH, Harbour, amending, endings, offering
from tests.laws.playing import written

BARGAINING = {tag_of(kind) for kind in act.BARGAINING}


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Harbour:
    """After one more entry that counts the course is full."""
    made = Harbour(house=House(whispers=True))
    monkeypatch.setattr(asking, "COURSE_MOST", made.table.past.height + 1)
    return made


def open_to(table: Harbour) -> set[str]:
    """The types of what is open to anybody."""
    return {ask.type for seat in range(4) for ask in table.asks(seat)}


def test_a_full_course_takes_no_bargaining_of_any_kind(table):
    assert open_to(table) & BARGAINING == {"offer", "promise", "pay"}
    offer = table.offer(table.trader, NORTH, 5)

    assert open_to(table) == {"admit", "shut", "say", "whisper", "dispute", "abandon", "leave"}
    for seat, action in (
        (table.traders[1], offering(table.warden, NORTH)),
        (table.trader, amending(offer, 1, NORTH)),
        (table.trader, act.Withdraw(offer)),
        (table.warden, act.Accept(offer, 1)),
        (table.warden, act.Decline(offer, 1)),
        (table.trader, act.Pay(table.warden, 1)),
        (table.trader, act.Promise(table.warden, "soon", None, None)),
    ):
        assert table.refused(seat, action).code == "course_full"


def test_talk_does_not_fill_a_course(table):
    for _ in range(3):
        table.do(table.trader, act.Say("hello"))
    table.offer(table.trader, NORTH, 5)


def test_what_was_offered_before_the_course_was_full_is_paid_when_it_is_due(table):
    offer = table.offer(table.trader, NORTH, 5)
    table.admit("north", "south", "south")
    assert endings(table) == {offer: "paid"}


def test_a_game_whose_course_is_full_is_played_to_its_end(table):
    table.offer(table.trader, NORTH, 5)
    table.finish()
    assert table.table.status == "ended"


def test_striking_entries_makes_no_room(table):
    table.offer(table.trader, NORTH, 5)
    for seat in (0, 1, 2):
        last = table.table.past.seq
        table.do(seat, {"type": "dispute", "from": last, "reason": "again"} if seat == 0 else act.VoteDispute(True))
    assert not table.offers
    assert table.refused(table.trader, offering(table.warden, NORTH)).code == "course_full"


def test_the_asks_that_a_position_keeps_vanish_with_the_room(table):
    table.do(table.trader, act.Promise(table.warden, "soon", None, None))
    for step in written(table):
        for seat, known in enumerate(step.position.asks):
            live = asking.asks(table.rules, step.after, seat, step.position.windows)
            assert known == live
    assert not {ask.type for known in step.position.asks for ask in known} & BARGAINING
