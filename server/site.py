"""Everything one server process has, put together once and handed to whoever serves a request."""

from collections.abc import Callable
from dataclasses import dataclass, field

from events.store import Store
from games import Catalogue
from projections.lobby import Lobby
from server.accounts import Accounts
from server.bots import BotHost as BotHost
from server.bots import NoBots as NoBots
from server.clock import Clock
from server.commands import Commands
from server.settings import Settings
from server.tables.live import LiveTable
from server.tables.service import Tables
from server.vacancies import Vacancies


@dataclass
class Site:
    """One process. `stopping`: what to call when the server goes down, so that open connections end."""

    settings: Settings
    catalogue: Catalogue
    store: Store
    accounts: Accounts
    tables: Tables
    lobby: Lobby
    clock: Clock
    vacancies: Vacancies
    commands: Commands
    bots: BotHost
    ready: bool = False
    stopping: set[Callable[[], None]] = field(default_factory=set)

    async def table(self, table: str) -> LiveTable:
        """The table with that id.

        Raises:
            NoSuchTable: there is none.
        """
        return await self.tables.load(table)
