"""Archives: a table's log as JSON Lines, which anybody can check without the server. docs/archive.md tells the format.

Line 1 is the header, with the server's signature over the last head; then comes a line for each entry, as one audience
may read it. Every line has one spelling: what is read is written again and compared, so no byte can be changed that
means nothing. Only the body keeps the bytes it was stored with. It is read line by line; nothing is held but the last head.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from events import canonical, chain, receipts
from events.entry import FULL, MAX_SEATS, ORDER, Entry, Reading
from events.ids import lane_of
from events.receipts import SigningKey

FORMAT = 1
"""The version of the format, in every header."""

MAX_LINE = 1 << 20
"""Bytes of a line, its end included, beyond which reading stops. No entry comes near it as long as the server's own limits stand."""

Audience = int | Literal["all", "public"]
"""Who reads: a seat, the public, or everybody after the end."""

Reason = Literal[
    "too_long", "no_newline", "not_json", "not_an_archive", "newer_format", "fields", "types", "hex", "spelling", "header",
    "too_few_lines", "too_many_lines", "body", "not_canonical", "place", "unlike_header", "version", "head", "last_head",
    "signature",
]  # fmt: skip
"""Why an archive is broken. docs/archive.md explains each."""


class Broken(ValueError):  # noqa: N818  (it is said of the archive)
    """The archive is not whole. `line`: where, from 1; `reason`: for programs; the sentence is for people."""

    def __init__(self, line: int, reason: Reason, sentence: str) -> None:
        super().__init__(f"line {line}: {sentence}")
        self.line = line
        self.reason: Reason = reason
        self.sentence = sentence


class Header(msgspec.Struct, frozen=True):
    """Line 1. `rules`: the version of the game's rules; `signature` (64 bytes) by `public_key` (32 bytes) over `head`."""

    table: str
    audience: Audience
    game: str
    rules: int
    seats: int
    last_seq: int
    head: bytes
    signature: bytes
    public_key: bytes

    @property
    def reader(self) -> chain.Audience:
        """The audience as the chain calls it."""
        return None if self.audience == "public" else self.audience


class Line(msgspec.Struct, frozen=True, gc=False):
    """An entry in an archive. `salt`: the entry's own where the audience is "all", else the one of this version."""

    seq: int
    version: str
    body: bytes
    salt: bytes
    commits: dict[str, bytes]
    """The commitment to each *other* version."""
    head: bytes


def close(
    key: SigningKey, table: str, audience: Audience, game: str, rules: int, seats: int, last_seq: int, head: bytes
) -> Header:
    """The header of an archive that ends with this head (32 bytes), signed."""
    signature = key.sign(receipts.message(table, last_seq, head.hex()))
    return Header(table, audience, game, rules, seats, last_seq, head, signature, key.public)


# --- Writing ------------------------------------------------------------------------------------------


class _WireHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    comitium_archive: int
    table: str
    audience: Audience
    game: str
    rules: int
    seats: int
    last_seq: int
    head: str
    signature: str
    public_key: str


class _WireLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    body: msgspec.Raw
    salt: str
    head: str
    version: str = FULL
    commits: dict[str, str] = {}


def write(header: Header, entries: Iterable[Entry | Reading | Line]) -> Iterator[bytes]:
    """The lines of the archive. For the audience "all" it takes whole entries (or lines of such an archive); for others
    also that audience's readings.

    Raises:
        ValueError: the entries are not 1, 2, ... to the header's last one and its head.
    """
    yield _header_line(header)
    seq, head = 0, chain.ZERO
    for entry in entries:
        line = _as_line(header, entry)
        seq, head = seq + 1, line.head
        if line.seq != seq:
            raise ValueError(f"entry {line.seq} stands where entry {seq} belongs")
        yield _entry_line(line)
    if (seq, head) != (header.last_seq, header.head):
        raise ValueError(f"the header closes the log at entry {header.last_seq}; the entries end otherwise, at {seq}")


