"""What a dispute is, and which entries are struck. How one is opened and decided stands in `disputing`."""

from collections.abc import Iterator, Sequence
from typing import Literal, TypeVar

import msgspec

from games.core import Seat
from games.table.past import Past

Rule = Literal["majority", "unanimous", "arbiter"]
How = Literal["upheld", "rejected", "withdrawn", "void"]

T = TypeVar("T")


class Learned(msgspec.Struct, frozen=True):
    """Somebody learned something: the seat (None: everybody), by which event (from 0) of which entry. Never what."""

    seat: Seat | None
    seq: int
    event: int


class Dispute(msgspec.Struct, frozen=True, kw_only=True):
    """A request to strike the entries `from` to `to`. `id`: the entry that opened it.

    `rule`: who decides: most of the seats that people hold, all of them, or the arbiter. `arbiter`: his ruling decides too.
    `votes`: per seat; the opener's counts as one for it. `until`: when missing votes count against it (ms since 1970).
    """

    id: int
    by: Seat
    first: int = msgspec.field(name="from")
    last: int = msgspec.field(name="to")
    reason: str
    learned: tuple[Learned, ...]
    rule: Rule
    arbiter: bool
    votes: tuple[bool | None, ...]
    opened: int
    until: int


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """A dispute that is over, and how it ended. `entry`: where that stands."""

    id: int
    by: Seat
    first: int = msgspec.field(name="from")
    last: int = msgspec.field(name="to")
    how: How
    entry: int


class Strike(msgspec.Struct, frozen=True, kw_only=True):
    """The entries `from` to `to` do not count any more, by the word of entry `entry`."""

    entry: int
    first: int = msgspec.field(name="from")
    last: int = msgspec.field(name="to")


def in_effect(strikes: Sequence[Strike]) -> tuple[Strike, ...]:
    """Those of all strikes ever made, oldest first, that no later one in effect has struck: the newest always is, and a
    strike whose striking was struck in turn is again.
    """
    found: list[Strike] = []
    for strike in reversed(strikes):
        if strike_of(found, strike.entry) is None:
            found.append(strike)
    return tuple(reversed(found))


def strike_of(strikes: Sequence[Strike], seq: int) -> Strike | None:
    """The strike that covers the entry, if it does not count any more."""
    for strike in strikes:
        if strike.first <= seq <= strike.last:
            return strike
    return None


def counting(past: Past[T] | None, strikes: Sequence[Strike]) -> Iterator[Past[T]]:
    """The entries that count and did something to the course, newest first; past what is struck it leaps."""
    node = past
    while node is not None:
        strike = strike_of(strikes, node.seq)
        if strike is None:
            yield node
            node = node.before
        else:
            node = node.at(strike.first - 1)


class Strikable:
    """The entries that a dispute may name first: those that count, did something to the course after the start or are
    strikes themselves, and were not named by a dispute that was rejected.
    """

    def __init__(self, past: Past[T] | None, strikes: Sequence[Strike], settled: Sequence[Settled]) -> None:
        self._past = past
        self._strikes = strikes
        self._rejected = {each.first for each in settled if each.how == "rejected"}

    def __contains__(self, seq: object) -> bool:
        if type(seq) is not int or self._past is None:
            return False
        node = self._past.at(seq)
        return node is not None and node.seq == seq and node.before is not None and self._may_be_named(seq)

    def __iter__(self) -> Iterator[int]:
        """Newest first."""
        for node in counting(self._past, self._strikes):
            if node.before is not None and node.seq not in self._rejected:
                yield node.seq

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def _may_be_named(self, seq: int) -> bool:
        return seq not in self._rejected and strike_of(self._strikes, seq) is None
