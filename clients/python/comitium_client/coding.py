"""The two codings of the wire. In JSON an entry stands verbatim inside its frame, in MessagePack as a byte string."""

from collections.abc import Callable
from functools import cache
from typing import Any, Generic, Literal, TypeVar

import msgspec

from comitium_client.errors import Unreadable
from comitium_client.models import Body, Entry, Receipt

Wire = Literal["json", "msgpack"]

B = TypeVar("B")


class EntryFields(msgspec.Struct, Generic[B], frozen=True, kw_only=True):
    """The fields of an entry as they stand in frames, pages and answers."""

    seq: int = 0
    version: str = ""
    entry: B = b""  # type: ignore[assignment]  # none, in either coding
    salt: str = ""
    commits: dict[str, str] = {}
    leaf: str = ""
    head: str = ""


class Answer(EntryFields[B], frozen=True, kw_only=True):
    """The 201 answer to an accepted action."""

    receipt: Receipt


class Frame(EntryFields[B], frozen=True, kw_only=True):
    """Whatever comes over a socket; which fields are there tells what it is."""

    id: str | int | None = None
    view: dict[str, Any] | None = None
    changed: dict[str, Any] | None = None
    asks: list[dict[str, Any]] | None = None
    since: int | None = None
    to_act: tuple[int, ...] | None = None
    resumed_from: int | None = None
    receipt: Receipt | None = None
    replayed: bool = False
    problem: dict[str, Any] | None = None


class Page(msgspec.Struct, Generic[B], frozen=True):
    """A part of a log; `seq` and `head` are where the log ends now."""

    entries: list[EntryFields[B]]
    seq: int
    head: str


class Coding:
    """One of the two: an encoder, and a decoder for each kind that was read so far."""

    def __init__(self, name: Wire, encode: Callable[[Any], bytes], decoder: Callable[[Any], Any], stored: Any) -> None:
        self.name = name
        self.media = f"application/{name}"
        self.subprotocol = f"comitium.{name}"
        self._encode = encode
        self._decoder = cache(decoder)
        self._bytes = stored

    def _stored(self, kind: Any) -> Any:
        """The kind, with entries as this coding has them."""
        return kind[self._bytes]

    def write(self, value: Any) -> str | bytes:
        """A message for a socket: text in JSON, bytes in MessagePack."""
        encoded = self._encode(value)
        return encoded.decode() if self.name == "json" else encoded

    def read(self, data: bytes | str, kind: Any) -> Any:
        """Decodes what holds no entry.

        Raises:
            Unreadable: it is not of that kind.
        """
        try:
            return self._decoder(kind).decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise Unreadable(f"The server's answer cannot be read: {error}") from error

    def frame(self, data: bytes | str) -> Frame[Any]:
        """Decodes a message from a socket."""
        frame: Frame[Any] = self.read(data, self._stored(Frame))
        return frame

    def page(self, data: bytes) -> Page[Any]:
        """Decodes a page of a log."""
        page: Page[Any] = self.read(data, self._stored(Page))
        return page

    def answer(self, data: bytes) -> Answer[Any]:
        """Decodes the answer to an accepted action."""
        answer: Answer[Any] = self.read(data, self._stored(Answer))
        return answer

    def entry(self, data: bytes) -> Entry:
        """Decodes a single entry."""
        return entry_of(self.read(data, self._stored(EntryFields)))


_bodies = msgspec.json.Decoder(Body)


def entry_of(fields: EntryFields[Any]) -> Entry:
    """The entry that stands in those fields, with its stored bytes.

    Raises:
        Unreadable: there is none.
    """
    raw = bytes(fields.entry)
    try:
        body = _bodies.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Unreadable(f"Entry {fields.seq} cannot be read: {error}") from error
    return Entry(
        seq=fields.seq, version=fields.version, raw=raw, salt=fields.salt, commits=fields.commits,
        leaf=fields.leaf, head=fields.head, body=body,
    )  # fmt: skip


JSON = Coding("json", msgspec.json.encode, msgspec.json.Decoder, msgspec.Raw)
MSGPACK = Coding("msgpack", msgspec.msgpack.encode, msgspec.msgpack.Decoder, bytes)


def coding(wire: Wire) -> Coding:
    """The coding of that name."""
    return JSON if wire == "json" else MSGPACK
