"""From a table's entries to bodies and back: bytes by version name on one side, typed events on the other."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from events import canonical
from games.table import events as happened
from games.table.rules import Rules
from games.table.state import Body


class Unreadable(Exception):  # noqa: N818  (it is said of an entry)
    """The entry cannot be read exactly by the rules at hand; the reader stops here instead of guessing."""

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(f"entry {seq}: {reason}")
        self.seq = seq
        self.reason = reason


@lru_cache(maxsize=256)
def _decoder(rules: Rules) -> msgspec.json.Decoder[Body[Any]]:
    event_type = rules.Event
    return msgspec.json.Decoder(Body[event_type])  # type: ignore[valid-type]  # a union made at run time


_first = msgspec.json.Decoder(Body[happened.Event])


def encode(body: Body[Any]) -> bytes:
    """The stored bytes of one version."""
    return canonical.encode(body)


def decode(rules: Rules, seq: int, data: bytes) -> Body[Any]:
    """The body in the stored bytes of one version. Its action stays plain, for a sealed one lacks its fields.

    Raises:
        Unreadable: these rules do not know what stands there.
    """
    try:
        return _decoder(rules).decode(data)
    except msgspec.MsgspecError as error:
        raise Unreadable(seq, str(error)) from None


def decode_versions(rules: Rules, seq: int, versions: Mapping[str, bytes]) -> dict[str, Body[Any]]:
    """Every version of an entry, decoded."""
    return {name: decode(rules, seq, data) for name, data in versions.items()}


class _Acted(msgspec.Struct):
    action: Any


_acted = msgspec.json.Decoder(_Acted)


def action_in(data: bytes) -> Any:
    """The action of an entry as plain values, from the stored bytes of one version. Needs no rules."""
    return _acted.decode(data).action


def created(data: bytes) -> happened.Created:
    """What entry 1 says about the table: which game, by which rules.

    Raises:
        Unreadable: it is not the first entry of a table.
    """
    try:
        body = _first.decode(data)
    except msgspec.MsgspecError as error:
        raise Unreadable(1, str(error)) from None
    if not body.events or not isinstance(body.events[0], happened.Created):
        raise Unreadable(1, "a log begins with `created`")
    return body.events[0]
