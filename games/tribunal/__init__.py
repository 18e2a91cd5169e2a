"""Tribunal (4-7 seats): the colours are tried one by one, and everybody has clients or a charge in several of them.

Reading order, as in the rulebook: `pieces` (the material), `events`, `actions`, `state` (the court and its fold),
`rules` (setting up, one action to its events, the end), `sight` (what an audience reads), `asks` (who may do what,
and over which decisions one may bargain), `judging` (what a verdict is, and what a counter was worth for it). The
rules in words stand in `texts.toml`.
"""

from typing import get_args

from games.tribunal.actions import Action as Action
from games.tribunal.asks import WINDOWS as WINDOWS
from games.tribunal.asks import asks as asks
from games.tribunal.asks import turn as turn
from games.tribunal.asks import windows as windows
from games.tribunal.events import Event as Event
from games.tribunal.judging import supports as supports
from games.tribunal.judging import verdict as verdict
from games.tribunal.judging import without as without
from games.tribunal.pieces import Options as Options
from games.tribunal.pieces import Why
from games.tribunal.rules import bound as bound
from games.tribunal.rules import decide as decide
from games.tribunal.rules import open as open  # noqa: A004  (the word of the Game protocol)
from games.tribunal.rules import outcome as outcome
from games.tribunal.rules import purses as purses
from games.tribunal.sight import discloses as discloses
from games.tribunal.sight import redact as redact
from games.tribunal.state import State as State
from games.tribunal.state import evolve as evolve

name = "tribunal"
version = 1
seats = range(4, 8)

WHYS: tuple[str, ...] = get_args(Why)
"""Why a game may have ended; `WINDOWS` are the kinds of its decisions. Both are there for the texts."""
