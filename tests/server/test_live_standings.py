"""Standings over the wire: which tables count, whose results and promises they are, and that a restart changes nothing."""

import asyncio
from contextlib import asynccontextmanager
from random import Random

import msgspec
import pytest

from events.chain import seal
from events.ids import command_id
from events.memory import MemoryStore
from events.store import Unavailable
from games import tribunal
from games.table import actions as act
from projections.lobby import Lobby
from server import standings
from server.problems import LANGUAGES
from server.standings import Scorer
from server.tables import stories
from server.tables.bound import Overrun
from server.tables.history import Step
from server.tables.shelf import BREATH
from tests.games import sample_plain
from tests.server.harness import problem, said
from tests.server.live_support import GAMES, Table, opened, run, seat, stored
from tests.server.live_wire import serving
from tests.server.test_live_unreadable import Same

COUNTED = ("kept", "broken", "open", "void", "uncheckable")


async def played(town, game="straws", seats=3, seed=1, **more):
    """A table of new people that is over."""
    table = await town.table(game, seats, **more)
    await table.play_out(Random(seed), around=0.3)
    return table


async def asked(town, **params):
    """The standings, once every table is read."""
    await town.site.scorer.done()
    answer = await town.http.get("/v1/standings", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def record(town, player):
    await town.site.scorer.done()
    answer = await town.http.get(f"/v1/players/{player}")
    assert answer.status_code == 200, answer.text
    return answer.json()["record"]


def at_once(work):
    return work()


async def promises(town, table):
    return (await town.get(table, None, "promises")).json()["promises"]


# --- What counts --------------------------------------------------------------------------------------


def test_only_public_tables_with_an_outcome_count():
    async def body():
        async with serving() as town:
            table = await played(town)
            for visibility in ("unlisted", "private"):
                await played(town, visibility=visibility)
            closed, agreed, still_on = [await town.table("straws", 3) for _ in range(3)]
            await closed.do("operator", act.Close("operator"))
            for number in range(3):
                await agreed.do(number, {"type": "abandon", "agree": True})
            await still_on.move(Random(2))
            found = await asked(town)
            assert (found["game"], found["tables"], found["pending"], found["next"]) == (None, 1, 0, None)
            assert {line["player"] for line in found["players"]} == set(table.people)
            for player in closed.people:
                assert (await record(town, player))["games"] == []

    run(body())


def test_a_fork_and_an_archive_from_elsewhere_count_nowhere():
    async def body():
        async with serving() as town:
            table = await played(town)
            people = table.people
            before = await asked(town)
            data = (await town.get(table, None, "archive")).content
            kind = {"Content-Type": "application/octet-stream"}
            brought = await town.http.post("/v1/archives", content=data, headers={**town.headers(table, 0), **kind})
            assert brought.status_code == 201, brought.text
            await town.http.get(f"/v1/tables/{brought.json()['id']}/view")
            made = await town.post(table, 0, "fork", {"at": table.live.seq - 1})
            assert made.status_code == 201, made.text
            fork = Table(town.site, made.json()["table"]["id"], people)
            for number in (1, 2):
                assert (await town.post(fork, number, "seats", {"seat": number})).status_code == 201
            await (await fork.load()).quiet()
            await fork.play_out(Random(1))
            assert fork.status == "ended"
            assert await asked(town) == before

    run(body())


def test_lines_say_how_the_tables_went():
    async def body():
        async with serving() as town:
            table = await played(town)
            result = (await town.view(table, None))["result"]
            found = await asked(town)
            order = sorted(range(3), key=lambda number: -result["scores"][number])
            assert [line["player"] for line in found["players"]] == [table.people[number] for number in order]
            best, _, last = found["players"]
            ended = (await town.http.get(f"/v1/tables/{table.id}")).json()["changed"]
            none = dict.fromkeys(COUNTED, 0)
            assert best == {
                "rank": 1, "player": table.people[order[0]], "name": f"P{order[0]}", "bot": None, "games": 1, "won": 1,
                "beaten": 2, "of": 2, "left": 0, "promises": none, "last": ended,
            }  # fmt: skip
            assert (last["rank"], last["won"], last["beaten"], last["of"]) == (3, 0, 0, 2)

    run(body())


def test_the_seat_that_somebody_took_over_is_his_and_the_leaver_is_told_of():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 3)
            heir = town.person("Heir")
            await table.do(2, act.Leave())
            await table.do(2, act.Sit(heir, None, None))
            await Table(town.site, table.id, (*table.people[:2], heir)).play_out(Random(1))
            lines = {line["player"]: line for line in (await asked(town))["players"]}
            assert (lines[heir]["games"], lines[heir]["left"]) == (1, 0)
            gone = lines[table.people[2]]
            assert (gone["games"], gone["of"], gone["left"]) == (0, 0, 1)
            assert (await record(town, table.people[2]))["games"][0]["left"] == 1

    run(body())


