"""The words of the games: titles, rules, labels and sentences, in English and Japanese.

Each game keeps them in a TOML file beside its rules (`texts.toml` in its folder; `<module>.toml` beside a game of one
file), a table a key with one text a language: `["tribunal.title"] en = "..." ja = "..."`. The keys after the name of
the game: `title`, `summary`, `rules`, `option.<option>`, `action.<type>`, `action.<type>.<field>`,
`value.<field>.<value>`, `event.<type>`, `event.<type>.hidden`, `window.<kind>`, `why.<why>`, `refused.<code>`; if it
likes, `minutes`.

A sentence has places to fill: `{field}` takes a number as it is and any other value by its label, `{field:seat}` takes
a seat's number (or several) by the name of who sits there. A list is joined; an empty one is a dash. An event of which
a field is None is told by its `hidden` variant. Clients in any language fill in the same way.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, get_args

import msgspec
from msgspec import inspect

from games import bargaining
from games.core import Action, Event, Game, Refused, attributes, tag_of

LANGUAGES = ("en", "ja")

Texts = Mapping[str, str]

_JOINT = {"en": ", ", "ja": "、"}
_SEAT = {"en": "seat {}", "ja": "席{}"}
_NONE = "-"
_BLANK = re.compile(r"\{(\w+)(:seat)?\}")


class MissingText(LookupError):  # noqa: N818  (it says what is missing)
    """A key without text, or a place in a sentence without a value."""


# --- Reading ------------------------------------------------------------------------------------------


def texts_for(game: Game) -> Mapping[str, Texts]:
    """The game's texts: language, then key.

    Raises:
        MissingText: a key lacks a language.
    """
    module = vars(game)
    return _beside(str(module["__name__"]), is_folder="__path__" in module)


def load(file: Traversable) -> Mapping[str, Texts]:
    """The texts of a TOML file: language, then key.

    Raises:
        MissingText: a key lacks a language.
    """
    tables: dict[str, dict[str, str]] = tomllib.loads(file.read_text("utf-8"))
    for key, table in tables.items():
        if table.keys() != set(LANGUAGES) or not all(text.strip() for text in table.values()):
            raise MissingText(f"{file.name}: {key} needs a text in each of {', '.join(LANGUAGES)}, and nothing else")
    return {language: {key: table[language].strip() for key, table in tables.items()} for language in LANGUAGES}


@cache
def _beside(module: str, *, is_folder: bool) -> Mapping[str, Texts]:
    package, _, last = module.rpartition(".")
    return load(files(module) / "texts.toml" if is_folder else files(package) / f"{last}.toml")


# --- Saying -------------------------------------------------------------------------------------------


class Wording(msgspec.Struct, frozen=True):
    """All texts under one name (a game's) in one language, and how sentences are made of them."""

    name: str
    language: str
    texts: Texts

    def text(self, key: str) -> str:
        """The text under the key, which is given without the name.

        Raises:
            MissingText: there is none.
        """
        try:
            return self.texts[f"{self.name}.{key}"]
        except KeyError:
            raise MissingText(f"no text in {self.language!r} for {self.name}.{key}") from None

    def sentence(self, key: str, names: Sequence[str] = (), **params: Any) -> str:
        """The sentence under the key, filled in. `names`: who sits where; without them seats are told by number.

        Raises:
            MissingText: no such key, or nothing to fill a place with.
        """

        def fill(blank: re.Match[str]) -> str:
            field, seat = blank.groups()
            values = _each(params.get(field), f"{self.name}.{key}, {{{field}}}")
            parts = [self._name(value, names) if seat else self.label(field, value) for value in values]
            return _JOINT[self.language].join(parts) or _NONE

        return _BLANK.sub(fill, self.text(key))

    def tell(self, event: Event, names: Sequence[str] = ()) -> str:
        """What happened, as a sentence for whoever knows this much of it."""
        params = {name: getattr(event, place) for name, place in attributes(type(event)).items()}
        variant = ".hidden" if None in params.values() else ""
        return self.sentence(f"event.{tag_of(type(event))}{variant}", names, **params)

    def refuse(self, refusal: Refused, names: Sequence[str] = ()) -> str:
        """Why not, as a sentence."""
        return self.sentence(refusal.key, names, **refusal.params)

    def label(self, field: str, value: Any) -> str:
        """A field's value as people read it: numbers as they are, anything else by its label, free text as it is."""
        if isinstance(value, bool):
            return self.text(value_key(field, value))
        return self.texts.get(f"{self.name}.{value_key(field, value)}", str(value))

    def _name(self, seat: Any, names: Sequence[str]) -> str:
        return names[seat] if seat < len(names) else _SEAT[self.language].format(seat)


def wording(game: Game, language: str) -> Wording:
    """The game's words in that language."""
    return Wording(game.name, language, texts_for(game)[language])


def value_key(field: str, value: Any) -> str:
    """The key of a value's label, without the name. Why a game ended has a text of its own anyway."""
    word = str(value).lower() if isinstance(value, bool) else str(value)
    return f"why.{word}" if field == "why" else f"value.{field}.{word}"


def _each(value: Any, place: str) -> Sequence[Any]:
    if value is None:
        raise MissingText(f"nothing to fill in: {place}")
    return value if isinstance(value, tuple | list) else (value,)


# --- Completeness -------------------------------------------------------------------------------------


def missing_texts(game: Game) -> list[str]:
    """What the game's texts lack, and sentences with places that nothing can fill. None of it once all is well.

    `WINDOWS`, `WHYS` and `REFUSALS` on the game's face name the kinds of its windows, the reasons of its outcomes and
    the codes of its refusals; the rest is read off the types.
    """
    wanted = needed(game)
    absent = [
        f"{language}: {key}" for language, texts in texts_for(game).items() for key in sorted(wanted - texts.keys())
    ]
    return absent + [
        wrong for language, texts in texts_for(game).items() for wrong in _unfillable(game, language, texts)
    ]


def stray_texts(game: Game) -> list[str]:
    """Keys that nothing asks for: mostly slips of the pen."""
    free = (f"{game.name}.minutes", f"{game.name}.refused.")
    return sorted(key for key in texts_for(game)["en"].keys() - needed(game) if not key.startswith(free))


def needed(game: Game) -> set[str]:
    """Every key that the game must have a text for."""
    keys = ["title", "summary", "rules", *_of_options(game.Options)]
    for action in get_args(game.Action) or (game.Action,):
        keys += _of_action(action)
    for event in _events(game):
        keys += _of_event(event)
    for prefix, words in (("window", "WINDOWS"), ("why", "WHYS"), ("refused", "REFUSALS")):
        keys += [f"{prefix}.{word}" for word in getattr(game, words, ())]
    return {f"{game.name}.{key}" for key in keys}


def _events(game: Game) -> list[type[Event]]:
    """The game's own; the words of bargaining are the table's."""
    return [kind for kind in get_args(game.Event) or (game.Event,) if kind not in bargaining.TYPES]


def _of_options(options: type[Any]) -> list[str]:
    fields = _fields(options)
    return [f"option.{name}" for name in fields] + _labels(fields)


def _of_action(action: type[Action]) -> list[str]:
    fields, key = _fields(action), f"action.{tag_of(action)}"
    return [key, *(f"{key}.{name}" for name in fields), *_labels(fields)]


def _of_event(event: type[Event]) -> list[str]:
    fields, key = _fields(event), f"event.{tag_of(event)}"
    hidden = [f"{key}.hidden"] if _may_hide(fields) else []
    return [key, *hidden, *_labels(fields)]


def _unfillable(game: Game, language: str, texts: Texts) -> Iterator[str]:
    """Places in the sentences of events that are no field, or in a hidden variant a field that may be None."""
    for event in _events(game):
        fields, key = _fields(event), f"{game.name}.event.{tag_of(event)}"
        known = fields.keys() - _may_hide(fields)
        for variant, allowed in ((key, fields.keys()), (f"{key}.hidden", known)):
            wrong = {blank[0] for blank in _BLANK.findall(texts.get(variant, ""))} - allowed
            yield from (f"{language}: {variant} cannot fill {{{field}}}" for field in sorted(wrong))


def _fields(kind: type[Any]) -> dict[str, inspect.Type]:
    info = inspect.type_info(kind)
    return {field.encode_name: field.type for field in info.fields} if isinstance(info, inspect.StructType) else {}


def _may_hide(fields: Mapping[str, inspect.Type]) -> set[str]:
    return {name for name, info in fields.items() if isinstance(info, inspect.UnionType) and info.includes_none}


def _labels(fields: Mapping[str, inspect.Type]) -> list[str]:
    return [value_key(name, value) for name, info in fields.items() for value in _values(info)]


def _values(info: inspect.Type) -> Iterable[Any]:
    """The values that the type names, apart from numbers."""
    match info:
        case inspect.LiteralType(values):
            return [value for value in values if isinstance(value, str)]
        case inspect.BoolType():
            return (True, False)
        case inspect.UnionType(types):
            return [value for each in types for value in _values(each)]
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item) | inspect.SetType(item_type=item):
            return _values(item)
        case _:
            return ()
