"""For bots: a legal action from asks alone. Clients hold no rules."""

import random
from collections.abc import Sequence
from typing import Any

from comitium_client.asks import (
    Ask,
    Between,
    Deed,
    Domain,
    EntryAfter,
    Match,
    OneOf,
    OtherDomain,
    SomeOf,
    Text,
    Windows,
    deeds,
)

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LONGEST = 24


class _Empty(Exception):  # noqa: N818  (said of a domain)
    """Nothing that this client could put there."""


def random_action(asks: Sequence[Ask], rng: random.Random, windows: Windows = ()) -> dict[str, Any] | None:
    """A random member of a random ask; None when no ask can be filled. `windows`: the view's, for offers."""
    for ask in rng.sample(asks, len(asks)):
        try:
            return {"type": ask.type, **{name: _value(domain, rng, windows) for name, domain in ask.fields.items()}}
        except _Empty:
            continue
    return None


def _value(domain: Domain, rng: random.Random, windows: Windows) -> Any:
    match domain:
        case OneOf(values) if values:
            return rng.choice(values)
        case Between(low, high) if low <= high:
            return rng.randint(low, high)
        case SomeOf():
            return _some(domain, rng)
        case Text(length) if length > 0:
            return "".join(rng.choices(_LETTERS, k=rng.randint(1, min(length, _LONGEST))))
        case Match():
            return _partial(domain, rng, windows)
        case Deed(deed):
            return {"type": deed.type, **_named(deed, rng, windows)}
        case OneOf() | Between() | Text() | EntryAfter() | OtherDomain():
            raise _Empty


def _some(domain: SomeOf, rng: random.Random) -> list[Any]:
    values = domain.some_of
    most = domain.max if domain.repeats and values else min(domain.max, len(values))
    if domain.min > most:
        raise _Empty
    size = rng.randint(domain.min, most)
    return rng.choices(values, k=size) if domain.repeats and size else rng.sample(values, size)


def _partial(domain: Match, rng: random.Random, windows: Windows) -> dict[str, Any] | None:
    known = deeds(domain.match, windows)
    if domain.or_null and (not known or rng.random() < 0.5):
        return None
    if not known:
        raise _Empty
    deed = rng.choice(known)
    return {"type": deed.type, **_named(deed, rng, windows)}


def _named(deed: Ask, rng: random.Random, windows: Windows) -> dict[str, Any]:
    """Some of the deed's fields: what a partial action leaves out may be anything."""
    named: dict[str, Any] = {}
    for name, domain in deed.fields.items():
        if rng.random() < 0.5:
            try:
                named[name] = _value(domain, rng, windows)
            except _Empty:
                continue
    return named