def test_promises_are_those_of_the_tables_added_up_by_who_made_them():
    async def body():
        async with serving() as town:
            people = tuple(town.person(f"P{number}") for number in range(4))
            made = []
            for seed in (5, 6):
                table = await seat(town.site, "tribunal", 4, people)
                await table.play_out(Random(seed), around=0.4)
                made += await promises(town, table)
            assert len(made) > 10
            lines = {line["player"]: line["promises"] for line in (await asked(town, game="tribunal"))["players"]}
            for player in people:
                own = [each["verdict"] for each in made if each["player"] == player]
                assert lines[player] == {verdict: own.count(verdict) for verdict in COUNTED}
                assert (await record(town, player))["promises"] == lines[player]

    run(body())


def test_the_record_of_a_player_has_his_games_and_his_latest_tables():
    async def body():
        async with serving() as town:
            people = tuple(town.person(f"P{number}") for number in range(3))
            tables = []
            for game in ("straws", "harbour", "straws"):
                tables.append(await seat(town.site, game, 3, people))
                await tables[-1].play_out(Random(len(tables)))
            own = await record(town, people[0])
            assert own["pending"] == 0
            assert [(each["game"], each["games"]) for each in own["games"]] == [("harbour", 1), ("straws", 2)]
            assert {each["table"] for each in own["latest"]} == {table.id for table in tables}
            ends = [each["ended"] for each in own["latest"]]
            assert ends == sorted(ends, reverse=True)
            for each in own["latest"]:
                table = next(table for table in tables if table.id == each["table"])
                result = table.now.table.record.result
                assert (each["score"], each["won"]) == (result.scores[0], 0 in result.winners)
                assert (each["seats"], each["seat"], each["rules"]) == (3, 0, 1)
            assert sum(each["won"] for each in own["games"]) == sum(each["won"] for each in own["latest"])

    run(body())


# --- Asking -------------------------------------------------------------------------------------------


def test_pages_filters_names_and_codings(new_rest):
    rest = new_rest()
    livia, marcus, flavia = rest.people("Livia", "Marcus", "Flavia")
    for _ in range(3):
        rest.played(livia, marcus, flavia)
    rest.run(rest.site.scorer.done())
    whole = said(rest.nobody.get("/v1/standings"))
    assert {line["name"] for line in whole["players"]} == {"Livia", "Marcus", "Flavia"}
    lines, cursor = [], None
    for _ in range(3):
        params = {"limit": 1} | ({} if cursor is None else {"cursor": cursor})
        page = said(livia.get("/v1/standings", params=params))
        lines, cursor = [*lines, *page["players"]], page["next"]
    assert (lines, cursor) == (whole["players"], None)
    packed = rest.nobody.get("/v1/standings", headers={"accept": "application/msgpack"})
    assert msgspec.msgpack.decode(packed.content) == whole
    assert said(rest.nobody.get("/v1/standings", params={"game": "straws"}))["players"] == whole["players"]
    assert said(rest.nobody.get("/v1/standings", params={"bots": "false"})) == whole
    empty = said(rest.nobody.get("/v1/standings", params={"game": "harbour"}))
    assert empty == {"game": "harbour", "tables": 0, "pending": 0, "players": [], "next": None}


