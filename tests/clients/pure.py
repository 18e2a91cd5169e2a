"""Whole games between bots without any wire: the table decides, each bot gets the view of its seat. Fully repeatable."""

import random
from collections.abc import Sequence
from typing import Any

import msgspec

from clients.bots.bot import Bot, Move
from comitium_client import Entry, Update
from comitium_client.asks import read_asks
from comitium_client.models import Body
from games.chance import Chance, table_key
from games.table import actions as act
from games.table import decide as deciding
from games.table.house import House
from games.table.rules import Rules
from games.table.state import Body as Made
from games.table.state import Table, close_entry
from projections.position import Position, arrive, bodies_of, version_for
from projections.view import view

TABLE = "00-aaaaaaaaaaaaaaaa"


class Pure:
    """A table with a bot in every seat."""

    def __init__(self, game: Any, bots: Sequence[Bot], options: dict[str, Any], seed: int) -> None:
        self.rules = Rules(game)
        self.bots = bots
        self.options = options
        self._seed = random.Random(seed).randbytes(32)
        self.position: Position | None = None
        self.bodies: list[Made] = []
        self.refused: list[tuple[int, dict[str, Any], str]] = []

    @property
    def table(self) -> Table:
        assert self.position is not None
        return self.position.table

    def play(self, most: int = 3000) -> Table:
        """Plays to the end: whoever would do something patiently lets all others go first."""
        self._begin()
        heard = [0] * len(self.bots)
        while not self.table.over and self.table.seq < most:
            waiting: list[tuple[int, Move]] = []
            for seat in range(len(self.bots)):
                if heard[seat] < self.table.seq:
                    heard[seat] = self.table.seq
                    move = self.bots[seat].choose(self._update(seat))
                    if move is not None and move.patient:
                        waiting.append((seat, move))
                    elif move is not None:
                        self._do(seat, move)
                        break
            else:
                self._patient(waiting)
                heard = [0] * len(self.bots)
        return self.table

    def _patient(self, waiting: list[tuple[int, Move]]) -> None:
        if waiting:
            self._do(*waiting[0])
        else:
            for seat in self.table.course.to_act[:1]:
                move = self.bots[seat].choose(self._update(seat))
                assert move is not None
                self._do(seat, move)

    def _begin(self) -> None:
        seats = len(self.bots)
        create = act.Create(
            self.rules.game.name, self.rules.game.version, seats, self.options, House(), "public", "", "p0", False
        )  # fmt: skip
        decision = deciding.create(self.rules, create, TABLE, self._seed.hex(), 0)
        self._enter("server", create, decision, None)
        for seat in range(seats):
            self._decide(seat, act.Sit(f"p{seat}", None, None))
        self._decide("server", act.Start())

    def _do(self, seat: int, move: Move) -> None:
        try:
            action = msgspec.convert(move.action, self.rules.Action)
            self._decide(seat, action)
        except (deciding.Refused, msgspec.ValidationError) as refused:
            self.refused.append((seat, move.action, str(refused)))
            raise

    def _decide(self, by: int | str, action: Any) -> None:
        table = self.table
        record = table.record
        key = table_key(self._seed, TABLE, [holder.entropy for holder in record.holders])
        chance = Chance(key, record.draws)
        decision = deciding.decide(self.rules, table, by, action, table.at + 1, chance)
        self._enter(by, action, decision, record.draws if chance.used else None)

    def _enter(self, by: int | str, action: Any, decision: Any, draw: int | None) -> None:
        seq = 1 if self.position is None else self.table.seq + 1
        body = Made(TABLE, seq, seq, by, action, decision.events, draw)
        bodies = bodies_of(self.rules, body, len(self.bots))
        truth = close_entry(decision.table, seq, seq, draw, decision.events)
        self.position = arrive(self.rules, self.position, truth, bodies, b"")
        self.bodies.append(body)
        for seat, bot in enumerate(self.bots):
            bot.hear(_entry(bodies[version_for(bodies, seat)]))

    def _update(self, seat: int) -> Update:
        assert self.position is not None
        position = self.position
        return Update(
            seq=self.table.seq,
            head="",
            view=msgspec.to_builtins(view(position, seat)),
            asks=read_asks(msgspec.to_builtins(position.asks_of(seat))),
            since=position.since_of(seat),
            to_act=self.table.course.to_act,
        )


def _entry(body: Made) -> Entry:
    plain = msgspec.convert(msgspec.to_builtins(body), Body)
    return Entry(seq=body.seq, version="", raw=b"", salt="", commits={}, leaf="", head="", body=plain)
