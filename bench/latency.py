"""Percentiles."""

import math
from collections.abc import Sequence

import msgspec


class Latency(msgspec.Struct, frozen=True):
    """Seconds."""

    p50: float
    p99: float
    worst: float


def latency(seconds: Sequence[float]) -> Latency:
    """The percentiles of what was measured; zeros of nothing."""
    ordered = sorted(seconds)
    return Latency(quantile(ordered, 0.5), quantile(ordered, 0.99), ordered[-1] if ordered else 0.0)


def quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that at least that share of the values does not exceed."""
    if not ordered:
        return 0.0
    rank = math.ceil(share * len(ordered))
    return ordered[max(rank, 1) - 1]
