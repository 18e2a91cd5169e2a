"""A table after an entry, for all audiences at once: the truth, what each audience knows, who may do what.

The positions of a table share what did not change, so keeping many of them costs little, and two of them are
compared field by field through identity first.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from games.core import Ask, Audience, Seat, Window, tag_of, type_of
from games.table import events as happened
from games.table.actions import TimeUp
from games.table.asks import asks, has_room
from games.table.past import Past
from games.table.redact import versions as redacted
from games.table.rules import Rules
from games.table.state import Body, Table, fold, windows

Asks = tuple[Ask, ...]

TIME_UP = tag_of(TimeUp)


class Position(msgspec.Struct, frozen=True):
    """`sights`: the game's state as the public knows it, then as seat 0, 1, ... does. `asks`, `since`: per seat;
    `since` is the last entry that changed the seat's asks, was its own move, or struck anything. `whole`: reaching it,
    a follower needs the whole view. `past`: the sights after each entry that did something to the course.
    """

    table: Table
    head: bytes
    sights: tuple[Any, ...]
    windows: tuple[Window, ...]
    asks: tuple[Asks, ...]
    since: tuple[int, ...]
    whole: bool
    past: Past[tuple[Any, ...]] | None = None

    @property
    def seq(self) -> int:
        return self.table.seq

    @property
    def shared(self) -> bool:
        """Nothing is hidden from anybody: all audiences know the truth."""
        game = self.table.course.game
        return all([sight is game for sight in self.sights])

    def sight(self, audience: Audience) -> Any:
        """The game's state as the audience knows it."""
        return self.sights[0 if audience is None else audience + 1]

    def asks_of(self, audience: Audience) -> Asks:
        """What the audience may do; a spectator nothing."""
        return () if audience is None else self.asks[audience]

    def since_of(self, audience: Audience) -> int:
        """The entry since which the audience's asks are as they are."""
        return 0 if audience is None else self.since[audience]


def advance(
    rules: Rules, before: Position | None, bodies: Mapping[str, Body[Any]], head: bytes, *, to_act: bool = True
) -> Position:
    """The position after an entry that was read from the log, from all its versions. Who only looks back does not want
    to act (`to_act` false): the asks, which cost most, are left out then.
    """
    truth = fold(rules, None if before is None else before.table, bodies["full"])
    if not to_act:
        seats = len(truth.record.holders)
        sights = _sights(rules, before, truth, bodies, seats)
        now_open, past = windows(rules, truth.course), _past(before, truth, sights)
        return Position(truth, head, sights, now_open, ((),) * seats, (0,) * seats, _whole(before, truth), past)
    return arrive(rules, before, truth, bodies, head)


def arrive(
    rules: Rules, before: Position | None, truth: Table, bodies: Mapping[str, Body[Any]], head: bytes
) -> Position:
    """The position after an entry whose truth is folded already. What did not change stays the same object."""
    seats = len(truth.record.holders)
    now_open = windows(rules, truth.course)
    sights = _sights(rules, before, truth, bodies, seats)
    past = _past(before, truth, sights)
    if before is None:
        now_asked = tuple([asks(rules, truth, seat, now_open) for seat in range(seats)])
        return Position(truth, head, sights, now_open, now_asked, (truth.seq,) * seats, whole=True)
    if now_open == before.windows:
        now_open = before.windows
    now_asked, since = _asked(rules, before, truth, now_open)
    acted = _who_acted(rules, bodies["full"])
    if acted is not None and since[acted] != truth.seq:
        since = (*since[:acted], truth.seq, *since[acted + 1 :])
    if truth.record.strikes is not before.table.record.strikes:
        since = (truth.seq,) * seats
    return Position(truth, head, sights, now_open, now_asked, since, _whole(before, truth), past)


def _whole(before: Position | None, truth: Table) -> bool:
    """Whether a follower needs the whole view: at the beginning, when there is a game now or none any more, after a strike."""
    if before is None:
        return True
    begun = (before.table.course.game is None) != (truth.course.game is None)
    return begun or truth.record.strikes is not before.table.record.strikes


def _past(before: Position | None, truth: Table, sights: tuple[Any, ...]) -> Past[tuple[Any, ...]] | None:
    """The past of the sights, which has its nodes where the truth has them."""
    if before is None:
        return None
    return before.past if truth.past is before.table.past else Past(before.past, truth.seq, sights)


def _asked(
    rules: Rules, before: Position, truth: Table, now_open: tuple[Window, ...]
) -> tuple[tuple[Asks, ...], tuple[int, ...]]:
    """Every seat's asks, and since when they are what they are."""
    if _asks_stay(rules, before.table, truth) and now_open is before.windows:
        return before.asks, before.since
    found, since = list(before.asks), list(before.since)
    for seat, old in enumerate(before.asks):
        new = asks(rules, truth, seat, now_open)
        if new != old:
            found[seat], since[seat] = new, truth.seq
    return tuple(found), tuple(since)


def _who_acted(rules: Rules, body: Body[Any]) -> Seat | None:
    """The seat whose move in the game this is. What it may do next is another step, even if it looks the same: an action
    that was made for the step before is stale, and whoever plays for the seat has to be able to tell the two apart.
    """
    action = body.action
    tag = action["type"] if isinstance(action, dict) else type_of(action)
    if tag == TIME_UP:
        seat: Seat = action["seat"] if isinstance(action, dict) else action.seat
        return seat
    return body.by if isinstance(body.by, int) and tag in _moves(rules) else None


@cache
def _moves(rules: Rules) -> frozenset[str]:
    return frozenset(str(kind.__struct_config__.tag) for kind in rules.game_actions)


def _asks_stay(rules: Rules, old: Table, new: Table) -> bool:
    """Whether all that asks are made of is as it was: a cheap look that saves the long one after most entries."""
    seats = len(new.record.holders)
    return (
        old.record.status == new.record.status
        and old.record.holders is new.record.holders
        and old.record.dispute is new.record.dispute
        and old.record.settled is new.record.settled
        and bool(old.strikable) == bool(new.strikable)
        and has_room(old) == has_room(new)
        and old.course.deals is new.course.deals
        and (
            old.course.game is new.course.game
            or (
                new.course.game is not None
                and old.course.game is not None
                and rules.asks(old.course.game, seats) == rules.asks(new.course.game, seats)
                and rules.purses(old.course.game) == rules.purses(new.course.game)
            )
        )
    )


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
    if len(bodies) == 1 and before.shared and truth.record.strikes is before.table.record.strikes:
        return (truth.course.game,) * (seats + 1)
    strike = next((event for event in bodies["full"].events if isinstance(event, happened.Struck)), None)
    if strike is not None:
        node = None if before.past is None else before.past.at(strike.first - 1)
        if node is None:
            raise ValueError(f"entry {strike.first} cannot be struck: the game had not begun before it")
        return node.value
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
        if type(event) in rules.folded:
            state = rules.game.evolve(state, event)
    return state


def bodies_of(rules: Rules, body: Body[Any], seats: int) -> dict[str, Body[Any]]:
    """Every version of an entry that was just decided."""
    return redacted(rules, body, seats)
