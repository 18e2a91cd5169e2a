"""Whose way a decision went, and what the payee's deed was worth for it."""

from games import core
from games.core import covers
from projections.trail.course import Course, Deal, Weighed
from projections.trail.pieces import Deed, Way


class Finding:
    """What can be said of one deal in the course that counts."""

    def __init__(self, course: Course, deal: Deal) -> None:
        self._course = course
        self._deal = deal
        game = course.rules.game
        self._game = game if isinstance(game, core.Judged) else None
        self._weighed = _verdict_of(course, deal)
        self.deeds = deeds(deal)
        self.decision = None if self._weighed is None else self._weighed.decision

    @property
    def wanted(self) -> str | None:
        """The verdict that the offer's deed works for."""
        terms = self._deal.versions[-1:]
        return self._game.supports(terms[0].does) if self._game is not None and terms else None

    @property
    def way(self) -> Way | None:
        """Whose way it went: by the verdict where there is one, else by whether the deed was done as offered."""
        if self._game is None:
            return self._by_deeds()
        if self.decision is None or self.wanted is None:
            return None
        if self.decision.verdict == self.wanted:
            return "payer"
        return "undecided" if self.decision.verdict == "undecided" else "other"

    @property
    def without(self) -> str | None:
        """The verdict, had the payee not done such a deed once."""
        if self._game is None or self._weighed is None or not any(deed.wanted for deed in self.deeds):
            return None
        return self._game.without(self._weighed.state, self._deal.payee, self._deal.versions[-1].does)

    @property
    def decisive(self) -> bool | None:
        """Whether the verdict would have been another."""
        if self.decision is None or self.without is None:
            return None
        return self.without != self.decision.verdict

    def _by_deeds(self) -> Way | None:
        """The payer's way if the deed is done and not spoilt, the other once the decision is over without that."""
        window = self._deal.window
        if not self._deal.versions or window is None:
            return None
        terms, is_open = self._deal.versions[-1], window.id in self._course.still
        done = sum(deed.wanted for deed in self.deeds) >= terms.times
        if done and not any(deed.forbidden for deed in self.deeds) and not (is_open and terms.never is not None):
            return "payer"
        return "other" if window.id in self._course.opened and not is_open else None


def deeds(deal: Deal) -> tuple[Deed, ...]:
    """The payee's deeds since the last version, measured by it."""
    if not deal.versions:
        return ()
    does, never = deal.versions[-1].does, deal.versions[-1].never
    return tuple(
        [Deed(seq, deed, covers(does, deed), never is not None and covers(never, deed)) for seq, deed in deal.done]
    )


def _verdict_of(course: Course, deal: Deal) -> Weighed | None:
    """The next verdict of the deal's turn; what was offered after all of them still belongs to the last."""
    found = [weighed for weighed in course.verdicts if weighed.decision.turn == deal.turn]
    later = [weighed for weighed in found if weighed.decision.seq >= deal.made]
    return later[0] if later else found[-1] if found else None
