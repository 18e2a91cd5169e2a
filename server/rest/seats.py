"""Taking seats and giving them up, ending a table as its operator."""

from litestar import Response, Router, delete, post
from litestar.di import NamedDependency
from litestar.params import RequestBody

from games.table import actions as act
from server.commands import check_key
from server.problems import Problem
from server.rest.common import Call, again, count, reply
from server.rest.documented import BODY, ENTRY, KEYED
from server.rest.params import Key, SeatRef, TableRef
from server.rest.seating import former, seat_bot, seat_caller, wished_seat
from server.rest.shapes import SeatTaken, TakeSeat
from server.rest.visits import Visit, at_table
from server.tables.service import Answer
from server.wire.frames import Answered, answered, receipt_fields
from server.wire.shapes import Done


@post(
    "/tables/{table:str}/seats",
    refuses=(*BODY, *KEYED, *ENTRY, "seat_taken"),
    tells=("Location", "Idempotency-Replayed"),
    needs=("play",),
)
async def take_seat(
    request: Call, table: TableRef, data: RequestBody[TakeSeat], idempotency_key: Key = None
) -> Response[SeatTaken]:
    """Takes a seat for the caller or for a house bot; for the caller's own seat before the start it sets the entropy."""
    site, caller, player = request.site, request.caller, request.player
    count(site.commands.limits.creations, caller.limit_key)
    key = check_key(idempotency_key)
    wished = wished_seat(site, table, player, data)
    here = await at_table(site, caller, table)
    request.state.live = here.live
    if here.live.read_only:
        raise Problem("read_only")
    _check_private(here, data)
    if data.bot is not None:
        seat, answer = await seat_bot(here, data.bot, wished, key)
    else:
        seat, answer = await seat_caller(here, player, data.entropy, wished, key)
    given = SeatTaken(seat, answer.entry.seq, answer.entry.head.hex(), receipt_fields(answer.receipt))
    return reply(request, given, 201, {"Location": f"{here.path}/log/{given.seq}", **again(replayed=answer.replayed)})


def _check_private(here: Visit, data: TakeSeat) -> None:
    """At a private table one sits with an invite to play, or as its creator."""
    if here.record.visibility == "private" and data.invite is None and not here.belongs:
        raise Problem("forbidden", "invite_only")


@delete(
    "/tables/{table:str}/seats/{seat:int}",
    status_code=200,
    refuses=(*KEYED, *ENTRY, "not_your_seat"),
    tells=("Idempotency-Replayed",),
    needs=("play",),
)
async def leave_seat(
    request: Call, here: NamedDependency[Visit], seat: SeatRef, idempotency_key: Key = None
) -> Response[Done]:
    """Gives the own seat up before the start; the creator may also send a bot away."""
    key = check_key(idempotency_key)
    done = await former(here, key)
    if done is not None and done.by == seat:
        answer = await here.submit(seat, act.Rise(), key)
    else:
        answer = await _rise(here, request.player, seat, key)
    return reply(request, _done(request, here, answer), 200, again(replayed=answer.replayed))


async def _rise(here: Visit, player: str, seat: int, key: str | None) -> Answer:
    holders = here.record.holders
    if not 0 <= seat < len(holders):
        raise Problem("not_found", "no_such_seat", seat=seat)
    bot_away = holders[seat].bot is not None and player == here.record.creator
    if holders[seat].player != player and not bot_away:
        raise Problem("not_your_seat", "other_seat", seat=seat)
    return await here.submit(seat, act.Rise(), key, holders[seat].player)


@post(
    "/tables/{table:str}/abandon",
    refuses=(*KEYED, *ENTRY),
    tells=("Location", "Idempotency-Replayed"),
    needs=("operate",),
)
async def abandon_table(request: Call, here: NamedDependency[Visit], idempotency_key: Key = None) -> Response[Done]:
    """Ends a table without an outcome; for the operator (players agree by the action `abandon`)."""
    answer = await here.submit("operator", act.Close("operator"), check_key(idempotency_key))
    done = _done(request, here, answer)
    return reply(request, done, 201, {"Location": f"{here.path}/log/{done.seq}", **again(replayed=answer.replayed)})


def _done(request: Call, here: Visit, answer: Answer) -> Answered:
    """The entry as the caller may read it."""
    return answered(answer.entry, answer.receipt, here.seat, request.coding)


routes = Router("/", route_handlers=[take_seat, leave_seat, abandon_table], tags=["seats"])
