"""Whole logs to verify, their archives, and the ways in which somebody might falsify them."""

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from random import Random
from typing import Any
from unittest.mock import patch

import msgspec

from events import archive, canonical
from events.chain import ZERO, seal
from events.entry import FULL, Entry
from events.receipts import SigningKey
from games import GAMES, Catalogue, tribunal
from games.core import Game
from games.table import actions as act
from games.table.redact import versions
from games.table.rules import Rules
from games.table.state import Body
from projections import codec
from projections.verification import Verification, verify_archive
from tests.games import sample, sample_plain
from tests.laws import driver as driving
from tests.laws import playing
from tests.laws.driver import Driver

KEY = SigningKey(bytes(range(32)))
KEYS = {KEY.id: KEY.public}
STRANGER = SigningKey(bytes(32))
TABLE = "00-" + "a" * 16


@cache
def catalogue() -> Catalogue:
    """The games of the house, and the sample games."""
    return Catalogue((*GAMES, sample, sample_plain))


class Log(msgspec.Struct, frozen=True):
    """A log, and the table that it leads to."""

    driver: Driver
    entries: tuple[Entry, ...]

    @property
    def rules(self) -> Rules:
        return self.driver.rules

    @property
    def bodies(self) -> list[Body[Any]]:
        return self.driver.bodies

    @property
    def seats(self) -> int:
        return len(self.driver.table.record.holders)

    def made_of(self, entries: Iterable[Entry]) -> "Log":
        """The same table, it is claimed, with another log."""
        return Log(self.driver, tuple(entries))

    def archive(self, audience: archive.Audience = "all", key: SigningKey = KEY) -> bytes:
        """Its archive."""
        game, last = self.rules.game, self.entries[-1]
        header = archive.close(key, TABLE, audience, game.name, game.version, self.seats, last.seq, last.head)
        return b"".join(archive.write(header, self.entries))


def written(driver: Driver) -> Log:
    """The log of what was done."""
    return Log(driver, tuple(step.entry for step in playing.written(driver)))


@lru_cache(maxsize=64)
def played(game: Game = tribunal, seats: int = 5, seed: int = 0, entropies: int = 2, entries: int | None = None) -> Log:
    """A game played at random, to its end or to that many entries. The first `entropies` seats give entropy."""
    rng = Random(f"{game.name} {seats} {seed}")
    with patch.object(driving, "ID", TABLE):
        driver = Driver(game, seats, {}, playing.HOUSE)
        for seat in range(entropies):
            if seat:
                driver.do(seat, act.Sit(f"p{seat}", None, None))
            driver.do(seat, act.GiveEntropy(f"{seat + 1:064x}"))
        driver.fill()
        while not driver.table.over and (entries is None or driver.table.seq < entries):
            playing.one(driver, rng)
    return written(driver)


def done(*what: tuple[int | str, Any], game: Game = tribunal, seats: int = 4) -> Log:
    """A log in which just this was done."""
    with patch.object(driving, "ID", TABLE):
        driver = Driver(game, seats, {}, playing.HOUSE)
        for by, action in what:
            driver.do(by, action)
    return written(driver)


def verified(log: Log | bytes, audience: archive.Audience = "all", **given: Any) -> Verification:
    """What holds of the log's archive, by the keys that one trusts."""
    data = log if isinstance(log, bytes) else log.archive(audience)
    return verify_archive([data], catalogue(), **{"keys": KEYS, **given})


def statuses(found: Verification) -> dict[str, str | tuple[str, str | None]]:
    """Every check: "passed", or what it is and why."""
    return {
        each.name: each.status if each.status == "passed" and each.why is None else (each.status, each.why)
        for each in found.checks
    }


# --- Falsifying ---------------------------------------------------------------------------------------


def resealed(log: Log, changed: dict[int, dict[str, bytes]]) -> Log:
    """The log with other versions of some entries, and a chain that fits them."""
    head, found = ZERO, []
    for entry in log.entries:
        found.append(seal(entry.seq, head, changed.get(entry.seq, entry.versions), entry.salt))
        head = found[-1].head
    return log.made_of(found)


def with_body(log: Log, seq: int, change: Callable[[dict[str, Any]], None]) -> Log:
    """The log with an entry that says something else, in all its versions as the rules would make them: whoever holds the
    server could write it.
    """
    plain = msgspec.json.decode(log.entries[seq - 1].versions[FULL])
    change(plain)
    body = codec.decode(log.rules, seq, canonical.encode(plain))
    body = msgspec.structs.replace(body, action=msgspec.convert(body.action, log.rules.AnyAction))
    made = {name: codec.encode(each) for name, each in versions(log.rules, body, log.seats).items()}
    return resealed(log, {seq: made})


def with_bytes(log: Log, seq: int, change: Callable[[dict[str, Any]], None], version: str = FULL) -> Log:
    """The log with other bytes in one version of an entry, the chain made to fit."""
    before = log.entries[seq - 1].versions
    plain = msgspec.json.decode(before[version])
    change(plain)
    return resealed(log, {seq: {**before, version: canonical.encode(plain)}})


def entry_of(log: Log, kind: str, **fields: Any) -> int:
    """The first entry by an action of that kind."""
    for body in log.bodies:
        plain = msgspec.to_builtins(body.action)
        if plain["type"] == kind and all(plain[name] == value for name, value in fields.items()):
            return body.seq
    raise LookupError(kind)
