"""When to send again: bounded, with growing and jittered pauses, and never sooner than the server says."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import msgspec


class Retry(msgspec.Struct, frozen=True):
    """How often and how patiently to try. `patience`: the longest `Retry-After`, in seconds, that is waited for."""

    attempts: int = 8
    base: float = 0.25
    cap: float = 15.0
    patience: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def delay(self, failures: int, retry_after: float | None = None) -> float | None:
        """Seconds to wait after so many failures in a row, or None when it is time to give up."""
        least = retry_after or 0.0
        if failures >= self.attempts or least > self.patience:
            return None
        pause = min(self.cap, self.base * 2.0 ** (failures - 1))
        return least + pause * random.uniform(0.5, 1.0)  # noqa: S311  (jitter is no secret)

    async def pause(self, failures: int, retry_after: float | None = None) -> bool:
        """Waits; false, at once, when it is time to give up."""
        delay = self.delay(failures, retry_after)
        if delay is None:
            return False
        await self.sleep(delay)
        return True


def seconds(retry_after: str | None) -> float | None:
    """What a `Retry-After` header says, which is a number of seconds or a date."""
    if retry_after is None:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        return _until(retry_after)


def _until(date: str) -> float | None:
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return max(0.0, (then - datetime.now(UTC)).total_seconds())
