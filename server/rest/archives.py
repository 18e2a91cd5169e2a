"""Archives from elsewhere: brought here, read as tables, forgotten again."""

from typing import Any

from litestar import Response, Router, delete, post
from litestar.di import NamedDependency

from events.ids import FOREIGN, lane_of
from server.archives import Full, Unfit
from server.archives.foreign import line_of
from server.commands import check_key
from server.problems import Problem
from server.refusals import problem
from server.rest.common import Call, count, reply
from server.rest.documented import KEYED
from server.rest.lines import line
from server.rest.media import ARCHIVE
from server.rest.params import Key, TableRef
from server.rest.shapes import TableLine
from server.site import Site


@post(
    "/archives",
    takes="archive",
    refuses=(*KEYED, "too_large", "unsupported_media_type", "bad_archive", "no_room", "forbidden"),
    tells=("Location",),
    needs=("play",),
)
async def import_archive(request: Call, idempotency_key: Key = None) -> Response[TableLine]:
    """Brings an archive as a table that can only be read. It is verified first; the same file is the same table."""
    site = request.site
    count(site.commands.limits.creations, request.caller.limit_key)
    check_key(idempotency_key)
    data = await request.upload(ARCHIVE, site.settings.archive_limit)
    try:
        taken = await site.importer.take(data)
    except Unfit as unfit:
        extensions: dict[str, Any] = {"line": unfit.line, "reason": unfit.reason, "sentence": unfit.sentence}
        known = {name: value for name, value in extensions.items() if value is not None}
        key = "bad_line" if unfit.line is not None else "bad_file"
        raise problem("bad_archive", key, known) from None
    except Full as full:
        raise Problem("no_room", "archives_full", limit=full.limit) from None
    live = await site.imports.foreign(taken.id)
    shown = line(site, line_of(live, site.own_keys))
    return reply(request, shown, 201, {"Location": f"/v1/tables/{taken.id}"})


@delete("/archives/{table:str}", status_code=204, refuses=("forbidden", "not_found"), needs=("operate",))
async def forget_archive(site: NamedDependency[Site], table: TableRef) -> None:
    """Forgets an archive that was brought here. For the operator alone."""
    try:
        known = lane_of(table) == FOREIGN and site.imports.drop(table)
    except ValueError:
        known = False
    if not known:
        raise Problem("not_found", "no_such_table")


routes = Router("/", route_handlers=[import_archive, forget_archive], tags=["audit"])
