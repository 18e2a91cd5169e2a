"""What a server does before it takes requests: it reads every table's line for the lobby, and wakes what sleeps.

And what keeps the lobby as it is from then on.
"""

from collections.abc import AsyncIterator

import msgspec

from events.entry import FULL, PUBLIC, Entry
from games.table.state import Table
from projections.codec import Unreadable
from projections.lobby import Lobby, Summary, glance, summary
from server.logs import Log
from server.site import Site
from server.tables.history import Step
from server.tables.live import LiveTable
from server.vacancies import is_full, lacks_bots

PAGE = 1000

log = Log("startup")


def note(lobby: Lobby, live: LiveTable, step: Step) -> None:
    """Puts the table's newest line into the lobby."""
    lobby.note(step.after.table, step.after.head, live.opened)


async def wake_tables(site: Site) -> None:
    """Reads the lobby from the log, tells the house bots where they sit, and loads the tables that wait for the server."""
    for table in await _all(site):
        await _wake(site, table)


async def _all(site: Site) -> list[str]:
    found: dict[str, None] = {}
    for lane in range(site.store.lanes):
        position = 0
        while items := await site.store.feed(lane, position, PAGE):
            found.update((item.table, None) for item in items)
            position = items[-1].position
    return list(found)


async def _wake(site: Site, table: str) -> None:
    line = await _read(site, table)
    if line is None:
        return
    seen, shown = line
    site.lobby.put(shown)
    site.vacancies.wake_bots(seen)
    if _waits_for_server(seen):
        await site.tables.load(table)


async def _read(site: Site, table: str) -> tuple[Table, Summary] | None:
    """The table as the lobby sees it, and its line; frozen where this server is too old to play it on."""
    seen, opened, head, is_frozen = None, 0, b"", False
    async for entry in _entries(site, table):
        try:
            seen = glance(seen, entry.seq, entry.versions.get(PUBLIC, entry.versions[FULL]))
        except Unreadable as error:
            log.error("entry_unreadable", table=table, seq=entry.seq, reason=error.reason)  # noqa: TRY400  (a fact)
            is_frozen = True
            break
        opened, head = opened or seen.at, entry.head
    if seen is None:
        return None
    line = summary(seen, head, opened)
    if not seen.over and (is_frozen or not site.catalogue.has(line.game, line.rules)):
        line = msgspec.structs.replace(line, status="frozen")
    return seen, line


async def _entries(site: Site, table: str) -> AsyncIterator[Entry]:
    after = 0
    while entries := await site.store.read(table, after, PAGE):
        for entry in entries:
            yield entry
        after = entries[-1].seq


def _waits_for_server(table: Table) -> bool:
    """Whether the server has to do something here although nobody asks it to."""
    house = table.record.house
    is_vacant = any(holder.player is None for holder in table.record.holders)
    playing = table.status == "playing" and (house.move_seconds is not None or (is_vacant and house.absent != "wait"))
    return playing or is_full(table) or lacks_bots(table) or table.status == "disputed"
