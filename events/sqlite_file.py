"""Opening the file of a SQLite store: nothing is changed before it is known that the file is ours and ours alone."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from events.store import StoreError

SCHEMA = Path(__file__).with_name("sqlite.sql")
APPLICATION_ID = 0x436F6D69  # "Comi"; `file` and `PRAGMA application_id` show it
FORMAT = 1

_PATIENCE_MS = 5_000  # somebody else with the SQLite shell may write or checkpoint for a moment
_CACHE_KIB = 65_536
_STATEMENTS = 200  # the writer has one to insert so many rows, for every number up to 64

# Where SQLite may promise less than it says: macOS returns from fsync before the disk has written (F_FULLFSYNC).
_DURABLE = "PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1"


def hold(path: Path) -> apsw.Connection:
    """Claim the file for this process, until the result is closed or the process ends, however it ends.

    The claim is SQLite's own lock on an empty file beside it: it works on every platform, nothing stale is left by
    SIGKILL, and other programs can still read the log. Raises StoreError when another process has the claim.
    """
    _check_place(path)
    claim = apsw.Connection(f"{path}.lock")
    try:
        claim.execute("BEGIN EXCLUSIVE")
    except apsw.BusyError:
        claim.close()
        raise StoreError(f"{path} is in use by another process; one process per file") from None
    return claim


def open_log(path: Path) -> apsw.Connection:
    """The connection that writes; makes the file if there is none. The caller holds the claim."""
    log = apsw.Connection(str(path), statementcachesize=_STATEMENTS)
    try:
        log.set_busy_timeout(_PATIENCE_MS)
        made = _recognise(log, path)
        _set_up(log, path)
        if not made:
            _make(log)
        _settle(log, path)
    except BaseException:
        log.close()
        raise
    return log


def open_reader(path: Path) -> apsw.Connection:
    """A connection that only reads, and only what is durable: WAL shows a commit to readers after it was synced."""
    reader = apsw.Connection(str(path))
    reader.set_busy_timeout(100)
    reader.execute(f"PRAGMA query_only = 1; PRAGMA cache_size = -{_CACHE_KIB // 4}")
    return reader


@contextmanager
def sentences(path: Path) -> Iterator[None]:
    """Whatever goes wrong inside while the file is opened is a StoreError, said in one sentence."""
    try:
        yield
    except apsw.NotADBError as error:
        raise StoreError(f"{path} is not a log of Comitium: it is not a SQLite database") from error
    except apsw.Error as error:
        raise StoreError(f"{path} cannot be opened: {error}") from error


def rows(connection: apsw.Connection, statement: str, *values: Any) -> list[Any]:
    """All rows of the answer to one statement."""
    return connection.execute(statement, values).fetchall()


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """Everything inside is committed together, or nothing is."""
    # IMMEDIATE: a transaction that reads first and writes later can fail at once, whatever the busy timeout.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(apsw.Error):  # SQLite may have rolled back by itself, and the first error is the one to tell
            connection.execute("ROLLBACK")
        raise


def _check_place(path: Path) -> None:
    if not path.parent.is_dir():
        raise StoreError(f"{path} cannot be opened: there is no folder {path.parent}")
    if path.is_dir():
        raise StoreError(f"{path} cannot be opened: it is a folder")


def _recognise(log: apsw.Connection, path: Path) -> bool:
    """Whether the file holds a log already; False for a new or empty file. Raises StoreError for anything else."""
    application, version = log.pragma("application_id"), log.pragma("user_version")
    if application == APPLICATION_ID and version == FORMAT:
        return True
    if application == APPLICATION_ID and version > FORMAT:
        raise StoreError(f"{path} was written by a newer Comitium (format {version}; this one knows {FORMAT})")
    if application or log.execute("SELECT count(*) FROM sqlite_schema").get:
        raise StoreError(f"{path} is not a log of Comitium: another application made it")
    return False


def _set_up(log: apsw.Connection, path: Path) -> None:
    if log.pragma("journal_mode", "wal") != "wal":
        raise StoreError(f"{path} cannot be opened: its file system has no shared memory for a write-ahead log")
    log.execute(f"{_DURABLE}; PRAGMA cache_size = -{_CACHE_KIB}; PRAGMA temp_store = MEMORY")


def _make(log: apsw.Connection) -> None:
    with transaction(log):
        log.execute(SCHEMA.read_text(encoding="utf-8"))
        log.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}")


def _settle(log: apsw.Connection, path: Path) -> None:
    # After a failed fsync the kernel may show what the disk does not have, and a process that starts then reads it from
    # the write-ahead log as committed. Written to the database anew, and synced, it is durable before anybody reads it.
    ((busy, *_),) = rows(log, "PRAGMA wal_checkpoint(TRUNCATE)")
    if busy:
        raise StoreError(f"{path} cannot be opened: another program keeps reading it")
