"""Players, tokens, scopes."""

import pytest

from server.accounts import SCOPES
from server.problems import LANGUAGES
from tests.server.harness import Person, problem, said

KEYED = {"idempotency-key": "once"}


def test_a_registration_gives_a_token_that_speaks_for_the_player(rest):
    answer = rest.nobody.post("/v1/players", json={"name": "  Livia "})
    made = said(answer, 201)
    assert answer.headers["location"] == f"/v1/players/{made['id']}"
    assert set(made) == {"id", "name", "token", "scopes"}
    assert (made["name"], made["scopes"]) == ("Livia", ["play", "read"])
    me = said(Person(rest, made["id"], made["token"]).get("/v1/me"))
    assert (me["id"], me["name"], me["scopes"]) == (made["id"], "Livia", ["play", "read"])
    (token,) = me["tokens"]
    assert token["current"]
    assert made["token"] not in str(me)


@pytest.mark.parametrize("name", ["", "   ", "x" * 41, "a\u0000b", "\u202eaivil", "\n"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_name_can_be_refused(rest, name, language):
    answer = rest.nobody.post("/v1/players", json={"name": name}, headers={"accept-language": language})
    problem(answer, "invalid" if name else "malformed")


def test_a_key_registers_once(rest):
    assert rest.nobody.post("/v1/players", json={"name": "Livia"}, headers=KEYED).status_code == 201
    for name in ("Livia", "Marcus"):
        answer = rest.nobody.post("/v1/players", json={"name": name}, headers=KEYED)
        assert "once" in problem(answer, "key_reused")["detail"]


@pytest.mark.parametrize("key", ["", "x" * 201, "é", "tab\there"])
def test_a_key_that_is_none(rest, key):
    answer = rest.nobody.post("/v1/players", json={"name": "Livia"}, headers=[(b"idempotency-key", key.encode())])
    assert problem(answer, "malformed")["longest"] == 200


def test_registration_can_be_closed_but_for_the_operator(new_rest):
    rest = new_rest(registration="closed")
    for language in LANGUAGES:
        answer = rest.nobody.post("/v1/players", json={"name": "Livia"}, headers={"accept-language": language})
        problem(answer, "registration_closed")
    operator = rest.person("Op", "operate")
    assert operator.post("/v1/players", json={"name": "Livia"}).status_code == 201


def test_registration_is_closed_by_default_where_others_can_reach_it(new_rest):
    problem(new_rest(host="0.0.0.0").nobody.post("/v1/players", json={"name": "Livia"}), "registration_closed")


def test_anybody_can_see_who_an_id_is(rest):
    livia = rest.person("Livia")
    found = said(rest.nobody.get(f"/v1/players/{livia.id}"))
    assert {name: found[name] for name in ("id", "name", "bot")} == {"id": livia.id, "name": "Livia", "bot": False}
    problem(rest.nobody.get("/v1/players/p-nobody"), "not_found")


# --- Tokens -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", ["Basic abc", "Bearer", "Bearer ", "Bearer cmt_", "Bearer x y", "cmt_" + "a" * 43])
@pytest.mark.parametrize("path", ["/v1/me", "/v1/games", "/v1/tables", "/v1/keys"])
def test_what_is_no_token_is_refused_everywhere(rest, header, path):
    answer = rest.nobody.get(path, headers={"authorization": header})
    problem(answer, "unauthorized")
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_what_needs_a_token_says_so(rest):
    table = rest.table(*rest.people("Livia", "Marcus"))
    calls = [
        ("GET", "/v1/me", None), ("POST", "/v1/me/tokens", {}), ("DELETE", "/v1/me/tokens/t-x", None),
        ("DELETE", "/v1/me", None), ("POST", "/v1/tables", {"game": "straws", "seats": 2}),
        ("GET", f"{table}/asks", None), ("POST", f"{table}/actions", {"type": "keep"}),
        ("POST", f"{table}/seats", {}), ("DELETE", f"{table}/seats/0", None), ("POST", f"{table}/invites", {}),
        ("DELETE", f"{table}/invites/inv_x", None), ("POST", f"{table}/watch", {"invite": "inv_x"}),
        ("POST", f"{table}/abandon", None),
    ]  # fmt: skip
    for method, path, body in calls:
        problem(rest.nobody.request(method, path, json=body), "unauthorized")


def test_further_tokens_have_at_most_the_scopes_of_the_one_that_asks(rest):
    livia = rest.person("Livia")
    reading = said(livia.post("/v1/me/tokens", json={"scopes": ["read"]}), 201)
    assert set(reading) == {"id", "token", "scopes"}
    assert reading["scopes"] == ["read"]
    reader = Person(rest, livia.id, reading["token"])
    found = problem(reader.post("/v1/me/tokens", json={"scopes": ["play"]}), "forbidden")
    assert "play" in found["detail"]
    problem(livia.post("/v1/me/tokens", json={"scopes": ["operate", "read"]}), "forbidden")
    assert said(livia.post("/v1/me/tokens", json={}), 201)["scopes"] == ["play", "read"]


@pytest.mark.parametrize("scopes", [[], ["rule"], "read", ["read", 1]])
def test_scopes_that_are_none(rest, scopes):
    problem(rest.person("Livia").post("/v1/me/tokens", json={"scopes": scopes}), "malformed")


def test_a_key_issues_once(rest):
    livia = rest.person("Livia")
    assert livia.post("/v1/me/tokens", json={}, headers=KEYED).status_code == 201
    problem(livia.post("/v1/me/tokens", json={}, headers=KEYED), "key_reused")
    assert rest.person("Marcus").post("/v1/me/tokens", json={}, headers=KEYED).status_code == 201


def test_a_revoked_token_is_none(rest):
    livia = rest.person("Livia")
    second = said(livia.post("/v1/me/tokens", json={}), 201)
    assert livia.delete(f"/v1/me/tokens/{second['id']}").status_code == 204
    problem(Person(rest, livia.id, second["token"]).get("/v1/me"), "unauthorized")
    problem(livia.delete(f"/v1/me/tokens/{second['id']}"), "not_found")


def test_nobody_revokes_the_tokens_of_others(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    (token,) = said(livia.get("/v1/me"))["tokens"]
    problem(marcus.delete(f"/v1/me/tokens/{token['id']}"), "not_found")
    assert livia.get("/v1/me").status_code == 200


def test_a_reading_token_revokes_itself_only(rest):
    livia = rest.person("Livia")
    (main,) = said(livia.get("/v1/me"))["tokens"]
    made = said(livia.post("/v1/me/tokens", json={"scopes": ["read"]}), 201)
    reader = Person(rest, livia.id, made["token"])
    problem(reader.delete(f"/v1/me/tokens/{main['id']}"), "forbidden")
    assert reader.delete(f"/v1/me/tokens/{made['id']}").status_code == 204
    problem(reader.get("/v1/me"), "unauthorized")


def test_a_token_does_what_its_scopes_say(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, marcus)
    reader = Person(rest, livia.id, said(livia.post("/v1/me/tokens", json={"scopes": ["read"]}), 201)["token"])
    player = Person(rest, livia.id, said(livia.post("/v1/me/tokens", json={"scopes": ["play"]}), 201)["token"])
    assert reader.view(table)["seat"] == 0
    problem(reader.act(table, "keep"), "forbidden")
    problem(reader.post("/v1/tables", json={"game": "straws", "seats": 2}), "forbidden")
    for path in ("view", "asks", "log", "log/1", ""):
        assert problem(player.get(f"{table}/{path}"), "forbidden")["scope"] == "read"
    problem(player.get("/v1/tables"), "forbidden")
    assert player.act(table, "keep").status_code == 201


def test_the_scopes_of_the_document_are_those_of_the_accounts(rest):
    operator = rest.person("Op", *SCOPES)
    assert said(operator.post("/v1/me/tokens", json={"scopes": sorted(SCOPES)}), 201)["scopes"] == sorted(SCOPES)


# --- Being forgotten ----------------------------------------------------------------------------------


def test_a_player_can_be_forgotten(rest):
    livia, marcus = rest.people("Livia Drusilla", "Marcus")
    table = rest.table(livia, marcus)
    assert livia.delete("/v1/me").status_code == 204
    problem(livia.get("/v1/me"), "unauthorized")
    entries = said(marcus.get(f"{table}/log"))["entries"]
    assert livia.id in str(entries), "the log keeps the id"
    assert "Livia" not in str(entries) + str(said(marcus.get(table)))
    assert "Livia" not in str(said(marcus.get(f"/v1/players/{livia.id}")))


def test_who_is_forgotten_leaves_his_seats_for_others(rest):
    livia, marcus, flavia = rest.people("Livia", "Marcus", "Flavia")
    playing, waiting = rest.table(livia, marcus), rest.table(livia, seats=2)
    assert livia.delete("/v1/me").status_code == 204
    for table in (playing, waiting):
        assert said(marcus.get(table))["seats"][0]["player"] is None
        assert said(flavia.post(f"{table}/seats", json={"seat": 0}), 201)["seat"] == 0