def _as_line(header: Header, entry: Entry | Reading | Line) -> Line:
    if isinstance(entry, Line):
        return entry
    if isinstance(entry, Entry):
        reading = chain.read_as(entry, header.reader)
        salt = entry.salt if header.audience == "all" else reading.salt
        return Line(entry.seq, reading.version, reading.entry, salt, reading.commits, entry.head)
    if header.audience == "all":
        raise ValueError("an archive for all needs whole entries: a reading lacks the salt of the others")
    return Line(entry.seq, entry.version, entry.entry, entry.salt, entry.commits, entry.head)


def _header_line(header: Header) -> bytes:
    wire = _WireHeader(
        FORMAT, header.table, header.audience, header.game, header.rules, header.seats, header.last_seq,
        header.head.hex(), header.signature.hex(), header.public_key.hex(),
    )  # fmt: skip
    return msgspec.json.encode(wire) + b"\n"


def _entry_line(line: Line) -> bytes:
    version = "" if line.version == FULL else f',"version":"{line.version}"'
    commits = _commits_part(line.commits) if line.commits else ""
    rest = f'{version},"salt":"{line.salt.hex()}"{commits},"head":"{line.head.hex()}"}}\n'
    return b'{"body":' + line.body + rest.encode()


def _commits_part(commits: dict[str, bytes]) -> str:
    names = sorted(commits, key=ORDER.__getitem__)
    return ',"commits":{' + ",".join([f'"{name}":"{commits[name].hex()}"' for name in names]) + "}"


# --- Reading ------------------------------------------------------------------------------------------


def read(chunks: Iterable[bytes], limit: int = MAX_LINE) -> tuple[Header, Iterator[Line]]:
    """The header and the entries of an archive that comes in pieces of any size (an open file will do). Who has gone
    through all entries without an error has a whole log: each follows from the one before, and the signature closes it.

    Raises:
        Broken: at once for the header, else as the entries are taken.
    """
    reader, lines = Reader(), split(chunks, limit)
    first = next(lines, None)
    if first is None:
        raise Broken(1, "not_an_archive", "Nothing is here, not even a header.")
    return reader.open(first), _entries(reader, lines)


def _entries(reader: "Reader", lines: Iterator[bytes]) -> Iterator[Line]:
    for line in lines:
        yield reader.take(line)
    reader.close()


def split(chunks: Iterable[bytes], limit: int = MAX_LINE) -> Iterator[bytes]:
    """The lines of an archive, each with its end; of the pieces no more is kept than a line may be long.

    Raises:
        Broken: a line is longer than `limit` bytes, or the last one does not end.
    """
    rest, number = bytearray(), 1
    for chunk in chunks:
        rest += chunk
        if b"\n" in chunk:
            *whole, rest = rest.split(b"\n")
            for line in whole:
                _check_length(number, len(line), limit)
                yield bytes(line) + b"\n"
                number += 1
        _check_length(number, len(rest), limit)
    if rest:
        raise Broken(number, "no_newline", "The last line breaks off: it does not end with a line break.")


def _check_length(number: int, length: int, limit: int) -> None:
    if length >= limit:  # its end is one more byte
        raise Broken(number, "too_long", f"The line is longer than {limit} bytes.")


