"""What is counted, over a real server; and that nothing is counted by anything that users choose."""

import asyncio
import re
from pathlib import Path
from typing import get_args

import pytest
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from games import tribunal
from games.table.house import Status
from server.bots import NoBots
from server.metrics import RESULTS, Metrics, Transport
from server.problems import CODES
from server.tables.service import FreezeReason
from tests.games import sample_plain
from tests.server.live_faults import SOUTH, endless, failing, faulty
from tests.server.live_support import House, lay, run, until
from tests.server.live_wire import NDJSON, serving
from tests.server.test_live_slow import stuck, talk_until

OPERATING = Path(__file__).parents[2] / "docs" / "operating.md"

BUG = failing(RuntimeError())
LOOP = endless()


def parsed(text):
    """Every sample: its name and the values of its labels, in alphabetical order of these."""
    return {
        (sample.name, *[value for _, value in sorted(sample.labels.items())]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def samples(metrics):
    return parsed(metrics.render()[0].decode())


async def figures(town):
    """What the server says of itself, without its prefix."""
    answer = await town.http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return {(name.removeprefix("comitium_"), *labels): value for (name, *labels), value in parsed(answer.text).items()}


def plain(name):
    """A histogram has three kinds of samples."""
    return re.sub(r"_(bucket|count|sum)$", "", name)


class Moved:
    """How the figures have changed since."""

    def __init__(self, before):
        self.before = before
        self.after = before

    async def look(self, town):
        self.after = await figures(town)
        assert self.after.keys() == self.before.keys(), "the series are fixed from the start"
        return self

    def __getitem__(self, what):
        key = what if isinstance(what, tuple) else (what,)
        return self.after[key] - self.before[key]

    async def wait(self, town, *what):
        """Looks until that has moved."""
        while not (await self.look(town))[what]:  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.01)

    def all(self):
        """The metrics that have moved, each by its name in the documents."""
        return {plain(name) for name, *labels in self.after if not name.startswith("process_") and self[name, *labels]}


class OneBot(NoBots):
    """A house with one bot that only sits there."""

    names = ("random",)


async def game_over(town, moved):
    """A game by REST, socket and stream, with a look at what it did to the figures."""
    table = await town.table("straws", 2, begun=False)
    for body in ({"seat": 1, "entropy": "ab" * 32}, {"seat": 1}):
        await town.post(table, 1, "seats", body)
    async with town.socket(table, 0) as livia, town.stream(table, 1, media=NDJSON) as marcus:
        await livia.act({"type": "keep"})
        await livia.act({"type": "keep"})
        await marcus.reach(table.live.seq)
        await until(lambda: town.site.commands.metrics.frames >= 5)
        await moved.look(town)
        assert moved["sockets_open"] == 2
        assert moved["tables", "playing"] == 1
        await town.post(table, 1, "actions", {"type": "keep"})
        assert await livia.end() == 1000
        await marcus.end()
    await until(lambda: not len(town.site.commands.sockets))
    await moved.look(town)
    assert table.over
    assert moved["tables", "ended"] == 1
    assert moved["sockets_open"] == 0
    assert moved["frames_sent_total"] == len(livia.raw) + len(marcus.sight.frames)
    return table


def test_a_game_moves_every_figure_that_it_should():
    async def body():
        async with serving() as town:
            moved = Moved(await figures(town))
            table = await game_over(town, moved)
            assert moved["log_entries_total"] == table.live.seq
            # by REST he sits down, sits down again, which is refused, and keeps; by the socket she keeps twice
            assert moved["commands_total", "accepted", "rest"] == 2
            assert moved["commands_total", "accepted", "socket"] == 1
            assert moved["commands_total", "refused", "socket"] == 1
            assert moved["command_seconds_count", "rest"] == 3
            assert moved["command_seconds_count", "socket"] == 2
            assert moved["command_seconds_sum", "rest"] > 0
            assert moved["problems_total", "refused"] == 1 + moved["commands_total", "refused", "rest"]

    run(body())


def test_all_that_one_does_around_a_game_is_counted():
    async def body():
        async with serving() as town:
            moved = Moved(await figures(town))
            livia, marcus, operator = town.person("Livia"), town.person("Marcus"), town.person("Op", "operate", "read")

            def headers(who):
                return {"Authorization": f"Bearer {town.tokens[who]}", "Idempotency-Key": "k"}

            async def counted(result, answer, who="rest"):
                await moved.look(town)
                assert answer.status_code < 500, answer.text
                number = moved["commands_total", result, who]
                moved.before = moved.after
                return number

            for result in ("accepted", "replayed"):
                opened = await town.http.post("/v1/tables", json={"game": "straws", "seats": 3}, headers=headers(livia))
                assert await counted(result, opened) == 1
            path = opened.headers["location"]
            sat = await town.http.post(f"{path}/seats", json={"seat": 1}, headers=headers(marcus))
            assert await counted("accepted", sat) == 1
            given = await town.http.post(
                f"{path}/seats", json={"entropy": "cd" * 32}, headers={**headers(marcus), "Idempotency-Key": "e"}
            )
            assert await counted("accepted", given) == 1
            risen = await town.http.delete(f"{path}/seats/1", headers={**headers(marcus), "Idempotency-Key": "r"})
            assert await counted("accepted", risen) == 1
            assert moved.after["tables", "open"] == 1
            closed = await town.http.post(f"{path}/abandon", headers=headers(operator))
            assert await counted("accepted", closed) == 1
            assert moved.after["tables", "abandoned"] == 1
            assert moved.after["log_entries_total",] == 5
            again = await town.http.post(f"{path}/abandon", headers={**headers(operator), "Idempotency-Key": "l"})
            assert again.status_code == 409
            assert await counted("ended", again) == 1
            wrong = await town.http.post(
                "/v1/tables", json={"game": "straws", "seats": 2, "options": {"x": 1}}, headers=headers(marcus)
            )
            assert await counted("invalid", wrong) == 1

    run(body())


@pytest.mark.expects_errors("rules_failed")
@pytest.mark.parametrize(("game", "reason"), [(BUG, "rules"), (LOOP, "overrun")])
def test_a_frozen_table_is_counted_by_the_reason_that_its_log_has(game, reason):
    async def body():
        async with serving(games=(game,), decision_seconds=0.2) as town:
            moved = Moved(await figures(town))
            table = await harbour_of(town)
            async with town.socket(table, table.game.warden) as reader:
                answer = await reader.act(SOUTH)
            assert answer["problem"]["code"] == "frozen"
            await moved.look(town)
            assert {why: moved["tables_frozen_total", why] for why in get_args(FreezeReason)} == {
                "rules": reason == "rules",
                "overrun": reason == "overrun",
            }
            assert moved["tables", "frozen"] == 1
            assert moved["commands_total", "frozen", "socket"] == 1
            assert moved["problems_total", "frozen"] == 1
            assert moved["log_entries_total"] == table.live.seq

    run(body())


async def harbour_of(town):
    table = await town.table("harbour", 3)
    await lay(table)
    return table


@pytest.mark.parametrize("absent", ["chance", "bot"])
def test_what_the_server_does_by_itself_is_counted(absent):
    async def body():
        async with serving(bots=OneBot()) as town:
            moved = Moved(await figures(town))
            table = await town.table("harbour", 3, House(absent=absent))
            await town.post(table, 0, "actions", {"type": "leave"})
            await moved.wait(town, "commands_total", "accepted", "server")
            assert moved["command_seconds_count", "server"] >= 1

    run(body())


def test_a_slow_reader_is_counted():
    async def body():
        async with serving(socket_queue=8) as town:
            moved = Moved(await figures(town))
            table = await town.table("straws", 3)
            async with stuck(town, table, 0) as (slow, resume):
                await talk_until(table, lambda: not table.live.followers)
                resume()
                assert await slow.end() == 1013
            await moved.wait(town, "slow_readers_closed_total")
            assert moved["slow_readers_closed_total"] == 1
            assert moved["problems_total", "unavailable"] == 1

    run(body())


def test_problems_count_wherever_they_are_told():
    async def body():
        async with serving(games=(sample_plain, tribunal)) as town:
            moved = Moved(await figures(town))
            table = await town.table("straws", 2)

            async def count(code):
                await moved.look(town)
                number = moved["problems_total", code]
                moved.before = moved.after
                return number

            await town.http.get("/nowhere")
            assert await count("not_found") == 1
            async with town.socket(table, 0, after=99) as ahead:  # told as a frame
                assert await ahead.end() == 1008
            assert await count("log_forked") == 1
            async with town.stream(table, 0, after=99):  # told as an answer
                pass
            assert await count("log_forked") == 1
            async with town.socket(table, 0) as reader:
                await reader.send("{")
                while not reader.problems and not reader.answers:
                    await reader.receive()
            assert await count("malformed") == 1
            table.id, kept = "00-aaaaaaaaaaaaaaaa", table.id
            async with town.socket(table, 0) as stranger:  # turned away at the door
                assert await stranger.end() == 1008
            assert await count("not_found") == 1
            table.id = kept

    run(body())


def test_a_token_that_ends_is_a_problem_on_its_stream():
    async def body():
        async with serving(keepalive_seconds=0.1) as town:
            moved = Moved(await figures(town))
            table = await town.table("straws", 2)
            async with town.stream(table, 0) as listener:
                await listener.receive()
                who = town.site.accounts.principal(town.token(table, 0))
                town.site.accounts.revoke(who.player, who.token_id)
                await listener.end()
            assert listener.problems
            await moved.look(town)
            assert moved["problems_total", "unauthorized"] == 1
            assert moved["frames_sent_total"] == 2

    run(body())


def test_what_is_read_from_the_log_at_a_start_counts_as_tables_and_not_as_entries(tmp_path):
    kept = {"store": f"sqlite:{tmp_path / 'log.sqlite'}", "accounts": str(tmp_path / "accounts")}

    async def body():
        async with serving(**kept) as town:
            table = await town.table("straws", 2)
            lone = await town.table("straws", 2, begun=False)
            assert (await figures(town))["log_entries_total",] == table.live.seq + lone.live.seq
        async with serving(**kept) as town:
            for each in (table, lone):
                assert (await town.http.get(f"/v1/tables/{each.id}/view")).status_code == 200
            now = await figures(town)
            assert now["log_entries_total",] == 0
            assert (now["tables", "playing"], now["tables", "open"]) == (1, 1)

    run(body())


@pytest.mark.expects_errors("rules_failed")
def test_every_metric_moves_and_stands_in_the_documents():
    async def body():
        fault = faulty(decide=BUG.decide)
        async with serving(games=(fault, sample_plain), socket_queue=8) as town:
            moved = Moved(await figures(town))
            await game_over(town, moved)
            table = await harbour_of(town)
            await town.post(table, table.game.warden, "actions", SOUTH)
            slow = await town.table("straws", 3)
            async with stuck(town, slow, 0) as (reader, resume):
                await talk_until(slow, lambda: not slow.live.followers)
                resume()
                await reader.end()
            await moved.wait(town, "slow_readers_closed_total")
            async with town.socket(slow, 1) as other:
                await other.receive()
                await moved.look(town)
            assert moved.all() == {plain(name) for name, *_ in moved.after if not name.startswith("process_")}
            said = OPERATING.read_text("utf-8")
            assert {f"comitium_{name}" for name in moved.all()} == set(re.findall(r"`(comitium_[a-z_]+)", said))

    run(body())


# --- Labels -------------------------------------------------------------------------------------------


def test_an_app_counts_for_itself():
    one, two = Metrics(), Metrics()
    one.problem("stale")
    assert samples(one)["comitium_problems_total", "stale"] == 1
    assert samples(two)["comitium_problems_total", "stale"] == 0
    assert not [name for name in REGISTRY._names_to_collectors if name.startswith("comitium")]


def test_the_number_of_series_is_fixed_from_the_start():
    found = {}
    metrics = Metrics(lambda: found)
    before = samples(metrics).keys()
    for transport in get_args(Transport):
        for result in RESULTS:
            metrics.command(transport, result, 1.0)
    for code in CODES:
        metrics.problem(code)
    for reason in get_args(FreezeReason):
        metrics.frozen(reason)
    found.update(dict.fromkeys(get_args(Status), 2))
    assert samples(metrics).keys() == before


@pytest.mark.parametrize(
    "count",
    [
        lambda m, text: m.command("rest", text, 1.0),
        lambda m, text: m.command(text, "accepted", 1.0),
        lambda m, text: m.problem(text),
        lambda m, text: m.frozen(text),
    ],
)
def test_no_text_from_outside_becomes_a_label(count):
    metrics = Metrics(lambda: {"canary": 1})
    with pytest.raises(KeyError):
        count(metrics, "canary")
    assert b"canary" not in metrics.render()[0]
