"""The figures as tables: for the terminal, and between the markers of docs/performance.md."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from bench.curve import Costs
from bench.disputes import Disputed
from bench.figures import Row, Skipped, Verdict, verdicts
from bench.runs import Plan
from bench.verify import Verified

BEGIN, END = "<!-- figures -->", "<!-- /figures -->"

QUIET = 0.25
"""Cores that a machine may use for itself without spoiling the figures."""

Cells = Sequence[str]


class Table(msgspec.Struct, frozen=True):
    """A table of text."""

    title: str
    head: Cells
    rows: Sequence[Cells]


class Found(msgspec.Struct, frozen=True):
    """All that a run of the bench found."""

    plan: Plan
    machine: list[tuple[str, str]]
    rows: list[Row]
    skipped: list[Skipped]
    curves: dict[str, Costs]
    archives: Verified | None = None
    disputed: Disputed | None = None


def tables(found: Found) -> list[Table]:
    """Every table of the report, those that have rows."""
    made = [budgets(found), throughput(found.rows), paced(found.rows), costs_of_load(found.rows)]
    made += [curve(who, costs) for who, costs in found.curves.items()]
    made += [verification(found.archives)] if found.archives else []
    made += [disputes(found.disputed), folding(found.disputed)] if found.disputed else []
    made += [Table("Not measured", ("what", "why"), [(skip.label, skip.why) for skip in found.skipped])]
    made += [Table("Measured on", ("what", "which"), found.machine)]
    return [table for table in made if table.rows]


# --- The tables ---------------------------------------------------------------------------------------


def budgets(found: Found) -> Table:
    rows = {row.name: row for row in found.rows}
    judged: list[Verdict] = verdicts(rows, growth(found.curves.get("Comitium", {})))
    return Table("Budgets", ("what", "asked", "found", ""), [(v.what, v.asked, v.found, v.word) for v in judged])


def throughput(rows: Sequence[Row]) -> Table:
    """The closed loop, and our first row in multiples of each."""
    ours = next((row for row in rows if row.name == "tally"), None)
    head = ("closed loop", "commands/s", "p50 ms", "p99 ms", "bytes/command", "Comitium / this", "longest log")
    return Table(
        "Throughput",
        head,
        [
            (
                row.label,
                f"{row.rate:,.0f}",
                ms(row.p50),
                ms(row.p99),
                f"{row.bytes:,.0f}",
                f"{ours.rate / row.rate:.2f}" if ours else "",
                f"{row.longest:,.0f}",
            )
            for row in rows
        ],
    )


def paced(rows: Sequence[Row]) -> Table:
    head = ("half load, due to known by the whole table", "commands/s", "p50 ms", "p99 ms", "sent late p99 ms", "lost")
    return Table(
        "Latency at half load",
        head,
        [
            (row.label, f"{p.rate:,.0f}", ms(p.p50), ms(p.p99), ms(p.late), f"{p.unfinished:.0f}")
            for row in rows
            if (p := row.paced)
        ],
    )


def costs_of_load(rows: Sequence[Row]) -> Table:
    """What a command costs the server and the load generator, how near the latter was to its own limit,
    and the most that anything else took of the machine meanwhile.
    """
    head = (
        "closed loop",
        "server µs/command",
        "server cores",
        "load µs/command",
        "load cores",
        "others' cores",
        "sent again",
    )
    return Table(
        "Processor",
        head,
        [
            (
                row.label,
                f"{row.server_cpu * 1e6:.0f}",
                f"{row.server_busy:.2f}",
                f"{row.driver_cpu * 1e6:.0f}",
                f"{row.driver_busy:.2f}",
                f"{row.others_busy:.2f}",
                f"{row.retries:.2f}",
            )
            for row in rows
        ],
    )


def curve(who: str, costs: Costs) -> Table:
    """A line for each thing, a column for each length, and the last in multiples of the first."""
    lengths = sorted({length for cost in costs.values() for length in cost})
    head = (f"{who}, ms (bytes) at log length", *(f"{length:,}" for length in lengths), "last / first")
    times = growth(costs)
    rows = [
        (
            what,
            *(f"{ms(cost[length][0])} ({cost[length][1]:,})" for length in lengths),
            f"{times[what]:.2f}",
        )
        for what, cost in costs.items()
    ]
    return Table(f"Cost and length of the log: {who}", head, rows)


def verification(found: Verified) -> Table:
    """How fast whole archives are verified."""
    head = (f"{found.archives} archives of Tribunal, {found.entries:,} entries", "entries/s", "µs/entry", "bytes/entry")
    size = f"{found.bytes / found.entries:,.0f}"
    rows = [(speed.what, f"{speed.rate:,.0f}", f"{1e6 / speed.rate:.1f}", size) for speed in found.speeds]
    return Table("Verification, one core", head, rows)


def disputes(found: Disputed) -> Table:
    """What it costs to take entries back, and what comes after it."""
    lengths = sorted(next(iter(found.costs.values())))
    head = ("µs, with entries of bargaining", *(f"{length:,}" for length in lengths), "last / first")
    rows = [
        (what, *(f"{cost[length] * 1e6:.0f}" for length in lengths), f"{cost[lengths[-1]] / cost[lengths[0]]:.2f}")
        for what, cost in found.costs.items()
    ]
    return Table("Disputes and length of the course", head, rows)


def folding(found: Disputed) -> Table:
    """How fast logs are folded in which entries were struck, and in which none were."""
    head = ("a log of", "events", "strikes", "events/s")
    rows = [(each.what, f"{each.events:,}", f"{each.strikes:,}", f"{each.rate:,.0f}") for each in found.folded]
    return Table("Folding, one core", head, rows)


def growth(costs: Mapping[str, Mapping[int, tuple[float, int]]]) -> dict[str, float]:
    """The time at the longest log in multiples of that at the shortest."""
    return {what: cost[max(cost)][0] / cost[min(cost)][0] for what, cost in costs.items() if cost}


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f}"


# --- Writing ------------------------------------------------------------------------------------------


def markdown(found: Found) -> str:
    """The section as Markdown."""
    plan = found.plan
    rows = [row.others_busy for row in found.rows]
    spoilt = (
        f" **Something else used up to {max(rows):.1f} cores meanwhile: not to be relied on.**"
        if max(rows, default=0.0) > QUIET
        else ""
    )
    how = (
        f"{plan.tables} tables of {plan.seats} seats, every seat on a socket of its own; medians of {plan.repeat}; "
        f"{plan.seconds:g} s each; servers and load generator in processes of their own on one machine, none pinned.{spoilt}"
    )
    return "\n\n".join([how, *(as_markdown(table) for table in tables(found))])


def as_markdown(table: Table) -> str:
    lines = [table.head, ["---"] + ["---:" for _ in table.head[1:]], *table.rows]
    if table.title in {"Measured on", "Not measured"}:
        lines[1] = ["---" for _ in table.head]
    return "\n".join(
        [
            f"### {table.title}",
            "",
            *("| " + " | ".join(cell.replace("|", "/") for cell in line) + " |" for line in lines),
        ]
    )


def write(file: Path, section: str) -> None:
    """Put the section between the markers; a file without them gets them at its end."""
    text = file.read_text() if file.exists() else "# Performance\n"
    if BEGIN not in text or END not in text:
        text = f"{text.rstrip()}\n\n{BEGIN}\n{END}\n"
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    file.write_text(f"{before}{BEGIN}\n\n{section}\n\n{END}{after}")
