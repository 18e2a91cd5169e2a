"""What the routes take and give, as the OpenAPI document shows it."""

from typing import Annotated, Any, Literal

import msgspec

from games.core import Seat
from games.table.actions import Entropy
from games.table.events import ForkedFrom
from games.table.house import House, PlayerId, Status, Visibility
from projections.lobby import Provenance
from projections.standings import Counts, Latest, Tally
from projections.view import Result
from server.accounts.names import LONGEST
from server.bodies import GREATEST
from server.wire.frames import ReceiptFields
from server.wire.shapes import Ask, Done, Entry

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
PlayerName = Annotated[str, msgspec.Meta(min_length=1, max_length=200, extra_json_schema={"maxLength": LONGEST})]
"""What is a little too long is refused with a sentence of its own."""

OptionValue: dict[str, Any] = {
    "anyOf": [
        {"type": ["boolean", "string", "null"]},
        {"type": "integer", "minimum": -GREATEST, "maximum": GREATEST},
        {"type": "array", "items": {"type": ["boolean", "string"]}},
    ]
}
Options = Annotated[
    dict[str, Any],
    msgspec.Meta(
        description="By the schema `options` of the game.", extra_json_schema={"additionalProperties": OptionValue}
    ),
]
TableName = Annotated[str, msgspec.Meta(max_length=80)]
GameName = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
SeatNumber = Annotated[int, msgspec.Meta(ge=0, le=63)]
SeatCount = Annotated[int, msgspec.Meta(ge=1, le=64)]
ScopeName = Literal["play", "read", "arbitrate", "operate"]


class Given(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request's body: what it does not know it refuses."""


class NewPlayer(Given, frozen=True):
    name: PlayerName


class NewToken(Given, frozen=True):
    """`scopes`: some of those of the token that asks; all of them by default."""

    scopes: Annotated[tuple[ScopeName, ...], msgspec.Meta(min_length=1)] | None = None


class NewTable(Given, frozen=True):
    """A table to open. The creator sits in seat 0 unless `sit` is false."""

    game: GameName
    seats: SeatCount
    options: Options = {}
    house: House = House()
    visibility: Visibility = "public"
    name: TableName = ""
    sit: bool = True


class NewFork(Given, frozen=True):
    """A table that goes on from entry `at` of another. Name and visibility are the other's unless they are given. The
    creator sits in seat 0 unless `sit` is false.
    """

    at: Annotated[int, msgspec.Meta(ge=1, le=GREATEST)]
    name: TableName | None = None
    visibility: Visibility | None = None
    sit: bool = True


class TakeSeat(Given, frozen=True):
    """A seat to take: any that is free, or that one; for oneself, or for a house bot."""

    seat: SeatNumber | None = None
    entropy: Entropy | None = None
    bot: GameName | None = None
    invite: Name | None = None


class NewInvite(Given, frozen=True):
    seat: SeatNumber | None = None
    role: Literal["play", "watch"] = "play"


class UseInvite(Given, frozen=True):
    invite: Name


class TokenLine(msgspec.Struct, frozen=True):
    """`current`: it is the one that asks."""

    id: str
    created: int
    scopes: tuple[str, ...]
    current: bool


class Me(msgspec.Struct, frozen=True):
    id: str
    name: str
    scopes: tuple[str, ...]
    tokens: tuple[TokenLine, ...]


class Registered(msgspec.Struct, frozen=True):
    """The token is shown this once."""

    id: str
    name: str
    token: str
    scopes: tuple[str, ...]


class TokenGiven(msgspec.Struct, frozen=True):
    """The token is shown this once."""

    id: str
    token: str
    scopes: tuple[str, ...]


class GameRecord(Tally, frozen=True, kw_only=True):
    """How somebody has played one game."""

    game: str


class Record(msgspec.Struct, frozen=True):
    """How somebody has played at public tables that are over: by game, his promises, and his latest tables, the newest
    first. `pending`: how many tables the server has still to read.
    """

    pending: int
    games: tuple[GameRecord, ...]
    promises: Counts
    latest: tuple[Latest, ...]


class PlayerLine(msgspec.Struct, frozen=True):
    id: str
    name: str
    bot: bool
    record: Record


class Standing(Tally, frozen=True, kw_only=True):
    """A line of the standings; equals share a rank. A house bot has no `player`: it plays under many ids."""

    rank: int
    player: str | None
    name: str | None
    bot: str | None


class StandingList(msgspec.Struct, frozen=True):
    """`tables`: how many were counted; `pending`: how many the server has still to read; `next`: the cursor of the next
    page, null on the last.
    """

    game: str | None
    tables: int
    pending: int
    players: tuple[Standing, ...]
    next: str | None


class GameLine(msgspec.Struct, frozen=True):
    """A game of the catalogue; title and summary in the reader's language."""

    game: str
    rules: int
    title: str
    summary: str
    seats: tuple[int, ...]
    minutes: str | None


class Games(msgspec.Struct, frozen=True):
    games: tuple[GameLine, ...]


class GamePage(GameLine, frozen=True):
    """A game in full, and every text in both languages.

    JSON Schemas (2020-12): `options` of a new table; `actions` and `events`, those of the table included; `view`, what
    stands in a view under `game`; `asks` and `windows`, one of each. `furniture`: decks and boards that there are, by the option
    that names one.
    """

    options: dict[str, Any]
    actions: dict[str, Any]
    events: dict[str, Any]
    view: dict[str, Any]
    asks: dict[str, Any]
    windows: dict[str, Any]
    bots: tuple[str, ...]
    furniture: dict[str, tuple[str, ...]]
    texts: dict[str, dict[str, str]]


class SeatLine(msgspec.Struct, frozen=True):
    seat: int
    player: PlayerId | None
    name: str | None
    bot: str | None


class TableLine(msgspec.Struct, frozen=True):
    """A table in the lobby. Times are ms since 1970."""

    id: str
    game: str
    rules: int
    name: str
    status: Status
    visibility: Visibility
    options: dict[str, Any]
    house: House
    creator: str
    seats: tuple[SeatLine, ...]
    to_act: tuple[Seat, ...]
    seq: int
    head: str
    created: int
    changed: int
    result: Result | None
    seed_hash: str | None
    foreign: Provenance | None = None
    forked_from: ForkedFrom | None = None
    rematch_of: str | None = None


class TableList(msgspec.Struct, frozen=True):
    """`next`: the cursor of the next page, null on the last."""

    tables: tuple[TableLine, ...]
    next: str | None


class Opened(Done, frozen=True):
    """Entry 1 of the new table, and its line in the lobby."""

    table: TableLine


class SeatTaken(msgspec.Struct, frozen=True):
    seat: int
    seq: int
    head: str
    receipt: ReceiptFields


class InviteGiven(msgspec.Struct, frozen=True):
    code: str
    role: str
    seat: int | None


class LogPage(msgspec.Struct, frozen=True):
    """Entries after the one asked for; `seq`, `head`: where the log ends now."""

    entries: tuple[Entry, ...]
    seq: int
    head: str


class Asks(msgspec.Struct, frozen=True):
    """`since`: the last entry that changed these asks; quote it, or a later one, in If-Match."""

    seq: int
    since: int
    asks: tuple[Ask, ...]


class KeyLine(msgspec.Struct, frozen=True):
    """An Ed25519 key (32 bytes as hex) that receipts are checked with."""

    id: str
    public_key: str
    created: int
    current: bool


class Keys(msgspec.Struct, frozen=True):
    keys: tuple[KeyLine, ...]
