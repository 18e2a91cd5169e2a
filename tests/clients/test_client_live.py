"""Live sessions over an in-process connection: following, acting, losing the connection, and coming back."""

import asyncio
import random

import msgspec
import pytest

from comitium_client import (
    Disconnected,
    Forbidden,
    Internal,
    KeyReused,
    LogForked,
    LogShorter,
    NotFound,
    RateLimited,
    ReceiptMismatch,
    Refused,
    Retry,
    Stale,
    Tampered,
    Unavailable,
    random_action,
)
from comitium_client.errors import problem
from tests.clients.test_client_fakes import COUNT, QUICK, FakeSocket, FakeTable, House, Signer, Trouble, runs


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture
def fake(house) -> FakeTable:
    return house.table("Livia", "Gaius")


def count(fake: FakeTable, times: int) -> None:
    for _ in range(times):
        fake.act(fake.now["turn"], {"type": "count", "n": 1})


# --- Following ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", ["json", "msgpack"])
@runs
async def test_the_view_first_then_the_entries_until_the_end(house, fake, wire):
    async with house.client("Livia", wire=wire) as client, client.table("t1").follow() as live:
        assert live.view == fake.view(0)
        assert (live.seq, live.head, live.since, live.to_act) == (3, fake.head, 3, (0,))
        assert live.asks[:1] == live.must
        count(fake, 10)
        seen = [update.seq async for update in live]
        assert seen == list(range(3, 14))
        assert live.over
        assert live.view == fake.view(0)
        assert [update async for update in live] == []


@runs
async def test_it_opens_by_being_iterated(house, fake):
    async with house.client() as client:
        live = client.table("t1").follow()
        with pytest.raises(RuntimeError, match="async with"):
            _ = live.view
        assert (await anext(live)).seq == 3
        await live.close()
        assert [update async for update in live] == []


@runs
async def test_it_stands_still_while_nobody_waits_for_it(house, fake):
    """Think as long as you like: what you saw is what your action is judged by."""
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        must = live.must
        fake.act(1, {"type": "say", "text": "..."})
        count(fake, 2)
        await asyncio.sleep(0)
        assert (live.seq, live.must) == (3, must)
        with pytest.raises(Stale):
            await live.act("count", n=2)
        assert live.seq == 6
        await live.act("count", n=2)


@runs
async def test_following_from_an_entry_on(house, fake):
    count(fake, 3)
    async with house.client("Gaius") as client, client.table("t1").follow(after=4) as live:
        assert (live.seq, live.view) == (4, fake.view(1, 4))
        assert house.dialled == []
        assert [(await anext(live)).seq for _ in range(3)] == [4, 5, 6]
        assert live.view == fake.view(1)
        assert [ask.type for ask in live.must] == ["count"]
        assert house.dialled[0].endswith("?after=4")


@runs
async def test_following_from_before_the_first_entry(house, fake):
    async with house.client() as client, client.table("t1").follow(after=0) as live:
        assert live.view == fake.view(None)
        assert house.dialled[0].endswith("?after=0")


@runs
async def test_an_ended_table_is_over_at_once(house, fake):
    count(fake, 10)
    async with house.client() as client:
        assert [update.over async for update in client.table("t1").follow()] == [True]
        assert [update.over async for update in client.table("t1").follow(after=fake.seq)] == [True]


@runs
async def test_a_start_that_fails_can_be_tried_again(house, fake):
    async with house.client(retry=Retry(attempts=1)) as client:
        live = client.table("t1").follow(after=2)
        house.faults.append("503")
        with pytest.raises(Unavailable):
            await live.open()
        assert (await anext(live)).seq == 2
        await live.close()
        left = client.table("t1").follow()
        await left.close()
        with pytest.raises(Disconnected, match="The session was closed"):
            await left.open()


@runs
async def test_a_table_that_is_not_there(house):
    async with house.client() as client:
        for after in (None, 0, 7):
            with pytest.raises(NotFound):
                await client.table("nowhere").follow(after).open()


