"""Logs that the rules at hand cannot read: readable to the last good entry, shown as frozen, to be abandoned, no trouble."""

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import msgspec
import pytest
from click.testing import CliRunner

import cli
from events.archive import read
from events.chain import check_reading, read_as, seal
from events.memory import MemoryStore
from events.sqlite import SqliteStore
from games import tribunal
from games.core import Refused
from games.table import actions as act
from games.table.house import House
from projections.bare import bare
from server.tables import history
from tests.games import sample, sample_plain
from tests.server.live_faults import faulty
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


def over_one_file(folder):
    """The settings of a server whose log and accounts outlive it."""
    return {"store": f"sqlite:{folder / 'log.sqlite'}", "accounts": str(folder / "accounts")}


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


# --- Every route, over a file, after a restart --------------------------------------------------------


def rotten():
    """Harbour whose rules were changed wrongly: no ship that was admitted before is understood any more."""

    def evolve(state, event):
        if isinstance(event, sample.Admitted):
            raise KeyError(event.pier)
        return sample.evolve(state, event)

    return faulty(evolve=evolve)


def strange(event, seq, table, last):
    """An entry as a server of another age would write it."""
    body = {"action": {"type": "say", "text": "?"}, "at": said(last)["at"], "by": 0, "events": [event]}
    data = msgspec.json.encode({**body, "seq": seq, "table": table}, order="sorted")
    return seal(seq, last.head, {"full": data}, bytes(32))


class Broken:
    """A table that was begun, and a server that cannot read it any more: because of an event that it does not know, of rules
    that were changed wrongly, or of rules that it does not have. `good`: the last entry that it can read exactly.
    """

    def __init__(self, folder, how, game="harbour"):
        self.how, self.game = how, game
        self.settings = over_one_file(folder)
        self.games = {"kraken": GAMES, "later": GAMES, "rotten": (tribunal, rotten()), "stranger": OTHERS}[how]
        self.good = 0
        self.before = {}

    async def begin(self, ended=False):
        async with serving(**self.settings) as town:
            self.table = await (town.table(self.game, 4) if self.game == "tribunal" else town.table(self.game, 3))
            self.tokens = town.tokens
            rng = Random(3)
            while not ended and self.table.live.seq < 20:
                await self.table.move(rng, around=0.2)
            if ended:
                await self.table.play_out(rng)
            else:
                self.before = {who: await town.view(self.table, who) for who in (None, 0)}
        store = await SqliteStore.open(Path(self.settings["store"].removeprefix("sqlite:")))
        log = await store.read(self.table.id, 0, 10_000)
        unknown = {"kraken": KRAKEN, "later": LATER}.get(self.how)
        if unknown is not None:
            entry = strange(unknown, len(log) + 1, self.table.id, log[-1])
            await store.append(self.table.id, len(log), entry, bytes(32))
            self.good = len(log)
        elif self.how == "rotten":
            self.good = next(entry.seq for entry in log if b'"type":"admitted"' in entry.versions["full"]) - 1
        self.last = (await store.read(self.table.id, 0, 10_000))[-1].seq
        await store.close()

    @asynccontextmanager
    async def served(self):
        async with serving(games=self.games, **self.settings) as town:
            town.tokens = self.tokens
            yield town

    def can_tell(self):
        """Whether some of it can be told by the rules."""
        return self.good > 0


BREAKS = ["kraken", "rotten", "stranger"]
every_break = pytest.mark.parametrize("how", BREAKS)


async def archived(town, table, who=None):
    """A table's archive, its chain checked."""
    answer = await town.get(table, who, "archive")
    assert answer.status_code == 200, answer.text
    header, lines = read([answer.content])
    return header, list(lines), answer.content


