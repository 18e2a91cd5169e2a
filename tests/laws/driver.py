"""A table in memory, with its log: what the server does around a decision, without store, clock and signatures.

Every action goes the way of the wire: written as JSON, read by the seats' decoder, decided, folded.
"""

from typing import Any

import msgspec

from games.chance import Chance, Source, table_key
from games.core import Action, Ask, Game, Refused, Seat, Window
from games.table import actions as act
from games.table import decide as deciding
from games.table.asks import asks
from games.table.house import House
from games.table.redact import versions
from games.table.rules import Rules
from games.table.state import Body, Table, close_entry, fold, windows
from projections import codec

SEED = "5e" * 32
ID = "t1"
START = 1_700_000_000_000


class Driver:
    """`by` is a seat for what players do; times are ms and go on by one second an entry unless told otherwise."""

    def __init__(
        self,
        game: Game,
        seats: int,
        options: dict[str, Any] | None = None,
        house: House | None = None,
        seed: str = SEED,
    ) -> None:
        self.rules = Rules(game)
        self.at = START
        self.bodies: list[Body[Any]] = []
        self.tables: list[Table] = []
        opened = act.Create(
            game.name, game.version, seats, options or {}, house or House(), "public", "", "p0", sit=True
        )
        decision = deciding.create(self.rules, opened, ID, seed, self.at)
        self.table = close_entry(decision.table, 1, self.at, None, decision.events)
        self._write(Body(ID, 1, self.at, "server", opened, decision.events))

    # --- Doing ---------------------------------------------------------------------------------------

    def do(
        self, by: Seat | str, action: Action | dict[str, Any], at: int | None = None, chance: Source | None = None
    ) -> Any:
        """The entry that the action becomes."""
        sent = self.sent(action)
        self.at = self.at + 1000 if at is None else at
        source = chance or self.chance()
        decision = deciding.decide(self.rules, self.table, by, sent, self.at, source)
        draw = self.table.record.draws if source.used else None
        self.table = close_entry(decision.table, self.table.seq + 1, self.at, draw, decision.events)
        return self._write(Body(ID, self.table.seq, self.at, by, sent, decision.events, draw))

    def _write(self, body: Body[Any]) -> Body[Any]:
        self.bodies.append(body)
        self.tables.append(self.table)
        return body

    def sent(self, action: Action | dict[str, Any]) -> Action:
        """The action as it arrives."""
        decoder = self.rules.any_actions if isinstance(action, act.LIFECYCLE) else self.rules.actions
        return decoder.decode(msgspec.json.encode(action))

    def refused(self, by: Seat | str, action: Action | dict[str, Any], at: int | None = None) -> Refused:
        """Why the action is refused. Nothing has changed then."""
        before, clock = self.table, self.at
        try:
            self.do(by, action, at)
        except Refused as refusal:
            assert self.table is before
            self.at = clock
            return refusal
        raise AssertionError(f"seat {by} was allowed {action}")

    def fill(self) -> "Driver":
        """Players p1, p2, ... take the seats that are open, and the game starts."""
        for seat, holder in enumerate(self.table.record.holders):
            if holder.player is None:
                self.do(seat, act.Sit(f"p{seat}", None, None))
        self.do("server", act.Start())
        return self

    def chance(self) -> Source:
        """What the next entry draws from."""
        record = self.table.record
        key = table_key(bytes.fromhex(record.seed or ""), record.table, [holder.entropy for holder in record.holders])
        return Chance(key, record.draws)

    def read(self) -> list[Body[Any]]:
        """The log as a reader of its bytes has it."""
        return [codec.decode(self.rules, body.seq, codec.encode(body)) for body in self.bodies]

    # --- Looking -------------------------------------------------------------------------------------

    def versions(self, body: Body[Any]) -> dict[str, Body[Any]]:
        """The entry by version."""
        return versions(self.rules, body, len(self.table.record.holders))

    @property
    def game(self) -> Any:
        """The game's state."""
        return self.table.course.game

    @property
    def events(self) -> tuple[Any, ...]:
        """The events of the newest entry."""
        return self.bodies[-1].events

    def happened(self, kind: type[Any]) -> list[Any]:
        """The events of that kind in the newest entry."""
        return [event for event in self.events if isinstance(event, kind)]

    def asks(self, seat: Seat, kind: str | None = None) -> list[Ask]:
        """What is open to the seat."""
        found = asks(self.rules, self.table, seat, windows(self.rules, self.table.course))
        return [ask for ask in found if kind in (None, ask.type)]

    def windows(self) -> dict[str, Window]:
        """The windows by id."""
        return {window.id: window for window in windows(self.rules, self.table.course)}

    @property
    def offers(self) -> dict[int, Any]:
        """The open offers by id."""
        return {offer.id: offer for offer in self.table.course.deals.offers}

    @property
    def purses(self) -> list[int]:
        """What each seat may spend."""
        return list(self.rules.purses(self.game).seats)

    @property
    def escrow(self) -> list[int]:
        return list(self.rules.purses(self.game).escrow)


def folded(rules: Rules, bodies: list[Body[Any]]) -> Table:
    """The table that a log leads to."""
    table: Table | None = None
    for body in bodies:
        table = fold(rules, table, body)
    assert table is not None
    return table
