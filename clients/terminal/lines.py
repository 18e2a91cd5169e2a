"""What is put on the screen, before it is a screen: lines with a kind and an indent, and tables. No I/O here."""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

HANGING = 2
"""How much further in the second line of a sentence stands."""

FULL_WIDTH = 2
CLOSING = frozenset("、。」）：")

Kind = Literal["plain", "head", "deal", "talk", "deed", "verdict", "quiet", "you", "wrong", "win"]

STYLES: dict[Kind, str] = {
    "plain": "",
    "head": "bold",
    "deal": "yellow",
    "talk": "italic",
    "deed": "bold",
    "verdict": "bold reverse",
    "quiet": "dim",
    "you": "bold cyan",
    "wrong": "red",
    "win": "bold green",
}


class Line(msgspec.Struct, frozen=True):
    """One sentence. `right`: what stands at the end of the line, if there is room."""

    text: str
    kind: Kind = "plain"
    indent: int = 0
    right: str = ""


class Grid(msgspec.Struct, frozen=True):
    """A small table: titles, rows, and which columns hold numbers."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: frozenset[int] = frozenset()
    indent: int = 0


Shown = Line | Grid


def show(console: Console, shown: Iterable[Shown]) -> None:
    """Puts it on the screen."""
    for each in shown:
        console.print(
            _rendered(each, console), highlight=False, soft_wrap=isinstance(each, Line) and each.kind != "head"
        )


def text_of(shown: Iterable[Shown], width: int = 80) -> str:
    """The screen as plain text."""
    console = Console(width=width, color_system=None, legacy_windows=False)
    with console.capture() as capture:
        show(console, shown)
    return capture.get()


def _rendered(shown: Shown, console: Console) -> RenderableType:
    match shown:
        case Line(text, "head"):
            return Rule(Text(text, STYLES["head"]), align="left", characters="─", style="dim")
        case Line():
            return _text(shown, console)
        case Grid(titles, rows, numbers, indent):
            table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
            for place, title in enumerate(titles):
                table.add_column(title, justify="right" if place in numbers else "left", no_wrap=place in numbers)
            for row in rows:
                table.add_row(*(Text(cell) for cell in row))
            return Padding(table, (0, 0, 0, indent), expand=False)


def _text(line: Line, console: Console) -> Text:
    """Wrapped, with what follows the first line further in."""
    text = Text(line.text, STYLES[line.kind])
    room = console.width - line.indent - text.cell_len - Text(line.right).cell_len
    if line.right and room >= 1:
        text.append(" " * room + line.right, style="dim")
    if room >= 0:
        return Text(" " * line.indent).append_text(text)
    first, *more = _closed(text.wrap(console, max(20, console.width - line.indent - HANGING - FULL_WIDTH)))
    parts = [Text(" " * line.indent).append_text(first)]
    parts += [Text(" " * (line.indent + HANGING)).append_text(part) for part in more]
    for part in parts:
        part.rstrip()
    return Text("\n").join(parts)


def _closed(parts: Iterable[Text]) -> list[Text]:
    """No line begins with a sign that closes the one before; there is room for it."""
    found: list[Text] = []
    for part in parts:
        if found and part.plain[:1] in CLOSING:
            found[-1].append_text(part[:1])
            found.append(part[1:])
        else:
            found.append(part)
    return [part for part in found if part]
