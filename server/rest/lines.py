"""Tables as lines of the lobby, with the names of their players."""

from collections.abc import Iterable

from projections.lobby import Summary
from server.rest.shapes import SeatLine, TableLine
from server.site import Site


def lines(site: Site, summaries: Iterable[Summary]) -> list[TableLine]:
    """The lines with everybody's name; who is erased has none."""
    found = list(summaries)
    ids = {seat.player for line in found for seat in line.seats if seat.player is not None}
    names = site.accounts.names(ids)
    return [_line(line, names) for line in found]


def line(site: Site, summary: Summary) -> TableLine:
    """The one line."""
    return lines(site, [summary])[0]


def _line(summary: Summary, names: dict[str, str]) -> TableLine:
    seats = tuple(
        SeatLine(number, seat.player, names.get(seat.player) if seat.player else None, seat.bot)
        for number, seat in enumerate(summary.seats)
    )
    fields = {name: getattr(summary, name) for name in TableLine.__struct_fields__ if name != "seats"}
    return TableLine(**fields, seats=seats)
