"""What is never struck: who holds the seats, the house, clocks, disputes, how it ended. Folded from every entry.

It needs no game's rules, so any reader can fold it from any log.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from games.core import Seat
from games.table import events as happened
from games.table.dispute import Dispute, Settled, Strike, in_effect
from games.table.house import House, Status, Visibility


class Holder(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who holds a seat, and his clock: `since` when the table waits for him (ms), `bank` what his reserve has left (ms).

    `former`: who gave it up in mid-game, and so has seen what it holds.
    """

    player: str | None = None
    bot: str | None = None
    entropy: str | None = None
    agrees: bool = False
    since: int | None = None
    bank: int | None = None
    former: tuple[str, ...] = ()


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is never struck. `draws`: how many entries have drawn; `seed` is None where it is hidden.

    `dispute`: the open one; `settled`: those before; `strikes`: those in effect, oldest first, and `all_strikes`.
    """

    table: str
    game: str
    rules: int
    options: dict[str, Any]
    house: House
    visibility: Visibility
    name: str
    creator: str
    status: Status
    holders: tuple[Holder, ...]
    seed: str | None = None
    seed_hash: str | None = None
    draws: int = 0
    result: happened.Ended | None = None
    dispute: Dispute | None = None
    settled: tuple[Settled, ...] = ()
    strikes: tuple[Strike, ...] = ()
    all_strikes: tuple[Strike, ...] = ()
    forked_from: happened.ForkedFrom | None = None
    rematch_of: str | None = None


def created(event: happened.Created) -> Record:
    """The record of a table that was just opened."""
    house = msgspec.convert(event.house, House)
    bank = None if house.bank_seconds is None else house.bank_seconds * 1000
    holders = tuple(Holder(bank=bank) for _ in range(event.seats))
    return Record(
        event.table, event.game, event.rules, event.options, house, event.visibility, event.name, event.creator,
        "open", holders, forked_from=event.forked_from, rematch_of=event.rematch_of,
    )  # fmt: skip


def evolve_record(record: Record, event: Any, at: int, seq: int) -> Record:
    """The record after an event of the table, in entry `seq`."""
    match event:
        case happened.SeedSealed(seed, sealed):
            return msgspec.structs.replace(record, seed=seed, seed_hash=sealed)
        case happened.Seated(seat, player, bot):
            return with_holder(record, seat, player=player, bot=bot, agrees=False)
        case happened.EntropyGiven(seat, entropy):
            return with_holder(record, seat, entropy=entropy)
        case happened.Risen(seat):
            return with_holder(record, seat, player=None, bot=None, entropy=None, agrees=False)
        case happened.Left(seat, player):
            former = (*record.holders[seat].former, player)
            return _unvoted(with_holder(record, seat, player=None, bot=None, agrees=False, former=former), seat)
        case happened.Started():
            return msgspec.structs.replace(record, status="playing")
        case happened.Asked(seats, again):
            return msgspec.structs.replace(record, holders=clocks(record, seats, at, again))
        case happened.AbandonAgreed(seat, agree):
            return with_holder(record, seat, agrees=agree)
        case happened.Frozen():
            return msgspec.structs.replace(_dropped(record, seq), status="frozen")
        case happened.Ended():
            return msgspec.structs.replace(record, status="ended", result=event, holders=clocks(record, (), at))
        case happened.Abandoned():
            return msgspec.structs.replace(_dropped(record, seq), status="abandoned", holders=clocks(record, (), at))
        case happened.SeedDisclosed(seed):
            return msgspec.structs.replace(record, seed=seed)
        case _:
            return _disputed(record, event, at, seq)


# --- Disputes -----------------------------------------------------------------------------------------


def _disputed(record: Record, event: Any, at: int, seq: int) -> Record:
    """The record after an event of a dispute."""
    match event:
        case happened.DisputeOpened():
            votes = tuple(True if seat == event.by else None for seat in range(len(record.holders)))
            opened = Dispute(
                id=event.dispute, by=event.by, first=event.first, last=event.last, reason=event.reason,
                learned=event.learned, rule=event.rule, arbiter=event.arbiter, votes=votes, opened=at, until=event.until,
            )  # fmt: skip
            return msgspec.structs.replace(record, status="disputed", dispute=opened)
        case happened.DisputeVoted(_, seat, uphold):
            return _voted(record, seat, uphold)
        case happened.DisputeClosed(_, how):
            going_on = msgspec.structs.replace(record, status="playing", holders=_stood_still(record, at))
            return settle(going_on, how, seq)
        case happened.Struck(first=first, last=last):
            strike = Strike(entry=seq, first=first, last=last)
            made = (*record.all_strikes, strike)
            return msgspec.structs.replace(record, all_strikes=made, strikes=in_effect(made))
        case _:
            return record


def settle(record: Record, how: Any, seq: int) -> Record:
    """The record once its open dispute is over."""
    open_one = record.dispute
    if open_one is None:
        raise ValueError("no dispute is open")
    done = Settled(id=open_one.id, by=open_one.by, first=open_one.first, last=open_one.last, how=how, entry=seq)
    return msgspec.structs.replace(record, dispute=None, settled=(*record.settled, done))


def _dropped(record: Record, seq: int) -> Record:
    """The table stops for good: an open dispute comes to nothing."""
    return record if record.dispute is None else settle(record, "void", seq)


def _voted(record: Record, seat: Seat, uphold: bool | None) -> Record:
    dispute = record.dispute
    if dispute is None:
        raise ValueError("no dispute is open")
    votes = tuple(uphold if place == seat else vote for place, vote in enumerate(dispute.votes))
    return msgspec.structs.replace(record, dispute=msgspec.structs.replace(dispute, votes=votes))


def _unvoted(record: Record, seat: Seat) -> Record:
    """Whoever leaves takes his vote with him."""
    return record if record.dispute is None else _voted(record, seat, None)


def _stood_still(record: Record, at: int) -> tuple[Holder, ...]:
    """The holders after a dispute: their clocks have not run meanwhile, and what they used before stays used."""
    still = 0 if record.dispute is None else max(0, at - record.dispute.opened)
    return tuple(
        holder if holder.since is None else msgspec.structs.replace(holder, since=holder.since + still)
        for holder in record.holders
    )


def undecided(record: Record, dispute: Dispute) -> tuple[Seat, ...]:
    """The seats whose vote the dispute waits for; none where the arbiter decides."""
    if dispute.rule == "arbiter":
        return ()
    return tuple(seat for seat in humans(record) if dispute.votes[seat] is None)


# --- Seats and clocks ---------------------------------------------------------------------------------


def with_holder(record: Record, seat: Seat, **changes: Any) -> Record:
    """The record with that seat's holder changed."""
    holders = list(record.holders)
    holders[seat] = msgspec.structs.replace(holders[seat], **changes)
    return msgspec.structs.replace(record, holders=tuple(holders))


