"""What a stored entry says of itself, whatever the game: by whom it was made, and by which action."""

from typing import Any

from events.entry import FULL, Entry
from games.core import Audience
from games.table.state import Body
from projections import codec


def body_of(entry: Entry) -> Body[Any]:
    """The whole of it, for nobody but who made it."""
    return codec.surroundings(entry.versions[FULL])


def actor_of(entry: Entry) -> Audience:
    """The seat that made it; None when it was none."""
    by = body_of(entry).by
    return by if isinstance(by, int) else None
