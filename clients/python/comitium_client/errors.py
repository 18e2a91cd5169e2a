# ruff: noqa: N818  (the wire's own words: an action is refused, a log is forked)
"""Everything that can go wrong, as one tree.

ComitiumError
  ApiProblem            the server answered with a problem document
    Malformed Unauthorized Forbidden NotFound Conflict Stale KeyReused Invalid RateLimited Internal Unavailable
      Conflict: Refused SeatTaken Frozen Disputed Ended OfferChanged InProgress
  Disconnected          no answer: whether the server acted is unknown, so send again with the same key
  Unreadable            an answer that this client cannot read
  Tampered              what the server shows contradicts its own hashes, receipts or earlier answers
    ReceiptMismatch LogForked LogShorter
    BrokenArchive       ForkedArchive and ShortArchive are also LogForked and LogShorter
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from comitium_client.models import Entry, Receipt

AGAIN = frozenset({429, 502, 503, 504})
"""The statuses after which the same request, with the same key, is worth sending again."""


class ComitiumError(Exception):
    """The root of the tree."""


class Disconnected(ComitiumError):
    """The connection failed or was closed before the answer came. `code`: the socket's close code, if there was one."""

    def __init__(self, reason: str, code: int | None = None) -> None:
        self.reason = reason
        self.code = code
        super().__init__(reason if code is None else f"{reason} (close code {code})")


class Unreadable(ComitiumError):
    """The answer is not what the contract says."""


class Tampered(ComitiumError):
    """The server's word contradicts itself. `receipts` and `shown`, an entry: the evidence at hand (`evidence_of`)."""

    def __init__(
        self,
        sentence: str,
        table: str = "",
        seq: int = 0,
        receipts: Sequence[Receipt] = (),
        shown: Entry | None = None,
    ) -> None:
        self.table = table
        self.seq = seq
        self.receipts = tuple(receipts)
        self.shown = shown
        super().__init__(sentence)


class ReceiptMismatch(Tampered):
    """A receipt is not signed by the server's key, or is for something else than the answer that it came with."""


class LogForked(Tampered):
    """The server shows, or has, another log than the one that it showed before."""


class LogShorter(Tampered):
    """The log ends before an entry for which the server has given a receipt."""


class BrokenArchive(Tampered):
    """An archive is not whole, or not what it says. `line`: where, from 1; `reason`: for programs, as docs/archive.md tells
    them.
    """

    def __init__(
        self, line: int, reason: str, sentence: str, table: str = "", receipts: Sequence[Receipt] = ()
    ) -> None:
        super().__init__(f"line {line}: {sentence}", table, line - 1, receipts)
        self.line = line
        self.reason = reason


class ForkedArchive(BrokenArchive, LogForked):
    """The archive tells another log than a receipt: what the server has signed for both is in `receipts`."""


class ShortArchive(BrokenArchive, LogShorter):
    """The archive ends before an entry for which there is a receipt. It may have been written before that."""


class ApiProblem(ComitiumError):
    """A problem document (RFC 9457). `extensions`: its members beyond the common ones."""

    codes: ClassVar[frozenset[str]] = frozenset()

    def __init__(
        self,
        status: int,
        code: str,
        detail: str = "",
        extensions: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        self.status = status
        self.code = code
        self.detail = detail
        self.extensions: Mapping[str, Any] = extensions or {}
        self.retry_after = retry_after
        super().__init__(f"{detail or code} ({status} {code})")

    @property
    def transient(self) -> bool:
        """Whether the same request may fare better in a moment."""
        return self.status in AGAIN or isinstance(self, InProgress | RateLimited | Unavailable)


class Malformed(ApiProblem):
    codes = frozenset({"malformed"})


class Unauthorized(ApiProblem):
    codes = frozenset({"unauthorized"})


class Forbidden(ApiProblem):
    codes = frozenset({"forbidden", "not_your_seat", "registration_closed"})


class NotFound(ApiProblem):
    """There is no such thing, or none that you may see."""

    codes = frozenset({"not_found"})


class Conflict(ApiProblem):
    """Not now: the table is in another state."""


class Refused(Conflict):
    """The rules or the table do not allow it."""

    codes = frozenset({"refused"})

    @property
    def reason(self) -> str | None:
        """The rules' or the table's code."""
        return self.extensions.get("reason")

    @property
    def asks(self) -> str | None:
        """A link to what is allowed."""
        return self.extensions.get("asks")


class SeatTaken(Conflict):
    codes = frozenset({"seat_taken"})


class Frozen(Conflict):
    codes = frozenset({"frozen"})


class Disputed(Conflict):
    codes = frozenset({"disputed"})


class Ended(Conflict):
    codes = frozenset({"ended"})


class OfferChanged(Conflict):
    codes = frozenset({"offer_changed"})


class InProgress(Conflict):
    """The first request with this key is still running."""

    codes = frozenset({"in_progress"})


class Stale(ApiProblem):
    """Your asks have changed since you last saw them."""

    codes = frozenset({"stale"})

    @property
    def expected(self) -> int | None:
        """The earliest entry that one must have seen to act now."""
        return self.extensions.get("expected")

    @property
    def head(self) -> int | None:
        """The last entry of the log."""
        return self.extensions.get("head")

    @property
    def missed(self) -> str | None:
        """A link to what happened in between."""
        return self.extensions.get("missed")


class KeyReused(ApiProblem):
    """The key was used for another request."""

    codes = frozenset({"key_reused"})


class Invalid(ApiProblem):
    codes = frozenset({"invalid"})


class RateLimited(ApiProblem):
    codes = frozenset({"rate_limited"})


class Internal(ApiProblem):
    codes = frozenset({"internal"})


class Unavailable(ApiProblem):
    """Whether the server acted is unknown: send again with the same key."""

    codes = frozenset({"unavailable"})


PROBLEMS: tuple[type[ApiProblem], ...] = (
    Malformed, Unauthorized, Forbidden, NotFound, Refused, SeatTaken, Frozen, Disputed, Ended, OfferChanged,
    InProgress, Stale, KeyReused, Invalid, RateLimited, Internal, Unavailable,
)  # fmt: skip

_BY_CODE = {code: kind for kind in PROBLEMS for code in kind.codes}
_BY_STATUS: Mapping[int, type[ApiProblem]] = {
    400: Malformed, 401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict, 412: ApiProblem, 422: Invalid,
    429: RateLimited, 500: Internal, 503: Unavailable,
}  # fmt: skip
_COMMON = frozenset({"type", "title", "status", "detail", "code"})


def problem(document: Mapping[str, Any], status: int = 0, retry_after: float | None = None) -> ApiProblem:
    """The problem that a document describes; a code that this client does not know goes by its status."""
    status = _whole(document.get("status")) or status
    code = str(document.get("code") or f"http_{status}")
    extensions = {name: value for name, value in document.items() if name not in _COMMON}
    told = extensions.get("retry_after")
    if retry_after is None and isinstance(told, int | float):
        retry_after = float(told)
    kind = _BY_CODE.get(code) or _BY_STATUS.get(status, ApiProblem)
    return kind(status, code, str(document.get("detail") or document.get("title") or ""), extensions, retry_after)


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0
