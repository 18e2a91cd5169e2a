"""The load generator: a process of its own, one thread, one loop over all sockets, the same for every peer.

`python -m bench.load` reads a `Job` from standard input and writes a `Result`. What counts:

* a command is *accepted* when its sender has the answer to it (boardgame.io gives none but the sender's own update);
* it is *notified* when every socket of its table has received the update that it caused;
* closed loop: every seat sends, waits for its answer and its own update, and sends again: throughput;
* play (our server alone): every seat answers what it is asked at random; nothing is paced;
* paced: commands fall due at random moments (Poisson) of a fixed rate, whatever the server does, and their latency
  counts from the moment they were due; those never finished count up to the end.
"""

import gc
import random
import sys
import time
from collections.abc import Sequence

import msgspec

from bench.dialects import Door
from bench.latency import Latency, latency
from bench.play import Playing
from bench.servers import cpu_seconds, machine_seconds
from bench.sockets import Sockets, open_sockets

DRAIN = 2.0
BURST = 64


class Job(msgspec.Struct, frozen=True):
    """What to do: the sockets, for how long, and at what share of the throughput the latency is measured.

    Without doors: tables of the game, at play.
    """

    dialect: str
    port: int
    pid: int
    doors: list[Door] = []
    game: str = ""
    tables: int = 32
    seats: int = 4
    seconds: float = 5.0
    warmup: float = 1.0
    share: float = 0.5


class Spent(msgspec.Struct, frozen=True):
    """Seconds: of time, and of the processors by the server, by the load and by anything else on the machine."""

    seconds: float
    server: float
    driver: float
    others: float


class Part(msgspec.Struct, frozen=True):
    """One measurement: how many commands in how many seconds, and how long they took."""

    commands: int
    accepted: Latency
    notified: Latency
    bytes: int
    retries: int
    """Commands sent again because another was first, or refused."""
    spent: Spent
    unfinished: int = 0
    late: float = 0.0
    """Paced: the 99th percentile of how late a command was sent."""

    @property
    def rate(self) -> float:
        return self.commands / self.spent.seconds


class Result(msgspec.Struct, frozen=True):
    """What one job found."""

    closed: Part
    paced: Part | None
    longest: int
    """The most commands that one table has taken, warming up included."""
    tables: int = 0
    """Tables that were played to their end."""


class Clock:
    """What passes between two moments."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.began, self.used = time.perf_counter(), self.now()

    def now(self) -> tuple[float, float, float]:
        return cpu_seconds(self.pid), time.process_time(), machine_seconds()

    def read(self) -> Spent:
        seconds = time.perf_counter() - self.began
        server, driver, machine = (now - then for now, then in zip(self.now(), self.used, strict=True))
        return Spent(seconds, server, driver, max(machine - server - driver, 0.0))


def closed(sockets: Sockets, job: Job) -> Part:
    """Every seat sends as soon as it may."""
    sockets.eager = True
    for link in sockets.links.values():
        sockets.send(link, time.perf_counter())
    listen(sockets, job.warmup)
    sockets.book.clear()
    clock = Clock(job.pid)
    listen(sockets, job.seconds)
    part = close(sockets, clock)
    sockets.eager = False
    drain(sockets)
    return part


def paced(sockets: Sockets, job: Job, rate: float, chance: random.Random) -> Part:
    """Commands fall due at random moments; the seats take turns in a random order."""
    order = list(sockets.links.values())
    chance.shuffle(order)
    sockets.book.clear()
    clock = Clock(job.pid)
    now = clock.began
    end, due, turn, late = now + job.seconds, now, 0, []
    while now < end:
        for _ in range(BURST):
            if due > now:
                break
            late.append(now - due)
            sockets.send(order[turn % len(order)], due)
            turn += 1
            due += chance.expovariate(rate)
        sockets.turn(min(due, end) - time.perf_counter())
        now = time.perf_counter()
    measured = clock.read()
    drain(sockets)
    return close(sockets, clock, measured, late)


def listen(sockets: Sockets, seconds: float) -> None:
    """Hear everything for that long."""
    end = time.perf_counter() + seconds
    while (left := end - time.perf_counter()) > 0:
        sockets.turn(left)


def drain(sockets: Sockets) -> None:
    """Wait for what is still on its way, for a while."""
    end = time.perf_counter() + DRAIN
    while sockets.awaited and (left := end - time.perf_counter()) > 0:
        sockets.turn(min(left, 0.05))


def close(sockets: Sockets, clock: Clock, measured: Spent | None = None, late: Sequence[float] = ()) -> Part:
    """The figures between the clock's start and now; paced, what is unfinished counts with its age."""
    book = sockets.book
    spent = measured or clock.read()
    lost = sockets.ages(time.perf_counter()) if measured else []
    return Part(
        commands=len(book.accepted),
        accepted=latency(book.accepted),
        notified=latency([*book.notified, *lost]),
        bytes=book.bytes,
        retries=book.retries + book.refused,
        spent=spent,
        unfinished=len(lost),
        late=latency(late).p99 if late else 0.0,
    )


def work(job: Job) -> Result:
    """Both measurements over the same sockets."""
    gc.disable()
    if not job.doors:
        with Playing(job.port, job.game, job.tables, job.seats) as tables:
            return Result(closed(tables, job), None, tables.longest(), tables.ended)
    with open_sockets(job.dialect, job.port, job.doors) as sockets:
        first = closed(sockets, job)
        second = paced(sockets, job, first.rate * job.share, random.Random(1)) if job.share else None
        return Result(first, second, sockets.longest())


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(work(msgspec.json.decode(sys.stdin.buffer.read(), type=Job))))
