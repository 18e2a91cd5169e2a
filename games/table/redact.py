"""An entry as an audience may read it. The only place where something is hidden, so the only one that can leak."""

from typing import Any

import msgspec

from games import bargaining
from games.core import Action, Audience, Seat, type_of
from games.table import events as happened
from games.table.rules import Rules
from games.table.state import Body

SURROUNDING = frozenset([*happened.TYPES, *bargaining.TYPES])


def redact(rules: Rules, event: Any, seat: Audience) -> Any:
    """The event as the audience reads it: the same object when nothing is hidden from it."""
    match event:
        case happened.SeedSealed():
            return event if event.seed is None else msgspec.structs.replace(event, seed=None)
        case happened.Whispered(by, to):
            hidden = event.text is not None and seat != by and seat not in to
            return msgspec.structs.replace(event, text=None) if hidden else event
        case _:
            pass
    if type(event) in SURROUNDING:
        return event
    return rules.game.redact(event, seat)


def action_for(action: Action, by: Seat | str, seat: Audience) -> Any:
    """The action as the audience reads it: of a sealed one others than the actor read the type alone."""
    return {"type": type_of(action)} if type(action).sealed and by != seat else action


def versions(rules: Rules, body: Body[Any], seats: int) -> dict[str, Body[Any]]:
    """The versions of an entry by name: `full`; `public` if it differs; a seat's number if it differs from that."""
    public = _as_read(rules, body, None)
    found = {"full": body}
    if public is body:
        return found
    found["public"] = public
    for seat in range(seats):
        version = _as_read(rules, body, seat)
        if version != public:
            found[str(seat)] = version
    return found


def _as_read(rules: Rules, body: Body[Any], seat: Audience) -> Body[Any]:
    action = action_for(body.action, body.by, seat)
    events = tuple([redact(rules, event, seat) for event in body.events])
    if action is body.action and all(new is old for new, old in zip(events, body.events, strict=True)):
        return body
    return msgspec.structs.replace(body, action=action, events=events)
