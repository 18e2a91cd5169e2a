"""Who comes to which table: what a route under `/tables/{table}` begins with."""

from typing import Any

import msgspec

from events.ids import FOREIGN, lane_of
from games.core import Action, Audience
from games.table.record import Record
from server import access
from server.access import Reader
from server.archives import Foreign
from server.callers import Caller
from server.problems import Problem
from server.rest.common import Call, need_read
from server.rest.params import TableRef
from server.site import Site
from server.tables.errors import NoSuchTable
from server.tables.live import LiveTable
from server.tables.service import Answer
from server.tables.shelf import Shelf


class Visit(msgspec.Struct, frozen=True):
    """A caller at a table that exists for him."""

    site: Site
    caller: Caller
    live: LiveTable
    reader: Reader

    @property
    def path(self) -> str:
        """The address of the table."""
        return f"/v1/tables/{self.live.id}"

    @property
    def shelf(self) -> Shelf:
        """Where the table and its log are read."""
        return self.site.imports if isinstance(self.live, Foreign) else self.site.tables

    @property
    def record(self) -> Record:
        """What is never struck: who sits where, the house, the status."""
        return self.live.now.table.record

    @property
    def seat(self) -> Audience:
        """The caller's own seat."""
        return access.own_seat(self.record, self.reader)

    @property
    def arbitrates(self) -> bool:
        """Whether he is the one who rules on disputes here."""
        arbiter = self.record.house.arbiter
        return self.seat is None and arbiter is not None and arbiter == self.caller.player

    @property
    def belongs(self) -> bool:
        """Whether he sits here, or has opened the table."""
        return self.seat is not None or (self.caller.player is not None and self.caller.player == self.record.creator)

    async def submit(self, by: int | str, action: Action, key: str | None, holder: str | None = None) -> Answer:
        """Has an action around the game done: sitting, rising, entropy, closing."""
        return await self.site.commands.surround(self.caller, self.live, by, action, key, holder)


async def visit(request: Call, table: TableRef) -> Visit:
    """The caller at the table, which errors from now on can speak of.

    Raises:
        NoSuchTable: it does not exist, or not for him.
        Problem: his token may not read, or nothing can be done here.
    """
    if request.method == "GET":
        need_read(request.caller)
    here = await at_table(request.site, request.caller, table)
    if request.method != "GET" and here.live.read_only:
        raise Problem("read_only")
    request.state.live = here.live
    return here


async def at_table(site: Site, caller: Caller, table: str) -> Visit:
    """The caller at the table, if it exists for him.

    Raises:
        NoSuchTable: it does not.
    """
    try:
        lane = lane_of(table)
    except ValueError:
        raise NoSuchTable(table) from None
    if lane == FOREIGN:
        foreign = await site.imports.foreign(table)
        return Visit(site, caller, foreign, Reader(archive=foreign.header.audience))
    if lane >= site.store.lanes:
        raise NoSuchTable(table)
    live = await site.table(table)
    reader = reader_of(site, caller, table)
    if not access.may_see(live.now.table.record, reader):
        raise NoSuchTable(table)
    return Visit(site, caller, live, reader)


def reader_of(site: Site, caller: Caller, table: str) -> Reader:
    """The caller as a reader of that table."""
    player = caller.player
    invited = player is not None and site.accounts.is_admitted(table, player)
    return Reader(player, invited, caller.may("operate"))


def live_in(state: Any) -> LiveTable | None:
    """The table that a failed request was about, once that is known."""
    found: LiveTable | None = state.get("live")
    return found
