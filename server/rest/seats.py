"""Taking seats and giving them up, inviting, ending a table as its operator."""

from litestar import Response, Router, delete, post

from events.ids import command_id
from games.core import Refused
from games.table import actions as act
from games.table.state import Record
from server import access
from server.callers import Caller
from server.commands import check_key
from server.problems import Problem
from server.rest.common import AnyRequest, coding_of, limit, need, reply, seat_at, visible
from server.rest.documented import problems
from server.rest.players import Key
from server.rest.shapes import Done, InviteGiven, NewInvite, SeatTaken, TakeSeat
from server.rest.tables import TableId
from server.site import Site
from server.tables.live import LiveTable
from server.tables.service import Answer
from server.wire.frames import answered, receipt_fields


@post("/tables/{table:str}/seats", responses=problems(400, 403, 404, 409, 413, 415, 422))
async def take_seat(
    request: AnyRequest, site: Site, caller: Caller, table: TableId, data: TakeSeat, idempotency_key: Key = None
) -> Response[SeatTaken]:
    """Takes a seat for the caller or for a house bot; for the caller's own seat before the start it sets the entropy."""
    player = need(caller, "play")
    check_key(idempotency_key)
    live = await _enter(site, caller, table, data)
    own = seat_at(live, caller)
    if data.bot is not None:
        seat, answer = await _seat_bot(site, caller, live, data, idempotency_key)
    elif own is not None and data.entropy is not None and data.seat in (None, own):
        seat = own
        action = act.GiveEntropy(data.entropy)
        answer = await site.commands.surround(caller, live, own, action, idempotency_key)
    else:
        sit = act.Sit(player, None, data.entropy)
        seat, answer = await _take(site, caller, live, data.seat, sit, idempotency_key)
    given = SeatTaken(seat, answer.entry.seq, answer.entry.head.hex(), receipt_fields(answer.receipt))
    replayed = {"Idempotency_Replayed": "true"} if answer.replayed else {}
    return reply(request, given, 201, **replayed)


async def _enter(site: Site, caller: Caller, table: str, data: TakeSeat) -> LiveTable:
    """The table, if the caller may sit there: a private one only with an invite to play, or as its creator."""
    player = need(caller, "play")
    if data.invite is not None:
        invite = site.accounts.invite_of(data.invite)
        if invite is None or invite.table != table:
            raise Problem("not_found", "no_such_invite")
        if invite.role != "play" or (invite.seat is not None and data.seat not in (None, invite.seat)):
            raise Problem("forbidden", "invite_is_for_else")
        site.accounts.admit(table, player)
    live, _ = await visible(site, caller, table)
    record = live.now.table.record
    if record.visibility == "private" and data.invite is None and not _belongs(record, caller):
        raise Problem("forbidden", "invite_only")
    return live


def _belongs(record: Record, caller: Caller) -> bool:
    return caller.player == record.creator or any(holder.player == caller.player for holder in record.holders)


async def _take(
    site: Site, caller: Caller, live: LiveTable, wished: int | None, sit: act.Sit, key: str | None
) -> tuple[int, Answer]:
    """Takes that seat, or whichever is free when it comes to it."""
    while True:
        holders = live.now.table.record.holders
        free = [number for number, holder in enumerate(holders) if holder.player is None]
        seat = wished if wished is not None else free[0] if free else 0
        try:
            answer = await site.commands.surround(caller, live, seat, sit, key)
        except Refused as refused:
            if refused.code != "seat_taken" or wished is not None or not free:
                raise
            continue
        return (seat if not answer.replayed else _seat_in(live, sit.player, seat)), answer


def _seat_in(live: LiveTable, player: str, otherwise: int) -> int:
    found = live.seat_of(player)
    return otherwise if found is None else found


