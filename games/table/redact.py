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
    if type(event) not in SURROUNDING:
        return rules.game.redact(event, seat)
    match event:
        case happened.SeedSealed():
            return event if event.seed is None else msgspec.structs.replace(event, seed=None)
        case happened.Whispered(by, to):
            hidden = event.text is not None and seat != by and seat not in to
            return msgspec.structs.replace(event, text=None) if hidden else event
        case _:
            return event


def action_for(action: Action, by: Seat | str, seat: Audience) -> Any:
    """The action as the audience reads it: of a sealed one others than the actor read the type alone."""
    return {"type": type_of(action)} if type(action).sealed and by != seat else action


def versions(rules: Rules, body: Body[Any], seats: int) -> dict[str, Body[Any]]:
    """The versions of an entry by name: `full`; `public` if it differs; a seat's number if it differs from that.

    What everybody may read every seat may read, so of the seats only what the public version hides is asked.
    """
    found = {"full": body}
    action = action_for(body.action, body.by, None)
    events = [redact(rules, event, None) for event in body.events]
    hidden = [place for place, event in enumerate(body.events) if events[place] is not event]
    if not hidden and action is body.action:
        return found
    public = found["public"] = msgspec.structs.replace(body, action=action, events=tuple(events))
    for seat in range(seats):
        action = action_for(body.action, body.by, seat)
        for place in hidden:
            events[place] = redact(rules, body.events[place], seat)
        version = msgspec.structs.replace(body, action=action, events=tuple(events))
        if version != public:
            found[str(seat)] = version
    return found
