"""What things are called, and how sentences are filled in: the game's words come over the wire, the terminal's own from
`texts.toml`. The rules of filling are those of the wire: `{field}` takes a number as it is and any other value by its
label, `{field:seat}` a seat (or several) by name, a list is joined, an empty one is a dash; an event with a field that
is null is told by its `hidden` variant.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGES = ("en", "ja")

_BLANK = re.compile(r"\{(\w+)(:seat)?\}")
_JOINT = {"en": ", ", "ja": "、"}
_SEAT = {"en": "seat {}", "ja": "席{}"}
_NOBODY = {"en": "nobody", "ja": "なし"}

Event = Mapping[str, Any]


@cache
def _own() -> dict[str, dict[str, str]]:
    return tomllib.loads((files("clients.terminal") / "texts.toml").read_text("utf-8"))


class Words:
    """All words for one game in one language. `names`: who sits where, to be replaced as people come and go."""

    def __init__(self, language: str = "en", game: str = "", texts: Mapping[str, str] | None = None) -> None:
        self.language = language if language in LANGUAGES else "en"
        self.game = game
        self.names: Sequence[str] = ()
        self._texts = texts or {}

    # --- The terminal's own ---------------------------------------------------------------------------

    def own(self, key: str, /, **params: Any) -> str:
        """One of the terminal's own texts, filled in."""
        return self.fill(_own()[key][self.language], params)

    def has_own(self, key: str) -> bool:
        """Whether the terminal has a text of its own."""
        return key in _own()

    # --- The game's and the table's -------------------------------------------------------------------

    def text(self, key: str) -> str | None:
        """The game's text, or the table's; without the name in front."""
        return self._texts.get(f"{self.game}.{key}") or self._texts.get(f"table.{key}")

    def action(self, kind: str) -> str:
        """What one does."""
        return self.text(f"action.{kind}") or kind

    def field(self, kind: str, name: str) -> str:
        """What a field of an action is called."""
        return self.text(f"action.{kind}.{name}") or name

    def window(self, kind: str) -> str:
        """What is being decided."""
        return self.text(f"window.{kind}") or kind

    def label(self, field: str, value: Any) -> str:
        """A value as people read it."""
        if value is None:
            return self.own("none")
        word = str(value).lower() if isinstance(value, bool) else str(value)
        why = self.text(f"why.{word}") if field == "why" else None
        return why or self.text(f"value.{field}.{word}") or word

    def seat(self, seat: Any) -> str:
        """Who sits there."""
        if isinstance(seat, int) and 0 <= seat < len(self.names):
            return self.names[seat]
        return _SEAT[self.language].format(seat)

    def seats(self, seats: Sequence[int]) -> str:
        """Who sits there, several."""
        return self.join([self.seat(seat) for seat in seats]) if seats else _NOBODY[self.language]

    def join(self, parts: Sequence[str]) -> str:
        """A list in a sentence; an empty one is a dash."""
        return _JOINT[self.language].join(parts) or "-"

    # --- Sentences ------------------------------------------------------------------------------------

    def tell(self, event: Event) -> str:
        """What happened, as a sentence for whoever knows this much of it."""
        variant = ".hidden" if None in event.values() else ""
        kind = str(event["type"])
        template = self.text(f"event.{kind}{variant}") or self.text(f"event.{kind}")
        if template is None:
            facts = ", ".join(f"{name} {value}" for name, value in event.items() if name != "type")
            return f"{kind}: {facts}"
        return self.fill(template, event)

    def fill(self, template: str, params: Mapping[str, Any]) -> str:
        """The template with its places filled; a place that nothing fits stays a dash."""

        def blank(found: re.Match[str]) -> str:
            field, is_seat = found.groups()
            value = params.get(field)
            values = value if isinstance(value, list | tuple) else [value]
            parts = [self.seat(each) if is_seat else self.label(field, each) for each in values if each is not None]
            return _JOINT[self.language].join(parts) if parts else "-"

        return _BLANK.sub(blank, template)
