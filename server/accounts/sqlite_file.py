"""The file of the accounts: readable by its owner only, of one known form, and overwritten where something was erased."""

import os
from pathlib import Path

import apsw

APPLICATION_ID = 0x434D5441
"""`CMTA`, in the header of the file, so that no other program's file is taken for ours."""

SCHEMA_VERSION = 1

MEMORY = "memory:"

_BUSY_MS = 2000
_MODE = 0o600


class AccountsFileError(Exception):
    """The file cannot be used; the message says which, and why."""


def open_file(at: str) -> apsw.Connection:
    """A connection to the file `at` (made when it is not there), or to nothing but memory.

    Raises:
        AccountsFileError: no right to it, no accounts file, or one of a newer form.
    """
    try:
        if at == MEMORY:
            return _prepared(apsw.Connection(":memory:"))
        _make_private(Path(at))
        connection = _prepared(apsw.Connection(at))
        _keep_private(Path(at))
    except (OSError, apsw.Error, AccountsFileError) as error:
        raise AccountsFileError(f"accounts in {at}: {error}") from error
    return connection


def _make_private(path: Path) -> None:
    """A new file is its owner's alone from the first. SQLite gives the files beside it the same mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _MODE))
    except FileExistsError:
        if path.is_dir():
            raise AccountsFileError("that is a folder") from None


def _keep_private(path: Path) -> None:
    """An old one becomes so, once it is known to be ours."""
    # By name: closing a descriptor of its own would drop the locks that this process holds on the file.
    if path.stat().st_mode & 0o077:
        path.chmod(_MODE)


def _prepared(connection: apsw.Connection) -> apsw.Connection:
    try:
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(_BUSY_MS)
    connection.transaction_mode = "IMMEDIATE"  # a transaction that reads, then writes, must not find itself outdated
    connection.pragma("foreign_keys", True)
    connection.pragma("secure_delete", True)
    with connection:
        _check_form(connection)
        # Files of the first days lack it, and are the same in all else.
        connection.execute(Path(__file__).with_name("closings.sql").read_text("utf-8"))
    # After the check, so that a file of somebody else stays as it is.
    connection.pragma("journal_mode", "WAL")
    connection.pragma("synchronous", "FULL")


def _check_form(connection: apsw.Connection) -> None:
    """Makes the tables in an empty file; refuses a file of another form."""
    mark, version = connection.pragma("application_id"), connection.pragma("user_version")
    if mark == APPLICATION_ID and version == SCHEMA_VERSION:
        return
    if mark == APPLICATION_ID:
        raise AccountsFileError(f"the file has form {version}; this version of Comitium reads {SCHEMA_VERSION}")
    if mark or connection.execute("SELECT count(*) FROM sqlite_schema").get:
        raise AccountsFileError("the file was made by something else")
    connection.execute(Path(__file__).with_name("accounts.sql").read_text("utf-8"))
    connection.pragma("application_id", APPLICATION_ID)
    connection.pragma("user_version", SCHEMA_VERSION)