def clocks(record: Record, waiting: Sequence[Seat], at: int, again: Sequence[Seat] = ()) -> tuple[Holder, ...]:
    """The holders once the table waits for these seats: the others' clocks stop, and what they used is gone for good.

    So do the clocks of those who have acted and must act again, before they start anew.
    """
    holders = list(record.holders)
    for seat, holder in enumerate(holders):
        waits, runs = seat in waiting, holder.since is not None
        if waits != runs or (runs and seat in again):
            bank = bank_left(record.house, holder, at)
            holders[seat] = msgspec.structs.replace(holder, since=at if waits else None, bank=bank)
    return tuple(holders)


def bank_left(house: House, holder: Holder, now: int) -> int | None:
    """What is left of the seat's reserve (ms) at that time, counting the turn that runs."""
    if holder.bank is None or holder.since is None or house.move_seconds is None:
        return holder.bank
    return max(0, holder.bank - max(0, now - holder.since - house.move_seconds * 1000))


def seat_of(record: Record, player: str) -> Seat | None:
    """The seat that the player holds."""
    return next((seat for seat, holder in enumerate(record.holders) if holder.player == player), None)


def humans(record: Record) -> tuple[Seat, ...]:
    """The seats held by people."""
    return tuple(s for s, holder in enumerate(record.holders) if holder.player is not None and holder.bot is None)
