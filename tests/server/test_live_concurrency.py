"""Several servers on one store, and many commands at once: nothing lost, nothing doubled, and the loser is told."""

import asyncio
from random import Random

import pytest

from games.core import Refused
from games.table import actions as act
from server.tables.errors import InProgress, Stale
from tests.server.live_support import Table, entries, harbour, opened, run, said, seat, stored


def on_two_nodes(test):
    """Runs the test with two servers that share a log, in either store."""

    @pytest.mark.parametrize("kind", ["memory", "sqlite"])
    def wrapped(kind):
        async def body():
            async with stored(kind) as store, opened(store) as one, opened(store) as other:
                await test(one, other)

        run(body())

    wrapped.__name__ = test.__name__
    return wrapped


async def outcomes(*commands):
    """What each of them came to, all at once."""
    return await asyncio.gather(*commands, return_exceptions=True)


def accepted(answers):
    return [answer for answer in answers if not isinstance(answer, BaseException)]


def refusals(answers):
    return [answer.code for answer in answers if isinstance(answer, Refused)]


@on_two_nodes
async def test_of_many_who_join_at_once_on_two_servers_exactly_as_many_get_in_as_there_are_seats(one, other):
    table = await seat(one, "tribunal", 5, begun=False)
    late = [f"late{number}" for number in range(20)]

    async def join(player, node):
        here = table.on(node)
        while True:
            free = [n for n, holder in enumerate((await here.load()).now.table.record.holders) if not holder.player]
            try:
                return await here.do(free[0] if free else 1, act.Sit(player, None, None))
            except Refused as refused:
                if refused.code != "seat_taken" or not free:
                    raise

    answers = await outcomes(*(join(player, (one, other)[place % 2]) for place, player in enumerate(late)))

    assert len(accepted(answers)) == 4
    assert len(refusals(answers)) == 16
    await one.tables.catch_up(table.live)
    holders = [holder.player for holder in table.now.table.record.holders]
    assert len(set(holders)) == 5
    assert all(holders)
    assert table.status == "playing"
    assert [said(entry)["action"]["type"] for entry in await entries(one, table.id)].count("start") == 1


@on_two_nodes
async def test_a_hundred_gifts_of_one_from_fewer_chips_move_exactly_the_chips_there_are(one, other):
    table = await harbour(one)
    await table.on(other).load()
    chips = table.game.purses.seats[0]
    assert 0 < chips < 100

    gifts = [table.on((one, other)[n % 2]).do(0, {"type": "pay", "to": 1 + n % 2, "amount": 1}) for n in range(100)]
    answers = await outcomes(*gifts)

    assert len(accepted(answers)) == chips
    assert set(refusals(answers)) == {"too_few_chips"}
    log = [event for entry in await entries(one, table.id) for event in said(entry)["events"]]
    assert sum(event["amount"] for event in log if event["type"] == "paid") == chips
    for node in (one, other):
        await node.tables.catch_up(await table.on(node).load())
        purses = table.on(node).game.purses
        assert purses.seats[0] == 0
        assert purses.total() == 150


@on_two_nodes
async def test_as_many_entries_are_in_the_log_as_were_accepted_whoever_accepted_them(one, other):
    table = await harbour(one)
    before = len(await entries(one, table.id))

    talk = [table.on((one, other)[n % 2]).do(n % 3, {"type": "say", "text": f"word {n}"}) for n in range(200)]
    answers = await outcomes(*talk)

    assert len(accepted(answers)) == 200
    seqs = [answer.entry.seq for answer in answers]
    log = await entries(one, table.id)
    assert sorted(seqs) == list(range(before + 1, before + 201))
    assert [entry.seq for entry in log] == list(range(1, before + 201))
    for place, answer in enumerate(answers):
        assert said(log[answer.entry.seq - 1])["action"]["text"] == f"word {place}"
        assert log[answer.entry.seq - 1].head == answer.entry.head


@on_two_nodes
async def test_two_servers_that_share_a_log_come_to_the_same_table(one, other):
    table = await seat(one, "tribunal", 5)
    rng, turn = Random(1), 0
    while not table.over:
        node = table.on((one, other)[turn % 2])
        await node.site.tables.catch_up(await node.load())
        await node.move(rng, around=0.3)
        await one.tables.catch_up(table.live)
        turn += 1

    await other.tables.catch_up(await table.on(other).load())

    assert table.on(other).now == table.now
    assert table.status == "ended"


