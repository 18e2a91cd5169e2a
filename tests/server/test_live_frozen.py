"""A table whose rules fail is frozen with a reason in its log: readable, to be abandoned, and no trouble to the others."""

import asyncio
import logging
import threading
from random import Random

import msgspec
import pytest

from events.memory import MemoryStore
from games.core import Refused
from games.table import actions as act
from server.tables.bound import Bound, Overrun
from server.tables.errors import TableFrozen
from tests.server.live_faults import NORTH, SOUTH, endless, failing, faulty, minting, spoilt, stuck, unwritable
from tests.server.live_process import house
from tests.server.live_support import entries, harbour, lay, opened, run, said, seat
from tests.server.live_wire import serving

pytestmark = pytest.mark.expects_errors("rules_failed")
"""That something is wrong here is logged as an error."""

ERRORS = [
    RuntimeError("x"), KeyError("red-3"), AttributeError("x"), NotImplementedError(), AssertionError(), RecursionError(),
    ZeroDivisionError(), StopIteration(), TypeError(), UnicodeError(), msgspec.ValidationError("x"), MemoryError(),
    NameError("x"), OSError(), TimeoutError(), asyncio.QueueFull(),
]  # fmt: skip

SPOILT = ["evolve", "redact", "asks", "windows", "outcome", "purses"]


async def frozen(site, game_table):
    """Lets the warden do what the rules cannot take."""
    with pytest.raises(TableFrozen):
        await game_table.do(game_table.game.warden, SOUTH)
    last = said((await entries(site, game_table.id))[-1])
    assert (last["by"], last["action"]["type"]) == ("server", "freeze")
    assert game_table.status == "frozen"
    return last["action"]["reason"]


def with_game(game, **settings):
    """Runs the test with a site that knows this game."""

    def wrap(test):
        def wrapped():
            async def body():
                async with opened(games=(game,), **settings) as site:
                    await test(site)

            run(body())

        return wrapped

    return wrap


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_decision_that_fails_in_any_way_freezes_its_table(error):
    @with_game(failing(error))
    async def test(site):
        table = await harbour(site)
        seq = table.live.seq
        assert await frozen(site, table) == "rules"
        assert table.live.seq == seq + 1

    test()


@pytest.mark.parametrize("part", SPOILT)
def test_rules_that_fail_beside_the_decision_freeze_their_table(part):
    @with_game(spoilt(part))
    async def test(site):
        assert await frozen(site, await harbour(site)) == "rules"

    test()


@pytest.mark.parametrize("game", [minting(), stuck(), unwritable()], ids=["minting", "stuck", "unwritable"])
def test_rules_that_break_a_law_freeze_their_table(game):
    @with_game(game)
    async def test(site):
        assert await frozen(site, await harbour(site)) == "rules"

    test()


@pytest.mark.parametrize("stubborn", [False, True])
def test_a_decision_that_never_ends_is_ended_in_the_main_thread(stubborn):
    assert threading.current_thread() is threading.main_thread()

    @with_game(endless(stubborn=stubborn), decision_seconds=0.1)
    async def test(site):
        assert await frozen(site, await harbour(site)) == "overrun"

    test()


@pytest.mark.parametrize("stubborn", [False, True])
def test_a_decision_that_never_ends_is_ended_in_another_thread(stubborn):
    @with_game(endless(stubborn=stubborn), decision_seconds=0.1)
    async def test(site):
        assert await frozen(site, await harbour(site)) == "overrun"
        other = await harbour(site)
        assert (await other.do(other.game.warden, NORTH)).entry

    in_another_thread(test)


ENDLESS = """
import server.serve
from games import Catalogue
from tests.server.live_faults import endless

server.serve.with_extras = lambda _modules: Catalogue((endless(),))
"""


def test_a_decision_that_never_ends_stops_no_real_server(tmp_path):
    async def body():
        async with house(tmp_path) as server:
            await server.start(ENDLESS, COMITIUM_DECISION_SECONDS="0.2")
            tables = [await server.table(2, "harbour") for _ in range(2)]
            codes = []
            for (table, tokens), pier in zip(tables, ("south", "north"), strict=True):
                path = f"/v1/tables/{table}"
                for number, token in enumerate(tokens):
                    view = await server.http.get(f"{path}/view", headers={"Authorization": f"Bearer {token}"})
                    card = view.json()["game"]["hands"][number][0]
                    await server.post(token, f"{path}/actions", {"type": "lay", "card": card})
                warden = (await server.http.get(f"{path}/view")).json()["game"]["warden"]
                answer = await server.post(tokens[warden], f"{path}/actions", {"type": "admit", "pier": pier})
                codes.append((answer.status_code, answer.json().get("code")))
            assert codes == [(409, "frozen"), (201, None)]

    run(body())


def test_a_frozen_table_can_be_read_and_the_others_go_on():
    @with_game(failing(RuntimeError()))
    async def test(site):
        bad, good = await harbour(site), await harbour(site)
        before = bad.now
        await frozen(site, bad)

        assert bad.now.sights == before.sights
        assert (await site.tables.position_at(bad.live, before.seq)) == before
        assert [ask.type for ask in bad.now.asks[0]] == ["abandon", "leave"]
        assert site.lobby.get(bad.id).status == "frozen"
        for action in (NORTH, SOUTH, {"type": "say", "text": "?"}):
            with pytest.raises(Refused) as refused:
                await bad.do(bad.game.warden, action)
            assert refused.value.code == "frozen"
        assert (await good.do(good.game.warden, NORTH)).entry

    test()


