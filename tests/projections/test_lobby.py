"""The lobby is what anybody may know: read from public versions alone it is what the live tables say, entry by entry."""

from random import Random

import pytest

from games.table import actions as act
from games.table.house import House
from projections.lobby import glance, summary
from server.startup import note
from tests.games import sample
from tests.laws.cases import CASES, EVERY, SETUPS, every_case
from tests.laws.driver import Driver
from tests.laws.playing import played, written
from tests.server.live_support import HandClock, opened, run, seat


def check_lines(steps):
    """The line read from the public log equals the live one after each entry."""
    seen, opened_at = None, 0
    for step in steps:
        seen = glance(seen, step.entry.seq, step.read_by(None))
        opened_at = opened_at or seen.at
        head = step.entry.head
        assert summary(seen, head, opened_at) == summary(step.after, head, steps[0].after.at)
        assert summary(seen, head, opened_at) == summary(step.position.table, step.position.head, steps[0].after.at)
    return seen


@every_case
def test_the_lobby_read_from_public_versions_is_the_live_one_at_every_prefix(case):
    assert check_lines(played(case).steps).over


def test_the_games_played_tell_everything_that_a_line_may_say():
    tables = [step.after for case in CASES for step in played(case).steps]

    assert {table.status for table in tables} >= {"open", "playing", "ended"}
    assert any(
        holder.player is None and table.status == "playing" for table in tables for holder in table.record.holders
    )
    assert any(len(table.course.to_act) > 1 for table in tables)
    assert any(table.record.result is not None for table in tables)


@pytest.mark.parametrize("ending", ["freeze", "agreed", "operator", "left"])
def test_a_table_that_does_not_end_by_its_rules_is_the_same_in_the_lobby(ending):
    driver = Driver(sample, 3, {}, House(absent="end" if ending == "left" else "wait"))
    driver.do(1, act.Sit("p1", None, "ab" * 32))
    driver.do(1, act.Rise())
    driver.do(0, act.GiveEntropy("cd" * 32))
    driver.do(2, act.Sit("b2", "random", None))
    driver.fill()
    match ending:
        case "freeze":
            driver.do("server", act.Freeze("rules"))
            driver.do("operator", act.Close("expired"))
        case "operator":
            driver.do("operator", act.Close("expired"))
        case "left":
            driver.do(0, act.Leave())
        case "agreed":
            for number in (0, 1):
                driver.do(number, {"type": "abandon", "agree": True})

    assert check_lines(list(written(driver))).status == "abandoned"


async def tables_of_every_kind(site, rng):
    """Some tables of each game, entry by entry in turn: open ones, some that are played, some that have ended."""
    found = []
    firsts = {setup.game.name: setup for setup in reversed(SETUPS)}
    for setup in dict.fromkeys([*SETUPS[:: len(SETUPS) // 12], *firsts.values()]):
        options, name = dict(setup.options), setup.game.name
        found.append(await seat(site, name, setup.seats, house=House(whispers=True), begun=False, **options))
        found.append(await seat(site, name, setup.seats, visibility=rng.choice(["public", "private"]), **options))
    rng.shuffle(found)
    for number in range(60):
        table = found[number % len(found)]
        if table.status == "playing":
            await table.move(rng, around=0.3)
    for table in found[::5]:
        if table.status == "playing":
            await table.play_out(rng)
    for table in found[1::5]:
        await table.do(0, {"type": "abandon", "agree": True})
    return found


def test_the_lobby_after_a_restart_is_the_one_before_in_the_same_order(tmp_path):
    async def body():
        store, clock = f"sqlite:{tmp_path / 'tables'}", HandClock()
        async with opened(store, clock=clock, games=EVERY) as site:
            await tables_of_every_kind(site, Random(11))
            before = list(site.lobby.newest())
            counts = site.lobby.counts()
        assert {line.game for line in before} == {game.name for game in EVERY}
        assert set(counts) >= {"open", "playing", "ended"}

        async with opened(store, clock=clock, games=EVERY) as site:
            assert list(site.lobby.newest()) == before
            assert list(site.lobby) == before[::-1]
            assert site.lobby.counts() == counts
            for place, line in enumerate(before):
                assert list(site.lobby.newest(line.id)) == before[place + 1 :]
                live = await site.tables.load(line.id)
                note(site.lobby, live, live.history.last)
            assert list(site.lobby.newest()) == before

    run(body())