async def _seat_bot(site: Site, caller: Caller, live: LiveTable, data: TakeSeat, key: str | None) -> tuple[int, Answer]:
    """Seats a house bot; any of the table's people may."""
    if data.bot not in site.bots.names:
        raise Problem("invalid", "no_such_bot", bots=list(site.bots.names))
    if not _belongs(live.now.table.record, caller):
        raise Problem("forbidden", "bots_by_players_only")
    if key is not None:
        found = await site.store.find(command_id(caller.player or "", live.id, key))
        if found is not None:
            raise Problem("key_reused")
    limit(site.commands.limits.creations, caller.limit_key)
    made = site.accounts.register(f"{data.bot}-bot", ("play", "read"), bot=True)
    seat, answer = await _take(site, caller, live, data.seat, act.Sit(made.player, data.bot, None), key)
    site.bots.seated(live.id, seat, data.bot, made.token)
    return seat, answer


@delete("/tables/{table:str}/seats/{seat:int}", status_code=200, responses=problems(403, 404, 409))
async def rise(
    request: AnyRequest, site: Site, caller: Caller, table: TableId, seat: int, idempotency_key: Key = None
) -> Response[Done]:
    """Gives the own seat up before the start; the creator may also send a bot away."""
    need(caller, "play")
    live, _ = await visible(site, caller, table)
    holders = live.now.table.record.holders
    if not 0 <= seat < len(holders):
        raise Problem("not_found")
    bot_away = holders[seat].bot is not None and caller.player == live.now.table.record.creator
    if holders[seat].player != caller.player and not bot_away:
        raise Problem("not_your_seat")
    answer = await site.commands.surround(caller, live, seat, act.Rise(), idempotency_key)
    return reply(request, answered(answer.entry, answer.receipt, seat, coding_of(request)))


@post("/tables/{table:str}/invites", responses=problems(400, 403, 404, 409, 413, 415, 422))
async def invite(
    request: AnyRequest, site: Site, caller: Caller, table: TableId, data: NewInvite, idempotency_key: Key = None
) -> Response[InviteGiven]:
    """A code that lets somebody play (at that seat) or watch. The table's creator and its players give them."""
    player = need(caller, "play")
    live, _ = await visible(site, caller, table)
    if not _belongs(live.now.table.record, caller):
        raise Problem("forbidden", "invites_by_players_only")
    if data.seat is not None and data.seat >= len(live.now.table.record.holders):
        raise Problem("invalid", "no_such_seat", seat=data.seat)
    limit(site.commands.limits.creations, caller.limit_key)
    made = site.accounts.invite(live.id, data.role, data.seat, player, check_key(idempotency_key))
    return reply(request, InviteGiven(made.code, made.role, made.seat), 201)


@delete("/tables/{table:str}/invites/{code:str}", status_code=204, responses=problems(403, 404))
async def uninvite(site: Site, caller: Caller, table: TableId, code: str) -> None:
    """Ends a code."""
    need(caller, "play")
    live, _ = await visible(site, caller, table)
    if not _belongs(live.now.table.record, caller):
        raise Problem("forbidden", "invites_by_players_only")
    if not site.accounts.uninvite(live.id, code):
        raise Problem("not_found")


@post("/tables/{table:str}/watch", status_code=204, responses=problems(400, 404, 413, 415))
async def watch(site: Site, caller: Caller, table: TableId, data: TakeSeat) -> None:
    """Uses an invite to watch a private table: from now on the caller may read it."""
    player = need(caller, "read")
    found = None if data.invite is None else site.accounts.invite_of(data.invite)
    if found is None or found.table != table:
        raise Problem("not_found", "no_such_invite")
    site.accounts.admit(table, player)


@post("/tables/{table:str}/abandon", responses=problems(403, 404, 409))
async def abandon(
    request: AnyRequest, site: Site, caller: Caller, table: TableId, idempotency_key: Key = None
) -> Response[Done]:
    """Ends a table without an outcome; for the operator (players agree by the action `abandon`)."""
    need(caller, "operate")
    live, reader = await visible(site, caller, table)
    answer = await site.commands.surround(caller, live, "operator", act.Close("operator"), idempotency_key)
    body = answered(answer.entry, answer.receipt, access.own_seat(live.now.table.record, reader), coding_of(request))
    return reply(request, body, 201)


routes = Router("/", route_handlers=[take_seat, rise, invite, uninvite, watch, abandon], tags=["seats"])
