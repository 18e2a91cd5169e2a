"""What must not be in the bytes that reach somebody, and a scanner that finds it there.

    ear.hear(seq, way, data)                     # what reached him when the log had come to entry `seq`
    truth = Truth(rules, entries, words)         # the whole log, as the store has it
    assert leaks(ear, truth) == []

Two nets. *By bytes*: seed, key, tokens, salts and every hidden text, wherever they stand and in whatever spelling. *By
structure*: whatever looks like an entry, an event, a view, asks or a salt must be what this reader is owed, and that is
worked out from nothing but the versions that are his. So small numbers, which say nothing as bytes, are compared, too.
"""

import base64
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, cached_property
from typing import Any, NamedTuple

import msgspec

from events.chain import derive, version_for
from events.entry import FULL, Entry
from games.chance import table_key
from games.core import Audience, tag_of
from games.table.asks import asks
from games.table.rules import Rules, members
from games.table.state import Table, windows
from projections import codec
from projections.position import Position, advance
from projections.view import view

SHORTEST = 6
"""Characters of a hidden text that is looked for by its bytes. Shorter ones come about by chance."""

HASH = re.compile(rb"[0-9A-Fa-f]{64,}")
VIEW = {"table", "seq", "head", "status", "seat", "game"}
BODY = {"table", "seq", "at", "by", "action", "events"}
ENTRY = {"version", "salt", "commits", "head"}
ASK = {"fields", "must"}

MSGPACK = "application/msgpack"


class Heard(NamedTuple):
    """What reached somebody, by which way, when the log had come to entry `seq`."""

    seq: int
    way: str
    data: bytes


class Ear:
    """Somebody, and all that has reached him. `seat`: his own. `shut`: the table is not there for him."""

    def __init__(self, name: str, seat: Audience = None, token: str | None = None, *, shut: bool = False) -> None:
        self.name, self.seat, self.token, self.shut = name, seat, token, shut
        self.heard: list[Heard] = []
        self.seen: list[dict[str, Any]] = []
        """Views that he has put together from frames."""

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def headers(self) -> dict[str, str]:
        return {} if self.token is None else {"Authorization": f"Bearer {self.token}"}

    def hear(self, seq: int, way: str, data: bytes) -> None:
        self.heard.append(Heard(seq, way, data))

    @property
    def whole(self) -> bytes:
        return b"\n".join([heard.data for heard in self.heard])


class World:
    """A table as it is for one audience: folded from the bytes that it is owed, and from nothing else."""

    def __init__(self, rules: Rules, entries: list[Entry], audience: Audience) -> None:
        self.rules, self.audience = rules, audience
        self.owed = [version_for(entry.versions, audience) for entry in entries]
        self.raw = [entry.versions[name] for entry, name in zip(entries, self.owed, strict=True)]
        self.bodies = [json.loads(data) for data in self.raw]
        self.positions: list[Position] = []
        for entry, data in zip(entries, self.raw, strict=True):
            before = self.positions[-1] if self.positions else None
            body = codec.decode(rules, entry.seq, data)
            self.positions.append(advance(rules, before, {FULL: body}, entry.head, to_act=False))

    def table(self, seq: int) -> Table:
        return self.positions[seq - 1].table

    @cache  # noqa: B019  (as long as the test)
    def view(self, seq: int) -> Any:
        return plain(view(self.positions[seq - 1], self.audience))

    @cache  # noqa: B019  (as long as the test)
    def asks(self, seq: int) -> Any:
        if self.audience is None:
            return []
        table = self.table(seq)
        return plain(asks(self.rules, table, self.audience, windows(self.rules, table.course)))


