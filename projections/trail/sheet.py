"""The trail as CSV (RFC 4180), a row for each offer and gift. The file is for people with spreadsheets."""

import csv
import io
from collections.abc import Sequence
from typing import Any

from projections.trail.pieces import Bribe, Deed, Trail
from projections.trail.words import Speech, speech

COLUMNS = (
    "kind", "id", "turn", "payer", "payer_player", "payee", "payee_player", "amount", "paid", "window", "matter", "does",
    "times", "never", "versions", "made", "accepted", "ended", "how", "deeds", "about", "verdict", "decided", "wanted",
    "way", "without", "decisive", "broken", "struck_by",
)  # fmt: skip

RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet may take for a formula when a cell begins with it."""


def as_csv(trail: Trail, language: str = "en", names: Sequence[str] = ()) -> str:
    """The trail as a table with a header row. `names`: who sits where; without them seats are told by number.

    A cell that a spreadsheet could take for a formula begins with an apostrophe.

    Raises:
        ValueError: there are no words in that language.
    """
    told = speech(trail, language, names)
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\r\n")
    writer.writerow({column: _safe(told.say(f"column.{column}")) for column in COLUMNS})
    for bribe in trail.bribes:
        writer.writerow({column: _safe(value) for column, value in _row(told, bribe).items()})
    return out.getvalue()


def _safe(value: Any) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(RISKY) else text


def _row(told: Speech, bribe: Bribe) -> dict[str, Any]:
    return {**_deal(told, bribe), **_terms(told, bribe), **_decided(told, bribe)}


def _deal(told: Speech, bribe: Bribe) -> dict[str, Any]:
    """Who, whom, how much, and the entries."""
    return {
        "kind": told.say(f"kind.{bribe.kind}"), "id": bribe.id, "turn": told.turn(bribe.turn),
        "payer": told.seat(bribe.payer), "payer_player": bribe.payer_player,
        "payee": told.seat(bribe.payee), "payee_player": bribe.payee_player,
        "amount": bribe.amount, "paid": bribe.paid, "made": bribe.made, "accepted": bribe.accepted,
        "ended": bribe.ended, "how": told.say(f"how.{bribe.how or 'open'}"),
        "broken": ", ".join(map(str, bribe.broken)), "struck_by": bribe.struck_by,
    }  # fmt: skip


def _terms(told: Speech, bribe: Bribe) -> dict[str, Any]:
    """What for. A gift has none of it."""
    window = {} if bribe.window is None else {"window": bribe.window.id, "matter": told.matter(bribe.window.kind)}
    if bribe.terms is None:
        return window
    versions = [told.say("version", seq=each.seq, amount=each.amount, what=told.terms(each)) for each in bribe.versions]
    return {
        **window, "does": told.deed(bribe.terms.does), "times": bribe.terms.times,
        "never": None if bribe.terms.never is None else told.deed(bribe.terms.never),
        "versions": "\n".join(versions), "deeds": "\n".join(_deed(told, deed) for deed in bribe.deeds),
    }  # fmt: skip


def _deed(told: Speech, deed: Deed) -> str:
    what = told.deed(deed.deed)
    if deed.wanted:
        what = told.say("wanted", what=what)
    if deed.forbidden:
        what = told.say("forbidden", what=what)
    return told.say("at", seq=deed.seq, what=what)


def _decided(told: Speech, bribe: Bribe) -> dict[str, Any]:
    """What came of it."""
    decision = bribe.decision
    verdict: dict[str, Any] = {}
    if decision is not None:
        verdict = {"about": told.about(decision.about), "verdict": told.verdict(decision.verdict)}
        verdict["decided"] = decision.seq
    return {
        **verdict, "wanted": None if bribe.wanted is None else told.verdict(bribe.wanted),
        "way": None if bribe.way is None else told.say(f"way.{bribe.way}"),
        "without": None if bribe.without is None else told.verdict(bribe.without),
        "decisive": told.yes_no(bribe.decisive),
    }  # fmt: skip