def test_what_is_asked_wrongly_is_told(rest):
    for language in LANGUAGES:
        heard = {"accept-language": language}
        for params in ({"game": "chess"}, {"cursor": "nobody"}, {"cursor": "bot:random"}):
            problem(rest.nobody.get("/v1/standings", params=params, headers=heard), "invalid")
        for params in ({"bots": "perhaps"}, {"limit": 0}, {"limit": 201}, {"bots": "null"}):
            problem(rest.nobody.get("/v1/standings", params=params, headers=heard), "malformed")
    player = rest.person("Player", "play")
    problem(player.get("/v1/standings"), "forbidden")


def test_who_is_forgotten_stays_as_an_id_without_a_name(rest):
    livia, marcus = rest.people("Livia Drusilla", "Marcus")
    rest.played(livia, marcus)
    assert livia.delete("/v1/me").status_code == 204
    rest.run(rest.site.scorer.done())
    answer = rest.nobody.get("/v1/standings")
    assert {line["player"] for line in said(answer)["players"]} == {livia.id, marcus.id}
    assert "Livia" not in answer.text
    assert said(rest.nobody.get(f"/v1/players/{livia.id}"))["record"]["latest"]


def test_house_bots_of_one_name_are_one_line_that_can_be_left_out():
    async def body():
        async with serving() as town:
            for _ in range(2):
                table = await town.table("straws", 3, begun=False)
                for number in (1, 2):
                    bot = town.site.accounts.register("chancer-bot", ("play", "read"), bot=True).player
                    await table.do(number, act.Sit(bot, "chancer", None))
                    table = Table(town.site, table.id, (*table.people[:number], bot, *table.people[number + 1 :]))
                await table.play_out(Random(1))
            lines = (await asked(town))["players"]
            (bots,) = [line for line in lines if line["bot"]]
            assert (bots["player"], bots["name"], bots["bot"], bots["games"]) == (None, "chancer", "chancer", 4)
            people = (await asked(town, bots="false"))["players"]
            assert len(people) == 2
            assert {line["player"] for line in people} == {line["player"] for line in lines} - {None}
            own = (await town.http.get(f"/v1/players/{table.people[1]}")).json()
            assert (own["bot"], own["record"]["games"][0]["games"]) == (True, 1)
            page = await asked(town, cursor="bot:chancer")
            assert page["players"] == lines[lines.index(bots) + 1 :]

    run(body())


# --- Reading ------------------------------------------------------------------------------------------


async def told(town, players):
    return await asked(town), [await record(town, player) for player in players]


def test_after_a_restart_the_standings_are_the_same(tmp_path):
    where = {"store": f"sqlite:{tmp_path}/log.sqlite", "accounts": f"{tmp_path}/accounts"}

    async def body():
        async with serving(**where) as town:
            tables = [await played(town, game, seed=seed) for seed, game in enumerate(("straws", "harbour", "straws"))]
            await played(town, visibility="unlisted")
            people = [player for table in tables for player in table.people]
            before = await told(town, people)
        assert (before[0]["tables"], len(before[0]["players"])) == (3, 9)
        async with serving(**where) as again:
            assert await told(again, people) == before

    run(body())


