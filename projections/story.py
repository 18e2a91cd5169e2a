"""A table's log as one reader may read it, told entry by entry: what the audit's projections are made of.

All of them (ledger, promises, bribery trail, disputes) fold the versions that their reader is owed; there is no other
input, so none of them can tell more than the log does.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from games.core import Audience
from games.table.dispute import strike_of
from games.table.rules import Rules
from games.table.state import Body, Table, apply, fold


class Passage(msgspec.Struct, frozen=True):
    """One entry with the table before and after it, as the reader knows them. The action stays plain values."""

    body: Body[Any]
    before: Table | None
    after: Table

    @property
    def seq(self) -> int:
        """Its number."""
        return self.body.seq


class Story(msgspec.Struct, frozen=True):
    """The whole log so far. `audience`: whose versions these are; "all" once the log is open."""

    rules: Rules
    audience: Audience | str
    passages: tuple[Passage, ...]

    @property
    def table(self) -> Table:
        """The table as it stands."""
        return self.passages[-1].after

    def until(self, seq: int) -> "Story":
        """The story as it was after that entry."""
        if seq == len(self.passages):
            return self
        return Story(self.rules, self.audience, self.passages[:seq])

    def struck_by(self, seq: int) -> int | None:
        """The entry that struck this one, if it does not count any more."""
        strike = strike_of(self.table.record.strikes, seq)
        return None if strike is None else strike.entry

    def counting(self) -> Iterator[Passage]:
        """The entries that count."""
        return (passage for passage in self.passages if self.struck_by(passage.seq) is None)


def tell(rules: Rules, audience: Audience | str, bodies: Iterable[Body[Any]]) -> Story:
    """The story of the entries, which begin with the first."""
    table: Table | None = None
    found = []
    for body in bodies:
        before, table = table, fold(rules, table, body)
        found.append(Passage(body, before, table))
    return Story(rules, audience, tuple(found))


def moments(rules: Rules, passage: Passage) -> Iterator[tuple[int, Any, Table | None, Table]]:
    """The events of an entry one by one: place from 0, event, the table before and after it."""
    table = passage.before
    for place, event in enumerate(passage.body.events):
        before, table = table, apply(rules, table, event, passage.body.at)
        yield place, event, before, table
