"""Law 8: a command is done once, however often it is sent, whenever, and by whom else under the same key.

A model knows what each player's keys were used for. Whole games are played while commands are sent twice at once, again
after a while, with another body, and by others; the service has to answer as the model says.
"""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import msgspec
import pytest

from events.entry import Entry
from games.core import Refused
from games.table import actions as act
from games.table.house import House
from server.tables.errors import InProgress, KeyReused
from server.tables.service import Answer
from tests.laws.cases import EVERY, Case
from tests.laws.golden import setups
from tests.laws.sampling import Sent
from tests.server.live_support import HandClock, Table, choose, entries, opened, run, seat

AROUND = 0.25
"""How often something else is done than what the table waits for."""

OFTEN = 0.3
"""How often each kind of trouble comes."""

GAMES = 2
"""Games played of each setup."""

CASES = [case for _, case in setups()]
"""Every game with every combination of its options, each with another number of seats."""

every_setup = pytest.mark.parametrize("case", CASES, ids=str)


class First(msgspec.Struct, frozen=True):
    """What a key was first used for, and the entry that it became."""

    by: int
    action: Any
    entry: Entry


class Sender:
    """Sends commands and holds the answers to what the keys were used for."""

    def __init__(self, table: Table, rng: Random) -> None:
        self.table = table
        self.rng = rng
        self.firsts: dict[tuple[str, str], First] = {}
        self.own = 0
        """Entries that nobody sent: the first one and the start."""
        self.again = self.reused = self.running = self.others = self.refused = 0
        self._keys = 0

    def key(self) -> str:
        self._keys += 1
        return f"k{self._keys}"

    async def send(self, by: int, action: Any, key: str, *, twice: bool = False) -> None:
        """One command, or the same one twice at the same time."""
        player, before = self.table.people[by], self.table.live.seq
        copies = [self.table.do(by, action, key) for _ in range(2 if twice else 1)]
        results = await asyncio.gather(*copies, return_exceptions=True)
        running = [result for result in results if isinstance(result, InProgress)]
        self.running += len(running)
        assert len(running) < len(results)
        done = [result for result in results if not isinstance(result, InProgress)]
        for result in done:
            self.hold(player, key, by, action, result)
        made = {result.entry.seq for result in done if isinstance(result, Answer) and not result.replayed}
        assert self.table.live.seq == before + len(made)

    def hold(self, player: str, key: str, by: int, action: Any, result: Any) -> None:
        """The answer is the one that the key's first use asks for."""
        first = self.firsts.get((player, key))
        match result:
            case Answer() if first is None:
                assert not result.replayed
                said = msgspec.json.decode(result.entry.versions["full"])
                assert said["by"] == by
                self.firsts[player, key] = First(by, action, result.entry)
            case Answer():
                assert result.replayed
                assert action == first.action
                assert result.entry == first.entry
                assert (result.receipt.seq, result.receipt.head) == (first.entry.seq, first.entry.head.hex())
                self.again += 1
            case KeyReused():
                assert first is not None
                assert action != first.action
                self.reused += 1
            case Refused():
                assert first is None
                self.refused += 1
            case _:
                raise result

    # --- Trouble ------------------------------------------------------------------------------------

    async def repeat_an_older_one(self) -> None:
        player, key = self.rng.choice(sorted(self.firsts))
        await self.repeat(player, key)

    async def repeat(self, player: str, key: str) -> None:
        """By whoever sent it, from the seat where he sent it, although another may sit there now."""
        first = self.firsts[player, key]
        kept = self.table.people
        self.table.people = (*kept[: first.by], player, *kept[first.by + 1 :])
        await self.send(first.by, first.action, key, twice=self.rng.random() < OFTEN)
        self.table.people = kept

    async def use_a_key_for_something_else(self) -> None:
        """Mostly for something that is allowed now."""
        by, action = choose(self.table.now, self.rng, AROUND)
        keys = [key for player, key in sorted(self.firsts) if player == self.table.people[by]]
        if keys:
            await self.send(by, action, self.rng.choice(keys))

    async def use_the_key_of_another(self) -> None:
        """What he sent, with his key: it is one's own command, and accepted or refused as such."""
        player, key = self.rng.choice(sorted(self.firsts))
        by = self.rng.randrange(len(self.table.people))
        if self.table.people[by] != player:
            self.others += 1
            await self.send(by, self.firsts[player, key].action, key)

    async def be_refused_and_use_the_key_anyway(self) -> None:
        by, action = choose(self.table.now, self.rng)
        key = self.key()
        wrong: Sent = {"type": "accept", "offer": 10**6, "version": 1}
        await self.send(by, wrong, key)
        assert (self.table.people[by], key) not in self.firsts
        await self.send(by, action, key)

    async def leave(self) -> None:
        by, key = self.rng.randrange(len(self.table.people)), self.key()
        await self.send(by, {"type": "leave"}, key)
        await self.repeat(self.table.people[by], key)

    async def fill(self) -> None:
        """Others take over where somebody has left. They have keys of their own, though they may choose the same."""
        for by, holder in enumerate(self.table.now.table.record.holders):
            if holder.player is None:
                key, people = self.key(), self.table.people
                _, same = self.rng.choice(sorted(self.firsts))
                self.table.people = (*people[:by], f"q-{key}", *people[by + 1 :])
                await self.send(by, act.Sit(f"q-{key}", None, None), same, twice=self.rng.random() < OFTEN)

    def kinds(self) -> list[Callable[[], Awaitable[None]]]:
        return [
            self.repeat_an_older_one,
            self.use_a_key_for_something_else,
            self.use_the_key_of_another,
            self.be_refused_and_use_the_key_anyway,
        ]

    # --- A game -------------------------------------------------------------------------------------

    async def move(self) -> None:
        """A move, maybe sent twice at once or right afterwards, and what goes wrong around it."""
        await self.fill()
        by, action = choose(self.table.now, self.rng, AROUND)
        key = self.key()
        await self.send(by, action, key, twice=self.rng.random() < OFTEN)
        if self.rng.random() < OFTEN:
            await self.send(by, action, key)
        for trouble in self.kinds():
            if not self.table.over and self.rng.random() < OFTEN:
                await trouble()
        if not self.table.over and self.rng.random() < OFTEN / 10:
            await self.fill()
            await self.leave()

    async def repeat_everything(self) -> None:
        for player, key in sorted(self.firsts):
            await self.repeat(player, key)


