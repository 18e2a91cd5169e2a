"""Disputes: what it costs to take entries back, at tables of three lengths, and to fold a log in which that was done.

A command is here all that the server does for it but store, clock and signature: deciding, making every version, sealing,
and the new position. The tables are filled with offers that are withdrawn, for talk is no part of a course.
"""

import gc
import statistics
import time
from collections.abc import Callable

import msgspec

from events import canonical
from events.entry import FULL, Entry
from games import tribunal
from games.chance import Chance
from games.core import Action, Seat
from games.table import actions as act
from games.table import decide as deciding
from games.table.decide import by_chance
from games.table.house import House
from games.table.rules import Rules
from games.table.state import Body, Table, fold
from projections import codec
from projections.position import Position
from projections.view import view
from server.tables.live import LiveTable, Made

LENGTHS = (10, 1_000, 10_000)
"""Entries of bargaining."""

SEATS = 4
ROUNDS = 5
REPEAT = 40
TABLE = "00-" + "d" * 16
SEED = "5e" * 32
SALT = bytes(32)

EVERY, BACK = 50, 10
"""In the log that is folded: so many entries between two disputes, and how many of them are taken back."""

Work = Callable[[], object]


class Folded(msgspec.Struct, frozen=True):
    """How many events of a log were folded a second."""

    what: str
    events: int
    strikes: int
    rate: float


class Disputed(msgspec.Struct, frozen=True):
    """`costs`: seconds, by what is done and by the entries of the table."""

    costs: dict[str, dict[int, float]]
    folded: list[Folded]


def disputed() -> Disputed:
    """Fills the tables, then measures. The lengths take turns, so that the machine's moods meet all of them."""
    desks = {length: bargained(length) for length in LENGTHS}
    works = {length: _works(desk) for length, desk in desks.items()}
    costs: dict[str, dict[int, float]] = {}
    for what in works[LENGTHS[0]]:
        rounds = [{length: _timed(works[length][what]) for length in LENGTHS} for _ in range(ROUNDS)]
        costs[what] = {length: statistics.median(times[length] for times in rounds) for length in LENGTHS}
    longest = LENGTHS[-1]
    folded = [
        _folded("bargaining, no disputes", desks[longest]),
        _folded(f"the same, {BACK} of every {EVERY} entries struck", quarrelled(longest)),
    ]
    return Disputed(costs, folded)


def _timed(work: Work) -> float:
    """Seconds of the processor: nothing here waits for anything."""
    begun = time.process_time()
    for _ in range(REPEAT):
        work()
    return (time.process_time() - begun) / REPEAT


# --- What is measured ---------------------------------------------------------------------------------


def _works(desk: "Desk") -> dict[str, Work]:
    """Each begins from a position that stays as it is, so it can be done any number of times."""
    position = desk.position
    last, first = position.seq, position.seq - desk.bargaining + 1
    works: dict[str, Work] = {}
    for back, seq in (("one entry", last), ("all entries", first)):
        opening = act.Dispute(first=seq, reason="A mistake.")
        voted = desk.after(desk.after(position, 0, opening), 1, act.VoteDispute(True))
        struck = desk.after(voted, 2, act.VoteDispute(True))
        works[f"a dispute over {back}"] = lambda opening=opening: desk.after(position, 0, opening)  # type: ignore[misc]
        works[f"the vote that strikes {back}"] = lambda voted=voted: desk.after(voted, 2, act.VoteDispute(True))  # type: ignore[misc]
        works[f"the next offer, {back} struck"] = lambda struck=struck: desk.offer(struck)  # type: ignore[misc]
        works[f"the view, {back} struck"] = lambda struck=struck: canonical.encode(view(struck, 0))  # type: ignore[misc]
    works["an offer, nothing disputed"] = lambda: desk.offer(position)
    return works


