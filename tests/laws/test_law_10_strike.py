"""Law 10: the course after a strike back to k is the course after entry k-1, for the truth and for every audience.

At every prefix of random games, with strikes inside strikes and strikes that are struck in turn.
"""

from functools import lru_cache
from random import Random

import msgspec

from games.core import Audience
from games.table import actions as act
from games.table import events as happened
from games.table.dispute import strike_of
from games.table.record import humans
from games.table.state import SURROUNDING, Course, Table, evolve_course, fold
from projections import codec
from tests.laws.cases import CASES, Case, every_case
from tests.laws.driver import Driver
from tests.laws.playing import HOUSE, Play, one, played, written

OFTEN = 0.12
"""How often a game that is about disputes sees one."""

UNBOUNDED = msgspec.structs.replace(HOUSE, disputes_per_seat=100)


def audiences(case: Case) -> tuple[Audience, ...]:
    return (None, *range(case.seats))


@every_case
def test_a_strike_at_every_prefix_leads_back_to_before_what_it_names(case):
    play, rng = played(case), Random(str(case))
    tried = 0
    for step in play.steps:
        entries = list(step.after.strikable)
        if step.after.status != "playing" or not entries:
            continue
        first = rng.choice((entries[0], entries[-1], rng.choice(entries)))
        driver = resumed(play, step.after.seq)
        agree(driver, first)
        assert driver.table.course == after(play, first - 1)
        assert driver.table.status == "playing"
        tried += 1
    assert tried


@lru_cache(maxsize=256)
def disputed(case: Case) -> Play:
    """A game in which people dispute all the time, now this entry and now a strike."""
    rng = Random(f"{case} disputed")
    driver = Driver(case.game, case.seats, dict(case.options), UNBOUNDED).fill()
    moves = 0
    while not driver.table.over and driver.table.seq < 400:
        if driver.table.status == "playing" and driver.table.strikable and rng.random() < OFTEN:
            agree(driver, which(driver, rng))
        else:
            moves += one(driver, rng)
    return Play(driver, tuple(written(driver)), moves)


def which(driver: Driver, rng: Random) -> int:
    """An entry to strike: mostly of the last few, often a strike."""
    entries = list(driver.table.strikable)
    strikes = [strike.entry for strike in driver.table.record.strikes if strike.entry in driver.table.strikable]
    if strikes and rng.random() < 0.5:
        return rng.choice(strikes)
    return rng.choice(entries[:6] if rng.random() < 0.8 else entries)


@every_case
def test_the_course_after_any_strike_is_the_one_before_it_for_the_truth_and_every_audience(case):
    play = disputed(case)
    for audience in ("all", *audiences(case)):
        seen = tuple(views(play, audience))
        for step, table in zip(play.steps, seen, strict=True):
            for strike in table.record.strikes:
                if strike.entry == step.after.seq:
                    assert table.course == seen[strike.first - 2].course


@every_case
def test_folding_only_what_counts_gives_the_course(case):
    """The entries that are struck might as well never have been played."""
    play = disputed(case)
    strikes = play.driver.table.record.strikes
    for audience in ("all", *audiences(case)):
        course = Course()
        for step in play.steps:
            body = read(play, step, audience)
            if strike_of(strikes, body.seq) is None:
                for event in body.events:
                    course = moved(play, course, event)
        *_, last = views(play, audience)
        assert course == msgspec.structs.replace(last.course, to_act=course.to_act)


def moved(play: Play, course: Course, event: object) -> Course:
    """The course after an event of the game or of bargaining; any other leaves it as it is."""
    return course if type(event) in SURROUNDING else evolve_course(play.driver.rules, course, event)


@every_case
def test_what_the_server_shows_each_audience_after_strikes_is_the_fold_of_its_versions(case):
    play = disputed(case)
    for audience in audiences(case):
        for step, table in zip(play.steps, views(play, audience), strict=True):
            assert table.course.game == step.position.sight(audience)
            assert table.to_act == step.after.to_act


@every_case
def test_after_a_strike_every_seat_has_the_asks_of_before_and_acts_on_something_new(case):
    play = disputed(case)
    for step in play.steps:
        if any(strike.entry == step.after.seq for strike in step.after.record.strikes):
            assert step.position.whole
            assert set(step.position.since) == {step.after.seq}


def test_disputes_nest_and_are_restored():
    """What the games above are about does come to pass."""
    kinds = set()
    for case in [case for case in CASES if case.seats == 4]:
        play = disputed(case)
        strikes = [e for s in play.steps for e in s.body.events if isinstance(e, happened.Struck)]
        entries = {s.after.seq for s in play.steps for e in s.body.events if isinstance(e, happened.Struck)}
        kinds |= {"restored"} if any(strike.first in entries for strike in strikes) else set()
        kinds |= (
            {"inside"}
            if any(
                any(strike.first < other.first and other.last < strike.last for other in strikes) for strike in strikes
            )
            else set()
        )
    assert kinds == {"restored", "inside"}


# --- Doing --------------------------------------------------------------------------------------------


def agree(driver: Driver, first: int) -> None:
    """Somebody opens the dispute, and everybody agrees."""
    driver.do(humans(driver.table.record)[0], act.Dispute(first=first, reason="A slip of the hand."))
    while driver.table.status == "disputed":
        driver.do(driver.table.to_act[0], act.VoteDispute(True))


def resumed(play: Play, seq: int) -> Driver:
    """A driver that stands where the game stood after that entry, in a house where one may dispute as often as one likes."""
    driver = object.__new__(Driver)
    driver.rules, driver.at = play.driver.rules, play.driver.tables[seq - 1].at
    driver.bodies, driver.tables = list(play.driver.bodies[:seq]), list(play.driver.tables[:seq])
    table = driver.tables[-1]
    house = msgspec.structs.replace(table.record.house, disputes_per_seat=100)
    driver.table = msgspec.structs.replace(table, record=msgspec.structs.replace(table.record, house=house))
    return driver


def after(play: Play, seq: int):
    return play.driver.tables[seq - 1].course


def read(play: Play, step, audience: Audience | str):
    data = step.stored["full"] if audience == "all" else step.read_by(audience)
    return codec.decode(play.driver.rules, step.after.seq, data)


def views(play: Play, audience: Audience | str):
    table: Table | None = None
    for step in play.steps:
        table = fold(play.driver.rules, table, read(play, step, audience))
        yield table
