"""Two versions of a game's rules side by side, over one file: tables that an older server has begun in a form that no class
of today has are played on by the rules they were begun with; what is opened now has those of today.
"""

from contextlib import asynccontextmanager
from random import Random

import msgspec
import pytest

from events.archive import read
from events.chain import seal
from games import Catalogue
from games.table.house import House
from projections.verification import verify_archive
from tests.games import sample_lots, sample_lots_1, sample_lots_first
from tests.server.live_support import run, said
from tests.server.live_wire import SSE, Sight, serving
from tests.server.test_live_unreadable import over_one_file

BEFORE, NOW, LATER = (sample_lots_first,), (sample_lots_1, sample_lots), (sample_lots,)


class Ages:
    """The same server at different times: with the rules that it had, or has."""

    def __init__(self, folder):
        self.settings = over_one_file(folder)
        self.tokens = {}

    @asynccontextmanager
    async def with_rules(self, games):
        async with serving(games=games, **self.settings) as town:
            town.tokens = self.tokens
            yield town


@pytest.fixture
def ages(tmp_path):
    return Ages(tmp_path)


async def begun(ages, moves=3, seats=3, **more):
    """A table that the older server has begun, and what its seats and the public were shown."""
    async with ages.with_rules(BEFORE) as town:
        table = await town.table("lots", seats, House(whispers=True), **more)
        rng = Random(moves)
        for _ in range(moves):
            await table.move(rng, around=0.2)
        return table, await views(town, table)


async def views(town, table):
    return [await town.view(table, who) for who in (None, *range(len(table.people)))]


async def on(town, table):
    """The table at that server."""
    found = table.on(town.site)
    await found.load()
    return found


def games(answer):
    return {line["game"]: line["rules"] for line in answer.json()["games"]}


def test_a_table_of_the_old_rules_is_played_on_by_them_and_a_new_one_by_those_of_today(ages):
    async def body():
        old, shown = await begun(ages)
        async with ages.with_rules(NOW) as town:
            assert games(await town.http.get("/v1/games")) == {"lots": 2}
            assert set((await town.http.get("/v1/games/lots")).json()["events"]["$defs"]) >= {"Dealt", "RoundWon"}
            table = await on(town, old)
            assert await views(town, table) == shown
            for seq in range(1, table.live.seq + 1):
                assert (await town.view(table, 1, at=seq))["seq"] == seq
            await table.play_out(Random(4), around=0.2)
            new = await town.table("lots", 3)
            await new.play_out(Random(5))

            for each, rules in ((table, 1), (new, 2)):
                line = (await town.http.get(f"/v1/tables/{each.id}")).json()
                assert (line["status"], line["rules"]) == ("ended", rules)
                assert (await town.get(each, None, "verify")).json()["ok"]
                log = [said(entry) for entry in await town.site.store.read(each.id)]
                rounds = [event for entry in log for event in entry["events"] if event["type"] == "round_won"]
                assert {event.get("points", 1) for event in rounds} == ({1} if rules == 1 else {1, 2})
                best = max if rules == 1 else min
                assert all(event["lots"][event["seat"]] == best(event["lots"]) for event in rounds)

    run(body())


def test_the_log_of_an_old_table_is_given_out_as_it_was_written_and_its_archive_holds(ages):
    async def body():
        old, _ = await begun(ages)
        async with ages.with_rules(NOW) as town:
            table = await on(town, old)
            before = table.live.seq
            page = (await town.get(table, None, "log")).json()["entries"]
            kinds = [event["type"] for entry in page for event in entry["entry"]["events"]]
            assert "lots_given" in kinds
            assert "dealt" not in kinds
            assert {entry["entry"]["action"]["type"] for entry in page[4:]} <= {"drop", "say", "whisper"}
            await table.play_out(Random(4), around=0.3)
            file = (await town.get(table, None, "archive")).content
            found = verify_archive([file], Catalogue(NOW))
            assert found.ok
            assert [each.status for each in found.checks[:5]] == ["passed"] * 5
            assert found.check("versions").checked == found.entries > before
            ledgers = [(await town.get(table, None, path)).status_code for path in ("promises", "bribes", "fairness")]
            assert ledgers == [200] * 3
            fair = (await town.get(table, None, "fairness")).json()
            assert (fair["redrawn"], fair["first"]) == (1, None)

    run(body())


def test_who_follows_an_old_table_from_its_beginning_comes_to_the_view_of_today(ages):
    async def body():
        old, _ = await begun(ages)
        async with ages.with_rules(NOW) as town:
            table = await on(town, old)
            async with (
                town.socket(table, 1, after=0) as reader,
                town.stream(table, None, after=0, media=SSE) as listener,
            ):
                await table.play_out(Random(4))
                await reader.reach(table.live.seq)
                await listener.reach(table.live.seq)
            assert reader.view == await town.view(table, 1)
            assert listener.view == await town.view(table, None)
            async with town.stream(table, 2, after=0, sight=Sight()) as late:
                await late.reach(table.live.seq)
            assert late.view == await town.view(table, 2)

    run(body())


def test_an_action_that_was_sent_before_in_its_old_form_is_not_done_twice(ages):
    async def body():
        async with ages.with_rules(BEFORE) as town:
            old = await town.table("lots", 2)
            lot = old.game.hands[0][0]
            first = await town.post(old, 0, "actions", {"type": "drop", "lot": lot}, Idempotency_Key="once")
            assert first.status_code == 201, first.text
        async with ages.with_rules(NOW) as town:
            again = await town.post(old, 0, "actions", {"type": "lay", "number": lot}, Idempotency_Key="once")
            assert again.status_code == 201, again.text
            assert again.headers["Idempotency-Replayed"] == "true"
            assert again.json()["entry"] == first.json()["entry"]
            other = await town.post(old, 0, "actions", {"type": "lay", "number": lot + 1}, Idempotency_Key="once")
            assert other.json()["code"] == "key_reused"

    run(body())