class Reader:
    """Reads an archive that is handed over line by line: `open` with the first, `take` with each other, then `close`."""

    def __init__(self) -> None:
        self._header: Header | None = None
        self._seq = 0
        self._head = chain.ZERO

    @property
    def header(self) -> Header:
        """Line 1."""
        if self._header is None:
            raise LookupError("no header has been read yet")
        return self._header

    def open(self, line: bytes) -> Header:
        """The header.

        Raises:
            Broken: it is none, or not one of this format.
        """
        self._header = _header(line)
        return self._header

    def take(self, line: bytes) -> Line:
        """The next entry, which follows from those before.

        Raises:
            Broken: it does not, or the line is not as this format writes it.
        """
        number, header = self._seq + 2, self.header
        if self._seq == header.last_seq:
            raise Broken(number, "too_many_lines", f"The header closes the log at entry {self._seq}; here is one more.")
        read = _line(number, line, self._seq + 1)
        _check_body(number, header, read)
        if self._seq == 0:
            _check_first(header, read)
        _check_version(number, header, read)
        if chain.advance(self._head, _leaf(header, read)) != read.head:
            sentence = "Body, salt and commits do not give the head that stands here: something in this line was changed, or lines before it are missing."
            raise Broken(number, "head", sentence)
        self._seq, self._head = read.seq, read.head
        return read

    def close(self) -> None:
        """There is nothing more.

        Raises:
            Broken: something is missing, or the signature does not close this log.
        """
        header, last = self.header, self._seq + 1
        if self._seq < header.last_seq:
            sentence = f"The header closes the log at entry {header.last_seq}; here it ends at {self._seq}."
            raise Broken(last + 1, "too_few_lines", sentence)
        if self._head != header.head:
            raise Broken(last, "last_head", "The last head is not the one that the header tells of.")
        digits, key = header.head.hex(), header.public_key
        closing = receipts.Receipt(header.table, self._seq, digits, receipts.key_id(key), header.signature.hex())
        try:
            receipts.verify(closing, key)
        except receipts.Forged:
            raise Broken(
                1, "signature", "The signature over the last head is not from the key that stands here."
            ) from None


def _header(line: bytes) -> Header:
    wire = _wire_header(line)
    header = Header(
        wire.table, wire.audience, wire.game, wire.rules, wire.seats, wire.last_seq,
        _hex(1, wire.head, 32), _hex(1, wire.signature, 64), _hex(1, wire.public_key, 32),
    )  # fmt: skip
    _check_spelling(1, line, _header_line(header), (wire.head, wire.signature, wire.public_key))
    try:
        lane_of(header.table)
    except ValueError:
        raise Broken(1, "header", "The header does not name a table.") from None
    is_seat = not isinstance(header.audience, int) or 0 <= header.audience < header.seats
    if not (is_seat and 1 <= header.seats <= MAX_SEATS and header.last_seq >= 1 and header.rules >= 1):
        raise Broken(1, "header", "The header tells of seats, rules or entries that cannot be.")
    return header


class _Format(msgspec.Struct):
    comitium_archive: int


_format_of = msgspec.json.Decoder(_Format).decode
_header_in = msgspec.json.Decoder(_WireHeader).decode
_line_in = msgspec.json.Decoder(_WireLine).decode
_anything_in = msgspec.json.Decoder().decode

_NUMBERS = re.compile(rb"[:\[,]-?\d+(?:[.eE]|(?<=\d{16}))")
"""What a number may look like that canonical JSON does not have; a text may hold the like, too."""


def _wire_header(line: bytes) -> _WireHeader:
    try:
        found = _format_of(line).comitium_archive
    except (msgspec.MsgspecError, RecursionError):
        raise Broken(1, "not_an_archive", "This is not the first line of an archive.") from None
    if found > FORMAT:
        raise Broken(1, "newer_format", f"The archive has format {found}; this reader knows formats up to {FORMAT}.")
    if found != FORMAT:
        raise Broken(1, "not_an_archive", "There is no such format.")
    try:
        return _header_in(line)
    except (msgspec.MsgspecError, RecursionError):
        raise _misshapen(1, line, _WireHeader) from None


def _line(number: int, line: bytes, seq: int) -> Line:
    try:
        wire = _line_in(line)
    except (msgspec.MsgspecError, RecursionError):
        raise _misshapen(number, line, _WireLine) from None
    commits = {name: _hex(number, digits, 32) for name, digits in wire.commits.items()}
    if not ORDER.keys() >= commits.keys() or wire.version not in ORDER:
        raise Broken(number, "version", "No entry has versions of such names.")
    salt, head = _hex(number, wire.salt, 32), _hex(number, wire.head, 32)
    read = Line(seq, wire.version, bytes(wire.body), salt, commits, head)
    written = _entry_line(read)
    if written != line:
        _check_spelling(number, line, written, (wire.salt, wire.head, *wire.commits.values()))
    return read


