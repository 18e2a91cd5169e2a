"""Bots at tables of a real server: each action once, pauses that others can use, and no bot that spins or gives up easily."""

import asyncio
import random
from contextlib import AsyncExitStack

import pytest

from clients.bots import BOTS
from clients.bots.bot import Move
from clients.bots.chancer import Chancer
from clients.bots.matches import Match, Score, play_match
from clients.bots.playing import GivenUp, Pace, Player
from comitium_client import Forbidden, NotFound
from tests.clients.house import AT_ONCE, house, person, until


async def seated(stack, served, *names):
    """A table, and each person's handle on it, all in their seats."""
    clients = [await stack.enter_async_context(person(served, name)) for name in names]
    made = await clients[0].create_table("tribunal", len(names), sit=False)
    tables = [client.table(made.id) for client in clients]
    for seat, table in enumerate(tables):
        await table.sit(seat)
    return tables


def run(work):
    async def within():
        async with AsyncExitStack() as stack, house() as served:
            return await work(stack, served)

    return asyncio.run(within())


class Counting(Chancer):
    """Random, and counts what it hears."""

    def __init__(self, rng):
        super().__init__(rng)
        self.heard = []

    def hear(self, entry):
        self.heard.append(entry.seq)


class Failing(Chancer):
    """Raises whatever it is asked."""

    def hear(self, entry):
        raise ValueError("deaf")

    def choose(self, now):
        raise ValueError("dumb")


class Stubborn(Chancer):
    """Does what is never allowed."""

    def choose(self, now):
        return Move({"type": "place", "counter": "verdict", "pan": "sideways"}) if now.must else None


def play(tables, *bots, pace=AT_ONCE):
    players = [Player(table, bot, pace, random.Random(0)) for table, bot in zip(tables, bots, strict=True)]
    return players, [asyncio.ensure_future(player.play()) for player in players]


FOUR = ("Livia", "Marcus", "Flavia", "Gaius")


def test_a_game_over_the_wire_without_a_refusal():
    async def work(stack, served):
        tables = await seated(stack, served, *FOUR)
        _, tasks = play(tables, *(BOTS["tribunal"](random.Random(seat), "en") for seat in range(4)))
        diaries = await asyncio.gather(*tasks)
        assert all(diary.refused == [] and diary.acted > 0 for diary in diaries)
        assert (await tables[0].summary()).status == "ended"

    run(work)


def test_every_bot_hears_every_entry_once_and_in_order():
    async def work(stack, served):
        tables = await seated(stack, served, *FOUR)
        bots = [Counting(random.Random(seat)) for seat in range(4)]
        await asyncio.gather(*play(tables, *bots)[1])
        last = (await tables[0].summary()).seq
        assert all(bot.heard == list(range(1, last + 1)) for bot in bots)

    run(work)


def test_two_processes_for_one_seat_act_once():
    async def work(stack, served):
        tables = await seated(stack, served, *FOUR)
        twice = [*tables, *tables]
        bots = [BOTS["tribunal"](random.Random(number), "en") for number in range(8)]
        diaries = await asyncio.gather(*play(twice, *bots)[1])
        entries = [entry async for entry in tables[0].log()]
        votes = [e.body.by for e in entries if e.body.action["type"] == "vote"]
        trials = [ev for e in entries for ev in e.body.events if ev["type"] == "trial_opened"]
        assert len(votes) == 4 * len(trials)
        assert all(diary.refused == [] for diary in diaries)

    run(work)


def test_who_comes_back_in_mid_game_goes_on():
    async def work(stack, served):
        tables = await seated(stack, served, *FOUR)
        _, tasks = play(tables, *(Chancer(random.Random(seat)) for seat in range(4)), pace=Pace(think=0.01))
        await asyncio.sleep(0.15)
        tasks[0].cancel()
        await asyncio.gather(tasks[0], return_exceptions=True)
        again = Player(tables[0], BOTS["tribunal"](random.Random(9), "en"), AT_ONCE)
        await asyncio.gather(again.play(), *tasks[1:])
        assert again.diary.refused == []

    run(work)


