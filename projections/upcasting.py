"""Old forms of events and actions, told in today's: between the stored bytes and the typed events of `projections.codec`.

The log keeps the old form for ever: hashes, salts and commitments are over stored bytes, and what a reader is given are
stored bytes. Today's form is made in reading, and nothing else is. A game without upcasters pays nothing for this.

What was hidden from some was hidden in the old form, which today's rules do not know. But a hidden value becomes null: so
`older` looks for the nulls that make of the old form what today's rules would show.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import chain, combinations, islice, product
from typing import Any

import msgspec

from events import canonical
from games.core import tag_of
from games.table import events as happened
from games.table import upcast
from games.table.actions import Resume
from games.table.rules import Rules
from games.table.upcast import Plain, Upcaster

MOST = 4096
"""Ways to hide something in an event of an old form, and in the whole entry, that are tried."""

RESUME = tag_of(Resume)

Stages = tuple[Mapping[str, Upcaster], Mapping[str, Upcaster]]
"""The table's, then the game's own."""

Typing = Callable[[bytes], Any]
"""A decoder of events or actions."""

_read = msgspec.json.Decoder().decode


class Misread(Exception):  # noqa: N818  (it is said of an upcaster)
    """An upcaster failed on what stands there."""


class Upcasters:
    """What one game and the table layer have of them."""

    def __init__(self, rules: Rules | None) -> None:
        """Without rules those of the table layer alone."""
        game = None if rules is None else rules.game
        self._events: Stages = (upcast.EVENTS, getattr(game, "upcast_events", {}))
        self._actions: Stages = (upcast.ACTIONS, getattr(game, "upcast_actions", {}))
        # Decoders, for `msgspec.convert` would take such a union of classes apart anew each time.
        self._event = msgspec.json.Decoder(happened.Event if rules is None else rules.Event).decode
        self._action = None if rules is None else rules.any_actions.decode
        names = {name for stage in (*self._events, *self._actions) for name in stage}
        self.any = bool(names)
        """Whether there is one."""
        tags = "|".join(re.escape(name) for name in sorted(names))
        # Canonical JSON has one spelling, and inside its texts a quotation mark is escaped: this finds types alone.
        pattern = re.compile(f'"type":"(?:{tags})"'.encode())
        self.concern: Callable[[bytes], Any] = pattern.search if names else _nothing
        """Whether one may have to do with these stored bytes (canonical JSON)."""

    def event(self, event: Plain) -> Plain:
        """The event as it is told today: what has today's form is the same object.

        Raises:
            Misread: an upcaster fails on it.
        """
        found: Plain = _cast(self._events, event, self._event)
        return found

    def action(self, action: Any) -> Any:
        """The action as it is told today: what has today's form is the same object.

        Raises:
            Misread: an upcaster fails on it.
        """
        if not isinstance(action, dict):
            return action
        if action.get("type") == RESUME and isinstance(action.get("events"), list):
            action = self._resume(action)
        return _cast(self._actions, action, self._action)

    def _resume(self, action: Plain) -> Plain:
        """What came along to a fork are events, too."""
        events = [self.event(each) for each in action["events"]]
        return action if events == action["events"] else {**action, "events": events}

    def body(self, body: Plain) -> Plain:
        """The whole body as it is told today; the same object when all of it has today's form.

        Raises:
            Misread: an upcaster fails on something in it.
        """
        events, action = [self.event(event) for event in body["events"]], self.action(body["action"])
        if action is body["action"] and events == body["events"]:
            return body
        return {**body, "action": action, "events": events}


def _nothing(_data: bytes) -> None:
    """No upcaster has to do with it."""


@lru_cache(maxsize=256)
def upcasters(rules: Rules | None) -> Upcasters:
    """Those of the rules."""
    return Upcasters(rules)


def _cast(stages: Stages, plain: Any, typed: Typing | None) -> Any:
    found = plain
    for stage in stages:
        tag = found.get("type") if isinstance(found, dict) else None
        caster = stage.get(tag) if isinstance(tag, str) else None
        if caster is not None:
            found = _told_by(caster, found)
    return plain if found == plain else _normal(found, typed)


def _told_by(caster: Upcaster, plain: Plain) -> Plain:
    try:
        found: Any = caster(_read(canonical.encode(plain)))  # a copy in depth: it may take it apart
    except Exception as error:  # noqa: BLE001  (it may fail in any way on what it does not know)
        raise Misread(f"the upcaster of `{plain['type']}` fails ({type(error).__name__})") from None
    if not isinstance(found, dict):
        raise Misread(f"the upcaster of `{plain['type']}` does not give one for one")
    return found


def _normal(plain: Plain, typed: Typing | None) -> Plain:
    """What an upcaster made, as it would be written today: in plain JSON, defaults left out. What has no such form stays
    as it is: of a sealed action there may be the type alone; and what is unknown is found where events are typed.
    """
    try:
        data = canonical.encode(plain)
        whole: Plain = _read(data if typed is None else canonical.encode(typed(data)))
    except (msgspec.MsgspecError, TypeError):
        return plain
    return whole


# --- What was hidden in an old form -------------------------------------------------------------------


Hidden = tuple[str, ...] | None
"""The fields of an event that are hidden; None of one that had today's form then, and is hidden as today."""

