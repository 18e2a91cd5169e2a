"""Who comes to which table: what a route under `/tables/{table}` begins with."""

from typing import Annotated, Any

import msgspec
from litestar.params import PathParameter

from events.ids import lane_of
from games.core import Action, Audience
from games.table.record import Record
from server import access
from server.access import Reader
from server.callers import Caller
from server.rest.common import Call, need_read
from server.site import Site
from server.tables.errors import NoSuchTable
from server.tables.live import LiveTable
from server.tables.service import Answer

TableId = Annotated[
    str,
    PathParameter(
        description="The id of a table.",
        schema_extra={"pattern": "^[0-9a-f]{2}-[0-9a-z]{16}$", "examples": ["00-7k5h2vq3xzmb4w6a"]},
    ),
]


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


async def visit(request: Call, table: TableId) -> Visit:
    """The caller at the table, which errors from now on can speak of.

    Raises:
        NoSuchTable: it does not exist, or not for him.
        Problem: his token may not read.
    """
    if request.method == "GET":
        need_read(request.caller)
    here = await at_table(request.site, request.caller, table)
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
