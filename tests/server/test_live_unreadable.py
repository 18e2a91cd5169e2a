"""Logs that the rules at hand cannot read: readable to the last good entry, shown as frozen, to be abandoned, no trouble."""

import asyncio
from random import Random

import msgspec
import pytest

from events.chain import check_reading, read_as, seal
from events.memory import MemoryStore
from games import tribunal
from games.core import Refused
from games.table import actions as act
from games.table.house import House
from projections.bare import bare
from server.tables import history
from tests.games import sample_plain
from tests.server.live_support import GAMES, entries, harbour, opened, run, said, seat
from tests.server.live_wire import serving

pytestmark = pytest.mark.expects_errors("entry_unreadable")
"""That something is wrong here is logged as an error."""

OTHERS = (tribunal, sample_plain)
"""A catalogue without Harbour."""

KRAKEN = {"type": "kraken", "arms": 8}
LATER = {"type": "seated", "seat": 0, "player": "p0", "bot": None, "toga": "white"}
WORD = {"type": "said", "seat": 0, "text": "Is anybody there?"}


async def write(store, table, event, by=0):
    """An entry as a server of another age would write it."""
    log = await store.read(table.id, 0, 100_000)
    seq = len(log) + 1
    body = {"action": {"type": "say", "text": "?"}, "at": said(log[-1])["at"], "by": by, "events": [event]}
    data = msgspec.json.encode({**body, "seq": seq, "table": table.id}, order="sorted")
    await store.append(table.id, seq - 1, seal(seq, log[-1].head, {"full": data}, bytes(32)), seq.to_bytes(32, "big"))


def elsewhere(game="harbour", games=GAMES, **more):
    """Runs the test with a table that another server has begun, and with this one."""

    def wrap(test):
        def wrapped():
            async def body():
                store = MemoryStore()
                async with opened(store) as there:
                    table = await seat(there, game, 3)
                    await table.move(Random(1))
                    async with opened(store, games=games, **more) as here:
                        await test(store, table, table.on(here))

            run(body())

        return wrapped

    return wrap


def is_frozen(table, seq):
    assert table.status == "frozen"
    assert table.live.seq == seq
    assert [ask.type for ask in table.now.asks[0]] == ["abandon", "leave"]
    assert table.now.sights == (None,) * 4
    assert table.site.lobby.get(table.id).status == "frozen"


async def refuses(table, *actions):
    for action in actions:
        with pytest.raises(Refused) as refused:
            await table.do(0, action)
        assert refused.value.code == "frozen"


def test_an_unknown_event_freezes_the_table_here_and_what_was_before_stays_as_it_was():
    @elsewhere()
    async def test(store, there, here):
        good = there.live.seq
        await write(store, there, KRAKEN)
        await write(store, there, WORD)
        await here.load()

        is_frozen(here, good + 2)
        assert here.live.broken == good + 1
        for seq in range(1, good + 1):
            assert await here.site.tables.position_at(here.live, seq) == await there.site.tables.position_at(
                there.live, seq
            )
        assert (await here.site.tables.position_at(here.live, good + 1)).table.status == "frozen"
        await refuses(here, {"type": "say", "text": "x"}, {"type": "lay", "card": 1})

    test()


def test_an_unknown_event_that_comes_while_the_table_is_followed_is_shown_as_the_standstill_it_is():
    async def body():
        store = MemoryStore()
        async with serving(store) as town:
            table = await town.table("harbour", 3)
            async with town.socket(table, 0) as reader, town.stream(table) as listener:
                await reader.receive()
                await write(store, table, KRAKEN)
                await town.site.tables.catch_up(table.live)
                await reader.reach(table.live.seq)
                await listener.reach(table.live.seq)
                assert reader.view["status"] == listener.view["status"] == "frozen"
                assert reader.view == await town.view(table, 0)
                assert reader.view["game"] is None
                answer = await reader.act({"type": "say", "text": "?"})
                assert answer["problem"]["code"] == "frozen"
                page = (await town.get(table, 0, "log")).json()
                assert page["entries"][-1]["entry"]["events"] == [KRAKEN]
                for number in range(3):
                    await table.do(number, {"type": "abandon", "agree": True})
                assert await reader.end() == 1000
                assert reader.view == await town.view(table, 0)
                assert reader.view["status"] == "abandoned"

    run(body())


def test_a_table_whose_rules_are_not_shipped_is_shown_without_its_game():
    @elsewhere(games=OTHERS)
    async def test(_store, there, here):
        assert here.site.lobby.get(here.id).status == "frozen"
        await here.load()
        is_frozen(here, there.live.seq)
        assert here.now.table.record.holders == there.now.table.record.holders
        assert here.now.head == there.now.head
        await refuses(here, {"type": "say", "text": "x"})

    test()