# --- Acting -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("wire", ["json", "msgpack"])
@runs
async def test_when_the_answer_is_here_so_is_what_it_changed(house, fake, wire, shared):
    house.signer.shared = shared
    async with house.client("Livia", wire=wire) as client:
        table = client.table("t1")
        async with table.follow() as live:
            ack = await live.act("count", n=2)
            assert (ack.seq, live.seq, live.view["game"]["total"]) == (4, 4, 2)
            assert ack.entry.body.events == ({"type": "counted", "n": 2},)
            assert table.receipts == (ack.receipt,)
            await live.act({"type": "say", "text": "Salve"}, key="mine")
            assert [update.seq async for update in ending(live, 5)] == [3, 4, 5]


async def ending(live, seq):
    async for update in live:
        yield update
        if update.seq == seq:
            return


@runs
async def test_two_bots_play_to_the_end(house, fake):
    async def play(name: str) -> list[int]:
        rng = random.Random(name)
        async with house.client(name) as client, client.table("t1").follow() as live:
            seqs = []
            async for update in live:
                seqs.append(update.seq)
                if live.must and update.seq == live.seq:
                    await live.act(random_action(live.must, rng))
            return seqs

    seen = await asyncio.gather(play("Livia"), play("Gaius"))
    assert fake.over
    assert seen == [list(range(3, fake.seq + 1))] * 2


@runs
async def test_one_task_follows_while_another_acts(house, fake):
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        seen: list[int] = []

        async def watch() -> None:
            seen.extend([update.seq async for update in live])

        watching = asyncio.create_task(watch())
        await asyncio.sleep(0)
        acks = await asyncio.gather(*(live.act("say", text=str(n)) for n in range(5)))
        assert sorted(ack.seq for ack in acks) == [4, 5, 6, 7, 8]
        await live.close()
        await watching
        assert seen == [3, 4, 5, 6, 7, 8]


@runs
async def test_refusals(house, fake):
    async with house.client("Gaius") as client, client.table("t1").follow() as live:
        with pytest.raises(Refused) as found:
            await live.act("count", n=2)
        assert found.value.reason == "not_now"
        await live.act("say", text="one", key="k")
        with pytest.raises(KeyReused):
            await live.act("say", text="two", key="k")
    async with house.client() as client, client.table("t1").follow() as live:
        assert live.asks == ()
        with pytest.raises(Forbidden):
            await live.act("say", text="I am nobody")


@runs
async def test_what_may_fare_better_is_sent_again_under_its_key(house, fake):
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        await client.keys()
        house.faults += ["503", Trouble(409, "in_progress"), Trouble(429, "rate_limited")]
        assert (await live.act("count", n=2)).seq == 4
        house.faults += [Trouble(429, "rate_limited")] * 9
        with pytest.raises(RateLimited):
            await live.act("say", text="!")
        assert fake.seq == 4
        house.faults.clear()
        house.faults.append(Trouble(429, "rate_limited", retry_after=3600))
        with pytest.raises(RateLimited):
            await live.act("say", text="!")


@runs
async def test_an_action_can_be_given_up(house, fake):
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        await client.keys()
        sending = FakeSocket.send

        async def later(socket, message):
            await sending(socket, message)
            await asyncio.sleep(3600)

        live._connector.send = lambda message: later(live._connector, message)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(live.act("say", text="!"), 0.01)
        del live._connector.send
        await live.act("say", text="!!")
        assert [receipt.seq for receipt in client.table("t1").receipts] == [4, 5]
        assert live._answers == {}


@runs
async def test_acting_after_the_end(house, fake):
    count(fake, 10)
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        for _ in range(2):
            with pytest.raises(Refused):
                await live.act("count", n=2)
        house.cut(fake, 1000)
        with pytest.raises(Refused):
            await live.act("count", n=2)
        assert len(house.dialled) == 1
        assert [update.over async for update in live] == [True]


@runs
async def test_an_action_that_ended_the_table_and_was_left_without_an_answer(house, fake):
    """The entry arrives and the connection ends: a request with the same key brings the answer."""
    count(fake, 8)
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        await client.keys()
        (socket,) = fake.followers

        async def last(message):
            fake.followers.clear()
            house.act(fake, "Livia", {"type": "count", "n": 3}, msgspec.json.decode(message)["key"], None)
            socket.put(fake.frame(fake.seq, 0))
            socket.finish()

        socket.send = last
        ack = await live.act("count", n=3)
        assert (ack.seq, ack.replayed, live.over) == (12, True, True)
        assert (fake.seq, fake.now["game"]["total"], len(house.dialled)) == (12, 11, 1)


