"""Who has played how well, and kept his word, over all public tables that are over.

A table is first reduced to what counts of it (`Played`), from its story as everybody may read it once it is over: the
whole log. Then the `Standings` add up. A table counts if it has an outcome, is public, and was played from its beginning:
a fork goes on from where others have come, so whoever forks a game that is as good as won would win it again.

A result belongs to who holds the seat at the end, a promise to who made it, whoever sits there later. Who has left a table,
and does not sit there at the end, has no result there, but that he left is counted. All house bots of one name are one.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from games.core import Seat
from games.table.events import Left, Seated
from projections.keeping import Judge
from projections.story import Passage, Story

LATEST = 20
"""Tables of a player that are remembered one by one."""


# --- One table ----------------------------------------------------------------------------------------


class Counts(msgspec.Struct, frozen=True):
    """Promises by what became of them."""

    kept: int = 0
    broken: int = 0
    open: int = 0
    void: int = 0
    uncheckable: int = 0

    def plus(self, other: "Counts") -> "Counts":
        """Both together."""
        return Counts(
            self.kept + other.kept, self.broken + other.broken, self.open + other.open, self.void + other.void,
            self.uncheckable + other.uncheckable,
        )  # fmt: skip


class Who(msgspec.Struct, frozen=True):
    """Somebody at a table; `bot`: the name of the house bot that he is."""

    player: str
    bot: str | None = None

    @property
    def key(self) -> str:
        """What he stands under in the standings. The ids of players hold no colon."""
        return self.player if self.bot is None else f"bot:{self.bot}"


class Result(msgspec.Struct, frozen=True):
    """How a seat came off. `who`: nobody where the seat was vacant at the end; `beaten`: seats with a worse rank."""

    who: Who | None
    won: bool
    score: int
    rank: int
    beaten: int


class Promises(msgspec.Struct, frozen=True):
    """What became of the promises that somebody made at a table."""

    who: Who
    counts: Counts


class Played(msgspec.Struct, frozen=True):
    """A table that counts. `ended`: ms since 1970; `left`: those who have left it, and do not sit there at the end."""

    table: str
    game: str
    rules: int
    options: dict[str, Any]
    ended: int
    results: tuple[Result, ...]
    promises: tuple[Promises, ...] = ()
    left: tuple[Who, ...] = ()


def ranked(winners: Sequence[Seat], scores: Sequence[int]) -> tuple[int, ...]:
    """The rank of each seat: 1 for all winners, the others by their scores; equals share a rank, as in 1, 1, 3."""
    order = [(0, 0) if seat in winners else (1, -score) for seat, score in enumerate(scores)]
    return tuple([1 + sum([other < own for other in order]) for own in order])


class Reading:
    """Reads the story of a table, passage by passage, so that others may have their turn in between."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self._judge = Judge(story)
        self._bots: dict[str, str | None] = {}
        self._leavers: dict[str, None] = {}

    def passages(self) -> Iterator[Passage]:
        """Reads on with each step, to the end."""
        for passage in self._story.passages:
            self._judge.take(passage)
            for event in passage.body.events:
                if isinstance(event, Seated):
                    self._bots[event.player] = event.bot
                elif isinstance(event, Left):
                    self._leavers[event.player] = None
            yield passage
        self._judge.end()

    def played(self) -> Played | None:
        """What counts of it, once all is read; None if it does not count."""
        table = self._story.table
        record = table.record
        ended = record.result
        if record.status != "ended" or ended is None or record.visibility != "public" or record.forked_from is not None:
            return None
        at_the_end = {holder.player for holder in record.holders}
        left = tuple(self._who(player) for player in self._leavers if player not in at_the_end)
        return Played(
            record.table, record.game, record.rules, record.options, table.at, self._results(), self._promises(), left
        )

    def _who(self, player: str) -> Who:
        return Who(player, self._bots.get(player))

    def _results(self) -> tuple[Result, ...]:
        record = self._story.table.record
        ended = record.result
        if ended is None:
            return ()
        ranks = ranked(ended.winners, ended.scores)
        return tuple(
            Result(
                None if holder.player is None else Who(holder.player, holder.bot),
                seat in ended.winners, score, rank, sum([other > rank for other in ranks]),
            )
            for seat, (holder, score, rank) in enumerate(zip(record.holders, ended.scores, ranks, strict=True))
        )  # fmt: skip

    def _promises(self) -> tuple[Promises, ...]:
        found: dict[str, Counter[str]] = {}
        for given in self._judge.given:
            if given.player is not None:
                found.setdefault(given.player, Counter())[given.verdict] += 1
        return tuple(Promises(self._who(player), Counts(**counts)) for player, counts in found.items())


def played(story: Story) -> Played | None:
    """What counts of a table; None if it does not count."""
    reading = Reading(story)
    for _ in reading.passages():
        pass
    return reading.played()


# --- All tables ---------------------------------------------------------------------------------------


class Tally(msgspec.Struct, frozen=True):
    """Sums. `games`: results, one for each seat held; `beaten` of `of`: the seats that came off worse, of all others at
    those tables; `last`: when the latest of the tables ended (ms since 1970).
    """

    games: int = 0
    won: int = 0
    beaten: int = 0
    of: int = 0
    left: int = 0
    promises: Counts = Counts()
    last: int = 0

    def plus(self, other: "Tally") -> "Tally":
        """Both together."""
        return Tally(
            self.games + other.games, self.won + other.won, self.beaten + other.beaten, self.of + other.of,
            self.left + other.left, self.promises.plus(other.promises), max(self.last, other.last),
        )  # fmt: skip