def test_while_tables_are_still_to_be_read_the_answers_say_how_many(monkeypatch):
    async def body():
        async with serving() as town:
            two = [await played(town) for _ in range(2)]
            whole = await asked(town)
            gate, read = asyncio.Semaphore(0), Scorer._read

            async def waiting(self, table, last):
                await gate.acquire()
                return await read(self, table, last)

            monkeypatch.setattr(Scorer, "_read", waiting)
            async with serving(Same(town.site.store)) as again:
                for pending in (2, 1):
                    found = (await again.http.get("/v1/standings")).json()
                    assert (found["tables"], found["pending"], len(found["players"])) == (2 - pending, pending, 6 - 3 * pending)  # fmt: skip
                    gate.release()
                    while again.site.scorer.pending == pending:  # noqa: ASYNC110  (what ends it is looked at)
                        await asyncio.sleep(0)
                found = await asked(again)
                assert (found["tables"], found["pending"]) == (2, 0)
                assert {line["player"] for line in found["players"]} == {p for table in two for p in table.people}
                ranks = [{**line, "name": None} for line in whole["players"]]
                assert found["players"] == ranks, "names are of the accounts, which are others here"

    run(body())


def test_others_have_their_turn_after_32_entries(monkeypatch):
    async def body():
        store, folded, most = MemoryStore(), 0, 0
        fold = stories.fold

        def counting(*args):
            nonlocal folded, most
            folded += 1
            most = max(most, folded)
            return fold(*args)

        async with opened(store) as site:
            for game, seats in (("tribunal", 4), ("straws", 2), ("straws", 2), ("harbour", 3)):
                await (await seat(site, game, seats)).play_out(Random(1), around=0.3)
            await site.scorer.done()
            entries = sum(live.seq for live in site.tables.loaded())
            monkeypatch.setattr(stories, "fold", counting)
            async with opened(Same(store)) as again:
                total = 0
                while again.scorer.pending:
                    total, folded = total + folded, 0
                    await asyncio.sleep(0)
                assert total + folded >= entries
                assert 0 < most <= BREATH

    run(body())


def test_a_table_that_has_just_ended_is_read_before_the_old_ones():
    async def body():
        async with opened() as site:
            tables = [await seat(site, "straws", 2) for _ in range(3)]
            for table in tables:
                await table.play_out(Random(1))
            scorer = Scorer(site.tables, site.lobby, at_once)
            scorer.start()
            newest = tables[2].live
            scorer.note(newest, Step(newest.history.last.entry, None, newest.now))
            assert scorer.pending == 3
            assert next(iter(scorer._waiting)) == newest.id
            await scorer.done()
            assert scorer.standings.tables() == 3
            await scorer.stop()

    run(body())


@pytest.mark.parametrize("turns", [0, 1, 2, 5])
def test_a_server_stops_in_the_midst_of_reading(turns):
    async def body():
        async with stored("sqlite") as store:
            async with opened(Lasting(store)) as site:
                for _ in range(3):
                    await (await seat(site, "tribunal", 4)).play_out(Random(1))
            async with opened(Lasting(store)) as again:
                for _ in range(turns):
                    await asyncio.sleep(0)
                assert again.scorer.pending == 3
            assert again.scorer._task.done()
            assert again.scorer._task.cancelled() == (again.scorer.pending > 0)

    run(body())


class Lasting:
    """A store that a server which ends leaves open."""

    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def close(self):
        """Others use it."""


def test_a_store_that_does_not_answer_is_asked_again(monkeypatch):
    monkeypatch.setattr(standings, "RETRY_SECONDS", 0)

    async def body():
        async with opened() as site:
            for _ in range(2):
                await (await seat(site, "straws", 2)).play_out(Random(1))
            await site.scorer.done()
            read, failures = site.store.read, 3

            async def failing(*args):
                nonlocal failures
                failures -= 1
                if failures >= 0:
                    raise Unavailable("no")
                return await read(*args)

            monkeypatch.setattr(site.store, "read", failing)
            scorer = Scorer(site.tables, site.lobby, at_once)
            scorer.start()
            await scorer.done()
            assert failures < 0
            assert scorer.standings.table() == site.scorer.standings.table()
            await scorer.stop()

    run(body())


# --- Tables that cannot be read -----------------------------------------------------------------------


