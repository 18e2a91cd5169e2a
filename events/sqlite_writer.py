"""The writing side of a SQLite log: one connection, used by one thread, which commits what waits together."""

from collections.abc import Sequence
from contextlib import suppress

import apsw
import msgspec

from events.entry import FULL, Entry
from events.sqlite_file import rows, transaction
from events.sqlite_tail import SLICES, Tail
from events.store import Answer, Appended, Conflict, Known

_KNOWN = """
SELECT entry.command, entry.seq FROM json_each(?) AS wanted
CROSS JOIN command ON command.prefix = unhex(wanted.value) CROSS JOIN entry USING (position)
"""
_SEQ_AT = "SELECT seq FROM entry WHERE position = ?"
_LAST_SEQ = "SELECT max(seq) FROM place WHERE table_id = ?"
_INSERT = "INSERT INTO entry (position, table_id, seq, command, salt, leaf, head, full, others) VALUES "
_MOST_ROWS = 64
_INSERTS = [_INSERT + ", ".join(["(?, ?, ?, ?, ?, ?, ?, ?, ?)"] * count) for count in range(_MOST_ROWS + 1)]
_INDEX_RUN = "INSERT INTO place SELECT ?, ? + key, value FROM json_each(?)"
_INDEX_COMMANDS = "INSERT INTO command SELECT unhex(value ->> 0), value ->> 1 FROM json_each(?) ORDER BY 1"
_INDEXED = "UPDATE indexed SET position = ?"
_INDEX_THE_REST = (
    """
    INSERT OR IGNORE INTO place SELECT table_id, seq, position FROM entry
    WHERE position > (SELECT position FROM indexed) ORDER BY 1, 2
    """,
    """
    INSERT OR IGNORE INTO command SELECT substr(command, 1, 8), position FROM entry
    WHERE position > (SELECT position FROM indexed) ORDER BY 1, 2
    """,
    "UPDATE indexed SET position = (SELECT coalesce(max(position), 0) FROM entry)",
)

_Row = tuple[int, str, int, bytes, bytes, bytes, bytes, str, str | None]


class Pace(msgspec.Struct, frozen=True):
    """How often the writer does what need not be done before an answer. Each pause is short, and between two commits."""

    entries_per_slice: int = 1_000
    """After so many entries the next slice of the tail is written to the indexes."""
    checkpoint_pages: int = 500
    """After so many pages (4 KiB) the write-ahead log is copied into the database."""


class Request(msgspec.Struct, frozen=True, gc=False):
    """An entry to be appended, its versions as the text that the file keeps."""

    table: str
    expected: int
    entry: Entry
    command: bytes
    full: str
    others: str | None


def request(table: str, expected: int, entry: Entry, command: bytes) -> Request:
    """Raises ValueError for versions that are not UTF-8."""
    versions = entry.versions
    full = versions[FULL].decode()
    if len(versions) == 1:
        return Request(table, expected, entry, command, full, None)
    others = ",".join([f'"{name}":{data.decode()}' for name, data in versions.items() if name != FULL])
    return Request(table, expected, entry, command, full, f"{{{others}}}")


class Writer:
    """Decides and writes batches of requests. Not for use by two threads at once."""

    def __init__(self, log: apsw.Connection, pace: Pace) -> None:
        self._log = log
        self._pace = pace
        self._pages = 0
        log.set_wal_hook(self._count_pages)
        _index_the_rest(log)
        self.tail = Tail()
        self.position: int = log.execute("SELECT coalesce(max(position), 0) FROM entry").get
        self._turn = 0
        self._unindexed = 0
        self._complete = [self.position] * SLICES

    def write(self, batch: Sequence[Request]) -> list[Answer]:
        """Answer every request; what was appended is durable on return. After an exception nothing was appended."""
        answers: list[Answer] = []
        drafts: list[_Row] = []
        with transaction(self._log):
            self._decide(batch, answers, drafts)
            self._insert(drafts)
        for position, table, seq, command, *_ in drafts:
            self.tail.add(position, table, seq, command)
        self.position += len(drafts)
        self._unindexed += len(drafts)
        return answers

    def tidy(self) -> None:
        """What need not be done before an answer: index a slice, or empty the write-ahead log, if it is time."""
        if self._unindexed >= self._pace.entries_per_slice:
            self._unindexed = 0
            self._index_slice()
        elif self._pages >= self._pace.checkpoint_pages:
            self._pages = 0
            rows(self._log, "PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Leave the indexes complete, and close the file."""
        with suppress(apsw.Error):  # if it cannot be done now, the next opening does it
            _index_the_rest(self._log)
        self._log.close()

    def _decide(self, batch: Sequence[Request], answers: list[Answer], drafts: list[_Row]) -> None:
        known = self._known(batch)
        last: dict[str, int] = {}
        for asked in batch:
            seq = known.get(asked.command)
            if seq is not None:
                answers.append(Known(seq))
                continue
            table = asked.table
            if table not in last:
                last[table] = self._last(table)
            if last[table] != asked.expected:
                answers.append(Conflict(last[table]))
                continue
            drafts.append(_row(self.position + len(drafts) + 1, asked))
            known[asked.command] = last[table] = seq = asked.expected + 1
            answers.append(Appended(seq))

    def _known(self, batch: Sequence[Request]) -> dict[bytes, int]:
        """The seq of each command of the batch that was appended before."""
        # One statement for all: SQLite looks them up without holding up the interpreter.
        prefixes = _json([asked.command[:8].hex() for asked in batch])
        known: dict[bytes, int] = dict(rows(self._log, _KNOWN, prefixes))
        for asked in batch:
            if position := self.tail.find(asked.command):
                known[asked.command] = self._log.execute(_SEQ_AT, (position,)).get
        return known

    def _insert(self, drafts: Sequence[_Row]) -> None:
        # As few statements as can be: each one lets go of the interpreter, and on a busy server waits to get it back.
        for first in range(0, len(drafts), _MOST_ROWS):
            some = drafts[first : first + _MOST_ROWS]
            self._log.execute(_INSERTS[len(some)], [value for draft in some for value in draft])

    def _last(self, table: str) -> int:
        if run := self.tail.run(table):
            return run.last
        return self._log.execute(_LAST_SEQ, (table,)).get or 0

    def _index_slice(self) -> None:
        ready = self.tail.slice(self._turn)
        commands = [(command[:8].hex(), position) for command, position in ready.commands.items()]
        complete = [*self._complete[: self._turn], self.position, *self._complete[self._turn + 1 :]]
        with transaction(self._log):
            for table, run in ready.runs.items():
                self._log.execute(_INDEX_RUN, (table, run.first, _json(run.positions)))
            self._log.execute(_INDEX_COMMANDS, (_json(commands),))
            self._log.execute(_INDEXED, (min(complete),))
        self._complete = complete
        self.tail.drop(self._turn)
        self._turn = (self._turn + 1) % SLICES

    def _count_pages(self, _log: apsw.Connection, _name: str, pages: int) -> int:
        self._pages = pages
        return apsw.SQLITE_OK


def _row(position: int, asked: Request) -> _Row:
    entry = asked.entry
    return (
        position, asked.table, entry.seq, asked.command, entry.salt, entry.leaf, entry.head, asked.full, asked.others,
    )  # fmt: skip


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _index_the_rest(log: apsw.Connection) -> None:
    with transaction(log):
        for statement in _INDEX_THE_REST:
            log.execute(statement)
