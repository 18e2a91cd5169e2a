"""What follows a table that is over: a fork, which goes on from one of its entries, and a rematch. docs/forks.md."""

from contextlib import suppress

import msgspec
from litestar import Response, Router, post
from litestar.di import NamedDependency
from litestar.params import RequestBody

from events.ids import command_id, rematch_id
from games.core import Refused, Seat
from games.table import actions as act
from games.table.events import ForkedFrom
from games.table.house import Visibility
from games.table.record import Record, humans, seat_of
from server import access
from server.commands import check_key
from server.logs import escape
from server.problems import Problem
from server.rest.common import Call, again, count, reply
from server.rest.documented import BODY, KEYED
from server.rest.lines import line
from server.rest.params import Key
from server.rest.shapes import NewFork, Opened
from server.rest.tables import summary_of, table_id
from server.rest.visits import Visit
from server.site import Site
from server.tables import forks
from server.tables.errors import KeyReused, NoSuchTable
from server.tables.service import Answer, Command, fresh_id
from server.wire.frames import answered

OPENNESS: tuple[Visibility, ...] = ("private", "unlisted", "public")

SAID: dict[forks.Reason, str] = {
    "not_begun": "fork_not_begun", "has_outcome": "fork_has_outcome", "offer_open": "fork_offer_open",
    "not_carried": "fork_not_carried", "too_long": "fork_too_long",
}  # fmt: skip
"""Why nobody can go on from an entry: the sentence in problems.toml."""


@post(
    "/tables/{table:str}/fork",
    refuses=(*BODY, *KEYED, "forbidden", "not_found", "refused", "frozen", "read_only", "log_forked", "in_progress"),
    tells=("Location", "Idempotency-Replayed"),
    needs=("play",),
)
async def fork_table(
    request: Call, here: NamedDependency[Visit], data: RequestBody[NewFork], idempotency_key: Key = None
) -> Response[Opened]:
    """Opens a table that goes on from an entry of this one, which is over; what counted there comes along."""
    site, player = request.site, request.player
    count(site.commands.limits.creations, request.caller.limit_key)
    key = check_key(idempotency_key)
    _check_over(here)
    if not access.log_opens(here.live.now.table, here.reader):
        raise Problem("forbidden", "forks_by_readers_only")
    origin = await _origin(here, data.at)
    action = _as_before(here.record, player, sit=data.sit, forked_from=origin, **_shown_as(here.record, data))
    table = table_id(site, player, key)
    opening = site.tables.create(table, action, fresh_id(player, table, key))
    answer = await site.commands.counted("rest", opening)
    return _opened(request, table, answer, 0 if data.sit else None)


def _check_over(here: Visit) -> None:
    if not here.live.now.table.over:
        raise Problem("refused", "not_over", reason="not_over")


def _shown_as(record: Record, data: NewFork) -> dict[str, str]:
    """Name and visibility of the fork.

    Raises:
        Problem: invalid; it would show to more people what the other table shows to few.
    """
    visibility = data.visibility or record.visibility
    if OPENNESS.index(visibility) > OPENNESS.index(record.visibility):
        raise Problem("invalid", "fork_more_open", reason="more_open", visibility=record.visibility)
    if data.name is not None and escape(data.name) != data.name:
        raise Problem("invalid", "name_unseen")
    return {"visibility": visibility, "name": record.name if data.name is None else data.name}


async def _origin(here: Visit, at: int) -> ForkedFrom:
    """The entry to go on from, where one can.

    Raises:
        LogForked, TableFrozen: as `forks.position_at`.
        Problem: invalid.
    """
    position = await forks.position_at(here.site.tables, here.live, at)
    try:
        await forks.resume_at(here.site.tables, here.live, position.table)
    except forks.NoFork as refused:
        raise Problem("invalid", SAID[refused.reason], reason=refused.reason, at=at) from None
    return ForkedFrom(here.live.id, at, position.head.hex())


def _as_before(record: Record, player: str, **changes: object) -> act.Create:
    """The opening of a table like that one, by this player."""
    action = act.Create(
        record.game, record.rules, len(record.holders), record.options, record.house, record.visibility, record.name,
        player, sit=False,
    )  # fmt: skip
    return msgspec.structs.replace(action, **changes)


def _opened(request: Call, table: str, answer: Answer, seat: Seat | None) -> Response[Opened]:
    """Entry 1 of the new table, and its line."""
    body = answered(answer.entry, answer.receipt, seat, request.coding)
    shown = line(request.site, summary_of(request.site, table))
    opened = Opened(**msgspec.structs.asdict(body), table=shown)
    return reply(request, opened, 201, {"Location": f"/v1/tables/{table}", **again(replayed=answer.replayed)})


# --- Rematch ------------------------------------------------------------------------------------------


@post(
    "/tables/{table:str}/rematch",
    refuses=(*KEYED, "forbidden", "not_your_seat", "not_found", "refused", "invalid", "read_only"),
    tells=("Location", "Idempotency-Replayed"),
    needs=("play",),
)
async def rematch_table(request: Call, here: NamedDependency[Visit], idempotency_key: Key = None) -> Response[Opened]:
    """Opens the rematch of this table, or joins it; whoever asks sits where he sat, and house bots do too."""
    site, player = request.site, request.player
    count(site.commands.limits.creations, request.caller.limit_key)
    check_key(idempotency_key)
    _check_over(here)
    seat = here.seat
    if seat is None:
        raise Problem("not_your_seat", "no_seat")
    table = rematch_id(here.live.id)
    answer = await site.commands.counted("rest", _rematch(site, here.record, table, player))
    await _sit_again(site, table, player, seat)
    await site.vacancies.seated_again(table)
    return _opened(request, table, answer, None)


async def _rematch(site: Site, former: Record, table: str, player: str) -> Answer:
    """Its first entry, whoever has made it; those who sat at the table before may read it from now on."""
    try:
        return await site.tables.opened(table)
    except NoSuchTable:
        action = _anew(site, former, player)
    if former.visibility == "private":
        for seat in humans(former):
            site.accounts.admit(table, former.holders[seat].player or "")
    try:
        return await site.tables.create(table, action, command_id("server", table, "rematch"))
    except KeyReused:  # somebody else has asked just now
        return await site.tables.opened(table)


def _anew(site: Site, former: Record, player: str) -> act.Create:
    """The opening of the rematch, by the rules as they are now.

    Raises:
        Problem: invalid; they do not take these options, or so many seats, or there are none any more.
    """
    rules, seats = site.catalogue.current.get(former.game), len(former.holders)
    if rules is None:
        raise Problem("invalid", "no_such_game", game=former.game)
    try:
        fitting = rules.seats(rules.options(former.options))
    except msgspec.ValidationError as error:
        raise Problem("invalid", "bad_field", field="options", why=str(error)) from None
    if seats not in fitting:
        raise Problem("invalid", "bad_seats", game=former.game, least=fitting[0], most=fitting[-1])
    return _as_before(former, player, rules=rules.game.version, rematch_of=former.table)


async def _sit_again(site: Site, table: str, player: str, seat: Seat) -> None:
    """Seats the player where he sat, if nobody else does, and the game has not begun."""
    live = await site.tables.load(table)
    record = live.now.table.record
    if record.status != "open" or seat_of(record, player) is not None or record.holders[seat].player is not None:
        return
    with suppress(Refused):  # somebody was quicker
        await site.tables.submit(live, Command(seat, act.Sit(player, None, None), fresh_id(player, table, None)))


routes = Router("/", route_handlers=[fork_table, rematch_table], tags=["tables"])
