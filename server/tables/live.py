"""One table in memory: its position, its recent steps, those who follow it."""

import asyncio
from collections.abc import Callable

import msgspec

from events.chain import seal
from events.entry import Entry
from games.chance import table_key
from games.core import Action
from games.table.decide import Decision
from games.table.rules import Rules
from games.table.state import Body, Table, close_entry, seat_of
from projections import codec
from projections.position import Position, advance, arrive, bodies_of
from server.tables.history import History, Step
from server.wire.frames import News

Follower = Callable[[News], None]


class Made(msgspec.Struct, frozen=True):
    """A decision with what its entry says besides: by whom, by which action, when (ms), with which draw."""

    decision: Decision
    by: int | str
    action: Action
    at: int
    draw: int | None


class LiveTable:
    """Caught up with the log by `receive`; extended by `prepare` (a decided entry) and `accept` (once it is durable)."""

    def __init__(self, table: str, rules: Rules) -> None:
        self.id = table
        self.rules = rules
        self.position: Position | None = None
        self.history = History()
        self.lock = asyncio.Lock()
        self.running: set[bytes] = set()
        self.followers: set[Follower] = set()
        self.broken: codec.Unreadable | None = None
        self._key: bytes | None = None

    @property
    def now(self) -> Position:
        """The latest position of a table that has begun."""
        if self.position is None:
            raise LookupError(self.id)
        return self.position

    @property
    def seq(self) -> int:
        return 0 if self.position is None else self.position.seq

    @property
    def head(self) -> bytes:
        return bytes(32) if self.position is None else self.position.head

    def key(self) -> bytes:
        """The key of all chance at this table, fixed when it starts."""
        if self._key is None:
            record = self.now.table.record
            seed = bytes.fromhex(record.seed or "")
            self._key = table_key(seed, self.id, [holder.entropy for holder in record.holders])
        return self._key

    def forget_key(self) -> None:
        """Before the start an entropy may still change the key."""
        self._key = None

    def receive(self, entry: Entry) -> Step:
        """Folds an entry that was read from the log.

        Raises:
            codec.Unreadable: the rules at hand cannot read it exactly.
        """
        bodies = codec.decode_versions(self.rules, entry.seq, entry.versions)
        return self._reach(entry, advance(self.rules, self.position, bodies, entry.head))

    def accept(self, entry: Entry, position: Position) -> Step:
        """The decided entry is durable: the table is there now."""
        return self._reach(entry, position)

    def _reach(self, entry: Entry, position: Position) -> Step:
        step = Step(entry, self.position, position)
        self.position = position
        self.history.add(step)
        if position.table.status == "open":
            self.forget_key()
        return step

    def prepare(self, made: Made, salt: bytes) -> tuple[Entry, Position]:
        """The sealed entry of a decision, and the position it leads to."""
        seq, decision, at = self.seq + 1, made.decision, made.at
        body = Body(self.id, seq, at, made.by, made.action, decision.events, made.draw)
        truth: Table = close_entry(decision.table, seq, at, made.draw)
        bodies = bodies_of(self.rules, body, len(truth.record.holders))
        entry = seal(seq, self.head, {name: codec.encode(version) for name, version in bodies.items()}, salt)
        return entry, arrive(self.rules, self.position, truth, bodies, entry.head)

    def seat_of(self, player: str) -> int | None:
        """The seat that the player holds here now."""
        return seat_of(self.now.table.record, player)
