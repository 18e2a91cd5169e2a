"""Bytes from outside as values: strict, and within bounds that nothing inside has to think of again.

JSON's decoders read everything: what comes as MessagePack is written down as JSON first, so that both codings accept
exactly the same. Integers stay below 2^53, as in the log; texts stay below the limit of the server.
"""

import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import msgspec

from server.problems import Problem
from server.wire.coding import Coding

T = TypeVar("T")

GREATEST = (1 << 53) - 1
"""The greatest integer that every JSON reader keeps as it is."""

TEXT_LIMIT = 4096

_LONG_NUMBER = re.compile(rb"[0-9]{16}")
_json = msgspec.json.Decoder()
_msgpack = msgspec.msgpack.Decoder()

UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


@cache
def decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """The decoder of a kind, made once."""
    return msgspec.json.Decoder(kind)


def read(decode: Callable[[bytes], T], data: bytes, coding: Coding, longest: int = TEXT_LIMIT) -> T:
    """The value in the bytes, by a decoder of JSON.

    Raises:
        Problem: malformed, with what is wrong and where; too_large, for a text.
    """
    try:
        return decode(_bounded(data, coding, longest))
    except UNREADABLE as error:
        raise unreadable(error) from None


def unreadable(error: Exception) -> Problem:
    """What is wrong with the bytes, in the words of the decoder."""
    why = "too deeply nested" if isinstance(error, RecursionError) else str(error).rstrip(".")
    if isinstance(error.__cause__, ValueError):
        return Problem("invalid", "not_sound", why=why)  # the struct itself says that its fields do not go together
    return Problem("malformed", "not_readable", why=why)


def _bounded(data: bytes, coding: Coding, longest: int) -> bytes:
    """The same as JSON, once nothing in it is out of bounds."""
    if coding == "msgpack":
        value = _msgpack.decode(data)
        _check(value, longest)
        return msgspec.json.encode(value)
    if len(data) > longest or _LONG_NUMBER.search(data):
        _check(_json.decode(data), longest)
    return data


def _check(value: Any, longest: int) -> None:
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str(text) if len(text) > longest:
                raise Problem("too_large", "text_too_long", limit=longest)
            case None | bool() | str():
                pass
            case float(number) if math.isfinite(number):
                pass
            case int(number) if abs(number) <= GREATEST:
                pass
            case int():
                raise msgspec.ValidationError(f"an integer goes up to {GREATEST}")
            case list(items):
                waiting += items
            case dict(fields) if all(isinstance(name, str) for name in fields):
                waiting += [*fields, *fields.values()]
            case _:
                raise msgspec.ValidationError("there is something that JSON does not have")