class Row(msgspec.Struct, frozen=True):
    """A line of the standings. `player` is null for a house bot, which plays under many ids."""

    rank: int
    player: str | None
    bot: str | None
    tally: Tally

    @property
    def key(self) -> str:
        """What it stands under."""
        return self.player or f"bot:{self.bot}"


class Latest(msgspec.Struct, frozen=True):
    """A table where somebody sat at the end."""

    table: str
    game: str
    rules: int
    options: dict[str, Any]
    ended: int
    seats: int
    seat: Seat
    won: bool
    score: int
    rank: int


class Card(msgspec.Struct, frozen=True):
    """One player: his sums by game, all his promises, and his latest tables, the newest first."""

    games: tuple[tuple[str, Tally], ...]
    promises: Counts
    latest: tuple[Latest, ...]


def tallies(played: Played) -> Iterator[tuple[Who, Tally]]:
    """What a table adds, and to whose sums."""
    others = len(played.results) - 1
    for result in played.results:
        if result.who is not None:
            yield result.who, Tally(1, int(result.won), result.beaten, others, last=played.ended)
    for promises in played.promises:
        yield promises.who, Tally(promises=promises.counts, last=played.ended)
    for who in played.left:
        yield who, Tally(left=1, last=played.ended)


class Ranking:
    """Sums in the order of the standings: most won, most beaten, of fewest others, and then by key.

    Who is equal in the first three shares a rank.
    """

    def __init__(self) -> None:
        self._order: list[tuple[int, int, int, str]] = []
        self._sums: dict[str, tuple[Who, Tally]] = {}

    def add(self, who: Who, tally: Tally) -> None:
        """Adds to somebody's sums."""
        before = self._sums.get(who.key)
        if before is not None:
            del self._order[bisect_left(self._order, _place(who.key, before[1]))]
            tally = before[1].plus(tally)
        self._sums[who.key] = who, tally
        insort(self._order, _place(who.key, tally))

    def knows(self, key: str) -> bool:
        """Whether somebody stands there under that key."""
        return key in self._sums

    def rows(self, after: str | None = None, limit: int | None = None) -> tuple[Row, ...]:
        """At most so many lines, from the first or from the one after that key on."""
        first = 0 if after is None else 1 + bisect_left(self._order, _place(after, self._sums[after][1]))
        last = len(self._order) if limit is None else first + limit
        return tuple([self._row(place) for place in self._order[first:last]])

    def _row(self, place: tuple[int, int, int, str]) -> Row:
        who, tally = self._sums[place[3]]
        rank = 1 + bisect_left(self._order, (*place[:3], ""))
        return Row(rank, who.player if who.bot is None else None, who.bot, tally)


def _place(key: str, tally: Tally) -> tuple[int, int, int, str]:
    return -tally.won, -tally.beaten, tally.of, key


class Standings:
    """All tables that were noted, in whatever order they came. Each counts once."""

    def __init__(self) -> None:
        self._tables: dict[str, str] = {}
        self._counts: Counter[str] = Counter()
        self._rankings: dict[tuple[str | None, bool], Ranking] = {}
        self._players: dict[str, dict[str, Tally]] = {}
        self._latest: dict[str, list[Latest]] = {}

    def note(self, played: Played) -> None:
        """Takes in a table; one that was taken in before changes nothing."""
        if played.table in self._tables:
            return
        self._tables[played.table] = played.game
        self._counts[played.game] += 1
        for who, tally in tallies(played):
            self._add(played.game, who, tally)
        for seat, result in enumerate(played.results):
            if result.who is not None:
                self._remember(result.who.player, _latest(played, seat, result))

    def _add(self, game: str, who: Who, tally: Tally) -> None:
        own = self._players.setdefault(who.player, {})
        own[game] = own.get(game, Tally()).plus(tally)
        for played in (None, game):
            self._ranking(played, bots=True).add(who, tally)
            if who.bot is None:
                self._ranking(played, bots=False).add(who, tally)

    def _remember(self, player: str, latest: Latest) -> None:
        own = self._latest.setdefault(player, [])
        insort(own, latest, key=_newest)
        del own[LATEST:]

    def _ranking(self, game: str | None, *, bots: bool) -> Ranking:
        return self._rankings.setdefault((game, bots), Ranking())

    # --- Asking ---------------------------------------------------------------------------------------

    def __contains__(self, table: str) -> bool:
        return table in self._tables

    def tables(self, game: str | None = None) -> int:
        """How many tables count."""
        return len(self._tables) if game is None else self._counts[game]

    def knows(self, key: str, game: str | None = None, *, bots: bool = True) -> bool:
        """Whether somebody stands there under that key."""
        return (game, bots) in self._rankings and self._rankings[game, bots].knows(key)

    def table(
        self, game: str | None = None, *, bots: bool = True, after: str | None = None, limit: int | None = None
    ) -> tuple[Row, ...]:
        """The lines of all games or of one, with house bots or without, from the one after that key on.

        Raises:
            KeyError: nobody stands there under the key.
        """
        if (game, bots) in self._rankings:
            return self._rankings[game, bots].rows(after, limit)
        if after is not None:
            raise KeyError(after)
        return ()

    def of(self, player: str) -> Card:
        """What there is of one player; of a house bot, what it has played under that id."""
        games = tuple(sorted(self._players.get(player, {}).items()))
        promises = Counts()
        for _, tally in games:
            promises = promises.plus(tally.promises)
        return Card(games, promises, tuple(self._latest.get(player, ())))


def _newest(latest: Latest) -> tuple[int, str, Seat]:
    return -latest.ended, latest.table, latest.seat


def _latest(played: Played, seat: Seat, result: Result) -> Latest:
    return Latest(
        played.table, played.game, played.rules, played.options, played.ended, len(played.results), seat, result.won,
        result.score, result.rank,
    )  # fmt: skip
