"""What the server tells, as frozen structs. Unknown fields are ignored, so a newer server does not break this client."""

from typing import Any

import msgspec

MAX_SEATS = 100
"""No table has more; a version is named by the number of its seat."""


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """Decoded from the wire; fields that an older or newer server may lack have defaults."""


class Receipt(Model, frozen=True):
    """The server's signature over (table, seq, head). Keep it: it is what a lost or changed log is proved by.

    With a `path` the signature is shared: it is over the root of a hash tree in which this receipt is leaf `index`.
    """

    table: str
    seq: int
    head: str
    key: str
    signature: str
    index: int = 0
    path: tuple[str, ...] = ()


class Key(Model, frozen=True):
    """A public key that the server signs receipts with, in hex."""

    id: str
    public_key: str
    created: int | None = None
    current: bool = False


class Registered(Model, frozen=True):
    """A new player. The token is shown once."""

    id: str
    name: str
    token: str
    scopes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Registered(id={self.id!r}, name={self.name!r}, token=...)"


class Token(Model, frozen=True):
    """A further token of the same player, shown once."""

    id: str
    token: str
    scopes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Token(id={self.id!r}, token=..., scopes={self.scopes!r})"


class TokenInfo(Model, frozen=True):
    """What is told of a token afterwards."""

    id: str
    created: int | None = None
    scopes: tuple[str, ...] = ()


class Me(Model, frozen=True):
    """Who the token stands for."""

    id: str
    name: str
    scopes: tuple[str, ...] = ()
    tokens: tuple[TokenInfo, ...] = ()


class PromiseCounts(Model, frozen=True):
    """Promises by what became of them."""

    kept: int = 0
    broken: int = 0
    open: int = 0
    void: int = 0
    uncheckable: int = 0


class Tally(Model, frozen=True):
    """Sums over public tables that are over. `beaten` of `of`: the seats that came off worse, of all others there;
    `left`: tables that he left; `last`: when the latest of them ended (ms since 1970).
    """

    games: int = 0
    won: int = 0
    beaten: int = 0
    of: int = 0
    left: int = 0
    promises: PromiseCounts = PromiseCounts()
    last: int = 0


class GameRecord(Tally, frozen=True, kw_only=True):
    """How somebody has played one game."""

    game: str


class PlayedTable(Model, frozen=True):
    """A table where somebody sat at the end."""

    table: str
    game: str
    ended: int
    seats: int
    seat: int
    won: bool
    score: int
    rank: int
    rules: int = 0
    options: dict[str, Any] = {}


class Record(Model, frozen=True):
    """How somebody has played. `latest`: his latest tables, the newest first; `pending`: tables still to be read."""

    games: tuple[GameRecord, ...] = ()
    promises: PromiseCounts = PromiseCounts()
    latest: tuple[PlayedTable, ...] = ()
    pending: int = 0


class Standing(Tally, frozen=True, kw_only=True):
    """A line of the standings; equals share a rank. A house bot has no `player`, but a name."""

    rank: int
    player: str | None = None
    name: str | None = None
    bot: str | None = None


class Standings(Model, frozen=True):
    """A page of them. `tables`: how many were counted; `pending`: how many the server has still to read; `next`: the
    cursor of the next page.
    """

    players: tuple[Standing, ...]
    tables: int
    pending: int = 0
    game: str | None = None
    next: str | None = None


class Player(Model, frozen=True):
    """Anybody; `bot` tells a house bot."""

    id: str
    name: str
    bot: bool | str | None = None
    record: Record | None = None


class Game(Model, frozen=True):
    """A set of rules that the server can play. `seats`: the possible numbers of them."""

    game: str
    rules: int
    title: str = ""
    summary: str = ""
    seats: tuple[int, ...] = ()
    minutes: str | int | None = None


class GameDetails(Game, frozen=True):
    """A game with the JSON Schemas of what stands in options, actions, events and view, and its texts by language.

    `bots`: the house bots that can play it. `furniture`: decks and boards that there are, by the option that names one.
    """

    options: dict[str, Any] = {}
    actions: Any = None
    events: Any = None
    view: Any = None
    bots: tuple[str, ...] = ()
    furniture: dict[str, tuple[str, ...]] = {}
    texts: dict[str, dict[str, str]] = {}


class Holder(Model, frozen=True):
    """Who holds a seat; nobody while `player` is None. `bot` names the house bot that plays it."""

    seat: int
    player: str | None = None
    name: str | None = None
    bot: bool | str | None = None


class ForkedFrom(Model, frozen=True):
    """The entry of another table that a table goes on from, with the head of the log there."""

    table: str
    seq: int
    head: str


class Foreign(Model, frozen=True):
    """Where a table that was brought as an archive comes from; `own_key`: the server itself has closed it."""

    table: str
    audience: int | str
    key: str
    own_key: bool = False


class Summary(Model, frozen=True):
    """A table from outside. `status`: open, playing, disputed, frozen, ended or abandoned. Times are ms since 1970."""

    id: str
    game: str
    status: str
    seq: int
    head: str
    rules: int = 0
    name: str | None = None
    visibility: str = "public"
    options: dict[str, Any] = {}
    house: dict[str, Any] = {}
    creator: str | None = None
    seats: tuple[Holder, ...] = ()
    to_act: tuple[int, ...] = ()
    created: int | None = None
    changed: int | None = None
    result: dict[str, Any] | None = None
    seed_hash: str | None = None
    forked_from: ForkedFrom | None = None
    rematch_of: str | None = None
    foreign: Foreign | None = None


class Invite(Model, frozen=True):
    """A code for a seat, or for watching; `role` is play or watch."""

    code: str
    role: str = "play"
    seat: int | None = None


class Moved(Model, frozen=True):
    """A seat was taken, left or given its entropy."""

    seq: int
    head: str
    receipt: Receipt
    seat: int | None = None


class Body(Model, frozen=True):
    """What an entry says, in one version. `by`: a seat, or server, clock, arbiter, operator."""

    table: str
    seq: int
    at: int
    by: int | str
    action: dict[str, Any]
    events: tuple[dict[str, Any], ...]
    draw: int | None = None


class Entry(Model, frozen=True):
    """One entry of the log as its reader may know it. `raw`: the bytes that the hashes are over; all hashes are hex."""

    seq: int
    version: str
    raw: bytes
    salt: str
    commits: dict[str, str]
    leaf: str
    head: str
    body: Body


class Ack(Model, frozen=True):
    """An accepted action. `entry`: what it caused; None when a repeated answer came without it."""

    seq: int
    head: str
    receipt: Receipt
    entry: Entry | None = None
    replayed: bool = False
