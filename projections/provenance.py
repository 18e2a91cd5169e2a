"""Where a fork comes from: its log, held against the log of the table that it says it goes on from. Needs both archives.

A fork's own verification shows that the rules lead from what came along to where it ended. Only the other log can show
that what came along is what counted there.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from events import canonical
from events.archive import MAX_LINE, Header, Line, read
from games import Catalogue
from games.table.events import Created, ForkedFrom
from games.table.resuming import carried
from games.table.rules import Rules
from games.table.state import Table, fold
from projections import codec

Reason = Literal[
    "no_fork", "other_parent", "parent_shorter", "other_head", "unlike_parent", "carried_differs", "unreadable",
    "not_all", "rules_not_shipped", "not_begun",
]  # fmt: skip

UNCHECKED: tuple[Reason, ...] = ("not_all", "rules_not_shipped", "not_begun")
"""Nothing is known to be wrong, but what came along was not compared: one of the archives is not the open log, or the
rules are not at hand, or the fork has not begun.
"""


class Descent(msgspec.Struct, frozen=True):
    """Whether a fork comes from that entry of that table. `carried`: how many events came along, and are what counted
    there; `why`: what does not hold (not `ok`), or what keeps it from being checked (see `UNCHECKED`).
    """

    parent: str
    seq: int | None
    ok: bool
    carried: int
    why: Reason | None


class _Stop(Exception):  # noqa: N818  (it is said of two logs)
    """There is nothing more to compare."""

    def __init__(self, why: Reason) -> None:
        super().__init__(why)
        self.why: Reason = why


def descent(fork: Iterable[bytes], parent: Iterable[bytes], catalogue: Catalogue, limit: int = MAX_LINE) -> Descent:
    """What holds of the two archives together, each in pieces of any size. That the fork's log holds by itself is
    another check (`projections.verification`); of the parent's the chain is checked, which is bound by the head.

    Raises:
        events.archive.Broken: one of them cannot be read.
    """
    own, lines = read(fork, limit)
    header, others = read(parent, limit)
    seq: int | None = None
    try:
        opened = _created(next(lines))
        origin = _origin(opened)
        seq = origin.seq
        before = _up_to(origin, header, others)
        _check_like(opened, _created(before[0]))
        _check_open(own, header)
        rules = _rules(catalogue, header)
        count = _compare(_came_along(rules, lines), before, rules)
    except _Stop as stop:
        return Descent(header.table, seq, stop.why in UNCHECKED, 0, stop.why)
    return Descent(header.table, seq, ok=True, carried=count, why=None)


def _created(line: Line) -> Created:
    try:
        return codec.created(line.body)
    except codec.Unreadable:
        raise _Stop("unreadable") from None


def _origin(opened: Created) -> ForkedFrom:
    if opened.forked_from is None:
        raise _Stop("no_fork")
    return opened.forked_from


def _check_open(*headers: Header) -> None:
    """What came along is hidden in the logs of single readers."""
    if any(header.audience != "all" for header in headers):
        raise _Stop("not_all")


def _up_to(origin: ForkedFrom, header: Header, lines: Iterator[Line]) -> list[Line]:
    """The lines of the other log up to the entry that the fork goes on from."""
    if header.table != origin.table:
        raise _Stop("other_parent")
    found = list(lines)
    if len(found) < origin.seq:
        raise _Stop("parent_shorter")
    if origin.seq < 1 or found[origin.seq - 1].head.hex() != origin.head:
        raise _Stop("other_head")
    return found[: origin.seq]


def _check_like(fork: Created, parent: Created) -> None:
    """The same is played, by the same rules, in the same house."""
    for name in ("game", "rules", "seats", "options", "house"):
        if getattr(fork, name) != getattr(parent, name):
            raise _Stop("unlike_parent")


def _rules(catalogue: Catalogue, header: Header) -> Rules:
    if not catalogue.has(header.game, header.rules):
        raise _Stop("rules_not_shipped")
    return catalogue.rules(header.game, header.rules)


def _came_along(rules: Rules, lines: Iterator[Line]) -> list[Any]:
    """The events that came along, as plain values."""
    for line in lines:
        action = codec.action_in(line.body, rules)
        if action.get("type") == "resume":
            return list(action["events"])
    raise _Stop("not_begun")


def _compare(came: list[Any], before: list[Line], rules: Rules) -> int:
    """How many events came along; they are those that counted."""
    table: Table | None = None
    try:
        for line in before:
            table = fold(rules, table, codec.decode(rules, line.seq, line.body))
    except Exception:  # noqa: BLE001  (rules may fail in any way on what they never wrote)
        raise _Stop("unreadable") from None
    counted = () if table is None else carried(rules, table)
    if [canonical.encode(event) for event in came] != [canonical.encode(event) for event in counted]:
        raise _Stop("carried_differs")
    return len(came)