def test_the_people_of_a_frozen_table_can_abandon_it_together():
    @with_game(failing(RuntimeError()))
    async def test(site):
        table = await harbour(site)
        await frozen(site, table)
        for number in range(3):
            await table.do(number, {"type": "abandon", "agree": True})

        assert table.status == "abandoned"
        assert table.now.table.record.seed
        assert said((await entries(site, table.id))[-1])["events"][-1]["type"] == "seed_disclosed"

    test()


def test_the_operator_can_abandon_a_frozen_table():
    @with_game(failing(RuntimeError()))
    async def test(site):
        table = await harbour(site)
        await frozen(site, table)
        await table.do("operator", act.Close("operator"))

        assert table.status == "abandoned"

    test()


def test_a_table_stays_frozen_after_a_restart_even_if_the_rules_are_mended():
    async def body():
        store = MemoryStore()
        async with opened(store, games=(failing(RuntimeError()),)) as site:
            table = await harbour(site)
            await frozen(site, table)
            async with opened(store) as again:
                await table.on(again).load()

                assert table.on(again).status == "frozen"
                assert table.on(again).now == table.now

    run(body())


def test_a_game_that_cannot_begin_leaves_its_people_seated_at_a_frozen_table():
    def open_badly(*_):
        raise RuntimeError

    @with_game(faulty(open=open_badly))
    async def test(site):
        table = await seat(site, "harbour", 2, begun=False)
        answer = await table.do(1, act.Sit("p1", None, None))

        assert said(answer.entry)["action"]["player"] == "p1"
        assert table.status == "frozen"

    test()


def test_the_service_log_says_that_rules_failed_and_not_what_they_knew(caplog):
    @with_game(failing(KeyError("the card red-3")))
    async def test(site):
        await frozen(site, await harbour(site))

    with caplog.at_level(logging.DEBUG):
        test()
    assert any(record.message == "rules_failed" for record in caplog.records)
    assert "red-3" not in caplog.text


def test_over_the_wire_a_frozen_table_says_what_it_is():
    async def body():
        async with serving(games=(failing(RuntimeError()),)) as town:
            table = await town.table("harbour", 3)
            await lay(table)
            warden = table.game.warden
            async with town.socket(table, warden) as reader, town.stream(table) as listener:
                answer = await reader.act(SOUTH)
                await reader.reach(table.live.seq)
                await listener.reach(table.live.seq)
                assert answer["problem"]["code"] == "frozen"
                assert answer["problem"]["status"] == 409
                assert reader.view["status"] == listener.view["status"] == "frozen"
                assert reader.view == await town.view(table, warden)
                refused = await town.post(table, warden, "actions", NORTH)
                assert (refused.status_code, refused.json()["code"]) == (409, "frozen")
                line = (await town.http.get(f"/v1/tables/{table.id}")).json()
                assert line["status"] == "frozen"
                operator = town.person("Operator", "operate", "read")
                closed = await town.post(table, operator, "abandon", {})
                assert closed.status_code == 201, closed.text
                assert await reader.end() == 1000
                assert reader.view["status"] == "abandoned"

    run(body())


# --- The bound ----------------------------------------------------------------------------------------


def loops():
    while True:
        pass


def everywhere(work):
    """Runs it in the main thread, and in another one."""
    work()
    in_another_thread(work)


def in_another_thread(work):
    failed = []

    def guarded():
        try:
            work()
        except BaseException as error:  # noqa: BLE001  (told in the main thread)
            failed.append(error)

    thread = threading.Thread(target=guarded)
    thread.start()
    thread.join()
    assert failed == []


def test_work_within_the_bound_is_let_alone_and_its_result_given():
    def work():
        bound = Bound(0.1)
        bound.start()
        try:
            assert bound.run(lambda: 17) == 17
            with pytest.raises(KeyError):
                bound.run(lambda: {}["x"])
        finally:
            bound.stop()

    everywhere(work)


def test_after_work_that_took_too_long_nothing_else_is_interrupted():
    def work():
        bound, rng = Bound(0.02), Random(1)
        bound.start()
        try:
            for _ in range(60):
                turns = int(200_000 * rng.random())
                try:
                    bound.run(lambda turns=turns: sum(number for number in range(turns)))
                except Overrun:
                    continue
                sum(number for number in range(20_000))
            with pytest.raises(Overrun):
                bound.run(loops)
            sum(number for number in range(2_000_000))
        finally:
            bound.stop()

    everywhere(work)


@pytest.mark.parametrize("which", [0, 1])
def test_of_two_bounds_in_one_process_each_ends_its_own_work(which):
    """Whichever began first, and whichever has stopped meanwhile."""
    bounds = [Bound(0.2), Bound(0.2)]
    for bound in bounds:
        bound.start()
    try:
        with pytest.raises(Overrun):
            bounds[which].run(spin)
        bounds[1 - which].stop()
        with pytest.raises(Overrun):
            bounds[which].run(spin)
    finally:
        bounds[which].stop()
    assert bounds[which].run(lambda: 7) == 7


def spin():
    while True:
        pass
