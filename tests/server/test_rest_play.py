"""Playing and reading: views then and now, asks, actions, the log."""

import asyncio
import json
from hashlib import sha256

import msgspec
import pytest

from events.memory import MemoryStore
from events.store import Unavailable
from server.problems import LANGUAGES
from tests.server.harness import problem, said

KEYED = {"idempotency-key": "once"}
VIEW = {
    "table", "seq", "head", "status", "seat", "seats", "to_act", "windows", "offers", "promises", "dispute", "struck", "clock",
    "result", "game",
}  # fmt: skip


@pytest.fixture
def three(rest):
    """A table of three, with its people and somebody without a seat."""
    people = rest.people("Livia", "Marcus", "Drusus", "Julia")
    return rest.table(*people[:3]), *people


def play_out(people, table):
    """Straws until the end; what everybody saw after each entry."""
    seen = []

    def look():
        seen.append([who.view(table) for who in people])

    look()
    for who, kind in zip(people, ("swap", "keep", "keep"), strict=False):
        for action in ({"kind": "say", "text": "Ave"}, {"kind": kind}):
            said(who.act(table, **action), 201)
            look()
    return seen


# --- Views --------------------------------------------------------------------------------------------


def test_a_view_is_what_its_reader_knows(rest, three):
    table, livia, marcus, _, julia = three
    seen = livia.view(table)
    assert set(seen) == VIEW
    assert (seen["seat"], seen["status"], seen["to_act"], seen["table"]) == (0, "playing", [0], table[-19:])
    straws = seen["game"]["straws"]
    assert straws[0] is not None
    assert straws[1:] == [None, None]
    assert marcus.view(table)["game"]["straws"][0] is None
    for who in (julia, rest.nobody):
        assert who.view(table)["game"]["straws"] == [None] * 3


def test_a_view_of_then_is_what_the_same_reader_saw_then(three):
    table, *people = three
    seen = play_out([*people[:3], people[3]], table)
    assert seen[-1][0]["status"] == "ended"
    for views in seen:
        for who, view in zip(people, views, strict=True):
            assert who.view(table, at=view["seq"]) == view
    for who in people:
        assert who.view(table, at=1)["game"] is None


def test_another_seats_view_opens_with_the_end(rest, three):
    table, *people = three
    livia, julia = people[0], people[3]
    assert livia.view(table, seat=0)["seat"] == 0, "one's own"
    for language in LANGUAGES:
        spoken = {"accept-language": language}
        for who, seat in ((livia, 1), (julia, 0), (rest.nobody, 2)):
            problem(who.get(f"{table}/view?seat={seat}", headers=spoken), "not_your_seat")
            problem(who.get(f"{table}/view?seat={seat}&at=1", headers=spoken), "not_your_seat")
    seen = play_out(people[:3], table)
    for reader in (livia, julia, rest.nobody):
        for views in seen:
            for seat, view in enumerate(views):
                assert reader.view(table, seat=seat, at=view["seq"]) == view
        problem(reader.get(f"{table}/view?seat=3"), "not_found")


def test_the_end_of_a_private_table_opens_it_to_its_seats_alone(rest):
    livia, marcus, drusus = rest.people("Livia", "Marcus", "Drusus")
    operator = rest.person("Op", "operate", "read")
    table = rest.table(livia, marcus, visibility="private")
    code = said(livia.post(f"{table}/invites", json={"role": "watch"}), 201)["code"]
    assert drusus.post(f"{table}/watch", json={"invite": code}).status_code == 204
    for who in (livia, marcus):
        said(who.act(table, "keep"), 201)
    assert livia.view(table, seat=1)["seat"] == 1
    assert {entry["version"] for entry in said(livia.get(f"{table}/log"))["entries"]} == {"full"}
    for who in (drusus, operator):
        problem(who.get(f"{table}/view?seat=0"), "not_your_seat")
        assert "public" in {entry["version"] for entry in said(who.get(f"{table}/log"))["entries"]}


