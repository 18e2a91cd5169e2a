"""`make bench`: measures our server and its peers in one run, prints the figures and writes them down.

Exits with 0 whatever the figures are: a budget is a figure to read, not a test.
"""

import argparse
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table as Drawn

from bench import curve, report
from bench.contenders import CONTENDERS, Contender
from bench.curve import Costs
from bench.disputes import disputed
from bench.figures import Skipped
from bench.machine import machine
from bench.runs import WHY, Plan, plainly, rounds
from bench.servers import ROOT
from bench.verify import verified

GROUPS = ("ours", "echo", "boardgame", "curve", "verify", "disputes")
WIDTH = 150
"""Columns where nobody looks: a file, a pipe."""
RAW = ROOT / ".bench" / "last.json"

CURVES: Sequence[tuple[str, Callable[[], Costs]]] = (
    ("Comitium", curve.ours),
    ("boardgame.io, in memory", partial(curve.boardgame, flat=False)),
    ("boardgame.io, flat files", partial(curve.boardgame, flat=True)),
)


def arguments() -> argparse.Namespace:
    plan = Plan()
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--seconds", type=float, default=plan.seconds, help="a measurement (default: %(default)s)")
    parser.add_argument("--tables", type=int, default=plan.tables)
    parser.add_argument("--seats", type=int, default=plan.seats)
    parser.add_argument("--repeat", type=int, default=plan.repeat, help="runs; the figures are medians")
    parser.add_argument("--only", choices=GROUPS, action="append", help="may be given several times")
    parser.add_argument("--write", type=Path, help="default: docs/performance.md, with --only nothing")
    return parser.parse_args()


def main() -> None:
    """Measure, print, write."""
    asked, console = arguments(), Console()
    console = console if console.is_terminal else Console(width=WIDTH)
    plan = Plan(asked.seconds, asked.tables, asked.seats, asked.repeat)
    groups = asked.only or GROUPS
    busy = os.getloadavg()[0]
    found = measured(plan, groups, console, busy)
    for table in report.tables(found):
        console.print(drawn(table))
    RAW.parent.mkdir(exist_ok=True)
    RAW.write_bytes(msgspec.json.format(msgspec.json.encode(found)))
    file = asked.write or (None if asked.only else ROOT / "docs" / "performance.md")
    if file:
        report.write(file, report.markdown(found))
        console.print(f"written to {file}")


def measured(plan: Plan, groups: Sequence[str], console: Console, busy: float) -> report.Found:
    """Everything that was asked for, with what could not be had."""
    contenders = [contender for contender in CONTENDERS if contender.group in groups]
    wanted = CURVES if "curve" in groups else ()
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=console
    )
    with bar:
        task = bar.add_task("load", total=len(contenders) * plan.repeat)

        def say(contender: Contender, turn: int, what: str) -> None:
            bar.console.print(f"run {turn + 1}: {contender.label}: {what}")
            bar.advance(task)

        rows, skipped = rounds(contenders, plan, say)
        curves, missed = curves_of(wanted, bar)
    archives = verified() if "verify" in groups else None
    quarrels = disputed() if "disputes" in groups else None
    return report.Found(plan, machine(busy), rows, [*skipped, *missed], curves, archives, quarrels)


def curves_of(
    wanted: Sequence[tuple[str, Callable[[], Costs]]], bar: Progress
) -> tuple[dict[str, Costs], list[Skipped]]:
    """The cost curves, one after another."""
    curves: dict[str, Costs] = {}
    skipped = []
    task = bar.add_task("curve", total=len(wanted))
    for who, draw in wanted:
        try:
            curves[who] = draw()
        except WHY as problem:
            skipped.append(Skipped(f"curve {who}", f"cost curve of {who}", plainly(problem)))
        bar.console.print(f"cost curve: {who}: {'done' if who in curves else 'skipped'}")
        bar.advance(task)
    return curves, skipped


def drawn(table: report.Table) -> Drawn:
    """The table for the terminal."""
    made = Drawn(title=table.title, title_justify="left")
    for place, head in enumerate(table.head):
        made.add_column(head, justify="right" if place and table.title != "Measured on" else "left")
    for row in table.rows:
        made.add_row(*row)
    return made


if __name__ == "__main__":
    main()