@every_break
def test_a_table_that_cannot_be_read_after_a_restart_is_told_up_to_its_last_good_entry(tmp_path, how):
    async def body():
        broken = Broken(tmp_path, how)
        await broken.begin()
        async with broken.served() as town:
            table, good, last = broken.table, broken.good, broken.last
            assert (await town.http.get(f"/v1/tables/{table.id}")).json()["status"] == "frozen"
            for who in (None, 0):
                view = await town.view(table, who)
                assert (view["status"], view["game"], view["seq"]) == ("frozen", None, last)
                early = await town.view(table, who, at=good or 5)
                assert (early["game"] is not None) == broken.can_tell()
            if how == "kraken":
                assert {who: await town.view(table, who, at=good) for who in (None, 0)} == broken.before
            for path in ("ledger", "promises", "bribes", "fairness"):
                answer = await town.get(table, 0, path)
                assert (answer.status_code, answer.json()["code"]) == (409, "frozen"), path
            early = await town.get(table, 0, "ledger", at=good or 5)
            assert early.status_code == (200 if broken.can_tell() else 409)
            assert (await town.get(table, 0, "disputes")).json()["strikable"] == []
            assert [ask["type"] for ask in (await town.get(table, 0, "asks")).json()["asks"]] == ["abandon", "leave"]

    run(body())


@every_break
def test_the_log_and_the_archive_of_a_table_that_cannot_be_read_are_whole(tmp_path, how):
    async def body():
        broken = Broken(tmp_path, how)
        await broken.begin()
        async with broken.served() as town:
            table, last = broken.table, broken.last
            page = (await town.get(table, 0, "log", limit=1000)).json()
            assert (len(page["entries"]), page["seq"]) == (last, last)
            one = (await town.get(table, 0, f"log/{last}")).json()
            assert one == page["entries"][-1]
            assert (one["entry"]["events"] == [KRAKEN]) == (how == "kraken")
            for who, audience in ((0, 0), (None, "public")):
                header, lines, _ = await archived(town, table, who)
                assert (header.audience, header.last_seq, len(lines)) == (audience, last, last)
                told = (await town.get(table, who, "verify")).json()
                assert (told["ok"], told["entries"]) == (True, last)
                assert {each["name"]: each["why"] for each in told["checks"]}["adjudication"] == "not_all"
            async with town.socket(table, 0, after=0) as reader, town.stream(table, None, after=0) as listener:
                await reader.reach(last)
                await listener.reach(last)
                assert reader.view == await town.view(table, 0)
                assert listener.view == await town.view(table, None)

    run(body())


@every_break
@pytest.mark.parametrize("by", ["operator", "players"])
def test_a_table_that_cannot_be_read_is_abandoned_and_then_its_seed_and_its_log_are_open(tmp_path, how, by):
    async def body():
        broken = Broken(tmp_path, how)
        await broken.begin()
        async with broken.served() as town:
            table = broken.table
            if by == "operator":
                operator = town.person("Operator", "operate", "read")
                assert (await town.post(table, operator, "abandon", {})).status_code == 201
            else:
                for number in range(3):
                    answer = await town.post(table, number, "actions", {"type": "abandon", "agree": True})
                    assert answer.status_code == 201, answer.text
            assert (await town.view(table, None))["status"] == "abandoned"
            last = (await town.get(table, None, "log", limit=1000)).json()["entries"][-1]["entry"]["events"]
            assert [event["type"] for event in last][-2:] == ["abandoned", "seed_disclosed"]
            header, lines, file = await archived(town, table)
            assert header.audience == "all"
            assert last[-1]["seed"].encode() in lines[0].body
            told = (await town.get(table, None, "verify")).json()
            expected = {
                "kraken": (False, broken.good + 1),
                "rotten": (False, broken.good + 1),
                "stranger": (True, None),
            }
            assert (told["ok"], (told["first"] or {}).get("seq")) == expected[how]
            assert told["checks"][0] == {"name": "chain", "status": "passed", "checked": len(lines), "why": None}
        async with broken.served() as town:  # and so it stays
            assert (await town.view(broken.table, 1))["status"] == "abandoned"
            assert (await archived(town, broken.table))[2] == file
            assert (await town.post(broken.table, 0, "fork", {"at": broken.good or 5})).status_code in (201, 409)
            assert (await town.post(broken.table, 0, "actions", {"type": "say", "text": "x"})).json()["code"] == "ended"

    run(body())


