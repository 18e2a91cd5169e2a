"""What the audit reads of a table: told once, and then only what has come since; by rules that may not think for ever."""

from random import Random
from types import SimpleNamespace

import pytest

from projections.fairness import fairness
from projections.ledger import ledger
from projections.promises import verdicts
from projections.trail import trail
from server.tables.bound import Bound
from server.tables.errors import TableFrozen
from server.tables.stories import Stories, story_of
from tests.games import sample
from tests.server.live_faults import faulty, is_south
from tests.server.live_support import harbour, opened, run, seat
from tests.server.live_wire import serving

AUDIENCES = (None, 0, 2, "all")


def whole(story):
    return story


class Counted:
    """A shelf that counts the entries which are read from it."""

    def __init__(self, shelf):
        self.catalogue = shelf.catalogue
        self.store = self
        self.read_so_far = 0
        self._store = shelf.store

    async def read(self, table, after, limit):
        found = await self._store.read(table, after, limit)
        self.read_so_far += len(found)
        return found


def stories(most=1000):
    return Stories(Bound(1.0), most)


# --- What was told ------------------------------------------------------------------------------------


def test_a_story_that_was_told_before_is_the_one_that_is_told_anew():
    async def body():
        async with opened() as site:
            table, rng = await seat(site, "tribunal", 4), Random(8)
            while not table.over:
                for _ in range(7):
                    if not table.over:
                        await table.move(rng, around=0.5)
                for audience in AUDIENCES:
                    fresh = await story_of(site.tables, table.live, audience, table.live.seq)
                    for projection in (whole, trail, verdicts, ledger, fairness):
                        found = await site.stories.read(site.tables, table.live, audience, table.live.seq, projection)
                        assert found == projection(fresh)

    run(body())


def test_only_entries_that_have_come_since_are_read():
    async def body():
        async with opened() as site:
            table, told, shelf = await harbour(site), stories(), Counted(site.tables)
            seq = table.live.seq
            for _ in range(3):
                assert (await told.read(shelf, table.live, 0, seq, whole)).table.seq == seq
            assert shelf.read_so_far == seq

            await table.do(0, {"type": "say", "text": "x"})
            assert (await told.read(shelf, table.live, 0, seq + 1, whole)).table.seq == seq + 1
            assert shelf.read_so_far == seq + 1

    run(body())


def test_an_earlier_moment_is_the_beginning_of_what_was_told():
    async def body():
        async with opened() as site:
            table, told, shelf = await harbour(site), stories(), Counted(site.tables)
            await told.read(shelf, table.live, 0, table.live.seq, whole)
            for last in (1, 3, table.live.seq):
                assert await told.read(shelf, table.live, 0, last, whole) == await story_of(
                    site.tables, table.live, 0, last
                )
            assert shelf.read_so_far == table.live.seq

    run(body())


def test_each_audience_is_told_its_own_story():
    async def body():
        async with opened() as site:
            table, told = await seat(site, "harbour", 3), stories()
            card = table.game.hands[0][0]
            await table.do(0, {"type": "lay", "card": card})
            laid = {}
            for audience in (None, 0, 1):
                story = await told.read(site.tables, table.live, audience, table.live.seq, whole)
                laid[audience] = next(
                    event.card for event in story.passages[-1].body.events if isinstance(event, sample.Laid)
                )
            assert laid == {None: None, 0: card, 1: None}

    run(body())


def test_the_memory_for_stories_is_bounded_and_what_was_not_asked_for_longest_goes_first():
    async def body():
        async with opened() as site:
            tables = [await harbour(site) for _ in range(3)]
            seq = tables[0].live.seq
            told, shelf = stories(most=2 * seq), Counted(site.tables)

            async def ask(which):
                before = shelf.read_so_far
                await told.read(shelf, tables[which].live, None, seq, whole)
                return shelf.read_so_far - before

            assert [await ask(which) for which in (0, 1, 0, 2)] == [seq, seq, 0, seq]
            assert [await ask(which) for which in (0, 1)] == [0, seq]

            longer = stories(most=seq - 1)
            for _ in range(2):
                before = shelf.read_so_far
                await longer.read(shelf, tables[0].live, None, seq, whole)
                assert shelf.read_so_far - before == seq

    run(body())


