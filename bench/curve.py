"""The cost curve: what one command, one view, one resume and one page cost at growing lengths of the log.

Sequential, one client, the server otherwise idle. All logs are grown first; then the lengths take turns, so that the
machine's moods meet all of them. At the shortest length an append is timed on many tables, lest they grow meanwhile.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack

import msgspec

from bench.boardgame import open_matches, serve_boardgame
from bench.dialects import DIALECTS, Door
from bench.frames import TEXT, Broken
from bench.house import open_tables, serve_ours
from bench.rest import Rest
from bench.runs import scratch
from bench.sockets import CHUNK, Course, Link, Sockets, connect, enter, open_sockets, shake

LENGTHS = (10, 1_000, 10_000)
GAP = 10
ROUNDS = 10
EACH = 3
WAVE = 32
GROWING = 80.0
"""Seconds at most for all growing. After 120 s node-persist looks for expired files, reads one that is half written,
and ends boardgame.io's server; so its flat files are measured at the length that they reach before."""

Cost = tuple[float, int]
"""Seconds, and bytes received."""
Costs = dict[str, dict[int, Cost]]
"""What, at which length of the log: the median."""
Say = Callable[[str], None]


class Grown(msgspec.Struct):
    """Tables of one length, with a seat at each."""

    sockets: list[Sockets]
    doors: list[Door]
    length: int


class Summary(msgspec.Struct, frozen=True):
    seq: int


def seat_of(sockets: Sockets) -> Link:
    return next(iter(sockets.links.values()))


# --- Growing ------------------------------------------------------------------------------------------


