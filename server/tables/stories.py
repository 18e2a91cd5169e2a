"""A table's log as the audit reads it: told to one reader, and verified. In slices, so that others have their turn."""

import asyncio
from collections.abc import AsyncIterator

from events.archive import Audience as Reader
from events.chain import Audience, version_for
from events.entry import Entry
from games.table.state import Table, fold
from projections import codec
from projections.story import Passage, Story
from projections.verification import Auditor, Verification
from server.tables.errors import TableFrozen
from server.tables.live import LiveTable
from server.tables.shelf import BREATH, PAGE, Shelf


async def entries_of(shelf: Shelf, live: LiveTable, last: int) -> AsyncIterator[Entry]:
    """The log up to that entry."""
    after = 0
    while after < last:
        page = await shelf.store.read(live.id, after, min(PAGE, last - after))
        if not page:
            return
        for entry in page:
            yield entry
            if entry.seq % BREATH == 0:
                await asyncio.sleep(0)
        after = page[-1].seq


async def story_of(shelf: Shelf, live: LiveTable, audience: Audience, last: int) -> Story:
    """The log up to that entry, as the audience reads it.

    Raises:
        TableFrozen: the rules at hand cannot read it.
    """
    if live.broken is not None and live.broken <= last:
        raise TableFrozen
    table: Table | None = None
    passages = []
    async for entry in entries_of(shelf, live, last):
        body = codec.decode(live.rules, entry.seq, entry.versions[version_for(entry.versions, audience)])
        before, table = table, fold(live.rules, table, body)
        passages.append(Passage(body, before, table))
    return Story(live.rules, audience, tuple(passages))


async def verified(shelf: Shelf, live: LiveTable, audience: Reader, last: int) -> Verification:
    """What holds of the log up to that entry, as far as the reader may have it checked."""
    auditor = Auditor(shelf.catalogue, live.id, audience=audience)
    async for entry in entries_of(shelf, live, last):
        auditor.take(entry)
    return auditor.result()