@pytest.mark.expects_errors("a bot failed")
def test_a_bot_that_fails_is_played_for():
    async def work(stack, served):
        tables = await seated(stack, served, *FOUR)
        bots = [Failing(random.Random(0)), *(Chancer(random.Random(seat)) for seat in range(3))]
        diaries = await asyncio.gather(*play(tables, *bots)[1])
        assert diaries[0].acted > 0

    run(work)


def test_a_bot_that_is_refused_again_and_again_is_played_for():
    async def work(stack, served):
        tables = await seated(stack, served, *FOUR)
        bots = [Stubborn(random.Random(0)), *(Chancer(random.Random(seat)) for seat in range(3))]
        _, tasks = play(tables, *bots)
        await until(lambda: has_passed(tables[1]))
        await end(tasks)

    run(work)


async def has_passed(table):
    game = (await table.view())["game"]
    return game is not None and game["phase"] != "passing"


async def end(tasks):
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_it_gives_up_when_nothing_helps():
    async def work(stack, served):
        tables = await seated(stack, served, *FOUR)
        _, tasks = play(tables[1:], *(Chancer(random.Random(seat)) for seat in range(3)))
        player = Player(tables[0], Stubborn(random.Random(0)), AT_ONCE)
        player._any = lambda _: Move({"type": "place"})  # the last resort fails as well
        with pytest.raises(GivenUp):
            await asyncio.wait_for(player.play(), 60)
        await end(tasks)

    run(work)


def test_a_patient_move_waits_for_silence_but_not_for_ever():
    async def work(stack, served):
        tables = await seated(stack, served, *FOUR)
        pace = Pace(quiet=0.3, longest=0.9)
        _, tasks = play(tables, *(BOTS["tribunal"](random.Random(seat), "en") for seat in range(4)), pace=pace)
        await until(lambda: has_passed(tables[0]))
        clock = asyncio.get_running_loop().time
        begun, said = clock(), 0
        while (await tables[0].view())["game"]["phase"] == "colour" and clock() < begun + 20:
            await tables[0].act("say", text="Wait!", if_match=None)
            said += 1
            await asyncio.sleep(0.1)
        assert 0.25 <= clock() - begun < 10
        assert said > 2
        await end(tasks)

    run(work)


def test_it_ends_when_its_seat_is_gone():
    async def work(stack, served):
        clients = [await stack.enter_async_context(person(served, name)) for name in FOUR[:2]]
        table = await clients[0].create_table("tribunal", 4)
        task = play([table], Chancer(random.Random(0)))[1][0]
        await asyncio.sleep(0.1)
        await table.rise(0)
        diary = await asyncio.wait_for(task, 10)
        assert diary.acted == 0

    run(work)


def test_there_must_be_such_a_table():
    async def work(stack, served):
        client = await stack.enter_async_context(person(served))
        with pytest.raises((NotFound, Forbidden)):
            await Player(client.table("00-aaaaaaaaaaaaaaaa"), Chancer(random.Random(0)), AT_ONCE).play()

    run(work)


def test_matches_seat_the_one_in_turn_and_count_shared_wins_in_parts():
    match = Match("tribunal", "random", 4, 3)
    assert [match.bots(number).index("tribunal") for number in range(5)] == [0, 1, 2, 3, 0]
    score = Score().with_game(1, {"scores": [5, 9, 9, 3], "winners": [1, 2]}, 0)
    assert (score.wins, score.chips, score.others) == (0.5, 9, pytest.approx(17 / 3))
    assert "50.0% of 1 games" in str(score)


def test_a_match_over_the_wire():
    async def work(_, served):
        seen = []
        score = await play_match(served.url, Match("tribunal", "random", 4, 2), 2, seen.append)
        assert score.games == len(seen) == 2
        assert score.refused == 0

    run(work)