# --- Losing the connection ----------------------------------------------------------------------------


@pytest.mark.parametrize("code", [None, 1000, 1001, 1006, 1011, 1012, 1013])
@runs
async def test_a_lost_connection_is_opened_again_from_where_it_was(house, fake, code):
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        await anext(live)
        count(fake, 2)
        await anext(live)
        house.cut(fake, code)
        count(fake, 2)
        assert [update.seq async for update in ending(live, 7)] == [5, 6, 7]
        assert live.view == fake.view(0)
        assert house.dialled[1].endswith("/live?after=4")


@runs
async def test_an_action_whose_answer_was_lost_is_done_once(house, fake):
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        await client.keys()
        house.faults += ["lose", "lose"]
        ack = await live.act("count", n=2)
        assert (ack.seq, ack.replayed) == (4, True)
        assert ack.entry.body.action == {"type": "count", "n": 2}
        assert house.actions == [{"type": "count", "n": 2}] * 3
        assert len(house.dialled) == 3
        assert (fake.seq, fake.now["game"]["total"], live.view["game"]["total"]) == (4, 2, 2)


@runs
async def test_an_action_on_a_connection_that_is_already_gone(house, fake):
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        await client.keys()

        async def gone(message):
            raise Disconnected("gone")

        live._connector.send = gone
        house.cut(fake)
        assert (await live.act("count", n=2)).seq == 4


@runs
async def test_when_too_much_was_missed_the_whole_view_comes(house, fake):
    house.resume_limit = 2
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        await anext(live)
        house.cut(fake)
        count(fake, 4)
        update = await anext(live)
        assert (update.seq, update.entry, update.resumed_from) == (7, None, 3)
        assert update.view == fake.view(0)
        assert [entry.seq async for entry in client.table("t1").log(after=update.resumed_from)] == [4, 5, 6, 7]


@runs
async def test_coming_back_is_tried_a_few_times(house, fake):
    async with house.client() as client, client.table("t1").follow() as live:
        await anext(live)
        house.refuse_dials += [
            Disconnected("no route"),
            problem({"code": "unavailable", "status": 503}),
            Disconnected("?"),
        ]
        house.cut(fake)
        count(fake, 1)
        with pytest.raises(Disconnected, match=r"\?"):
            await anext(live)
        with pytest.raises(Disconnected, match=r"\?"):
            await anext(live)
        assert len(house.dialled) == 1 + 3


@runs
async def test_a_message_starts_the_count_again(house, fake):
    async with house.client() as client, client.table("t1").follow() as live:
        await anext(live)
        for _ in range(QUICK.attempts + 2):
            house.cut(fake)
            fake.act(0, {"type": "say", "text": "..."})
            await anext(live)
        assert live.seq == fake.seq


@runs
async def test_retry_after_is_honoured(house, fake):
    slept = []

    async def sleep(pause: float) -> None:
        slept.append(pause)

    async with house.client(retry=Retry(base=1.0, sleep=sleep)) as client, client.table("t1").follow() as live:
        await anext(live)
        house.refuse_dials += [problem({"code": "unavailable", "status": 503}, retry_after=9.0)]
        house.cut(fake)
        count(fake, 1)
        await anext(live)
    assert [int(pause) for pause in slept] == [0, 10]


@pytest.mark.parametrize("code", [1002, 1003, 1007, 1008, 1009])
@runs
async def test_some_closings_would_only_happen_again(house, fake, code):
    async with house.client() as client, client.table("t1").follow() as live:
        await anext(live)
        house.cut(fake, code)
        with pytest.raises(Disconnected, match=str(code)):
            await anext(live)
        assert len(house.dialled) == 1


def trouble(house: House, fake: FakeTable, code: str, status: int, close: int) -> None:
    """The server has a problem with the connection."""
    (socket,) = fake.followers
    socket.put({"problem": Trouble(status, code, seq=3).document})
    socket._out.put_nowait(Disconnected("", close))
    fake.followers.remove(socket)


@runs
async def test_a_slow_reader_comes_back(house, fake):
    async with house.client() as client, client.table("t1").follow() as live:
        await anext(live)
        for code, status, close in [("unavailable", 503, 1013), ("too_slow", 400, 1013), ("unavailable", 503, 1001)]:
            trouble(house, fake, code, status, close)
            fake.act(0, {"type": "say", "text": "..."})
            await anext(live)
        assert len(house.dialled) == 4


