"""HTTP as such: addresses, methods, media types, bodies, limits, languages, ids, and errors that nobody expected."""

import json
import re
import socket

import msgspec
import pytest

from server.problems import CODES, KINDS, LANGUAGES
from tests.server.harness import problem, said

UNKNOWN = ("/", "/nope", "/v1", "/v1/nope", "/v1/tables/x/nope", "/openapi.yaml", "/schema", "/v1/players/a/b")


# --- Addresses and methods ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", UNKNOWN)
def test_an_unknown_address_is_a_problem_document(rest, path):
    found = problem(rest.nobody.get(path), "not_found")
    assert found["detail"] == "There is nothing under this address."


def test_addresses_with_odd_characters_are_answered(rest):
    for path in ("/%ff%fe", "/v1/tables/%00", "/v1/tables/..%2f..%2fetc", "/v1//games", "/v1/players/%F0%9F%8E%B2"):
        assert rest.nobody.get(path).status_code in (200, 404)


def test_a_method_that_an_address_does_not_take(rest):
    answer = rest.nobody.request("PUT", "/v1/tables")
    assert problem(answer, "method_not_allowed")["allowed"]
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}


def test_the_socket_takes_no_plain_request(rest):
    assert "WebSocket" in problem(rest.nobody.get("/v1/tables/x/live"), "method_not_allowed")["detail"]


def test_options_tells_the_same_methods_as_a_refusal(rest):
    paths = {route.path for route in rest.app.routes if "{" not in route.path}
    assert len(paths) > 8
    for path in paths:
        options = rest.nobody.request("OPTIONS", path)
        assert options.status_code == 204
        assert options.headers["allow"] == rest.nobody.request("BREW", path).headers["allow"]


def test_head_is_get_without_the_body(rest):
    table = rest.played(*rest.people("Livia", "Marcus"))
    for path in ("/v1/games", f"{table}/view", f"{table}/log", "/healthz", "/nope", f"{table}/log/999"):
        got, head = rest.nobody.get(path), rest.nobody.request("HEAD", path)
        assert (head.status_code, head.content) == (got.status_code, b"")
        for name in ("content-type", "content-length", "etag"):
            assert head.headers.get(name) == got.headers.get(name)


def test_head_of_a_stream_ends(served):
    table = served.table(*served.people("Livia", "Marcus"))
    answer = served.nobody.request("HEAD", f"{table}/log", headers={"accept": "text/event-stream"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/event-stream")


# --- Forms of answers and bodies ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("text/html, application/xhtml+xml, */*;q=0.8", "application/json"),
        ("application/msgpack", "application/msgpack"),
        ("application/x-msgpack", "application/x-msgpack"),
        ("application/json;q=0.5, application/msgpack", "application/msgpack"),
        ("application/json;q=0, */*", "application/msgpack"),
        ("APPLICATION/JSON; charset=utf-8", "application/json"),
        ("rubbish", "application/json"),
        ("", "application/json"),
    ],
)
def test_the_form_of_an_answer_is_what_the_caller_likes_best(rest, accept, media):
    answer = rest.nobody.get("/v1/games", headers={"accept": accept})
    assert answer.headers["content-type"] == media
    assert "Accept" in answer.headers["vary"]
    assert msgspec.json.decode(answer.content) if "json" in media else msgspec.msgpack.decode(answer.content)


@pytest.mark.parametrize("accept", ["text/html", "application/json;q=0", "image/*", "application/xml, text/*;q=0.1"])
def test_a_form_that_does_not_exist_is_refused_before_anything_is_done(rest, accept):
    found = problem(
        rest.nobody.post("/v1/players", json={"name": "Livia"}, headers={"accept": accept}), "not_acceptable"
    )
    assert "application/json" in found["allowed"]
    assert not rest.site.accounts.players(["p-any"])
    assert rest.person("Livia").id, "nothing is used up"


def test_a_log_knows_streams_too(rest):
    table = rest.played(*rest.people("Livia", "Marcus"))
    found = problem(rest.nobody.get(f"{table}/log", headers={"accept": "text/html"}), "not_acceptable")
    assert {"application/x-ndjson", "text/event-stream"} <= set(found["allowed"])
    problem(rest.nobody.get(f"{table}/view", headers={"accept": "text/event-stream"}), "not_acceptable")