@pytest.mark.parametrize(
    "query",
    ["at=0", "at=x", "at=-1", "at=1.5", "seat=-1", "seat=x", "seat=1000", f"at={10**30}", "at=null", "at=1&at=2"],
)
def test_a_query_that_cannot_be(three, query):
    assert problem(three[1].get(f"{three[0]}/view?{query}"), "malformed")["parameter"] == query.partition("=")[0]


def test_a_view_beyond_the_log(three):
    found = problem(three[1].get(f"{three[0]}/view?at=999"), "log_forked")
    assert (found["seen"], found["head"]) == (999, said(three[1].get(three[0]))["seq"])


def test_an_etag_saves_what_one_has(rest, three):
    table, livia, marcus, _, julia = three
    first = livia.get(f"{table}/view")
    tag = first.headers["etag"]
    assert "Authorization" in first.headers["vary"]
    for had in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        again = livia.get(f"{table}/view", headers={"if-none-match": had})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    packed = livia.get(f"{table}/view", headers={"accept": "application/msgpack", "if-none-match": tag})
    assert packed.status_code == 200
    tags = {who.get(f"{table}/view").headers["etag"] for who in (livia, marcus, julia)}
    assert len(tags) == 3
    assert rest.nobody.get(f"{table}/view", headers={"if-none-match": tag}).status_code == 200
    assert livia.get(f"{table}/view?at=1", headers={"if-none-match": tag}).status_code == 200
    said(julia.get(table))
    said(marcus.act(table, "say", text="Ave"), 201)
    assert livia.get(f"{table}/view", headers={"if-none-match": tag}).status_code == 200


# --- Asks ---------------------------------------------------------------------------------------------


def test_asks_are_the_seats_own(three):
    table, livia, marcus, _, julia = three
    asked = said(livia.get(f"{table}/asks"))
    assert set(asked) == {"seq", "since", "asks"}
    assert {"keep", "swap", "boast", "say"} <= {ask["type"] for ask in asked["asks"]}
    assert {ask["must"] for ask in asked["asks"] if ask["type"] == "keep"} == {True}
    assert "keep" not in {ask["type"] for ask in said(marcus.get(f"{table}/asks"))["asks"]}
    for language in LANGUAGES:
        problem(julia.get(f"{table}/asks", headers={"accept-language": language}), "not_your_seat")


# --- Actions ------------------------------------------------------------------------------------------


def test_an_action_is_answered_with_its_entry_and_a_receipt(three):
    table, livia, *_ = three
    answer = livia.act(table, "say", text="Ave 🏛 市民")
    done = said(answer, 201)
    assert set(done) == {"seq", "version", "salt", "commits", "leaf", "head", "entry", "receipt"}
    assert answer.headers["location"] == f"{table}/log/{done['seq']}"
    assert done["entry"]["events"] == [{"type": "said", "seat": 0, "text": "Ave 🏛 市民"}]
    log = said(livia.get(answer.headers["location"]))
    assert {name: done[name] for name in log} == log
    assert done["receipt"]["seq"] == done["seq"]
    assert livia.view(table)["head"] == done["head"]


@pytest.mark.parametrize(
    "body",
    [
        {}, {"type": "nope"}, {"type": 1}, {"type": "say"}, {"type": "say", "text": ""}, {"type": "say", "text": 5},
        {"type": "say", "text": "x" * 501}, {"type": "keep", "more": 1}, {"type": "sit", "player": "x"},
        {"type": "close", "why": "x"}, {"type": "start"}, [], "keep", None,
    ],
)  # fmt: skip
def test_what_is_no_action_is_malformed(three, body):
    table, livia, *_ = three
    before = said(livia.get(table))
    problem(livia.post(f"{table}/actions", content=json.dumps(body)), "malformed")
    assert said(livia.get(table)) == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_rules_do_not_allow_is_refused_and_changes_nothing(three, language):
    table, livia, marcus, _, julia = three
    before = said(livia.get(table))
    spoken = {"accept-language": language}
    found = problem(marcus.post(f"{table}/actions", json={"type": "keep"}, headers=spoken), "refused")
    assert (found["reason"], found["asks"]) == ("not_your_turn", f"{table}/asks")
    assert problem(
        livia.post(f"{table}/actions", json={"type": "pay", "to": 1, "amount": 1}, headers=spoken), "refused"
    )
    problem(julia.post(f"{table}/actions", json={"type": "keep"}, headers=spoken), "not_your_seat")
    assert said(livia.get(table)) == before