Gone = set[tuple[str, str]]
"""Fields by type that are left out instead of being null."""


def older(casters: Upcasters, full: Plain, told: Plain) -> Iterator[bytes]:
    """The bytes that a version may have which is told today as `told`: what is left of the stored body `full` (plain, of an
    old form) when something in it is hidden. What hides least comes first.

    Raises:
        Misread: an upcaster fails on the full version.
    """
    actions = list(_actions(casters, full["action"], told["action"]))
    for events in islice(_lefts(casters, full["events"], told["events"]), MOST):
        if all(map(partial(_becomes, casters.event), events, told["events"])):
            yield from (canonical.encode({**full, "action": each, "events": events}) for each in actions)


def _actions(casters: Upcasters, action: Plain, wanted: Plain) -> Iterator[Plain]:
    """The action, or its type alone."""
    ways = (action, {"type": action["type"]}) if len(action) > 1 else (action,)
    return (left for left in ways if _becomes(casters.action, left, wanted))


def _lefts(casters: Upcasters, events: list[Plain], told: list[Plain]) -> Iterator[list[Plain]]:
    """The events of an entry with something hidden in them. In all events of a type the same fields are left out when they
    are hidden, those whose default is null; which these are, nobody knows any more.
    """
    ways = [_hidden(casters, *pair) for pair in zip(events, told, strict=True)]
    for chosen in _one_of_each(ways):
        named = {(event["type"], name) for event, names in zip(events, chosen, strict=True) for name in names or ()}
        for count in range(len(named) + 1):
            for gone in map(set, combinations(sorted(named), count)):
                yield [_left(*each, gone) for each in zip(events, told, chosen, strict=True)]


def _one_of_each(ways: list[Iterator[Hidden]]) -> Iterator[tuple[Hidden, ...]]:
    """One way of each event in all combinations: the first of each first, before any other is looked for."""
    first = [list(islice(way, 1)) for way in ways]
    if all(first):
        yield tuple(each for (each,) in first)
        rest = [chain(each, way) for each, way in zip(first, ways, strict=True)]
        yield from islice(product(*rest), 1, None)


def _hidden(casters: Upcasters, event: Plain, wanted: Plain) -> Iterator[Hidden]:
    """Which fields may be hidden in an event that is told today as `wanted`: fewest first."""
    if casters.event(event) is event:
        yield None
        return
    names = [name for name, value in event.items() if name != "type" and value is not None]
    every = (hidden for count in range(len(names) + 1) for hidden in combinations(names, count))
    for hidden in islice(every, MOST):
        whole: Gone = set()
        for gone in (whole, {(event["type"], name) for name in hidden}):
            if _becomes(casters.event, _left(event, wanted, hidden, gone), wanted):
                yield hidden
                break


def _left(event: Plain, wanted: Plain, hidden: Hidden, gone: Gone) -> Plain:
    """The event with null in the hidden fields, without those of them that are `gone`."""
    if hidden is None:
        return wanted
    left = {**event, **dict.fromkeys(hidden)}
    return {name: value for name, value in left.items() if name not in hidden or (event["type"], name) not in gone}


def _becomes(cast: Callable[[Plain], Plain], old: Plain, wanted: Plain) -> bool:
    try:
        return cast(old) == wanted
    except Misread:
        return False
