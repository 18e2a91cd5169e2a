"""Who has played how well at a server, as a table."""

from collections.abc import Iterable

from clients.terminal.lines import Grid, Line, Shown
from clients.terminal.visits import Visitor, visit
from clients.terminal.words import Words
from comitium_client import Standing, Standings

SHOWN = 20
"""Lines of a table; the best come first."""

TITLES = ("rank", "name", "games", "won", "beaten", "left", "kept", "broken")
NUMBERS = frozenset({0, 2, 3, 4, 5, 6, 7})


async def standings(visitor: Visitor, game: str | None = None, *, bots: bool = True) -> list[Shown]:
    """The standings of a server, of all games or of one."""
    async with visit(visitor) as client:
        found = await client.standings(game, bots=bots, limit=SHOWN)
    return list(standing_lines(Words(visitor.language), found))


def standing_lines(words: Words, found: Standings) -> Iterable[Shown]:
    """A line a player, and what there is to know of the table."""
    if found.players:
        titles = [words.own(f"standings.{title}") for title in TITLES]
        yield Grid(titles, [_row(words, line) for line in found.players], NUMBERS)
        yield Line(words.own("standings.tables", tables=found.tables), "quiet")
    else:
        yield Line(words.own("standings.none"), "quiet")
    if found.pending:
        yield Line(words.own("standings.pending", pending=found.pending), "quiet")


def _row(words: Words, line: Standing) -> list[str]:
    name = line.name or line.player or "-"
    shown = name if line.bot is None else words.own("standings.bot", name=name)
    sums = (line.games, line.won, f"{line.beaten}/{line.of}", line.left, line.promises.kept, line.promises.broken)
    return [str(line.rank), shown, *map(str, sums)]