def grow(sockets: Sockets, commands: int, until: float, others: Sequence[Sockets]) -> int:
    """So many commands at one table, in waves; how many it took until the time was over."""
    links, sent = list(sockets.links.values()), 0
    while sent < commands and time.monotonic() < until:
        for link, _ in zip(links * (WAVE // len(links)), range(commands - sent), strict=False):
            sockets.send(link, time.perf_counter())
            sent += 1
        settle(sockets)
        tend(others)
    return sent


def tend(idle: Sequence[Sockets]) -> None:
    """Answer what servers ask of a silent socket."""
    for sockets in idle:
        sockets.turn(0)


def settle(sockets: Sockets) -> None:
    """Wait until everybody has heard everything."""
    until = time.monotonic() + 30
    while sockets.awaited:
        sockets.turn(1.0)
        if time.monotonic() > until:
            raise Broken("a command got no answer")


def grown(dialect: str, port: int, doors: Sequence[Door], lengths: Sequence[int], stack: ExitStack) -> list[Grown]:
    """Tables of the lengths: of the first one many, of the others one."""
    tables: dict[int, list[Door]] = {}
    for door in doors:
        tables.setdefault(door.table, []).append(door)
    waiting, until = list(tables.values()), time.monotonic() + GROWING
    made: list[Grown] = []
    for length in lengths:
        mine = [waiting.pop() for _ in range(ROUNDS if length == lengths[0] else 1)]
        idle = [each for table in made for each in table.sockets]
        sockets = [stack.enter_context(open_sockets(dialect, port, table)) for table in mine]
        reached = [grow(each, length, until, [*idle, *sockets]) for each in sockets]
        made.append(Grown(sockets, [table[0] for table in mine], min(reached)))
    return made


def tables_for(lengths: Sequence[int]) -> int:
    return ROUNDS + len(lengths) - 1


# --- Timing -------------------------------------------------------------------------------------------

Timer = Callable[[Grown, int], int]
"""Does the thing once (the number counts the times) and gives the bytes it received."""


def costs(tables: Sequence[Grown], timers: dict[str, Timer]) -> Costs:
    """The medians, over rounds in which all lengths take turns in changing order; the first of each is not timed."""
    times: dict[tuple[str, int], list[Cost]] = {}
    for turn in range(ROUNDS):
        tend([sockets for table in tables for sockets in table.sockets])
        for what, timer in timers.items():
            for place in range(len(tables)):
                table = tables[(place + turn) % len(tables)]
                timer(table, turn * EACH)
                for each in range(EACH):
                    began = time.perf_counter()
                    size = timer(table, turn * EACH + each)
                    cost = time.perf_counter() - began, size
                    times.setdefault((what, table.length), []).append(cost)
    return {what: {table.length: median(times[what, table.length]) for table in tables} for what in timers}


def median(found: Sequence[Cost]) -> Cost:
    return statistics.median(seconds for seconds, _ in found), round(statistics.median(size for _, size in found))


def append(table: Grown, number: int) -> int:
    """One command, until its sender has the answer and every seat the update."""
    sockets = table.sockets[number // EACH % len(table.sockets)]
    before = sockets.book.bytes
    sockets.send(seat_of(sockets), time.perf_counter())
    settle(sockets)
    return sockets.book.bytes - before


# --- Ours ---------------------------------------------------------------------------------------------


def ours(lengths: Sequence[int] = LENGTHS, seats: int = 4) -> Costs:
    """Our server's curve."""
    with scratch() as folder, serve_ours(folder) as server, ExitStack() as stack:
        doors = open_tables(server.port, "tally", tables_for(lengths), seats)
        tables = grown("ours", server.port, doors, lengths, stack)
        rest = Rest(server.port)
        stack.callback(rest.close)
        return costs(tables, timers_of_ours(rest, server.port))


def timers_of_ours(rest: Rest, port: int) -> dict[str, Timer]:
    """What is timed; the table read is always the first of its length."""

    def get(path: Callable[[Grown, int], str]) -> Timer:
        return lambda table, n: len(
            rest.get(f"/v1/tables/{table.doors[0].match}{path(table, n)}", table.doors[0].secret)
        )

    def reconnect(table: Grown, number: int) -> int:
        return resume(port, table.doors[0], heads[table.doors[0].match, number] - GAP)

    def look(table: Grown, number: int) -> int:
        said = rest.get(f"/v1/tables/{table.doors[0].match}", table.doors[0].secret)
        heads[table.doors[0].match, number] = msgspec.json.decode(said, type=Summary).seq
        return len(said)

    heads: dict[tuple[str, int], int] = {}
    return {
        "append": append,
        "view": get(lambda _table, _n: "/view"),
        "view at the middle": get(lambda table, n: f"/view?at={table.length // 2 + n % 5}"),
        "page of 10 from the middle": get(lambda table, n: f"/log?after={table.length // 2 - n % 5}&limit={GAP}"),
        "summary": look,
        "resume": reconnect,
    }


def resume(port: int, door: Door, after: int) -> int:
    """A new socket, until it has heard the entries that it missed."""
    back = Door(door.table, door.seat, f"{door.path}?after={after}", door.headers)
    link = shake(Link(back, connect(port), DIALECTS["ours"](back), [Course() for _ in range(door.seat + 1)]))
    heard = sum(opcode == TEXT for opcode, _ in link.frames.feed(b""))
    while heard < GAP:
        data = link.sock.recv(CHUNK)
        if not data:
            raise Broken("the server closed a socket that resumed")
        link.received += len(data)
        heard += sum(opcode == TEXT for opcode, _ in link.frames.feed(data))
    link.sock.close()
    return link.received


# --- boardgame.io -------------------------------------------------------------------------------------


def boardgame(*, flat: bool, lengths: Sequence[int] = LENGTHS, seats: int = 4) -> Costs:
    """boardgame.io's curve: a move, and what a late join gets. Flat files may not reach the last length in time."""
    with scratch() as folder, serve_boardgame(folder, flat=flat) as server, ExitStack() as stack:
        doors = open_matches(server.port, tables_for(lengths), seats)
        tables = grown("boardgame", server.port, doors, lengths, stack)
        return costs(tables, {"move": append, "late join": lambda table, _: join(server.port, table)})


def join(port: int, table: Grown) -> int:
    """A new socket, until it has the state and the whole log."""
    door = table.doors[0]
    link = enter(Link(door, connect(port), DIALECTS["boardgame"](door), [Course() for _ in range(door.seat + 1)]))
    link.sock.close()
    return link.received
