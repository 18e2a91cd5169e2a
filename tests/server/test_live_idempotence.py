"""The same command sent again: the first answer again, whatever has happened since, and nothing done twice."""

import asyncio
from random import Random

import pytest

from events.memory import MemoryStore
from events.store import Unavailable
from games.core import Refused
from games.table import actions as act
from games.table.house import House
from server.tables.errors import KeyReused, OutcomeUnknown
from tests.server.live_support import entries, lay, opened, run, said, seat, until
from tests.server.live_wire import serving


class Forgetful(MemoryStore):
    """A store whose answers get lost when `loses` says so, after the entry is written or before it."""

    def __init__(self):
        super().__init__()
        self.loses = None
        self.down = False

    def append(self, table, expected, entry, command):
        how, self.loses = self.loses, None
        if how == "before" or self.down:
            raise Unavailable("gone before it was written", 0.01)
        written = super().append(table, expected, entry, command)
        return self._lose(written) if how == "after" else written

    async def _lose(self, written):
        await written
        raise Unavailable("gone after it was written", 0.01)

    async def read(self, table, after=0, limit=1000):
        if self.down:
            raise Unavailable("gone", 0.01)
        return await super().read(table, after, limit)

    async def find(self, command):
        if self.down:
            raise Unavailable("gone", 0.01)
        return await super().find(command)


def answers(test):
    """Runs the test with a table of Harbour of three, at a store that may lose answers."""

    def wrapped():
        async def body():
            async with opened(Forgetful()) as site:
                await test(await seat(site, "harbour", 3, house=House(whispers=True)))

        run(body())

    wrapped.__name__ = test.__name__
    return wrapped


def card(table, number):
    return {"type": "lay", "card": table.game.hands[number][0]}


@answers
async def test_a_command_sent_again_gets_its_first_answer_after_the_game_has_moved_on(table):
    action = card(table, 0)
    first = await table.do(0, action, key="k")
    for number in (1, 2):
        await table.do(number, card(table, number))
    head = table.live.seq

    again = await table.do(0, action, key="k")

    assert again.replayed
    assert not first.replayed
    assert (again.entry, again.receipt) == (first.entry, first.receipt)
    assert table.live.seq == head


@answers
async def test_a_command_sent_again_gets_its_first_answer_after_the_game_is_over(table):
    await lay(table)
    first = await table.do(0, {"type": "say", "text": "Ave!"}, key="k")
    await table.play_out(Random(3))

    again = await table.do(0, {"type": "say", "text": "Ave!"}, key="k")

    assert again.replayed
    assert again.entry == first.entry


@answers
async def test_a_command_with_lists_in_it_is_the_same_when_it_is_sent_again(table):
    await lay(table)
    whisper = {"type": "whisper", "to": [1, 2], "text": "now"}
    first = await table.do(0, whisper, key="k")

    again = await table.do(0, whisper, key="k")

    assert again.replayed
    assert again.entry == first.entry


@answers
async def test_a_key_with_another_body_is_refused_whether_or_not_the_body_is_legal(table):
    await lay(table)
    await table.do(0, {"type": "say", "text": "Ave!"}, key="k")
    seq = table.live.seq

    for other in ({"type": "say", "text": "Vale!"}, {"type": "lay", "card": 1}):
        with pytest.raises(KeyReused):
            await table.do(0, other, key="k")

    assert table.live.seq == seq


@answers
async def test_one_players_key_never_gives_anothers_answer(table):
    await lay(table)
    word = {"type": "say", "text": "Ave!"}
    first = await table.do(0, word, key="k")

    others = await table.do(1, word, key="k")

    assert not others.replayed
    assert others.entry.seq == first.entry.seq + 1
    assert said(others.entry)["by"] == 1


@answers
async def test_a_refusal_is_not_remembered(table):
    await lay(table)
    with pytest.raises(Refused):
        await table.do(table.game.deputy, {"type": "admit", "pier": "north"}, key="k")

    answer = await table.do(table.game.deputy, {"type": "say", "text": "Ave!"}, key="k")

    assert not answer.replayed


@answers
async def test_an_entry_whose_answer_was_lost_is_not_written_again(table):
    store = table.site.store
    store.loses = "after"
    action = card(table, 0)
    with pytest.raises(OutcomeUnknown):
        await table.do(0, action, key="k")

    again = await table.do(0, action, key="k")

    assert again.replayed
    log = [said(entry)["action"] for entry in await entries(table.site, table.id)]
    assert log.count(action) == 1


@answers
async def test_an_entry_that_was_lost_is_written_when_it_is_sent_again(table):
    store = table.site.store
    store.loses = "before"
    action = card(table, 0)
    with pytest.raises(OutcomeUnknown):
        await table.do(0, action, key="k")
    assert await store.read(table.id, table.live.seq) == []

    again = await table.do(0, action, key="k")

    assert not again.replayed
    assert table.game.laid == (True, False, False)


