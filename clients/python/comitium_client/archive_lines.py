"""The lines of an archive, as they are written: there is one way to write each, and any other is refused."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from comitium_client.errors import BrokenArchive
from comitium_client.models import MAX_SEATS

FORMAT = 1
"""The latest version of the format that is read here."""

MAX_LINE = 1 << 20
"""Bytes of a line, its end included, beyond which reading stops."""

Audience = int | Literal["all", "public"]
"""Whose log it is: a seat's, the public's, or everybody's after the end."""

Source = str | Path | bytes | Iterable[bytes]
"""A path, the bytes, or the bytes in pieces of any size (an open file will do)."""

T = TypeVar("T", bound=msgspec.Struct)

_TABLE = re.compile(r"[0-9a-f]{2}-[0-9a-z]{16}")
_ORDER = {name: place for place, name in enumerate(("full", "public", *map(str, range(MAX_SEATS))))}
_encode = msgspec.json.Encoder(order="sorted").encode
"""Canonical JSON (RFC 8785): in the bounds of the format this is what msgspec writes."""


class WireHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Line 1, field by field in its order."""

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


class WireLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Any other line. `commits`: of the other versions."""

    body: msgspec.Raw
    salt: str
    head: str
    version: str = "full"
    commits: dict[str, str] = {}

    @property
    def places(self) -> dict[str, int]:
        """The versions that the entry has, with their places in the order of the format."""
        return {name: _ORDER[name] for name in (self.version, *self.commits)}

    def written(self) -> bytes:
        """The line as the format writes it."""
        version = "" if self.version == "full" else f',"version":"{self.version}"'
        names = ",".join(f'"{name}":"{self.commits[name]}"' for name in sorted(self.commits, key=_ORDER.__getitem__))
        commits = f',"commits":{{{names}}}' if names else ""
        rest = f'{version},"salt":"{self.salt}"{commits},"head":"{self.head}"}}\n'
        return b'{"body":' + bytes(self.body) + rest.encode()


def split(source: Source, limit: int = MAX_LINE) -> Iterator[bytes]:
    """The lines, each with its end; of the pieces no more is kept than a line may be long.

    Raises:
        BrokenArchive: a line is too long, or the last one does not end.
    """
    if isinstance(source, str | Path):
        with Path(source).open("rb") as file:
            yield from split(iter(lambda: file.read(1 << 16), b""), limit)
        return
    rest, number = b"", 1
    for chunk in (source,) if isinstance(source, bytes) else source:
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            _check_length(number, line, limit)
            yield line + b"\n"
            number += 1
        _check_length(number, rest, limit)
    if rest:
        raise BrokenArchive(number, "no_newline", "The last line breaks off: it does not end with a line break.")


def _check_length(number: int, line: bytes, limit: int) -> None:
    if len(line) >= limit:  # its end is one more byte
        raise BrokenArchive(number, "too_long", f"The line is longer than {limit} bytes.")


def header_in(line: bytes) -> WireHeader:
    """Line 1.

    Raises:
        BrokenArchive: it is no header of this format.
    """
    found = _anything(1, line, "not_an_archive")
    version = found.get("comitium_archive") if isinstance(found, dict) else None
    if type(version) is not int or version < FORMAT:
        raise BrokenArchive(1, "not_an_archive", "This is not the first line of an archive.")
    if version > FORMAT:
        sentence = f"The archive has format {version}; this reader knows formats up to {FORMAT}."
        raise BrokenArchive(1, "newer_format", sentence)
    wire = _shaped(1, line, found, WireHeader)
    for digits, size in ((wire.head, 32), (wire.signature, 64), (wire.public_key, 32)):
        _check_hex(1, digits, size)
    _check_spelling(1, line, msgspec.json.encode(wire) + b"\n")
    is_seat = not isinstance(wire.audience, int) or 0 <= wire.audience < wire.seats
    counts = 1 <= wire.seats <= MAX_SEATS and wire.last_seq >= 1 and wire.rules >= 1
    if not (_TABLE.fullmatch(wire.table) and is_seat and counts):
        raise BrokenArchive(1, "header", "The header tells of a table, seats, rules or entries that cannot be.")
    return wire


def line_in(number: int, line: bytes) -> WireLine:
    """Line `number`, which is no header.

    Raises:
        BrokenArchive: it is not as this format writes it.
    """
    wire = _shaped(number, line, _anything(number, line, "not_json"), WireLine)
    if not _ORDER.keys() >= {wire.version, *wire.commits}:
        raise BrokenArchive(number, "version", "No entry has versions of such names.")
    for digits in (*wire.commits.values(), wire.salt, wire.head):
        _check_hex(number, digits, 32)
    _check_spelling(number, line, wire.written())
    return wire


def body_in(number: int, data: bytes) -> dict[str, Any]:
    """What a body says, which has one spelling too, or two readers might read two things in it.

    Raises:
        BrokenArchive: it is no body.
    """
    body = _anything(number, data, "body")
    if _encode(body) != data:
        raise BrokenArchive(number, "not_canonical", "The body is not canonical JSON.")
    if not isinstance(body, dict) or type(body.get("seq")) is not int:
        raise BrokenArchive(number, "body", "The body is not that of an entry.")
    return body


def _anything(number: int, data: bytes, reason: str) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        raise BrokenArchive(number, reason, "What stands here is not JSON, or of no archive.") from None


def _shaped(number: int, line: bytes, found: Any, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.MsgspecError, RecursionError):
        fields = {field.name: field.required for field in msgspec.structs.fields(kind)}
        needed = {name for name, required in fields.items() if required}
        if isinstance(found, dict) and not needed <= found.keys() <= fields.keys():
            raise BrokenArchive(number, "fields", "A field is missing, or there is one too many.") from None
        raise BrokenArchive(number, "types", "A field has not the type that it should have.") from None


def _check_hex(number: int, digits: str, size: int) -> None:
    try:
        is_hex = len(digits) == 2 * size and bytes.fromhex(digits).hex() == digits
    except ValueError:
        is_hex = False
    if not is_hex:
        raise BrokenArchive(number, "hex", f"Where {size} bytes in hex belong, in lower case, something else stands.")


def _check_spelling(number: int, line: bytes, written: bytes) -> None:
    if line != written:
        sentence = "The line is not written as this format writes it: the order of fields, a space, a field twice."
        raise BrokenArchive(number, "spelling", sentence)
