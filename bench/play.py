"""Real play over our wire: every seat answers its must-asks at random; a table that has ended gives way to a new one.

The tables to come are opened and entered by threads beside the loop, most of them before the measurement begins.
"""

import random
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import msgspec

from bench.dialects import Door, Ours
from bench.frames import TEXT
from bench.house import open_table, tokens
from bench.rest import Rest
from bench.sockets import Course, Link, Sockets, connect, keep, shake

SPARE = 64
OPENERS = 4
OVER = ("ended", "abandoned", "frozen")

Table = list[Link]


class Status(msgspec.Struct, frozen=True):
    status: str = ""


class By(msgspec.Struct, frozen=True):
    by: int | str


class Heard(msgspec.Struct, frozen=True):
    """What a player looks at in a frame."""

    entry: By | None = None
    asks: list[dict[str, Any]] | None = None
    changed: Status = Status()
    view: Status = Status()
    receipt: dict[str, Any] | None = None
    problem: dict[str, Any] | None = None


DECODE = msgspec.json.Decoder(Heard).decode
CHANCE = random.Random(1)


class Player(Ours):
    """A seat that does whatever it is asked for."""

    def __init__(self, door: Door) -> None:
        super().__init__(door)
        self.asks: list[dict[str, Any]] = []
        self.busy = self.over = False

    def command(self, number: int) -> bytes:
        return msgspec.json.encode({"id": number, "action": member(CHANCE.choice(self.musts()), CHANCE)})

    def musts(self) -> list[dict[str, Any]]:
        return [ask for ask in self.asks if ask["must"]]


def member(ask: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """A random action that the ask permits."""
    return {"type": ask["type"], **{name: value(domain, chance) for name, domain in ask["fields"].items()}}


def value(domain: dict[str, Any], chance: random.Random) -> Any:
    """A random value of the domain."""
    match domain:
        case {"one_of": values}:
            return chance.choice(values)
        case {"some_of": values, "min": low, "max": high}:
            size = chance.randint(low, high)
            return chance.choices(values, k=size) if domain.get("repeats") else chance.sample(values, size)
        case {"min": low, "max": high}:
            return chance.randint(low, high)
        case {"text": _}:
            return "So be it."
        case _:
            return None


class Playing(Sockets):
    """Tables at play, and those that wait for their turn."""

    def __init__(self, port: int, game: str, tables: int, seats: int) -> None:
        super().__init__(Player, seats)
        self.port, self.game, self.opened, self.ended = port, game, 0, 0
        rest = Rest(port)
        self.groups = [tokens(rest, seats) for _ in range(tables)]
        rest.close()
        self.openers = ThreadPoolExecutor(OPENERS)
        self.coming: deque[Future[Table]] = deque()
        for _ in range(tables + SPARE):
            self.order()
        self.wanted = tables
        while self.coming and not all(table.done() for table in self.coming):
            time.sleep(0.05)

    def __exit__(self, *_: object) -> None:
        self.openers.shutdown(cancel_futures=True)
        super().__exit__()

    def order(self) -> None:
        """One more table to come."""
        group = self.groups[self.opened % len(self.groups)]
        self.coming.append(self.openers.submit(self.prepare, group, self.opened))
        self.opened += 1

    def prepare(self, group: list[str], number: int) -> Table:
        """A full table with all its sockets."""
        rest = Rest(self.port)
        doors = open_table(rest, self.game, group, number)
        rest.close()
        courses = [Course() for _ in doors]
        return [shake(Link(door, connect(self.port), Player(door), courses)) for door in doors]

    def turn(self, timeout: float) -> None:
        while self.wanted and self.coming and self.coming[0].done():
            self.wanted -= 1
            self.begin(self.coming.popleft().result())
            self.order()
        super().turn(timeout)

    def begin(self, table: Table) -> None:
        """The table is played from now on; what its first frames ask for is in the sockets."""
        for link in table:
            self.add(link)
            for opcode, payload in link.frames.feed(b""):
                if opcode == TEXT:
                    self.hear(link, payload, time.perf_counter())
                else:
                    keep(link, opcode, payload)

    def hear(self, link: Link, payload: bytes, now: float) -> None:
        player, heard = link.talk, DECODE(payload)
        if not isinstance(player, Player):
            raise TypeError("a player's socket speaks as a player")
        player.asks = player.asks if heard.asks is None else heard.asks
        player.over = player.over or OVER.count(heard.changed.status or heard.view.status) > 0
        if heard.entry is not None and isinstance(heard.entry.by, int):
            self.note(link, heard.entry.by, now)
        elif heard.receipt is not None or heard.problem is not None:
            self.answered(link, player, now, accepted=heard.problem is None)
        if player.over and not player.busy:
            self.leave(link)
        elif not player.busy and not player.over and player.musts() and self.eager:
            player.busy = True
            self.send(link, now)

    def answered(self, link: Link, player: Player, now: float, *, accepted: bool) -> None:
        """The player's action became an entry, or did not: then it is as if he had not sent it."""
        player.busy = False
        self.awaited -= 1
        if accepted:
            self.accept(link, now)
            return
        self.book.refused += 1
        self.awaited -= self.audience
        link.own.due.pop()
        link.own.left.pop()

    def go_on(self, link: Link, now: float) -> None:
        """A player goes on when he is asked, not when he may."""

    def lost(self, link: Link) -> None:
        if isinstance(link.talk, Player) and link.talk.over:
            self.leave(link)
        else:
            super().lost(link)

    def leave(self, link: Link) -> None:
        """The table is over for this seat; after the last one a new table takes its place."""
        del self.links[link.sock.fileno()]
        self.poll.unregister(link.sock)
        link.sock.close()
        if not any(other.courses is link.courses for other in self.links.values()):
            self.ended += 1
            self.wanted += 1
