"""What can be measured, in the form that Prometheus reads.

Each app counts for itself: nothing is kept in the library's global registry. Labels come from closed lists, never from
an id or from what a user sent, so the number of series is fixed. Every labelled child is made at the start: counting
costs an addition, and a series is there, as zero, before its first event.
"""

from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from server.problems import CODES, Code

Transport = Literal["rest", "socket", "server"]
"""What a command came by; `server`: the clock, and the start of a game."""

Result = Literal["accepted", "replayed"] | Code
"""What became of a command: done, done before, or the code of the problem."""

Status = Literal["open", "playing", "disputed", "frozen", "ended", "abandoned"]
Freeze = Literal["error", "overtime"]
"""Why a table is frozen: the rules failed, or thought for too long."""

RESULTS: tuple[Result, ...] = ("accepted", "replayed", *CODES)

_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Metrics:
    """The counters of one app."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        commands = self._counter(
            "commands", "Commands by what they came by and what became of them.", "transport", "result"
        )
        seconds = self._histogram("command_seconds", "From a command's arrival to its answer.", _SECONDS, "transport")
        self._commands = {(t, r): commands.labels(t, r) for t in get_args(Transport) for r in RESULTS}
        self._seconds = {t: seconds.labels(t) for t in get_args(Transport)}
        problems = self._counter("problems", "Problems sent, by code.", "code")
        self._problems = {code: problems.labels(code) for code in CODES}
        self._batch = self._histogram("append_batch_entries", "Entries that became durable together.", _BATCHES)
        self._entries = self._counter("log_entries", "Entries appended to the log by this process.")
        self._sockets = self._gauge("sockets_open", "Sockets and streams that are open.")
        self._frames = self._counter("frames_sent", "Frames sent to sockets and streams.")
        self._slow = self._counter("slow_readers_closed", "Sockets and streams closed because they read too slowly.")
        tables = self._gauge("tables", "Tables that this process has loaded, by status.", "status")
        self._tables = {status: tables.labels(status) for status in get_args(Status)}
        frozen = self._counter("tables_frozen", "Tables frozen since the start, by what went wrong.", "why")
        self._frozen = {why: frozen.labels(why) for why in get_args(Freeze)}

    def command(self, transport: Transport, result: Result, seconds: float) -> None:
        """A command was answered, so long after it came."""
        self._commands[transport, result].inc()
        self._seconds[transport].observe(seconds)

    def problem(self, code: Code) -> None:
        """A problem was sent."""
        self._problems[code].inc()

    def appended(self, entries: int) -> None:
        """So many entries became durable in one commit."""
        self._batch.observe(entries)
        self._entries.inc(entries)

    def socket_opened(self) -> None:
        """A socket or stream was opened."""
        self._sockets.inc()

    def socket_closed(self, *, slow: bool = False) -> None:
        """A socket or stream is closed; `slow`: because it did not read."""
        self._sockets.dec()
        if slow:
            self._slow.inc()

    def sent(self, frames: int = 1) -> None:
        """Frames went out; count those of one entry together."""
        self._frames.inc(frames)

    def table(self, before: Status | None, after: Status | None) -> None:
        """A table's status changed. None before: it was loaded; None after: it was put away."""
        if before is not None:
            self._tables[before].dec()
        if after is not None:
            self._tables[after].inc()

    def frozen(self, why: Freeze) -> None:
        """A table was frozen (besides the change of its status)."""
        self._frozen[why].inc()

    def render(self) -> tuple[bytes, str]:
        """Everything, and its content type."""
        return generate_latest(self._registry), CONTENT_TYPE_LATEST

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, namespace="comitium", registry=self._registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(name, text, labels, namespace="comitium", registry=self._registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(name, text, labels, namespace="comitium", registry=self._registry, buckets=buckets)
