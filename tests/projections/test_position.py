"""Positions share what did not change, which is what makes keeping many of them, and comparing two, cheap."""

from itertools import pairwise

from games.table import actions as act
from games.table.house import House
from projections.bare import bare, halted
from projections.position import version_for
from tests.games import sample, sample_plain
from tests.laws.cases import every_case
from tests.laws.driver import Driver
from tests.laws.harbour import Harbour
from tests.laws.playing import played, written


def positions(driver):
    return [step.position for step in written(driver)]


@every_case
def test_what_did_not_change_is_the_same_object(case):
    steps = played(case).steps
    for old, new in pairwise(steps):
        before, after = old.position, new.position
        for first, second in zip(before.asks, after.asks, strict=True):
            assert (first == second) == (first is second)
        assert (before.windows == after.windows) == (before.windows is after.windows)


@every_case
def test_audiences_that_know_the_same_share_one_state(case):
    steps = played(case).steps
    for old, new in pairwise(steps):
        for one in range(case.seats + 1):
            for other in range(one):
                same_before = old.position.sights[one] is old.position.sights[other]
                same_read = all(new.read_by(seat) == new.read_by(None) for seat in (_seat(one), _seat(other)))
                if same_before and same_read:
                    assert new.position.sights[one] is new.position.sights[other]


def _seat(place):
    return None if place == 0 else place - 1


@every_case
def test_a_table_without_its_rules_is_still_who_sits_there_and_how_it_ended(case):
    play, position = played(case), None
    for step in play.steps:
        position = bare(play.driver.rules, position, step.entry)
        record, true = position.table.record, step.after.record
        assert (record.holders, record.draws, record.seed) == (true.holders, true.draws, true.seed)
        assert (position.table.seq, position.head) == (step.after.seq, step.entry.head)
        assert position.table.status == ("ended" if step.after.over else "frozen")
        assert position.sights == (None,) * (case.seats + 1)
        kinds = {ask.type for asked in position.asks for ask in asked}
        assert kinds <= {"abandon", "leave"}


def test_since_moves_with_a_seats_asks_and_with_its_own_moves_alone():
    driver = Harbour(seats=3)
    warden = driver.warden
    other = (warden + 1) % 3
    begun = positions(driver)[-1]
    driver.admit("north")
    first = positions(driver)[-1]
    driver.admit("north")
    second = positions(driver)[-1]
    driver.do(warden, {"type": "say", "text": "and one more"})
    said = positions(driver)[-1]

    assert first.since[warden] == first.seq > begun.since[warden]
    assert second.asks[warden] == first.asks[warden]
    assert second.since[warden] == second.seq
    assert said.since == second.since
    assert second.since[other] == begun.since[other]


def test_since_moves_when_the_clock_plays_for_the_seat():
    driver = Harbour(seats=3, house=House(move_seconds=60))
    driver.admit("north")
    driver.do("clock", act.TimeUp(driver.warden), at=driver.at + 60_000)

    position = positions(driver)[-1]
    assert position.since[driver.warden if driver.game.phase == "warden" else driver.deputy] == position.seq


def test_a_table_that_is_halted_shows_what_it_was_and_asks_nobody():
    *_, last = positions(Driver(sample_plain, 2).fill())
    still = halted(last)

    assert still.sights == last.sights
    assert still.table.course == last.table.course
    assert still.table.status == "frozen"
    assert still.asks == ((), ())


def test_everybody_reads_his_own_version_or_the_public_one_or_the_only_one():
    assert version_for({"full": 1}, 0) == "full"
    assert version_for({"full": 1, "public": 1}, 0) == "public"
    assert version_for({"full": 1, "public": 1, "0": 1}, 0) == "0"
    assert version_for({"full": 1, "public": 1, "0": 1}, 1) == "public"
    assert version_for({"full": 1, "public": 1, "0": 1}, None) == "public"


def test_before_the_start_all_know_the_same_nothing():
    first, *_ = positions(Driver(sample, 3))

    assert first.sights == (None,) * 4
    assert first.shared
    assert first.asks_of(None) == ()
    assert first.since_of(None) == 0
