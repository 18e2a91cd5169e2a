"""Sitting down, rising, inviting, house bots, and the operator's end of a table."""

import time

import pytest

from server.problems import LANGUAGES
from tests.server.harness import problem, said

ENTROPY = {"A": "0a" * 32, "B": "0b" * 32}
KEYED = {"idempotency-key": "once"}
RECEIPT = {"table", "seq", "head", "key", "signature"}


class Bench:
    """House bots that only wait."""

    names = ("sloth", "hare")

    def __init__(self):
        self.told = []

    def seated(self, table, seat, bot, token):
        self.told.append((table, seat, bot, token))


# --- Sitting down -------------------------------------------------------------------------------------


def test_whoever_sits_gets_the_seat_and_a_receipt(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, seats=3)
    answer = marcus.post(f"{table}/seats", json={"seat": 2})
    given = said(answer, 201)
    assert (given["seat"], given["seq"]) == (2, 2)
    assert set(given["receipt"]) == RECEIPT
    assert answer.headers["location"] == f"{table}/log/2"
    assert marcus.view(table)["seat"] == 2


def test_without_a_wish_it_is_the_first_free_seat(rest):
    livia, marcus, drusus = rest.people("Livia", "Marcus", "Drusus")
    table = rest.table(livia, seats=3)
    assert said(marcus.post(f"{table}/seats", json={}), 201)["seat"] == 1
    assert said(drusus.post(f"{table}/seats", json={}), 201)["seat"] == 2
    assert livia.view(table)["status"] == "playing", "it starts by itself"


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_keeps_one_from_sitting(rest, language):
    livia, marcus, drusus, arbiter = rest.people("Livia", "Marcus", "Drusus", "Julia")
    spoken = {"accept-language": language}
    table = rest.table(livia, marcus, seats=3, house={"arbiter": arbiter.id})

    def sit(who, **body):
        return who.post(f"{table}/seats", json=body, headers=spoken)

    problem(sit(drusus, seat=1), "seat_taken")
    assert problem(sit(marcus, seat=2), "refused")["reason"] == "already_seated"
    assert problem(sit(marcus), "refused")["asks"] == f"{table}/asks"
    assert problem(sit(arbiter), "refused")["reason"] == "arbiter_sits_apart"
    assert problem(sit(drusus, seat=3), "refused")["reason"] == "no_such_seat"
    for body in ({"seat": -1}, {"seat": "1"}, {"seat": 1.0}, {"seat": 100}, {"entropy": "0A" * 32}, {"entropy": "0a"}):
        problem(sit(drusus, **body), "malformed")
    said(sit(drusus), 201)
    problem(sit(rest.person("Late")), "seat_taken")
    problem(sit(rest.person("Later"), seat=0), "seat_taken")


def test_one_more_than_there_are_seats_is_turned_away(rest):
    people = rest.people(*(f"P{n}" for n in range(9)))
    table = rest.table(people[0], seats=6)
    answers = rest.together(*(rest.calling(who, "POST", f"{table}/seats", json={}) for who in people[1:]))
    assert sorted(answer.status_code for answer in answers) == [201] * 5 + [409] * 3
    assert sorted(answer.json()["seat"] for answer in answers if answer.status_code == 201) == [1, 2, 3, 4, 5]
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"seat_taken"}


def test_a_vacant_seat_can_be_taken_in_mid_game(rest):
    livia, marcus, drusus = rest.people("Livia", "Marcus", "Drusus")
    table = rest.table(livia, marcus)
    said(marcus.act(table, "leave"), 201)
    seen = drusus.view(table)
    assert (seen["seat"], seen["game"]["straws"]) == (None, [None, None])
    assert said(drusus.post(f"{table}/seats", json={}), 201)["seat"] == 1
    assert drusus.view(table)["game"]["straws"][1] is not None, "he sees what the seat saw"
    assert marcus.view(table)["game"]["straws"] == [None, None]


def test_a_table_that_is_over_takes_nobody(rest):
    table = rest.played(*rest.people("Livia", "Marcus"))
    problem(rest.person("Drusus").post(f"{table}/seats", json={}), "ended")


# --- Entropy ------------------------------------------------------------------------------------------