def test_over_the_wire_a_table_without_rules_can_be_read_and_answers_frozen_to_whatever_is_tried(tmp_path):
    kept = {"accounts": str(tmp_path / "accounts")}

    async def body():
        store = MemoryStore()
        async with serving(store, **kept) as town:
            table = await town.table("harbour", 3, House(whispers=True))
            await table.move(Random(2))
            async with opened(store, games=OTHERS, **kept):
                pass
        async with serving(Same(store), games=OTHERS, **kept) as again:
            again.tokens = town.tokens
            view = await again.view(table, 1)
            assert (view["status"], view["game"], view["seat"]) == ("frozen", None, 1)
            line = (await again.http.get(f"/v1/tables/{table.id}")).json()
            assert (line["status"], line["game"]) == ("frozen", "harbour")
            page = (await again.get(table, 1, "log")).json()
            assert len(page["entries"]) == view["seq"]
            for action in ({"type": "lay", "card": 1}, {"type": "say", "text": "x"}):
                answer = await again.post(table, 1, "actions", action)
                assert (answer.status_code, answer.json()["code"]) == (409, "frozen"), answer.text
            async with again.socket(table, 1) as reader:
                assert (await reader.act({"type": "lay", "card": 1}))["problem"]["code"] == "frozen"
            assert (await again.get(table, 1, "asks")).json()["asks"][0]["type"] == "abandon"
            assert (await again.view(table, 1, at=1))["status"] == "frozen"

    run(body())


class Same(MemoryStore):
    """The logs of another store, open again."""

    def __init__(self, other):
        super().__init__()
        self.__dict__.update({**other.__dict__, "_closed": False})


def test_the_log_of_a_table_that_cannot_be_read_keeps_its_versions_and_its_chain():
    @elsewhere(games=OTHERS)
    async def test(store, _there, here):
        await here.load()
        head = bytes(32)
        for entry in await store.read(here.id):
            for audience in (None, 0, 1, 2):
                check_reading(read_as(entry, audience), head)
            head = entry.head
        assert head == here.live.head

    test()


@pytest.mark.parametrize("games", [OTHERS, GAMES])
def test_a_table_that_cannot_be_read_can_be_abandoned_and_opens_its_log(games):
    @elsewhere(games=games)
    async def test(store, there, here):
        await write(store, there, KRAKEN)
        await here.load()
        await here.do("operator", act.Close("operator"))

        assert here.status == "abandoned"
        assert here.now.table.record.seed
        assert here.now.asks == ((),) * 3
        assert here.site.lobby.get(here.id).status == "abandoned"

    test()


def test_what_others_write_to_a_table_that_cannot_be_read_here_is_followed_as_far_as_it_goes():
    @elsewhere(games=OTHERS)
    async def test(_store, there, here):
        await here.load()
        await there.do(0, {"type": "leave"})
        await there.do(0, act.Sit("heir", None, None))
        await here.site.tables.catch_up(here.live)

        assert here.now.table.record.holders[0].player == "heir"
        assert here.live.seq == there.live.seq

    test()


def test_an_entry_of_which_not_even_the_surroundings_can_be_read_ends_what_is_shown():
    @elsewhere()
    async def test(store, there, here):
        await here.load()
        good = here.live.seq
        for event in (LATER, WORD):
            await write(store, there, event)
        await here.site.tables.catch_up(here.live)

        assert (here.live.seq, here.status) == (good, "frozen")
        assert here.now.asks == ((),) * 3
        assert here.now.sights == there.now.sights
        await refuses(here, {"type": "say", "text": "x"}, {"type": "abandon", "agree": True})
        with pytest.raises(Refused):
            await here.do("operator", act.Close("operator"))

    test()


@pytest.mark.parametrize("event", [KRAKEN, LATER])
def test_a_server_starts_with_logs_that_it_cannot_read(event):
    async def body():
        store = MemoryStore()
        async with opened(store) as there:
            bad, good = await harbour(there), await harbour(there)
            await write(store, bad, event)
            async with opened(store) as here:
                assert here.lobby.get(good.id).status == "playing"
                await bad.on(here).load()
                assert here.lobby.get(bad.id).status == "frozen"
                await good.on(here).play_out(Random(3))

    run(body())


def test_looking_back_over_the_break_is_the_same_from_memory_and_from_the_log(monkeypatch):
    monkeypatch.setattr(history, "INTERVAL", 4)
    monkeypatch.setattr(history, "STEPS", 2)

    @elsewhere()
    async def test(store, there, here):
        for event in (KRAKEN, WORD, KRAKEN, WORD, WORD, KRAKEN, WORD):
            await write(store, there, event)
        await here.load()
        shown = {}
        position = None
        for entry in await entries(here.site, here.id):
            if entry.seq >= here.live.broken:
                position = bare(here.live.rules, position or there.now, entry)
                shown[entry.seq] = position.table
        for seq, expected in shown.items():
            assert (await here.site.tables.position_at(here.live, seq)).table == expected

    test()


def test_a_log_that_is_none_is_no_table_and_stops_nothing():
    async def body():
        store = MemoryStore()
        data = b'{"action":{"type":"x"},"at":1,"by":"server","events":[],"seq":1,"table":"00-aaaaaaaaaaaaaaaa"}'
        await store.append("00-aaaaaaaaaaaaaaaa", 0, seal(1, bytes(32), {"full": data}, bytes(32)), bytes(32))
        async with serving(store) as town:
            assert (await town.http.get("/v1/tables/00-aaaaaaaaaaaaaaaa")).status_code == 404
            table = await town.table("straws", 2)
            await asyncio.wait_for(table.play_out(Random(4)), 30)

    run(body())
