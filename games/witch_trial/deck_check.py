"""What is wrong with a deck file: every fault, with its line and a sentence in either language.

The types in `cards` say what a deck may hold; they are read here field by field, because one wants to be told where in
a file of 84 cards something is wrong, and of more than the first slip. The sentences stand in `deck_faults.toml`.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from msgspec import inspect

from games.core import BadFile
from games.texts import LANGUAGES, Wording, load
from games.witch_trial.cards import Deck, Gamble
from games.witch_trial.deck_lines import Path, lines_of

COMPOSITION = {"suspect": 21, "charge": 21, "evidence": 20, "motion": 18, "objection": 4}
"""How many cards of each kind a deck has; the printed one has just as many."""

LONGEST = {"name": 80, "title": 80, "text": 400, "note": 1000}
"""Characters that a text may have, by its field."""

_PLACE_IN_TOML = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f]")
"""What would do something to a terminal, an end of line too."""

_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_SHOWN = 40
"""Characters of a wrong value that a sentence repeats."""


class Fault(BadFile):
    """Something that makes the file unfit. `reason`: which of the sentences, which `params` fill in."""

    def __init__(self, line: int | None, reason: str, **params: Any) -> None:
        self.params = params
        super().__init__(line, reason, words("en").sentence(reason, **params))

    def sentence_in(self, language: str) -> str:
        """The sentence in "en" or "ja"."""
        return words(language).sentence(self.reason, **self.params)


@cache
def words(language: str) -> Wording:
    """What is said about deck files."""
    return Wording("deck", language, load(files("games.witch_trial") / "deck_faults.toml")[language])


def faults(text: str) -> tuple[Fault, ...]:
    """All that is wrong with the file, from its beginning; nothing if it is a deck."""
    try:
        data = tomllib.loads(text)
        return _told(data, lines_of(text)) if _told(data, {}) else ()  # lines are slow to find, and seldom wanted
    except tomllib.TOMLDecodeError as error:
        return (_no_toml(str(error), text),)
    except (RecursionError, ValueError):  # a list in a list in a list...; a number of thousands of digits
        return (Fault(None, "syntax", why="too deep, or a number too long"),)


def _told(data: dict[str, Any], lines: Mapping[Path, int]) -> tuple[Fault, ...]:
    check = _Check(data, lines)
    check.run()
    return tuple(sorted(check.found, key=lambda fault: fault.line or 0))


def _no_toml(said: str, text: str) -> Fault:
    found = _PLACE_IN_TOML.fullmatch(said)
    if found is None:
        return Fault(None, "syntax", why=said)
    why, line, column = found.groups()
    if line is None:
        return Fault(text.count("\n") + (not text.endswith("\n")), "syntax", why=f"{why}, at the end of the file")
    return Fault(int(line), "syntax", why=f"{why}, column {column}")


def _shown(value: Any) -> str:
    """A value of the file, as far as it can be repeated in a sentence."""
    found = str(value).lower() if isinstance(value, bool) else str(value)
    seen = "".join(sign if sign.isprintable() else "?" for sign in found)
    return seen if len(seen) <= _SHOWN else f"{seen[:_SHOWN]}..."


class _Check:
    """One reading of the file. `data`: what stands in it; `lines`: where."""

    def __init__(self, data: dict[str, Any], lines: Mapping[Path, int]) -> None:
        self._data = data
        self._lines = lines
        self.found: list[Fault] = []

    def run(self) -> None:
        """The shape of everything, then what holds between the cards."""
        self._struct((), self._data, _struct_type(Deck))
        self._ids()
        self._modifiers()
        if not self.found:  # a card of a kind that there is not would be told as one that is missing too
            self._composition()

    # --- Saying where ---------------------------------------------------------------------------------

    def _say(self, path: Path, reason: str, **params: Any) -> None:
        self.found.append(Fault(self._line(path), reason, place=self._place(path), **params))

    def _line(self, path: Path) -> int:
        """Of the value, or of what it should stand in."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def _place(self, path: Path) -> str:
        """The place for people, who count from 1 and know a card by its id."""
        card = self._card(path)
        name = card.get("id") if card else None
        known = isinstance(name, str) and _ID.fullmatch(name) is not None
        parts = [str(name), *path[2:]] if known else list(path)
        return " > ".join(str(part + 1) if isinstance(part, int) else _shown(part) for part in parts) or "deck"

    def _card(self, path: Path) -> dict[str, Any] | None:
        if len(path) < 2 or path[0] != "cards" or not isinstance(path[1], int):
            return None
        card = self._data["cards"][path[1]]
        return card if isinstance(card, dict) else None

    # --- Shape ----------------------------------------------------------------------------------------

    def _struct(self, path: Path, table: dict[str, Any], info: inspect.StructType) -> None:
        """That the table has just the fields of the type, each with a value that fits."""
        fields = {field.encode_name: field for field in info.fields}
        names = [*([info.tag_field] if info.tag_field else []), *fields]
        unknown = [name for name in table if name not in names]
        for name in unknown:
            self._say((*path, name), "unknown_field", fields=names)
        for name, field in fields.items():
            if name in table:
                self._value((*path, name), table[name], field.type)
            elif field.required and not unknown:  # one that is misspelt is not told as one that is missing too
                self._say(path, "missing_field", field=name)
        if info.cls is Gamble:
            self._gamble(path, table)

    def _value(self, path: Path, value: Any, info: inspect.Type) -> None:
        match info:
            case inspect.IntType(ge=low, le=high):
                self._number(path, value, low, high)
            case inspect.LiteralType(values=values):
                if not any(value == one and type(value) is type(one) for one in values):
                    self._say(path, "not_one_of", known=list(values), value=_shown(value))
            case inspect.DictType(value_type=inspect.StrType()):
                self._words(path, value)
            case inspect.DictType(value_type=number):
                if self._is_table(path, value):
                    for name, one in value.items():
                        self._value((*path, name), one, number)
            case inspect.VarTupleType(item_type=item, min_length=low, max_length=high):
                self._several(path, value, _variants(item), low or 0, high)
            case _:
                if not (isinstance(value, str) and _ID.fullmatch(value)):
                    self._say(path, "bad_id", value=_shown(value))

    def _number(self, path: Path, value: Any, low: int | None, high: int | None) -> None:
        if type(value) is not int or (low is not None and value < low) or (high is not None and value > high):
            self._say(path, "not_in_range", low=low, high=high, value=_shown(value))

    def _words(self, path: Path, value: Any) -> None:
        """A text by language."""
        if not self._is_table(path, value):
            return
        for language in (name for name in value if name not in LANGUAGES):
            self._say((*path, language), "unknown_language", known=LANGUAGES)
        if not value.keys() & set(LANGUAGES):
            self._say(path, "no_words", known=LANGUAGES)
        longest = LONGEST[str(path[-1])]
        for language in LANGUAGES:
            text = value.get(language, "-")
            if not isinstance(text, str) or not text.strip() or len(text) > longest or _UNSEEN.search(text):
                self._say((*path, language), "bad_words", high=longest)

    def _several(
        self, path: Path, value: Any, variants: Mapping[str, inspect.StructType], low: int, high: int | None
    ) -> None:
        """A list of cards, or of effects."""
        if not isinstance(value, list):
            self._say(path, "not_a_list")
            return
        if len(value) < low or (high is not None and len(value) > high):
            self._say(path, "wrong_length", low=low, high=high, found=len(value))
        for index, one in enumerate(value):
            if self._is_table((*path, index), one):
                self._variant((*path, index), one, variants)

    def _variant(self, path: Path, table: dict[str, Any], variants: Mapping[str, inspect.StructType]) -> None:
        """A card of some kind, or an effect of some name."""
        label = next(iter(variants.values())).tag_field or ""
        name = table.get(label)
        if label not in table:
            self._say(path, "missing_field", field=label)
        elif isinstance(name, str) and name in variants:
            self._struct(path, table, variants[name])
        elif name == "gamble":
            self._say((*path, label), "nested")
        else:
            self._say((*path, label), f"unknown_{label}", value=_shown(name), known=list(variants))

    def _is_table(self, path: Path, value: Any) -> bool:
        if not isinstance(value, dict):
            self._say(path, "not_a_table")
        return isinstance(value, dict)

    def _gamble(self, path: Path, table: dict[str, Any]) -> None:
        """That it can go either way, and that something hangs on it."""
        if not table.get("then") and not table.get("otherwise"):
            self._say(path, "no_stakes")
        least = table.get("at_least")
        if table.get("dice") == 1 and type(least) is int and 6 < least <= 12:
            self._say((*path, "at_least"), "impossible_roll", value=least)

    # --- Between the cards ----------------------------------------------------------------------------

    def _cards(self) -> list[tuple[Path, dict[str, Any]]]:
        """The cards that are cards at all."""
        cards = self._data.get("cards")
        listed = enumerate(cards) if isinstance(cards, list) else ()
        return [(("cards", index), card) for index, card in listed if isinstance(card, dict)]

    def _ids(self) -> None:
        first: dict[str, Path] = {}
        for path, card in self._cards():
            name = card.get("id")
            if isinstance(name, str) and first.setdefault(name, path) is not path:
                before = self._line((*first[name], "id"))
                self._say((*path, "id"), "duplicate_id", value=_shown(name), first=before)

    def _modifiers(self) -> None:
        suspects = {str(card.get("id")) for _, card in self._cards() if card.get("kind") == "suspect"}
        for path, card in self._cards():
            against = card.get("against") if card.get("kind") == "charge" else None
            for name in against if isinstance(against, dict) else ():
                if name not in suspects:
                    self._say((*path, "against", name), "unknown_suspect", value=_shown(name))

    def _composition(self) -> None:
        """How many there are of each kind. The line is that of the first card too many, or of the last there is."""
        for kind, wanted in COMPOSITION.items():
            found, line = 0, None
            for path, card in self._cards():
                if card["kind"] == kind:
                    line = self._line(path) if found <= wanted else line
                    found += card.get("copies", 1)
            if found != wanted:
                last = max(self._lines.values(), default=1) if line is None else line
                self.found.append(Fault(last, "composition", kind=kind, wanted=wanted, found=found))


# --- The types, as data -------------------------------------------------------------------------------


@cache
def _struct_type(kind: type[Any]) -> inspect.StructType:
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)  # noqa: S101  (a struct it is)
    return info


def _variants(info: inspect.Type) -> dict[str, inspect.StructType]:
    """The members of a union of structs by their tag."""
    members: Sequence[inspect.Type] = info.types if isinstance(info, inspect.UnionType) else (info,)
    return {str(one.tag): one for one in members if isinstance(one, inspect.StructType)}
