"""Opening tables, and the lobby: who sees which."""

import pytest

from tests.server.harness import problem, said

KEYED = {"idempotency-key": "once"}
SUMMARY = {
    "id", "game", "rules", "name", "status", "visibility", "options", "house", "creator", "seats", "to_act", "seq",
    "head", "created", "changed", "result", "seed_hash", "forked_from", "rematch_of", "foreign",
}  # fmt: skip
ENTRY = {"seq", "version", "salt", "commits", "leaf", "head", "entry"}


def test_a_new_table(rest):
    livia = rest.person("Livia")
    answer = livia.post("/v1/tables", json={"game": "tribunal", "seats": 5, "name": "Forum 市場"})
    opened = said(answer, 201)
    assert set(opened) == ENTRY | {"receipt", "table"}
    table = opened["table"]
    assert set(table) == SUMMARY
    assert answer.headers["location"] == f"/v1/tables/{table['id']}"
    assert (table["status"], table["seq"], table["name"]) == ("open", 1, "Forum 市場")
    assert table["seats"][0] == {"seat": 0, "player": livia.id, "name": "Livia", "bot": None}
    assert [seat["player"] for seat in table["seats"][1:]] == [None] * 4
    assert table["seed_hash"]
    assert opened["head"] == table["head"] == opened["receipt"]["head"]
    assert "seed_hash" not in str(opened["entry"]["events"])
    assert said(rest.nobody.get(f"/v1/tables/{table['id']}")) == table


def test_the_creator_may_stand(rest):
    livia = rest.person("Livia")
    table = said(livia.post("/v1/tables", json={"game": "straws", "seats": 2, "sit": False}), 201)["table"]
    assert [seat["player"] for seat in table["seats"]] == [None, None]
    assert livia.view(f"/v1/tables/{table['id']}")["seat"] is None


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"game": "chess"}, "invalid"),
        ({"seats": 1}, "invalid"),
        ({"seats": 9}, "invalid"),
        ({"seats": 0}, "malformed"),
        ({"seats": 1000}, "malformed"),
        ({"options": {"nope": 1}}, "invalid"),
        ({"options": {"exile": "yes"}}, "invalid"),
        ({"options": []}, "malformed"),
        ({"house": {"nope": 1}}, "malformed"),
        ({"house": {"move_seconds": 0}}, "malformed"),
        ({"house": {"disputes": "arbiter"}}, "invalid"),
        ({"house": {"bank_seconds": 5}}, "invalid"),
        ({"house": {"arbiter": "p-nobody"}}, "invalid"),
        ({"visibility": "secret"}, "malformed"),
        ({"name": "x" * 81}, "malformed"),
        ({"name": "a\u202eb"}, "invalid"),
        ({"name": "a\nb"}, "invalid"),
        ({"sit": 1}, "malformed"),
        ({"extra": 1}, "malformed"),
    ],
)
def test_a_table_that_cannot_be(rest, wrong, code):
    answer = rest.person("Livia").post("/v1/tables", json={"game": "tribunal", "seats": 4, **wrong})
    problem(answer, code)
    assert said(rest.nobody.get("/v1/tables"))["tables"] == []


def test_how_many_seats_a_game_has_is_said(rest):
    found = problem(rest.person("Livia").post("/v1/tables", json={"game": "tribunal", "seats": 3}), "invalid")
    assert (found["least"], found["most"]) == (4, 7)
    assert "4" in found["detail"]


def test_a_key_opens_one_table(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    wanted = {"game": "straws", "seats": 2}
    first, again = (livia.post("/v1/tables", json=wanted, headers=KEYED) for _ in range(2))
    assert said(first, 201) == said(again, 201)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert again.headers["location"] == first.headers["location"]
    problem(livia.post("/v1/tables", json={**wanted, "seats": 3}, headers=KEYED), "key_reused")
    other = said(marcus.post("/v1/tables", json=wanted, headers=KEYED), 201)
    assert other["table"]["id"] != first.json()["table"]["id"], "one player's key never gives another's answer"
    assert len(said(livia.get("/v1/tables"))["tables"]) == 2


def test_the_same_key_at_the_same_time_opens_one_table(rest):
    livia = rest.person("Livia")
    wanted = {"json": {"game": "straws", "seats": 2}, "headers": KEYED}
    answers = rest.together(*(rest.calling(livia, "POST", "/v1/tables", **wanted) for _ in range(8)))
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len({said(answer, 201)["table"]["id"] for answer in answers if answer.status_code == 201}) == 1
    assert len(said(livia.get("/v1/tables"))["tables"]) == 1


# --- The lobby ----------------------------------------------------------------------------------------


def ids(who, **params):
    return [table["id"] for table in said(who.get("/v1/tables", params=params))["tables"]]


def test_the_lobby_has_the_newest_first_and_filters(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    straws = rest.table(livia, marcus)[-19:]
    court = rest.table(livia, game="tribunal", seats=4)[-19:]
    done = rest.played(marcus, livia)[-19:]
    assert ids(rest.nobody) == [done, court, straws]
    assert ids(rest.nobody, game="tribunal") == [court]
    assert ids(rest.nobody, game="nope") == []
    assert ids(rest.nobody, status="playing") == [straws]
    assert ids(rest.nobody, status="ended") == [done]
    assert ids(rest.nobody, player=marcus.id) == [done, straws]
    assert ids(rest.nobody, player=marcus.id, status="ended", game="straws") == [done]
    (line,) = said(rest.nobody.get("/v1/tables", params={"status": "ended"}))["tables"]
    assert line["result"]["why"] == "shown"


def test_the_lobby_goes_on_page_by_page(rest):
    livia = rest.person("Livia")
    made = [rest.table(livia)[-19:] for _ in range(5)][::-1]
    pages, cursor = [], None
    while True:
        page = said(rest.nobody.get("/v1/tables", params={"limit": 2, **({"cursor": cursor} if cursor else {})}))
        pages.append([table["id"] for table in page["tables"]])
        cursor = page["next"]
        if cursor is None:
            break
        rest.table(livia)
    assert pages == [made[:2], made[2:4], made[4:]], "tables that are opened meanwhile shift nothing"


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "limit=1&limit=2", "status=nope", "status=null"])
def test_a_query_that_cannot_be(rest, query):
    assert problem(rest.nobody.get(f"/v1/tables?{query}"), "malformed")["parameter"] == query.partition("=")[0]


