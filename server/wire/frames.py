"""Frames: one entry as one audience receives it, on every transport. docs/wire.md describes them.

An entry goes to every seat of its table at once, so what its frames have in common is encoded once: the changes
around the game, the game's changes per state that audiences share, and whole frames where nothing differs.
"""

from typing import Any

import msgspec

from events.chain import read_as
from events.entry import Entry, Reading
from events.receipts import Receipt
from games.core import Audience
from projections.position import Position, version_for
from projections.view import View, changed, changed_game, view
from server.tables.history import Step
from server.wire.coding import Coding, encode, prepared, verbatim


class EntryFields(msgspec.Struct, frozen=True):
    """An entry in its reader's version."""

    seq: int
    version: str
    salt: str
    commits: dict[str, str]
    leaf: str
    head: str
    entry: msgspec.Raw | bytes


class Frame(EntryFields, frozen=True, omit_defaults=True):
    """An entry with what it changed for this reader; `view` instead where all has changed."""

    since: int
    to_act: tuple[int, ...]
    changed: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    view: View | msgspec.UnsetType = msgspec.UNSET
    asks: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class FirstFrame(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a follower begins: the whole view."""

    seq: int
    head: str
    view: View
    asks: tuple[Any, ...]
    since: int
    to_act: tuple[int, ...]
    resumed_from: int | None = None


class ReceiptFields(msgspec.Struct, frozen=True):
    table: str
    seq: int
    head: str
    key: str
    signature: str


class Answered(EntryFields, frozen=True):
    """The answer to an accepted action over REST."""

    receipt: ReceiptFields


class News:
    """A step on its way to its table's followers."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self._frames: dict[object, bytes] = {}
        self._parts: dict[object, msgspec.Raw] = {}
        self._around: dict[str, Any] | None = None

    def frame(self, audience: Audience, coding: Coding, *, whole: bool = False) -> bytes:
        """The frame for that audience, encoded; `whole`: with the whole view, for a reader who just changed places."""
        before, after = self.step.before, self.step.after
        name = version_for(self.step.entry.versions, audience)
        old_asks = None if before is None else before.asks_of(audience)
        whole = whole or after.whole or before is None
        kept = not whole and old_asks == after.asks_of(audience)
        sights = (id(before and before.sight(audience)), id(after.sight(audience)))
        same = (coding, name, sights, after.since_of(audience), None if kept else (audience, whole))
        found = self._frames.get(same)
        if found is None:
            found = encode(coding, self._build(audience, coding, kept=kept, whole=whole))
            self._frames[same] = found
        return found

    def _build(self, audience: Audience, coding: Coding, *, kept: bool, whole: bool) -> Frame:
        after = self.step.after
        fields = entry_fields(read_as(self.step.entry, audience), coding)
        return Frame(
            **fields,
            since=after.since_of(audience),
            to_act=after.table.course.to_act,
            changed=msgspec.UNSET if whole else self._changed(audience, coding),
            view=view(after, audience) if whole else msgspec.UNSET,
            asks=msgspec.UNSET if kept else prepared(coding, after.asks_of(audience)),
        )

    def _changed(self, audience: Audience, coding: Coding) -> msgspec.Raw:
        before, after = self.step.before, self.step.after
        if before is None:
            raise LookupError("the first entry has no entry before it")
        old, new = before.sight(audience), after.sight(audience)
        key = (coding, id(old), id(new))
        if key not in self._parts:
            if self._around is None:
                self._around = changed(before, after)
            game = changed_game(old, new)
            self._parts[key] = prepared(coding, {**self._around, "game": game} if game else self._around)
        return self._parts[key]


def entry_fields(reading: Reading, coding: Coding) -> dict[str, Any]:
    """The fields of an entry on the wire."""
    return {
        "seq": reading.seq,
        "version": reading.version,
        "salt": reading.salt.hex(),
        "commits": {name: commit.hex() for name, commit in reading.commits.items()},
        "leaf": reading.leaf.hex(),
        "head": reading.head.hex(),
        "entry": verbatim(coding, reading.entry),
    }


def first_frame(position: Position, audience: Audience, resumed_from: int | None = None) -> FirstFrame:
    """The whole view, for a follower who begins, or who missed too much since `resumed_from`."""
    return FirstFrame(
        position.seq,
        position.head.hex(),
        view(position, audience),
        position.asks_of(audience),
        position.since_of(audience),
        position.table.course.to_act,
        resumed_from,
    )


def answered(entry: Entry, receipt: Receipt, audience: Audience, coding: Coding) -> Answered:
    """The 201 answer of an accepted action."""
    return Answered(**entry_fields(read_as(entry, audience), coding), receipt=receipt_fields(receipt))


def receipt_fields(receipt: Receipt) -> ReceiptFields:
    """The receipt on the wire."""
    return ReceiptFields(receipt.table, receipt.seq, receipt.head, receipt.key, receipt.signature)
