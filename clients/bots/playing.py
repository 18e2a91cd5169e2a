"""Lets a bot play at a table, over the wire like anybody else, until the table ends.

A bot must never spin or block a table. So actions have a least distance; what goes wrong is followed by growing pauses;
when a bot fails, or is refused again and again, any legal action that the table waits for is played in its stead; and
when even that is refused, it gives up. Every action is sent under the key `bot:<table>:<seat>:<entry>`, where the entry
is the last one that changed what the seat may do, or that the seat made: however many processes play for one seat,
each action is done once.
"""

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from clients.bots.bot import Bot, Move
from comitium_client import (
    ApiProblem,
    Ended,
    Entry,
    Forbidden,
    InProgress,
    KeyReused,
    Live,
    NotFound,
    OfferChanged,
    Stale,
    Table,
    Unauthorized,
    Update,
    random_action,
)

CROSSED_SECONDS = 2.0
"""After another action came first: how long to wait for the news of it."""

PATIENCE = 3
"""So many refusals in a row, and any legal action will do."""

LIMIT = 8
"""So many, and the bot gives up."""

log = logging.getLogger("comitium.bots")


class GivenUp(Exception):  # noqa: N818  (a fact about the bot)
    """Nothing that the bot does is accepted."""


class Pace(msgspec.Struct, frozen=True):
    """Seconds. `think`: before anything; `quiet`: so long nothing must happen before a patient move, though it waits
    no longer than `longest` in all; `least`: between two actions.
    """

    think: float = 0.0
    quiet: float = 0.03
    longest: float = 1.0
    least: float = 0.01


PaceOf = Callable[[Update], Pace]


@dataclass
class Diary:
    """What became of the bot's actions. `crossed`: somebody was quicker, so they were thought over again."""

    acted: int = 0
    crossed: int = 0
    refused: list[tuple[str, str]] = field(default_factory=list)


