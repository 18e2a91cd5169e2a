"""What a verification says: a line for each check, and the first thing that does not hold."""

from typing import Literal

import msgspec

from events.archive import Audience

Name = Literal["chain", "versions", "adjudication", "draws", "signature", "receipts"]
NAMES: tuple[Name, ...] = ("chain", "versions", "adjudication", "draws", "signature", "receipts")

Status = Literal["passed", "failed", "not_checked"]


class Check(msgspec.Struct, frozen=True):
    """`checked`: how many entries it held for (of "draws" those that draw, of "signature" and "receipts" how many of them);
    `why`: the reason of a failure, or what could not be checked, or what the result rests on.
    """

    name: Name
    status: Status
    checked: int
    why: str | None


class Difference(msgspec.Struct, frozen=True):
    """Something does not hold. `seq`: the entry, 0 for the header; `line`: the line of the archive, if it is one."""

    check: Name
    seq: int
    line: int | None
    reason: str
    sentence: str


class Verification(msgspec.Struct, frozen=True):
    """What holds of a log. `ok`: nothing is wrong; what was not checked says so itself. `first`: the first that is wrong.

    `entries`: how many were read; `head`: the hash of the log up to there (hex). `table` and `audience` are None where not
    even a header could be read.
    """

    table: str | None
    audience: Audience | None
    entries: int
    head: str
    ok: bool
    checks: tuple[Check, ...]
    first: Difference | None

    def check(self, name: Name) -> Check:
        """The check of that name."""
        return next(check for check in self.checks if check.name == name)


class Wrong(Exception):  # noqa: N818  (it is said of the log)
    """Something does not hold: a reason for programs, a sentence for people. Neither tells what the log hides."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.sentence = sentence


class Findings:
    """What was counted and found so far. Of each check the first failure is kept."""

    def __init__(self) -> None:
        self.counts: dict[Name, int] = dict.fromkeys(NAMES, 0)
        self._failed: dict[Name, Difference] = {}

    def fail(self, name: Name, seq: int, line: int | None, wrong: Wrong) -> None:
        """Something does not hold."""
        self._failed.setdefault(name, Difference(name, seq, line, wrong.reason, wrong.sentence))

    def has_failed(self, name: Name) -> bool:
        """Whether something was wrong there."""
        return name in self._failed

    @property
    def first(self) -> Difference | None:
        """What was found first."""
        return next(iter(self._failed.values()), None)

    def check(self, name: Name, why: str | None = None, *, checked: bool = True) -> Check:
        """The line of that check: failed, or else passed or (not `checked`) not checked, with the reason `why`."""
        failure = self._failed.get(name)
        if failure is not None:
            return Check(name, "failed", self.counts[name], failure.reason)
        return Check(name, "passed" if checked else "not_checked", self.counts[name], why)
