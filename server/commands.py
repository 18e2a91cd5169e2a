"""What callers may have done at a table, the same for REST and the socket: limits, decoding, scope, then the service."""

from typing import Any

import msgspec

from games.core import Action, Audience
from server.callers import Caller
from server.limits import Holdings, Limiter, whole_seconds
from server.metrics import Metrics
from server.problems import Problem
from server.settings import Settings
from server.tables.live import LiveTable
from server.tables.service import Answer, Command, Tables, fresh_id
from server.wire.coding import Coding

KEY_LENGTH = 200


class Wanted(msgspec.Struct, frozen=True):
    """An action as it came: its bytes, the idempotency key, the entry it was made for."""

    body: bytes
    coding: Coding
    key: str | None = None
    if_match: int | None = None


class Limits:
    """How often somebody may do what."""

    def __init__(self, settings: Settings) -> None:
        self.actions = Limiter(settings.actions)
        self.creations = Limiter(settings.creations)
        self.reads = Limiter(settings.reads)
        self.registrations = Limiter(settings.registrations)


class Commands:
    """Turns what callers want into commands of the table service."""

    def __init__(self, tables: Tables, metrics: Metrics, settings: Settings) -> None:
        self.tables = tables
        self.metrics = metrics
        self.settings = settings
        self.limits = Limits(settings)
        self.sockets = Holdings(settings.sockets)

    async def act(self, caller: Caller, live: LiveTable, seat: Audience, wanted: Wanted) -> Answer:
        """An action of the caller's seat.

        Raises:
            Problem: too many, no seat here, not decodable.
            Refused, Stale, ...: as `Tables.submit`.
        """
        self.limit(caller)
        player = caller.player
        if player is None or seat is None:
            raise Problem("unauthorized" if player is None else "not_your_seat")
        if not caller.may("play"):
            raise Problem("forbidden", "scope", scope="play")
        action = decode(live, wanted)
        command = fresh_id(player, live.id, check_key(wanted.key))
        return await self.tables.submit(live, Command(seat, action, command, wanted.if_match))

    async def surround(self, caller: Caller, live: LiveTable, by: int | str, action: Action, key: str | None) -> Answer:
        """An action around the game: sitting, rising, entropy, closing."""
        self.limit(caller)
        command = fresh_id(caller.player or caller.address, live.id, check_key(key))
        return await self.tables.submit(live, Command(by, action, command))

    def limit(self, caller: Caller) -> None:
        """Counts an action of the caller.

        Raises:
            Problem: rate_limited, with the seconds to wait.
        """
        wait = self.limits.actions.wait(caller.limit_key)
        if wait:
            raise Problem("rate_limited", retry_after=whole_seconds(wait))


def check_key(key: str | None) -> str | None:
    """The idempotency key if it is one.

    Raises:
        Problem: malformed.
    """
    if key is not None and not 1 <= len(key) <= KEY_LENGTH:
        raise Problem("malformed", "bad_key", longest=KEY_LENGTH)
    return key


def decode(live: LiveTable, wanted: Wanted) -> Action:
    """The action in the bytes, by this table's game.

    Raises:
        Problem: malformed, with what is wrong and where.
    """
    try:
        if wanted.coding == "json":
            action: Action = live.rules.actions.decode(wanted.body)
        else:
            action = msgspec.msgpack.decode(wanted.body, type=live.rules.Action)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Problem("malformed", str(error)) from None
    return action


def whole(text: str | None, what: str) -> int | None:
    """A seq in a header.

    Raises:
        Problem: malformed.
    """
    if text is None:
        return None
    bare: Any = text.strip().removeprefix("W/").strip('"')
    if not bare.isascii() or not bare.isdigit() or len(bare) > 15:
        raise Problem("malformed", "bad_header", header=what)
    return int(bare)
