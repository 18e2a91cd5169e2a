"""What somebody has typed, as values: by number, by the wire's word, or by the label in his language; a beginning that
fits only one is enough.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clients.terminal.words import Words
from comitium_client import Ask, Between, Deed, Domain, EntryAfter, Match, OneOf, OtherDomain, SomeOf, Text
from comitium_client.asks import deeds

SEATS = frozenset({"to", "payee", "payer", "seat"})
"""Fields that hold the number of a seat."""

NOTHING = frozenset({"-", "none", "なし"})

Windows = Sequence[Mapping[str, Any]]


class Unclear(Exception):  # noqa: N818  (it is said of what was typed)
    """It fits nothing, or too much; the message says what it could have been."""


def value(words: Words, field: str, domain: Domain, typed: str, windows: Windows = ()) -> Any:
    """The value that was meant.

    Raises:
        Unclear: there is none, or more than one.
    """
    match domain:
        case OneOf(values):
            return pick(words, field, values, typed)
        case Between(low, high):
            return _number(words, typed, low, high)
        case SomeOf(values, low, high):
            chosen = [pick(words, field, values, part) for part in typed.replace("、", ",").split(",") if part.strip()]
            if not low <= len(chosen) <= high or (not domain.repeats and len(set(chosen)) < len(chosen)):
                raise Unclear(words.own("unclear.some", low=low, high=high))
            return chosen
        case Text(length):
            if not typed.strip() or len(typed) > length:
                raise Unclear(words.own("unclear.text", length=length))
            return typed.strip()
        case Match(window, or_null):
            return None if or_null and typed.strip().lower() in NOTHING else deed(words, typed, deeds(window, windows))
        case Deed(described):
            return deed(words, typed, (described,))
        case EntryAfter(after):
            return _number(words, typed, after + 1, _LAST)
        case OtherDomain():
            raise Unclear(words.own("unclear.domain"))


_LAST = 2**53 - 1
"""The largest number that the wire carries."""


def _number(words: Words, typed: str, low: int, high: int) -> int:
    try:
        number = int(typed)
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        raise Unclear(words.own("unclear.number", low=low, high=high))
    return number


def names_of(words: Words, field: str, each: Any) -> list[str]:
    """Everything that a value is called; how it is shown comes first."""
    if field in SEATS and isinstance(each, int) and not isinstance(each, bool):
        return [words.seat(each), str(each)]
    said = str(each).lower() if isinstance(each, bool) else str(each)
    return [words.label(field, each), said]


def pick(words: Words, field: str, values: Iterable[Any], typed: str) -> Any:
    """The one of the values that was meant."""
    wanted = typed.strip().lower()
    called = [(each, [name.lower() for name in names_of(words, field, each)]) for each in values]
    exact = [each for each, names in called if wanted in names]
    if len(exact) == 1:
        return exact[0]
    begun = [each for each, names in called if wanted and any(name.startswith(wanted) for name in names)]
    if len(begun) == 1:
        return begun[0]
    shown = words.join([names_of(words, field, each)[0] for each in (begun or [each for each, _ in called])])
    raise Unclear(words.own("unclear.choice", typed=typed.strip() or "-", values=shown))


# --- Deeds --------------------------------------------------------------------------------------------


def deed(words: Words, typed: str, known: Sequence[Ask]) -> dict[str, Any]:
    """The part of an action that was meant: a type, values of its fields, or both, in any order."""
    parts = typed.replace(",", " ").split()
    found: list[dict[str, Any]] = []
    for ask in known:
        partial = _fitting(words, ask, parts)
        if partial is not None and partial not in found:
            found.append(partial)
    if len(found) == 1 and parts:
        return found[0]
    if not found or not parts:
        raise Unclear(
            words.own("unclear.deed", typed=typed or "-", values=words.join(sorted({ask.type for ask in known})))
        )
    raise Unclear(words.own("unclear.deeds", typed=typed, values=words.join([each["type"] for each in found])))


def _fitting(words: Words, ask: Ask, parts: Sequence[str]) -> dict[str, Any] | None:
    """What of that ask the words name, or None if one of them does not belong to it."""
    partial: dict[str, Any] = {"type": ask.type}
    for part in parts:
        if part.lower() in (ask.type, ask.type.replace("_", "-")):
            continue
        named = [(field, each) for field, domain in ask.fields.items() if (each := _named(words, field, domain, part))]
        if len(named) != 1:
            return None
        field, found = named[0]
        partial[field] = found[0]
    return partial


def _named(words: Words, field: str, domain: Domain, part: str) -> list[Any]:
    """The value of the field that the word names, as a list of one or none (a value may be false)."""
    values = domain.one_of if isinstance(domain, OneOf) else domain.some_of if isinstance(domain, SomeOf) else ()
    try:
        return [pick(words, field, values, part)]
    except Unclear:
        return []
