"""Asks: what a seat may do now, with the domain of each field. An action is legal exactly if an ask allows it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

Windows = Sequence[Mapping[str, Any]]
"""The windows of a view: their public deeds are what a `Match` is over."""


class OneOf(msgspec.Struct, frozen=True):
    """Exactly one of the values."""

    one_of: tuple[Any, ...]


class Between(msgspec.Struct, frozen=True):
    """A whole number, both ends included."""

    min: int
    max: int


class SomeOf(msgspec.Struct, frozen=True):
    """A list of `min` to `max` of the values, each at most once unless `repeats`."""

    some_of: tuple[Any, ...]
    min: int
    max: int
    repeats: bool = False


class Text(msgspec.Struct, frozen=True):
    """Free text of 1 to `text` characters, not only blanks."""

    text: int


class Match(msgspec.Struct, frozen=True):
    """A partial action over the public deeds of the window of that id; null too when `or_null`."""

    match: str
    or_null: bool = False


class Deed(msgspec.Struct, frozen=True):
    """A partial action: of this ask's type, and of its fields any."""

    deed: "Ask"


class EntryAfter(msgspec.Struct, frozen=True):
    """The number of an entry after that one which a dispute may name first. The table's `disputes` list them."""

    entry_after: int


class OtherDomain(msgspec.Struct, frozen=True):
    """A domain that this client does not know, as it came. It can be shown, not filled."""

    data: dict[str, Any]


Domain = OneOf | Between | SomeOf | Text | Match | Deed | EntryAfter | OtherDomain


class Ask(msgspec.Struct, frozen=True):
    """An action open to a seat. Every field is required. While `must`, the table waits for the seat."""

    type: str
    must: bool = True
    fields: dict[str, Domain] = {}

    def allows(self, action: Mapping[str, Any], windows: Windows = ()) -> bool:
        """Whether the action (with its `type`) is a member of this ask."""
        given = {name for name in action if name != "type"}
        return (
            action.get("type") == self.type
            and given == self.fields.keys()
            and all(contains(domain, action[name], windows) for name, domain in self.fields.items())
        )


class Asks(msgspec.Struct, frozen=True):
    """The asks after entry `seq`; they last changed at entry `since`."""

    seq: int
    since: int
    asks: tuple[Ask, ...]

    @property
    def must(self) -> tuple[Ask, ...]:
        """Those that the table waits for."""
        return tuple(ask for ask in self.asks if ask.must)


# --- Reading ------------------------------------------------------------------------------------------

_BY_MARK: Mapping[str, type[OneOf | Between | SomeOf | Text | Match | EntryAfter]] = {
    "one_of": OneOf, "some_of": SomeOf, "text": Text, "match": Match, "min": Between, "entry_after": EntryAfter,
}  # fmt: skip


def read_asks(data: Iterable[Mapping[str, Any]]) -> tuple[Ask, ...]:
    """Asks as they stand on the wire."""
    return tuple(read_ask(each) for each in data)


def read_ask(data: Mapping[str, Any]) -> Ask:
    """One ask as it stands on the wire (the deeds of a window are written in the same way)."""
    fields = {name: read_domain(domain) for name, domain in (data.get("fields") or {}).items()}
    return Ask(str(data["type"]), bool(data.get("must", True)), fields)


def read_domain(data: dict[str, Any]) -> Domain:
    """A domain, known by the field that only it has."""
    if isinstance(data.get("deed"), dict):
        return Deed(read_ask(data["deed"]))
    kind = next((_BY_MARK[mark] for mark in _BY_MARK if mark in data), None)
    if kind is None:
        return OtherDomain(data)
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError:
        return OtherDomain(data)


# --- Membership ---------------------------------------------------------------------------------------


def contains(domain: Domain, value: Any, windows: Windows = ()) -> bool:
    """Whether the value lies in the domain; never in one that is unknown."""
    match domain:
        case OneOf(values):
            return _is_in(value, values)
        case Between(low, high):
            return type(value) is int and low <= value <= high
        case SomeOf():
            return isinstance(value, list | tuple) and _is_some(domain, value)
        case Text(length):
            return isinstance(value, str) and len(value) <= length and bool(value.strip())
        case Match(window, or_null):
            return or_null if value is None else _matches(value, window, windows)
        case Deed(deed):
            return isinstance(value, Mapping) and _describes(value, deed, windows)
        case EntryAfter(after):
            return type(value) is int and value > after
        case OtherDomain():
            return False


def _is_in(value: Any, values: Sequence[Any]) -> bool:
    """By type as well: True is not 1."""
    return any(item == value and type(item) is type(value) for item in values)


def _is_some(domain: SomeOf, chosen: Sequence[Any]) -> bool:
    once = domain.repeats or all(not _is_in(item, chosen[:at]) for at, item in enumerate(chosen))
    return once and domain.min <= len(chosen) <= domain.max and all(_is_in(item, domain.some_of) for item in chosen)


def _matches(partial: Any, window: str, windows: Windows) -> bool:
    if not isinstance(partial, Mapping):
        return False
    return any(_describes(partial, deed, windows) for deed in deeds(window, windows))


def _describes(partial: Mapping[str, Any], deed: Ask, windows: Windows) -> bool:
    named = {name: value for name, value in partial.items() if name != "type"}
    return partial.get("type") == deed.type and all(
        name in deed.fields and contains(deed.fields[name], value, windows) for name, value in named.items()
    )


def deeds(window: str, windows: Windows) -> tuple[Ask, ...]:
    """The public deeds of the window of that id."""
    return next((read_asks(each.get("deeds") or ()) for each in windows if each.get("id") == window), ())