def test_entropy_is_given_with_the_seat_or_for_ones_own_once(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia)
    given = said(livia.post(f"{table}/seats", json={"entropy": ENTROPY["A"]}), 201)
    assert (given["seat"], given["seq"]) == (0, 2)
    refused = problem(livia.post(f"{table}/seats", json={"entropy": ENTROPY["B"]}), "refused")
    assert refused["reason"] == "entropy_given"
    said(marcus.post(f"{table}/seats", json={"entropy": ENTROPY["B"]}), 201)
    log = said(livia.get(f"{table}/log"))["entries"]
    (started,) = [e for entry in log for e in entry["entry"]["events"] if e["type"] == "started"]
    assert started["entropies"] == [ENTROPY["A"], ENTROPY["B"]]


@pytest.mark.parametrize("body", [{"entropy": "0a" * 32}, {"seat": 0, "entropy": "0a" * 32}])
def test_entropy_may_be_sent_again_with_its_key(rest, body):
    livia = rest.person("Livia")
    table = rest.table(livia)
    first, again = (livia.post(f"{table}/seats", json=body, headers=KEYED) for _ in range(2))
    assert said(first, 201) == said(again, 201)
    assert again.headers["idempotency-replayed"] == "true"


# --- Sending again ------------------------------------------------------------------------------------

BODIES = ({}, {"seat": 1}, {"entropy": "0a" * 32}, {"seat": 1, "entropy": "0a" * 32})


@pytest.mark.parametrize("body", BODIES)
def test_sitting_down_may_be_sent_again(rest, body):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia)
    answers = [marcus.post(f"{table}/seats", json=body, headers=KEYED) for _ in range(3)]
    assert {str(said(answer, 201)) for answer in answers} == {str(answers[0].json())}
    assert [answer.headers.get("idempotency-replayed") for answer in answers] == [None, "true", "true"]
    assert livia.view(table)["seq"] == 3, "seated and started, once each"


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ({"seat": 1}, {"seat": 2}),
        ({}, {"seat": 2}),
        ({"seat": 1}, {"seat": 1, "entropy": "0a" * 32}),
        ({"seat": 1, "entropy": "0a" * 32}, {"seat": 1, "entropy": "0b" * 32}),
    ],
)
def test_the_same_key_for_something_else_is_refused(rest, first, other):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, seats=3)
    said(marcus.post(f"{table}/seats", json=first, headers=KEYED), 201)
    problem(marcus.post(f"{table}/seats", json=other, headers=KEYED), "key_reused")
    problem(marcus.post(f"{table}/actions", json={"type": "say", "text": "x"}, headers=KEYED), "key_reused")
    assert livia.view(table)["seq"] == 2


def test_a_refusal_is_not_remembered(rest):
    livia, marcus, drusus = rest.people("Livia", "Marcus", "Drusus")
    table = rest.table(livia, marcus, seats=3)
    problem(drusus.post(f"{table}/seats", json={"seat": 1}, headers=KEYED), "seat_taken")
    assert said(drusus.post(f"{table}/seats", json={"seat": 2}, headers=KEYED), 201)["seat"] == 2


def test_the_same_request_at_the_same_time_is_done_once(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, seats=3)
    answers = rest.together(*(rest.calling(marcus, "POST", f"{table}/seats", json={}, headers=KEYED) for _ in range(6)))
    assert {answer.status_code for answer in answers} <= {201, 409}
    for answer in answers:
        if answer.status_code == 409:
            problem(answer, "in_progress")
    assert {said(answer, 201)["seat"] for answer in answers if answer.status_code == 201} == {1}
    assert livia.view(table)["seq"] == 2


# --- Rising -------------------------------------------------------------------------------------------


def test_a_seat_is_given_up_before_the_start(rest):
    livia, marcus, drusus = rest.people("Livia", "Marcus", "Drusus")
    table = rest.table(livia, marcus, seats=3)
    for _ in range(2):
        answer = marcus.delete(f"{table}/seats/1", headers=KEYED)
        assert said(answer)["entry"]["action"] == {"type": "rise"}
        assert said(answer)["receipt"]["seq"] == 3
    assert answer.headers["idempotency-replayed"] == "true"
    assert livia.view(table)["seats"][1]["player"] is None
    said(drusus.post(f"{table}/seats", json={"seat": 1}), 201)
    assert said(marcus.delete(f"{table}/seats/1", headers=KEYED))["seq"] == 3, "whoever sits there now"


