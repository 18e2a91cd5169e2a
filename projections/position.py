"""A table after an entry, for all audiences at once: the truth, what each audience knows, who may do what.

The positions of a table share what did not change, so keeping many of them costs little, and two of them are
compared field by field through identity first.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from games import bargaining
from games.core import Ask, Audience, Window
from games.table import events as happened
from games.table.asks import asks
from games.table.redact import versions as redacted
from games.table.rules import Rules
from games.table.state import Body, Table, fold, windows

Asks = tuple[Ask, ...]


class Position(msgspec.Struct, frozen=True):
    """`sights`: the game's state as the public knows it, then as seat 0, 1, ... does. `asks`, `since`: per seat;
    `since` is the last entry that changed the seat's asks. `whole`: reaching it, a follower needs the whole view.
    """

    table: Table
    head: bytes
    sights: tuple[Any, ...]
    windows: tuple[Window, ...]
    asks: tuple[Asks, ...]
    since: tuple[int, ...]
    whole: bool

    @property
    def seq(self) -> int:
        return self.table.seq

    def sight(self, audience: Audience) -> Any:
        """The game's state as the audience knows it."""
        return self.sights[0 if audience is None else audience + 1]

    def asks_of(self, audience: Audience) -> Asks:
        """What the audience may do; a spectator nothing."""
        return () if audience is None else self.asks[audience]

    def since_of(self, audience: Audience) -> int:
        """The entry since which the audience's asks are as they are."""
        return 0 if audience is None else self.since[audience]


def advance(rules: Rules, before: Position | None, bodies: Mapping[str, Body[Any]], head: bytes) -> Position:
    """The position after an entry that was read from the log, from all its versions."""
    truth = fold(rules, None if before is None else before.table, bodies["full"])
    return arrive(rules, before, truth, bodies, head)


def arrive(
    rules: Rules, before: Position | None, truth: Table, bodies: Mapping[str, Body[Any]], head: bytes
) -> Position:
    """The position after an entry whose truth is folded already."""
    seats = len(truth.record.holders)
    open_windows = windows(rules, truth.course)
    open_asks = tuple([asks(rules, truth, seat, open_windows) for seat in range(seats)])
    sights = _sights(rules, before, truth, bodies, seats)
    started = any(isinstance(event, happened.Started) for event in bodies["full"].events)
    if before is None:
        return Position(truth, head, sights, open_windows, open_asks, (truth.seq,) * seats, whole=True)
    since = tuple(
        [
            old if new_asks == old_asks else truth.seq
            for old, new_asks, old_asks in zip(before.since, open_asks, before.asks, strict=True)
        ]
    )
    kept = tuple([old if new == old else new for new, old in zip(open_asks, before.asks, strict=True)])
    same = before.windows if open_windows == before.windows else open_windows
    return Position(truth, head, sights, same, kept, since, whole=started)


def version_for(names: Mapping[str, Any], audience: Audience) -> str:
    """The name of the version that the audience reads."""
    if audience is not None and str(audience) in names:
        return str(audience)
    return "public" if "public" in names else "full"


def _sights(
    rules: Rules, before: Position | None, truth: Table, bodies: Mapping[str, Body[Any]], seats: int
) -> tuple[Any, ...]:
    """Folds each audience's version; audiences that know and read the same share one state."""
    if before is None:
        return (None,) * (seats + 1)
    folded: dict[tuple[int, str], Any] = {(id(before.table.course.game), "full"): truth.course.game}
    found = []
    for audience in (None, *range(seats)):
        state = before.sight(audience)
        name = version_for(bodies, audience)
        key = (id(state), name)
        if key not in folded:
            folded[key] = _fold_game(rules, state, bodies[name])
        found.append(folded[key])
    return tuple(found)


def _fold_game(rules: Rules, state: Any, body: Body[Any]) -> Any:
    for event in body.events:
        if isinstance(event, rules.game_events) or (rules.moneyed and isinstance(event, bargaining.TYPES)):
            state = rules.game.evolve(state, event)
    return state


def bodies_of(rules: Rules, body: Body[Any], seats: int) -> dict[str, Body[Any]]:
    """Every version of an entry that was just decided."""
    return redacted(rules, body, seats)
