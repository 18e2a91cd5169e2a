"""Who comes to sit where: seats that are wished for or simply free, invites, house bots, and requests sent again.

A request that is sent again with its key names what it did the first time: the seat may have been any that was free,
the bot a player who was made for it.
"""

from typing import Any

from events.ids import command_id
from games.core import Refused
from games.table import actions as act
from games.table.state import Body
from server.problems import Problem
from server.rest.entries import body_of
from server.rest.shapes import TakeSeat
from server.rest.visits import Visit
from server.site import Site
from server.tables.errors import KeyReused
from server.tables.service import Answer

Former = Body[Any]
"""What the request has already become."""


async def former(here: Visit, key: str | None) -> Former | None:
    """The entry that this key of the caller has made at this table."""
    if key is None or here.caller.player is None:
        return None
    found = await here.site.store.find(command_id(here.caller.player, here.live.id, key))
    if found is None:
        return None
    (entry,) = await here.site.store.read(here.live.id, found.seq - 1, 1)
    return body_of(entry)


def wished_seat(site: Site, table: str, player: str, data: TakeSeat) -> int | None:
    """The seat that is asked for, or that the invite is for. Whoever uses an invite may see the table from now on.

    Raises:
        Problem: no such invite, or one for something else.
    """
    if data.invite is None:
        return data.seat
    invite = site.accounts.invite_of(data.invite)
    if invite is None or invite.table != table:
        raise Problem("not_found", "no_such_invite")
    if invite.role != "play" or (invite.seat is not None and data.seat not in (None, invite.seat)):
        raise Problem("forbidden", "invite_is_for_else")
    site.accounts.admit(table, player)
    return data.seat if invite.seat is None else invite.seat


async def seat_caller(
    here: Visit, player: str, entropy: str | None, wished: int | None, key: str | None
) -> tuple[int, Answer]:
    """Seats the caller; in his own seat, gives its entropy."""
    done = await former(here, key)
    if done is not None:
        gives = done.action["type"] == "give_entropy"
        action = act.GiveEntropy(entropy) if gives and entropy is not None else act.Sit(player, None, entropy)
        return await _again(here, done, action, wished, key)
    own = here.seat
    if own is not None and entropy is not None and wished in (None, own):
        return own, await here.submit(own, act.GiveEntropy(entropy), key, player)
    return await _take(here, act.Sit(player, None, entropy), wished, key)


async def seat_bot(here: Visit, bot: str, wished: int | None, key: str | None) -> tuple[int, Answer]:
    """Seats a house bot; any of the table's people may."""
    names = here.site.bots.names
    if bot not in names:
        raise Problem("invalid", "no_such_bot", bots=list(names))
    if not here.belongs:
        raise Problem("forbidden", "bots_by_players_only")
    done = await former(here, key)
    if done is not None:
        return await _again(here, done, act.Sit(done.action.get("player", ""), bot, None), wished, key)
    made = here.site.accounts.register(f"{bot}-bot", ("play", "read"), bot=True)
    try:
        seat, answer = await _take(here, act.Sit(made.player, bot, None), wished, key)
    except (Refused, Problem):
        here.site.accounts.erase(made.player)  # nobody ever saw this player; what is refused leaves nothing behind
        raise
    here.site.bots.seated(here.live.id, seat, bot, made.token)
    return seat, answer


async def _again(
    here: Visit, done: Former, action: act.Sit | act.GiveEntropy, wished: int | None, key: str | None
) -> tuple[int, Answer]:
    """The first answer, provided that it was asked for the same."""
    seat = done.by
    if not isinstance(seat, int) or wished not in (None, seat):
        raise KeyReused
    return seat, await here.submit(seat, action, key)


async def _take(here: Visit, sit: act.Sit, wished: int | None, key: str | None) -> tuple[int, Answer]:
    """Takes that seat, or whichever is free when it comes to it."""
    while True:
        free = [number for number, holder in enumerate(here.record.holders) if holder.player is None]
        seat = wished if wished is not None else free[0] if free else 0
        try:
            return seat, await here.submit(seat, sit, key)
        except Refused as refused:
            if refused.code != "seat_taken" or wished is not None:
                raise
            if not free:
                raise Problem("seat_taken", "table_full") from None
