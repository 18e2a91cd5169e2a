"""Members of asks, and actions that are none, drawn by a `random.Random`."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

from games.core import Ask, Between, Deed, Domain, EntryAfter, Match, OneOf, SomeOf, Text, Window

Sent = dict[str, Any]
"""An action as a client sends it."""

WORDS = ("Ave!", "north", "I shall be grateful", "無罪")


def member(rng: Random, ask: Ask, windows: Sequence[Window] = (), entries: Iterable[int] = ()) -> Sent:
    """Some member of the ask; `entries`: those that a dispute may name."""
    return {"type": ask.type, **{name: value(rng, domain, windows, entries) for name, domain in ask.fields.items()}}


def value(rng: Random, domain: Domain, windows: Sequence[Window] = (), entries: Iterable[int] = ()) -> Any:
    """Something in the domain."""
    match domain:
        case OneOf(values):
            return rng.choice(values)
        case Between(low, high):
            return rng.choice((low, high, rng.randint(low, high)))
        case SomeOf(values, low, high, repeats):
            count = rng.randint(low, high)
            return rng.choices(values, k=count) if repeats else rng.sample(values, count)
        case Text(length):
            return rng.choice(WORDS)[:length]
        case Match(window, or_null):
            return None if or_null and rng.random() < 0.5 else partial(rng, window, windows)
        case Deed(deed):
            return some_fields(rng, deed, windows)
        case EntryAfter():
            return rng.choice(list(entries))


def partial(rng: Random, window: str, windows: Sequence[Window]) -> Sent:
    """A deed of the window, some of its fields left open."""
    return some_fields(rng, rng.choice(next(w.deeds for w in windows if w.id == window)), windows)


def some_fields(rng: Random, deed: Ask, windows: Sequence[Window]) -> Sent:
    """A member of the deed, some of its fields left open."""
    whole = member(rng, deed, windows)
    return {name: value for name, value in whole.items() if name == "type" or rng.random() < 0.6}


def outside(rng: Random, domain: Domain) -> Iterator[Any]:
    """Values that a decoder may let through and that do not lie in the domain."""
    match domain:
        case OneOf(values):
            yield from _near(rng, values)
        case Between(low, high):
            yield from (low - 1, high + 1, -(10**9), 10**12)
        case SomeOf(values, low, high, repeats):
            yield from _lists(rng, values, low, high, repeats=repeats)
        case Text(length):
            yield from ("", "x" * (length + 1), "  \n")
        case Match(_, or_null):
            yield from ({}, {"type": "no_such_deed"}, {"type": 3}, {"pan": []})
            yield from (() if or_null else (None,))
        case Deed():
            yield from ({}, {"type": "no_such_deed"}, {"type": "pay", "amount": 0}, {"type": "pay", "pan": 1}, None)
        case EntryAfter(first):
            yield from (first, 0, -1, 10**9)


def _near(rng: Random, values: Sequence[Any]) -> Iterator[Any]:
    """Values of the same kind that are not among these."""
    kinds = {type(value) for value in values}
    if int in kinds:
        yield from (item for item in (-1, *range(9), 99) if item not in values)
    if bool in kinds and len(values) == 1:
        yield not values[0]
    if str in kinds:
        yield from ("", "no such word", rng.choice([str(value) for value in values]) + " ")
    yield from (() if None in values else (None,))


def _lists(rng: Random, values: Sequence[Any], low: int, high: int, *, repeats: bool) -> Iterator[Any]:
    items = list(values)
    if low > 0:
        yield items[: low - 1]
    if repeats:
        yield [items[0]] * (high + 1)
    elif len(items) > high:
        yield rng.sample(items, high + 1)
    if not repeats and high > 1:
        yield [items[0]] * 2
    yield from ([other, *items[: max(0, low - 1)]] for other in _near(rng, items))
