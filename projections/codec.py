"""From a table's entries to bodies and back: bytes by version name on one side, typed events on the other.

The one way in which stored bytes become events. What was written in an old form comes out in today's here
(`projections.upcasting`), for whoever reads; what is written always has today's form.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from events import canonical
from events.chain import version_for
from events.entry import FULL
from games.core import tag_of
from games.table import events as happened
from games.table.rules import Rules
from games.table.state import Body
from games.table.upcast import Plain
from projections.upcasting import Misread as Misread
from projections.upcasting import Upcasters, older, upcasters


class Unreadable(Exception):  # noqa: N818  (it is said of an entry)
    """The entry cannot be read exactly by the rules at hand; the reader stops here instead of guessing."""

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(f"entry {seq}: {reason}")
        self.seq = seq
        self.reason = reason


class _Reader:
    """How the entries of one game are read."""

    def __init__(self, rules: Rules) -> None:
        event_type = rules.Event
        decoder = msgspec.json.Decoder(Body[event_type])  # type: ignore[valid-type]  # a union made at run time
        self.decode: Callable[[bytes], Body[Any]] = decoder.decode
        casters = upcasters(rules)
        self.casters: Upcasters | None = casters if casters.any else None


@lru_cache(maxsize=256)
def _reader(rules: Rules) -> _Reader:
    return _Reader(rules)


encode: Callable[[Body[Any]], bytes] = canonical.encode
"""The stored bytes of one version."""

Fits = Callable[[str, bytes], bool]
"""Whether the version of that name had these bytes."""

_plain = msgspec.json.Decoder(dict[str, Any]).decode
_plain_bodies = msgspec.json.Decoder(Body[dict[str, Any]]).decode
_any_bodies = msgspec.json.Decoder(Body[Any]).decode


def decode(rules: Rules, seq: int, data: bytes) -> Body[Any]:
    """The body in the stored bytes of one version. Its action stays plain, for a sealed one lacks its fields.

    Raises:
        Unreadable: these rules do not know what stands there.
    """
    reader = _reader(rules)
    try:
        if reader.casters is None or not reader.casters.concern(data):
            return reader.decode(data)
        return reader.decode(canonical.encode(_told_today(reader.casters, data)[1]))
    except (msgspec.MsgspecError, TypeError, Misread) as error:  # TypeError: an upcaster made what is no JSON
        raise Unreadable(seq, str(error)) from None


def decode_versions(rules: Rules, seq: int, versions: Mapping[str, bytes]) -> dict[str, Body[Any]]:
    """Every version of an entry, decoded."""
    return {name: decode(rules, seq, data) for name, data in versions.items()}


def decode_whole(rules: Rules, seq: int, full: bytes) -> Body[Any]:
    """The body in the stored bytes of a full version, its action typed as well.

    Raises:
        Unreadable: these rules do not know what stands there.
    """
    body = decode(rules, seq, full)
    try:
        return msgspec.structs.replace(body, action=rules.any_actions.decode(canonical.encode(body.action)))
    except msgspec.ValidationError as error:
        raise Unreadable(seq, str(error)) from None


def acted(rules: Rules, action: bytes | msgspec.Raw) -> Any:
    """The typed action in the stored bytes of an action, which is whole.

    Raises:
        msgspec.MsgspecError, Misread: these rules do not know it.
    """
    casters = _reader(rules).casters
    if casters is None or not casters.concern(bytes(action)):
        return rules.any_actions.decode(action)
    return rules.any_actions.decode(canonical.encode(casters.action(_plain(action))))


# --- Without rules ------------------------------------------------------------------------------------


class _Acted(msgspec.Struct):
    action: Any


class _Told(msgspec.Struct):
    events: tuple[dict[str, Any], ...]


_acted = msgspec.json.Decoder(_Acted).decode
_told = msgspec.json.Decoder(_Told).decode
_TAGS = frozenset(tag_of(kind) for kind in happened.TYPES)


def action_in(data: bytes, rules: Rules | None = None) -> Any:
    """The action of an entry as plain values, from the stored bytes of one version. Needs no rules; without them one of
    the game's stays in the form in which it stands there.

    Raises:
        Misread: an upcaster fails on it.
    """
    action, casters = _acted(data).action, upcasters(rules)
    return casters.action(action) if casters.concern(data) else action


def surroundings(data: bytes) -> Body[Any]:
    """What stands in an entry as plain values, events of any game in the form in which they stand there. Needs no rules.

    Raises:
        msgspec.MsgspecError: it is no body.
    """
    return _any_bodies(data)


def around(seq: int, data: bytes) -> Body[Any]:
    """The body with the table's own events alone. Needs no rules.

    Raises:
        Unreadable: the entry is of a later form than this reader knows.
    """
    try:
        body = _plain_bodies(data)
        return msgspec.structs.replace(body, events=tuple(_typed(_cast_around(data, body.events), _TAGS)))
    except (msgspec.MsgspecError, Misread) as error:
        raise Unreadable(seq, str(error)) from None


def facts(data: bytes, tags: frozenset[str]) -> list[Any]:
    """Those events of an entry that are of these types of the table. Needs no rules.

    Raises:
        msgspec.MsgspecError, Misread: they cannot be read.
    """
    return _typed(_cast_around(data, _told(data).events), tags)


def _cast_around(data: bytes, events: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    casters = upcasters(None)
    return [casters.event(event) for event in events] if casters.concern(data) else events


def _typed(events: Iterable[dict[str, Any]], tags: frozenset[str]) -> list[Any]:
    return [msgspec.convert(event, happened.Event) for event in events if event.get("type") in tags]


def created(data: bytes) -> happened.Created:
    """What entry 1 says about the table: which game, by which rules.

    Raises:
        Unreadable: it is not the first entry of a table.
    """
    try:
        events = [msgspec.convert(each, happened.Event) for each in _cast_around(data, _plain_bodies(data).events)]
    except (msgspec.MsgspecError, Misread) as error:
        raise Unreadable(1, str(error)) from None
    if not events or not isinstance(events[0], happened.Created):
        raise Unreadable(1, "a log begins with `created`")
    return events[0]


# --- Old forms, held against what is made today -------------------------------------------------------


def _told_today(casters: Upcasters, data: bytes) -> tuple[Plain, Plain]:
    """The body as plain values, and as it is told today: the same object where it has that form.

    Raises:
        msgspec.MsgspecError: it is no body.
        Misread: an upcaster fails on something in it.
    """
    _plain_bodies(data)  # of the shape of a body, whatever its events are
    body = _plain(data)
    return body, casters.body(body)


def today(rules: Rules, seq: int, data: bytes) -> bytes | None:
    """The bytes that this version of an entry would have in today's form; None where it has that form.

    Raises:
        Unreadable: these rules do not know what stands there.
    """
    casters = _reader(rules).casters
    if casters is None or not casters.concern(data):
        return None
    try:
        body, told = _told_today(casters, data)
    except (msgspec.MsgspecError, Misread) as error:
        raise Unreadable(seq, str(error)) from None
    return None if told is body else canonical.encode(told)


def versions_then(
    rules: Rules, full: bytes, made: Mapping[str, Body[Any]], seats: int, names: Iterable[str], fits: Fits
) -> dict[str, bytes] | None:
    """The bytes of the versions `names` of an entry whose full version `full` has an old form, in that form. `made`: what
    redaction makes of it today. None where there are no such bytes: its readers were shown something else.

    Raises:
        Misread: an upcaster fails on the full version.
    """
    casters, body, found = upcasters(rules), _plain(full), {}
    stored = {FULL, *names}
    owed = _owed(stored, made, seats)
    if owed is None:
        return None
    for name in stored - {FULL}:
        told = _plain(encode(made[owed[name]]))
        data = next((each for each in older(casters, body, told) if fits(name, each)), None)
        if data is None:
            return None
        found[name] = data
    return found


def _owed(stored: set[str], made: Mapping[str, Body[Any]], seats: int) -> dict[str, str] | None:
    """Which of today's versions each stored one has to be; None where the same bytes would have to be two of them, or
    where a version has no reader.
    """
    found: dict[str, str] = {FULL: FULL}
    for audience in (None, *range(seats)):
        name, today_name = version_for(stored, audience), version_for(made, audience)
        if found.setdefault(name, today_name) != today_name:
            return None
    return found if found.keys() == stored else None
