"""Promises and what became of them. A promise binds nobody; this is where one reads whether it was kept.

*Words alone* cannot be checked. A promise *with a kind of decision* falls due in the promiser's next decision of that kind
that opens or is open when he promises: it is kept by the first deed of his in it, after the promise, that is as described, and
broken when that decision is over without one. A promised *payment* falls due when the trial or turn is over in which it was
promised: it is kept when what the promiser has paid since then, to whom he said, reaches the amount (any payment, where no amount is
named), and broken when the time is over without it. What the end of the table overtakes before the decision ever came is void,
and so is a promise whose own entry is struck. Only entries that count prove anything.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from games import core
from games.bargaining import Did, Paid, Promised
from games.core import Partial, Seat
from games.table.state import Table, windows
from projections.story import Passage, Story

Word = Literal["kept", "broken", "open", "void", "uncheckable"]

PAY = "pay"


class Kept(msgspec.Struct, frozen=True):
    """A promise with its verdict. `player`: who held the seat when it promised; `proof`: the entries that prove it."""

    id: int
    by: Seat
    to: Seat
    text: str
    does: Partial | None
    kind: str | None
    seq: int
    player: str | None
    verdict: Word
    proof: tuple[int, ...]
    struck_by: int | None


def verdicts(story: Story) -> tuple[Kept, ...]:
    """Every promise ever made, in order."""
    counting = tuple(story.counting())
    return tuple(
        _kept(story, counting, passage, event)
        for passage in story.passages
        for event in passage.body.events
        if isinstance(event, Promised)
    )


def record_of(promises: Sequence[Kept]) -> Mapping[Word, int]:
    """How many there are of each verdict."""
    return Counter(promise.verdict for promise in promises)


def _kept(story: Story, counting: tuple[Passage, ...], passage: Passage, event: Promised) -> Kept:
    struck_by = story.struck_by(passage.seq)
    if struck_by is not None:
        verdict: tuple[Word, tuple[int, ...]] = "void", (struck_by,)
    elif event.does is None:
        verdict = "uncheckable", ()
    else:
        later = tuple(each for each in counting if each.seq >= passage.seq)
        judge = _payment if event.kind is None else _deed
        verdict = judge(story, later, event)
    player = passage.after.record.holders[event.by].player
    return Kept(
        event.promise, event.by, event.to, event.text, event.does, event.kind, passage.seq, player, *verdict, struck_by
    )


def _deed(story: Story, later: tuple[Passage, ...], event: Promised) -> tuple[Word, tuple[int, ...]]:
    """The verdict on a deed that was promised; `later` begins with the promise itself."""
    window: str | None = None
    for place, passage in enumerate(later):
        for did in passage.body.events if place else ():
            if (
                isinstance(did, Did)
                and did.seat == event.by
                and window in (None, did.window)
                and did.kind == event.kind
            ):
                window = did.window
                if core.covers(event.does or {}, did.deed):
                    return "kept", (passage.seq,)
        now_open = _open(story, passage.after, event)
        if window is None:
            window = now_open[0] if now_open else None
        elif window not in now_open:
            return "broken", (passage.seq,)
    if not story.table.over:
        return "open", ()
    return ("void", (story.table.seq,)) if window is None else ("broken", (story.table.seq,))


def _open(story: Story, table: Table, event: Promised) -> tuple[str, ...]:
    """The promiser's decisions of that kind that are open."""
    return tuple(
        window.id
        for window in windows(story.rules, table.course)
        if window.open and window.kind == event.kind and event.by in window.deciders
    )


def _payment(story: Story, later: tuple[Passage, ...], event: Promised) -> tuple[Word, tuple[int, ...]]:
    """The verdict on chips that were promised; `later` begins with the promise itself."""
    does = event.does or {}
    due, wanted, to = _turn(story, later[0].after), does.get("amount", 1), does.get("to", event.to)
    paid = 0
    proof: list[int] = []
    for passage in later[1:]:
        gifts = [each for each in passage.body.events if isinstance(each, Paid) and each.payer == event.by]
        chips = sum(gift.amount for gift in gifts if gift.payee == to)
        if chips:
            paid, proof = paid + chips, [*proof, passage.seq]
        if paid >= wanted:
            return "kept", tuple(proof)
        if _turn(story, passage.after) != due:
            return "broken", (*proof, passage.seq)
    return ("broken", (*proof, story.table.seq)) if story.table.over else ("open", tuple(proof))


def _turn(story: Story, table: Table) -> str | None:
    return None if table.course.game is None else story.rules.turn(table.course.game)
