"""Why the table service does not do what it was asked, besides the rules' own `Refused`. Nothing has changed."""

from games.core import Refused


class NoSuchTable(LookupError):  # noqa: N818  (the word for it)
    """Unknown, or not visible to who asks: the two must look alike."""


class Stale(Exception):  # noqa: N818  (it is said of a request)
    """The seat's asks have changed since the entry that the action was made for."""

    def __init__(self, expected: int, head: int) -> None:
        super().__init__(f"made for entry {expected}")
        self.expected = expected
        self.head = head


class LogForked(Exception):  # noqa: N818
    """The caller has seen entries that this log does not have."""

    def __init__(self, seen: int, head: int) -> None:
        super().__init__(f"entry {seen} was seen, the log ends at {head}")
        self.seen = seen
        self.head = head


class KeyReused(Exception):  # noqa: N818
    """The same idempotency key with another body."""


class InProgress(Exception):  # noqa: N818
    """A command with this key is running right now."""


class TableFrozen(Refused):
    """The rules failed at this table; it is readable and can be abandoned, nothing else."""

    def __init__(self) -> None:
        super().__init__("frozen")


class OutcomeUnknown(Exception):  # noqa: N818
    """The store did not say whether the entry is written: ask again with the same key, after so many seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"try again in {retry_after} s")
        self.retry_after = retry_after
