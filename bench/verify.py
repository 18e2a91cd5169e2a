"""Verification: how many entries a second of whole Tribunal archives are read and decided again, on one core.

The games are played here and now, always the same: every seat does what it must, by chance, and after every fifth entry
somebody says or whispers something. Nobody offers chips: what that costs depends on how much is offered.
"""

import statistics
import time
from collections.abc import Callable, Iterator

import msgspec

from events import archive
from events.chain import ZERO, seal
from events.entry import Entry
from events.receipts import SigningKey
from games import Catalogue, tribunal
from games.chance import Chance, Source, table_key
from games.core import Action, Seat
from games.table import actions as act
from games.table import decide as deciding
from games.table.asks import asks
from games.table.house import House
from games.table.redact import versions
from games.table.rules import Rules
from games.table.state import Body, Table, close_entry, windows
from projections import codec
from projections.verification import verify_archive

TABLE = "00-" + "a" * 16
SEED = "5e" * 32
SEATS = (4, 5, 6, 7)
EACH = 4
"""Games of each number of seats."""
ROUNDS = 5
AIM = 20_000.0

Archives = list[bytes]


class Speed(msgspec.Struct, frozen=True):
    """Medians of the rounds, in entries a second."""

    what: str
    rate: float


class Verified(msgspec.Struct, frozen=True):
    """What was verified, and how fast."""

    archives: int
    entries: int
    bytes: int
    speeds: list[Speed]


def verified() -> Verified:
    """Plays the games, then measures."""
    made = [written(seats, game) for seats in SEATS for game in range(EACH)]
    entries = sum(each.count(b"\n") - 1 for each in made)
    catalogue = Catalogue()
    for each in made:
        if not verify_archive([each], catalogue).ok:
            raise AssertionError("an archive that was just written does not hold")
    speeds = [
        Speed("reading: chain and signature", entries / timed(made, _read)),
        Speed(
            f"the same, and every action decided again (aim: {AIM:,.0f})",
            entries / timed(made, lambda a: verify_archive([a], catalogue)),
        ),
    ]
    return Verified(len(made), entries, sum(map(len, made)), speeds)


def timed(made: Archives, work: Callable[[bytes], object]) -> float:
    """Seconds of the processor for all archives: the median of the rounds."""
    rounds = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        for each in made:
            work(each)
        rounds.append(time.process_time() - begun)
    return statistics.median(rounds)


def _read(data: bytes) -> None:
    _, lines = archive.read([data])
    for _ in lines:
        pass


# --- Games --------------------------------------------------------------------------------------------


def written(seats: int, game: int) -> bytes:
    """The archive of a game, closed by a key that is always the same."""
    rules = Rules(tribunal)
    entries = list(_entries(rules, seats, game))
    last, key = entries[-1], SigningKey(bytes(range(32)))
    header = archive.close(key, TABLE, "all", tribunal.name, tribunal.version, seats, last.seq, last.head)
    return b"".join(archive.write(header, entries))


def _entries(rules: Rules, seats: int, game: int) -> Iterator[Entry]:
    head = ZERO
    for body in _bodies(rules, seats, game):
        stored = {name: codec.encode(each) for name, each in versions(rules, body, seats).items()}
        entry = seal(body.seq, head, stored, body.seq.to_bytes(32, "big"))
        head = entry.head
        yield entry


def _bodies(rules: Rules, seats: int, game: int) -> Iterator[Body[object]]:
    at = 1_700_000_000_000
    house = House(whispers=True, move_seconds=600)
    create = act.Create(tribunal.name, tribunal.version, seats, {}, house, "public", "", "p0", sit=True)
    decision = deciding.create(rules, create, TABLE, SEED, at)
    table = close_entry(decision.table, 1, at, None, decision.events)
    yield Body(TABLE, 1, at, "server", create, decision.events)
    while not table.over:
        seq, at = table.seq + 1, at + 1000
        by, action = _next(rules, table, Chance(game.to_bytes(32, "big"), seq))
        source = _source(table)
        decision = deciding.decide(rules, table, by, action, at, source)
        draw = table.record.draws if source.used else None
        table = close_entry(decision.table, seq, at, draw, decision.events)
        yield Body(TABLE, seq, at, by, action, decision.events, draw)


def _source(table: Table) -> Source:
    record = table.record
    key = table_key(bytes.fromhex(SEED), TABLE, [holder.entropy for holder in record.holders])
    return Chance(key, record.draws)


def _next(rules: Rules, table: Table, chance: Source) -> tuple[Seat | str, Action]:
    """Who does what now: first all sit down, then each does what he must, now and then with a word in between."""
    vacant = [seat for seat, holder in enumerate(table.record.holders) if holder.player is None]
    if vacant:
        return vacant[0], act.Sit(f"p{vacant[0]}", None, None)
    if table.status == "open":
        return "server", act.Start()
    seat = chance.pick(table.to_act)
    open_to = asks(rules, table, seat, windows(rules, table.course))
    said = [ask for ask in open_to if ask.type in {"say", "whisper"}]
    wanted = said if said and table.seq % 5 == 0 else [ask for ask in open_to if ask.must]
    return seat, deciding.by_chance(rules, chance.pick(wanted), chance)
