"""What a client may send at all: the members of an ask, and the actions of a type that a decoder lets through."""

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, islice, product
from random import Random
from types import NoneType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from games.core import Action, Ask, Between, Domain, OneOf, SomeOf, tag_of
from tests.laws.sampling import Sent

NUMBERS = (-1, *range(9), 99)
"""Whole numbers: the seats, one more, and some that are none."""

MOST = 400
"""Actions of a type that are listed; of more, as many of them drawn."""

WIDE = 4096
"""Values of a field that are looked at."""


def members(ask: Ask) -> list[Sent] | None:
    """Every member of the ask, if there are not too many to say."""
    fields = [_inside(domain) for domain in ask.fields.values()]
    if any(values is None for values in fields) or math.prod(len(values or ()) for values in fields) > MOST:
        return None
    found = product(*(values or () for values in fields))
    return [{"type": ask.type, **dict(zip(ask.fields, each, strict=True))} for each in found]


def _inside(domain: Domain) -> Sequence[Any] | None:
    match domain:
        case OneOf(values):
            return values
        case Between(low, high) if high - low < MOST:
            return range(low, high + 1)
        case SomeOf(values, low, high, repeats):
            bags = combinations_with_replacement if repeats else combinations
            found = [list(each) for count in range(low, high + 1) for each in islice(bags(values, count), MOST + 1)]
            return found if len(found) <= MOST else None
        case _:
            return None


@cache
def sendable(kind: type[Action]) -> tuple[Sent, ...]:
    """Actions of the type, whether or not they make sense: all of them where there are few."""
    rng = Random(tag_of(kind))
    hints = get_type_hints(kind)
    fields = {name: list(islice(_read(hints[name]), WIDE)) for name in kind.__struct_fields__}
    found = [{"type": tag_of(kind), **dict(zip(fields, each, strict=True))} for each in _some(rng, fields.values())]
    return tuple(found)


def _some(rng: Random, fields: Any) -> Iterator[tuple[Any, ...]]:
    columns = list(fields)
    if math.prod(map(len, columns)) <= MOST:
        yield from product(*columns)
    else:
        yield from (tuple(rng.choice(column) for column in columns) for _ in range(MOST))


def _read(hint: Any) -> Iterator[Any]:
    """Values that are read as one of that type; a type that is not known here has none."""
    origin = get_origin(hint)
    if hint is bool:
        yield from (False, True)
    elif hint is int:
        yield from NUMBERS
    elif hint is str:
        yield from ("", "north", "x" * 1000)
    elif hint in (None, NoneType):
        yield None
    elif origin is Literal:
        yield from get_args(hint)
    elif origin is tuple:
        items = list(islice(_read(get_args(hint)[0]), WIDE))
        yield from ([], *([item] for item in items), *(list(each) for each in product(items, repeat=2)), [*items[:3]])
    elif origin is Union or hasattr(hint, "__args__"):
        for each in get_args(hint):
            yield from _read(each)
