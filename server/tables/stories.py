"""A table's log as the audit reads it: told to one reader, and verified. In slices, so that others have their turn, and
within the bound of a decision, so that rules which never come back stop nobody.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, TypeVar

from events.archive import Audience as Reader
from events.chain import Audience, version_for
from events.entry import Entry
from games.table.rules import Rules
from games.table.state import Table, fold
from projections import codec
from projections.story import Passage, Story
from projections.verification import Auditor, Verification, Wrong
from server.tables.bound import Bound, Overrun
from server.tables.errors import TableFrozen
from server.tables.live import LiveTable
from server.tables.shelf import BREATH, PAGE, Shelf

PASSAGES = 20_000
"""Entries that are kept as they were told, of all tables and readers together."""

T = TypeVar("T")

Runner = Callable[[Callable[[], Any]], Any]
"""Runs a piece of work and returns its result."""


async def entries_of(shelf: Shelf, live: LiveTable, last: int, after: int = 0) -> AsyncIterator[Entry]:
    """The log up to that entry, without the first `after`."""
    while after < last:
        page = await shelf.store.read(live.id, after, min(PAGE, last - after))
        if not page:
            return
        for entry in page:
            yield entry
            if entry.seq % BREATH == 0:
                await asyncio.sleep(0)
        after = page[-1].seq


def _at_once(work: Callable[[], T]) -> T:
    return work()


async def story_of(
    shelf: Shelf, live: LiveTable, audience: Audience, last: int, *, known: Story | None = None, run: Runner = _at_once
) -> Story:
    """The log up to that entry, as the audience reads it. `known`: the story of fewer entries, which is its beginning;
    `run`: what runs the rules for each of the others.

    Raises:
        TableFrozen: the rules at hand cannot read it.
    """
    if live.broken is not None and live.broken <= last:
        raise TableFrozen
    passages = [] if known is None else list(known.passages)
    async for entry in entries_of(shelf, live, last, len(passages)):
        passages.append(run(partial(_passage, live.rules, audience, entry, passages[-1].after if passages else None)))
    return Story(live.rules, audience, tuple(passages))


def _passage(rules: Rules, audience: Audience, entry: Entry, before: Table | None) -> Passage:
    body = codec.decode(rules, entry.seq, entry.versions[version_for(entry.versions, audience)])
    return Passage(body, before, fold(rules, before, body))


class Stories:
    """Tells the tables of one process. It remembers what was told last: a log only grows, so a story never becomes wrong,
    only too short.
    """

    def __init__(self, bound: Bound, most: int = PASSAGES) -> None:
        """`most`: how many entries are kept, of all stories together."""
        self._bound = bound
        self._most = most
        self._told: OrderedDict[tuple[str, Audience], Story] = OrderedDict()

    async def read(
        self, shelf: Shelf, live: LiveTable, audience: Audience, last: int, projection: Callable[[Story], T]
    ) -> T:
        """What the projection makes of the log up to that entry, as the audience reads it.

        Raises:
            TableFrozen: the rules at hand cannot read it, or think about it for too long.
        """
        try:
            story = await self._story(shelf, live, audience, last)
            return self._bound.run(lambda: projection(story))
        except Overrun:
            raise TableFrozen from None

    async def verified(self, shelf: Shelf, live: LiveTable, reader: Reader, last: int) -> Verification:
        """What holds of the log up to that entry, as far as the reader may have it checked. Rules that think for too long
        about an entry have not decided it.
        """
        auditor = Auditor(shelf.catalogue, live.id, audience=reader, runner=self._in_time)
        async for entry in entries_of(shelf, live, last):
            auditor.take(entry)
        return auditor.result()

    def _in_time(self, work: Callable[[], T]) -> T:
        try:
            return self._bound.run(work)
        except Overrun:
            raise Wrong("overrun", "The rules think about this entry for too long.") from None

    async def _story(self, shelf: Shelf, live: LiveTable, audience: Audience, last: int) -> Story:
        key = live.id, audience
        known = self._told.get(key)
        if known is None or len(known.passages) < last:
            known = await story_of(shelf, live, audience, last, known=known, run=self._bound.run)
        self._keep(key, known)
        return known.until(last)

    def _keep(self, key: tuple[str, Audience], story: Story) -> None:
        """Makes room by forgetting the stories that nobody has asked for longest; maybe all of them, if this one is long."""
        self._told[key] = story
        self._told.move_to_end(key)
        kept = sum([len(each.passages) for each in self._told.values()])
        while kept > self._most:
            _, forgotten = self._told.popitem(last=False)
            kept -= len(forgotten.passages)
