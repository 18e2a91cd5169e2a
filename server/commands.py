"""What callers may have done at a table, the same for REST and the socket: limits, decoding, scope, then the service."""

import re
import time
from collections.abc import Awaitable

import msgspec

from games.core import Action, Audience
from server import bodies
from server.callers import Caller
from server.limits import Holdings, Limiter, whole_seconds
from server.metrics import Metrics, Transport
from server.problems import Problem
from server.refusals import expected
from server.settings import Settings
from server.tables.errors import TableFrozen
from server.tables.live import LiveTable
from server.tables.service import Answer, Command, Tables, fresh_id
from server.wire.coding import Coding

KEY_LENGTH = 200

_SEQ = re.compile(r'(?:W/)?"?([0-9]{1,15})"?|\*')


class Wanted(msgspec.Struct, frozen=True):
    """An action as it came: its bytes, the idempotency key, the entry it was made for."""

    body: bytes
    coding: Coding
    key: str | None = None
    if_match: int | None = None


class Limits:
    """How often somebody may do what, and how much he may hold at once."""

    def __init__(self, settings: Settings) -> None:
        self.actions = Limiter(settings.actions)
        self.creations = Limiter(settings.creations)
        self.reads = Limiter(settings.reads)
        self.registrations = Limiter(settings.registrations)
        self.sockets = Holdings(settings.sockets)


class Commands:
    """Turns what callers want into commands of the table service."""

    def __init__(self, tables: Tables, metrics: Metrics, settings: Settings) -> None:
        self.tables = tables
        self.metrics = metrics
        self.settings = settings
        self.limits = Limits(settings)

    @property
    def sockets(self) -> Holdings:
        """How many sockets and streams everybody holds."""
        return self.limits.sockets

    async def act(
        self, caller: Caller, live: LiveTable, seat: Audience, wanted: Wanted, by: Transport = "socket"
    ) -> Answer:
        """An action of the caller's seat, counted by what it came by.

        Raises:
            Problem: too many, no seat here, not decodable.
            Refused, Stale, ...: as `Tables.submit`.
        """
        return await self.counted(by, self._act(caller, live, seat, wanted))

    async def counted(self, by: Transport, work: Awaitable[Answer]) -> Answer:
        """The answer to a command, which counts with what became of it and how long that took."""
        began = time.perf_counter()
        try:
            answer = await work
        except Exception as error:
            known = expected(error)
            self.metrics.command(by, "internal" if known is None else known.code, time.perf_counter() - began)
            raise
        self.metrics.command(by, "replayed" if answer.replayed else "accepted", time.perf_counter() - began)
        return answer

    async def _act(self, caller: Caller, live: LiveTable, seat: Audience, wanted: Wanted) -> Answer:
        self.limit(caller)
        if live.read_only:
            raise Problem("read_only")
        player = caller.player
        if player is None:
            raise Problem("unauthorized", "no_token")
        rules_here = seat is None and player == live.now.table.record.house.arbiter
        scope = "arbitrate" if rules_here else "play"
        if not caller.may(scope):
            raise Problem("forbidden", "scope", scope=scope)
        if seat is None and not rules_here and wanted.key is None:
            raise Problem("not_your_seat", "no_seat")
        command = fresh_id(player, live.id, check_key(wanted.key))
        action = self._decode(live, wanted)
        if rules_here:
            return await self.tables.submit(live, Command("arbiter", action, command, wanted.if_match))
        if seat is None:
            return await self._again(live, Command(player, action, command))
        return await self.tables.submit(live, Command(seat, action, command, wanted.if_match, player))

    async def _again(self, live: LiveTable, command: Command) -> Answer:
        """The first answer to something that the caller did here while he had a seat: to his leaving, for example.

        Raises:
            Problem: not_your_seat; he has done no such thing.
        """
        answer = await self.tables.known(live, command)
        if answer is None:
            raise Problem("not_your_seat", "no_seat")
        return answer

    def _decode(self, live: LiveTable, wanted: Wanted) -> Action:
        try:
            action: Action = bodies.read(
                live.rules.actions.decode, wanted.body, wanted.coding, self.settings.text_limit
            )
        except Problem:
            if live.broken is not None:  # rules that do not know the log may not know the action either
                raise TableFrozen from None
            raise
        return action

    async def surround(
        self,
        caller: Caller,
        live: LiveTable,
        by: int | str,
        action: Action,
        key: str | None,
        holder: str | None = None,
    ) -> Answer:
        """An action around the game: sitting, rising, entropy, closing. `holder`: who must hold that seat for it."""
        return await self.counted("rest", self._surround(caller, live, by, action, key, holder))

    async def _surround(
        self, caller: Caller, live: LiveTable, by: int | str, action: Action, key: str | None, holder: str | None
    ) -> Answer:
        self.limit(caller)
        command = fresh_id(caller.player or caller.address, live.id, check_key(key))
        return await self.tables.submit(live, Command(by, action, command, None, holder))

    async def by_itself(self, live: LiveTable, command: Command) -> Answer:
        """What the server does without being asked: for a clock that has run out, for a vacant seat.

        Raises:
            Refused, Stale, ...: as `Tables.submit`.
        """
        return await self.counted("server", self.tables.submit(live, command))

    def limit(self, caller: Caller) -> None:
        """Counts an action of the caller.

        Raises:
            Problem: rate_limited, with the seconds to wait.
        """
        wait = self.limits.actions.wait(caller.limit_key)
        if wait:
            seconds = whole_seconds(wait)
            raise Problem("rate_limited", "too_many_requests", retry_after=seconds, seconds=seconds)


def check_key(key: str | None) -> str | None:
    """The idempotency key if it is one.

    Raises:
        Problem: malformed.
    """
    if key is None or (1 <= len(key) <= KEY_LENGTH and key.isascii() and key.isprintable()):
        return key
    raise Problem("malformed", "bad_key", longest=KEY_LENGTH)


def whole(text: str | None, what: str) -> int | None:
    """A seq in a header: bare or as an entity tag; None for any.

    Raises:
        Problem: malformed.
    """
    found = None if text is None else _SEQ.fullmatch(text.strip())
    if text is not None and found is None:
        raise Problem("malformed", "bad_header", header=what)
    return int(found[1]) if found and found[1] else None
