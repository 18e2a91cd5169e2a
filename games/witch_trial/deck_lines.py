"""On which line of a TOML file each value stands: the reader of the standard library does not tell.

It walks over a text that is known to be TOML, so it may take for granted that everything closes.
"""

import re
import tomllib
from collections.abc import Mapping

Path = tuple[str | int, ...]
"""Where a value stands: names, and places in lists from 0. `("cards", 3, "name", "en")`"""

_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r"""
      '{3} .*? '{3,5}  |  "{3} (?:[^\\]|\\.)*? "{3,5}   # the long forms first: an empty string begins like them
    | '[^'\n]*'  |  "(?:[^"\\\n]|\\.)*"
    """,
    re.DOTALL | re.VERBOSE,
)
_PLAIN = re.compile(r"[^,\]}#\n]+")


def lines_of(text: str) -> Mapping[Path, int]:
    """The line, from 1, of every value and table. `text` must be TOML."""
    return _Walk(text).run()


class _Walk:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line, self._counted = 1, 0
        self._found: dict[Path, int] = {}
        self._lengths: dict[Path, int] = {}
        """How many tables a list of tables has so far."""

    def run(self) -> Mapping[Path, int]:
        """Statement by statement: a header says under what the following keys stand."""
        under: Path = ()
        while self._peek():
            if self._skip("[["):
                under = self._element(self._key())
                self._skip("]]")
            elif self._skip("["):
                under = self._within(self._key())
                self._skip("]")
            else:
                self._statement(under)
        return self._found

    # --- Tables ---------------------------------------------------------------------------------------

    def _within(self, key: Path) -> Path:
        """The table of a header; in a list of tables, the last of them."""
        path: Path = ()
        for name in key:
            path = self._note((*path, name))
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
        return path

    def _element(self, key: Path) -> Path:
        """A further table of the list that a header with two brackets names."""
        of = self._note((*self._within(key[:-1]), key[-1]))
        self._lengths[of] = self._lengths.get(of, 0) + 1
        return self._note((*of, self._lengths[of] - 1))

    def _statement(self, under: Path) -> None:
        path = under
        for name in self._key():
            path = self._note((*path, name))
        self._skip("=")
        self._value(path)

    # --- Values ---------------------------------------------------------------------------------------

    def _value(self, path: Path) -> None:
        self._peek()
        self._note(path)
        if self._skip("["):
            self._list(path)
        elif self._skip("{"):
            self._inline(path)
        else:
            self._take(_STRING) or self._take(_PLAIN)

    def _list(self, path: Path) -> None:
        index = 0
        while not self._skip("]"):
            self._value((*path, index))
            self._skip(",")
            index += 1

    def _inline(self, path: Path) -> None:
        while not self._skip("}"):
            self._statement(path)
            self._skip(",")

    def _key(self) -> Path:
        """A key with its dots as names, quoted ones unquoted."""
        names: Path = ()
        while True:
            self._peek()
            quoted = self._take(_STRING)
            names = (*names, tomllib.loads(f"is = {quoted}")["is"] if quoted else self._take(_NAME))
            if not self._skip("."):
                return names

    # --- Characters -----------------------------------------------------------------------------------

    def _peek(self) -> bool:
        """Over spaces, ends of lines and comments; whether anything follows."""
        self._take(_SPACE)
        return self._at < len(self._text)

    def _skip(self, sign: str) -> bool:
        self._peek()
        if not self._text.startswith(sign, self._at):
            return False
        self._at += len(sign)
        return True

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found.group()

    def _note(self, path: Path) -> Path:
        """Keep the line that has been reached, for whichever comes here first."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        self._found.setdefault(path, self._line)
        return path
