"""No cut of the power loses an acknowledged entry.

SIGKILL proves nothing about fsync, since what a process has written survives it in the kernel's memory. So a run is
recorded call by call, and the disk is played back as a cut of the power at any moment could leave it: all that was
synced is there; of what was written since, each 512-byte sector may be there or not. On every such disk the log must
open, be whole, and hold every entry that had been acknowledged at that moment.
"""

import asyncio
import random

import pytest

from events.entry import FULL
from events.sqlite import SqliteStore
from tests.events import tracing
from tests.events.samples import check_log, table, versions

SECTOR = 512
WAL = f"{tracing.LOG}-wal"
ON_DISK = (tracing.LOG, WAL, f"{tracing.LOG}-journal")  # not -shm, which is memory and made anew

pytestmark = tracing.needs_strace


class Disk:
    """Files as they are, and as the disk surely has them."""

    def __init__(self, files=None, synced=None):
        self.files = files or {}
        self.synced = synced or {}
        self.pending = []

    def apply(self, call):
        match call.name:
            case "openat":
                # Its name is in a synced folder before anything is acknowledged: a test below shows it.
                self.files.setdefault(call.file, b"")
                self.synced.setdefault(call.file, b"")
            case "pwrite64" | "ftruncate":
                self.files[call.file] = changed(self.files[call.file], call)
                self.pending.append(call)
            case "fdatasync" | "fsync" if call.file in self.files:
                # Only what was written through this disk: the kernel forgets what it once failed to sync.
                for written in self.pending:
                    if written.file == call.file:
                        self.synced[call.file] = changed(self.synced[call.file], written)
                self.pending = [other for other in self.pending if other.file != call.file]
            case "unlink":
                for files in (self.files, self.synced):
                    files.pop(call.file, None)
                self.pending = [other for other in self.pending if other.file != call.file]

    def after_a_cut(self, survives):
        """The files when the power is cut now; `survives(call)` says how much of an unsynced call the disk has."""
        files = dict(self.synced)
        for call in self.pending:
            files[call.file] = survives(files[call.file], call)
        return files


def changed(content, call):
    if call.name == "ftruncate":
        return content[: call.at].ljust(call.at, b"\0")
    return content[: call.at].ljust(call.at, b"\0") + call.data + content[call.at + len(call.data) :]


def nothing(content, _call):
    return content


def some_sectors(seed):
    """Each sector of each unsynced write is there or not, as the seed has it."""
    luck = random.Random(seed)

    def survives(content, call):
        if call.name == "ftruncate":
            return changed(content, call) if luck.random() < 0.5 else content
        whole = changed(content, call)
        for at in range(call.at // SECTOR * SECTOR, call.at + len(call.data), SECTOR):
            if luck.random() < 0.5:
                whole = whole[:at] + content[at : at + SECTOR].ljust(SECTOR, b"\0") + whole[at + SECTOR :]
        return whole

    return survives


def cuts(calls, disk):
    """Before every call and after everything said: the disk, and what had been said until then."""
    said = []
    for call in sorted(calls, key=lambda call: call.begun if call.file == tracing.SAID else call.done):
        if call.file in ON_DISK:
            yield disk, said
            disk.apply(call)
        elif call.file == tracing.SAID and call.name == "write":
            said.append(call.data.decode().strip())
            yield disk, said


async def entries_on(files, folder):
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    store = await SqliteStore.open(folder / tracing.LOG)
    log = await store.read(table(1))
    check_log(log)
    assert [item.position for item in await store.feed(0)] == list(range(1, len(log) + 1))
    await store.close()
    return len(log)


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    return tracing.record(tmp_path_factory.mktemp("recorded"))


def check(calls, ways, folder):
    number = 0
    for disk, said in cuts(calls, Disk()):
        acknowledged = sum(" " in line for line in said)
        for survives in ways:
            number += 1
            files = disk.after_a_cut(survives)
            if tracing.LOG in files:
                kept = asyncio.run(entries_on(files, folder / str(number)))
                assert acknowledged <= kept <= acknowledged + 1, f"cut {number}"
    return number


def test_what_was_not_synced_is_lost_and_nothing_else(calls, tmp_path):
    assert check(calls, [nothing], tmp_path) > 100


def test_what_was_not_synced_is_there_or_not_or_torn(calls, tmp_path):
    assert check(calls, [some_sectors(1)], tmp_path) > 100


@pytest.mark.soak
def test_what_was_not_synced_is_there_or_not_or_torn_in_many_ways(calls, tmp_path):
    check(calls, [some_sectors(seed) for seed in range(2, 30)], tmp_path)


def test_an_entry_is_written_then_synced_then_acknowledged(calls):
    """For every acknowledgment there is a sync that began after the entry was written and returned before it was said."""
    log = [call for call in calls if call.file == WAL]
    said = [call for call in calls if call.file == tracing.SAID and b" " in call.data]
    for seq, ack in enumerate(said, 1):
        text = versions(table(1), seq)[FULL]
        written = next(call for call in log if call.name == "pwrite64" and text in call.data)
        synced = next(call for call in log if call.name == "fdatasync" and call.begun > written.done)
        assert ack.data == f"{table(1)} {seq}\n".encode()
        assert written.done < synced.begun <= synced.done < ack.begun
    assert len(said) == tracing.ENTRIES


def test_a_new_file_is_in_its_folder_before_anything_is_acknowledged(calls):
    created = [call.begun for call in calls if call.name == "openat" and call.file in (tracing.LOG, WAL)]
    folder_synced = [
        call.done for call in calls if call.name in {"fsync", "fdatasync"} and call.file not in tracing.FILES
    ]
    said = [call.begun for call in calls if call.file == tracing.SAID and b" " in call.data]
    assert min(created) < max(folder_synced) < min(said)


def test_what_an_earlier_process_failed_to_sync_is_on_disk_before_it_is_shown(tmp_path):
    """After a failed fsync the kernel still shows what the disk does not have, and forgets that it has not."""
    folder = tmp_path / "left"
    folder.mkdir()
    tracing.run(folder, ["-e", "trace=fdatasync", "-e", "inject=fdatasync:signal=9:when=16"])
    left = {name: (folder / name).read_bytes() for name in (tracing.LOG, WAL)}
    shown = asyncio.run(entries_on(left, tmp_path / "shown"))
    assert shown > asyncio.run(entries_on({**left, WAL: b""}, tmp_path / "without"))
    for number, (disk, said) in enumerate(cuts(tracing.record(folder), Disk(dict(left), {**left, WAL: b""}))):
        if said:
            assert asyncio.run(entries_on(disk.after_a_cut(nothing), tmp_path / str(number))) >= shown


def test_the_playback_ends_where_the_run_ended(calls, tmp_path):
    disk = Disk()
    for call in sorted(calls, key=lambda call: call.done):
        if call.file in ON_DISK:
            disk.apply(call)
    assert set(disk.files) == {tracing.LOG}  # a clean end leaves one file
    assert asyncio.run(entries_on(disk.files, tmp_path / "end")) == tracing.ENTRIES


def test_a_log_that_is_not_synced_would_be_found_out(calls, tmp_path):
    """The test of the test: without its syncs the same run does lose what it acknowledged."""
    unsynced = [call for call in calls if not (call.file == WAL and call.name == "fdatasync")]
    with pytest.raises(AssertionError):
        check(unsynced, [nothing], tmp_path)