class Truth:
    """The whole log of a table. `words`: what anybody may read of the game; `never`: what nobody else may ever read."""

    def __init__(
        self, rules: Rules, entries: list[Entry], words: str, never: Iterable[str] = (), *, private: bool = False
    ) -> None:
        self.rules, self.entries, self.words, self.private = rules, entries, words, private
        self.never = [text.encode() for text in never]
        actions = [kind for kind in members(rules.AnyAction) if kind.sealed]
        self.sealed = {tag_of(kind) for kind in actions}
        self.kinds = {tag_of(kind): kind for kind in members(rules.Event)}
        self.full = [json.loads(entry.versions[FULL]) for entry in entries]
        record = self._all.positions[-1].table.record
        self.seed = str(record.seed)
        self.key = table_key(bytes.fromhex(self.seed), record.table, [holder.entropy for holder in record.holders])
        overs = [position.seq for position in self._all.positions if position.table.over]
        self.over = overs[0] if overs else len(entries) + 1

    @cached_property
    def _all(self) -> World:
        whole = [msgspec.structs.replace(entry, versions={FULL: entry.versions[FULL]}) for entry in self.entries]
        return World(self.rules, whole, None)

    @cache  # noqa: B019  (as long as the test)
    def world(self, audience: Audience) -> World:
        return World(self.rules, self.entries, audience)

    def opens_to(self, ear: Ear) -> bool:
        """Whether the whole log will be his to read after the end."""
        return not ear.shut and (not self.private or ear.seat is not None)

    def opened(self, ear: Ear, seq: int) -> bool:
        return seq >= self.over and self.opens_to(ear)

    def is_told(self, value: dict[str, Any]) -> bool:
        """Whether the object is an event, or an action that is for its actor alone."""
        name, fields = value.get("type"), value.keys() - {"type"}
        if isinstance(name, str) and name in self.sealed:
            return bool(fields - ASK)
        kind = self.kinds.get(name) if isinstance(name, str) else None
        if kind is None:
            return False
        all_fields = {field.encode_name: field.required for field in msgspec.structs.fields(kind)}
        return {name for name, required in all_fields.items() if required} <= fields <= all_fields.keys()

    # --- By bytes ------------------------------------------------------------------------------------

    def hashes(self, ear: Ear) -> Iterator[tuple[str, str, int]]:
        """Hex that he must not have before the log has come to some entry: what it is, the digits, the entry."""
        end = self.over if self.opens_to(ear) else len(self.entries) + 2
        yield "seed", self.seed, self.over if not ear.shut else end
        yield "key", self.key.hex(), self.over if not ear.shut else end
        owed = self.world(ear.seat).owed
        for entry, own in zip(self.entries, owed, strict=True):
            yield f"salt of entry {entry.seq}", entry.salt.hex(), end
            for name in entry.versions:
                if name != own or ear.shut:
                    yield f"salt of version {name} of entry {entry.seq}", derive(entry.salt, name).hex(), end

    def texts(self, ear: Ear) -> Iterator[tuple[str, str, int]]:
        """Texts that he must not have before the log has come to some entry."""
        world, end = self.world(ear.seat), self.over if self.opens_to(ear) else len(self.entries) + 2
        known: dict[str, int] = {}
        for body in () if ear.shut else world.bodies:
            for text in strings(body):
                known.setdefault(text, body["seq"])
        for body in self.full:
            for text in set(strings(body)):
                until = min(known.get(text, end), end)
                if (until > body["seq"] or ear.shut) and self._is_secret(text):
                    yield f"text of entry {body['seq']}", text, until

    def _is_secret(self, text: str) -> bool:
        """Some texts are everybody's own: the words of the game, hashes (which are looked for as such)."""
        return len(text) >= SHORTEST and text not in self.words and not HASH.fullmatch(text.encode())