def test_bodies_in_message_pack_are_read_like_json(rest):
    livia = rest.person("Livia")
    sent = {"game": "tribunal", "seats": 4, "options": {"exile": True}, "house": {"whispers": True}, "name": "法廷"}
    both = {"content-type": "application/msgpack", "accept": "application/msgpack"}
    answer = livia.post("/v1/tables", content=msgspec.msgpack.encode(sent), headers=both)
    assert answer.status_code == 201
    opened = msgspec.msgpack.decode(answer.content)
    assert opened["table"]["options"] == {"appeal": False, "exile": True}
    assert opened["table"]["name"] == "法廷"
    assert isinstance(opened["entry"], bytes)
    assert json.loads(opened["entry"])["seq"] == 1


def test_actions_in_message_pack_are_actions(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, marcus)
    body = msgspec.msgpack.encode({"type": "keep"})
    answer = livia.post(f"{table}/actions", content=body, headers={"content-type": "application/x-msgpack"})
    assert said(answer, 201)["entry"]["action"] == {"type": "keep"}


@pytest.mark.parametrize(
    "value",
    [{"name": b"Livia"}, {1: "Livia"}, {"name": msgspec.msgpack.Ext(5, b"x")}, {"name": {"x": 1 << 60}}],
)
def test_message_pack_can_say_nothing_that_json_cannot(rest, value):
    body = msgspec.msgpack.encode(value)
    problem(rest.nobody.post("/v1/players", content=body, headers={"content-type": "application/msgpack"}), "malformed")


@pytest.mark.parametrize(
    "media",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=latin-1",
        "application/xml",
        "json",
    ],
)
def test_a_body_of_another_kind_is_refused(rest, media):
    answer = rest.nobody.post("/v1/players", content=b'{"name": "Livia"}', headers={"content-type": media})
    assert "application/json" in problem(answer, "unsupported_media_type")["allowed"]


def test_a_compressed_body_is_refused(rest):
    answer = rest.nobody.post(
        "/v1/players", content=b"xx", headers={"content-encoding": "gzip", "content-type": "application/json"}
    )
    problem(answer, "unsupported_media_type")


def test_without_a_content_type_it_is_json(rest):
    assert rest.nobody.post("/v1/players", content=b'{"name": "Livia"}').status_code == 201


MALFORMED = {
    "empty": b"",
    "half": b'{"name": ',
    "invalid utf-8": b'{"name": "\xff\xfe"}',
    "byte order mark": b'\xef\xbb\xbf{"name": "Livia"}',
    "half a surrogate": b'{"name": "\\ud800"}',
    "the other half": b'{"name": "\\udc00x"}',
    "not an object": b'["name"]',
    "null": b"null",
    "no name": b"{}",
    "unknown field": b'{"name": "Livia", "admin": true}',
    "wrong type": b'{"name": 7}',
    "null for a text": b'{"name": null}',
    "deep": b'{"name": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "not a number": b'{"name": NaN}',
    "huge number": b'{"name": ' + b"9" * 5_000 + b"}",
    "more after the end": b'{"name": "Livia"} {"name": "Livia"}',
    "comment": b'{"name": "Livia" /* me */}',
}


@pytest.mark.parametrize("case", MALFORMED)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_body_that_cannot_be_read_is_malformed(rest, case, language):
    headers = {"content-type": "application/json", "accept-language": language}
    found = problem(rest.nobody.post("/v1/players", content=MALFORMED[case], headers=headers), "malformed")
    assert found["title"] == KINDS["malformed"].title.to(language)


@pytest.mark.parametrize("value", ["4", 4.0, True, None, [4], 1 << 53, -(1 << 70)])
def test_numbers_are_numbers(rest, value):
    livia = rest.person("Livia")
    problem(livia.post("/v1/tables", json={"game": "straws", "seats": value}), "malformed")


@pytest.mark.parametrize("number", [1 << 53, 10**30, -(1 << 63)])
def test_no_integer_beyond_what_the_log_can_hold_gets_in(rest, number):
    livia, marcus = rest.people("Livia", "Marcus")
    wanted = {"game": "straws", "seats": 2, "options": {"x": {"y": [number]}}}
    problem(livia.post("/v1/tables", json=wanted), "malformed")
    table = rest.table(livia, marcus)
    problem(livia.act(table, "accept", offer=number, version=1), "malformed")


def test_what_comes_back_of_a_body_is_short_and_visible(rest):
    field = "\u202e" + "x" * 5000
    found = problem(rest.nobody.post("/v1/players", content=msgspec.json.encode({"name": "a", field: 1})), "too_large")
    assert len(found["detail"]) < 450
    odd = problem(rest.nobody.post("/v1/players", json={"name": "a", "\u202ex": 1}), "malformed")
    assert "\u202e" not in odd["detail"]


# --- Limits -------------------------------------------------------------------------------------------


def test_a_body_beyond_the_limit_is_refused_by_what_it_announces(new_rest):
    rest = new_rest(body_limit=2048)
    found = problem(rest.nobody.post("/v1/players", json={"name": "x" * 3000}), "too_large")
    assert found["limit"] == 2048


