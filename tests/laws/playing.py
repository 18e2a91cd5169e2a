"""Whole games at a table, played at random and written down as the server would write them.

Mostly somebody for whom the table waits does what he must; now and then somebody talks, offers, answers, pays or
promises; once in a while a player leaves and another takes over, or the clock plays for one who is late.
"""

from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import Any

import msgspec

from events.chain import seal
from events.entry import Entry
from games.core import Ask, Audience, Seat
from games.table import actions as act
from games.table.dispute import strike_of
from games.table.house import House
from games.table.redact import versions
from games.table.state import Body, Table, deadline
from projections import codec
from projections.position import Position, arrive, version_for
from tests.laws.cases import Case
from tests.laws.driver import Driver
from tests.laws.sampling import member

HOUSE = House(whispers=True, move_seconds=600, bank_seconds=600)

AROUND = 0.2
"""How often something else is done than what the table waits for."""

RARELY = 0.01

DISPUTES = 0.35
"""How often a dispute is as likely as anything else: each of them may take half the game back."""

QUIT = {"abandon", "leave"}
"""What may end a game before its time is no part of random play."""

LIMIT = 20_000
"""Entries after which a game certainly does not end."""


class Step(msgspec.Struct, frozen=True):
    """One entry: the table before it and after it as the live server has them, and what is stored of it."""

    before: Table | None
    after: Table
    body: Body[Any]
    entry: Entry
    position: Position

    @property
    def stored(self) -> dict[str, bytes]:
        """The bytes of each version."""
        return self.entry.versions

    def read_by(self, audience: Audience) -> bytes:
        """The bytes that the audience gets."""
        return self.stored[version_for(self.stored, audience)]


class Play(msgspec.Struct, frozen=True):
    """A game from its first entry to its last. `moves`: how often somebody did what the game waited for, and it counts."""

    driver: Driver
    steps: tuple[Step, ...]
    moves: int


@lru_cache(maxsize=256)
def played(case: Case) -> Play:
    """The game of that case and seed, the same whenever it is asked for."""
    return play(case, Random(str(case)))


def play(case: Case, rng: Random) -> Play:
    """A game played at random."""
    driver = Driver(case.game, case.seats, dict(case.options), HOUSE)
    driver.fill()
    moves: list[int] = []
    while not driver.table.over:
        assert driver.table.seq < LIMIT, "the game does not end"
        playing = driver.table.status == "playing"
        if one(driver, rng) and playing:
            moves.append(driver.table.seq)
    strikes = driver.table.record.strikes
    return Play(driver, tuple(written(driver)), sum(strike_of(strikes, seq) is None for seq in moves))


def written(driver: Driver) -> Iterator[Step]:
    """The steps of what was done, sealed and with their positions."""
    position: Position | None = None
    head = bytes(32)
    for number, body in enumerate(driver.bodies):
        before, after = driver.tables[number - 1] if number else None, driver.tables[number]
        bodies = versions(driver.rules, body, len(after.record.holders))
        stored = {name: codec.encode(version) for name, version in bodies.items()}
        entry = seal(body.seq, head, stored, body.seq.to_bytes(32, "big"))
        position, head = arrive(driver.rules, position, after, bodies, entry.head), entry.head
        yield Step(before, after, body, entry, position)


# --- One entry ----------------------------------------------------------------------------------------


def one(driver: Driver, rng: Random) -> bool:
    """Something happens. Whether it was what the table waited for."""
    if rng.random() < RARELY and _somebody_else(driver, rng):
        return False
    seat = rng.choice(driver.table.to_act)
    if driver.table.status == "playing" and rng.random() < RARELY:
        driver.do("clock", act.TimeUp(seat), at=deadline(driver.table, seat))
        return True
    around = rng.random() < AROUND and _around(driver, rng)
    if around:
        seat, ask = around
    else:
        ask = rng.choice([ask for ask in driver.asks(seat) if ask.must])
    driver.do(seat, member(rng, ask, tuple(driver.windows().values()), driver.table.strikable))
    return ask.must


def _around(driver: Driver, rng: Random) -> tuple[Seat, Ask] | None:
    """An ask that the table does not wait for, of a kind that is as likely as any other."""
    seat = rng.randrange(len(driver.table.record.holders))
    kinds: dict[str, list[Ask]] = {}
    for ask in driver.asks(seat):
        if not ask.must and ask.type not in QUIT:
            kinds.setdefault(ask.type, []).append(ask)
    if rng.random() > DISPUTES:
        kinds.pop("dispute", None)
    return (seat, rng.choice(kinds[rng.choice(sorted(kinds))])) if kinds else None


def _somebody_else(driver: Driver, rng: Random) -> bool:
    """A player leaves, and another takes his seat."""
    seat = rng.randrange(len(driver.table.record.holders))
    driver.do(seat, act.Leave())
    driver.do(seat, act.Sit(f"q{driver.table.seq}", None, None))
    return True