def test_nobody_takes_another_from_his_seat(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, marcus, seats=3)
    problem(livia.delete(f"{table}/seats/1"), "not_your_seat")
    problem(livia.delete(f"{table}/seats/2"), "not_your_seat")
    for seat in ("3", "99999999999999999999", "-1", "x", "1.0"):
        problem(livia.delete(f"{table}/seats/{seat}"), "not_found")


def test_after_the_start_one_leaves_by_an_action(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, marcus)
    assert problem(marcus.delete(f"{table}/seats/1"), "refused")["reason"] == "not_while_playing"


# --- House bots ---------------------------------------------------------------------------------------


def test_a_player_seats_a_bot(new_rest):
    bench = Bench()
    rest = new_rest(bots=bench)
    livia = rest.person("Livia")
    table = rest.table(livia, seats=3)
    given = said(livia.post(f"{table}/seats", json={"bot": "hare", "seat": 2}), 201)
    seat = said(livia.get(table))["seats"][2]
    assert (given["seat"], seat["bot"]) == (2, "hare")
    assert said(livia.get(f"/v1/players/{seat['player']}"))["bot"]
    ((told_table, told_seat, bot, token),) = bench.told
    assert (told_table, told_seat, bot) == (table[-19:], 2, "hare")
    assert rest.site.accounts.principal(token).player == seat["player"]


def test_seating_a_bot_may_be_sent_again(new_rest):
    bench = Bench()
    rest = new_rest(bots=bench)
    livia = rest.person("Livia")
    table = rest.table(livia, seats=4)
    answers = [livia.post(f"{table}/seats", json={"bot": "hare"}, headers=KEYED) for _ in range(3)]
    assert {str(said(answer, 201)) for answer in answers} == {str(answers[0].json())}
    assert answers[2].headers["idempotency-replayed"] == "true"
    assert len(bench.told) == 1
    for other in ({"bot": "sloth"}, {"bot": "hare", "seat": 3}, {}):
        problem(livia.post(f"{table}/seats", json=other, headers=KEYED), "key_reused")


def test_who_may_seat_which_bot(new_rest):
    rest = new_rest(bots=Bench())
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, seats=3)
    found = problem(livia.post(f"{table}/seats", json={"bot": "owl"}), "invalid")
    assert found["bots"] == ["sloth", "hare"]
    assert "sloth" in found["detail"]
    problem(marcus.post(f"{table}/seats", json={"bot": "hare"}), "forbidden")


def test_only_the_creator_sends_a_bot_away(new_rest):
    rest = new_rest(bots=Bench())
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, marcus, seats=4)
    said(marcus.post(f"{table}/seats", json={"bot": "hare", "seat": 2}), 201)
    problem(marcus.delete(f"{table}/seats/2"), "not_your_seat")
    assert said(livia.delete(f"{table}/seats/2"))["entry"]["by"] == 2


# --- Invites ------------------------------------------------------------------------------------------


def invite(who, table, **body):
    return said(who.post(f"{table}/invites", json=body), 201)["code"]


def test_an_invite_opens_a_private_table(rest):
    livia, marcus, drusus = rest.people("Livia", "Marcus", "Drusus")
    table = rest.table(livia, seats=3, visibility="private")
    answer = livia.post(f"{table}/invites", json={})
    assert said(answer, 201) == {"code": answer.json()["code"], "role": "play", "seat": None}
    code = answer.json()["code"]
    problem(marcus.post(f"{table}/seats", json={}), "not_found")
    assert said(marcus.post(f"{table}/seats", json={"invite": code}), 201)["seat"] == 1
    assert said(drusus.post(f"{table}/seats", json={"invite": f" {code.upper()} "}), 201)["seat"] == 2
    assert marcus.view(table)["seat"] == 1


