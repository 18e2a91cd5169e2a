"""What the routes may answer with besides what they are for, as the OpenAPI document says it."""

from server.problems import Code

BODY: tuple[Code, ...] = ("malformed", "too_large", "unsupported_media_type", "invalid")
"""Where a body is read."""

KEYED: tuple[Code, ...] = ("malformed", "key_reused")
"""Where an idempotency key counts."""

ENTRY: tuple[Code, ...] = (
    "forbidden",
    "not_found",
    "refused",
    "frozen",
    "disputed",
    "ended",
    "read_only",
    "in_progress",
)
"""Where an entry is to be appended to a table's log."""

ALWAYS: tuple[Code, ...] = ("unauthorized", "not_acceptable", "rate_limited", "internal", "unavailable")
"""Anywhere under /v1."""
