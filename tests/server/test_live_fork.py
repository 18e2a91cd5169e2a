"""Forks over the wire: who may go on from where, what the new people see, restarts, and what an audit says of it."""

from random import Random

import msgspec
import pytest

from events.memory import MemoryStore
from games import Catalogue
from games.core import fold
from games.table import actions as act
from games.table.events import ForkedFrom
from games.table.house import House
from projections.provenance import descent
from projections.verification import verify_archive
from server.tables import forks
from tests.games import sample, sample_petition
from tests.server.harness import problem, said
from tests.server.live_support import GAMES, Table, entries, opened, run, seat, until
from tests.server.live_support import said as body_of
from tests.server.live_wire import serving

CATALOGUE = Catalogue(GAMES)
HIDDEN = {"hidden": True}


async def played(town, game="harbour", seats=3, seed=5, **more):
    """A game played to its end, with talk, bargaining and disputes."""
    table = await town.table(game, seats, **more)
    await table.play_out(Random(seed), around=0.4)
    return table


def begun(table):
    """The entries from which one may go on."""
    steps = table.live.history.since(0)
    return [s.after for s in steps if s.after.table.course.game is not None and not s.after.table.over]


async def fork(town, table, at, who=0, people=None, **more):
    """A fork at that entry, where the people of the table have sat down but for the last one."""
    answer = await town.post(table, who, "fork", {"at": at, "sit": False, **more})
    assert answer.status_code == 201, answer.text
    made = Table(table.site, answer.json()["table"]["id"], people or table.people)
    for number in range(len(made.people) - 1):
        await sit(town, made, number)
    return made


async def sit(town, table, number):
    answer = await town.post(table, number, "seats", {"seat": number})
    assert answer.status_code == 201, answer.text


def without_offers(table, at, audience):
    """What that audience saw of the game there, if every open offer had ended."""
    ends = [forks.resuming.bargaining.ended(offer, "void") for offer in at.table.course.deals.offers]
    return fold(table.live.rules.game, ends, at.sight(audience))


# --- What the new people see --------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, HIDDEN])
def test_in_a_fork_everybody_sees_what_his_seat_saw_and_plays_on_to_the_end(options):
    async def body():
        async with serving() as town:
            table = await played(town, **options)
            rng = Random(str(options))
            people = tuple(town.person(f"Q{number}") for number in range(3))
            for at in rng.sample(begun(table), 3):
                made = await fork(town, table, at.seq, people=people)
                assert made.live.now.table.status == "open"
                await sit(town, made, 2)
                now = made.now
                for audience in (None, 0, 1, 2):
                    assert now.sight(audience) == without_offers(table, at, audience)
                    view = await town.view(made, audience)
                    assert view["game"] == msgspec.json.decode(msgspec.json.encode(now.sight(audience)))
                assert [window.id for window in now.windows] == [window.id for window in at.windows]
                before = len(await entries(made.site, table.id))
                await made.play_out(rng, around=0.3)
                assert made.status == "ended"
                assert len(await entries(made.site, table.id)) == before, "the parent's log does not change"

    run(body())


def test_who_follows_a_fork_gets_the_whole_view_when_it_goes_on():
    async def body():
        async with serving() as town:
            table = await played(town)
            made = await fork(town, table, begun(table)[7].seq)
            async with town.socket(made, 1) as reader, town.socket(made) as visitor:
                await reader.receive()
                await visitor.receive()
                await sit(town, made, 2)
                await made.move(Random(4))
                await reader.reach(made.live.seq)
                await visitor.reach(made.live.seq)
                assert reader.view == await town.view(made, 1)
                assert visitor.view == await town.view(made, None)

    run(body())


def test_the_clocks_of_a_fork_start_when_it_goes_on():
    async def body():
        async with serving() as town:
            table = await played(town, house=House(move_seconds=600, bank_seconds=60))
            made = await fork(town, table, begun(table)[5].seq)
            await sit(town, made, 2)
            holders, now = made.now.table.record.holders, made.now.table
            assert {number for number, holder in enumerate(holders) if holder.since == now.at} == set(now.to_act)
            assert {holder.bank for holder in holders} == {60_000}

    run(body())


