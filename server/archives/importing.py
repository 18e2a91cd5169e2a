"""How an archive gets in: it is verified, told through once, and only then kept."""

import asyncio
import time
from collections.abc import Generator
from hashlib import sha256
from typing import Any, TypeVar

import msgspec

from events import archive
from events.archive import Header
from events.ids import archive_id
from games import Catalogue
from games.table.rules import Rules
from projections import codec
from projections.fairness import fairness
from projections.ledger import ledger
from projections.position import Position, advance
from projections.promises import verdicts
from projections.story import tell
from projections.trail import trail
from projections.verification import Difference, Verification, steps
from projections.view import changed, changed_game, view
from server.archives.foreign import Imports
from server.logs import Log
from server.tables.bound import Bound, Overrun
from server.tables.errors import TableFrozen

SLICE = 4
"""Entries that are checked in one go, before others have their turn."""

BUDGET = 60.0
"""Seconds of work that one archive may cost in all."""

T = TypeVar("T")

log = Log("archives")


class Unfit(Exception):  # noqa: N818  (it is said of the archive)
    """The archive was not taken in. `line`: where, from 1; `reason`: for programs; the sentence is for people."""

    def __init__(self, line: int | None, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.line = line
        self.reason = reason
        self.sentence = sentence


class Imported(msgspec.Struct, frozen=True):
    """Under which id the archive is a table here. `fresh`: it was not here before."""

    id: str
    fresh: bool


class Importer:
    """Takes archives in, one after the other: to check one is work, and the games that are played go first."""

    def __init__(self, imports: Imports, catalogue: Catalogue, bound: Bound) -> None:
        self._imports = imports
        self._catalogue = catalogue
        self._bound = bound
        self._turn = asyncio.Lock()

    async def take(self, data: bytes) -> Imported:
        """Checks the archive and keeps it. The same file is the same table.

        Raises:
            Unfit: something in it does not hold; nothing was kept.
            Full: there is no room.
        """
        name = archive_id(sha256(data).digest())
        async with self._turn:
            if self._imports.keeper.has(name):
                return Imported(name, fresh=False)
            header = await self._check(data)
            self._imports.keeper.put(name, data)
        log.info("archive_imported", table=name, entries=header.last_seq, bytes=len(data))
        return Imported(name, fresh=True)

    async def verified(self, data: bytes) -> Verification:
        """What holds of an archive that was taken in.

        Raises:
            TableFrozen: to find out takes too long.
        """
        try:
            return await self._run(steps((data,), self._catalogue, every=SLICE))
        except Unfit:
            raise TableFrozen from None

    async def _check(self, data: bytes) -> Header:
        found = await self._run(steps((data,), self._catalogue, every=SLICE))
        if found.first is not None:
            raise _unfit(found.first)
        header, _ = archive.read((data,))
        if not self._catalogue.has(header.game, header.rules):
            sentence = f"This server does not have the rules of the game {header.game!r} in version {header.rules}."
            raise Unfit(1, "rules_not_shipped", sentence)
        await self._run(_told(self._catalogue.rules(header.game, header.rules), data))
        return header

    async def _run(self, work: Generator[Any, None, T]) -> T:
        """Works through it in slices, each within the bound of a decision.

        Raises:
            Unfit: a slice took too long, or all of them together.
        """
        spent = 0.0
        while True:
            began = time.thread_time()
            try:
                self._bound.run(lambda: next(work))
            except StopIteration as end:
                found: T = end.value
                return found
            except Overrun:
                raise _too_long() from None
            spent += time.thread_time() - began
            if spent > BUDGET:
                raise _too_long()
            await asyncio.sleep(0)


def _too_long() -> Unfit:
    return Unfit(None, "overrun", "To check this archive the rules think for too long.")


def _unfit(first: Difference) -> Unfit:
    line = first.line if first.line is not None else (first.seq + 1 if first.seq else None)
    return Unfit(line, first.reason, first.sentence)


def _told(rules: Rules, data: bytes) -> Generator[int, None, None]:
    """Tells the whole table as its readers will: what no rules stand behind, as in an archive for a seat, might be such
    that it cannot be told at all.

    Raises:
        Unfit: it cannot.
    """
    header, lines = archive.read((data,))
    before: Position | None = None
    position: Position | None = None
    bodies = []
    line = 0
    try:
        for each in lines:
            line = each.seq + 1
            body = codec.decode(rules, each.seq, each.body)
            before, position = position, advance(rules, position, {"full": body}, each.head, to_act=False)
            view(position, header.reader if isinstance(header.reader, int) else None)
            if before is not None and not position.whole:
                changed(before, position)
                for audience in (None, *range(header.seats)):
                    changed_game(before.sight(audience), position.sight(audience))
            bodies.append(body)
            if each.seq % SLICE == 0:
                yield each.seq
        story = tell(rules, header.reader, bodies)
        yield header.last_seq
        for projection in (trail, verdicts, ledger, fairness):
            projection(story)
            yield header.last_seq
    except Exception as error:  # noqa: BLE001  (rules that meet a log which they did not make may fail in any way)
        log.warning("archive_untold", line=line, error=type(error).__name__)
        raise Unfit(line, "untold", "The rules cannot read what stands here.") from None
