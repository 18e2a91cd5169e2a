"""Witch Trial (3-7 seats): players bring strange people to court, for the one side or the other, and live on the fees.

Reading order, as in the rulebook: `cards` (what a deck may say) and `book` (a deck, looked up), `pieces` (what else there is),
`events`, `actions`, `state` with `hands` and `fold` (the table and what events change), `flow` (an action on its way),
`turns`, `trials`, `effects` (what follows from what), `rules` (setting up, an action to its events, the end), `sight` (what
an audience reads), `asks` (who may do what), `windows` (over what one may bargain; their ids are in `names`), `judging` (what
a trial came to). `deck` reads the file with the house's deck. The rules in words stand in docs/games/witch_trial.md.
"""

from typing import get_args

from games.witch_trial.actions import Action as Action
from games.witch_trial.asks import asks as asks
from games.witch_trial.deck import furnish as furnish
from games.witch_trial.deck import furniture as furniture
from games.witch_trial.events import Event as Event
from games.witch_trial.fold import evolve as evolve
from games.witch_trial.judging import supports as supports
from games.witch_trial.judging import verdict as verdict
from games.witch_trial.judging import without as without
from games.witch_trial.pieces import Options as Options
from games.witch_trial.pieces import Why
from games.witch_trial.rules import bound as bound
from games.witch_trial.rules import decide as decide
from games.witch_trial.rules import open as open  # noqa: A004  (the word of the Game protocol)
from games.witch_trial.rules import outcome as outcome
from games.witch_trial.rules import purses as purses
from games.witch_trial.sight import discloses as discloses
from games.witch_trial.sight import redact as redact
from games.witch_trial.state import State as State
from games.witch_trial.windows import WINDOWS as WINDOWS
from games.witch_trial.windows import turn as turn
from games.witch_trial.windows import windows as windows

name = "witch_trial"
version = 1
seats = range(3, 8)

WHYS: tuple[str, ...] = get_args(Why)
"""Why a game may have ended; `WINDOWS` are the kinds of its decisions. Both are there for the texts."""