def without_names(found):
    return [{**line, "name": None} for line in found["players"]]


async def with_kraken(store, table):
    """The same logs, but that this one tells of an event that nobody knows, some entries before its end."""
    found = MemoryStore()
    for name in [item.table for item in await store.feed(0, 0, 10_000) if item.seq == 1]:
        head = bytes(32)
        entries = await store.read(name, 0, 100_000)
        for entry in entries:
            versions = entry.versions
            if name == table and entry.seq == len(entries) - 1:
                versions = {version: krakened(data) for version, data in versions.items()}
            made = seal(entry.seq, head, versions, entry.salt)
            head = made.head
            await found.append(name, entry.seq - 1, made, command_id("again", name, str(entry.seq)))
    return found


def krakened(data):
    plain = msgspec.json.decode(data)
    plain["events"].append({"type": "kraken", "arms": 8})
    return msgspec.json.encode(plain, order="sorted")


@asynccontextmanager
async def two_tables():
    async with serving() as town:
        yield town, await played(town, "harbour"), await played(town, "straws")


def test_a_table_with_an_entry_that_cannot_be_read_is_left_out_and_the_others_count(caplog):
    async def body():
        async with two_tables() as (town, bad, good):
            store = await with_kraken(town.site.store, bad.id)
            wanted = await asked(town, game="straws")
        async with serving(store) as again:
            found = await asked(again)
            assert (found["tables"], found["pending"]) == (1, 0)
            assert {line["player"] for line in found["players"]} == set(good.people)
            assert without_names(found) == without_names(wanted)
            assert again.site.lobby.get(bad.id).status == "ended"
            (line,) = [each for each in caplog.records if each.getMessage() == "not_counted"]
            assert line.fields["table"] == bad.id
            assert "arms" not in str(line.fields)

    run(body())


def test_a_table_whose_rules_are_not_shipped_counts_nowhere_until_they_are(caplog):
    async def body():
        async with two_tables() as (town, bad, _good):
            wanted = without_names(await asked(town))
            store = town.site.store
        async with serving(Same(store), games=(tribunal, sample_plain)) as again:
            found = await asked(again)
            assert found["tables"] == 1
            assert (await again.http.get("/v1/standings", params={"game": "harbour"})).json()["code"] == "invalid"
            assert [each.fields["table"] for each in caplog.records if each.getMessage() == "not_counted"] == [bad.id]
            assert again.site.scorer.pending == 0
        async with serving(Same(store), games=GAMES) as whole:
            assert without_names(await asked(whole)) == wanted

    run(body())


@pytest.mark.parametrize("turn", ["told", "judged"])
def test_a_table_about_which_the_rules_think_for_too_long_is_left_out_and_the_next_one_counts(turn):
    async def body():
        async with opened() as site:
            tables = [await seat(site, "straws", 2) for _ in range(2)]
            for table in tables:
                await table.play_out(Random(1))
            calls, wanted = 0, 3 if turn == "told" else tables[0].live.seq + 3

            def run_rules(work):
                nonlocal calls
                calls += 1
                if calls == wanted:
                    raise Overrun
                return work()

            scorer = Scorer(site.tables, site.lobby, run_rules)
            scorer.start()
            await scorer.done()
            assert scorer.standings.tables() == 1
            assert tables[1].id in scorer.standings
            await scorer.stop()

    run(body())


def test_what_the_lobby_takes_for_ended_and_has_no_outcome_counts_nowhere():
    async def body():
        async with opened() as site:
            table = await seat(site, "straws", 2)
            line = msgspec.structs.replace(site.lobby.get(table.id), status="ended")
            lobby = Lobby()
            lobby.put(line)
            scorer = Scorer(site.tables, lobby, at_once)
            scorer.start()
            await scorer.done()
            assert (scorer.standings.tables(), scorer.pending) == (0, 0)
            await scorer.stop()

    run(body())