def _folded(what: str, desk: "Desk") -> Folded:
    """Folds the full versions, decoded before."""
    bodies = [codec.decode(desk.rules, entry.seq, entry.versions[FULL]) for entry in desk.entries]
    events = sum(len(body.events) for body in bodies)
    gc.collect()
    gc.freeze()  # as the server does, or the collector goes through all tables again and again
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        _fold(desk.rules, bodies)
        times.append(time.process_time() - begun)
    gc.unfreeze()
    return Folded(what, events, len(desk.position.table.record.all_strikes), events / statistics.median(times))


def _fold(rules: Rules, bodies: list[Body[object]]) -> None:
    table: Table | None = None
    for body in bodies:
        table = fold(rules, table, body)


# --- Tables -------------------------------------------------------------------------------------------


class Desk:
    """A table of Tribunal in memory, as the server has it, at which a decision is open that one may bargain over."""

    def __init__(self) -> None:
        self.rules = Rules(tribunal)
        self.live = LiveTable(TABLE, self.rules)
        self.entries: list[Entry] = []
        self.bargaining = 0
        """Entries of bargaining, the newest of all."""
        house = House(disputes_per_seat=100)
        create = act.Create(tribunal.name, tribunal.version, SEATS, {}, house, "public", "", "p0", sit=True)
        made = Made(deciding.create(self.rules, create, TABLE, SEED, 1), "server", create, 1, None)
        self._take(*self.live.prepare(made, SALT))
        for seat in range(1, SEATS):
            self.do(seat, act.Sit(f"p{seat}", None, None))
        self.do("server", act.Start())
        while not any(window.offers for window in self.position.windows):
            seat = self.position.table.to_act[0]
            must = next(ask for ask in self.position.asks[seat] if ask.must)
            self.do(seat, by_chance(self.rules, must, self._chance(self.position)))

    @property
    def position(self) -> Position:
        """Where the table stands."""
        return self.live.next

    def do(self, by: Seat | str, action: Action) -> None:
        """One more entry."""
        self._take(*self._made(self.position, by, action))

    def after(self, position: Position, by: Seat | str, action: Action) -> Position:
        """Where the action leads from that position; the table stays where it is."""
        return self._made(position, by, action)[1]

    def offer(self, position: Position) -> Position:
        """Where an offer leads."""
        return self.after(position, *self.offering())

    def offering(self) -> tuple[Seat, Action]:
        """Who may offer, and what he offers."""
        window = next(window for window in self.position.windows if window.offers)
        deed = {"type": window.deeds[0].type}
        return window.offers[0], act.Offer(window.deciders[0], window.id, 1, deed, 1, None)

    def bargain(self, entries: int) -> None:
        """Offers and withdraws, by turns."""
        payer, offer = self.offering()
        for number in range(entries):
            self.do(payer, act.Withdraw(self.position.seq) if number % 2 else offer)
        self.bargaining += entries

    def _made(self, position: Position, by: Seat | str, action: Action) -> tuple[Entry, Position]:
        table, tip = position.table, self.live.tip
        chance, at = self._chance(position), table.at + 1000
        known = deciding.Known(position.windows, position.asks)
        decision = deciding.decide(self.rules, table, by, action, at, chance, known)
        draw = table.record.draws if chance.used else None
        self.live.tip = position
        try:
            return self.live.prepare(Made(decision, by, action, at, draw), SALT)
        finally:
            self.live.tip = tip

    def _take(self, entry: Entry, position: Position) -> None:
        self.entries.append(entry)
        self.live.tip = position

    def _chance(self, position: Position) -> Chance:
        return Chance(self.live.key(position.table.record), position.table.record.draws)


def bargained(entries: int) -> Desk:
    """A table with so many entries of bargaining."""
    desk = Desk()
    desk.bargain(entries)
    return desk


def quarrelled(entries: int) -> Desk:
    """The same, and again and again some of them are struck."""
    desk = Desk()
    for number in range(entries // EVERY):
        desk.bargain(EVERY)
        seat = number % SEATS
        desk.do(seat, act.Dispute(first=desk.position.seq - BACK + 1, reason="A mistake."))
        for other in (1, 2):
            desk.do((seat + other) % SEATS, act.VoteDispute(True))
    return desk
