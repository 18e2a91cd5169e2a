"""Runs the appender under strace: lists what it asks of the kernel, and lets chosen calls fail.

Only calls on the log's own files (and on the file into which the appender speaks) are seen, counted and hindered. All
calls on the log are made by one thread, and the appender asks for one entry after the other, so that every run makes
the same calls.
"""

import ast
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOG = "log.sqlite"
FILES = (LOG, f"{LOG}-wal", f"{LOG}-shm", f"{LOG}-journal", f"{LOG}.lock")
CALLS = ("write", "pwrite64", "fsync", "fdatasync", "ftruncate", "openat", "unlink")
SAID = "said"
ENTRIES = 14

_LINE = re.compile(r"(?P<thread>\d+) +(?P<call>\w+)\((?P<rest>.*)", re.DOTALL)
_RESUMED = re.compile(r"(?P<thread>\d+) +<\.\.\. \w+ resumed>")
_PATH = re.compile(r"\d+<(?P<path>[^>]*)>")
_DATA = re.compile(r'"(?P<data>(?:\\x[0-9a-f]{2})*)"(?:, (?P<size>\d+))?(?:, (?P<offset>\d+))?')


@dataclass(frozen=True)
class Call:
    """One call on one of the files."""

    name: str
    nth: int  # 1, 2, 3... among the calls of that name
    file: str
    data: bytes  # of a write
    at: int  # the offset of a write, the size of a truncation
    begun: int  # the line of the trace on which it was made
    done: int  # the line on which it had returned


def possible() -> bool:
    """Whether processes can be traced here."""
    if sys.platform != "linux" or not shutil.which("strace"):
        return False
    tried = subprocess.run(["strace", "-f", "-e", "trace=fsync", "true"], capture_output=True, check=False)
    return tried.returncode == 0


needs_strace = pytest.mark.skipif(not possible(), reason="strace is missing, or may not trace (ptrace)")


def run(folder: Path, options: Sequence[str] = ()) -> int:
    """Run the appender on a log in that folder, strace given more options; how it exited (-9: killed)."""
    said = folder / SAID
    paths = [option for name in (*FILES, SAID, ".") for option in ("-P", str((folder / name).resolve()))]
    command = ["strace", "-f", "-o", str(folder / "trace"), *paths, *options]
    asked = [sys.executable, "-m", "tests.events.appender", str(folder / LOG), "--each", str(ENTRIES), "--pages", "8"]
    with said.open("ab") as out:
        done = subprocess.run(
            [*command, *asked], cwd=ROOT, stdout=out, stderr=subprocess.PIPE, check=False, timeout=120
        )
    return done.returncode


def said(folder: Path) -> list[str]:
    """The lines that the appender has said, in all its runs."""
    return (folder / SAID).read_text().splitlines()


def acknowledged(folder: Path) -> list[int]:
    """The seqs that were acknowledged."""
    return [int(line.split()[1]) for line in said(folder) if " " in line]


def record(folder: Path) -> list[Call]:
    """Every call of an undisturbed run, with the bytes that were written."""
    assert run(folder, ["-y", "-xx", "-s", "8192", "-e", f"trace={','.join(CALLS)}"]) == 0
    return list(_calls((folder / "trace").read_text().splitlines()))


def _calls(lines: Sequence[str]) -> Iterator[Call]:
    count: Counter[str] = Counter()
    for number, line in enumerate(lines):
        if not (found := _LINE.match(line)):
            continue
        name, rest = found["call"], found["rest"]
        count[name] += 1
        done = number if "<unfinished" not in line else _resumed(lines, number, found["thread"])
        data, at = _content(name, rest)
        yield Call(name, count[name], _file(name, rest), data, at, number, done)


def _resumed(lines: Sequence[str], number: int, thread: str) -> int:
    for later in range(number + 1, len(lines)):
        if (found := _RESUMED.match(lines[later])) and found["thread"] == thread:
            return later
    return len(lines)


def _file(name: str, rest: str) -> str:
    if name in {"openat", "unlink"}:
        return Path(_bytes(_DATA.search(rest)["data"]).decode()).name
    return Path(_bytes_or_text(_PATH.match(rest)["path"])).name


def _content(name: str, rest: str) -> tuple[bytes, int]:
    if name == "ftruncate":
        return b"", int(rest.split(", ")[1].split(")", maxsplit=1)[0])
    if name not in {"write", "pwrite64"}:
        return b"", 0
    found = _DATA.search(rest)
    data = _bytes(found["data"])
    assert len(data) == int(found["size"])
    return data, int(found["offset"] or 0)


def _bytes(escaped: str) -> bytes:
    return ast.literal_eval(f'b"{escaped}"')


def _bytes_or_text(path: str) -> str:
    return _bytes(path).decode() if path.startswith("\\x") else path
