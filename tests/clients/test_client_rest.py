"""Requests: what is sent, what is sent again, what is made of problems, and what is not believed."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import msgspec
import pytest

from comitium_client import (
    ApiProblem,
    Client,
    ComitiumError,
    Conflict,
    Disconnected,
    Forbidden,
    InProgress,
    KeyReused,
    LogForked,
    LogShorter,
    NotFound,
    RateLimited,
    ReceiptMismatch,
    Refused,
    Retry,
    SeatTaken,
    Stale,
    Tampered,
    Unauthorized,
    Unavailable,
    Unreadable,
)
from comitium_client.errors import PROBLEMS, problem
from comitium_client.retry import seconds
from tests.clients.test_client_fakes import QUICK, FakeTable, House, Signer, Trouble, runs


@pytest.fixture
def house() -> House:
    return House()


def bodies(house: House, path: str, method: str = "POST") -> list[dict]:
    return [json.loads(r.content or b"null") for r in house.requests if (r.method, r.url.path) == (method, path)]


def keys(house: House, path: str) -> list[str]:
    return [r.headers["Idempotency-Key"] for r in house.requests if (r.method, r.url.path) == ("POST", path)]


# --- Players and games --------------------------------------------------------------------------------


@runs
async def test_who_registers_goes_on_as_that_player(house):
    async with house.client() as client:
        with pytest.raises(Unauthorized):
            await client.me()
        player = await client.register("Livia")
        assert player.token not in repr(player)
        assert (await client.me()).name == "Livia"
        other = await client.register("Gaius")
        assert other.token != player.token
        assert (await client.me()).tokens[0].id == "1"
        token = await client.new_token(("read",))
        assert (token.scopes, token.token in repr(token)) == (("read",), False)
        await client.revoke_token("a/b")
        assert house.requests[-1].url.raw_path == b"/v1/me/tokens/a%2Fb"
        assert (await client.player("Livia")).bot is False


@runs
async def test_a_token_stands_in_the_header_and_never_in_the_address(house):
    house.table("Livia", "Gaius")
    async with house.client("Livia", language="ja") as client:
        await client.table("t1").summary()
        async with client.table("t1").follow():
            pass
    assert {r.headers["Authorization"] for r in house.requests} == {"Bearer token-Livia"}
    assert {r.headers["Accept-Language"] for r in house.requests} == {"ja"}
    assert not any("token" in str(r.url) for r in house.requests)
    assert house.dialled == ["ws://127.0.0.1:8000/v1/tables/t1/live"]


@runs
async def test_a_server_may_live_behind_a_path_and_a_lock():
    asked: list[str] = []

    def answer(request):
        asked.append(str(request.url))
        return httpx.Response(200, json={"games": []})

    async def connect(url, headers, subprotocols):
        asked.append(url)
        raise Disconnected("nobody there", 1002)

    seams = {"transport": httpx.MockTransport(answer), "connect": connect}
    async with Client("https://example.org/play/", **seams) as client:
        await client.games()
        with pytest.raises(Disconnected):
            await client.table("a b").follow().open()
    assert asked == ["https://example.org/play/v1/games", "wss://example.org/play/v1/tables/a%20b/live"]


@runs
async def test_games(house):
    async with house.client() as client:
        (game,) = await client.games()
        assert (game.game, game.seats) == ("counting", (2, 3))
        details = await client.game(game.game)
        assert details.texts["en"]["counting.title"] == details.title


@runs
async def test_tables_are_read_page_by_page(house):
    for number in range(5):
        house.table("Livia", "Gaius", name=f"t{number}")
    async with house.client() as client:
        assert [found.id async for found in client.tables(game="counting")] == ["t0", "t1", "t2", "t3", "t4"]
        assert len(house.requests) == 3
        assert {r.url.params["game"] for r in house.requests} == {"counting"}
        assert "status" not in house.requests[0].url.params


# --- Tables and seats ---------------------------------------------------------------------------------


@runs
async def test_the_creators_entropy_follows_the_sealed_seed(house):
    async with house.client("Livia") as client:
        table = await client.create_table("counting", 2, name="Forum", house={"whispers": True})
        assert bodies(house, "/v1/tables") == [
            {"game": "counting", "seats": 2, "name": "Forum", "house": {"whispers": True}, "sit": True}
        ]
        (seat,) = bodies(house, "/v1/tables/t1/seats")
        assert seat["seat"] == 0
        assert len(bytes.fromhex(seat["entropy"])) == 32
        assert [receipt.seq for receipt in table.receipts] == [1, 2]


@runs
async def test_a_creator_who_does_not_sit_sends_no_entropy(house):
    async with house.client("Livia") as client:
        await client.create_table("counting", 2, sit=False)
        assert bodies(house, "/v1/tables")[0]["sit"] is False
        assert bodies(house, "/v1/tables/t1/seats") == []


@runs
async def test_the_summary_of_a_new_table_may_stand_by_itself(house):
    serve = house._serve

    def nested(request):
        status, answer, headers = serve(request)
        if (request.method, request.url.path) == ("POST", "/v1/tables"):
            entry = house.tables[answer["id"]].fields(1, None)
            answer = {**entry, "receipt": answer["receipt"], "table": {**answer, "seq": 9, "head": "later"}}
        return status, answer, headers

    house._serve = nested
    async with house.client("Livia") as client:
        assert (await client.create_table("counting", 2)).id == "t1"


@runs
async def test_a_seed_that_is_not_the_sealed_one_is_found_out(house, monkeypatch):
    summary = FakeTable.summary
    monkeypatch.setattr(FakeTable, "summary", lambda table: {**summary(table), "seed_hash": "00" * 32})
    async with house.client("Livia") as client:
        with pytest.raises(Tampered, match="does not seal the seed"):
            await client.create_table("counting", 2)


@runs
async def test_a_creator_who_comes_too_late_with_his_entropy_still_has_his_table(house):
    async with house.client("Livia") as client:
        await client.keys()
        house.faults += [None, Trouble(409, "refused", reason="started")]
        assert (await client.create_table("counting", 2)).id == "t1"
        house.faults += [None, Trouble(403, "forbidden")]
        with pytest.raises(Forbidden) as found:
            await client.create_table("counting", 2)
        assert found.value.__notes__ == ["Table t2 was created, but without the creator's part in the chance."]


@runs
async def test_entropy_goes_out_after_the_seed_was_seen_and_is_the_same_on_every_try(house):
    async with house.client("Livia") as host, house.client("Gaius") as guest:
        await host.create_table("counting", 3)
        house.requests.clear()
        house.faults += [None, None, "503", "lose", None]
        moved = await guest.table("t1").sit(1)
        assert moved.seat == 1
        assert [(r.method, r.url.path) for r in house.requests[:3]] == [
            ("GET", "/v1/tables/t1/log/1"),
            ("GET", "/v1/keys"),
            ("POST", "/v1/tables/t1/seats"),
        ]
        await guest.table("t1").sit(1)
        sent = bodies(house, "/v1/tables/t1/seats")
        assert len(sent) == 4
        assert len({body["entropy"] for body in sent}) == 1
        assert len(set(keys(house, "/v1/tables/t1/seats")[:3])) == 1
        assert sent[0]["entropy"] not in {house.tables["t1"].entropy[0], None}


@runs
async def test_a_private_table_is_joined_unseen(house):
    async with house.client("Livia") as host, house.client("Gaius") as guest:
        await host.create_table("counting", 3)
        house.faults.append(Trouble(404, "not_found"))
        await guest.table("t1").sit(invite="code")
        sent = bodies(house, "/v1/tables/t1/seats")[-1]
        assert sent["invite"] == "code"
        assert sent["entropy"]


@runs
async def test_a_house_bot_brings_no_entropy_of_ours(house):
    async with house.client("Livia") as client:
        table = await client.create_table("counting", 3)
        await table.sit(2, bot="random")
        assert bodies(house, "/v1/tables/t1/seats")[-1] == {"seat": 2, "bot": "random"}
        with pytest.raises(SeatTaken):
            await table.sit(2, bot="another")


@runs
async def test_rising_inviting_abandoning(house):
    async with house.client("Livia") as client:
        table = await client.create_table("counting", 3)
        assert (await table.rise(0)).seq == 3
        invite = await table.invite(seat=1, role="play")
        assert (invite.code, invite.seat) == ("c/1", 1)
        await table.uninvite(invite.code)
        assert house.requests[-1].url.raw_path == b"/v1/tables/t1/invites/c%2F1"
        assert (await table.abandon()).entry.body.by == "operator"
        assert [receipt.seq for receipt in table.receipts] == [1, 2, 3, 4]
        assert all(r.headers["Idempotency-Key"] for r in house.requests if r.method != "GET")


# --- Acting -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", ["json", "msgpack"])
@runs
async def test_acting(house, wire):
    fake = house.table("Livia", "Gaius")
    async with house.client("Livia", wire=wire) as client:
        table = client.table("t1")
        ack = await table.act("count", n=2)
        assert (ack.seq, ack.entry.raw) == (4, fake.fields(4, 0)["entry"])
        assert table.receipts == (ack.receipt,)
        await table.act({"type": "say", "text": "Salve"}, key="mine")
        assert house.actions == [{"type": "count", "n": 2}, {"type": "say", "text": "Salve"}]
        assert keys(house, "/v1/tables/t1/actions")[1] == "mine"
        assert (await table.view())["game"]["total"] == 2


@runs
async def test_an_action_is_made_on_the_asks_that_were_read(house):
    fake = house.table("Livia", "Gaius")
    async with house.client("Livia") as client:
        table = client.table("t1")
        asks = await table.asks()
        assert ([ask.type for ask in asks.must], asks.since) == (["count"], 3)
        fake.act(1, {"type": "say", "text": "..."})
        await table.act("count", n=1)
        await table.act("say", text="twice in a row")
        fake.act(1, {"type": "count", "n": 1})
        with pytest.raises(Stale) as found:
            await table.act("count", n=1)
        assert (found.value.expected, found.value.head) == (7, 7)
        await table.act("count", n=1, if_match=None)
        await table.act("say", text="!", if_match=8)
        sent = [r.headers.get("If-Match") for r in house.requests if r.url.path.endswith("actions")]
        assert sent == ['"3"', '"5"', '"6"', None, '"8"']


@pytest.mark.parametrize("faults", [["lose"], ["503"], ["lose", "503", "lose"], [Trouble(409, "in_progress")]])
@runs
async def test_what_is_sent_again_is_done_once(house, faults):
    fake = house.table("Livia", "Gaius")
    async with house.client("Livia") as client:
        await client.keys()
        house.faults += faults
        ack = await client.table("t1").act("count", n=2)
        assert ack.replayed is ("lose" in faults)
        assert fake.seq == ack.seq == 4
        sent = keys(house, "/v1/tables/t1/actions")
        assert len(sent) == len(faults) + 1
        assert len(set(sent)) == 1


@runs
async def test_trying_again_ends(house):
    house.table("Livia", "Gaius")
    async with house.client("Livia") as client:
        await client.keys()
        house.faults += ["lose"] * 9
        with pytest.raises(Disconnected, match="POST /v1/tables/t1/actions: the answer was lost"):
            await client.table("t1").act("count", n=2)
        assert len(house.faults) == 9 - QUICK.attempts
        house.faults = type(house.faults)(["503"] * 9)
        with pytest.raises(Unavailable):
            await client.table("t1").asks()


@runs
async def test_a_refusal_is_not_sent_again(house):
    house.table("Livia", "Gaius")
    async with house.client("Gaius") as client:
        with pytest.raises(Refused) as found:
            await client.table("t1").act("count", n=2)
        assert (found.value.reason, found.value.asks) == ("not_now", "/v1/tables/t1/asks")
        assert len(keys(house, "/v1/tables/t1/actions")) == 1


@runs
async def test_a_key_is_for_one_action(house):
    house.table("Livia", "Gaius")
    async with house.client("Livia") as client:
        table = client.table("t1")
        await table.act("say", text="one", key="k")
        with pytest.raises(KeyReused):
            await table.act("say", text="two", key="k")


@runs
async def test_an_address_that_cannot_be_spoken_to_is_said_at_once(house):
    async with house.client(transport=httpx.AsyncHTTPTransport()) as client:
        client._link.http.base_url = httpx.URL("carrier-pigeon://forum")
        with pytest.raises(ComitiumError, match="protocol"):
            await client.games()


# --- Waiting ------------------------------------------------------------------------------------------


class Sleeper:
    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, pause: float) -> None:
        self.slept.append(pause)


@runs
async def test_retry_after_is_honoured(house):
    sleeper = Sleeper()
    async with house.client(retry=Retry(attempts=3, base=1.0, sleep=sleeper)) as client:
        house.faults += [
            httpx.Response(503, headers={"Retry-After": "7"}),
            httpx.Response(429, headers={"Retry-After": "3"}),
        ]
        await client.games()
    assert [int(pause) for pause in sleeper.slept] == [7, 4]


@runs
async def test_more_patience_than_there_is_is_not_asked_for(house):
    sleeper = Sleeper()
    async with house.client(retry=Retry(patience=60, sleep=sleeper)) as client:
        house.faults.append(httpx.Response(429, headers={"Retry-After": "3600"}))
        with pytest.raises(RateLimited) as found:
            await client.games()
    assert (found.value.retry_after, sleeper.slept) == (3600, [])


def test_pauses_grow_with_jitter_up_to_a_bound():
    retry = Retry(attempts=9, base=1.0, cap=10.0)
    for failures, most in enumerate([1, 2, 4, 8, 10, 10, 10, 10], 1):
        pauses = [retry.delay(failures) for _ in range(50)]
        assert all(most / 2 <= pause <= most for pause in pauses)
        assert len(set(pauses)) > 1
    assert retry.delay(9) is None


def test_retry_after_is_seconds_or_a_date():
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert 90 < seconds(soon) <= 100
    assert seconds("Wed, 21 Oct 2015 07:28:00 -0000") == 0
    assert (seconds("2"), seconds("-2"), seconds("soon"), seconds(None)) == (2, 0, None, None)


# --- Problems -----------------------------------------------------------------------------------------

DOCUMENTED = {
    400: ["malformed"],
    401: ["unauthorized"],
    403: ["forbidden", "not_your_seat", "registration_closed"],
    404: ["not_found"],
    405: ["method_not_allowed"],
    406: ["not_acceptable"],
    409: ["refused", "seat_taken", "frozen", "disputed", "ended", "offer_changed", "in_progress"],
    412: ["stale", "log_forked"],
    413: ["too_large"],
    415: ["unsupported_media_type"],
    422: ["key_reused", "invalid"],
    429: ["rate_limited"],
    500: ["internal"],
    503: ["unavailable"],
}


def test_every_documented_problem_has_its_exception():
    plain = {"method_not_allowed", "not_acceptable", "log_forked", "too_large", "unsupported_media_type"}
    found = {code: problem({"code": code, "status": status}) for status, codes in DOCUMENTED.items() for code in codes}
    assert {code for code, each in found.items() if type(each) is ApiProblem} == plain
    assert {type(each) for each in found.values()} == {ApiProblem, *PROBLEMS}
    assert {code for code, each in found.items() if isinstance(each, Conflict)} == set(DOCUMENTED[409])
    assert {code for code, each in found.items() if each.transient} == {"in_progress", "rate_limited", "unavailable"}
    assert all(found[code].code == code for code in found)


def test_a_code_of_tomorrow_goes_by_its_status():
    tired = problem({"code": "jury_tired", "status": 409, "title": "The jury is tired", "hours": 2})
    assert type(tired) is Conflict
    assert (str(tired), tired.extensions) == ("The jury is tired (409 jury_tired)", {"hours": 2})
    assert type(problem({}, 418)) is ApiProblem
    assert problem({"code": "unavailable", "retry_after": 4}).retry_after == 4


@runs
async def test_something_in_between_that_answers_in_its_own_words(house):
    house.faults.append(httpx.Response(403, content=b"<html>No!</html>"))
    async with house.client() as client:
        with pytest.raises(Forbidden) as found:
            await client.games()
        assert (found.value.code, found.value.detail) == ("http_403", "Forbidden")
        house.faults.append(httpx.Response(200, content=b"<html>Yes!</html>"))
        with pytest.raises(Unreadable):
            await client.games()


@runs
async def test_in_progress_is_raised_when_it_lasts(house):
    house.table("Livia", "Gaius")
    async with house.client("Livia") as client:
        await client.keys()
        house.faults += [Trouble(409, "in_progress")] * 9
        with pytest.raises(InProgress):
            await client.table("t1").act("count", n=1)


# --- Reading the log ----------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", ["json", "msgpack"])
@runs
async def test_the_log_is_read_page_by_page_and_checked(house, wire):
    fake = house.table("Livia", "Gaius")
    for _ in range(8):
        fake.act(1, {"type": "say", "text": "..."})
    async with house.client("Livia", wire=wire) as client:
        table = client.table("t1")
        assert [entry.seq async for entry in table.log()] == list(range(1, 12))
        assert [entry.seq async for entry in table.log(after=9)] == [10, 11]
        assert [entry.seq async for entry in table.log(after=11)] == []
        assert [entry.seq async for entry in table.log(limit=100)] == list(range(1, 12))
        assert house.requests[-1].url.params["limit"] == "100"
        assert (await table.entry(3)).body.action == {"type": "start"}


@runs
async def test_a_past_view(house):
    fake = house.table("Livia", "Gaius")
    fake.act(0, {"type": "count", "n": 3})
    async with house.client("Livia") as client:
        table = client.table("t1")
        assert (await table.view(at=3))["game"] == {"total": 0, "cards": [7, None]}
        assert (await table.view(at=1))["game"] is None
        assert (await table.view(seat=1))["game"]["cards"] == [None, 8]
        with pytest.raises(NotFound):
            await client.table("nowhere").view()
        with pytest.raises(LogForked):
            await table.view(at=5)


@runs
async def test_a_log_that_changed_is_found_out(house):
    house.table("Livia", "Gaius").act(0, {"type": "count", "n": 3})
    async with house.client("Livia") as client:
        table = client.table("t1")
        await table.summary()
        house.table("Livia", "Gaius").act(0, {"type": "count", "n": 2})
        with pytest.raises(LogForked, match="The head after entry 4"):
            await table.view()
        with pytest.raises(LogForked):
            [entry async for entry in table.log()]


@runs
async def test_a_log_with_a_hole_is_found_out(house):
    fake = house.table("Livia", "Gaius")
    async with house.client("Livia") as client:
        fields = FakeTable.fields
        fake.fields = lambda seq, seat: fields(fake, 3 if seq == 2 else seq, seat)
        with pytest.raises(Tampered, match="Entry 3 came where entry 2 should be"):
            [entry async for entry in client.table("t1").log()]
        with pytest.raises(Tampered, match="Entry 3 came where entry 2 should be"):
            await client.table("t1").entry(2)


@runs
async def test_a_log_that_ends_before_a_receipt_is_found_out(house):
    house.table("Livia", "Gaius")
    async with house.client("Livia") as client:
        table = client.table("t1")
        ack = await table.act("count", n=3)
        house.table("Livia", "Gaius")
        for read in (table.summary, table.view, table.asks, lambda: anext(table.log())):
            with pytest.raises(LogShorter) as found:
                await read()
            assert found.value.receipts == (ack.receipt,)
        with pytest.raises(LogForked, match="log_forked") as forked:
            await anext(table.log(after=4))
        assert forked.value.receipts == (ack.receipt,)
        with pytest.raises(LogForked):
            await table.act("say", text="!", if_match=4)


@runs
async def test_a_server_that_lags_is_asked_again(house):
    fake = house.table("Livia", "Gaius")
    async with house.client("Livia") as client:
        table = client.table("t1")
        await table.act("count", n=3)
        old = msgspec.json.encode({"seq": 3, "since": 3, "asks": fake.asks(0, 3)})
        house.faults += [httpx.Response(200, content=old)] * 2
        assert (await table.asks()).seq == 4


@runs
async def test_what_was_read_before_an_action_is_no_loss_when_it_arrives_after_it(house):
    fake = house.table("Livia", "Gaius")
    async with house.client("Livia") as client:
        table = client.table("t1")
        handle, waiting, going = house.handle, asyncio.Event(), asyncio.Event()

        async def slow(request):
            response = await handle(request)
            if request.method == "GET" and request.url.path.endswith("asks"):
                waiting.set()
                await going.wait()
            return response

        client._link.http._transport = httpx.MockTransport(slow)
        reading = asyncio.create_task(table.asks())
        await waiting.wait()
        await table.act("count", n=3)
        going.set()
        assert (await reading).seq == 3
        assert fake.seq == 4


# --- Receipts -----------------------------------------------------------------------------------------


@runs
async def test_a_receipt_by_a_key_that_the_server_does_not_show_is_refused(house):
    house.table("Livia", "Gaius")
    async with house.client("Livia") as client:
        table = client.table("t1")
        house.signer = Signer()
        with pytest.raises(ReceiptMismatch, match="not signed by"):
            await table.act("count", n=3)
        assert table.receipts == ()


@runs
async def test_a_new_key_is_fetched_and_pinned(house):
    house.table("Livia", "Gaius")
    async with house.client("Livia") as client:
        table = client.table("t1")
        await table.act("say", text="!")
        house.signer = Signer("k2")
        with pytest.raises(ReceiptMismatch, match="never showed"):
            await table.act("say", text="!")
        house.keys.append(house.signer.public)
        ack = await table.act("say", text="!")
        assert ack.receipt.key == "k2"
        house.keys[0] = Signer().public
        with pytest.raises(ReceiptMismatch, match="another public key 'k1'"):
            await client.keys()


@runs
async def test_receipts_outlive_the_client(house, tmp_path):
    house.table("Livia", "Gaius")
    path = tmp_path / "receipts.jsonl"
    async with house.client("Livia", receipts=path) as client:
        await client.table("t1").act("count", n=3)
    house.table("Livia", "Gaius").act(0, {"type": "count", "n": 2})
    async with house.client("Livia", receipts=path) as client:
        with pytest.raises(LogForked) as found:
            await client.table("t1").summary()
        assert [receipt.seq for receipt in found.value.receipts] == [4]


@runs
async def test_a_receipt_for_another_entry_is_refused(house):
    fake = house.table("Livia", "Gaius")
    async with house.client("Livia") as client:
        await client.keys()
        house.receipt = lambda table, seq: house.signer.receipt(table.name, 3, fake.fields(3, None)["head"])
        with pytest.raises(ReceiptMismatch):
            await client.table("t1").act("count", n=3)


@runs
async def test_a_false_answer_is_refused(house):
    fake = house.table("Livia", "Gaius")
    async with house.client("Livia") as client:
        await client.table("t1").entry(3)
        fields = FakeTable.fields
        fake.fields = lambda seq, seat: {**fields(fake, seq, seat), **({"leaf": "00" * 32} if seq == 4 else {})}
        with pytest.raises(Tampered):
            await client.table("t1").act("count", n=3)


# --- The version that is owed -------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["full", "public", "1"])
@runs
async def test_the_log_must_come_in_the_readers_version(house, version):
    fake = house.table("Livia", "Gaius")
    fake.stored = lambda seq, seat: fake.log[seq - 1].get(version) or fake.fields(seq, seat)
    async with house.client("Livia") as client:
        with pytest.raises(Tampered, match="is owed"):
            [entry async for entry in client.table("t1").log()]
        with pytest.raises(Tampered, match="is owed"):
            await client.table("t1").entry(3)


@runs
async def test_who_one_is_may_have_changed(house):
    fake = house.table("Livia", "Gaius")
    async with house.client("Nero") as client:
        table = client.table("t1")
        assert [entry.version async for entry in table.log()] == ["full", "full", "public"]
        fake.append("server", {"type": "sit"}, [], {**fake.now, "holders": ["Livia", "Nero"]})
        assert [entry.version async for entry in table.log(after=2)] == ["1", "full"]
        assert (await table.entry(3)).version == "1"


@pytest.mark.parametrize("name", ["Livia", None])
@runs
async def test_after_the_end_the_log_tells_all(house, name):
    fake = house.table("Livia", "Gaius")
    async with house.client(name) as client:
        table = client.table("t1")
        await table.view()
        for turn in range(4):
            fake.act(turn % 2, {"type": "count", "n": 3})
        assert {entry.version async for entry in table.log()} == {"full"}
        assert (await table.entry(3)).version == "full"
        fake.stored = fake.fields
        if name is None:  # it may be a table that is not open to all
            assert (await anext(table.log(after=2))).version == "public"
            return
        with pytest.raises(Tampered, match="is owed"):
            [entry async for entry in table.log()]


@runs
async def test_the_answer_to_an_action_comes_in_the_actors_version(house):
    fake = house.table("Livia", "Gaius")

    def act(seat, action):
        return fake.append(seat, action, [{"to": [0, 1]}], dict(fake.now), lambda seat: [{"to": seat}])

    fake.act = act
    async with house.client("Livia") as client:
        ack = await client.table("t1").act("say", text="!")
        assert ack.entry.version == "0"
        fields = FakeTable.fields
        fake.fields = lambda seq, seat: fields(fake, seq, None)
        with pytest.raises(Tampered, match="is owed"):
            await client.table("t1").act("say", text="!")
