"""Deeds in words: what somebody is paid for, or promises to do. Part of an action; what is left open may be anything."""

from collections.abc import Mapping
from typing import Any

from clients.terminal.words import Words

Deed = Mapping[str, Any]


def deed_text(words: Words, deed: Deed | None) -> str:
    """The deed as a noun. The terminal has phrases of its own for games it knows; else the labels say it."""
    if deed is None:
        return words.own("none")
    fields = {name: value for name, value in deed.items() if name != "type"}
    for key in _keys(words.game, str(deed["type"]), fields):
        if words.has_own(key):
            return words.own(key, **fields)
    return _by_labels(words, str(deed["type"]), fields)


def _keys(game: str, kind: str, fields: Mapping[str, Any]) -> list[str]:
    """From the most special phrase to the most general: with a value, with the fields that are named."""
    stem = f"deed.{game}.{kind}"
    by_value = [f"{stem}.{name}.{str(value).lower()}" for name, value in sorted(fields.items()) if len(fields) == 1]
    return [*by_value, ".".join([stem, *sorted(fields)])]


def _by_labels(words: Words, kind: str, fields: Mapping[str, Any]) -> str:
    said = [f"{words.field(kind, name)}: {_value(words, name, value)}" for name, value in fields.items()]
    return f"{words.action(kind)} ({', '.join(said)})" if said else words.action(kind)


def _value(words: Words, name: str, value: Any) -> str:
    if name in ("to", "payee", "seat", "from") and isinstance(value, int) and not isinstance(value, bool):
        return words.seat(value)
    if isinstance(value, list | tuple):
        return words.join([words.label(name, each) for each in value])
    return words.label(name, value)


def terms_text(words: Words, offer: Mapping[str, Any]) -> str:
    """What an offer asks for: the deed, how often, and what must not be done."""
    text = deed_text(words, offer["does"])
    if offer["times"] > 1:
        text = words.own("terms.times", deed=text, times=offer["times"])
    never = offer["never"]
    if never is None:
        return text
    if words.game == "tribunal" and never.keys() == {"type", "pan"}:
        return words.own("terms.none.tribunal", deed=text, pan=never["pan"])
    return words.own("terms.never", deed=text, never=deed_text(words, never))
