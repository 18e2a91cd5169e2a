"""Starts a server in a process of its own on a free loopback port, and stops it by its pid."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 30.0
TICKS = os.sysconf("SC_CLK_TCK")


class Server(msgspec.Struct, frozen=True):
    """A server that runs."""

    port: int
    pid: int


class Unstarted(Exception):  # noqa: N818  (a fact about the server)
    """The server did not come up; the text is the end of what it printed."""


def free_port() -> int:
    """A port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serve(command: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Run the command (in which PORT stands for the port) in the folder until the block ends."""
    port = free_port()
    said = folder / "server.txt"
    argv = [word.replace("PORT", str(port)) for word in command]
    around = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **(env or {})}
    with said.open("wb") as out:
        child = subprocess.Popen(argv, stdout=out, stderr=out, cwd=folder, env=around)
    try:
        await_listening(child, port, said)
        yield Server(port, child.pid)
    finally:
        stop(child)


def await_listening(child: "subprocess.Popen[bytes]", port: int, said: Path) -> None:
    """Return once the port answers."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and child.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise Unstarted(said.read_text(errors="replace").strip()[-500:] or "it said nothing")


def stop(child: "subprocess.Popen[bytes]") -> None:
    """Ask it to end; after a while, end it."""
    if child.poll() is not None:
        return
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def cpu_seconds(pid: int) -> float:
    """What the process (all its threads) has used of the processor."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def machine_seconds() -> float:
    """What everything on the machine has used of the processors."""
    user, nice, system, _idle, _waiting, *rest = map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9])
    return (user + nice + system + sum(rest)) / TICKS
