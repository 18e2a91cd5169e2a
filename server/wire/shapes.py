"""Views, entries and frames as the documents show them (OpenAPI, AsyncAPI, the schemas of a game).

They are the structs that are sent, but for fields that msgspec cannot describe: a union of untagged structs, or bytes that
stand in a frame as they were encoded before. Those are stated again here; nothing else is.
"""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from games import core
from games.core import Between, EntryAfter, Match, OneOf, SomeOf, Text
from projections import view as projected
from server.problems import CODES, KINDS
from server.wire import frames, socket_frames


class Deed(msgspec.Struct, frozen=True):
    """A partial action: of the type of this ask, and of its fields any, each within its domain."""

    deed: dict[str, Any]


DOMAINS = (OneOf, Between, SomeOf, Text, Match, Deed, EntryAfter)


def _described(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The schema of one domain, which nothing else may look like."""
    _, found = msgspec.json.schema_components((kind,))
    return {**found[kind.__name__], "additionalProperties": False}


Domain = Annotated[dict[str, Any], msgspec.Meta(extra_json_schema={"oneOf": [_described(kind) for kind in DOMAINS]})]


class Ask(core.Ask, frozen=True):
    """An action open to a seat now. Every field listed is required. While `must`, the table waits for the seat."""

    fields: dict[str, Domain]  # type: ignore[assignment]  # a dict of structs on one side, of plain values on the other
    must: bool


class Window(core.Window, frozen=True):
    """A decision that is open, or (`open` false) that the rules have already fixed to come.

    `talk` and `offers`: the seats that may speak and that may offer chips now. `deeds`: the deciders' asks as
    everybody may know them. The id never repeats; a window is closed when its id is gone.
    """

    deeds: tuple[Ask, ...]


class View(projected.View, frozen=True):
    """What the reader knows at `seq`. `game`: null until the start, then by the schema `view` of the game."""

    windows: tuple[Window, ...]
    game: dict[str, Any] | None


class Body(msgspec.Struct, frozen=True):
    """The stored bytes of an entry. `by`: a seat, or `server`, `clock`, `arbiter`, `operator`; `draw`: when it drew.

    Of a sealed action others than the actor see the type alone; in events null stands for what the reader may not know.
    """

    table: str
    seq: int
    at: int
    by: int | str
    action: dict[str, Any]
    events: tuple[dict[str, Any], ...]
    draw: int | UnsetType = UNSET


class Entry(frames.Line, frozen=True):
    """An entry in its reader's version. `entry`: the stored bytes, in JSON verbatim, in MessagePack as a byte string."""

    entry: Body  # type: ignore[assignment]  # as a reader decodes it


class Done(frames.Answered, frozen=True):
    """What was asked is an entry now."""

    entry: Body  # type: ignore[assignment]  # as a reader decodes it


class FirstFrame(frames.FirstFrame, frozen=True, omit_defaults=True):
    """Where a follower begins: the whole view. With `resumed_from`: instead of what was missed since."""

    view: View
    asks: tuple[Ask, ...]
    resumed_from: int | UnsetType = UNSET  # type: ignore[assignment]  # left out when there is none


class Frame(frames.Frame, frozen=True, omit_defaults=True, kw_only=True):
    """An entry with what it changed for this reader: `changed`, to be assigned, or the whole `view` instead.

    What changed in the game stands under `changed.game`. `asks` only when they changed.
    """

    entry: Body  # type: ignore[assignment]  # as a reader decodes it
    since: int
    changed: dict[str, Any] | UnsetType = UNSET  # type: ignore[assignment]  # as a reader decodes it
    view: View | UnsetType = UNSET
    asks: tuple[Ask, ...] | UnsetType = UNSET  # type: ignore[assignment]  # as a reader decodes it


# --- What only sockets carry --------------------------------------------------------------------------

ProblemField = Annotated[dict[str, Any], msgspec.Meta(extra_json_schema={"$ref": "#/components/schemas/Problem"})]
ActionField = Annotated[dict[str, Any], msgspec.Meta(extra_json_schema={"$ref": "#/components/schemas/Action"})]


class ClientFrame(socket_frames.ClientFrame, frozen=True, forbid_unknown_fields=True):
    """An action. `id` comes back with the answer; `key`: as the header Idempotency-Key; `if_match`: as If-Match."""

    action: ActionField  # type: ignore[assignment]  # as its sender has it


class Trouble(socket_frames.Trouble, frozen=True):
    """The action was not done. `id` is null where the frame had none that can be read; without it the connection ends."""

    problem: ProblemField


# --- Schemas that no struct has -----------------------------------------------------------------------

PROBLEM: dict[str, Any] = {
    "title": "Problem",
    "description": "RFC 9457. `detail` is a sentence for people. Other members depend on the code.",
    "type": "object",
    "properties": {
        "type": {"type": "string", "enum": [f"/problems/{code}" for code in CODES]},
        "title": {"type": "string"},
        "status": {"type": "integer", "enum": sorted({kind.status for kind in KINDS.values()})},
        "detail": {"type": "string"},
        "code": {"type": "string", "enum": list(CODES)},
        "reason": {"type": "string", "description": "`refused`: which rule it was."},
        "asks": {"type": "string", "format": "uri-reference", "description": "What is allowed instead."},
        "dispute": {"type": "integer", "description": "`disputed`: the entry that opened the dispute."},
        "expected": {"type": "integer", "description": "`stale`: the entry in If-Match."},
        "head": {"type": "integer", "description": "`stale`, `log_forked`: the last entry."},
        "missed": {"type": "string", "format": "uri-reference", "description": "`stale`: the entries since."},
    },
    "required": ["type", "title", "status", "detail", "code"],
}

ACTION: dict[str, Any] = {
    "title": "Action",
    "description": "A member of one of the asks: its type, and every field that the ask lists.",
    "type": "object",
    "properties": {"type": {"type": "string"}},
    "required": ["type"],
}