def test_an_old_archive_is_brought_in_and_read_as_a_table(ages):
    async def body():
        async with ages.with_rules(BEFORE) as town:
            old = await town.table("lots", 3)
            await old.play_out(Random(6), around=0.2)
            files = {who: (await town.get(old, who, "archive")).content for who in (None, 1)}
        async with ages.with_rules(NOW) as town:
            assert files[None] == (await town.get(old, None, "archive")).content
            headers = {"Content-Type": "application/octet-stream", **town.headers(old, 0)}
            answer = await town.http.post("/v1/archives", content=files[None], headers=headers)
            assert answer.status_code == 201, answer.text
            path = f"/v1/tables/{answer.json()['id']}"
            for seat in (0, 1, 2):
                view = (await town.http.get(f"{path}/view", params={"seat": seat, "at": 6})).json()
                assert view["game"] == (await town.view(old, None, seat=seat, at=6))["game"]
            assert (await town.http.get(f"{path}/verify")).json()["ok"]
            page = (await town.http.get(f"{path}/log")).json()
            assert page["entries"] == (await town.get(old, None, "log")).json()["entries"]

    run(body())


def test_a_fork_keeps_the_old_rules_and_a_rematch_has_those_of_today(ages):
    async def body():
        async with ages.with_rules(BEFORE) as town:
            old = await town.table("lots", 3)
            await old.play_out(Random(6))
        async with ages.with_rules(NOW) as town:
            for path, data, rules in (("fork", {"at": 6}, 1), ("rematch", {}, 2)):
                answer = await town.post(old, 0, path, data)
                assert answer.status_code == 201, answer.text
                assert answer.json()["table"]["rules"] == rules

    run(body())


def test_a_fork_that_the_old_server_began_is_played_on_and_comes_from_where_it_says(ages):
    """What came along stands in its log as an action and as events, both of the old form."""

    async def body():
        async with ages.with_rules(BEFORE) as town:
            old = await town.table("lots", 2)
            await old.play_out(Random(6))
            opened = (await town.post(old, 0, "fork", {"at": 4, "sit": True})).json()["table"]["id"]
            fork = type(old)(town.site, opened, old.people)
            assert (await town.post(fork, 1, "seats", {})).status_code == 201
            await fork.move(Random(1))
        async with ages.with_rules(NOW) as town:
            table = await on(town, fork)
            await table.play_out(Random(3))
            assert (await town.get(table, None, "verify")).json()["ok"]
            file = (await town.get(table, None, "archive")).content
            assert b'"type":"resume"' in file
            assert verify_archive([file], Catalogue(NOW)).check("versions").status == "passed"

    run(body())


@pytest.mark.expects_errors("entry_unreadable")
def test_rules_that_are_not_shipped_any_more_leave_a_table_to_be_read_and_its_chain_to_be_checked(ages):
    async def body():
        async with ages.with_rules(BEFORE) as town:
            ended = await town.table("lots", 3)
            await ended.play_out(Random(6))
        old, _ = await begun(ages)
        async with ages.with_rules(LATER) as town:
            assert (await town.view(old, 0))["status"] == "frozen"
            view = await town.view(ended, 0)
            assert (view["status"], view["game"]) == ("ended", None)
            told = (await town.get(ended, None, "verify")).json()
            checks = {each["name"]: (each["status"], each["why"]) for each in told["checks"]}
            assert checks["chain"] == ("passed", None)
            assert checks["adjudication"] == checks["versions"] == ("not_checked", "rules_not_shipped")
            assert told["ok"]
            file = (await town.get(ended, None, "archive")).content
            assert len(list(read([file])[1])) == told["entries"]
            operator = town.person("Operator", "operate", "read")
            assert (await town.post(old, operator, "abandon", {})).status_code == 201
            last = (await town.get(old, None, "log")).json()["entries"][-1]["entry"]["events"]
            assert [event["type"] for event in last] == ["abandoned", "seed_disclosed"]
            assert (await town.post(ended, 0, "fork", {"at": 6})).json()["code"] == "frozen"

    run(body())


@pytest.mark.expects_errors("entry_unreadable")
def test_an_event_that_no_rules_know_stops_the_table_at_just_that_entry(ages):
    """Also in a log of which all else is told by upcasters."""

    async def body():
        old, shown = await begun(ages)
        async with ages.with_rules(NOW) as town:
            table = await on(town, old)
            before = table.live.seq
            last = (await town.site.store.read(old.id, before - 1, 1))[0]
            plain = {**said(last), "seq": before + 1, "events": [{"type": "laid", "seat": 0, "lot": 1, "weight": 3}]}
            data = msgspec.json.encode(plain, order="sorted")
            entry = seal(before + 1, last.head, {"full": data}, bytes(32))
            await town.site.store.append(old.id, before, entry, bytes(32))
            await town.site.tables.catch_up(table.live)
            assert table.live.broken == before + 1
            assert (await town.view(old, 1))["status"] == "frozen"
            for who, view in zip((None, 0, 1, 2), shown, strict=True):
                assert await town.view(old, who, at=before) == view

    run(body())