def strings(value: Any) -> Iterator[str]:
    """Every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings(item)


def plain(value: Any) -> Any:
    """As it is after its way over the wire."""
    return json.loads(msgspec.json.encode(value))


def spellings(text: str) -> set[bytes]:
    """A text as it may stand in bytes."""
    return {text.encode(), json.dumps(text)[1:-1].encode(), text.encode("utf-16-le"), *in_base64(text.encode())}


def in_base64(data: bytes) -> Iterator[bytes]:
    """What of it stands in base64, wherever it begins in what was encoded; too little of it says nothing."""
    for skipped in range(3):
        whole = (len(data) - skipped) // 3 * 3
        if whole >= SHORTEST:
            yield base64.b64encode(data[skipped : skipped + whole])
            yield base64.urlsafe_b64encode(data[skipped : skipped + whole])


def leaks(ear: Ear, truth: Truth) -> list[str]:
    """Everything that has reached him and should not have."""
    return [*_bytes(ear, truth), *_structures(ear, truth)]


class Reel:
    """All that somebody has heard in one piece, in which one can tell up to where it came before some entry."""

    def __init__(self, heard: list[Heard]) -> None:
        self.heard = heard
        self.data = b"\n".join([each.data for each in heard])
        self.hashes: dict[bytes, int] = {}
        for each in heard:
            for run in HASH.findall(each.data):
                for start in range(len(run) - 63):
                    self.hashes.setdefault(run[start : start + 64].lower(), each.seq)

    def end(self, seq: int) -> int:
        """How much of it came before that entry."""
        return sum(len(each.data) + 1 for each in self.heard if each.seq < seq)


def _bytes(ear: Ear, truth: Truth) -> Iterator[str]:
    reel = Reel(ear.heard)
    for text in truth.never:
        if text != (ear.token or "").encode() and text in reel.data:
            yield f"{ear}: a token or key"
    for what, digits, until in truth.hashes(ear):
        if reel.hashes.get(digits.encode(), until) < until:
            yield f"{ear}: {what} before entry {until}, in hex"
        if what in ("seed", "key") or what.startswith("salt of entry"):
            raw = bytes.fromhex(digits)
            for form in (raw, *(in_base64(raw) if what in ("seed", "key") else ())):
                if form in reel.data and reel.data.find(form, 0, reel.end(until)) >= 0:
                    yield f"{ear}: {what} before entry {until}, as bytes"
    for what, text, until in truth.texts(ear):
        end = reel.end(until)
        if any(form in reel.data and reel.data.find(form, 0, end) >= 0 for form in spellings(text)):
            yield f"{ear}: {what} before entry {until}: {text}"


# --- By structure -------------------------------------------------------------------------------------


def _structures(ear: Ear, truth: Truth) -> Iterator[str]:
    events: dict[bool, set[str]] = {}
    for open_ in (False, True):
        bodies = [*(() if ear.shut else truth.world(ear.seat).bodies), *(truth.full if open_ else ())]
        events[open_] = {_spelt(each) for body in bodies for each in (*body["events"], body["action"])}
    checked: set[tuple[bool, str]] = set()
    for heard in ear.heard:
        is_open = truth.opened(ear, heard.seq)
        for message in messages(heard):
            for value in dictionaries(message):
                found = _wrong(ear, truth, value, events[is_open], is_open=is_open)
                if found and (is_open, found) not in checked:
                    checked.add((is_open, found))
                    yield f"{ear} at {heard.seq} by {heard.way}: {found}"
    for seen in ear.seen:
        if found := _wrong_view(ear, truth, seen, is_open=False):
            yield f"{ear} by frames: {found}"


def messages(heard: Heard) -> Iterator[Any]:
    """What was received, as values: every line of it that is JSON, or what it is in MessagePack."""
    if heard.way.endswith("msgpack"):
        yield msgspec.msgpack.decode(heard.data)
        return
    for line in heard.data.splitlines():
        text = line.removeprefix(b"data: ")
        if text[:1] in (b"{", b"["):
            with suppress(msgspec.DecodeError):  # a line of a log, or of a picture
                yield msgspec.json.decode(text)


def dictionaries(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a value, and in the entries that stand in it as bytes."""
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from dictionaries(item)
    elif isinstance(value, list):
        for item in value:
            yield from dictionaries(item)
    elif isinstance(value, bytes) and value[:1] == b"{":
        yield from dictionaries(msgspec.json.decode(value))


def _spelt(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _wrong(ear: Ear, truth: Truth, value: dict[str, Any], events: set[str], *, is_open: bool) -> str:
    """What is wrong with an object that this reader has."""
    if value.keys() >= BODY:
        return _wrong_body(ear, truth, value, is_open=is_open)
    if value.keys() >= VIEW:
        return _wrong_view(ear, truth, value, is_open=is_open)
    if value.keys() >= ENTRY and "seq" in value:
        return _wrong_entry(ear, truth, value, is_open=is_open)
    if truth.is_told(value):
        return "" if _spelt(value) in events else f"an event or sealed action that is not his: {value['type']}"
    if isinstance(value.get("asks"), list) and isinstance(value.get("seq"), int):
        return _wrong_asks(ear, truth, value)
    return ""


def _wrong_body(ear: Ear, truth: Truth, value: dict[str, Any], *, is_open: bool) -> str:
    seq = value["seq"]
    own = None if ear.shut else truth.world(ear.seat).bodies[seq - 1]
    is_fine = value == own or (is_open and value == truth.full[seq - 1])
    return "" if is_fine else f"the body of entry {seq} in a version that is not his"


def _wrong_view(ear: Ear, truth: Truth, value: dict[str, Any], *, is_open: bool) -> str:
    seq, seat = value["seq"], value["seat"]
    if ear.shut or (seat != ear.seat and not is_open):
        return f"the view of seat {seat}"
    wanted = truth.world(seat).view(seq)
    names = [name for name in wanted if value.get(name) != wanted[name]]
    return f"at entry {seq} the view of seat {seat} does not follow from its versions: {names}" if names else ""


def _wrong_entry(ear: Ear, truth: Truth, value: dict[str, Any], *, is_open: bool) -> str:
    seq, name = value["seq"], value["version"]
    own = "" if ear.shut else truth.world(ear.seat).owed[seq - 1]
    salt = derive(truth.entries[seq - 1].salt, name).hex()
    is_fine = (name == own or (is_open and name == FULL)) and value["salt"] == salt
    if not is_fine or ("root_salt" in value and not is_open):
        return f"entry {seq} in version {name}, or with a salt that is not for that"
    return ""


def _wrong_asks(ear: Ear, truth: Truth, value: dict[str, Any]) -> str:
    found = [ask for ask in value["asks"] if ask["type"] != "rule_dispute"]
    wanted = [] if ear.shut else truth.world(ear.seat).asks(value["seq"])
    return "" if found == wanted else f"asks at entry {value['seq']} that do not follow from what he knows"
