"""Who may read what. The audience follows from the token alone, never from what a client says it is."""

from typing import Literal

import msgspec

from games.core import Audience
from games.table.record import Record, seat_of
from games.table.state import Table


class Hidden(Exception):  # noqa: N818
    """The table does not exist for this reader."""


class NoSpectators(Exception):  # noqa: N818
    """The house lets nobody watch."""


class NotYourSeat(Exception):  # noqa: N818
    """The sight of another seat, before the end."""


class Reader(msgspec.Struct, frozen=True):
    """Somebody who reads: his player id (None without a token), and whether an invite let him in here.

    `archive`: it is a foreign table that he reads, and its file holds what this audience may know: "public", a seat, or "all".
    """

    player: str | None = None
    invited: bool = False
    operator: bool = False
    archive: int | Literal["all", "public"] | None = None


def own_seat(record: Record, reader: Reader) -> Audience:
    """The seat that the reader holds."""
    return None if reader.player is None else seat_of(record, reader.player)


def may_see(record: Record, reader: Reader) -> bool:
    """Whether the table exists for the reader: a private one for its seats, its arbiter, its creator and the invited alone."""
    return (
        record.visibility != "private"
        or reader.archive is not None
        or reader.operator
        or reader.invited
        or own_seat(record, reader) is not None
        or (reader.player is not None and reader.player in (record.house.arbiter, record.creator))
    )


def audience(table: Table, reader: Reader, seat: int | None = None) -> Audience:
    """What the reader sees the table as: his own seat or the public; after the end also a seat he asks for.

    Raises:
        Hidden: the table does not exist for him.
        NoSpectators: he has no seat, and the house lets nobody watch.
        NotYourSeat: another seat's sight, while the game is on or the log does not open to him.
    """
    record = table.record
    if reader.archive is not None:
        return _in_archive(record, reader.archive, seat)
    if not may_see(record, reader):
        raise Hidden
    own = own_seat(record, reader)
    if own is None and not _may_watch(record, reader):
        raise NoSpectators
    if seat is None or seat == own:
        return own
    if not log_opens(table, reader) or not 0 <= seat < len(record.holders):
        raise NotYourSeat
    return seat


def _in_archive(record: Record, holds: int | Literal["all", "public"], seat: int | None) -> Audience:
    """What the file lets one read as: what it was written for; if that is everybody, any seat that one asks for."""
    own = holds if isinstance(holds, int) else None
    if seat is None or seat == own:
        return own
    if holds != "all" or not 0 <= seat < len(record.holders):
        raise NotYourSeat
    return seat


def _may_watch(record: Record, reader: Reader) -> bool:
    return (
        record.house.spectators
        or record.status in ("ended", "abandoned")
        or reader.operator
        or (reader.player is not None and reader.player == record.house.arbiter)
    )


def log_opens(table: Table, reader: Reader) -> bool:
    """Whether the whole log, whispers included, is open to the reader: after the end, to its seats, and of a public table to all."""
    if reader.archive is not None:
        return reader.archive == "all"
    return table.over and (table.record.visibility == "public" or own_seat(table.record, reader) is not None)


def log_audience(table: Table, reader: Reader) -> int | Literal["all"] | None:
    """As whom the reader reads the log's entries.

    Raises:
        Hidden, NoSpectators: as for `audience`.
    """
    seen = audience(table, reader)
    return "all" if log_opens(table, reader) else seen
