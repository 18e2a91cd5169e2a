"""Entries to keep, the same in every process that asks for them."""

from collections.abc import Iterable
from hashlib import sha256

from events import canonical
from events.chain import ZERO, check_entry, seal
from events.entry import FULL, PUBLIC, Entry
from events.store import command_id

TEXTS = ("bribe", '"quoted" \\ back', "裁判官は無罪と言った", "🎲 six\u2028", "\u0000\u001f\u007f")


def table(number: int) -> str:
    """A table id, by number."""
    return f"00-{number:016d}"


def versions(table: str, seq: int, note: str = "") -> dict[str, bytes]:
    """Versions of an entry: one, two, or several, in turn, with text that is easily spoilt."""
    body = {"table": table, "seq": seq, "by": seq % 4, "text": TEXTS[seq % len(TEXTS)], "note": note}
    found = {FULL: canonical.encode({**body, "secret": seq})}
    if seq % 2 == 0:
        found[PUBLIC] = canonical.encode({**body, "secret": None})
    if seq % 4 == 0:
        found |= {str(seat): canonical.encode({**body, "secret": seat}) for seat in (0, 2, 11)}
    return found


def entry(table: str, seq: int, before: bytes = ZERO, note: str = "") -> Entry:
    """The entry `seq` of that table."""
    return seal(seq, before, versions(table, seq, note), sha256(f"{table} {seq} {note}".encode()).digest())


def entries(table: str, count: int, after: Entry | None = None) -> list[Entry]:
    """The next `count` entries of that table."""
    found = [] if after is None else [after]
    while len(found) < count + (after is not None):
        found.append(entry(table, found[-1].seq + 1, found[-1].head) if found else entry(table, 1))
    return found[after is not None :]


def command(table: str, key: object) -> bytes:
    """The command id of a player at that table."""
    return command_id("anna", table, str(key))


def check_log(log: Iterable[Entry]) -> None:
    """Assert that these are the entries 1, 2, 3... of one log, each whole and in its place in the chain."""
    head = ZERO
    for seq, kept in enumerate(log, 1):
        assert kept.seq == seq
        check_entry(kept, head)
        head = kept.head
