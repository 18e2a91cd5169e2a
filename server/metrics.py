"""What can be measured, in the form that Prometheus reads.

Each app counts for itself: nothing is kept in the library's global registry. Labels come from closed lists, never from
an id or from what a user sent, so the number of series is fixed. Every labelled child is made at the start: counting
costs an addition, and a series is there, as zero, before its first event. What is counted for every frame or entry is a
plain number here, which is read when somebody asks.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from games.core import tag_of
from games.table.actions import Freeze
from games.table.house import Status
from projections import codec
from server.problems import CODES, Code
from server.tables.history import Step
from server.tables.live import LiveTable
from server.tables.service import FreezeReason

Transport = Literal["rest", "socket", "server"]
"""What a command came by; `server`: what the server does by itself, for a clock that has run out or a vacant seat."""

Result = Literal["accepted", "replayed"] | Code
"""What became of a command: done, done before, or the code of the problem."""

RESULTS: tuple[Result, ...] = ("accepted", "replayed", *CODES)

NAMESPACE = "comitium"

_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class Metrics:
    """The counters of one app. `tables` says how many there are by status; `frames`: how many were sent."""

    def __init__(self, tables: Callable[[], Mapping[Status, int]] = dict) -> None:
        self.tables = tables
        self.frames = 0
        self.entries = 0
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._registry.register(_Figures(self))
        commands = self._counter(
            "commands", "Commands by what they came by and what became of them.", "transport", "result"
        )
        seconds = self._histogram("command_seconds", "From a command's arrival to its answer.", _SECONDS, "transport")
        self._commands = {(t, r): commands.labels(t, r) for t in get_args(Transport) for r in RESULTS}
        self._seconds = {t: seconds.labels(t) for t in get_args(Transport)}
        problems = self._counter("problems", "Problems told to callers, by code.", "code")
        self._problems = {code: problems.labels(code) for code in CODES}
        self._sockets = self._gauge("sockets_open", "Sockets and streams that are open.")
        self._slow = self._counter("slow_readers_closed", "Sockets and streams closed because they read too slowly.")
        frozen = self._counter("tables_frozen", "Tables frozen since the start, by what went wrong.", "reason")
        self._frozen = {reason: frozen.labels(reason) for reason in get_args(FreezeReason)}

    def command(self, transport: Transport, result: Result, seconds: float) -> None:
        """A command was answered, so long after it came."""
        self._commands[transport, result].inc()
        self._seconds[transport].observe(seconds)

    def problem(self, code: Code) -> None:
        """A problem was told to a caller."""
        self._problems[code].inc()

    def socket_opened(self) -> None:
        """A socket or stream was opened."""
        self._sockets.inc()

    def socket_closed(self, *, slow: bool = False) -> None:
        """A socket or stream is closed; `slow`: because it did not read."""
        self._sockets.dec()
        if slow:
            self._slow.inc()

    def note(self, live: LiveTable, step: Step) -> None:
        """A step at a table. That of a table which was merely loaded is none of its history, and counts for nothing."""
        if live.history.last is not step:
            return
        self.entries += 1
        if step.after.table.status == "frozen" and step.before is not None and step.before.table.status != "frozen":
            action = codec.action_in(step.entry.versions["full"])
            if action["type"] == tag_of(
                Freeze
            ):  # else this server cannot read the entry, which is no fault of its rules
                self.frozen(action["reason"])

    def frozen(self, reason: FreezeReason) -> None:
        """A table was frozen."""
        self._frozen[reason].inc()

    def render(self) -> tuple[bytes, str]:
        """Everything, and its content type."""
        return generate_latest(self._registry), CONTENT_TYPE_LATEST

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, namespace=NAMESPACE, registry=self._registry)

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(name, text, labels, namespace=NAMESPACE, registry=self._registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(name, text, labels, namespace=NAMESPACE, registry=self._registry, buckets=buckets)


class _Figures(Collector):
    """What is read when somebody asks."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        metrics = self._metrics
        entries = "Entries that became durable since the start."
        frames = "Messages written to sockets and streams: frames, answers and problems."
        yield CounterMetricFamily(f"{NAMESPACE}_log_entries", entries, metrics.entries)
        yield CounterMetricFamily(f"{NAMESPACE}_frames_sent", frames, metrics.frames)
        tables = GaugeMetricFamily(f"{NAMESPACE}_tables", "All tables of the log, by status.", labels=["status"])
        found = metrics.tables()
        for status in get_args(Status):
            tables.add_metric([status], found.get(status, 0))
        yield tables
