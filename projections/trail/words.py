"""The trail in words: seats by name, turns, deeds and verdicts by the game's own labels, as far as it has any."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec

from games import GAMES, texts
from games.core import Partial, Seat
from games.texts import Texts, Wording, wording
from projections.trail.pieces import Bribe, Decision, Terms, Trail

Outcome = Literal["won", "lost", "unknown", "gift", "unpaid", "struck"]
OUTCOMES: tuple[Outcome, ...] = ("won", "lost", "unknown", "gift", "unpaid", "struck")
"""Paid, and it went the payer's way, or did not, or nobody can tell; a gift; not paid (yet); struck."""

SEATS = frozenset({"to", "seat", "payer", "payee", "by"})
"""Fields of actions that hold a seat's number."""

_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Signs that turn the direction of text round: a name must not spill over into what stands beside it."""


def outcome(bribe: Bribe) -> Outcome:
    """What became of it, in one word."""
    if bribe.struck_by is not None:
        return "struck"
    if bribe.kind == "gift":
        return "gift"
    if bribe.how != "paid":
        return "unpaid"
    if bribe.way is None:
        return "unknown"
    return "won" if bribe.way == "payer" else "lost"


def one_line(text: str) -> str:
    """The text without line breaks and without signs that cannot be seen or drawn."""
    kept = [
        " " if char.isspace() else char
        for char in text
        if char.isspace() or (unicodedata.category(char) not in {"Cc", "Cs", "Cn"} and char not in _TURNING)
    ]
    return " ".join("".join(kept).split())


class Speech(msgspec.Struct, frozen=True):
    """One language, the names of those who sit there, and the words of the game."""

    own: Wording
    game: Wording | None
    names: tuple[str, ...]
    title: str

    def say(self, key: str, **params: Any) -> str:
        """The trail's text under the key, filled in with plain texts and numbers."""
        return self.own.text(key).format_map(params)

    def seat(self, seat: Seat) -> str:
        """Who sits there, or the seat by number."""
        named = one_line(self.names[seat]) if seat < len(self.names) else ""
        return named or self.say("seat", number=seat)

    def turn(self, turn: str | None) -> str:
        """`trial:3` as people say it."""
        kind, _, number = (turn or "").rpartition(":")
        if turn == "trial:0":
            return self.say("before_trial")
        known = f"trail.turn.{kind}" in self.own.texts
        return self.say(f"turn.{kind}", number=number) if known else one_line(turn or "")

    def matter(self, kind: str | None) -> str:
        """What is decided in windows of that kind."""
        return self._game(f"window.{kind}") or kind or ""

    def deed(self, deed: Partial) -> str:
        """An action, or a partial one."""
        values = [self._value(name, value) for name, value in deed.items() if name != "type"]
        action = self._game(f"action.{deed.get('type')}") or str(deed.get("type", "")).replace("_", " ")
        return self.say("deed", deed=action, values=self._joined(values)) if values else action

    def terms(self, terms: Terms) -> str:
        """What the chips are for."""
        found = self.deed(terms.does)
        if terms.times > 1:
            found = self.say("times", deed=found, times=terms.times)
        return found if terms.never is None else self.say("never", deed=found, never=self.deed(terms.never))

    def what(self, bribe: Bribe) -> str:
        """What this offer's chips are for; or that it is a gift."""
        return self.terms(bribe.terms) if bribe.terms is not None else self.say("kind.gift")

    def about(self, about: str) -> str:
        """What was judged, by the label that the game has for it in whatever field."""
        known = {} if self.game is None else self.game.texts
        pattern = re.compile(rf"{re.escape(self.game.name if self.game else '')}\.value\.\w+\.{re.escape(about)}")
        return next((known[key] for key in sorted(known) if pattern.fullmatch(key)), about)

    def verdict(self, verdict: str) -> str:
        """The verdict by its label."""
        return self.say("undecided") if verdict == "undecided" else self._value("verdict", verdict)

    def decision(self, decision: Decision | None) -> str:
        """What was judged, and how."""
        if decision is None:
            return self.say("no_verdict")
        return self.say("verdict", about=self.about(decision.about), verdict=self.verdict(decision.verdict))

    def yes_no(self, value: bool | None) -> str:
        return "" if value is None else self.say("yes" if value else "no")

    def _game(self, key: str) -> str | None:
        return None if self.game is None else self.game.texts.get(f"{self.game.name}.{key}")

    def _value(self, name: str, value: Any) -> str:
        if isinstance(value, list | tuple):
            return self._joined([self._value(name, each) for each in value])
        if type(value) is int and name in SEATS:
            return self.seat(value)
        if isinstance(value, bool):
            return self._game(texts.value_key(name, value)) or self.yes_no(value)
        return one_line(str(value)) if self.game is None else self.game.label(name, value)

    def _joined(self, parts: Sequence[str]) -> str:
        return ("、" if self.own.language == "ja" else ", ").join(parts)


def speech(trail: Trail, language: str, names: Sequence[str]) -> Speech:
    """How to tell that trail.

    Raises:
        ValueError: there are no words in that language.
    """
    if language not in texts.LANGUAGES:
        raise ValueError(f"the trail is told in one of {', '.join(texts.LANGUAGES)}, not in {language!r}")
    game = next((game for game in GAMES if (game.name, game.version) == (trail.game, trail.rules)), None)
    known = None if game is None else wording(game, language)
    title = trail.game if known is None else known.text("title")
    return Speech(Wording("trail", language, _own()[language]), known, tuple(names), title)


@cache
def _own() -> Mapping[str, Texts]:
    return texts.load(files("projections.trail") / "words.toml")
