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

import msgspec

from games.core import Partial, Seat
from projections.keeping import Given, Judge, Word
from projections.story import Story

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
    judge = Judge(story)
    for passage in story.passages:
        judge.take(passage)
    judge.end()
    return tuple([_kept(story, given) for given in judge.given])


def record_of(promises: Sequence[Kept]) -> Mapping[Word, int]:
    """How many there are of each verdict."""
    return Counter(promise.verdict for promise in promises)


def _kept(story: Story, given: Given) -> Kept:
    event = given.event
    return Kept(
        event.promise, event.by, event.to, event.text, event.does, event.kind, given.seq, given.player, given.verdict,
        given.proof, story.struck_by(given.seq),
    )  # fmt: skip
