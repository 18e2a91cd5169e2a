"""Every call that the store makes on its files fails once, and once the process is killed there.

The way of Tessera's fault tests: list the calls of a short run, then repeat the run once for each of them, and check
the log that is left.
"""

import asyncio
import signal
from dataclasses import dataclass

import pytest

from events.sqlite import SqliteStore
from events.store import Appended
from tests.events import tracing
from tests.events.samples import check_log, command, entry, table

ONE = table(1)
WRITES = {"pwrite64", "ftruncate"}
PARTS = 6
SAMPLED_PER_PART = 6
CANNOT_OPEN = 3


@dataclass(frozen=True)
class Fault:
    """What happens at one call."""

    call: tracing.Call
    effect: str

    @property
    def option(self):
        return f"inject={self.call.name}:{self.effect}:when={self.call.nth}"

    def __str__(self):
        return f"{self.call.name} {self.call.nth} on {self.call.file}: {self.effect}"


def faults(calls):
    found = []
    for call in calls:
        if call.file in tracing.FILES:
            found += [Fault(call, "error=EIO"), Fault(call, f"signal={signal.SIGKILL.value}")]
            found += [Fault(call, "error=ENOSPC")] * (call.name in WRITES)
    return found


@pytest.fixture(scope="module")
def every_fault(tmp_path_factory):
    return faults(tracing.record(tmp_path_factory.mktemp("undisturbed")))


async def inspect(folder):
    """Open the log that is left, check it, and append to it; the entries that were there."""
    store = await SqliteStore.open(folder / tracing.LOG)
    log = await store.read(ONE)
    check_log(log)
    for kept in log:
        assert kept == entry(ONE, kept.seq, log[kept.seq - 2].head if kept.seq > 1 else bytes(32))
        assert (await store.find(command(ONE, kept.seq))).seq == kept.seq
    assert [item.position for item in await store.feed(0)] == list(range(1, len(log) + 1))
    following = entry(ONE, len(log) + 1, log[-1].head if log else bytes(32))
    assert await store.append(ONE, len(log), following, command(ONE, following.seq)) == Appended(following.seq)
    await store.close()
    return log


def suffer(fault, folder):
    folder.mkdir()
    code = tracing.run(folder, ["-e", f"trace={','.join(tracing.CALLS)}", "-e", fault.option])
    acknowledged = tracing.acknowledged(folder)
    log = asyncio.run(inspect(folder))
    assert acknowledged == list(range(1, len(acknowledged) + 1))
    assert len(acknowledged) <= len(log) <= len(acknowledged) + 1
    if "signal" in fault.effect:
        assert code == -signal.SIGKILL
    else:
        assert "(INJECTED)" in (folder / "trace").read_text()
        # It could not open the log, or it went on after the fault and finished what it was asked.
        assert (code, len(acknowledged)) in {(CANNOT_OPEN, 0), (0, tracing.ENTRIES)}


def suffer_all(chosen, folder):
    for number, fault in enumerate(chosen):
        try:
            suffer(fault, folder / str(number))
        except AssertionError as error:
            raise AssertionError(f"{fault}: {error}") from error


@tracing.needs_strace
@pytest.mark.parametrize("part", range(PARTS))
def test_a_fault_leaves_the_log_whole(every_fault, part, tmp_path):
    step = max(len(every_fault) // (PARTS * SAMPLED_PER_PART), 1)
    suffer_all(every_fault[part * step :: step * PARTS], tmp_path)


@tracing.needs_strace
@pytest.mark.soak
@pytest.mark.parametrize("part", range(8))
def test_every_fault_leaves_the_log_whole(every_fault, part, tmp_path):
    suffer_all(every_fault[part::8], tmp_path)
