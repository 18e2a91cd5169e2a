"""Auditing a table: its disputes, its bribery trail, its chance, whether its log holds, and the log as a file."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec
from litestar import Response, Router, get
from litestar.di import NamedDependency

from events import archive
from events.chain import Audience
from games.core import Seat
from games.table.dispute import Dispute, Settled, Strike
from projections.fairness import Fairness, fairness
from projections.ledger import Ledger, ledger
from projections.promises import Kept, verdicts
from projections.story import Story
from projections.trail import Trail, as_csv, as_dot, as_svg, trail
from projections.verification import Verification
from server import access
from server.archives import Foreign
from server.rest.common import Call, reply
from server.rest.media import ANSWERS
from server.rest.params import At
from server.rest.visits import Visit
from server.tables.errors import LogForked, NoSuchTable
from server.tables.stories import entries_of

CSV, DOT, SVG, FILE = "text/csv", "text/vnd.graphviz", "image/svg+xml", "application/octet-stream"

DRAWN = {CSV: as_csv, DOT: as_dot, SVG: as_svg}


T = TypeVar("T")


class Range(msgspec.Struct, frozen=True):
    """The entries `from` to `to`."""

    first: int = msgspec.field(name="from")
    last: int = msgspec.field(name="to")


class Disputes(msgspec.Struct, frozen=True):
    """The open dispute, those before it, the strikes in effect, and what a dispute may name first: ranges of entries,
    newest first.
    """

    seq: int
    dispute: Dispute | None
    settled: tuple[Settled, ...]
    struck: tuple[Strike, ...]
    strikable: tuple[Range, ...]
    left: tuple[int | None, ...]
    """How many disputes each seat may still open; null where nobody sits who may."""


class Promises(msgspec.Struct, frozen=True):
    """All promises in order, as of entry `seq`."""

    seq: int
    promises: tuple[Kept, ...]


def audience_of(here: Visit) -> Audience:
    """As whom the caller reads the log.

    Raises:
        Hidden, NoSpectators: as for `access.audience`.
    """
    return access.log_audience(here.live.now.table, here.reader)


@get("/tables/{table:str}/disputes", refuses=("forbidden", "not_found"))
async def get_disputes(request: Call, here: NamedDependency[Visit]) -> Response[Disputes]:
    """The disputes of the table, what was struck, and what may be disputed."""
    audience_of(here)
    table, record = here.live.now.table, here.record
    most = 0 if record.house.disputes == "off" else record.house.disputes_per_seat
    left = tuple(_left(here, seat, most) for seat in range(len(record.holders)))
    found = Disputes(table.seq, record.dispute, record.settled, record.strikes, _ranges(table.strikable), left)
    return reply(request, found)


def _left(here: Visit, seat: Seat, most: int) -> int | None:
    holder = here.record.holders[seat]
    if holder.player is None or holder.bot is not None:
        return None
    return max(0, most - sum(settled.by == seat for settled in here.record.settled))


def _ranges(entries: Iterable[int]) -> tuple[Range, ...]:
    """Numbers that fall, as ranges."""
    found: list[tuple[int, int]] = []
    for seq in entries:
        if found and found[-1][0] == seq + 1:
            found[-1] = (seq, found[-1][1])
        else:
            found.append((seq, seq))
    return tuple(Range(first, last) for first, last in found)


@get("/tables/{table:str}/bribes", offers=(*ANSWERS, CSV, DOT, SVG), refuses=("forbidden", "not_found", "frozen"))
async def get_bribes(request: Call, here: NamedDependency[Visit]) -> Response[Trail]:
    """Who was paid how much for which decision, and what came of it. As CSV, GraphViz DOT or SVG by `Accept`."""
    found = await _read(here, here.live.seq, trail)
    media = request.media
    if media not in DRAWN:
        return reply(request, found)
    text = DRAWN[media](found, here.caller.language, _names(here))
    headers = {"Cache-Control": "no-store", "Vary": "Accept, Accept-Language"}
    return Response[Any](text.encode(), media_type=f"{media}; charset=utf-8", headers=headers)


async def _read(here: Visit, seq: int, projection: Callable[[Story], T]) -> T:
    """What the projection makes of the log up to that entry, as the caller may read it."""
    return await here.site.stories.read(here.shelf, here.live, audience_of(here), seq, projection)


def _names(here: Visit) -> tuple[str, ...]:
    """Who sits where; a vacant seat by its number."""
    players = [holder.player for holder in here.record.holders]
    names = here.site.accounts.names(player for player in players if player is not None)
    return tuple(names.get(player or "", f"#{seat}") for seat, player in enumerate(players))


@get("/tables/{table:str}/promises", refuses=("forbidden", "not_found", "frozen"))
async def get_promises(request: Call, here: NamedDependency[Visit]) -> Response[Promises]:
    """Every promise that was made, and whether it was kept, with the entries that prove it."""
    seq = here.live.seq
    return reply(request, Promises(seq, await _read(here, seq, verdicts)))


@get("/tables/{table:str}/ledger", refuses=("malformed", "forbidden", "not_found", "frozen", "log_forked"))
async def get_ledger(request: Call, here: NamedDependency[Visit], at: At = None) -> Response[Ledger]:
    """Every chip from where to where, by which entry, and who has how many then."""
    seq = here.live.seq if at is None else at
    if seq > here.live.seq:
        raise LogForked(seq, here.live.seq)
    return reply(request, await _read(here, seq, ledger))


@get("/tables/{table:str}/fairness", refuses=("forbidden", "not_found", "frozen"))
async def get_fairness(request: Call, here: NamedDependency[Visit]) -> Response[Fairness]:
    """Who had a part in chance here; after the end every draw is drawn again."""
    return reply(request, await _read(here, here.live.seq, fairness))


@get("/tables/{table:str}/verify", refuses=("forbidden", "not_found", "frozen"))
async def get_verification(request: Call, here: NamedDependency[Visit]) -> Response[Verification]:
    """Whether the log holds: chain, and after the end every version, every decision and every draw."""
    if isinstance(here.live, Foreign):
        return reply(request, await here.site.importer.verified(_file(here)))
    return reply(request, await here.site.stories.verified(here.shelf, here.live, _reader(here), here.live.seq))


def _reader(here: Visit) -> archive.Audience:
    seen = audience_of(here)
    return "public" if seen is None else seen


@get("/tables/{table:str}/archive", offers=(FILE,), refuses=("forbidden", "not_found"))
async def get_archive(request: Call, here: NamedDependency[Visit]) -> Response[Any]:
    """The table as one file, as the caller may read it (docs/archive.md)."""
    headers = {"Content-Disposition": f'attachment; filename="{here.record.table}-{_reader(here)}.jsonl"'}
    headers["Cache-Control"] = "no-store"
    if isinstance(here.live, Foreign):
        return Response(_file(here), media_type=request.media, headers=headers)
    reader, last, head, record = _reader(here), here.live.seq, here.live.head, here.record
    closing = here.site.closing(here.live, last, head)
    header = archive.Header(
        record.table, reader, record.game, record.rules, len(record.holders), last, head, *closing
    )  # fmt: skip
    entries = [entry async for entry in entries_of(here.shelf, here.live, last)]
    return Response(b"".join(archive.write(header, entries)), media_type=request.media, headers=headers)


def _file(here: Visit) -> bytes:
    """The archive that a foreign table is.

    Raises:
        NoSuchTable: it has just been forgotten.
    """
    data = here.site.imports.keeper.get(here.live.id)
    if data is None:
        raise NoSuchTable(here.live.id)
    return data


routes = Router(
    "/",
    route_handlers=[get_disputes, get_ledger, get_promises, get_bribes, get_fairness, get_verification, get_archive],
    tags=["audit"],
)
