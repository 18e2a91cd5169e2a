"""Verdicts on promises once more, each looked up by itself: slow and plain, to hold the quick way against."""

from typing import Any

from games import core
from games.bargaining import Did, Paid, Promised
from games.table.state import Table, windows
from projections.story import Passage, Story

Verdict = tuple[str, tuple[int, ...]]


def plainly(story: Story) -> list[Verdict]:
    """Of every promise in order the verdict and what proves it."""
    counting = tuple(story.counting())
    return [
        _judged(story, counting, passage, event)
        for passage in story.passages
        for event in passage.body.events
        if isinstance(event, Promised)
    ]


def _judged(story: Story, counting: tuple[Passage, ...], passage: Passage, event: Any) -> Verdict:
    struck_by = story.struck_by(passage.seq)
    if struck_by is not None:
        return "void", (struck_by,)
    if event.does is None:
        return "uncheckable", ()
    later = tuple(
        each
        for each in counting
        if each.seq >= passage.seq and (each.before is None or each.after.past is not each.before.past)
    )
    return (_payment if event.kind is None else _deed)(story, later, event)


def _deed(story: Story, later: tuple[Passage, ...], event: Promised) -> Verdict:
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


def _payment(story: Story, later: tuple[Passage, ...], event: Promised) -> Verdict:
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