@answers
async def test_followers_see_an_entry_whose_answer_was_lost_although_nobody_acts_any_more(table):
    store = table.site.store
    seen = []
    table.live.followers.add(lambda news: seen.append(news.step.entry.seq))
    seq = table.live.seq
    store.loses = "after"
    with pytest.raises(OutcomeUnknown):
        await table.do(0, card(table, 0))

    await until(lambda: seen)

    assert seen == [seq + 1]
    assert table.live.seq == seq + 1


@answers
async def test_an_action_whose_sender_has_gone_is_seen_by_the_others(table):
    seen = []
    table.live.followers.add(lambda news: seen.append(news.step.entry.seq))
    seq = table.live.seq
    going = asyncio.create_task(table.do(0, card(table, 0)))
    await asyncio.sleep(0)
    going.cancel()
    await asyncio.gather(going, return_exceptions=True)

    await until(lambda: table.live.seq == seq + 1)

    assert seen == [seq + 1]
    assert table.game.laid == (True, False, False)


@answers
async def test_what_was_decided_on_an_entry_that_was_lost_is_decided_anew(table):
    store = table.site.store
    store.loses = "before"
    results = await asyncio.gather(
        *(table.do(number, card(table, number)) for number in range(3)), return_exceptions=True
    )

    assert isinstance(results[0], OutcomeUnknown)
    assert [type(result).__name__ for result in results[1:]] == ["Answer", "Answer"]
    assert table.game.laid == (False, True, True)


@answers
async def test_while_the_store_is_away_nothing_changes_and_afterwards_all_goes_on(table):
    store = table.site.store
    before = (table.live.seq, table.live.head)
    store.down = True
    for number in range(3):
        with pytest.raises((OutcomeUnknown, Unavailable)):
            await table.do(number, card(table, number), key="k")
    assert (table.live.seq, table.live.head) == before
    with pytest.raises((OutcomeUnknown, Unavailable)):
        await table.do(0, {"type": "admit", "pier": "north"}, key="k2")

    store.down = False
    for number in range(3):
        assert not (await table.do(number, card(table, number), key="k")).replayed

    assert table.game.phase == "warden"
    await table.play_out(Random(4))


def test_over_the_wire_the_same_key_gives_the_same_answer_even_to_who_has_left():
    async def body():
        async with serving() as town:
            table = await town.table("tribunal", 4)
            passer = table.game.turn
            cards = {"type": "pass_cards", "cards": table.game.hands[passer][:2]}
            leave = {"type": "leave"}
            first = [
                await town.post(table, passer, "actions", action, Idempotency_Key=key)
                for action, key in ((cards, "a"), (leave, "b"))
            ]
            again = [
                await town.post(table, passer, "actions", action, Idempotency_Key=key)
                for action, key in ((cards, "a"), (leave, "b"))
            ]
            async with town.socket(table, passer) as reader:
                by_socket = await reader.act(leave, key="b")

            assert [answer.status_code for answer in (*first, *again)] == [201] * 4
            assert [answer.headers.get("idempotency-replayed") for answer in (*first, *again)] == [
                None,
                None,
                "true",
                "true",
            ]
            assert again[1].json()["receipt"] == first[1].json()["receipt"] == by_socket["receipt"]
            assert again[0].json()["receipt"] == first[0].json()["receipt"]
            assert again[0].json() == first[0].json()
            refused = [
                await town.post(table, passer, "actions", leave),
                await town.post(table, passer, "actions", leave, Idempotency_Key="c"),
                await town.post(table, passer, "actions", cards, Idempotency_Key="b"),
            ]
            assert [answer.json()["code"] for answer in refused] == ["not_your_seat", "not_your_seat", "key_reused"]

    run(body())


def test_over_the_wire_sitting_down_again_with_the_same_key_gives_the_same_answer():
    async def body():
        async with serving() as town:
            table = await town.table("straws", 3, begun=False)
            for sent in ({}, {"seat": 1}, {"entropy": "ab" * 32}):
                who = town.person("Marcus")
                place = await town.table("straws", 2, begun=False) if sent else table
                first = await town.post(place, who, "seats", sent, Idempotency_Key="k")
                again = await town.post(place, who, "seats", sent, Idempotency_Key="k")

                assert (first.status_code, again.status_code) == (201, 201), again.text
                assert again.json() == first.json()
                assert again.headers["idempotency-replayed"] == "true"

    run(body())


def test_a_table_opened_again_with_the_same_command_is_the_same_table():
    async def body():
        async with opened() as site:
            live = act.Create("harbour", 1, 2, {}, House(), "public", "", "p0", sit=True)
            name = "00-aaaaaaaaaaaaaaaa"
            together = await asyncio.gather(*(site.tables.create(name, live, b"c" * 32) for _ in range(3)))
            later = await site.tables.create(name, live, b"c" * 32)

            assert {answer.entry.head for answer in (*together, later)} == {together[0].entry.head}
            assert [answer.replayed for answer in (*together, later)].count(False) == 1
            assert len(await entries(site, name)) == 1

    run(body())
