"""What a trial comes to, as the bribery trail asks for it.

A verdict by dice has no parts that somebody's deed could be taken out of: nobody can tell what would have been rolled. So
`without` has no answer. What a settlement is worth can be told: the deed that is bought is the answer yes, and it works for
the verdict "settled".
"""

from games import bargaining, core
from games.core import Partial, Seat
from games.witch_trial import events as happened
from games.witch_trial.events import Event
from games.witch_trial.state import State


def verdict(state: State, event: Event) -> core.Verdict | None:  # noqa: ARG001  (the event says it all)
    """How the trial ended, and of whom it was held."""
    return core.Verdict(event.verdict, event.suspect) if isinstance(event, happened.TrialClosed) else None


def supports(deed: Partial) -> str | None:
    """Only an accepted settlement says by itself how a trial ends."""
    return "settled" if core.covers(bargaining.ACCEPTING, deed) else None


def without(state: State, seat: Seat, deed: Partial) -> str | None:  # noqa: ARG001  (there is no answer)
    """Nobody knows: the dice were not rolled, or would have been rolled anyway."""
    return None
