"""Looking back: `view?at=` shows what the same reader saw then, from memory, from a snapshot, and after a restart."""

from contextlib import AsyncExitStack
from random import Random

import pytest

from events.memory import MemoryStore
from events.sqlite import SqliteStore
from games.table.house import House
from server.tables import history
from server.tables.live import LiveTable
from tests.server.live_support import entries, opened, run, seat
from tests.server.live_wire import serving
from tests.server.test_live_follow import follow

TALK = House(whispers=True)
SEATS = 4
EVERYBODY = [*range(SEATS), None]


@pytest.fixture(params=["memory", "sqlite"])
def reopen(request, tmp_path):
    """Gives the store, and after a restart the same again."""
    kept = MemoryStore()

    class Same(MemoryStore):
        """The same logs, open again."""

        def __init__(self):
            super().__init__()
            self.__dict__.update({**kept.__dict__, "_closed": False})

    async def memory():
        return Same()

    async def sqlite():
        return await SqliteStore.open(tmp_path / "log.sqlite")

    return memory if request.param == "memory" else sqlite


async def watched_game(town, table, rng):
    """Plays to the end, and answers what each audience was shown at each entry."""
    async with AsyncExitStack() as stack:
        readers = {who: await follow(stack, town, table, who, "json", after=None) for who in EVERYBODY}
        for reader in readers.values():
            await reader.receive()
        await table.play_out(rng, around=0.3)
        for reader in readers.values():
            await reader.end()
        return {who: reader.sight.shown for who, reader in readers.items()}


async def looks_the_same(town, table, shown):
    for who, views in shown.items():
        for seq, view in views.items():
            assert await town.view(table, who, at=seq) == view, (who, seq)


@pytest.mark.parametrize("game", ["tribunal", "harbour"])
def test_looking_back_at_every_entry_shows_each_audience_what_it_was_shown_then(game, reopen, monkeypatch, tmp_path):
    monkeypatch.setattr(history, "STEPS", 4)
    monkeypatch.setattr(history, "INTERVAL", 8)
    kept = {"accounts": str(tmp_path / "accounts")}

    async def body():
        async with serving(await reopen(), **kept) as town:
            table = await town.table(game, SEATS, TALK)
            shown = await watched_game(town, table, Random(game))
            await looks_the_same(town, table, shown)
            tokens = town.tokens
        async with serving(await reopen(), **kept) as town:
            town.tokens = tokens
            await looks_the_same(town, table, shown)

    run(body())


def test_looking_back_folds_at_most_one_interval(monkeypatch):
    monkeypatch.setattr(history, "STEPS", 2)
    monkeypatch.setattr(history, "INTERVAL", 8)
    folded = []
    receive = LiveTable.receive

    async def body():
        async with opened() as site:
            table = await seat(site, "tribunal", SEATS)
            await table.play_out(Random(41), around=0.3)
            monkeypatch.setattr(
                LiveTable, "receive", lambda live, entry: (folded.append(entry.seq), receive(live, entry))[1]
            )
            for seq in range(1, table.live.seq + 1):
                folded.clear()
                position = await site.tables.position_at(table.live, seq)
                assert position.seq == seq
                assert len(folded) < 8

    run(body())


def test_positions_read_from_the_log_are_those_that_were_decided(monkeypatch):
    monkeypatch.setattr(history, "INTERVAL", 8)

    async def body():
        store, decided = MemoryStore(), {}
        async with opened(store) as site:
            site.tables.watch(lambda _live, step: decided.update({step.after.seq: step.after}))
            table = await seat(site, "tribunal", SEATS, house=TALK)
            await table.play_out(Random(42), around=0.3)
            log = await entries(site, table.id)
            async with opened(store) as again:
                live = await again.tables.load(table.id)
                assert [step.entry for step in live.history.since(0)] == log
                for seq in range(1, len(log) + 1):
                    assert await again.tables.position_at(live, seq) == decided[seq]

    run(body())


def test_before_the_start_there_is_no_game_to_look_back_at():
    async def body():
        async with serving() as town:
            table = await town.table("tribunal", SEATS)
            for who in EVERYBODY:
                for seq in range(1, table.live.seq):
                    view = await town.view(table, who, at=seq)
                    assert (view["game"], view["status"], view["seq"]) == (None, "open", seq)

    run(body())


def test_nobody_looks_beyond_the_head_or_before_the_first_entry():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 2)
            beyond = await town.get(table, 0, "view", at=table.live.seq + 1)
            assert (beyond.status_code, beyond.json()["code"]) == (412, "log_forked")
            for at in (0, -1, "x"):
                assert (await town.get(table, 0, "view", at=at)).status_code == 400

    run(body())
