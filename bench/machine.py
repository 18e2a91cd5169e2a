"""What it was measured on."""

import datetime as dt
import os
import platform
import shutil
import sqlite3
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.boardgame import SHOWN, versions

OURS = ("litestar", "uvicorn", "uvloop", "httptools", "websockets", "msgspec", "apsw", "cryptography")


def machine(busy: float) -> list[tuple[str, str]]:
    """Machine, systems and versions, as (what, which). `busy`: the load average before anything was measured."""
    peers = versions(*SHOWN)
    return [
        ("date", dt.datetime.now(dt.UTC).date().isoformat()),
        ("processor", f"{processor()}, {os.cpu_count()} cores"),
        ("load before", f"{busy:.1f} processes: anything but idle spoils the figures"),
        ("memory", memory()),
        ("system", f"{platform.system()} {platform.release().partition('-')[0]}"),
        ("Python", f"{platform.python_version()} with {', '.join(map(packaged, OURS))}"),
        ("SQLite", sqlite()),
        ("node", node()),
        ("peer", ", ".join(f"{name} {number}" for name, number in peers.items()) or "not installed"),
    ]


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def memory() -> str:
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"


def packaged(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"no {name}"


def sqlite() -> str:
    """The one that the store uses."""
    try:
        import apsw  # noqa: PLC0415  (a machine without it can still measure the peers)
    except ImportError:
        return f"{sqlite3.sqlite_version} (the system's)"
    return apsw.sqlite_lib_version()


def node() -> str:
    if shutil.which("node") is None:
        return "not installed"
    return subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
