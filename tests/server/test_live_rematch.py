"""Rematches over the wire: one table however many ask, everybody in his seat, bots too, and who is not let in."""

from random import Random
from types import SimpleNamespace

import msgspec
import pytest

from events.ids import lane_of, rematch_id
from events.memory import MemoryStore
from games.table import actions as act
from games.table.house import House
from tests.games import sample, sample_plain
from tests.server.harness import problem, said
from tests.server.live_support import Table, entries, run, seat
from tests.server.live_support import said as body_of
from tests.server.live_wire import serving
from tests.server.test_live_vacancy import Barracks


class NewOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a later version of the rules takes instead."""

    longer: bool = False


def later(game, **changes):
    """The game in a later version."""
    return SimpleNamespace(**{**vars(game), "version": game.version + 1, **changes})


def at(answer):
    """The path of the table in the answer."""
    return f"/v1/tables/{said(answer, 201)['table']['id']}"


def sitting(person, path):
    return [each["player"] for each in said(person.get(path))["seats"]]


# --- One table ----------------------------------------------------------------------------------------


def test_a_rematch_is_like_the_table_before_and_whoever_asks_sits_where_he_sat(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    former = rest.played(livia, marcus, name="Round", house={"whispers": True}, visibility="unlisted")
    answer = marcus.post(f"{former}/rematch")
    table = said(answer, 201)["table"]

    assert answer.headers["location"] == f"/v1/tables/{table['id']}"
    assert "idempotency-replayed" not in answer.headers
    assert (table["rematch_of"], table["forked_from"]) == (former[-19:], None)
    old = said(livia.get(former))
    assert [old[n] == table[n] for n in ("game", "rules", "options", "house", "visibility", "name")] == [True] * 6
    assert (table["creator"], table["status"]) == (marcus.id, "open")
    assert [each["player"] for each in table["seats"]] == [None, marcus.id]
    first = said(livia.get(f"/v1/tables/{table['id']}/log/1"))["entry"]
    assert first["action"]["rematch_of"] == first["events"][0]["rematch_of"] == former[-19:]


def test_the_game_begins_when_all_have_asked_and_can_be_played(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    former = rest.played(livia, marcus)
    one = livia.post(f"{former}/rematch")
    other = marcus.post(f"{former}/rematch", json={})

    assert at(one) == at(other)
    assert other.headers["idempotency-replayed"] == "true"
    assert {name: said(one, 201)[name] for name in ("seq", "head", "entry")} == {
        name: said(other, 201)[name] for name in ("seq", "head", "entry")
    }
    path = at(other)
    assert said(other, 201)["table"]["status"] == "playing"
    for person in (livia, marcus):
        said(person.act(path, "keep"), 201)
    assert said(livia.get(path))["status"] == "ended"


def test_two_who_ask_at_the_same_time_get_one_table(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    former = rest.played(livia, marcus)
    calls = [rest.calling(each, "POST", f"{former}/rematch") for each in (livia, marcus, livia, marcus, livia)]
    answers = rest.together(*calls)

    assert len({at(answer) for answer in answers}) == 1
    assert sum("idempotency-replayed" not in answer.headers for answer in answers) == 1
    assert sitting(livia, at(answers[0])) == [livia.id, marcus.id]
    assert len(said(livia.get("/v1/tables"))["tables"]) == 2


def test_two_servers_that_are_asked_at_the_same_time_open_one_table():
    async def body():
        store = MemoryStore()
        async with serving(store) as one, serving(store) as other:
            other.site.accounts = one.site.accounts
            table = await one.table("straws", 2)
            await table.play_out(Random(3))
            there = table.on(other.site)
            other.tokens = one.tokens
            first = await one.post(table, 0, "rematch", {})
            second = await other.post(there, 1, "rematch", {})
            assert (first.status_code, second.status_code) == (201, 201), second.text
            assert first.json()["table"]["id"] == second.json()["table"]["id"] == rematch_id(table.id)
            assert first.json()["head"] == second.json()["head"]
            kinds = [body_of(entry)["action"]["type"] for entry in await entries(one.site, rematch_id(table.id))]
            assert kinds == ["create", "sit", "sit", "start"]

    run(body())


def test_asking_again_changes_nothing(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    former = rest.played(livia, marcus)
    first = livia.post(f"{former}/rematch", headers={"idempotency-key": "once"})
    for _ in range(2):
        again = livia.post(f"{former}/rematch", headers={"idempotency-key": "once"})
        assert said(again, 201)["table"] == said(first, 201)["table"]


def test_the_id_of_a_rematch_follows_from_the_table_before():
    name = rematch_id("07-aaaaaaaaaaaaaaaa")

    assert name == "07-2sog5f2ql3vmx62q"
    assert lane_of(name) == 7
    assert rematch_id(name) != name
    assert rematch_id("08-aaaaaaaaaaaaaaaa")[3:] != name[3:]


def test_a_rematch_of_a_rematch_is_another_table(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    paths = [rest.played(livia, marcus)]
    for _ in range(2):
        for person in (livia, marcus):
            path = at(person.post(f"{paths[-1]}/rematch"))
        for person in (livia, marcus):
            said(person.act(path, "keep"), 201)
        assert said(livia.get(path))["rematch_of"] == paths[-1][-19:]
        paths.append(path)

    assert len(set(paths)) == 3


def test_the_rematch_of_a_fork_begins_anew(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    former = rest.played(livia, marcus)
    fork = at(livia.post(f"{former}/fork", json={"at": 4}))
    said(marcus.post(f"{fork}/seats", json={}), 201)
    for person in (livia, marcus):
        person.act(fork, "keep")
    assert said(livia.get(fork))["status"] == "ended"
    table = said(livia.post(f"{fork}/rematch"), 201)["table"]

    assert (table["forked_from"], table["rematch_of"]) == (None, fork[-19:])


# --- Who may ------------------------------------------------------------------------------------------


def test_only_who_sat_there_at_the_end_asks(rest):
    livia, marcus, flavia = rest.people("Livia", "Marcus", "Flavia")
    public, private = (rest.played(livia, marcus, visibility=each) for each in ("public", "private"))
    reader = rest.person("Gaius", "read")

    problem(rest.nobody.post(f"{public}/rematch"), "unauthorized")
    problem(reader.post(f"{public}/rematch"), "forbidden")
    problem(flavia.post(f"{public}/rematch"), "not_your_seat")
    problem(flavia.post(f"{private}/rematch"), "not_found")
    problem(flavia.post("/v1/tables/00-aaaaaaaaaaaaaaaa/rematch"), "not_found")
    problem(livia.post(f"{public}/rematch", headers={"idempotency-key": "x" * 201}), "malformed")
    assert len(said(livia.get("/v1/tables"))["tables"]) == 2


def test_who_left_before_the_end_does_not_ask_and_who_took_over_does():
    async def body():
        async with serving() as town:
            table = await town.table("harbour", 3)
            heir = town.person("Heir")
            gone = table.people[1]
            await table.do(1, {"type": "leave"})
            await table.do(1, act.Sit(heir, None, None))
            table.people = (table.people[0], heir, table.people[2])
            await table.play_out(Random(3))
            assert (await town.post(table, gone, "rematch", {})).json()["code"] == "not_your_seat"
            answer = await town.post(table, heir, "rematch", {})
            assert [each["player"] for each in answer.json()["table"]["seats"]] == [None, heir, None]

    run(body())


def test_a_table_that_is_not_over_has_no_rematch(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    for path in (rest.table(livia), rest.table(livia, marcus)):
        assert problem(livia.post(f"{path}/rematch"), "refused")["reason"] == "not_over"


def test_those_who_sat_at_a_private_table_may_read_its_rematch_and_nobody_else(rest):
    livia, marcus, flavia = rest.people("Livia", "Marcus", "Flavia")
    former = rest.played(livia, marcus, visibility="private")
    path = at(livia.post(f"{former}/rematch"))

    assert said(marcus.get(path))["visibility"] == "private"
    assert path[-19:] in [each["id"] for each in said(marcus.get("/v1/tables"))["tables"]]
    problem(flavia.get(path), "not_found")
    problem(rest.nobody.get(path), "not_found")
    said(marcus.post(f"{former}/rematch"), 201)
    assert said(marcus.get(path))["status"] == "playing"


def test_where_somebody_else_sits_in_ones_seat_one_gets_no_seat(rest):
    livia, marcus, flavia = rest.people("Livia", "Marcus", "Flavia")
    former = rest.played(livia, marcus)
    path = at(livia.post(f"{former}/rematch"))
    said(flavia.post(f"{path}/seats", json={"seat": 1}), 201)

    assert at(marcus.post(f"{former}/rematch")) == path
    assert sitting(marcus, path) == [livia.id, flavia.id]


def test_who_has_taken_another_seat_keeps_it(rest):
    livia, marcus, flavia = rest.people("Livia", "Marcus", "Flavia")
    former = rest.played(livia, marcus, flavia)
    path = at(livia.post(f"{former}/rematch"))
    said(marcus.post(f"{path}/seats", json={"seat": 2}), 201)
    said(marcus.post(f"{former}/rematch"), 201)
    said(flavia.post(f"{former}/rematch"), 201)

    assert sitting(livia, path) == [livia.id, None, marcus.id]


# --- Rules as they are now ----------------------------------------------------------------------------


async def of_old(town, game, **options):
    """A table that is over, by the first of two versions of the rules; the second is current now."""
    catalogue = town.site.catalogue
    old, new = (catalogue.rules(game.name, version) for version in (1, 2))
    catalogue.current[game.name] = old
    table = await town.table(game.name, 2, **options)
    await table.play_out(Random(3))
    catalogue.current[game.name] = new
    return table


def test_a_rematch_is_played_by_the_current_rules():
    async def body():
        async with serving(games=(sample_plain, later(sample_plain))) as town:
            table = await of_old(town, sample_plain)
            for number in (0, 1):
                answer = await town.post(table, number, "rematch", {})
            shown = answer.json()["table"]
            assert (shown["rules"], shown["status"]) == (2, "playing")
            made = Table(town.site, shown["id"], table.people)
            await made.play_out(Random(5))

    run(body())


def test_a_new_version_of_the_rules_between_two_who_ask_makes_no_second_table():
    async def body():
        async with serving(games=(sample_plain, later(sample_plain))) as town:
            table = await of_old(town, sample_plain)
            new, town.site.catalogue.current["straws"] = (
                town.site.catalogue.current["straws"],
                town.site.catalogue.rules("straws", 1),
            )
            first = await town.post(table, 0, "rematch", {})
            town.site.catalogue.current["straws"] = new
            second = await town.post(table, 1, "rematch", {})
            assert first.json()["head"] == second.json()["head"]
            assert second.json()["table"]["rules"] == 1

    run(body())


@pytest.mark.parametrize(
    ("changes", "words"), [({"Options": NewOptions}, "options cannot be"), ({"seats": range(3, 5)}, "3 to 4 seats")]
)
def test_what_the_current_rules_do_not_take_any_more_is_not_valid(changes, words):
    async def body():
        async with serving(games=(sample, later(sample, **changes))) as town:
            table = await of_old(town, sample, strict=True)
            answer = await town.post(table, 0, "rematch", {})
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
            assert words in answer.json()["detail"]
            del town.site.catalogue.current["harbour"]
            assert "no game" in (await town.post(table, 0, "rematch", {})).json()["detail"]
            assert len(list(town.site.lobby)) == 1

    run(body())


# --- Bots ---------------------------------------------------------------------------------------------


async def with_bot(town, seats=2):
    """A game of straws that is over, where a house bot has held seat 1."""
    people = tuple(town.person(f"P{number}") for number in range(seats))
    table = await seat(town.site, "straws", seats, people, begun=False)
    made = await town.post(table, 0, "seats", {"seat": 1, "bot": "chancer"})
    assert made.status_code == 201, made.text
    for number in range(2, seats):
        await table.do(number, act.Sit(people[number], None, None))
    bot = table.now.table.record.holders[1].player
    table.people = (people[0], bot, *people[2:])
    await table.play_out(Random(3))
    return table


def test_house_bots_sit_where_they_sat():
    async def body():
        bots = Barracks()
        async with serving(bots=bots) as town:
            table = await with_bot(town)
            answer = await town.post(table, 0, "rematch", {})
            shown = answer.json()["table"]
            assert [each["bot"] for each in shown["seats"]] == [None, "chancer"]
            assert shown["status"] == "playing"
            assert shown["seats"][1]["player"] != table.people[1], "a bot is a player of one table"
            _, (told, number, bot, token) = bots.told
            assert (told, number, bot) == (shown["id"], 1, "chancer")
            assert town.site.accounts.principal(token).player == shown["seats"][1]["player"]

    run(body())


def test_a_bot_that_is_sent_away_does_not_come_back():
    async def body():
        bots = Barracks()
        async with serving(bots=bots) as town:
            table = await with_bot(town, 3)
            made = Table(town.site, (await town.post(table, 0, "rematch", {})).json()["table"]["id"], table.people)
            answer = await town.http.delete(f"/v1/tables/{made.id}/seats/1", headers=town.headers(table, 0))
            assert answer.status_code == 200, answer.text
            again = await town.post(table, 0, "rematch", {})
            assert [each["bot"] for each in again.json()["table"]["seats"]] == [None] * 3
            assert len(bots.told) == 2

    run(body())


def test_bots_of_which_this_server_has_none_leave_their_seats_free():
    async def body():
        bots = Barracks()
        async with serving(bots=bots) as town:
            table = await with_bot(town)
            bots.names = ("another",)
            answer = await town.post(table, 0, "rematch", {})
            assert [each["player"] for each in answer.json()["table"]["seats"]] == [table.people[0], None]

    run(body())


def test_bots_that_were_not_seated_before_a_restart_are_seated_after_it(tmp_path):
    async def body():
        kept = {"store": f"sqlite:{tmp_path}/log.sqlite", "accounts": f"{tmp_path}/accounts"}
        async with serving(bots=Barracks(), **kept) as town:
            table = await with_bot(town, 3)
            town.site.vacancies._seat_again = _nothing
            answer = await town.post(table, 0, "rematch", {})
            assert [each["bot"] for each in answer.json()["table"]["seats"]] == [None] * 3
        later_on = Barracks()
        async with serving(bots=later_on, **kept) as town:
            await town.site.vacancies.done()
            made = answer.json()["table"]["id"]
            assert [each.bot for each in town.site.lobby.get(made).seats] == [None, "chancer", None]
            assert [told[:3] for told in later_on.told] == [(made, 1, "chancer")]

    async def _nothing(_table):
        return None

    run(body())


def test_a_house_with_clocks_has_them_in_the_rematch():
    async def body():
        house = House(move_seconds=60)
        async with serving() as town:
            table = await town.table("straws", 2, house=house)
            await table.play_out(Random(3))
            for number in (0, 1):
                answer = await town.post(table, number, "rematch", {})
            assert answer.json()["table"]["house"]["move_seconds"] == 60
            assert answer.json()["table"]["status"] == "playing"

    run(body())
