"""How much room text takes where nothing can measure it: widths by the kind of character, rather too wide than too narrow."""

import unicodedata
from collections.abc import Iterator

CLINGING = frozenset("、。：；）」！？…")
"""No line begins with these."""
THIN, NARROW, BROAD = frozenset("il.,:;'|! "), frozenset("jtfrI()[]-"), frozenset("mwMW@%&")
BOLD = 1.1
"""How much wider bold type is."""


def width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a line in a font of that size, in the same unit."""
    return sum(_em(char) for char in text) * size * (BOLD if bold else 1)


def _em(char: str) -> float:
    if unicodedata.east_asian_width(char) in "WFA" or char in BROAD:
        return 1.0
    if char in THIN:
        return 0.36
    if char in NARROW:
        return 0.44
    return 0.76 if char.isupper() else 0.64


def wrapped(text: str, size: float, room: float, lines: int) -> tuple[str, ...]:
    """The text in at most so many lines no wider than the room; what is left over becomes an ellipsis."""
    found = [""]
    for piece in _pieces(text, size, room):
        if width(found[-1] + piece.rstrip(), size) <= room:
            found[-1] += piece
        else:
            found.append(piece)
    found = [line.strip() for line in found]
    if len(found) > lines:
        found = [*found[: lines - 1], shortened(found[lines - 1], size, room, cut=True)]
    return tuple(found)


def shortened(text: str, size: float, room: float, *, cut: bool = False) -> str:
    """The text, with an ellipsis at its end where it is too wide, or where it was `cut` already."""
    if not cut and width(text, size) <= room:
        return text
    while text and width(f"{text}…", size) > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _pieces(text: str, size: float, room: float) -> Iterator[str]:
    """What may not be torn: words with the space after them, and wide characters one by one with the points after them."""
    word = ""
    for char in text:
        apart = char not in CLINGING and (_is_wide(char) or _is_wide(word[-1:]) or word[-1:] == " ")
        if word and (apart or width(word + char, size) > room):
            yield word
            word = ""
        word += char
    if word:
        yield word


def _is_wide(text: str) -> bool:
    return any(unicodedata.east_asian_width(char) in "WF" for char in text)
