"""Names that the log gives to things: tables with their lane, and commands."""

import re
import secrets
from base64 import b32encode
from functools import lru_cache
from hashlib import sha256

from events import canonical

_TABLE = re.compile(r"[0-9a-f]{2}-[0-9a-z]{16}")
_is_table = _TABLE.fullmatch

MAX_LANES = 255

FOREIGN = 255
"""The lane of tables that lie in no store: those that were read from archives."""


def table_id(lane: int = 0) -> str:
    """A fresh table id in that lane: two hex digits of lane, a dash, and 80 random bits as 16 characters.

    The random part is what keeps an unlisted table unlisted: it cannot be guessed.
    """
    if not 0 <= lane < MAX_LANES:
        raise ValueError(f"a lane is 0 to {MAX_LANES - 1}, not {lane}")
    return _named(lane, secrets.token_bytes(10))


def archive_id(digest: bytes) -> str:
    """The table id of an archive whose file has this SHA-256: the same file always has the same id.

    It cannot be guessed by who does not have the file, or was given the id.
    """
    return _named(FOREIGN, digest[:10])


def rematch_id(table: str) -> str:
    """The table id of the rematch of that table, in the same lane: whoever asks for it first, there is one."""
    return _named(lane_of(table), sha256(f"comitium rematch 1\n{table}".encode()).digest()[:10])


def _named(lane: int, name: bytes) -> str:
    return f"{lane:02x}-{b32encode(name).decode().lower()}"


@lru_cache(4096)  # asked for each entry, and always about the same few tables
def lane_of(table: str) -> int:
    """The lane of a table. Raises ValueError for what is no table id ("LL-xxxxxxxxxxxxxxxx", lowercase)."""
    if _is_table(table) is None:
        raise ValueError(f"{table[:40]!r} is not a table id")
    return int(table[:2], 16)


def command_id(player: str, table: str, key: str) -> bytes:
    """The id of one player's command at one table (32 bytes): the same command sent twice has the same id.

    SHA-256 over the canonical JSON of `[player, table, key]`: quotes and escapes keep the three apart, so no two
    different triples are the same bytes. A player can never meet another player's id.
    """
    return sha256(canonical.encode([player, table, key])).digest()
