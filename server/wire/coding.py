"""The two codings of the wire. Stored entry bytes stand verbatim in JSON and as a byte string in MessagePack."""

from typing import Any, Literal

import msgspec

Coding = Literal["json", "msgpack"]

_json = msgspec.json.Encoder()
_msgpack = msgspec.msgpack.Encoder()


def encode(coding: Coding, value: Any) -> bytes:
    """The value in that coding."""
    return _json.encode(value) if coding == "json" else _msgpack.encode(value)


def verbatim(coding: Coding, stored: bytes) -> msgspec.Raw | bytes:
    """Stored JSON bytes as a field's value."""
    return msgspec.Raw(stored) if coding == "json" else stored


def prepared(coding: Coding, value: Any) -> msgspec.Raw:
    """A value that was encoded once, to stand in several frames."""
    return msgspec.Raw(encode(coding, value))
