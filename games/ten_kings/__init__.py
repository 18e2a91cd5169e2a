"""Ten Kings' Judgement (2-8 seats): lives full of good and evil deeds, each weighed by the kings of the dead and the dice.

Reading order, as in the rulebook: `pieces` (the cards, and what may be agreed beforehand), `events`, `actions`, `state` (the
table and its fold), `rules` (a life, one action to its events), `judgement` (the end of a life, and the last one), `sight`
(what an audience reads), `asks` (who may do what). The rules in words stand in `texts.toml`.
"""

from typing import get_args

from games.ten_kings.actions import Action as Action
from games.ten_kings.asks import asks as asks
from games.ten_kings.events import Event as Event
from games.ten_kings.pieces import Options as Options
from games.ten_kings.pieces import Why
from games.ten_kings.rules import bound as bound
from games.ten_kings.rules import decide as decide
from games.ten_kings.rules import open as open  # noqa: A004  (the word of the Game protocol)
from games.ten_kings.rules import outcome as outcome
from games.ten_kings.rules import seats_for as seats_for
from games.ten_kings.sight import discloses as discloses
from games.ten_kings.sight import redact as redact
from games.ten_kings.state import State as State
from games.ten_kings.state import evolve as evolve

name = "ten_kings"
version = 1
seats = range(2, 9)

WHYS: tuple[str, ...] = get_args(Why)
"""Why a game may have ended, for the texts."""
