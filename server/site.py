"""Everything one server process has, put together once and handed to whoever serves a request."""

from collections.abc import Callable
from dataclasses import dataclass, field

from events.ids import FOREIGN, lane_of
from events.receipts import SigningKey, message
from events.store import Store
from games import Catalogue
from projections.lobby import Lobby
from server.accounts import Accounts
from server.archives import Importer, Imports
from server.bots import BotHost as BotHost
from server.bots import NoBots as NoBots
from server.clock import Clock
from server.commands import Commands
from server.furniture import Furniture
from server.settings import Settings
from server.standings import Scorer
from server.tables.bound import Bound
from server.tables.history import Step
from server.tables.live import LiveTable
from server.tables.service import Tables
from server.tables.stories import Stories
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
    key: SigningKey
    bound: Bound
    imports: Imports
    importer: Importer
    stories: Stories
    scorer: Scorer
    furniture: Furniture
    ready: bool = False
    stopping: set[Callable[[], None]] = field(default_factory=set)

    def closing(self, live: LiveTable, last: int, head: bytes) -> tuple[bytes, bytes]:
        """The signature over the log up to that entry, and its public key. Of a table that is over it is made once."""

        def sign() -> tuple[bytes, bytes]:
            return self.key.sign(message(live.id, last, head.hex())), self.key.public

        return self.accounts.closing(live.id, sign) if live.now.table.over else sign()

    def close(self, live: LiveTable, step: Step) -> None:
        """Closes the log of a table that has just ended."""
        if step.before is not None and step.after.table.over:
            self.closing(live, step.after.seq, step.after.head)

    @property
    def own_keys(self) -> frozenset[str]:
        """The ids of all keys that this server has signed with."""
        return frozenset(each.id for each in self.accounts.signing_keys())

    async def table(self, table: str) -> LiveTable:
        """The table with that id, a foreign one too.

        Raises:
            NoSuchTable: there is none.
        """
        if lane_of(table) == FOREIGN:
            return await self.imports.foreign(table)
        return await self.tables.load(table)
