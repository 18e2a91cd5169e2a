"""Rules run inside a bound: an endless loop in one game must not stop the others.

A watchdog thread looks at a clock that the deciding thread sets. On overrun it interrupts that thread: by a signal
when it is the main one (its handler runs between two bytecodes and raises there), else by an asynchronous exception.
Entering and leaving the bound costs a look at a clock and two assignments. What counts is the time that the thread has
worked, where the system tells it to others (Linux): on a busy machine a decision is not to blame for having to wait.
"""

import ctypes
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

T = TypeVar("T")


class Overrun(BaseException):
    """A decision took longer than it may. No `Exception`, so that rules which catch those do not catch this."""


class Bound:
    """Runs decisions of one thread, each for at most `seconds`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._since: float | None = None
        self._fired = False
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._target = threading.current_thread()
        self._clock: int | None = None
        self._watchdog: threading.Thread | None = None
        self._previous: object = None

    def start(self) -> None:
        """Starts the watchdog for the current thread."""
        self._target = threading.current_thread()
        self._clock = _clock_of(self._target)
        if self._target is threading.main_thread():
            self._previous = signal.signal(signal.SIGALRM, self._on_alarm)
        self._watchdog = threading.Thread(target=self._watch, name="rules-watchdog", daemon=True)
        self._watchdog.start()

    def stop(self) -> None:
        """Ends the watchdog."""
        self._closed.set()
        if self._watchdog is not None:
            self._watchdog.join()
        if self._target is threading.main_thread() and signal.getsignal(signal.SIGALRM) == self._on_alarm:
            signal.signal(signal.SIGALRM, self._previous or signal.SIG_DFL)  # type: ignore[arg-type]  # it came from signal.signal

    def run(self, work: Callable[[], T]) -> T:
        """The result of the work.

        Raises:
            Overrun: it took too long and was interrupted.
        """
        try:
            return self._run(work)
        except Overrun:
            self._since = None  # it may have come just before it was set there
            raise

    def _run(self, work: Callable[[], T]) -> T:
        self._since = self._now()
        try:
            return work()
        finally:
            self._since = None
            if self._fired:
                self._call_off()

    def _call_off(self) -> None:
        """The work is over, in time or not: an interruption that has not come yet must not hit what comes next."""
        with self._lock:
            self._fired = False
            if self._target is not threading.main_thread():
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._target.ident or 0), None)

    def _overdue(self) -> bool:
        since = self._since
        return since is not None and self._now() - since > self._seconds

    def _now(self) -> float:
        return time.monotonic() if self._clock is None else time.clock_gettime(self._clock)

    def _watch(self) -> None:
        while not self._closed.wait(self._seconds / 8):
            with self._lock:
                self._fired = True  # before the look, so that work which ends meanwhile waits for what comes of it
                self._fired = self._overdue()
                if self._fired:
                    self._interrupt()

    def _interrupt(self) -> None:
        ident = self._target.ident
        if ident is None:
            return
        if self._target is threading.main_thread():
            signal.pthread_kill(ident, signal.SIGALRM)
        else:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(Overrun))

    def _on_alarm(self, number: int, frame: FrameType | None) -> None:
        # The decision may have ended between the watchdog's look and this moment: then nothing happens. Or it is that of
        # another bound in this process, which set its handler before.
        if self._overdue():
            raise Overrun
        if callable(self._previous):
            self._previous(number, frame)


def _clock_of(thread: threading.Thread) -> int | None:
    """The clock of the time that the thread has worked; None where there is none that others can read."""
    if sys.platform != "linux" or thread.ident is None:
        return None
    return time.pthread_getcpuclockid(thread.ident)
