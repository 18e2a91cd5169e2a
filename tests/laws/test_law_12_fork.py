"""Law 12: a fork stands where its parent stood: the same for the truth, for every audience, for who may do what; only
offers are gone, and their chips are back. And it can be played to its end.

At entries of random games all along them, with offers open, with strikes, and while a dispute is open.
"""

from collections.abc import Iterator
from random import Random

import pytest

from events import canonical
from games.core import Audience
from games.table import events as happened
from games.table.asks import waiting
from games.table.dispute import strike_of
from projections import codec
from projections.position import version_for
from tests.laws.cases import CASES, Case, every_case
from tests.laws.forking import Fork, made_by, obstacle, without_offers
from tests.laws.playing import LIMIT, Play, Step, one, played, written
from tests.laws.test_law_10_strike import disputed

EACH = 4
"""Entries of each game from which one goes on."""


def audiences(case: Case) -> tuple[Audience, ...]:
    return (None, *range(case.seats))


def begun(play: Play) -> list[Step]:
    """The entries from which one may go on."""
    steps = [step for step in play.steps if step.after.course.game is not None and not step.after.over]
    return [step for step in steps if not game_made(play, step)]


def game_made(play: Play, step: Step) -> list[int]:
    """Where open offers came of the game's own actions: no fork leaves them behind, and none takes them along."""
    return [seq for seq, kind in made_by(play.driver, step.after).items() if kind != "offer"]


def some(case: Case) -> Iterator[tuple[Play, Step]]:
    """Entries of a game, and of one in which people dispute all the time: with open offers and with strikes, if there are."""
    for play in (played(case), disputed(case)):
        rng = Random(f"{case} forks")
        steps = begun(play)
        telling = [s for s in steps if s.after.course.deals.offers], [s for s in steps if s.after.record.strikes]
        for kind in (*telling, [s for s in steps if s.after.status == "disputed"]):
            if kind:
                yield play, rng.choice(kind)
        yield play, steps[0]
        for step in rng.sample(steps, min(EACH, len(steps))):
            yield play, step


def forked(play: Play, step: Step) -> Fork:
    return Fork(play.driver, step.after.seq, step.entry.head.hex()).resume()


@every_case
def test_a_fork_stands_where_its_parent_stood_for_the_truth_and_every_audience(case):
    for play, step in some(case):
        fork, before = forked(play, step), step.after
        *_, last = written(fork)
        assert fork.game == without_offers(fork, before.course.game, before)
        for audience in audiences(case):
            seen = without_offers(fork, step.position.sight(audience), before)
            assert last.position.sight(audience) == seen, (step.after.seq, audience)
        assert fork.table.course.deals.offers == fork.table.course.deals.promises == ()


@every_case
def test_who_may_do_what_in_which_window_is_as_it_was(case):
    for play, step in some(case):
        fork, rules = forked(play, step), play.driver.rules
        *_, last = written(fork)
        assert [window.id for window in last.position.windows] == [window.id for window in step.position.windows]
        assert last.position.windows == step.position.windows
        expected = without_offers(fork, step.after.course.game, step.after)
        assert rules.asks(fork.game, case.seats) == rules.asks(expected, case.seats)
        assert fork.table.to_act == waiting(rules, fork.table) != ()
        if not step.after.course.deals.offers:
            assert rules.asks(fork.game, case.seats) == rules.asks(step.after.course.game, case.seats)
            assert fork.table.to_act == step.after.course.to_act


@every_case
def test_no_chip_is_made_or_lost_and_escrow_is_with_its_payers(case):
    for play, step in some(case):
        fork, rules = forked(play, step), play.driver.rules
        was, now = rules.purses(step.after.course.game), rules.purses(fork.game)
        if was is None:
            assert now is None
            continue
        assert now.total() == was.total()
        assert not any(now.escrow)
        assert now.seats == tuple(held + aside for held, aside in zip(was.seats, was.escrow, strict=True))
        assert (now.pot, now.bank) == (was.pot, was.bank)


@every_case
def test_a_fork_is_played_to_its_end_by_chance_of_its_own(case):
    rng = Random(f"{case} on")
    play, step = rng.choice(list(some(case)))
    fork = forked(play, step)
    assert fork.bodies[-1].draw is None
    while not fork.table.over:
        assert fork.table.seq < LIMIT
        one(fork, rng)
    assert fork.table.status == "ended"
    assert fork.table.record.seed != play.driver.table.record.seed
    draws = [body.draw for body in fork.bodies if body.draw is not None]
    assert draws == list(range(len(draws)))


@every_case
def test_what_comes_along_is_what_each_audience_has_read_of_it_before(case):
    """Redacted anew, event by event, into the same bytes."""
    for play, step in some(case):
        fork = forked(play, step)
        *_, last = written(fork)
        own = play.driver.rules.own_events
        for audience in audiences(case):
            body = codec.decode(play.driver.rules, last.after.seq, last.read_by(audience))
            assert body.action == {"type": "resume"}
            came = [event for event in body.events if type(event) in own]
            counting = [each for each in play.steps[: step.after.seq] if counts(step, each)]
            read = [e for each in counting for e in events(play, each, audience) if type(e) in own]
            assert came == read


def counts(at: Step, step: Step) -> bool:
    return strike_of(at.after.record.strikes, step.after.seq) is None


def events(play: Play, step: Step, audience: Audience):
    name = version_for(step.stored, audience)
    return codec.decode(play.driver.rules, step.after.seq, step.stored[name]).events


@every_case
def test_wherever_a_game_goes_on_nothing_stands_against_a_fork(case):
    for play in (played(case), disputed(case)):
        for step in play.steps:
            found = obstacle(play.driver, step.after.seq)
            if step.after.course.game is None:
                assert found == "not_begun"
            elif step.after.status == "ended":
                assert found == "has_outcome"
            else:
                assert found == ("offer_open" if game_made(play, step) else None), step.after.seq


@every_case
def test_nothing_before_the_resumption_can_be_disputed(case):
    play, step = next(some(case))
    fork = forked(play, step)
    assert list(fork.table.strikable) == []
    rng = Random(f"{case} strikable")
    first = fork.table.seq
    while not fork.table.over and fork.table.seq < first + 12:
        one(fork, rng)
    assert all(seq > first for seq in fork.table.strikable)


@pytest.mark.parametrize("case", CASES[::5], ids=str)
def test_a_fork_of_a_fork_goes_on_as_well(case):
    rng = Random(f"{case} again")
    fork = forked(*next(some(case)))
    for _ in range(3):
        one(fork, rng)
    again = Fork(fork, fork.table.seq).resume()
    assert again.game == without_offers(fork, fork.game, fork.table)


def test_forks_with_open_offers_with_strikes_and_in_disputes_are_among_them():
    found = set()
    for case in CASES:
        for _, step in some(case):
            found |= {"offers"} if step.after.course.deals.offers else set()
            found |= {"strikes"} if step.after.record.strikes else set()
            found |= {"dispute"} if step.after.status == "disputed" else set()
            restored = [e for s in step.after.record.all_strikes for e in (s,) if e not in step.after.record.strikes]
            found |= {"restored"} if restored else set()
    assert found == {"offers", "strikes", "dispute", "restored"}


def test_the_resumption_says_started_what_comes_along_and_who_is_asked():
    play, step = next(some(CASES[0]))
    fork = forked(play, step)
    first, *between, last = fork.events
    assert first == happened.Started(tuple(holder.entropy for holder in fork.table.record.holders))
    assert isinstance(last, happened.Asked)
    assert canonical.encode(between) == canonical.encode(fork.bodies[-1].action.events)