def test_a_table_that_is_over_takes_no_action(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.played(livia, marcus)
    problem(livia.act(table, "say", text="Ave"), "ended")


def test_an_offer_that_has_changed_is_not_accepted(rest):
    people = rest.people("Livia", "Marcus")
    table = rest.table(*people, game="harbour")
    for who in people:
        (ask,) = [ask for ask in said(who.get(f"{table}/asks"))["asks"] if ask["must"]]
        said(who.act(table, "lay", card=ask["fields"]["card"]["one_of"][0]), 201)
    game = people[0].view(table)["game"]
    warden, payer = people[game["warden"]], people[1 - game["warden"]]
    terms = {"amount": 3, "does": {"type": "admit"}, "times": 1, "never": None}
    made = said(payer.act(table, "offer", payee=game["warden"], window="admit:1", **terms), 201)
    said(payer.act(table, "amend", offer=made["seq"], version=1, **{**terms, "amount": 2}), 201)
    found = problem(warden.act(table, "accept", offer=made["seq"], version=1), "offer_changed")
    assert (found["offer"], found["version"]) == (made["seq"], 2)
    assert said(warden.act(table, "accept", offer=made["seq"], version=2), 201)


def test_an_action_may_be_sent_again(three):
    table, livia, marcus, *_ = three
    body = {"type": "say", "text": "Ave"}
    answers = [livia.post(f"{table}/actions", json=body, headers=KEYED) for _ in range(3)]
    assert {str(said(answer, 201)) for answer in answers} == {str(answers[0].json())}
    assert [answer.headers.get("idempotency-replayed") for answer in answers] == [None, "true", "true"]
    problem(livia.post(f"{table}/actions", json={**body, "text": "Vale"}, headers=KEYED), "key_reused")
    other = said(marcus.post(f"{table}/actions", json=body, headers=KEYED), 201)
    assert other["entry"]["by"] == 1, "one player's key never gives another's answer"


def test_a_key_outlives_the_turn_and_the_table(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, marcus)
    first = said(livia.post(f"{table}/actions", json={"type": "keep"}, headers=KEYED), 201)
    said(marcus.act(table, "keep"), 201)
    again = livia.post(f"{table}/actions", json={"type": "keep"}, headers=KEYED)
    assert said(again, 201) == first
    assert livia.view(table)["status"] == "ended"


def test_the_same_action_at_the_same_time_is_done_once(three, rest):
    table, livia, *_ = three
    before = said(livia.get(table))["seq"]
    wanted = {"json": {"type": "say", "text": "Ave"}, "headers": KEYED}
    answers = rest.together(*(rest.calling(livia, "POST", f"{table}/actions", **wanted) for _ in range(10)))
    for answer in answers:
        if answer.status_code != 201:
            problem(answer, "in_progress")
    assert len({said(answer, 201)["seq"] for answer in answers if answer.status_code == 201}) == 1
    assert said(livia.get(table))["seq"] == before + 1


# --- If-Match -----------------------------------------------------------------------------------------


def test_an_action_for_an_earlier_position_is_stale(three):
    table, livia, marcus, *_ = three
    seen = said(marcus.get(f"{table}/asks"))["seq"]
    said(livia.act(table, "keep"), 201)
    for language in LANGUAGES:
        headers = {"if-match": f'"{seen}"', "accept-language": language}
        found = problem(marcus.post(f"{table}/actions", json={"type": "keep"}, headers=headers), "stale")
        assert (found["expected"], found["head"]) == (seen, seen + 1)
    missed = said(marcus.get(found["missed"]))["entries"]
    assert [entry["seq"] for entry in missed] == [seen + 1]
    now = said(marcus.get(f"{table}/asks"))["since"]
    answer = marcus.post(f"{table}/actions", json={"type": "keep"}, headers={"if-match": f'"{now}"'})
    assert answer.status_code == 201


def test_what_others_say_makes_nothing_stale(three):
    table, livia, marcus, *_ = three
    seen = said(livia.get(f"{table}/asks"))["seq"]
    said(marcus.act(table, "say", text="Ave"), 201)
    for tag in (f'"{seen}"', f'W/"{seen}"', str(seen), "*"):
        body = {"type": "say", "text": tag}
        assert livia.post(f"{table}/actions", json=body, headers={"if-match": tag}).status_code == 201


def test_who_has_seen_more_than_the_log_has_is_told(three):
    table, livia, *_ = three
    found = problem(livia.post(f"{table}/actions", json={"type": "keep"}, headers={"if-match": '"99"'}), "log_forked")
    assert found["seen"] == 99


@pytest.mark.parametrize("tag", ['""', "x", '"1", "2"', "-1", '"1.5"', '"9999999999999999"'])
def test_an_if_match_that_cannot_be(three, tag):
    answer = three[1].post(f"{three[0]}/actions", json={"type": "keep"}, headers={"if-match": tag})
    assert problem(answer, "malformed")["header"] == "If-Match"


# --- The log ------------------------------------------------------------------------------------------


def test_the_log_by_pages_is_the_whole_log(three):
    table, *people = three
    play_out(people[:3], table)
    whole = said(people[0].get(f"{table}/log"))
    assert [entry["seq"] for entry in whole["entries"]] == list(range(1, whole["seq"] + 1))
    assert whole["head"] == whole["entries"][-1]["head"]
    parts, after = [], 0
    while after < whole["seq"]:
        page = said(people[0].get(f"{table}/log?after={after}&limit=3"))
        parts += page["entries"]
        after = page["entries"][-1]["seq"]
    assert parts == whole["entries"]
    assert said(people[0].get(f"{table}/log?after={after}"))["entries"] == []
    for entry in parts:
        assert said(people[0].get(f"{table}/log/{entry['seq']}")) == entry


def test_every_reader_can_check_the_chain(rest, three):
    table, *people = three
    play_out(people[:3], table)
    for who in (*people, rest.nobody):
        answer = who.get(f"{table}/log", headers={"accept": "application/msgpack"})
        head = bytes(32)
        for entry in msgspec.msgpack.decode(answer.content)["entries"]:
            commit = sha256(b"\x02" + bytes.fromhex(entry["salt"]) + entry["entry"]).digest()
            commits = {entry["version"]: commit} | {n: bytes.fromhex(c) for n, c in entry["commits"].items()}
            order = sorted(commits, key=lambda name: (name != "full", name != "public", name))
            leaf = sha256(b"\x00" + b"".join(commits[name] for name in order)).digest()
            head = sha256(b"\x01" + head + leaf).digest()
            assert (leaf.hex(), head.hex()) == (entry["leaf"], entry["head"])


def test_before_the_end_everybody_reads_his_own_version(rest, three):
    table, livia, _, _, julia = three
    dealt = said(livia.get(table))["seq"]
    versions = {}
    for who in (livia, julia, rest.nobody):
        entry = said(who.get(f"{table}/log/{dealt}"))
        versions[who] = entry["version"]
        straws = [event["straw"] for event in entry["entry"]["events"] if event["type"] == "drawn"]
        assert [straw is not None for straw in straws] == [who is livia, False, False]
    assert list(versions.values()) == ["0", "public", "public"]


@pytest.mark.parametrize("seq", ["0", "999", "-1", "x", "99999999999999999999999"])
def test_an_entry_that_is_not_there(three, seq):
    problem(three[1].get(f"{three[0]}/log/{seq}"), "not_found")


@pytest.mark.parametrize("query", ["after=-1", "after=x", "limit=0", "limit=1001"])
def test_a_page_that_cannot_be(three, query):
    assert problem(three[1].get(f"{three[0]}/log?{query}"), "malformed")["parameter"] == query.partition("=")[0]


def test_a_page_beyond_the_log(three):
    assert problem(three[1].get(f"{three[0]}/log?after=999"), "log_forked")["seen"] == 999


def test_the_log_of_a_finished_table_as_a_stream_is_its_frames(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.played(livia, marcus)
    seq = said(livia.get(table))["seq"]
    answer = livia.get(f"{table}/log?after=1", headers={"accept": "application/x-ndjson"})
    frames = [json.loads(line) for line in answer.text.splitlines() if line]
    assert [frame["seq"] for frame in frames] == list(range(2, seq + 1))
    events = livia.get(f"{table}/log", headers={"accept": "text/event-stream", "last-event-id": str(seq - 1)})
    assert events.headers["content-type"].startswith("text/event-stream")
    assert f"id: {seq}\n" in events.text
    bad = livia.get(f"{table}/log", headers={"accept": "text/event-stream", "last-event-id": "x"})
    assert problem(bad, "malformed")["header"] == "Last-Event-ID"


# --- What nobody may know -----------------------------------------------------------------------------


def everything(rest, who, table):
    """All bytes that somebody can get of a table and around it."""
    said(rest.nobody.get(table))
    paths = ["", "/view", "/asks", "/log", "/log?after=1", "/seats", *(f"/view?at={n}" for n in range(1, 9))]
    paths += [f"/log/{n}" for n in range(1, 9)] + [f"/view?seat={n}" for n in range(3)]
    found = b""
    for accept in ("application/json", "application/msgpack"):
        for path in paths:
            answer = who.get(table + path, headers={"accept": accept})
            found += answer.content + str(answer.headers).encode()
    for path in ("/v1/tables", "/metrics", "/v1/keys", "/v1/games/harbour"):
        found += who.get(path).content
    for body in ({"type": "nope"}, {"type": "lay", "card": 99}, {"type": "say", "text": "x"}):
        found += who.post(f"{table}/actions", json=body).content
    return found


def test_a_whisper_reaches_nobody_else(rest, caplog):
    caplog.set_level("DEBUG", "comitium")
    people = rest.people("Livia", "Marcus", "Drusus", "Julia")
    table = rest.table(*people[:3], house={"whispers": True})
    said(people[0].act(table, "whisper", to=[1], text="canary in the coal mine"), 201)
    for who in (people[2], people[3], rest.nobody, rest.person("Op", "operate", "read", "play")):
        assert b"canary" not in everything(rest, who, table)
    for who in people[:2]:
        assert b"canary" in everything(rest, who, table)
    assert not any("canary" in str(vars(record)) for record in caplog.records)
    for who in people[:3]:
        said(who.act(table, "keep"), 201)
    assert b"canary" in everything(rest, rest.nobody, table), "with the end the whole log opens"


def test_no_seed_and_no_salt_leaves_before_the_end(rest):
    people = rest.people("Livia", "Marcus")
    table = rest.table(*people, game="harbour")
    stored = rest.run(rest.site.store.read(table[-19:]))
    seed = next(
        event["seed"] for event in json.loads(stored[0].versions["full"])["events"] if event["type"] == "seed_sealed"
    )
    secrets = [seed, *(entry.salt.hex() for entry in stored)]
    secrets += [bytes.fromhex(secret).decode("latin-1") for secret in secrets]
    operator = rest.person("Op", "operate", "read")
    for who in (*people, rest.nobody, operator):
        text = everything(rest, who, table).decode("latin-1")
        assert not [secret for secret in secrets if secret in text]
    said(operator.post(f"{table}/abandon"), 201)
    assert seed in everything(rest, rest.nobody, table).decode("latin-1"), "now everybody can draw again"


# --- Many at once -------------------------------------------------------------------------------------


class Slow(MemoryStore):
    """A store that takes its time to write."""

    async def append(self, table, expected, entry, command):
        await asyncio.sleep(0.02)
        return await super().append(table, expected, entry, command)


def test_while_the_first_runs_the_second_is_in_progress(new_rest):
    rest = new_rest(store=Slow())
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, marcus)
    wanted = {"json": {"type": "say", "text": "Ave"}, "headers": KEYED}
    for language in LANGUAGES:
        wanted["headers"] = {"idempotency-key": language, "accept-language": language}
        answers = rest.together(*(rest.calling(livia, "POST", f"{table}/actions", **wanted) for _ in range(3)))
        assert sorted(answer.status_code for answer in answers) == [201, 409, 409]
        for answer in answers:
            if answer.status_code == 409:
                problem(answer, "in_progress")
    seats = rest.table(livia, seats=3)
    wanted = {"json": {}, "headers": KEYED}
    answers = rest.together(*(rest.calling(marcus, "POST", f"{seats}/seats", **wanted) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409]


def test_a_hundred_payments_from_fifty_chips(new_rest):
    rest = new_rest(store=Slow(), unsafe_unlimited=True)
    people = rest.people("Livia", "Marcus")
    table = rest.table(*people, game="harbour")
    for who in people:
        (ask,) = [ask for ask in said(who.get(f"{table}/asks"))["asks"] if ask["must"]]
        said(who.act(table, "lay", card=ask["fields"]["card"]["one_of"][0]), 201)
    before = people[0].view(table)
    wanted = {"json": {"type": "pay", "to": 1, "amount": 1}}
    answers = rest.together(*(rest.calling(people[0], "POST", f"{table}/actions", **wanted) for _ in range(100)))
    assert sorted(answer.status_code for answer in answers) == [201] * 50 + [409] * 50
    after = people[0].view(table)
    assert after["seq"] == before["seq"] + 50
    assert after["game"]["purses"]["seats"] == [0, 100]


def test_the_first_answer_is_the_same_after_leaving(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, marcus, house={"whispers": True})
    body = {"type": "whisper", "to": [1], "text": "vale"}
    first = said(livia.post(f"{table}/actions", json=body, headers=KEYED), 201)
    said(livia.act(table, "leave"), 201)
    again = livia.post(f"{table}/actions", json=body, headers=KEYED)
    assert said(again, 201) == first
    assert again.headers["idempotency-replayed"] == "true"
    problem(livia.post(f"{table}/actions", json=body), "not_your_seat")
    problem(livia.post(f"{table}/actions", json={**body, "text": "ave"}, headers=KEYED), "key_reused")


class Unsure(MemoryStore):
    """A store of which nobody knows whether it has written; in truth it has."""

    fails = False

    async def append(self, table, expected, entry, command):
        answer = await super().append(table, expected, entry, command)
        if self.fails:
            raise Unavailable("the line is dead", 2.5)
        return answer


@pytest.mark.parametrize("language", LANGUAGES)
def test_when_the_outcome_is_unknown_the_same_key_finds_out(new_rest, language):
    store = Unsure()
    rest = new_rest(store=store)
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, marcus)
    wanted = {"json": {"type": "say", "text": "Ave"}, "headers": {**KEYED, "accept-language": language}}
    store.fails = True
    answer = livia.post(f"{table}/actions", **wanted)
    problem(answer, "unavailable")
    assert int(answer.headers["retry-after"]) >= 2
    problem(livia.post("/v1/tables", json={"game": "straws", "seats": 2}), "unavailable")
    store.fails = False
    again = livia.post(f"{table}/actions", **wanted)
    assert said(again, 201)["entry"]["events"][0]["text"] == "Ave"
    assert again.headers["idempotency-replayed"] == "true"