@on_two_nodes
async def test_votes_that_are_given_at_the_same_time_do_not_conflict(one, other):
    table = await seat(one, "tribunal", 7)
    rng = Random(2)
    while table.game.phase != "vote":
        await table.move(rng)
    seq = table.live.seq
    await table.on(other).load()

    votes = [
        table.on((one, other)[number % 2]).do(number, {"type": "vote", "guilty": number % 2 == 0}, if_match=seq)
        for number in range(7)
    ]
    answers = await outcomes(*votes)

    assert len(accepted(answers)) == 7
    await one.tables.catch_up(table.live)
    assert table.live.seq == seq + 7
    assert table.game.phase == "direction"


@on_two_nodes
async def test_of_two_who_answer_the_same_offer_in_different_words_the_second_is_told_that_it_is_gone(one, other):
    table = await harbour(one)
    warden = table.game.warden
    giver = next(number for number in range(3) if number not in (warden, table.game.deputy))
    does = {"type": "admit", "pier": "north"}
    offer = {
        "type": "offer",
        "payee": warden,
        "window": "admit:1",
        "amount": 5,
        "does": does,
        "times": 1,
        "never": None,
    }
    made = (await table.do(giver, offer)).entry.seq
    await table.on(other).load()

    answers = await outcomes(
        table.do(giver, {"type": "withdraw", "offer": made}),
        table.on(other).do(warden, {"type": "accept", "offer": made, "version": 1}),
    )

    assert len(accepted(answers)) == 1
    assert refusals(answers)[0] in {"no_such_offer", "offer_accepted"}


@on_two_nodes
async def test_an_action_made_for_a_position_that_has_passed_is_stale_and_says_how_far_the_log_is(one, other):
    table = await harbour(one)
    warden, seq = table.game.warden, table.live.seq
    await table.on(other).load()
    step = {"type": "admit", "pier": "north"}

    answers = await outcomes(table.do(warden, step, if_match=seq), table.on(other).do(warden, step, if_match=seq))

    (stale,) = [answer for answer in answers if isinstance(answer, BaseException)]
    assert isinstance(stale, Stale)
    assert (stale.expected, stale.head) == (seq, seq + 1)
    assert len(accepted(answers)) == 1


@on_two_nodes
async def test_talk_makes_nobodys_action_stale(one, other):
    table = await harbour(one)
    warden, seq = table.game.warden, table.live.seq
    await table.on(other).do((warden + 1) % 3, {"type": "say", "text": "to the north!"})
    await table.on(other).do(warden, {"type": "say", "text": "we shall see"})

    answer = await table.do(warden, {"type": "admit", "pier": "north"}, if_match=seq)

    assert answer.entry.seq == seq + 3


@on_two_nodes
async def test_a_refused_action_leaves_seq_and_head_alone(one, other):
    table = await harbour(one)
    await table.on(other).load()
    before = (table.live.seq, table.live.head)
    refused = (table.game.warden + 1) % 3

    for node in (one, other):
        with pytest.raises(Refused):
            await table.on(node).do(refused, {"type": "admit", "pier": "north"})

    assert await one.store.read(table.id, before[0]) == []
    for node in (one, other):
        assert (table.on(node).live.seq, table.on(node).live.head) == before


@on_two_nodes
async def test_the_same_command_at_the_same_time_is_in_progress_here_and_the_same_answer_elsewhere(one, other):
    table = await harbour(one)
    await table.on(other).load()
    word = {"type": "say", "text": "once"}

    first, here, elsewhere = await outcomes(
        table.do(0, word, key="k"), table.do(0, word, key="k"), table.on(other).do(0, word, key="k")
    )

    assert isinstance(here, InProgress)
    assert first.entry == elsewhere.entry
    assert first.receipt.head == elsewhere.receipt.head
    assert elsewhere.replayed
    assert sum(said(entry)["action"] == word for entry in await entries(one, table.id)) == 1


def test_commands_that_come_together_are_decided_on_one_another_before_they_are_durable():
    async def body():
        async with opened() as site:
            table = await harbour(site)
            warden = table.game.warden
            steps = [table.do(warden, {"type": "admit", "pier": "north"}) for _ in range(5)]
            answers = await outcomes(*steps)

            assert len(accepted(answers)) == 3
            assert refusals(answers) == ["not_your_turn"] * 2
            assert table.game.phase == "deputy"

    run(body())


def test_a_seat_that_was_given_up_meanwhile_cannot_be_played_by_its_former_holder():
    async def body():
        async with opened() as site:
            table = await harbour(site)
            warden = table.game.warden
            await table.do(warden, {"type": "leave"})
            await table.do(warden, act.Sit("heir", None, None))

            with pytest.raises(Refused) as refused:
                await table.do(warden, {"type": "admit", "pier": "north"})

            assert refused.value.code == "not_your_seat"
            heirs = Table(site, table.id, tuple("heir" if n == warden else p for n, p in enumerate(table.people)))
            assert await heirs.do(warden, {"type": "admit", "pier": "north"})

    run(body())
