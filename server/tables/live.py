"""One table in memory: its position, its recent steps, those who follow it.

`position` is where the durable log stands. `tip` may be ahead of it: commands that come while others are being
written are decided on the entries that are under way, so that they share a commit. Should one of those fail, the
table stalls: it waits until nothing is under way, goes back to what is durable, and decides anew.
"""

import asyncio
from collections.abc import Callable

import msgspec

from events.chain import seal
from events.entry import Entry
from games.chance import table_key
from games.core import Action
from games.table.decide import Decision
from games.table.record import Record, seat_of
from games.table.rules import Rules
from games.table.state import Body, close_entry
from projections import codec
from projections.bare import bare, halted
from projections.position import Position, advance, arrive, bodies_of
from server.logs import Log
from server.tables.history import History, Step
from server.wire.frames import News

Follower = Callable[[News], None]

log = Log("tables")


class Made(msgspec.Struct, frozen=True):
    """A decision with what its entry says besides: by whom, by which action, when (ms), with which draw."""

    decision: Decision
    by: int | str
    action: Action
    at: int
    draw: int | None


class LiveTable:
    """Caught up with the log by `receive`; extended by `prepare` (an entry is decided) and `accept` (it is durable)."""

    read_only = False
    """Nobody may do anything here."""

    def __init__(self, table: str, rules: Rules, *, to_act: bool = True) -> None:
        """`to_act` false: the table is looked back at, nobody acts here."""
        self._to_act = to_act
        self.id = table
        self.rules = rules
        self.position: Position | None = None
        self.tip: Position | None = None
        self.history = History()
        self.reading = asyncio.Lock()
        self.running: set[bytes] = set()
        self.followers: set[Follower] = set()
        self.opened = 0
        self.broken: int | None = None
        self.lost = False
        self.stalled = False
        self._under_way = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._key: bytes | None = None

    @property
    def now(self) -> Position:
        """The latest durable position of a table that has begun."""
        if self.position is None:
            raise LookupError(self.id)
        return self.position

    @property
    def next(self) -> Position:
        """The position that the next command is decided on."""
        return self.tip or self.now

    @property
    def seq(self) -> int:
        return 0 if self.position is None else self.position.table.seq

    @property
    def head(self) -> bytes:
        return bytes(32) if self.position is None else self.position.head

    def key(self, record: Record) -> bytes:
        """The key of all chance at this table. It is fixed by the start: until then an entropy may still change it."""
        if self._key is not None:
            return self._key
        key = table_key(bytes.fromhex(record.seed or ""), self.id, [holder.entropy for holder in record.holders])
        if record.status != "open":
            self._key = key
        return key

    def seat_of(self, player: str) -> int | None:
        """The seat that the player holds here now."""
        return seat_of(self.now.table.record, player)

    @property
    def complete(self) -> bool:
        """Nothing will follow in its log."""
        return self.now.table.over

    # --- Entries -------------------------------------------------------------------------------------

    def prepare(self, made: Made, salt: bytes) -> tuple[Entry, Position]:
        """The sealed entry of a decision on the tip, and the position it leads to."""
        before = self.tip
        seq, head = (1, bytes(32)) if before is None else (before.table.seq + 1, before.head)
        body = Body(self.id, seq, made.at, made.by, made.action, made.decision.events, made.draw)
        truth = close_entry(made.decision.table, seq, made.at, made.draw, made.decision.events)
        bodies = bodies_of(self.rules, body, len(truth.record.holders))
        entry = seal(seq, head, {name: codec.encode(version) for name, version in bodies.items()}, salt)
        return entry, arrive(self.rules, before, truth, bodies, entry.head)

    def receive(self, entry: Entry) -> Step:
        """Folds an entry that was read from the log. From the first on that the rules cannot read exactly (`broken`)
        only what surrounds the game is read.

        Raises:
            codec.Unreadable: not even that is possible.
        """
        position = self._fold(entry) if self.broken is None else None
        if position is None:
            self.broken = self.broken or entry.seq
            position = bare(self.rules, self.position, entry)
        return self.accept(entry, position)

    def _fold(self, entry: Entry) -> Position | None:
        try:
            bodies = codec.decode_versions(self.rules, entry.seq, entry.versions)
            return advance(self.rules, self.position, bodies, entry.head, to_act=self._to_act)
        except Exception as error:  # noqa: BLE001  (other rules than those that wrote it may fail in any way)
            reason = error.reason if isinstance(error, codec.Unreadable) else type(error).__name__
            log.error("entry_unreadable", table=self.id, seq=entry.seq, reason=reason)  # noqa: TRY400  (an error may quote what nobody may know)
            return None

    def halt(self) -> None:
        """Nothing of what follows in the log can be read: the table stays where it is, and nobody can do anything here."""
        self.lost = True
        if self.position is not None:
            self.position = halted(self.position)

    def accept(self, entry: Entry, position: Position) -> Step:
        """The entry is durable: the table is there now."""
        self.opened = self.opened or position.table.at
        step = Step(entry, self.position, position)
        self.position = position
        self.history.add(step)
        return step

    # --- Entries under way ---------------------------------------------------------------------------

    def take_off(self, position: Position) -> None:
        """An entry that leads there goes to the store."""
        self.tip = position
        self._under_way += 1

    def land(self) -> None:
        """The store has answered for one entry."""
        self._under_way -= 1
        if not self._under_way:
            waiting, self._waiting = self._waiting, []
            for each in waiting:
                if not each.done():
                    each.set_result(None)

    @property
    def idle(self) -> bool:
        """Nothing is under way."""
        return self._under_way == 0

    @property
    def in_use(self) -> bool:
        """Somebody follows it, or something is being done here."""
        return bool(self.followers or self.running) or not self.idle or self.reading.locked()

    async def quiet(self) -> None:
        """Returns when nothing is under way."""
        while self._under_way:
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(done)
            await done
