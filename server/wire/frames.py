"""Frames: one entry as one audience receives it, on every transport. docs/wire.md describes them.

An entry goes to every seat of its table at once, so what its frames have in common is encoded once: the changes
around the game, the game's changes per state that audiences share, and whole frames where nothing differs.
"""

from typing import Any, Literal

import msgspec

from events.chain import read_as
from events.entry import Entry, Reading
from events.receipts import Receipt
from games.core import Audience
from projections.position import Position
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


class Line(EntryFields, frozen=True, omit_defaults=True):
    """An entry of the log. Once the log is open, `root_salt` is what the salts of all its versions are derived from."""

    root_salt: str | msgspec.UnsetType = msgspec.UNSET


class Frame(EntryFields, frozen=True, omit_defaults=True):
    """An entry with what it changed for this reader; `view` instead where all has changed."""

    to_act: tuple[int, ...]
    since: int | msgspec.UnsetType = msgspec.UNSET
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


class ReceiptFields(msgspec.Struct, frozen=True, omit_defaults=True):
    """A receipt; `index` and `path` are there when it shares its signature with others (docs/wire.md)."""

    table: str
    seq: int
    head: str
    key: str
    signature: str
    index: int = 0
    path: tuple[str, ...] = ()


class Answered(EntryFields, frozen=True):
    """The answer to an accepted action over REST."""

    receipt: ReceiptFields


class News:
    """A step on its way to its table's followers."""

    def __init__(self, step: Step) -> None:
        self.step = step
        before, after = step.before, step.after
        self._whole = after.whole or before is None
        self._alike = before is not None and len(step.entry.versions) == 1 and before.shared and after.shared
        self._frames: dict[object, bytes] = {}
        self._parts: dict[object, msgspec.Raw] = {}
        self._around: dict[str, Any] | None = None

    def frame(self, audience: Audience, coding: Coding, *, whole: bool = False) -> bytes:
        """The frame for that audience, encoded; `whole`: with the whole view, for a reader who just changed places."""
        whole = whole or self._whole
        since = self.step.after.since_of(audience)
        key = (coding, whole, self._alike_as(audience, whole=whole), None if coding == "json" else since)
        found = self._frames.get(key)
        if found is None:
            found = self._frames[key] = encode(coding, self._build(audience, coding, whole=whole))
        # Frames that are alike but for `since` are encoded once: in JSON it can be put in at the end.
        return b'%s,"since":%d}' % (found[:-1], since) if coding == "json" else found

    def _alike_as(self, audience: Audience, *, whole: bool) -> object:
        """What decides which frame the audience gets: itself, unless it knows what all know and its asks have stayed."""
        if audience is None:
            return "public"
        before, after = self.step.before, self.step.after
        if whole or not self._alike or before is None or after.asks[audience] is not before.asks[audience]:
            return audience
        return "alike"

    def _build(self, audience: Audience, coding: Coding, *, whole: bool) -> Frame:
        before, after = self.step.before, self.step.after
        kept = not whole and before is not None and before.asks_of(audience) is after.asks_of(audience)
        return Frame(
            **entry_fields(read_as(self.step.entry, audience), coding),
            since=msgspec.UNSET if coding == "json" else after.since_of(audience),
            to_act=after.table.to_act,
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


def line(entry: Entry, audience: Audience | Literal["all"], coding: Coding) -> Line:
    """The entry as the reader of the log gets it."""
    root_salt = entry.salt.hex() if audience == "all" else msgspec.UNSET
    return Line(**entry_fields(read_as(entry, audience), coding), root_salt=root_salt)


def first_frame(position: Position, audience: Audience, resumed_from: int | None = None) -> FirstFrame:
    """The whole view, for a follower who begins, or who missed too much since `resumed_from`."""
    return FirstFrame(
        position.seq,
        position.head.hex(),
        view(position, audience),
        position.asks_of(audience),
        position.since_of(audience),
        position.table.to_act,
        resumed_from,
    )


def answered(entry: Entry, receipt: Receipt, audience: Audience, coding: Coding) -> Answered:
    """The 201 answer of an accepted action."""
    return Answered(**entry_fields(read_as(entry, audience), coding), receipt=receipt_fields(receipt))


def receipt_fields(receipt: Receipt) -> ReceiptFields:
    """The receipt on the wire."""
    return ReceiptFields(
        receipt.table, receipt.seq, receipt.head, receipt.key, receipt.signature, receipt.index, receipt.path
    )
