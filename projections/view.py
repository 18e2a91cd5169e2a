"""What one audience knows of a table, as clients read it: the whole view, and what an entry changed in it."""

from typing import Any

import msgspec

from games.bargaining import Offer, Promise
from games.core import Audience, Seat, Window
from games.table.dispute import Dispute, Strike
from games.table.house import Status
from games.table.state import Table, deadline
from projections.position import Position


class SeatView(msgspec.Struct, frozen=True):
    player: str | None
    bot: str | None


class SeatClock(msgspec.Struct, frozen=True):
    """All in ms; `since` and `deadline` are null while the table does not wait for the seat."""

    since: int | None
    bank: int | None
    deadline: int | None


class Clock(msgspec.Struct, frozen=True):
    move_seconds: int
    bank_seconds: int | None
    seats: tuple[SeatClock, ...]


class Result(msgspec.Struct, frozen=True):
    winners: tuple[Seat, ...]
    scores: tuple[int, ...]
    why: str


class View(msgspec.Struct, frozen=True):
    """The whole view; docs/wire.md says what its fields mean."""

    table: str
    seq: int
    head: str
    status: Status
    seat: Seat | None
    seats: tuple[SeatView, ...]
    to_act: tuple[Seat, ...]
    windows: tuple[Window, ...]
    offers: tuple[Offer, ...]
    promises: tuple[Promise, ...]
    dispute: Dispute | None
    struck: tuple[Strike, ...]
    clock: Clock | None
    result: Result | None
    game: Any


def view(position: Position, audience: Audience) -> View:
    """What the audience knows at that position."""
    table = position.table
    return View(
        table=table.record.table,
        seq=table.seq,
        head=position.head.hex(),
        status=table.status,
        seat=audience,
        seats=_seats(table),
        to_act=table.to_act,
        windows=position.windows,
        offers=table.course.deals.offers,
        promises=table.course.deals.promises,
        dispute=table.record.dispute,
        struck=table.record.strikes,
        clock=_clock(table),
        result=_result(table),
        game=position.sight(audience),
    )


def changed(before: Position, after: Position) -> dict[str, Any]:
    """The fields around the game that the entry changed; the same for every audience."""
    old, new = before.table, after.table
    found: dict[str, Any] = {}
    if old.record is not new.record:
        found.update(_differences(_around(old), _around(new)))
    if old.course.deals is not new.course.deals:
        if old.course.deals.offers != new.course.deals.offers:
            found["offers"] = new.course.deals.offers
        if old.course.deals.promises != new.course.deals.promises:
            found["promises"] = new.course.deals.promises
    if before.windows is not after.windows:
        found["windows"] = after.windows
    if old.to_act != new.to_act:
        found["to_act"] = new.to_act
    return found


def changed_game(before: Any, after: Any) -> dict[str, Any]:
    """The fields of the game's state that differ, to be assigned inside `game`."""
    if before is after:
        return {}
    return {
        name: getattr(after, name)
        for name in after.__struct_fields__
        if getattr(before, name) is not getattr(after, name) and getattr(before, name) != getattr(after, name)
    }


def _differences(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in new.items() if old[name] != value}


def _around(table: Table) -> dict[str, Any]:
    return {
        "status": table.status,
        "seats": _seats(table),
        "clock": _clock(table),
        "result": _result(table),
        "dispute": table.record.dispute,
        "struck": table.record.strikes,
    }


def _seats(table: Table) -> tuple[SeatView, ...]:
    return tuple([SeatView(holder.player, holder.bot) for holder in table.record.holders])


def _clock(table: Table) -> Clock | None:
    house = table.record.house
    if house.move_seconds is None:
        return None
    seats = [
        SeatClock(holder.since, holder.bank, deadline(table, seat)) for seat, holder in enumerate(table.record.holders)
    ]
    return Clock(house.move_seconds, house.bank_seconds, tuple(seats))


def _result(table: Table) -> Result | None:
    result = table.record.result
    return None if result is None else Result(result.winners, result.scores, result.why)