def test_a_body_in_chunks_is_counted_as_it_comes(new_served):
    served = new_served(body_limit=2048)

    def chunks():
        for _ in range(40):
            yield b"x" * 100

    answer = served.nobody.post("/v1/players", content=chunks(), headers={"content-type": "application/json"})
    assert problem(answer, "too_large")["limit"] == 2048


def test_a_body_in_chunks_is_put_together(served):
    answer = served.nobody.post(
        "/v1/players", content=iter([b'{"na', b'me": "Li', b'via"}']), headers={"content-type": "application/json"}
    )
    assert said(answer, 201)["name"] == "Livia"


def test_a_lie_about_the_length_is_no_error_of_ours(served):
    head = "POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    with socket.create_connection(("127.0.0.1", served.port)) as link:
        link.sendall(head.encode())
    assert served.nobody.get("/healthz").status_code == 200


def test_a_text_beyond_the_limit_is_too_large(new_rest):
    rest = new_rest(text_limit=100)
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, marcus)
    assert problem(livia.act(table, "say", text="x" * 101), "too_large")["limit"] == 100
    assert livia.act(table, "say", text="x" * 100).status_code == 201


def test_reads_are_limited_by_token_and_by_address(new_rest):
    rest = new_rest(read_rate=0.01, read_burst=3)
    livia = rest.person("Livia")
    for who in (rest.nobody, livia):
        assert [who.get("/v1/games").status_code for _ in range(3)] == [200] * 3
        answer = who.get("/v1/games")
        found = problem(answer, "rate_limited")
        assert int(answer.headers["retry-after"]) == found["seconds"] > 60
    assert rest.nobody.get("/healthz").status_code == 200


def test_guessing_tokens_is_limited(new_rest):
    rest = new_rest(read_rate=0.01, read_burst=3)
    sent = [rest.nobody.get("/v1/me", headers={"authorization": f"Bearer cmt_{n}"}) for n in range(4)]
    assert [answer.status_code for answer in sent] == [401, 401, 401, 429]


def test_actions_creations_and_registrations_are_limited(new_rest):
    rest = new_rest(
        action_rate=0.01, action_burst=3, creation_rate=0.01, creation_burst=3, registration_rate=0.01,
        registration_burst=2,
    )  # fmt: skip
    livia, marcus = rest.people("Livia", "Marcus")
    problem(rest.nobody.post("/v1/players", json={"name": "Drusus"}), "rate_limited")
    table = rest.table(livia, marcus)
    assert [livia.act(table, "say", text="Ave").status_code for _ in range(4)] == [201, 201, 201, 429]
    made = [livia.post("/v1/tables", json={"game": "straws", "seats": 2}).status_code for _ in range(3)]
    assert made == [201, 201, 429]


def test_nothing_is_limited_when_so_set(new_rest):
    rest = new_rest(unsafe_unlimited=True, read_rate=0.01, read_burst=1)
    assert {rest.nobody.get("/v1/games").status_code for _ in range(5)} == {200}


# --- Languages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("asked", "language"), [("ja", "ja"), ("en", "en"), ("fr, ja;q=0.5", "ja"), ("fr", "en")])
def test_problems_speak_the_language_of_the_caller(rest, asked, language):
    answer = rest.nobody.get("/nope", headers={"accept-language": asked})
    assert problem(answer, "not_found")["title"] == KINDS["not_found"].title.to(language)
    assert answer.headers["content-language"] == language


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_problem_has_a_page(rest, code, language):
    answer = rest.nobody.get(f"/problems/{code}", headers={"accept-language": language})
    assert answer.headers["content-type"].startswith("text/plain")
    assert KINDS[code].do.to(language) in answer.text


def test_there_is_no_page_for_other_problems(rest):
    problem(rest.nobody.get("/problems/nope"), "not_found")


# --- Pages of other origins ---------------------------------------------------------------------------

ORIGIN = {"origin": "https://play.example.org"}
PREFLIGHT = {
    **ORIGIN,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization, idempotency-key, content-type, if-match",
}


def test_pages_of_other_origins_are_let_in_when_so_set(new_rest):
    rest = new_rest(cors_origins=("https://play.example.org",))
    before = rest.nobody.request("OPTIONS", "/v1/tables", headers=PREFLIGHT)
    assert before.status_code in (200, 204)
    assert before.headers["access-control-allow-origin"] == ORIGIN["origin"]
    assert "idempotency-key" in before.headers["access-control-allow-headers"].lower()
    answer = rest.nobody.get("/v1/games", headers=ORIGIN)
    assert answer.headers["access-control-allow-origin"] == ORIGIN["origin"]
    for name in ("ETag", "Location", "Retry-After", "Idempotency-Replayed"):
        assert name.lower() in answer.headers["access-control-expose-headers"].lower()
    refused = rest.nobody.post("/v1/tables", json={}, headers=ORIGIN)
    assert refused.headers["access-control-allow-origin"] == ORIGIN["origin"], "a page must be able to read problems"