def test_an_invite_may_be_for_one_seat(rest):
    livia, marcus, drusus = rest.people("Livia", "Marcus", "Drusus")
    table = rest.table(livia, seats=4, visibility="private")
    code = invite(livia, table, seat=2)
    for language in LANGUAGES:
        spoken = {"accept-language": language}
        problem(marcus.post(f"{table}/seats", json={"invite": code, "seat": 1}, headers=spoken), "forbidden")
    assert said(marcus.post(f"{table}/seats", json={"invite": code}), 201)["seat"] == 2
    problem(drusus.post(f"{table}/seats", json={"invite": code}), "seat_taken")


def test_an_invite_to_watch_is_for_watching(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, visibility="private")
    code = invite(livia, table, role="watch")
    problem(marcus.post(f"{table}/seats", json={"invite": code}), "forbidden")
    problem(marcus.get(f"{table}/view"), "not_found")
    for _ in range(2):
        assert marcus.post(f"{table}/watch", json={"invite": code}).status_code == 204
    assert marcus.view(table)["seat"] is None
    problem(marcus.post(f"{table}/seats", json={}), "forbidden")


def test_a_revoked_invite_is_none(rest):
    livia, marcus, drusus = rest.people("Livia", "Marcus", "Drusus")
    table = rest.table(livia, seats=3, visibility="private")
    code = invite(livia, table)
    said(drusus.post(f"{table}/seats", json={"invite": code}), 201)
    assert livia.delete(f"{table}/invites/{code}").status_code == 204
    problem(livia.delete(f"{table}/invites/{code}"), "not_found")
    for path in ("seats", "watch"):
        problem(marcus.post(f"{table}/{path}", json={"invite": code}), "not_found")
    assert drusus.view(table)["seat"] == 1, "who has used it stays"


def test_an_invite_is_for_its_table(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    one, other = (rest.table(livia, visibility="private") for _ in range(2))
    code = invite(livia, one)
    problem(marcus.post(f"{other}/seats", json={"invite": code}), "not_found")
    problem(livia.delete(f"{other}/invites/{code}"), "not_found")


def test_who_may_invite(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.table(livia, seats=3)
    problem(marcus.post(f"{table}/invites", json={}), "forbidden")
    problem(marcus.delete(f"{table}/invites/inv_x"), "forbidden")
    said(marcus.post(f"{table}/seats", json={}), 201)
    assert invite(marcus, table)


@pytest.mark.parametrize(
    ("body", "code"),
    [({"seat": 5}, "invalid"), ({"role": "watch", "seat": 1}, "invalid"), ({"role": "rule"}, "malformed")],
)
def test_an_invite_that_cannot_be(rest, body, code):
    livia = rest.person("Livia")
    problem(livia.post(f"{rest.table(livia)}/invites", json=body), code)


def test_an_invite_may_be_asked_for_again(rest):
    livia = rest.person("Livia")
    table = rest.table(livia)
    first = livia.post(f"{table}/invites", json={"seat": 1}, headers=KEYED)
    time.sleep(0.002)
    again = livia.post(f"{table}/invites", json={"seat": 1}, headers=KEYED)
    assert said(first, 201) == said(again, 201)
    assert [a.headers.get("idempotency-replayed") for a in (first, again)] == [None, "true"]
    problem(livia.post(f"{table}/invites", json={"seat": 0}, headers=KEYED), "key_reused")


# --- The operator -------------------------------------------------------------------------------------


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_the_operator_ends_a_table(rest, visibility):
    livia, marcus = rest.people("Livia", "Marcus")
    operator = rest.person("Op", "operate", "read")
    table = rest.table(livia, marcus, visibility=visibility)
    for who in (livia, rest.person("Drusus")):
        assert problem(who.post(f"{table}/abandon"), "forbidden")["scope"] == "operate"
    answers = [operator.post(f"{table}/abandon", headers=KEYED) for _ in range(2)]
    assert said(answers[0], 201) == said(answers[1], 201)
    assert answers[1].headers["idempotency-replayed"] == "true"
    assert answers[0].headers["location"] == f"{table}/log/{answers[0].json()['seq']}"
    assert answers[0].json()["entry"]["by"] == "operator"
    assert livia.view(table)["status"] == "abandoned"
    problem(operator.post(f"{table}/abandon"), "ended")
