"""A log, and that of a fork of it, as archives."""

from functools import cache
from random import Random
from unittest.mock import patch

from events import archive
from tests.laws import driver as driving
from tests.laws import playing
from tests.laws.forking import Fork
from tests.projections.logs import KEY, Log, played, written

FORK = "00-" + "b" * 16
AT = 60


@cache
def parent() -> Log:
    """A Tribunal that was played to its end."""
    return played(seats=4, seed=1)


def forked(log: Log, at: int = AT, entries: int | None = None, **changes: object) -> Log:
    """The log of a fork of it, played to its end or to that many entries."""
    rng = Random(f"{at}")
    with patch.object(driving, "ID", FORK):
        driver = Fork(log.driver, at, log.entries[at - 1].head.hex(), **changes)
        driver.resume()
        while not driver.table.over and (entries is None or driver.table.seq < entries):
            playing.one(driver, rng)
    return written(driver)


@cache
def child() -> Log:
    """Its fork at entry `AT`, played to its end."""
    return forked(parent())


def unbegun(log: Log) -> Log:
    """A fork that nobody has sat down at."""
    with patch.object(driving, "ID", FORK):
        return written(Fork(log.driver, AT, log.entries[AT - 1].head.hex()))


def archived(log: Log, audience: archive.Audience = "all") -> bytes:
    """The archive of a fork's log."""
    game, last = log.rules.game, log.entries[-1]
    header = archive.close(KEY, FORK, audience, game.name, game.version, log.seats, last.seq, last.head)
    return b"".join(archive.write(header, log.entries))