def test_other_pages_are_not(new_rest):
    rest = new_rest(cors_origins=("https://play.example.org",))
    answer = rest.nobody.get("/v1/games", headers={"origin": "https://evil.example.org"})
    assert "access-control-allow-origin" not in answer.headers


def test_by_default_there_is_no_word_of_origins(rest):
    assert "access-control-allow-origin" not in rest.nobody.get("/v1/games", headers=ORIGIN).headers


# --- Ids, logs and errors -----------------------------------------------------------------------------


def test_every_answer_has_an_id(rest):
    ids = {rest.nobody.get(path).headers["x-request-id"] for path in ("/v1/games", "/nope", "/healthz")}
    assert len(ids) == 3


def test_a_proxys_id_is_kept_unless_it_is_a_strange_one(rest):
    assert rest.nobody.get("/healthz", headers={"x-request-id": "abc-1"}).headers["x-request-id"] == "abc-1"
    strange = rest.nobody.get("/healthz", headers={"x-request-id": "cmt_" + "x" * 43})
    assert "cmt_" not in strange.headers["x-request-id"]


def test_a_request_is_one_line_without_what_is_secret(rest, caplog):
    caplog.set_level("DEBUG", "comitium")
    livia = rest.person("Livia")
    livia.get("/v1/tables?cursor=cmt_secret&limit=5")
    (line,) = [record.fields for record in caplog.records if getattr(record, "fields", {}).get("status") == 422]
    assert line["path"] == "/v1/tables"
    assert line["method"] == "GET"
    assert not re.search(r"cmt_|limit", json.dumps([getattr(r, "fields", None) for r in caplog.records]))


class Broken:
    """A store that breaks while it is asked."""

    def __init__(self, store, word):
        self._store, self._word = store, word

    def __getattr__(self, name):
        return getattr(self._store, name)

    async def read(self, *_):
        raise RuntimeError(f"the canary says {self._word}")


def test_what_nobody_expected_shows_nothing_and_is_logged(rest, errors):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, marcus)
    tables = rest.site.tables
    kept, tables.store = tables.store, Broken(tables.store, "piep")
    for language in LANGUAGES:
        answer = livia.get(f"{table}/log", headers={"accept-language": language})
        found = problem(answer, "internal")
        assert set(found) == {"type", "title", "status", "detail", "code"}
        assert "piep" not in answer.text
    assert all("piep" in line for line in errors.said())
    assert livia.token not in " ".join(errors.said())
    errors.clear()
    tables.store = kept
    assert livia.get(f"{table}/log").status_code == 200


# --- About the server ---------------------------------------------------------------------------------


def test_health_readiness_and_metrics(rest):
    assert rest.nobody.get("/healthz").text == "ok\n"
    assert rest.nobody.get("/readyz").text == "ready\n"
    rest.nobody.get("/nope")
    figures = rest.nobody.get("/metrics")
    assert figures.headers["content-type"].startswith("text/plain")
    assert 'comitium_problems_total{code="not_found"} 1.0' in figures.text


def test_actions_are_counted_by_what_became_of_them(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, marcus)
    for headers in ({}, {"idempotency-key": "k"}, {"idempotency-key": "k"}):
        livia.post(f"{table}/actions", json={"type": "say", "text": "Ave"}, headers=headers)
    marcus.act(table, "keep")
    figures = rest.nobody.get("/metrics").text
    for result, number in (("accepted", 4), ("replayed", 1), ("refused", 1)):
        assert f'comitium_commands_total{{result="{result}",transport="rest"}} {number}.0' in figures


def test_a_server_that_goes_down_is_not_ready(rest):
    rest.site.ready = False
    answer = rest.nobody.get("/readyz")
    problem(answer, "unavailable")
    assert answer.headers["retry-after"] == "1"


def test_the_keys_of_receipts(rest):
    (key,) = said(rest.nobody.get("/v1/keys"))["keys"]
    assert key["current"]
    assert len(bytes.fromhex(key["public_key"])) == 32
    livia = rest.person("Livia")
    opened = said(livia.post("/v1/tables", json={"game": "straws", "seats": 2}), 201)
    assert opened["receipt"]["key"] == key["id"]
