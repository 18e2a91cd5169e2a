"""An archive as a table that can be read like any other, and at which nothing can be done."""

import asyncio
from collections import OrderedDict
from collections.abc import Container

import msgspec

from events import archive, chain
from events.archive import Header, Line
from events.entry import FULL, Entry, Glimpse, Reading
from events.receipts import key_id
from games import Catalogue
from games.table.rules import Rules
from projections.lobby import Provenance, Summary, summary
from projections.verification import Wrong, versions_in
from server.archives.keeper import Keeper
from server.tables.errors import NoSuchTable
from server.tables.live import LiveTable
from server.tables.shelf import BREATH, Shelf

TABLES = 32
"""Foreign tables in memory, unless more are being followed."""

FILES = 8
"""Archives whose lines are kept in memory."""


class Foreign(LiveTable):
    """A table that was read from an archive."""

    read_only = True

    def __init__(self, table: str, rules: Rules, header: Header) -> None:
        super().__init__(table, rules, to_act=False)
        self.header = header

    @property
    def complete(self) -> bool:
        return True


class Opened(msgspec.Struct, frozen=True):
    """An archive's lines, and the rules that they are read by."""

    header: Header
    lines: tuple[Line, ...]
    rules: Rules

    def entry(self, line: Line) -> Entry:
        """The line as an entry: whole, if the archive is for all."""
        header, own = self.header, line.version
        salt = chain.derive(line.salt, FULL) if header.audience == "all" else line.salt
        leaf = chain.leaf({**line.commits, own: chain.commit(salt, line.body)})
        if header.audience != "all":
            reading = Reading(line.seq, own, line.body, line.salt, line.commits, leaf, line.head)
            return Glimpse(line.seq, line.salt, {FULL: line.body}, leaf, line.head, reading)
        return Entry(line.seq, line.salt, self._versions(line), leaf, line.head)

    def _versions(self, line: Line) -> dict[str, bytes]:
        """All versions of a whole entry. They follow from its body, which was checked when the archive came."""
        if not line.commits:
            return {FULL: line.body}
        return versions_in(self.rules, line, self.header.seats)


class Files:
    """The logs of foreign tables, as far as a shelf asks a store for them."""

    lanes = 256

    def __init__(self, keeper: Keeper, catalogue: Catalogue) -> None:
        self._keeper = keeper
        self._catalogue = catalogue
        self._opened: OrderedDict[str, Opened] = OrderedDict()

    async def read(self, table: str, after: int = 0, limit: int = 1000) -> list[Entry]:
        """Entries `after + 1`, `after + 2`..., at most `limit`; none when there is no such archive."""
        opened = await self.open(table)
        return [] if opened is None else [opened.entry(line) for line in opened.lines[after : after + limit]]

    async def open(self, table: str) -> Opened | None:
        """The archive, its chain checked again: nobody knows what has happened to the file.

        Raises:
            Broken: it is not what it was.
            KeyError: its rules are not shipped any more.
        """
        found = self._opened.get(table)
        if found is not None:
            self._opened.move_to_end(table)
            return found
        data = self._keeper.get(table)
        if data is None:
            return None
        header, reading = archive.read((data,))
        lines: list[Line] = []
        for line in reading:
            lines.append(line)
            if line.seq % BREATH == 0:
                await asyncio.sleep(0)
        found = Opened(header, tuple(lines), self._catalogue.rules(header.game, header.rules))
        self._opened[table] = found
        while len(self._opened) > FILES:
            self._opened.popitem(last=False)
        return found

    def opened(self, table: str) -> Opened:
        """An archive that was read from just now."""
        return self._opened[table]

    def forget(self, table: str) -> None:
        """The archive is not here any more."""
        self._opened.pop(table, None)


class Imports(Shelf):
    """The foreign tables. They are listed nowhere: whoever has the id may read what the file holds."""

    def __init__(self, keeper: Keeper, catalogue: Catalogue) -> None:
        self.keeper = keeper
        self.files = Files(keeper, catalogue)
        super().__init__(self.files, catalogue, TABLES)  # type: ignore[arg-type]  # a shelf only reads

    def _begin(self, table: str, first: Entry) -> LiveTable:  # noqa: ARG002  (the header says it all)
        opened = self.files.opened(table)
        return Foreign(table, opened.rules, opened.header)

    async def foreign(self, table: str) -> Foreign:
        """The foreign table with that id.

        Raises:
            NoSuchTable: there is none, or its file cannot be read any more.
        """
        try:
            live = await self.load(table)
        except (archive.Broken, KeyError, Wrong):
            raise NoSuchTable(table) from None
        if not isinstance(live, Foreign):
            raise NoSuchTable(table)
        return live

    def drop(self, table: str) -> bool:
        """Forgets the table and its file; whether it was here."""
        self.files.forget(table)
        self._live.pop(table, None)
        return self.keeper.drop(table)


def line_of(live: Foreign, own_keys: Container[str]) -> Summary:
    """The table's line; `own_keys`: the ids of this server's keys."""
    header, key = live.header, key_id(live.header.public_key)
    found = summary(live.now.table, live.head, live.opened)
    provenance = Provenance(header.table, header.audience, key, key in own_keys)
    return msgspec.structs.replace(found, id=live.id, foreign=provenance)
