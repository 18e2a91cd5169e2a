"""Whether promises are kept: by one look at each entry, so that who judges a long log may stop for breath in between.
What the verdicts mean stands in `projections.promises`.

Which entries count is known only at the end, so the story has to be whole; then its passages are taken one by one.
"""

from collections.abc import Mapping
from typing import Any, Literal

from games.bargaining import Did, Paid, Promised
from games.core import Seat, covers
from games.table.state import windows
from projections.story import Passage, Story

Word = Literal["kept", "broken", "open", "void", "uncheckable"]

Open = Mapping[tuple[str, Seat], tuple[str, ...]]
"""The decisions that are open, by their kind and who decides."""


class Given:
    """A promise of entry `seq`, who held the seat when it was made, and its verdict as far as the entries tell that were
    taken; `proof`: those that prove it.
    """

    def __init__(self, seq: int, player: str | None, event: Promised, due: str | None) -> None:
        """`due`: the trial or turn in which it was made."""
        self.seq = seq
        self.player = player
        self.proof: tuple[int, ...] = ()
        self.event = event
        self.verdict: Word = "uncheckable" if event.does is None else "open"
        self.window: str | None = None
        self._due = due
        self._paid = 0

    def judge(self, verdict: Word, seq: int) -> None:
        """The entry decides it."""
        self.verdict, self.proof = verdict, (*self.proof, seq)

    def done(self, did: Did, seq: int) -> None:
        """The deed may be what was promised."""
        event = self.event
        if self.verdict != "open" or did.seat != event.by or did.kind != event.kind:
            return
        if self.window in (None, did.window):
            self.window = did.window
            if covers(event.does or {}, did.deed):
                self.judge("kept", seq)

    def stands(self, open_ones: Open, seq: int) -> None:
        """So it stands after an entry, for a promised deed."""
        own = open_ones.get((self.event.kind or "", self.event.by), ())
        if self.verdict != "open":
            return
        if self.window is None:
            self.window = own[0] if own else None
        elif self.window not in own:
            self.judge("broken", seq)

    def paid(self, events: tuple[Any, ...], turn: str | None, seq: int) -> None:
        """The entry's events may be what was promised to be paid, and after them it is that turn."""
        does = self.event.does or {}
        to = does.get("to", self.event.to)
        paid = [event for event in events if isinstance(event, Paid) and event.payer == self.event.by]
        chips = sum([event.amount for event in paid if event.payee == to])
        self._paid += chips
        self.proof = (*self.proof, seq) if chips else self.proof
        if self._paid >= does.get("amount", 1):
            self.verdict = "kept"
        elif turn != self._due:
            self.judge("broken", seq)

    def end(self, seq: int) -> None:
        """The table is over with this entry, and nothing can be done any more."""
        if self.verdict == "open":
            self.judge("void" if self.event.kind is not None and self.window is None else "broken", seq)


class Judge:
    """`given`: all promises of the passages that were taken, in order."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self._deeds: list[Given] = []
        self._payments: list[Given] = []
        self.given: list[Given] = []

    def take(self, passage: Passage) -> None:
        """Takes the story's next passage."""
        events = passage.body.events
        made = [self._give(passage, event) for event in events if isinstance(event, Promised)]
        self.given += made
        struck_by = self._story.struck_by(passage.seq)
        if struck_by is not None:
            for each in made:
                each.judge("void", struck_by)
            return
        if _is_talk(passage):
            return
        self._take_payments(passage, made)
        self._take_deeds(passage, made)

    def end(self) -> None:
        """There are no more passages."""
        if self._story.table.over:
            for each in (*self._deeds, *self._payments):
                each.end(self._story.table.seq)

    def _give(self, passage: Passage, event: Promised) -> Given:
        return Given(passage.seq, passage.after.record.holders[event.by].player, event, self._turn(passage))

    def _turn(self, passage: Passage) -> str | None:
        game = passage.after.course.game
        return None if game is None else self._story.rules.turn(game)

    def _take_payments(self, passage: Passage, made: list[Given]) -> None:
        if self._payments:
            turn = self._turn(passage)
            for each in self._payments:
                each.paid(passage.body.events, turn, passage.seq)
            self._payments = [each for each in self._payments if each.verdict == "open"]
        self._payments += [each for each in made if each.verdict == "open" and each.event.kind is None]

    def _take_deeds(self, passage: Passage, made: list[Given]) -> None:
        deeds = [event for event in passage.body.events if isinstance(event, Did)]
        for did in deeds if self._deeds else ():
            for each in self._deeds:
                each.done(did, passage.seq)
        self._deeds += [each for each in made if each.verdict == "open" and each.event.kind is not None]
        if self._deeds:
            open_ones = self._open(passage)
            for each in self._deeds:
                each.stands(open_ones, passage.seq)
            self._deeds = [each for each in self._deeds if each.verdict == "open"]

    def _open(self, passage: Passage) -> Open:
        found: dict[tuple[str, Seat], tuple[str, ...]] = {}
        for window in windows(self._story.rules, passage.after.course):
            for seat in window.deciders if window.open else ():
                found[window.kind, seat] = (*found.get((window.kind, seat), ()), window.id)
        return found


def _is_talk(passage: Passage) -> bool:
    """Whether the entry did nothing to the course, which may be struck afterwards although the entry counts: the opening of
    a dispute, votes, talk. What is open then, and whose turn it is, decides no promise.
    """
    return passage.before is not None and passage.after.past is passage.before.past