def test_a_table_that_was_put_away_is_told_on_when_it_is_back():
    async def body():
        async with opened(tables_in_memory=2) as site:
            table, told = await harbour(site), stories()
            first = table.live
            await told.read(site.tables, first, None, first.seq, whole)
            for _ in range(3):
                await seat(site, "straws", 2)
            await table.do(0, {"type": "say", "text": "x"})
            live = await table.load()
            assert live is not first
            found = await told.read(site.tables, live, None, live.seq, whole)
            assert found == await story_of(site.tables, live, None, live.seq)

    run(body())


# --- Rules that never come back -----------------------------------------------------------------------


def slow_to_anger(part):
    """Harbour, and a switch: once it is `on`, that function never comes back from a ship to the south."""
    switch = SimpleNamespace(on=False)

    def endless(*args):
        while switch.on and any(is_south(each) for each in args):
            sum(range(100))
        return getattr(sample, part)(*args)

    return switch, faulty(**{part: endless})


async def ended(town):
    """A table at which the first ship went south, played to its end."""
    table = await town.table("harbour", 3)
    for number, hand in enumerate(table.game.hands):
        await table.do(number, {"type": "lay", "card": hand[0]})
    await table.do(table.game.warden, {"type": "admit", "pier": "south"})
    south = table.live.seq
    await table.play_out(Random(4))
    await town.site.scorer.done()
    return table, south


@pytest.mark.parametrize("part", ["decide", "evolve"])
def test_a_verification_that_the_rules_do_not_come_back_from_says_so_and_goes_on_without_them(part):
    switch, game = slow_to_anger(part)

    async def body():
        async with serving(games=(game,), decision_seconds=0.1) as town:
            table, south = await ended(town)
            assert (await town.get(table, 0, "verify")).json()["ok"]
            switch.on = True
            found = (await town.get(table, 0, "verify")).json()
            assert not found["ok"]
            assert (found["first"]["check"], found["first"]["seq"], found["first"]["reason"]) == (
                "adjudication", south, "overrun",
            )  # fmt: skip
            assert found["entries"] == table.live.seq
            checks = {check["name"]: check["status"] for check in found["checks"]}
            assert (checks["chain"], checks["versions"]) == ("passed", "passed")

    run(body())


def test_rules_that_do_not_come_back_from_saying_who_may_read_what_are_not_asked_again():
    switch, game = slow_to_anger("redact")

    async def body():
        async with serving(games=(game,), decision_seconds=0.1) as town:
            table, south = await ended(town)
            switch.on = True
            found = (await town.get(table, 0, "verify")).json()
            checks = {check["name"]: (check["status"], check["why"]) for check in found["checks"]}
            assert checks["versions"] == ("failed", "overrun")
            assert checks["adjudication"] == ("passed", None)
            assert found["first"]["seq"] == south

    run(body())


def test_a_story_that_the_rules_do_not_come_back_from_is_that_of_a_frozen_table_and_stops_nobody():
    switch, game = slow_to_anger("evolve")

    async def body():
        async with serving(games=(game,), decision_seconds=0.1) as town:
            table, south = await ended(town)
            switch.on = True
            for what in ("bribes", "promises", "ledger", "fairness"):
                answer = await town.get(table, 0, what)
                assert (answer.status_code, answer.json()["code"]) == (409, "frozen"), what
            early = await town.get(table, 0, "ledger", at=south - 1)
            assert early.status_code == 200
            switch.on = False
            assert (await town.get(table, 0, "ledger")).status_code == 200

    run(body())


def test_a_projection_that_never_ends_is_broken_off():
    async def body():
        async with opened(decision_seconds=0.1) as site:
            table = await harbour(site)

            def endless(_story):
                while True:
                    sum(range(100))

            with pytest.raises(TableFrozen):
                await site.stories.read(site.tables, table.live, None, table.live.seq, endless)
            assert await site.stories.read(site.tables, table.live, None, table.live.seq, whole)

    run(body())
