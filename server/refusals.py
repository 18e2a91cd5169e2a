"""From what went wrong inside to the wire's problems: one table, for REST and the socket."""

import logging
from collections.abc import Mapping
from typing import Any

import apsw

from events.store import Unavailable
from games.core import Refused
from server.access import Hidden, NoSpectators, NotYourSeat
from server.accounts import AccountRefused
from server.limits import whole_seconds
from server.problems import LANGUAGES, Code, Language, Problem
from server.tables.errors import InProgress, KeyReused, LogForked, NoSuchTable, OutcomeUnknown, Stale
from server.tables.live import LiveTable
from server.words import refusal

log = logging.getLogger("comitium.server")

OWN_PROBLEMS: dict[str, Code] = {
    "seat_taken": "seat_taken",
    "frozen": "frozen",
    "disputed": "disputed",
    "ended": "ended",
    "abandoned": "ended",
    "offer_changed": "offer_changed",
    "not_your_seat": "not_your_seat",
}
"""Refusals with a problem type of their own; all others are `refused`, with their code as `reason`."""


def problem_of(error: Exception, live: LiveTable | None = None) -> Problem:
    """The problem that says to the caller what the error means. What nobody expected is logged, and not shown."""
    known = expected(error, live)
    if known is None:
        log.error("unexpected", exc_info=error)
        return Problem("internal")
    return known


def expected(error: Exception, live: LiveTable | None = None) -> Problem | None:
    """The problem that the error stands for; None for an error of ours."""
    match error:
        case Problem():
            return error
        case Refused():
            return _refused(error, live)
        case Stale(expected=seen, head=head):
            missed = {} if live is None else {"missed": f"/v1/tables/{live.id}/log?after={seen}"}
            return problem("stale", "made_for_earlier", {"expected": seen, "head": head, **missed})
        case LogForked(seen=seen, head=head):
            return Problem("log_forked", "seen_beyond", seen=seen, head=head)
        case NoSuchTable() | Hidden():
            return Problem("not_found", "no_such_table")
        case NoSpectators():
            return Problem("forbidden", "no_spectators")
        case NotYourSeat():
            return Problem("not_your_seat", "not_your_sight")
        case KeyReused():
            return Problem("key_reused", "key_reused")
        case InProgress():
            return Problem("in_progress")
        case OutcomeUnknown(retry_after=wait) | Unavailable(retry_after=wait):
            return Problem("unavailable", "outcome_unknown", retry_after=wait, seconds=whole_seconds(wait))
        case AccountRefused():
            return problem(error.code, error.key, error.params)
        case apsw.Error():
            log.warning("accounts cannot be written: %s", type(error).__name__)
            return Problem("unavailable", retry_after=1)
        case _:
            return None


def _refused(error: Refused, live: LiveTable | None) -> Problem:
    game = None if live is None else live.rules.game
    said: dict[Language, str] = {lang: refusal(game, error, lang) for lang in LANGUAGES}
    code = OWN_PROBLEMS.get(error.code, "refused")
    asks = {} if live is None else {"asks": f"/v1/tables/{live.id}/asks"}
    return problem(code, said, {**error.params, **asks, "reason": error.code})


def problem(code: Code, detail: str | Mapping[Language, str], extensions: Mapping[str, Any]) -> Problem:
    """A problem whose extensions come from elsewhere."""
    return Problem(code, detail, **extensions)
