"""How often somebody may do something: token buckets, and how much he may hold at once.

A bucket holds `burst` tokens and refills at `per_second`. Kept is one number a key, the time at which its bucket will
be full again, and that only while it is not full: a full bucket is as good as none.
"""

import math
import time
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address

from server.settings import Rate

Clock = Callable[[], float]

_ROUNDING = 1e-6
"""Seconds: who has waited as long as he was told is not refused for the last digits of a float."""


class Limiter:
    """A bucket for every key (a token's id, an address), by a clock in seconds that never goes back.

    Buckets live in two generations. After the time that fills any bucket, those that nobody has touched since the last
    change of generations are full, and are dropped all at once. So memory is bounded by what the keys do, and beyond
    `most` keys by force: then the generation changes early, which fills some buckets too soon.
    """

    def __init__(self, rate: Rate | None, clock: Clock = time.monotonic, most: int = 100_000) -> None:
        """No rate: no limit."""
        self._rate = rate
        self._clock = clock
        self._half = max(1, most // 2)
        self._young: dict[str, float] = {}
        self._old: dict[str, float] = {}
        self._next = 0.0

    def __len__(self) -> int:
        """Buckets in memory."""
        return len(self._young) + len(self._old)

    def wait(self, key: str, tokens: int = 1) -> float:
        """Takes the tokens, or none of them. The seconds until there are enough: 0.0 when they were taken.

        Raises:
            ValueError: no waiting helps, the bucket never holds that many.
        """
        rate = self._rate
        if rate is None:
            return 0.0
        if tokens > rate.burst:
            raise ValueError(f"A bucket of {rate.burst} never holds {tokens} tokens.")
        now = self._clock()
        if now >= self._next or len(self._young) >= self._half:
            self._turn(rate, now)
        full_at = max(now, self._young.get(key, 0.0), self._old.get(key, 0.0)) + tokens / rate.per_second
        short = full_at - now - rate.seconds_to_fill
        if short > _ROUNDING:
            return short
        self._young[key] = full_at
        return 0.0

    def _turn(self, rate: Rate, now: float) -> None:
        """The young become the old, the old are forgotten."""
        self._old = self._young if now < self._next + rate.seconds_to_fill else {}
        self._young = {}
        self._next = now + rate.seconds_to_fill


class Holdings:
    """How many of something (sockets) each key holds, at most `most`; without `most` as many as it likes."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._held: dict[str, int] = {}

    def take(self, key: str) -> bool:
        """One more for the key, if it may have one."""
        held = self._held.get(key, 0)
        if self._most is not None and held >= self._most:
            return False
        self._held[key] = held + 1
        return True

    def give_back(self, key: str) -> None:
        """One less for the key, which took it before."""
        held = self._held.pop(key) - 1
        if held:
            self._held[key] = held

    def __len__(self) -> int:
        """Keys that hold any."""
        return len(self._held)


def whole_seconds(wait: float) -> int:
    """A wait as `Retry-After` says it: whole seconds, at least one, never too few."""
    return max(1, math.ceil(wait))


def address_key(address: str) -> str:
    """What to count by for an address: itself, and of IPv6 the first 64 bits, all of which one customer has."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return f"{IPv6Address(int(parsed) >> 64 << 64)}/64"
