"""Medians of repeated runs, and the budgets they are held against."""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec

from bench.load import Result


class Paced(msgspec.Struct, frozen=True):
    """At a fixed share of the throughput: from due to known by all seats."""

    rate: float
    p50: float
    p99: float
    late: float
    unfinished: float


class Row(msgspec.Struct, frozen=True):
    """Medians of the runs of one contender. Latencies in seconds, processor time per command in seconds."""

    name: str
    label: str
    rate: float
    p50: float
    p99: float
    bytes: float
    retries: float
    server_cpu: float
    server_busy: float
    driver_cpu: float
    driver_busy: float
    others_busy: float
    longest: float
    tables: float
    paced: Paced | None


class Skipped(msgspec.Struct, frozen=True, tag=True):
    """A contender that could not be measured, and why."""

    name: str
    label: str
    why: str


def row_of(name: str, label: str, results: Sequence[Result]) -> Row:
    """The median of every figure over the runs."""

    def median(figure: Callable[[Result], float]) -> float:
        return statistics.median(figure(result) for result in results)

    return Row(
        name,
        label,
        rate=median(lambda r: r.closed.rate),
        p50=median(lambda r: r.closed.accepted.p50),
        p99=median(lambda r: r.closed.accepted.p99),
        bytes=median(lambda r: r.closed.bytes / r.closed.commands),
        retries=median(lambda r: r.closed.retries / r.closed.commands),
        server_cpu=median(lambda r: r.closed.spent.server / r.closed.commands),
        server_busy=median(lambda r: r.closed.spent.server / r.closed.spent.seconds),
        driver_cpu=median(lambda r: r.closed.spent.driver / r.closed.commands),
        driver_busy=median(lambda r: r.closed.spent.driver / r.closed.spent.seconds),
        others_busy=max(r.closed.spent.others / r.closed.spent.seconds for r in results),
        longest=median(lambda r: r.longest),
        tables=median(lambda r: r.tables),
        paced=paced_of(results),
    )


def paced_of(results: Sequence[Result]) -> Paced | None:
    """The medians at half load, if there was any."""
    parts = [result.paced for result in results if result.paced]
    if not parts:
        return None
    return Paced(
        statistics.median(part.rate for part in parts),
        statistics.median(part.notified.p50 for part in parts),
        statistics.median(part.notified.p99 for part in parts),
        statistics.median(part.late for part in parts),
        statistics.median(part.unfinished for part in parts),
    )


# --- Budgets ------------------------------------------------------------------------------------------

Word = Literal["PASS", "short", "not measured"]


class Verdict(msgspec.Struct, frozen=True):
    """One budget: what was asked, what was found, and the word for it."""

    what: str
    asked: str
    found: str
    word: Word


RATIOS = (
    ("memory", "throughput against boardgame.io in memory", 1.0, "at least 1.0, aiming at 1.5"),
    ("flat", "throughput against boardgame.io with flat files", 8.0, "at least 8"),
    ("echo", "throughput against the bare echo", 1 / 3, "at least 0.33"),
)
PROMPT = 0.020
GROWTH = 1.3


def verdicts(rows: Mapping[str, Row], growth: Mapping[str, float]) -> list[Verdict]:
    """Every budget. `growth`: cost at the longest log, in multiples of that at the shortest."""
    ours = rows.get("tally")
    ratios = [
        judged(what, asked, ours.rate / rows[peer].rate if ours and peer in rows else None, "{:.2f}", at_least=least)
        for peer, what, least, asked in RATIOS
    ]
    prompt = judged(
        "from command to all four seats at half load, p99 (ms)",
        "under 20",
        ours.paced.p99 * 1000 if ours and ours.paced else None,
        "{:.1f}",
        at_most=PROMPT * 1000,
    )
    flat = [
        judged(
            f"{what} at log length 10,000, in multiples of 10",
            "at most 1.3",
            growth.get(what),
            "{:.2f}",
            at_most=GROWTH,
        )
        for what in ("append", "resume", "view")
    ]
    return [*ratios, prompt, *flat]


def judged(
    what: str, asked: str, found: float | None, form: str, at_least: float = -math.inf, at_most: float = math.inf
) -> Verdict:
    """The word for one figure."""
    if found is None:
        return Verdict(what, asked, "", "not measured")
    return Verdict(what, asked, form.format(found), "PASS" if at_least <= found <= at_most else "short")
