"""Media types: what a body is in, and which form of an answer the caller likes best (RFC 9110, 12.5.1)."""

import re
from functools import lru_cache

from server.wire.coding import Coding

JSON, MSGPACK = "application/json", "application/msgpack"
NDJSON, SSE = "application/x-ndjson", "text/event-stream"

ANSWERS = (JSON, MSGPACK, "application/x-msgpack", "application/vnd.msgpack")
"""What every answer comes in. The first is for those who do not care; the last two are other names of MessagePack."""

STREAMS = (NDJSON, SSE)

ARCHIVE = ("application/octet-stream", "application/jsonl", NDJSON)
"""What an archive may be sent as; it is the same bytes."""

_RANGE = re.compile(r"\s*([\w!#$&^.+*-]+/[\w!#$&^.+*-]+)\s*((?:;[^;,]*)*)")
_QUALITY = re.compile(r";\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)", re.IGNORECASE)
_LONGEST = 1000


@lru_cache(maxsize=512)
def best(accept: str, offered: tuple[str, ...]) -> str | None:
    """The offer that the header likes best, the first of equals; None when it accepts none of them."""
    wishes = _wishes(accept)
    if not wishes:
        return offered[0]
    found = max(offered, key=lambda media: _quality(media, wishes))
    return found if _quality(found, wishes) > 0 else None


def _wishes(accept: str) -> dict[str, float]:
    """Quality by range. What is malformed counts as not there."""
    found: dict[str, float] = {}
    for part in accept[:_LONGEST].split(","):
        if parts := _RANGE.fullmatch(part):
            media, parameters = parts[1].lower(), parts[2]
            quality = _QUALITY.search(parameters)
            found[media] = max(found.get(media, 0.0), float(quality[1]) if quality else 1.0)
    return found


def _quality(media: str, wishes: dict[str, float]) -> float:
    """By the most specific range that fits."""
    ranges = (media, f"{media.partition('/')[0]}/*", "*/*")
    return next((wishes[one] for one in ranges if one in wishes), 0.0)


def coding_of(media: str) -> Coding:
    """The coding of a media type of `ANSWERS`."""
    return "msgpack" if media.endswith("msgpack") else "json"


@lru_cache(maxsize=512)
def coding_in(content_type: str | None) -> Coding | None:
    """The coding of a body of that type, JSON where nobody says; None for what cannot be read here."""
    if not content_type:
        return "json"
    media, _, parameters = content_type.lower().partition(";")
    charset = re.search(r"charset=\"?([\w-]+)", parameters)
    if media.strip() not in ANSWERS or (charset and charset[1] not in ("utf-8", "utf8")):
        return None
    return coding_of(media.strip())