@runs
async def test_a_problem_of_the_connection_is_raised(house, fake):
    async with house.client() as client, client.table("t1").follow() as live:
        await anext(live)
        trouble(house, fake, "internal", 500, 1011)
        with pytest.raises(Internal):
            await anext(live)


@runs
async def test_trouble_that_lasts_is_raised_as_it_is(house, fake):
    async with house.client(retry=Retry(attempts=1)) as client, client.table("t1").follow() as live:
        await anext(live)
        trouble(house, fake, "unavailable", 503, 1013)
        with pytest.raises(Unavailable):
            await anext(live)


@runs
async def test_closing_ends_what_waits(house, fake):
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        await client.keys()
        sent = asyncio.Event()

        async def lose(_message):
            sent.set()

        live._connector.send = lose
        acting = asyncio.create_task(live.act("say", text="!"))
        await sent.wait()
        socket = live._connector
        await live.close()
        with pytest.raises(Disconnected, match="The session was closed"):
            await acting
        with pytest.raises(Disconnected, match="The session was closed"):
            await live.act("say", text="?")
        assert socket.closed


@runs
async def test_a_connection_that_opens_after_the_close_is_closed(house, fake):
    opening, going = asyncio.Event(), asyncio.Event()
    opened: list[FakeSocket] = []

    async def slowly(url, headers, subprotocols):
        opening.set()
        await going.wait()
        opened.append(await house.connect(url, headers, subprotocols))
        return opened[0]

    async with house.client(connect=slowly) as client:
        live = client.table("t1").follow()
        first = asyncio.create_task(live.open())
        await opening.wait()
        await live.close()
        going.set()
        with pytest.raises(Disconnected):
            await first
        assert opened[0].closed


# --- What is not believed -----------------------------------------------------------------------------


@runs
async def test_a_log_that_lost_what_was_seen_is_a_fork(house, fake):
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        ack = await live.act("count", n=2)
        house.table("Livia", "Gaius")
        house.cut(fake)
        with pytest.raises(LogForked) as found:
            await live.act("say", text="!")
        assert found.value.receipts == (ack.receipt,)
        with pytest.raises(LogForked):
            async for _ in live:
                pass


@runs
async def test_a_follower_from_beyond_the_end_is_told(house, fake):
    async with house.client("Livia") as client:
        with pytest.raises(LogForked):
            await client.table("t1").follow(after=9).open()


@runs
async def test_another_log_after_coming_back_is_found_out(house, fake):
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        await live.act("count", n=2)
        count(house.table("Livia", "Gaius"), 2)
        house.cut(fake)
        with pytest.raises(Tampered, match="does not lead from the head of entry 4"):
            async for _ in live:
                pass


@runs
async def test_a_short_log_is_asked_for_again_before_it_is_called_a_loss(house, fake):
    async def lagging(url, headers, subprotocols):
        if len(house.dialled) > QUICK.attempts:
            house.tables["t1"] = fake
        return await house.connect(url, headers, subprotocols)

    async with house.client("Livia", connect=lagging) as client:
        table = client.table("t1")
        await table.act("count", n=2)
        house.table("Livia", "Gaius")
        with pytest.raises(LogShorter):
            await table.follow().open()
        assert len(house.dialled) == QUICK.attempts
        async with table.follow() as live:
            assert (live.seq, len(house.dialled)) == (4, QUICK.attempts + 2)


@runs
async def test_a_false_frame_ends_the_session(house, fake):
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        await anext(live)
        fields = FakeTable.fields
        fake.fields = lambda seq, seat: {**fields(fake, seq, seat), "salt": "00" * 32}
        count(fake, 1)
        socket = live._connector
        with pytest.raises(Tampered):
            await anext(live)
        assert socket.closed
        with pytest.raises(Tampered):
            await live.act("say", text="!")


@runs
async def test_a_receipt_by_another_key_is_refused(house, fake):
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        await client.keys()
        house.signer = Signer("k2")
        with pytest.raises(ReceiptMismatch, match="never showed"):
            await live.act("say", text="!")
        house.keys.append(house.signer.public)
        ack = await live.act("say", text="!")
        assert client.table("t1").receipts == (ack.receipt,)


