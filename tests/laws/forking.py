"""Forks in memory: a driver that goes on from an entry of another one's game."""

from typing import Any

import msgspec

from games.core import fold
from games.table import actions as act
from games.table import decide as deciding
from games.table import resuming
from games.table.events import ForkedFrom
from games.table.state import Body, Table, close_entry
from tests.laws import driver as driving
from tests.laws.driver import START, Driver

FRESH = "f0" * 32
"""The seed of a fork: another than that of any game played here."""

HEAD = "ab" * 32


class Fork(Driver):
    """A table that was forked from `parent` at that entry. `head`: of the parent's log there."""

    def __init__(self, parent: Driver, at: int, head: str = HEAD, seed: str = FRESH, **changes: Any) -> None:
        self.rules = parent.rules
        self.at = START + 10**9
        self.bodies: list[Body[Any]] = []
        self.tables: list[Table] = []
        self.parent = parent.tables[at - 1]
        record = parent.table.record
        opened = act.Create(
            record.game, record.rules, len(record.holders), record.options, record.house, record.visibility,
            record.name, "p0", sit=True, forked_from=ForkedFrom(record.table, at, head),
        )  # fmt: skip
        opened = msgspec.structs.replace(opened, **changes)
        decision = deciding.create(self.rules, opened, driving.ID, seed, self.at)
        self.table = close_entry(decision.table, 1, self.at, None, decision.events)
        self._write(Body(driving.ID, 1, self.at, "server", opened, decision.events))

    def seat_all(self) -> "Fork":
        """Everybody sits down; the game does not go on yet."""
        for seat, holder in enumerate(self.table.record.holders):
            if holder.player is None:
                self.do(seat, act.Sit(f"p{seat}", None, None))
        return self

    def resume(self) -> "Fork":
        """The game goes on."""
        self.seat_all().do("server", self.resumption)
        return self

    @property
    def resumption(self) -> act.Resume:
        """The action by which it does."""
        return act.Resume(tuple(msgspec.to_builtins(each) for each in resuming.carried(self.rules, self.parent)))


def made_by(parent: Driver, table: Table) -> dict[int, str]:
    """By which type of action each entry was made that `resuming.offers_made` names."""
    return {seq: str(type(parent.bodies[seq - 1].action).__struct_config__.tag) for seq in resuming.offers_made(table)}


def obstacle(parent: Driver, at: int) -> str | None:
    """What stands against a fork there."""
    table = parent.tables[at - 1]
    return resuming.obstacle(parent.rules, table, made_by(parent, table))


def without_offers(driver: Driver, state: Any, table: Table) -> Any:
    """That sight of the game, if every open offer of the table ended now."""
    ends = [resuming.bargaining.ended(offer, "void") for offer in table.course.deals.offers]
    return fold(driver.rules.game, ends if driver.rules.moneyed else [], state)
