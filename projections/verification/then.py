"""Entries of an old form: the versions that their readers were shown then, held against what redaction makes today.

The chain is over stored bytes, so what was hidden must have been hidden in the old form: null in some of its fields, and
each version, told today, is just what redaction makes of the full one, told today.
"""

from functools import partial
from typing import Any

from events import chain
from events.archive import Line
from events.entry import FULL, Entry
from games.table.redact import versions
from games.table.rules import Rules
from games.table.state import Body
from projections import codec
from projections.upcasting import Misread
from projections.verification.adjudication import as_stored, redacted
from projections.verification.pieces import Wrong


def shown_then(rules: Rules, told: Body[Any], full: bytes, seats: int, entry: Entry | Line) -> dict[str, bytes] | None:
    """The bytes of every version of an entry of an old form, if its readers were shown what they should have been; else
    None, and also for an entry that has today's form. `told`: the whole body as it is told today.
    """
    try:
        if codec.today(rules, told.seq, full) is None:
            return None
        made = versions(rules, told, seats)
        names = entry.commits if isinstance(entry, Line) else entry.versions
        return codec.versions_then(rules, full, made, seats, names, partial(_had, entry))
    except (codec.Unreadable, Misread):
        return None
    except Exception:  # noqa: BLE001  (rules may fail in any way on what they never wrote)
        raise Wrong("unreadable", "The rules cannot say who may read what of this entry.") from None


def _had(entry: Entry | Line, name: str, data: bytes) -> bool:
    """Whether the entry's version of that name has these bytes."""
    if isinstance(entry, Entry):
        return entry.versions.get(name) == data
    return chain.commit(chain.derive(entry.salt, name), data) == entry.commits.get(name)


def versions_in(rules: Rules, line: Line, seats: int) -> dict[str, bytes]:
    """The bytes of every version of an entry, from its line in an archive for all that was verified.

    Raises:
        Wrong: these rules cannot read it.
    """
    body = as_stored(rules, line.seq, line.body)
    then = shown_then(rules, body, line.body, seats, line)
    return {FULL: line.body, **(redacted(rules, body, seats) if then is None else then)}
