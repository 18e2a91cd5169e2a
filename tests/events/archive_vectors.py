"""Makes tests/golden/vectors/archive.json: tiny archives, and what is wrong with others that differ in one place.

    .venv/bin/python -m tests.events.archive_vectors

A broken archive is one of the whole ones with the bytes from `cut[0]` to `cut[1]` replaced by `put`.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from events import archive, canonical, chain
from events.entry import FULL, PUBLIC, Entry
from events.receipts import SigningKey, sign

PATH = Path(__file__).parents[1] / "golden" / "vectors" / "archive.json"
KEY, OTHER = SigningKey(bytes(range(32))), SigningKey(bytes(range(1, 33)))
TABLE, SEATS = "00-archivevectors22", 3
AUDIENCES: tuple[archive.Audience, ...] = ("all", "public", 1)

ABOUT = (
    "Vectors for archives (docs/archive.md). `archives`: whole ones, with the heads, versions and bodies to be read from them. "
    "`broken`: the text of the archive named by `of` in UTF-8, its bytes from cut[0] up to cut[1] replaced by `put`, is wrong in that "
    "`line` for that `reason`. `receipts`: a whole archive and a genuine receipt by the same key, with what is wrong (line and reason "
    "null: nothing). Hex is lowercase."
)


def versions(seq: int) -> dict[str, bytes]:
    """Entry 2 hides a text from all but seat 1, entry 3 from all but seats 0 and 2; the text is easily spoilt."""
    created = {"type": "created", "game": "senet", "rules": 1, "seats": SEATS}
    texts = {1: None, 2: 'Quid "novi"? \\ 無罪 \x7f', 3: "é\u0301🎲\n", 4: ""}
    events = [created] if seq == 1 else [{"type": "said", "text": texts[seq]}]
    body = {"table": TABLE, "seq": seq, "at": 1_700_000_000_000 + seq, "by": seq % SEATS, "action": {"type": "say"}}
    hidden = [{"type": "said", "text": None}]
    full, less = canonical.encode({**body, "events": events}), canonical.encode({**body, "events": hidden})
    readers = {2: ("1",), 3: ("0", "2")}.get(seq, ())
    return {FULL: full, **({PUBLIC: less, **dict.fromkeys(readers, full)} if readers else {})}


def log() -> list[Entry]:
    """Four entries in one chain."""
    found: list[Entry] = []
    for seq in range(1, 5):
        before = found[-1].head if found else chain.ZERO
        found.append(chain.seal(seq, before, versions(seq), sha256(b"vector %d" % seq).digest()))
    return found


LOG = log()


def written(audience: archive.Audience, key: SigningKey = KEY) -> str:
    header = archive.close(key, TABLE, audience, "senet", 1, SEATS, len(LOG), LOG[-1].head)
    return b"".join(archive.write(header, LOG)).decode()


def whole() -> Iterator[dict[str, Any]]:
    """The archives, with what is to be read from them."""
    for audience in AUDIENCES:
        data = written(audience)
        _, lines = archive.read([data.encode()])
        read = list(lines)
        yield {
            "name": str(audience),
            "audience": audience,
            "text": data,
            "heads": [line.head.hex() for line in read],
            "versions": [line.version for line in read],
            "bodies": [line.body.decode() for line in read],
        }


class Spoiler:
    """Spoils one archive in one place after the other."""

    def __init__(self, audience: archive.Audience) -> None:
        self.name, self.text = str(audience), written(audience)
        self.lines = self.text.splitlines(keepends=True)
        self.starts = [len("".join(self.lines[:number]).encode()) for number in range(len(self.lines) + 1)]

    def _made(self, name: str, cut: tuple[int, int], put: str, line: int, reason: str) -> dict[str, Any]:
        return {"name": name, "of": self.name, "cut": list(cut), "put": put, "line": line, "reason": reason}

    def swap(self, name: str, number: int, old: str, new: str, reason: str, line: int | None = None) -> dict[str, Any]:
        """The first `old` in line `number` (from 1) becomes `new`."""
        before, found, _ = self.lines[number - 1].partition(old)
        assert found, (name, old)
        start = self.starts[number - 1] + len(before.encode())
        return self._made(name, (start, start + len(old.encode())), new, line or number, reason)

    def lines_become(self, name: str, first: int, last: int, put: list[int], line: int, reason: str) -> dict[str, Any]:
        """The lines `first` to `last` become those with these numbers."""
        text = "".join(self.lines[number - 1] for number in put)
        return self._made(name, (self.starts[first - 1], self.starts[last]), text, line, reason)

    def field(self, number: int, name: str) -> str:
        """A field that is text, as it stands in the line."""
        return str(json.loads(self.lines[number - 1])[name])

    def end(self, name: str, put: str, line: int, reason: str, back: int = 0) -> dict[str, Any]:
        """Something else at the end."""
        return self._made(name, (self.starts[-1] - back, self.starts[-1]), put, line, reason)


def broken() -> Iterator[dict[str, Any]]:
    """What can be wrong, at least once each."""
    for audience in AUDIENCES:
        one = Spoiler(audience)
        yield one.swap("a character of a body", 3, "said", "sald", "head")
        yield one.swap("the time in a body", 4, "1700000000003", "1700000000004", "head")
        yield one.swap("another salt", 2, one.field(2, "salt"), one.field(3, "salt"), "head")
        yield one.swap("the head of another line", 5, one.field(5, "head"), one.field(4, "head"), "head")
        yield one.lines_become("a line left out", 3, 3, [], 3, "place")
        yield one.lines_become("a line twice", 3, 3, [3, 3], 4, "place")
        yield one.lines_become("two lines in the other order", 3, 4, [4, 3], 3, "place")
        yield one.lines_become("the last line left out", 5, 5, [], 5, "too_few_lines")
        yield one.end("a line more", one.lines[-1], 6, "too_many_lines")
        yield one.end("cut off before the last line break", "", 5, "no_newline", 1)
        yield one.swap("a signature by another key", 1, one.field(1, "signature"), signed_by(OTHER), "signature")
        yield one.swap("the key of another", 1, one.field(1, "public_key"), OTHER.public.hex(), "signature")
        yield one.swap("the head in the header", 1, one.field(1, "head"), one.field(2, "head"), "last_head", 5)
        yield one.swap("fewer entries in the header", 1, '"last_seq":4', '"last_seq":3', "too_many_lines", 5)
        yield one.swap("another number of seats in the header", 1, '"seats":3', '"seats":4', "unlike_header", 1)
    yield from _spelt_wrong(Spoiler(1))
    yield from _of_others(Spoiler("public"))


def signed_by(key: SigningKey) -> str:
    return json.loads(written("all", key).splitlines()[0])["signature"]


def _spelt_wrong(one: Spoiler) -> Iterator[dict[str, Any]]:
    """Bytes that would mean nothing: there is one way to write a line."""
    yield one.swap("a space after a comma", 3, ',"salt"', ', "salt"', "spelling")
    yield one.swap("a space in the body", 3, '"at":', '"at": ', "not_canonical")
    yield one.swap("an escape that is not needed", 3, "said", "\\u0073aid", "not_canonical")
    yield one.swap("hex in capitals", 3, one.field(3, "salt"), one.field(3, "salt").upper(), "hex")
    yield one.swap("hex that is too short", 2, one.field(2, "salt"), one.field(2, "salt")[2:], "hex")
    yield one.swap("a field that does not belong there", 2, ',"salt"', ',"x":1,"salt"', "fields")
    yield one.swap("a field that is missing", 2, f',"salt":"{one.field(2, "salt")}"', "", "fields")
    yield one.swap("a field of another type", 2, f'"{one.field(2, "salt")}"', "7", "types")
    yield one.swap("the version that goes without saying", 2, ',"salt"', ',"version":"full","salt"', "spelling")
    yield one.swap("no JSON", 4, '{"body"', '["body"', "not_json")
    yield one.swap("an empty line", 4, '{"body"', '\n{"body"', "not_json")
    yield one.swap("a header with a space", 1, ',"table"', ', "table"', "spelling")
    yield one.swap("a line that is no header", 1, "comitium_archive", "another_archive", "not_an_archive")
    yield one.swap("a format of tomorrow", 1, '"comitium_archive":1', '"comitium_archive":2', "newer_format")
    yield one.swap("a format that never was", 1, '"comitium_archive":1', '"comitium_archive":0', "not_an_archive")
    yield one.swap("a reader who has no seat there", 1, '"audience":1', '"audience":3', "header")
    yield one.swap("a table that cannot be", 1, TABLE, "00-", "header")
    yield one.swap("a body that is no entry's", 3, one.lines[2].partition(',"version"')[0], '{"body":{}', "body")


def _of_others(one: Spoiler) -> Iterator[dict[str, Any]]:
    """Lines that are right elsewhere: chain and head hold, but they are not owed to this reader."""
    seat, everybody = Spoiler(1), Spoiler("all")
    yield one.swap("a line that is owed to another", 3, one.lines[2], seat.lines[2], "version")
    yield one.swap("the full version with its salt", 3, one.lines[2], _full_line(), "version")
    yield one.swap("the line of the open log", 3, one.lines[2], everybody.lines[2], "version")
    yield one.swap("an audience that is not the one", 1, '"audience":"public"', '"audience":1', "version", 3)
    yield one.swap("the open log claimed", 1, '"audience":"public"', '"audience":"all"', "head", 2)
    yield one.swap("a commit too few", 3, f',"1":"{json.loads(one.lines[2])["commits"]["1"]}"', "", "head")
    yield one.swap("a version that nobody has", 3, ',"1":', ',"01":', "version")
    yield one.swap("a version of a seat too many", 3, ',"1":', ',"3":', "version")


def _full_line() -> str:
    reading = chain.read_as(LOG[1], "all")
    line = archive.Line(2, reading.version, reading.entry, reading.salt, reading.commits, reading.head)
    return (
        b"".join(archive.write(archive.close(KEY, TABLE, 1, "senet", 1, SEATS, 1, line.head), [_as_first(line)]))
        .decode()
        .splitlines(keepends=True)[1]
    )


def _as_first(line: archive.Line) -> archive.Line:
    """A writer asks for entry 1 first; the number stands in the body only."""
    return archive.Line(1, line.version, line.body, line.salt, line.commits, line.head)


def receipts() -> Iterator[dict[str, Any]]:
    """Receipts that were kept, beside the archive for all."""
    cases: list[tuple[str, int, bytes, int | None, str | None]] = [
        ("a receipt for an entry of this log", 2, LOG[1].head, None, None),
        ("a receipt for the last entry", 4, LOG[3].head, None, None),
        ("a receipt for another log", 3, LOG[1].head, 4, "forked"),
        ("a receipt for a later entry", 5, LOG[0].head, 5, "shorter_than_receipt"),
    ]
    for name, seq, head, line, reason in cases:
        made = sign(KEY, TABLE, seq, head)
        kept = {"table": TABLE, "seq": seq, "head": made.head, "key": made.key, "signature": made.signature}
        yield {"name": name, "of": "all", "receipt": kept, "line": line, "reason": reason}


def made() -> str:
    """The file."""
    found = {
        "about": ABOUT,
        "public_key": KEY.public.hex(),
        "archives": list(whole()),
        "broken": list(broken()),
        "receipts": list(receipts()),
    }
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PATH.write_text(made(), encoding="utf-8")
