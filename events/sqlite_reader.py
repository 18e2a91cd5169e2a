"""The reading side of a SQLite log: one connection, used by one thread at a time."""

import apsw
import msgspec

from events.entry import FULL, Entry
from events.sqlite_file import rows
from events.sqlite_tail import Run, Tail
from events.store import Found, Head, Item

_ENTRIES = """
SELECT seq, salt, CAST(full AS BLOB), CAST(others AS BLOB), leaf, head
FROM json_each(?) AS wanted CROSS JOIN entry ON entry.position = wanted.value ORDER BY seq
"""
_PLACES = "SELECT position FROM place WHERE table_id = ? AND seq > ? AND seq < ? ORDER BY seq LIMIT ?"
_LAST_PLACE = "SELECT position FROM place WHERE table_id = ? ORDER BY seq DESC LIMIT 1"
_PLACE = "SELECT table_id, seq FROM entry WHERE position = ?"
_HEAD = "SELECT seq, head FROM entry WHERE position = ?"
_COMMAND = """
SELECT entry.table_id, entry.seq FROM command JOIN entry USING (position)
WHERE command.prefix = ? AND entry.command = ?
"""
_FEED = "SELECT position, table_id, seq FROM entry WHERE position > ? ORDER BY position LIMIT ?"

_NO_SEQ = 2**63 - 1

_others = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Reader:
    """Reads what is durable. Always the tail first, then the index: see `sqlite_tail`."""

    def __init__(self, connection: apsw.Connection, tail: Tail) -> None:
        self._connection = connection
        self._tail = tail

    def read(self, table: str, after: int, limit: int) -> list[Entry]:
        """As `Store.read`."""
        positions = msgspec.json.encode(self._positions(table, after, limit)).decode()
        return [_entry(*row) for row in rows(self._connection, _ENTRIES, positions)]

    def head(self, table: str) -> Head | None:
        """As `Store.head`."""
        run = self._tail.run(table)
        position = run.positions[-1] if run else self._connection.execute(_LAST_PLACE, (table,)).get
        found = rows(self._connection, _HEAD, position)
        return Head(*found[0]) if found else None

    def find(self, command: bytes) -> Found | None:
        """As `Store.find`."""
        if position := self._tail.find(command):
            found = rows(self._connection, _PLACE, position)
        else:
            found = rows(self._connection, _COMMAND, command[:8], command)
        return Found(*found[0]) if found else None

    def feed(self, after: int, limit: int) -> list[Item]:
        """As `Store.feed`, for the only lane."""
        return [Item(*row) for row in rows(self._connection, _FEED, after, limit)]

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _positions(self, table: str, after: int, limit: int) -> list[int]:
        run = self._tail.run(table)
        if run and after + 1 >= run.first:
            return _newest(run, after, limit)
        below = run.first if run else _NO_SEQ
        positions: list[int] = [place for (place,) in rows(self._connection, _PLACES, table, after, below, limit)]
        return positions + _newest(run, after, limit - len(positions)) if run else positions


def _newest(run: Run, after: int, limit: int) -> list[int]:
    skip = max(after + 1 - run.first, 0)
    return run.positions[skip : skip + limit]


def _entry(seq: int, salt: bytes, full: bytes, others: bytes | None, leaf: bytes, head: bytes) -> Entry:
    versions = {FULL: full}
    if others is not None:
        versions |= {name: bytes(data) for name, data in _others.decode(others).items()}
    return Entry(seq, salt, versions, leaf, head)