# --- The new table ------------------------------------------------------------------------------------


def test_a_fork_is_answered_as_an_opening_and_says_where_it_comes_from(rest):
    livia, marcus, flavia = rest.people("Livia", "Marcus", "Flavia")
    parent = rest.played(livia, marcus, name="The first")
    entry = said(livia.get(f"{parent}/log/3"))
    answer = flavia.post(f"{parent}/fork", json={"at": 3})
    made = said(answer, 201)
    table = made["table"]

    origin = {"table": parent[-19:], "seq": 3, "head": entry["head"]}
    assert answer.headers["location"] == f"/v1/tables/{table['id']}"
    assert made["seq"] == 1
    assert made["entry"]["action"]["forked_from"] == made["entry"]["events"][0]["forked_from"] == origin
    assert (table["forked_from"], table["rematch_of"]) == (origin, None)
    assert (table["name"], table["visibility"], table["status"]) == ("The first", "public", "open")
    assert table["seats"][0]["player"] == flavia.id
    assert table["creator"] == flavia.id
    assert table["seed_hash"] != said(livia.get(parent))["seed_hash"]
    assert said(rest.nobody.get("/v1/tables"))["tables"][0] == table
    assert said(livia.get(parent))["forked_from"] is None


def test_a_fork_has_house_options_and_rules_of_its_parent_and_may_have_another_name(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    house = {"whispers": True, "disputes_per_seat": 1}
    parent = rest.played(livia, marcus, house=house, visibility="unlisted", name="One")
    made = said(marcus.post(f"{parent}/fork", json={"at": 3, "name": "", "visibility": "private", "sit": False}), 201)
    old, new = said(livia.get(parent)), made["table"]

    assert [old[name] == new[name] for name in ("game", "rules", "options", "house")] == [True] * 4
    assert (new["name"], new["visibility"]) == ("", "private")
    assert [each["player"] for each in new["seats"]] == [None, None]


def test_a_key_makes_one_fork(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    parent, keyed = rest.played(livia, marcus), {"idempotency-key": "once"}
    first, second = (livia.post(f"{parent}/fork", json={"at": 3}, headers=keyed) for _ in range(2))

    assert said(first, 201) == said(second, 201)
    assert second.headers["idempotency-replayed"] == "true"
    problem(livia.post(f"{parent}/fork", json={"at": 4}, headers=keyed), "key_reused")
    problem(livia.post("/v1/tables", json={"game": "straws", "seats": 2}, headers=keyed), "key_reused")
    other = said(marcus.post(f"{parent}/fork", json={"at": 3}, headers=keyed), 201)
    assert other["table"]["id"] != first.json()["table"]["id"]


def test_the_same_key_at_the_same_time_makes_one_fork(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    parent = rest.played(livia, marcus)
    wanted = {"json": {"at": 3}, "headers": {"idempotency-key": "once"}}
    answers = rest.together(*(rest.calling(livia, "POST", f"{parent}/fork", **wanted) for _ in range(6)))

    assert len({said(answer, 201)["table"]["id"] for answer in answers}) == 1
    assert len(said(livia.get("/v1/tables"))["tables"]) == 2


# --- Who may, and where -------------------------------------------------------------------------------


def test_only_those_may_fork_to_whom_the_whole_log_is_open(rest):
    livia, marcus, flavia = rest.people("Livia", "Marcus", "Flavia")
    reader = rest.person("Gaius", "read")
    public, unlisted, private = (
        rest.played(livia, marcus, visibility=each) for each in ("public", "unlisted", "private")
    )
    at = {"json": {"at": 3}}

    problem(rest.nobody.post(f"{public}/fork", **at), "unauthorized")
    problem(reader.post(f"{public}/fork", **at), "forbidden")
    assert problem(flavia.post(f"{unlisted}/fork", **at), "forbidden")["detail"].startswith("Only those")
    problem(flavia.post(f"{private}/fork", **at), "not_found")
    problem(flavia.post("/v1/tables/00-aaaaaaaaaaaaaaaa/fork", **at), "not_found")
    said(flavia.post(f"{public}/fork", **at), 201)
    said(marcus.post(f"{unlisted}/fork", **at), 201)
    said(marcus.post(f"{private}/fork", **at), 201)


def test_a_table_that_is_not_over_is_not_forked(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    for path in (rest.table(livia), rest.table(livia, marcus)):
        found = problem(livia.post(f"{path}/fork", json={"at": 1}), "refused")
        assert found["reason"] == "not_over"
    assert len(said(livia.get("/v1/tables"))["tables"]) == 2


@pytest.mark.parametrize(
    ("body", "code", "reason"),
    [
        ({"at": 1}, "invalid", "not_begun"),
        ({"at": 2}, "invalid", "not_begun"),
        ({"at": 5}, "invalid", "has_outcome"),
        ({"at": 6}, "log_forked", None),
        ({"at": 10**15}, "log_forked", None),
        ({"at": 0}, "malformed", None),
        ({"at": -1}, "malformed", None),
        ({"at": "3"}, "malformed", None),
        ({}, "malformed", None),
        ({"at": 3, "seat": 1}, "malformed", None),
        ({"at": 3, "name": "a\nb"}, "invalid", None),
        ({"at": 3, "name": "x" * 81}, "malformed", None),
        ({"at": 3, "visibility": "secret"}, "malformed", None),
    ],
)
def test_where_one_cannot_go_on_nothing_is_made(rest, body, code, reason):
    livia, marcus = rest.people("Livia", "Marcus")
    parent = rest.played(livia, marcus)
    assert said(livia.get(parent))["seq"] == 5
    for language in ("en", "ja"):
        found = problem(livia.post(f"{parent}/fork", json=body, headers={"accept-language": language}), code)
        assert found.get("reason") == reason
    assert len(said(livia.get("/v1/tables"))["tables"]) == 1


@pytest.mark.parametrize(
    ("old", "new", "is_made"),
    [
        ("public", "private", True),
        ("unlisted", "public", False),
        ("unlisted", "unlisted", True),
        ("private", "public", False),
        ("private", "unlisted", False),
        ("private", "private", True),
    ],
)
def test_a_fork_is_never_more_open_than_its_parent(rest, old, new, is_made):
    livia, marcus = rest.people("Livia", "Marcus")
    parent = rest.played(livia, marcus, visibility=old)
    answer = livia.post(f"{parent}/fork", json={"at": 3, "visibility": new})
    if is_made:
        assert said(answer, 201)["table"]["visibility"] == new
    else:
        assert problem(answer, "invalid")["reason"] == "more_open"


def test_a_table_that_was_abandoned_after_its_start_may_be_forked_up_to_its_end(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    operator = rest.person("Nerva", "play", "read", "operate")
    parent, unbegun = rest.table(livia, marcus), rest.table(livia)
    for path in (parent, unbegun):
        said(operator.post(f"{path}/abandon", json={}), 201)

    last = said(livia.get(parent))["seq"]
    assert said(livia.post(f"{parent}/fork", json={"at": last}), 201)
    assert problem(livia.post(f"{unbegun}/fork", json={"at": 2}), "invalid")["reason"] == "not_begun"


def test_what_came_along_must_fit_in_one_entry(rest, monkeypatch):
    livia, marcus = rest.people("Livia", "Marcus")
    parent = rest.played(livia, marcus)
    monkeypatch.setattr(forks, "MOST", 10)

    assert problem(livia.post(f"{parent}/fork", json={"at": 3}), "invalid")["reason"] == "too_long"


def test_a_table_that_was_brought_as_an_archive_is_not_forked(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    parent = rest.played(livia, marcus)
    data = livia.get(f"{parent}/archive").content
    brought = said(livia.post("/v1/archives", content=data, headers={"content-type": "application/octet-stream"}), 201)

    problem(livia.post(f"/v1/tables/{brought['id']}/fork", json={"at": 3}), "read_only")
    problem(livia.post(f"/v1/tables/{brought['id']}/rematch"), "read_only")


def test_while_something_that_the_game_has_proposed_is_open_one_chooses_another_entry():
    async def body():
        async with serving(games=(sample, sample_petition)) as town:
            table = await town.table("petition", 2)
            await table.do(0, {"type": "petition", "amount": 5})
            await table.do(1, {"type": "answer", "grant": True})
            await table.play_out(Random(1))
            refused = await town.post(table, 0, "fork", {"at": 4})
            assert (refused.status_code, refused.json()["reason"]) == (422, "offer_open")
            assert "choose another entry" in refused.json()["detail"]
            made = await fork(town, table, 5)
            await sit(town, made, 1)
            assert made.game.purses.seats == (15, 25)

    run(body())


# --- Restarts and other servers -----------------------------------------------------------------------


@pytest.mark.parametrize("stopped", ["before the last one sits", "before it goes on"])
def test_a_fork_goes_on_after_a_restart(tmp_path, stopped):
    async def body():
        kept = {"store": f"sqlite:{tmp_path}/log.sqlite", "accounts": f"{tmp_path}/accounts"}
        async with opened(**kept) as site:
            table = await ended(site)
            made = await forked(site, table, 8)
            line = site.lobby.get(made.id)
            if stopped == "before it goes on":
                site.tables.start_if_full = _nothing
                await made.do(2, act.Sit("p2", None, None))
                assert made.status == "open"
        async with opened(**kept) as site:
            made, table = made.on(site), table.on(site)
            assert site.lobby.get(made.id).forked_from == line.forked_from
            if stopped == "before it goes on":
                await site.vacancies.done()
            else:
                assert not site.tables.has(table.id), "nobody needs the parent yet"
                await made.do(2, act.Sit("p2", None, None))
            assert (await made.load()).now.table.status == "playing"
            at = await site.tables.position_at(await table.load(), 8)
            assert made.now.sights == at.sights
            await made.play_out(Random(3))

    async def _nothing(_live):
        return None

    run(body())


async def ended(site, seed=5):
    table = await seat(site, "harbour", 3)
    await table.play_out(Random(seed))
    return table


async def forked(site, table, at):
    """A fork with one seat free, by commands."""
    live = await table.load()
    head = (await site.tables.position_at(live, at)).head.hex()
    record = live.now.table.record
    made = Table(site, record.table[:-4] + "fork", table.people)
    action = act.Create(
        record.game, record.rules, 3, record.options, record.house, "public", "", "p0", sit=True,
        forked_from=ForkedFrom(table.id, at, head),
    )  # fmt: skip
    await site.tables.create(made.id, action, bytes(31) + b"f")
    await made.do(1, act.Sit("p1", None, None))
    return made


def test_of_several_servers_one_goes_on_with_a_fork():
    async def body():
        store = MemoryStore()
        async with opened(store) as one, opened(store) as other:
            table = await ended(one)
            made = await forked(one, table, 8)
            there = made.on(other)
            await there.load()
            await made.do(2, act.Sit("p2", None, None))
            await other.tables.catch_up(there.live)
            await other.tables.start_if_full(there.live)
            kinds = [body_of(entry)["action"]["type"] for entry in await entries(one, made.id)]
            assert kinds == ["create", "sit", "sit", "resume"]
            assert there.now.head == made.now.head

    run(body())


def test_both_servers_may_see_the_last_seat_taken():
    async def body():
        store = MemoryStore()
        async with opened(store) as one, opened(store) as other:
            table = await ended(one)
            made = await forked(one, table, 8)
            one.tables.start_if_full = _nothing
            await made.do(2, act.Sit("p2", None, None))
            del one.tables.start_if_full
            live, there = await made.load(), await made.on(other).load()
            for tables, each in ((one.tables, live), (other.tables, there), (one.tables, live)):
                await tables.start_if_full(each)
            await one.tables.catch_up(live)
            kinds = [body_of(entry)["action"]["type"] for entry in await entries(one, made.id)]
            assert kinds.count("resume") == 1

    async def _nothing(_live):
        return None

    run(body())


@pytest.mark.expects_errors("fork_stays")
@pytest.mark.parametrize("wrong", [{"table": "00-bbbbbbbbbbbbbbbb"}, {"seq": 10**6}, {"head": "00" * 32}, {"seq": 1}])
def test_a_fork_whose_parent_is_not_here_waits(wrong):
    async def body():
        async with opened() as site:
            table = await ended(site)
            head = (await site.tables.position_at(table.live, 8)).head.hex()
            origin = msgspec.structs.replace(ForkedFrom(table.id, 8, head), **wrong)
            create = act.Create(
                "harbour", 1, 2, {}, House(), "public", "", "p0", sit=True, forked_from=origin
            )  # fmt: skip
            await site.tables.create("00-cccccccccccccccc", create, bytes(32))
            made = Table(site, "00-cccccccccccccccc", ("p0", "p1"))
            await made.do(1, act.Sit("p1", None, None))
            assert made.status == "open"
            await made.do(1, act.Rise())
            assert made.status == "open"

    run(body())


# --- The audit ----------------------------------------------------------------------------------------


def test_a_fork_is_verified_alone_and_against_its_parent():
    async def body():
        async with serving() as town:
            table = await played(town, **HIDDEN)
            made = await fork(town, table, begun(table)[9].seq)
            await sit(town, made, 2)
            await made.play_out(Random(9), around=0.3)
            own, other = [(await town.get(each, 0, "archive")).content for each in (made, table)]
            found = verify_archive([own], CATALOGUE)
            assert found.ok
            assert {check.status for check in found.checks if check.name != "receipts"} == {"passed"}
            assert (await town.get(made, 0, "verify")).json()["ok"]
            told = descent([own], [other], CATALOGUE)
            assert (told.ok, told.why, told.parent) == (True, None, table.id)
            assert told.carried > 10
            fair = (await town.get(made, 0, "fairness")).json()
            assert (fair["first"], fair["redrawn"]) == (None, len(fair["draws"]))
            book = (await town.get(made, 0, "ledger")).json()
            assert (tuple(book["seats"]), book["broken_at"]) == (made.game.purses.seats, None)
            for path in ("bribes", "promises", "disputes"):
                assert (await town.get(made, 0, path)).status_code == 200

    run(body())


def test_before_the_end_nobody_finds_in_the_log_of_a_fork_what_its_game_hides():
    async def body():
        async with serving() as town:
            table = await played(town)
            at = next(each for each in begun(table) if each.table.course.game.phase == "lay")
            people = tuple(town.person(f"Q{number}") for number in range(3))
            made = await fork(town, table, at.seq, people=people)
            await sit(town, made, 2)
            await until(lambda: made.status == "playing")
            for who in (None, 0, 1, 2):
                page = (await town.get(made, who, "log")).json()
                resumed = next(e for e in page["entries"] if e["entry"]["action"]["type"] == "resume")["entry"]
                assert resumed["action"] == {"type": "resume"}
                dealt = [event for event in resumed["events"] if event["type"] == "dealt"]
                assert [each["seat"] for each in dealt if each["cards"]] == ([] if who is None else [who])

    run(body())


def test_a_game_without_chips_or_secrets_is_forked_like_any_other():
    async def body():
        async with serving() as town:
            table = await played(town, "straws", 2)
            made = await fork(town, table, 3)
            await sit(town, made, 1)
            assert made.game == begun(table)[0].table.course.game
            await made.play_out(Random(2))
            assert made.status == "ended"

    run(body())