class Player:
    """One bot at one table."""

    def __init__(
        self, table: Table, bot: Bot, pace: Pace | PaceOf | None = None, rng: random.Random | None = None
    ) -> None:
        self._table = table
        self._bot = bot
        self._pace: PaceOf = pace if callable(pace) else lambda _: pace or Pace()
        self._rng = rng or random.Random()  # noqa: S311  (moods are no secret)
        self.diary = Diary()
        self._last = 0
        self._heard = 0
        self._troubles = 0
        self._acted_at = 0.0
        self._waits_since: float | None = None

    async def play(self) -> Diary:
        """Plays to the end of the table, or until the seat is gone.

        Raises:
            GivenUp: nothing that it does is accepted.
            ComitiumError: there is no such table, the connection is lost for good, ...
        """
        async with self._table.follow() as live:
            async for entry in self._table.log():
                if entry.seq <= live.seq:
                    self._hear(entry, live.now)
            news = News(live)
            try:
                await self._run(live, news)
            finally:
                await news.close()
        return self.diary

    async def _run(self, live: Live, news: "News") -> None:
        now = live.now
        while not _is_done(now):
            move = self._choose(now)
            now, is_new = await self._listen(news, now, self._pause(now, move))
            if _is_done(now):
                return
            if is_new and self._is_late(now):
                move, is_new = self._choose(now), False
            if move is not None and not is_new:
                now = await self._do(live, news, now, move)

    # --- Listening ------------------------------------------------------------------------------------

    async def _listen(self, news: "News", now: Update, patience: float | None) -> tuple[Update, bool]:
        """The newest position, and whether it is a new one."""
        found = await news.take(patience)
        for update in found:
            if update.entry is not None:
                self._hear(update.entry, update)
        return (found[-1] if found else now), bool(found)

    def _hear(self, entry: Entry, now: Update) -> None:
        if entry.seq <= self._heard:
            return
        self._heard = entry.seq
        if entry.body.by == now.view["seat"]:
            self._last = entry.seq
        try:
            self._bot.hear(entry)
        except Exception:
            log.exception("a bot failed to hear an entry")

    # --- Choosing -------------------------------------------------------------------------------------

    def _choose(self, now: Update) -> Move | None:
        if self._troubles >= PATIENCE:
            return self._any(now)
        try:
            move = self._bot.choose(now)
        except Exception:
            log.exception("a bot failed to choose")
            return self._any(now)
        return move or self._any(now)

    def _any(self, now: Update) -> Move | None:
        """Any action that the table waits for."""
        action = random_action(now.must, self._rng, now.view["windows"])
        return None if action is None else Move(action)

    # --- When -----------------------------------------------------------------------------------------

    def _pause(self, now: Update, move: Move | None) -> float | None:
        """How long to listen before the move is made; without a move, until something happens."""
        pace, time = self._pace(now), asyncio.get_running_loop().time()
        if move is None:
            self._waits_since = None
            return None
        if not move.patient:
            return pace.think
        self._waits_since = self._waits_since or time
        return max(0.0, min(pace.quiet, self._waits_since + pace.longest - time))

    def _is_late(self, now: Update) -> bool:
        """Whether a patient move has waited long enough, whatever happens."""
        time = asyncio.get_running_loop().time()
        return self._waits_since is not None and time - self._waits_since >= self._pace(now).longest

    # --- Acting ---------------------------------------------------------------------------------------

    async def _do(self, live: Live, news: "News", now: Update, move: Move) -> Update:
        """Makes the move, and answers the position after whatever came of it."""
        seat, turn = now.view["seat"], max(now.since, self._last)
        await self._keep_distance(self._pace(now).least)
        try:
            ack = await live.act(move.action, key=f"bot:{self._table.id}:{seat}:{turn}", if_match=now.seq)
        except (Stale, OfferChanged, KeyReused, InProgress):
            self.diary.crossed += 1
            return (await self._listen(news, now, CROSSED_SECONDS))[0]
        except Ended:
            return (await self._listen(news, now, CROSSED_SECONDS))[0]
        except (NotFound, Unauthorized, Forbidden):
            raise
        except ApiProblem as problem:
            newer, is_new = await self._listen(news, now, 0.0)
            if is_new:  # what others did meanwhile came first
                self.diary.crossed += 1
                return newer
            await self._trouble(move, problem)
        else:
            self.diary.acted += 1
            self._troubles, self._waits_since = 0, None
            return await self._reach(news, now, ack.seq)
        return (await self._listen(news, now, 0.0))[0]

    async def _reach(self, news: "News", now: Update, seq: int) -> Update:
        """The position after that entry, which is on its way if it is not here."""
        is_new = True
        while now.seq < seq and is_new:
            now, is_new = await self._listen(news, now, CROSSED_SECONDS)
        return now

    async def _keep_distance(self, least: float) -> None:
        time = asyncio.get_running_loop().time()
        await asyncio.sleep(max(0.0, self._acted_at + least - time))
        self._acted_at = asyncio.get_running_loop().time()

    async def _trouble(self, move: Move, problem: ApiProblem) -> None:
        self._troubles += 1
        reason = str(problem.extensions.get("reason") or problem.code)
        self.diary.refused.append((str(move.action.get("type")), reason))
        log.warning("a bot's %s was refused: %s", move.action.get("type"), reason)
        if self._troubles >= LIMIT:
            raise GivenUp(str(problem))
        await asyncio.sleep(0.05 * 2.0**self._troubles)


def _is_done(now: Update) -> bool:
    """Whether there is nothing left to play: the table is over or has failed, or the seat is gone."""
    return now.over or now.view["status"] == "frozen" or now.view["seat"] is None


class News:
    """The updates of a live session, taken as they come, while actions are on their way as well."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._next: asyncio.Task[Update | None] | None = None

    async def take(self, patience: float | None) -> list[Update]:
        """All that have come; if there are none, waits for one, at most so long."""
        found: list[Update] = []
        while True:
            if self._next is None:
                self._next = asyncio.ensure_future(self._following())
            done, _ = await asyncio.wait({self._next}, timeout=0 if found else patience)
            if not done:
                return found
            update, self._next = self._next.result(), None
            if update is None:
                return found
            found.append(update)

    async def _following(self) -> Update | None:
        return await anext(self._live, None)

    async def close(self) -> None:
        """Waits for no more."""
        if self._next is not None:
            self._next.cancel()
            await asyncio.gather(self._next, return_exceptions=True)
