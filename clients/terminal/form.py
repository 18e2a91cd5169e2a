"""Filling in an ask, field by field. What has only one possible value fills itself in."""

from collections.abc import Mapping
from typing import Any

from clients.terminal.reading import Unclear, Windows, names_of, value
from clients.terminal.words import Words
from comitium_client import Ask, Between, Deed, Domain, EntryAfter, Match, OneOf, OtherDomain, SomeOf, Text


class Form:
    """One action in the making."""

    def __init__(self, words: Words, ask: Ask, windows: Windows) -> None:
        self._words = words
        self._ask = ask
        self._windows = windows
        self._values: dict[str, Any] = {}
        self._settle()

    def _settle(self) -> None:
        for name, domain in self._ask.fields.items():
            if isinstance(domain, OneOf) and len(domain.one_of) == 1:
                self._values[name] = domain.one_of[0]

    @property
    def field(self) -> str | None:
        """The field that is still to be filled in, or None when all are."""
        return next((name for name in self._ask.fields if name not in self._values), None)

    @property
    def takes_text(self) -> bool:
        """Whether anything may be typed into it."""
        return isinstance(self._ask.fields.get(self.field or ""), Text)

    @property
    def action(self) -> Mapping[str, Any]:
        """The action as far as it goes."""
        return {"type": self._ask.type, **self._values}

    def put(self, typed: str) -> None:
        """Fills in the next field.

        Raises:
            Unclear: that is none of its values.
        """
        name = self.field
        if name is not None:
            self._values[name] = value(self._words, name, self._ask.fields[name], typed, self._windows)

    def put_all(self, typed: str) -> None:
        """Fills in as many fields as there are words; the last field takes all that is left.

        What has only one possible value may be said or left out.

        Raises:
            Unclear: a word is none of its field's values, or there are too many.
        """
        names = list(self._ask.fields)
        for name in names:
            word, _, rest = (typed, "", "") if name == names[-1] else typed.partition(" ")
            if name in self._values:
                typed = rest.strip() if self._says(name, word) else typed
            elif word:
                self.put(word)
                typed = rest.strip()
        if typed:
            raise Unclear(self._words.own("unclear.more", typed=typed))

    def _says(self, name: str, word: str) -> bool:
        """Whether the word says what is settled anyway."""
        try:
            said = value(self._words, name, self._ask.fields[name], word, self._windows)
        except Unclear:
            return False
        return bool(said == self._values[name])

    def question(self) -> str:
        """What to ask for."""
        name = self.field or ""
        values = choices(self._words, name, self._ask.fields[name])
        return self._words.own("form.ask", field=self._words.field(self._ask.type, name), values=values)


def choices(words: Words, field: str, domain: Domain) -> str:
    """What may be put into the field, in words."""
    match domain:
        case OneOf(values):
            return words.join([names_of(words, field, each)[0] for each in values])
        case Between(low, high):
            return words.own("form.between", low=low, high=high)
        case SomeOf(values, low, high):
            shown = words.join([names_of(words, field, each)[0] for each in values])
            count = low if low == high else words.own("form.between", low=low, high=high)
            return words.own("form.some", count=count, values=shown)
        case Text(length):
            return words.own("form.text", length=length)
        case Match(_, or_null):
            return words.own("form.deed.or_none" if or_null else "form.deed")
        case Deed():
            return words.own("form.deed")
        case EntryAfter(after):
            return words.own("form.entry", after=after)
        case OtherDomain():
            return "?"
