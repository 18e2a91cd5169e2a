"""Runs the load against every contender, turn by turn, so that the machine's moods meet all of them."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path

import msgspec

from bench.boardgame import Missing
from bench.contenders import Contender
from bench.figures import Row, Skipped, row_of
from bench.frames import Broken
from bench.load import Job, Result
from bench.servers import ROOT, Unstarted

SLACK = 120.0
"""Seconds for the load to open everything and to wait for what is late, beside what it measures."""


class Plan(msgspec.Struct, frozen=True):
    """How much of it."""

    seconds: float = 5.0
    tables: int = 32
    seats: int = 4
    repeat: int = 3
    warmup: float = 1.0


class Failed(Exception):  # noqa: N818  (what the load generator said)
    """The load did not come to its end."""


WHY = (
    Missing,
    Unstarted,
    Failed,
    Broken,
    OSError,
    LookupError,
    HTTPException,
    subprocess.SubprocessError,
    msgspec.MsgspecError,
)
"""What keeps a contender from being measured, without stopping the others."""


def plainly(problem: Exception) -> str:
    """The end of what it says, without the paths of this machine."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()] or [type(problem).__name__]
    said = lines[-1][:300]
    for place in (str(ROOT), sys.prefix, tempfile.gettempdir(), str(Path.home())):
        said = said.replace(place, "...")
    return said


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="comitium-bench-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def measure(contender: Contender, plan: Plan) -> Result:
    """One run: a fresh server, a fresh load."""
    with scratch() as folder, contender.start(folder) as server:
        doors = contender.doors(server.port, plan.tables, plan.seats) if contender.doors else []
        job = Job(
            contender.dialect,
            server.port,
            server.pid,
            doors,
            contender.game,
            plan.tables,
            plan.seats,
            plan.seconds,
            plan.warmup,
            contender.share,
        )
        return drive(job)


def drive(job: Job) -> Result:
    """The load, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.load"],
        input=msgspec.json.encode(job),
        capture_output=True,
        cwd=ROOT,
        timeout=2 * job.seconds + job.warmup + SLACK,
        check=False,
    )
    if done.returncode:
        raise Failed(done.stderr.decode(errors="replace").strip().rpartition("\n")[2][-500:])
    return msgspec.json.decode(done.stdout, type=Result)


def rounds(
    contenders: Sequence[Contender], plan: Plan, say: Callable[[Contender, int, str], None]
) -> tuple[list[Row], list[Skipped]]:
    """Every contender in every round; the medians of each, and who failed. `say` hears how far it is."""
    found: dict[str, list[Result]] = {contender.name: [] for contender in contenders}
    skipped: dict[str, Skipped] = {}
    for turn in range(plan.repeat):
        for contender in contenders:
            if contender.name in skipped:
                continue
            try:
                result = measure(contender, plan)
            except WHY as problem:
                skipped[contender.name] = Skipped(
                    contender.name, contender.label, f"run {turn + 1}: {plainly(problem)}"
                )
                say(contender, turn, f"skipped: {plainly(problem)}")
            else:
                found[contender.name].append(result)
                say(contender, turn, f"{result.closed.rate:,.0f} a second")
    rows = [row_of(who.name, who.label, found[who.name]) for who in contenders if found[who.name]]
    return rows, list(skipped.values())
