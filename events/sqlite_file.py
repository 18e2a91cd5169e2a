"""The file of the SQLite store: opened by one process at a time, and only if it is what it should be."""

import fcntl
import os
from importlib.resources import files
from pathlib import Path

import apsw

from events.store import StoreError

APPLICATION_ID = 0x436F6D69
"""`Comi`: what `file` and we know the database by."""

VERSION = 1

BUSY_MS = 5000


class Lock:
    """Holds `PATH.lock` while the process lives; the system lets go of it when the process dies, however it dies."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise StoreError(f"another process has {path} open; stop it, or use another file.") from None

    def release(self) -> None:
        """Lets others open the file."""
        os.close(self._file)


def open_locked(path: Path) -> tuple[Lock, apsw.Connection, apsw.Connection]:
    """The lock, a connection to write and one to read.

    Raises:
        StoreError: the file cannot be used; the sentence says why.
    """
    if not path.parent.is_dir():
        raise StoreError(f"there is no folder {path.parent} for the store's file.")
    try:
        lock = Lock(path)
    except OSError as error:
        raise StoreError(f"cannot lock {path}: {error.strerror}.") from None
    try:
        writer = _connect(path)
        _check(writer, path)
        return lock, writer, _connect(path)
    except apsw.Error as error:
        lock.release()
        raise StoreError(f"cannot open {path} as a store: {error}.") from None
    except StoreError:
        lock.release()
        raise


def _connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(BUSY_MS)
    connection.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON")
    return connection


def _check(connection: apsw.Connection, path: Path) -> None:
    application, version = connection.pragma("application_id"), connection.pragma("user_version")
    if application == APPLICATION_ID and version == VERSION:
        return
    if application == APPLICATION_ID:
        raise StoreError(f"{path} has format {version}; this program reads format {VERSION}. Use a newer one.")
    if application or connection.execute("SELECT count(*) FROM sqlite_schema").get:
        raise StoreError(f"{path} is a database of another program.")
    with connection:
        connection.execute((files("events") / "sqlite.sql").read_text("utf-8"))
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", VERSION)