def _misshapen(number: int, line: bytes, shape: type[msgspec.Struct]) -> Broken:
    """Why a line could not be read, without a word of what stands there."""
    try:
        found = _anything_in(line)
    except (msgspec.MsgspecError, RecursionError):
        return Broken(number, "not_json", "The line is not JSON.")
    fields = msgspec.structs.fields(shape)
    needed = {field.encode_name for field in fields if field.required}
    if not isinstance(found, dict):
        return Broken(number, "types", "The line is not a JSON object.")
    if needed <= found.keys() <= {field.encode_name for field in fields}:
        return Broken(number, "types", "A field does not have the type that it should have.")
    return Broken(number, "fields", "A field is missing, or there is one that does not belong here.")


def _hex(number: int, digits: str, length: int) -> bytes:
    try:
        found = bytes.fromhex(digits)
    except ValueError:
        found = b""
    if len(found) != length:
        raise Broken(number, "hex", f"Where {length} bytes in hex belong, something else stands.")
    return found


def _check_spelling(number: int, line: bytes, written: bytes, digits: Iterable[str]) -> None:
    """There is one way to write a line: fields in their order and once, no spaces, lower-case hex."""
    if any(text != text.lower() for text in digits):
        raise Broken(number, "hex", "Hex is written in lower case.")
    if line != written:
        raise Broken(
            number,
            "spelling",
            "The line is not written as this format writes it: the order of fields, a space, a field twice.",
        )


# --- What stands in a line ----------------------------------------------------------------------------


class _Opened(msgspec.Struct):
    events: tuple[msgspec.Raw, ...]


class _Created(msgspec.Struct):
    game: str
    rules: int
    seats: int
    type: Literal["created"]


_opened_in = msgspec.json.Decoder(_Opened).decode
_created_in = msgspec.json.Decoder(_Created).decode


def _check_body(number: int, header: Header, line: Line) -> None:
    """One spelling for the body too, or two readers might read two things in it."""
    try:
        body = _anything_in(line.body)
        canonically = canonical.encode(body)
    except (msgspec.MsgspecError, RecursionError):
        raise Broken(number, "body", "The body is not that of an entry.") from None
    if canonically != line.body or (_NUMBERS.search(line.body) and not _is_canonical(body)):
        raise Broken(number, "not_canonical", "The body is not canonical JSON.")
    if not isinstance(body, dict) or type(body.get("seq")) is not int:
        raise Broken(number, "body", "The body is not that of an entry.")
    if (body.get("table"), body["seq"]) != (header.table, line.seq):
        sentence = (
            f"The body is not that of entry {line.seq} of this table: a line is missing, twice, or in another's place."
        )
        raise Broken(number, "place", sentence)


def _is_canonical(body: object) -> bool:
    try:
        canonical.check(body)
    except canonical.NotCanonical:
        return False
    return True


def _check_first(header: Header, line: Line) -> None:
    """Entry 1 says what is played, by which rules and by how many; no signature covers the header's own word for it."""
    try:
        created = _created_in(_opened_in(line.body).events[0])
    except (msgspec.MsgspecError, IndexError):
        raise Broken(2, "body", "The first entry does not open a table.") from None
    if (created.game, created.rules, created.seats) != (header.game, header.rules, header.seats):
        raise Broken(1, "unlike_header", "Header and entry 1 differ in the game, its rules or the number of seats.")


def _check_version(number: int, header: Header, line: Line) -> None:
    names = {line.version, *line.commits}
    if line.version in line.commits or FULL not in names or max(map(ORDER.__getitem__, names)) >= header.seats + 2:
        raise Broken(number, "version", "These are not the versions of an entry at this table.")
    if line.version != chain.version_for(names, header.reader):
        raise Broken(number, "version", "This is not the version that is owed to the reader whom the header names.")


def _leaf(header: Header, line: Line) -> bytes:
    salt = chain.derive(line.salt, FULL) if header.audience == "all" else line.salt
    return chain.leaf({**line.commits, line.version: chain.commit(salt, line.body)})