async def begin(site: Any, case: Case, rng: Random) -> Sender:
    """The people sit down by commands of their own."""
    house = House(whispers=True)
    table = await seat(site, case.game.name, case.seats, house=house, begun=False, **dict(case.options))
    sender = Sender(table, rng)
    for number in range(1, case.seats):
        sit, key, before = act.Sit(table.people[number], None, None), sender.key(), table.live.seq
        sender.hold(table.people[number], key, number, sit, await table.do(number, sit, key))
        assert table.live.seq == before + 1 + (number == case.seats - 1)
    sender.own = 2
    return sender


async def check_log(sender: Sender) -> None:
    """There are as many entries as commands were first accepted, and each is the one that its sender was told of."""
    log = await entries(sender.table.site, sender.table.id)
    assert len(log) == sender.own + len(sender.firsts)
    told = {first.entry.seq: first.entry for first in sender.firsts.values()}
    assert len(told) == len(sender.firsts)
    assert all(log[seq - 1] == entry for seq, entry in told.items())


@every_setup
def test_whatever_is_sent_again_is_done_once(case):
    async def body():
        rng = Random(str(case))
        async with opened(clock=HandClock(), games=EVERY) as site:
            for _ in range(GAMES):
                sender = await begin(site, case, rng)
                while not sender.table.over:
                    await sender.move()
                await check_log(sender)
                await sender.repeat_everything()
                await check_log(sender)
                assert sender.again >= len(sender.firsts)

    run(body())


def test_a_server_that_starts_again_knows_what_it_did(tmp_path):
    async def body():
        rng = Random("again")
        case = CASES[0]
        store = f"sqlite:{tmp_path / 'tables'}"
        async with opened(store, clock=HandClock(), games=EVERY) as site:
            sender = await begin(site, case, rng)
            for _ in range(12):
                await sender.move()
        while True:
            async with opened(store, clock=HandClock(), games=EVERY) as site:
                sender.table = sender.table.on(site)
                await sender.table.load()
                await sender.repeat_everything()
                await check_log(sender)
                if sender.table.over:
                    break
                for _ in range(12):
                    if not sender.table.over:
                        await sender.move()
        assert sender.again > 2 * len(sender.firsts)

    run(body())


def test_all_kinds_of_trouble_came():
    async def body():
        rng = Random("all")
        async with opened(clock=HandClock(), games=EVERY) as site:
            sender = await begin(site, CASES[0], rng)
            while not sender.table.over:
                await sender.move()
        assert min(sender.again, sender.reused, sender.running, sender.others, sender.refused) >= 5

    run(body())