def test_a_cursor_that_leads_nowhere(rest):
    assert problem(rest.nobody.get("/v1/tables?cursor=x"), "invalid")["parameter"] == "cursor"


def test_who_sees_which_table_in_the_lobby(rest):
    livia, marcus, drusus = rest.people("Livia", "Marcus", "Drusus")
    operator, arbiter = rest.person("Op", "operate", "read"), rest.person("Julia")
    house = {"arbiter": arbiter.id}
    tables = {kind: rest.table(livia, visibility=kind, house=house)[-19:] for kind in ("public", "unlisted", "private")}
    invite = said(livia.post(f"/v1/tables/{tables['private']}/invites", json={"role": "watch"}), 201)["code"]
    assert drusus.post(f"/v1/tables/{tables['private']}/watch", json={"invite": invite}).status_code == 204
    everything = {tables["public"], tables["unlisted"], tables["private"]}
    for who in (livia, operator, arbiter):
        assert set(ids(who)) == everything
    assert ids(rest.nobody) == ids(marcus) == [tables["public"]]
    assert set(ids(drusus)) == {tables["public"], tables["private"]}


# --- One table ----------------------------------------------------------------------------------------

PATHS = ("", "/view", "/view?at=1", "/log", "/log/1", "/log?after=999999")


def test_an_unlisted_table_is_there_for_whoever_knows_it(rest):
    table = rest.table(*rest.people("Livia", "Marcus"), visibility="unlisted")
    for path in PATHS[:-1]:
        assert rest.nobody.get(table + path).status_code == 200


def test_a_private_table_looks_like_none(rest):
    livia, marcus, drusus = rest.people("Livia", "Marcus", "Drusus")
    private = rest.played(livia, marcus, visibility="private")
    for who in (drusus, rest.nobody):
        for path in PATHS:
            there, nowhere = who.get(private + path), who.get("/v1/tables/00-aaaaaaaaaaaaaaaa" + path)
            assert problem(there, "not_found") == problem(nowhere, "not_found")
            assert {*there.headers} == {*nowhere.headers}
    for method, path, body in [
        ("POST", "/actions", {"type": "keep"}), ("POST", "/seats", {}), ("POST", "/seats", {"seat": 1, "bot": "x"}),
        ("DELETE", "/seats/0", None), ("POST", "/invites", {}), ("DELETE", "/invites/inv_x", None),
        ("POST", "/watch", {"invite": "inv_x"}), ("POST", "/seats", {"invite": "inv_x"}), ("GET", "/asks", None),
    ]:  # fmt: skip
        answers = [drusus.request(method, t + path, json=body) for t in (private, "/v1/tables/00-aaaaaaaaaaaaaaaa")]
        assert problem(answers[0], "not_found") == problem(answers[1], "not_found")
    for who in (livia, marcus, rest.person("Op", "operate", "read")):
        assert who.get(f"{private}/view").status_code == 200


@pytest.mark.parametrize(
    "name", ["x", "00-AAAAAAAAAAAAAAAA", "ff-aaaaaaaaaaaaaaaa", "00-aaaaaaaaaaaaaaaaa", "%00", "00-"]
)
def test_what_is_no_table_id(rest, name):
    for path in PATHS:
        assert problem(rest.nobody.get(f"/v1/tables/{name}{path}"), "not_found")["detail"].startswith(
            "There is no such"
        )


def test_who_may_watch_a_table_without_spectators(rest):
    livia, marcus, drusus, arbiter = rest.people("Livia", "Marcus", "Drusus", "Julia")
    operator = rest.person("Op", "operate", "read")
    table = rest.table(livia, marcus, house={"spectators": False, "arbiter": arbiter.id})
    for who in (drusus, rest.nobody):
        for path in ("/view", "/log", "/log/1", "/view?at=1"):
            problem(who.get(table + path), "forbidden")
    for who, seat in ((livia, 0), (marcus, 1), (arbiter, None), (operator, None)):
        assert who.view(table)["seat"] == seat
    assert rest.nobody.get(table).status_code == 200, "its line stands in the lobby"
    for who in (livia, marcus):
        assert who.act(table, "keep").status_code == 201
    assert rest.nobody.view(table)["status"] == "ended"


def test_the_arbiter_of_a_private_table_may_read_it_but_sees_what_is_public(rest):
    livia, marcus, arbiter = rest.people("Livia", "Marcus", "Julia")
    table = rest.table(livia, marcus, visibility="private", house={"arbiter": arbiter.id})
    assert arbiter.view(table)["game"]["straws"] == [None, None]
    assert {entry["version"] for entry in said(arbiter.get(f"{table}/log"))["entries"]} <= {"public", "full"}
    assert problem(arbiter.post(f"{table}/seats", json={}), "forbidden")
