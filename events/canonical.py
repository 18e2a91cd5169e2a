"""Canonical JSON: one value, one sequence of bytes, in every language (RFC 8785).

Keys are ASCII and sorted, integers lie within +-(2^53 - 1), there are no floats. Inside these bounds the encoder of
msgspec writes exactly what RFC 8785 asks for, so no number or string is ever formatted by hand. The bounds are kept by
whoever defines the values; `check` is for tests and tools, not for the hot path.
"""

from typing import Any

import msgspec

MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly (RFC 7493, section 2.2)."""

encode = msgspec.json.Encoder(order="sorted").encode
"""`encode(value) -> bytes`: the canonical JSON of a struct, dict, sequence, string, integer, boolean or None."""


class NotCanonical(ValueError):  # noqa: N818  (it is said of the value)
    """A value has no canonical JSON here; the message names the place and the reason."""


def check(value: Any) -> None:
    """Raise `NotCanonical` unless `encode(value)` is canonical: no float, no integer beyond `MAX_INTEGER`, ASCII keys."""
    _check(msgspec.to_builtins(value), "$")


def _check(value: Any, where: str) -> None:
    match value:
        case None | bool():
            pass
        case int():
            _check_integer(value, where)
        case str():
            _check_text(value, where)
        case list() | tuple():
            for index, item in enumerate(value):
                _check(item, f"{where}[{index}]")
        case dict():
            for key, item in value.items():
                _check_key(key, where)
                _check(item, f"{where}.{key}")
        case _:
            raise NotCanonical(f"{where}: a {type(value).__name__} has no canonical form")


def _check_integer(value: int, where: str) -> None:
    if abs(value) > MAX_INTEGER:
        raise NotCanonical(f"{where}: {value} is beyond +-(2^53 - 1)")


def _check_text(value: str, where: str) -> None:
    # A lone surrogate has no UTF-8 (RFC 8785, section 3.2.2.2 asks to stop there).
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise NotCanonical(f"{where}: the text holds a lone surrogate")


def _check_key(key: object, where: str) -> None:
    # RFC 8785 sorts by UTF-16 units, msgspec by UTF-8 bytes: these orders agree for ASCII, not for everything.
    if not isinstance(key, str) or not key.isascii():
        raise NotCanonical(f"{where}: the key {key!r} is not ASCII text")
