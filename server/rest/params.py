"""Parameters that several routes have: headers, and what stands in the query."""

from typing import Annotated

from litestar.params import HeaderParameter, PathParameter, QueryParameter

from server.commands import KEY_LENGTH
from server.problems import CODES

FAR = 1 << 53

SEQ_TAG = r'^((W/)?"?[0-9]{1,15}"?|\*)$'
"""A seq as an entity tag, or bare."""

Key = Annotated[
    str | None,
    HeaderParameter(
        name="Idempotency-Key",
        description="The same key and body give the first answer again.",
        schema_extra={"min_length": 1, "max_length": KEY_LENGTH, "pattern": "^[ -~]+$"},
    ),
]
Match = Annotated[
    str | None,
    HeaderParameter(
        name="If-Match",
        description="The entry that the action was made for.",
        schema_extra={"pattern": SEQ_TAG},
    ),
]
NoneMatch = Annotated[
    str | None,
    HeaderParameter(name="If-None-Match", description="ETags that the caller has: 304 while one of them is current."),
]
LastEvent = Annotated[
    str | None,
    HeaderParameter(
        name="Last-Event-ID",
        description="What a browser sends to resume server-sent events; like `after`.",
        schema_extra={"pattern": SEQ_TAG},
    ),
]

After = Annotated[
    int | None, QueryParameter(ge=0, le=FAR, description="Entries after this one.", schema_extra={"minimum": 0})
]
At = Annotated[int | None, QueryParameter(ge=1, le=FAR, description="The view after that entry.")]
SeatQuery = Annotated[
    int | None,
    QueryParameter(
        name="seat", ge=0, le=99, description="After the end: as that seat saw it.", schema_extra={"minimum": 0}
    ),
]
LogLimit = Annotated[int, QueryParameter(name="limit", ge=1, le=1000, description="The most that one page holds.")]
PageLimit = Annotated[int, QueryParameter(name="limit", ge=1, le=200, description="The most that one page holds.")]

TableRef = Annotated[
    str,
    PathParameter(
        description="The id of a table.",
        schema_extra={"pattern": "^[0-9a-f]{2}-[0-9a-z]{16}$", "examples": ["00-7k5h2vq3xzmb4w6a"]},
    ),
]
PlayerRef = Annotated[str, PathParameter(description="The id of a player.")]
TokenRef = Annotated[str, PathParameter(description="The id of a token (not the token).")]
GameRef = Annotated[str, PathParameter(description="The name of a game.")]
SeatRef = Annotated[int, PathParameter(description="A seat, from 0 on.", schema_extra={"minimum": 0, "maximum": 99})]
SeqRef = Annotated[
    int, PathParameter(description="The number of an entry, from 1 on.", schema_extra={"minimum": 1, "maximum": FAR})
]
CodeRef = Annotated[str, PathParameter(description="The code of an invite.")]
ProblemRef = Annotated[str, PathParameter(description="The code of a problem.", schema_extra={"enum": list(CODES)})]