@pytest.mark.parametrize("how", ["rotten", "stranger"])
def test_a_table_that_had_ended_and_cannot_be_read_any_more_stays_ended_and_open(tmp_path, how):
    async def body():
        broken = Broken(tmp_path, how)
        await broken.begin(ended=True)
        async with broken.served() as town:
            table = broken.table
            view = await town.view(table, None)
            assert (view["status"], view["game"]) == ("ended", None)
            assert (await town.http.get(f"/v1/tables/{table.id}")).json()["result"]
            header, _, _ = await archived(town, table)
            assert header.audience == "all"
            assert (await town.get(table, None, "ledger")).json()["code"] == "frozen"

    run(body())


def test_a_table_that_a_later_server_went_on_with_ends_here_at_its_last_good_entry_and_is_left_to_that_server(tmp_path):
    async def body():
        broken = Broken(tmp_path, "later")
        await broken.begin()
        async with broken.served() as town:
            table, good = broken.table, broken.good
            assert {who: {**await town.view(table, who), "status": "playing"} for who in (None, 0)} == broken.before
            assert len((await town.get(table, 0, "log", limit=1000)).json()["entries"]) == good
            assert (await town.get(table, 0, f"log/{good + 1}")).status_code == 404
            header, lines, _ = await archived(town, table, 0)
            assert (header.last_seq, len(lines)) == (good, good)
            for path in ("ledger", "promises", "bribes", "fairness", "verify", "disputes"):
                assert (await town.get(table, 0, path)).status_code == 200, path
            operator = town.person("Operator", "operate", "read")
            refused = await town.post(table, operator, "abandon", {})
            assert (refused.status_code, refused.json()["code"]) == (409, "frozen")
            assert len(await town.site.store.read(table.id, 0, 1000)) == good + 1

    run(body())


def verify_file(folder, data, *words):
    """`comitium verify`, as anybody calls it: how it ends, and what it says."""
    path = folder / "table.jsonl"
    path.write_bytes(data)
    done = CliRunner().invoke(cli.main, ["verify", str(path), *words])
    return done.exit_code, done.output


@pytest.mark.parametrize(("how", "code", "words"), [
    ("kraken", 1, ("chain        passed", "first difference: entry {bad}, line {line}", "this log does not hold")),
    ("stranger", 0, ("chain        passed", "adjudication not checked", "rules_not_shipped")),
])  # fmt: skip
def test_the_command_says_which_entry_cannot_be_decided_again_and_ends_accordingly(tmp_path, how, code, words):
    """Of a game that it does not know it checks all that needs no rules, and says that the rest was not checked."""

    async def body():
        broken = Broken(tmp_path, how, "tribunal" if how == "kraken" else "harbour")
        await broken.begin()
        async with broken.served() as town:
            operator = town.person("Operator", "operate", "read")
            assert (await town.post(broken.table, operator, "abandon", {})).status_code == 201
            return broken, (await archived(town, broken.table))[2]

    broken, data = asyncio.run(body())
    ended, output = verify_file(tmp_path, data)
    assert ended == code, output
    for each in words:
        assert each.format(bad=broken.good + 1, line=broken.good + 2) in output


@pytest.mark.parametrize("kind", ["house", "seat"])
def test_a_first_entry_of_a_later_server_is_no_table_here_and_stops_no_start(tmp_path, kind):
    """A house rule or a seat that this server does not know."""

    async def body():
        settings = over_one_file(tmp_path)
        async with serving(**settings) as town:
            table = await town.table("straws", 2)
            (first,) = await town.site.store.read(table.id, 0, 1)
            plain = said(first)
            plain["table"] = plain["events"][0]["table"] = "00-" + "b" * 16
            if kind == "house":
                plain["events"][0]["house"]["lanterns"] = 3
            else:
                plain["events"][-1]["seat"] = 9
            data = msgspec.json.encode(plain, order="sorted")
            await town.site.store.append(plain["table"], 0, seal(1, bytes(32), {"full": data}, bytes(32)), bytes(32))
        async with serving(**settings) as town:
            assert (await town.http.get(f"/v1/tables/{plain['table']}")).status_code == 404
            assert (await town.http.get(f"/v1/tables/{plain['table']}/view")).status_code == 404
            assert (await town.http.get(f"/v1/tables/{table.id}/view")).status_code == 200

    run(body())