@runs
async def test_if_match_beyond_the_end_is_a_fork(house, fake):
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        with pytest.raises(LogForked, match="log_forked"):
            await live.act("say", text="!", if_match=99)
        assert live.asks[0].type == COUNT["type"]


def rewritten(house: House, fake: FakeTable, at: int) -> FakeTable:
    """The house shows another log from that entry on."""
    fork = house.tables["t1"] = FakeTable("t1", fake.size, "Livia", sit=True)
    fork.log, fork.past, fork.sinces = fake.log[:at], fake.past[:at], fake.sinces[:at]
    for _ in range(10):
        fork.act(1, {"type": "say", "text": "Never."})
    return fork


@pytest.mark.parametrize("wire", ["json", "msgpack"])
@runs
async def test_a_fork_behind_a_gap_is_found_out(house, fake, wire):
    house.resume_limit = 2
    async with house.client("Livia", wire=wire) as client, client.table("t1").follow() as live:
        await anext(live)
        ack = await live.act("say", text="!")
        await anext(live)
        rewritten(house, fake, 3)
        house.cut(fake)
        with pytest.raises(Tampered, match="does not lead from the head of entry 4") as found:
            await anext(live)
        assert found.value.receipts == (ack.receipt,)
        assert live.seq == 4


@runs
async def test_a_log_that_is_not_shown_is_not_believed_in(house, fake):
    """A server that gives views, but never the log between them, is asked a few times."""
    house.resume_limit = 2
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        await anext(live)
        house.cut(fake)
        count(fake, 4)
        stored, serve = fake.seq, house._read
        house._read = lambda table, player, what, query: (
            {"entries": [], "seq": stored - 1, "head": table.fields(stored - 1, None)["head"]}
            if what == ("/log", None)
            else serve(table, player, what, query)
        )
        with pytest.raises(LogShorter):
            await anext(live)
        assert len(house.dialled) == QUICK.attempts
        assert live.seq == 3


@runs
async def test_a_log_that_lost_the_gap_is_a_fork(house, fake):
    house.resume_limit = 2
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        await anext(live)
        house.cut(fake)
        count(fake, 4)
        house.faults.append(Trouble(412, "log_forked"))
        with pytest.raises(LogForked):
            await anext(live)


@runs
async def test_a_gap_outlasts_trouble_and_a_task_that_gave_up(house, fake):
    house.resume_limit = 2
    async with house.client("Livia") as client, client.table("t1").follow() as live:
        await anext(live)
        house.cut(fake)
        count(fake, 8)
        house.faults += ["503", Trouble(429, "rate_limited")]
        log, reading = live._host.log, asyncio.Event()

        async def slow(after):
            reading.set()
            await asyncio.sleep(3600)

        live._host.log = slow
        first = asyncio.create_task(anext(live))
        await reading.wait()
        first.cancel()
        live._host.log = log
        update = await anext(live)
        assert (update.seq, update.view) == (11, fake.view(0))
        assert len(house.dialled) == 2


@runs
async def test_a_new_session_reads_the_log_since_the_last_receipt(house, fake, tmp_path):
    path = tmp_path / "receipts.jsonl"
    async with house.client("Livia", receipts=path) as client:
        await client.table("t1").act("count", n=2)
    count(fake, 4)
    async with house.client("Livia", receipts=path) as client, client.table("t1").follow() as live:
        assert live.view == fake.view(0)
        assert [request.url.params["after"] for request in house.requests if request.url.path.endswith("/log")] == [
            "4",
            "7",
        ]
    for after in (None, 6):
        rewritten(house, fake, 3)
        async with house.client("Livia", receipts=path) as client:
            with pytest.raises(Tampered, match="does not lead from the head of entry 4") as found:
                await client.table("t1").follow(after).open()
            assert [receipt.seq for receipt in found.value.receipts] == [4]


@runs
async def test_a_past_view_must_be_the_one_that_was_asked_for(house, fake):
    count(fake, 2)
    view = fake.view
    fake.view = lambda seat, seq=0: view(seat, 4)
    async with house.client("Livia") as client:
        with pytest.raises(Tampered, match="names another seq"):
            await client.table("t1").follow(after=3).open()
        with pytest.raises(Tampered, match="names another seq"):
            await client.table("t1").view(at=3)
