"""What the server says about itself on stderr: one event a line, as text or as JSON, with nothing secret in it.

    log = logs.Log("live")
    log.info("socket_closed", table=table_id, seat=2, seq=17)

An event has a name and fields. Every line is cleaned while it is written, whoever wrote it (the libraries, too):
tokens, invite codes, bearer headers, passwords in addresses, and whatever stands under a name such as `seed` or `key`.
That is the last line of defence. The first is not to log entries, actions, frames or bodies: what a seat must not
know (a sealed bid) looks like nothing in particular, so no pattern finds it.
"""

import json
import logging
import math
import re
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from secrets import token_hex
from typing import Any, Literal, TextIO

Level = Literal["debug", "info", "warning", "error"]
Form = Literal["text", "json"]

HIDDEN = "[hidden]"

# --- Saying something ---------------------------------------------------------------------------------

_ROOT = "comitium"


class Log:
    """The voice of one part of the server. Names of events and fields are ours; values may come from anywhere."""

    def __init__(self, part: str) -> None:
        self._logger = logging.getLogger(f"{_ROOT}.{part}")

    def debug(self, event: str, /, **fields: object) -> None:
        self._say(logging.DEBUG, event, fields)

    def info(self, event: str, /, **fields: object) -> None:
        self._say(logging.INFO, event, fields)

    def warning(self, event: str, /, **fields: object) -> None:
        self._say(logging.WARNING, event, fields)

    def error(self, event: str, /, **fields: object) -> None:
        self._say(logging.ERROR, event, fields)

    def exception(self, event: str, /, **fields: object) -> None:
        """An error, with the exception that is being handled and where it comes from."""
        self._say(logging.ERROR, event, fields, with_exception=True)

    def _say(self, level: int, event: str, fields: dict[str, object], *, with_exception: bool = False) -> None:
        if self._logger.isEnabledFor(level):
            self._logger.log(level, event, exc_info=with_exception, extra={"fields": fields})


# --- Requests -----------------------------------------------------------------------------------------

_request: ContextVar[str | None] = ContextVar("request", default=None)
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


def request_id(given: str | None = None) -> str:
    """The id that a proxy in front of us gave the request, if it is one; else a new one."""
    if given is not None and _REQUEST_ID.fullmatch(given) and scrub(given) == given:
        return given
    return token_hex(8)


@contextmanager
def in_request(request: str) -> Iterator[None]:
    """Every event in here, and in the tasks started from here, carries the id as `request`."""
    mark = _request.set(request)
    try:
        yield
    finally:
        _request.reset(mark)


# --- Nothing secret -----------------------------------------------------------------------------------

_LONGEST = 2000
"""Characters of one value that are written. A traceback has ten times as much."""
_MOST = 50
"""Items of one list that are written."""
_DEEPEST = 4

_WORDS = r"seed|salt|key|token|secret|authorization|password|cookie|entropy|invite"
_SECRET_NAME = re.compile(rf"(?:.*[_-])?(?:{_WORDS})s?", re.IGNORECASE | re.DOTALL)
_QUOTED = r"""b?"(?:\\.|[^"\\])*"|b?'(?:\\.|[^'\\])*'"""

_PATTERNS = (
    # A token or an invite code, wherever it stands, however it is cut.
    (re.compile(r"(?:cmt|inv)_[A-Za-z0-9_-]*"), HIDDEN),
    # A header, to the end of its line or quotes: not every scheme is Bearer.
    (re.compile(r"""(authorization["']?\s*[:=,]\s*b?["']?)[^\r\n"']*""", re.IGNORECASE), rf"\1{HIDDEN}"),
    # A bearer token of whatever form, also in the subprotocol `comitium.bearer.TOKEN`.
    (re.compile(r"\b(bearer)[\s.:]+[^\s\"',;)]+", re.IGNORECASE), rf"\1 {HIDDEN}"),
    # name=value, name: value, "name": "value", as programs print them.
    (
        re.compile(rf"((?:{_WORDS})s?[\"']?\s*[:=]\s*)(?:{_QUOTED}|\[[^\]]{{0,200}}\]|[^\s,;)}}\]]+)", re.IGNORECASE),
        rf"\1{HIDDEN}",
    ),
    # The password in the address of a store.
    (re.compile(r"(?<=://)[^/\s@]*(?=@)"), HIDDEN),
)

_HARMLESS = re.compile(r"[^_:=,.\s]*")
"""Without any of these no pattern fits: the quick way out for most values."""


def scrub(text: str) -> str:
    """The text without anything that looks like a secret."""
    if _HARMLESS.fullmatch(text):
        return text
    for pattern, instead in _PATTERNS:
        text = pattern.sub(instead, text)
    return text


@lru_cache(1024)
def _is_secret(name: str) -> bool:
    return _SECRET_NAME.fullmatch(name) is not None


def escape(text: str) -> str:
    """The text on one line, with what cannot be seen (control characters, turns of direction) written out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\u3000" else c.encode("unicode_escape").decode() for c in text)


def clean(name: str, value: object, depth: int = 0) -> Any:
    """The value of a field, fit for JSON: hidden if the name says that it is secret, else scrubbed and cut."""
    if value is None or isinstance(value, bool):
        return value
    if _is_secret(name):
        return HIDDEN
    match value:
        case int() | float():
            return value if math.isfinite(value) else str(value)
        case str():
            return scrub(value[:_LONGEST])
        case bytes() | bytearray() | memoryview():
            return f"[{len(value)} bytes]"
        case Mapping() if depth < _DEEPEST:
            items = list(value.items())[:_MOST]
            return {scrub(str(k)[:_LONGEST]): clean(str(k), v, depth + 1) for k, v in items}
        case list() | tuple() | set() | frozenset() if depth < _DEEPEST:
            return [clean(name, item, depth + 1) for item in list(value)[:_MOST]]
        case BaseException():
            return scrub(f"{type(value).__name__}: {value}"[:_LONGEST])
        case _:
            return scrub(repr(value)[:_LONGEST])


# --- Writing ------------------------------------------------------------------------------------------

_QUERY = re.compile(r"\?[^\s\"']*")


class _Facts(logging.Formatter):
    """What both forms have in common: a record as clean facts, in the order to be written."""

    def facts(self, record: logging.LogRecord) -> dict[str, Any]:
        """Time (UTC, ms), level, logger and event; the fields; the request."""
        event, fields = _content(record)
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        found: dict[str, Any] = {
            "time": f"{seconds}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name.removeprefix(f"{_ROOT}."),
            "event": scrub(event[:_LONGEST]),
        }
        for name, value in fields.items():
            found[f"{name}_" if name in found else name] = clean(name, value)
        if (request := _request.get()) is not None:
            found["request"] = clean("request", request)
        return found

    def trace(self, record: logging.LogRecord) -> str | None:
        """Where an exception comes from. Not kept in the record, where other formatters would find it uncleaned."""
        if not record.exc_info or record.exc_info[0] is None:
            return None
        return scrub(self.formatException(record.exc_info)[: 10 * _LONGEST])


class JsonLines(_Facts):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        facts = self.facts(record)
        if (trace := self.trace(record)) is not None:
            facts["exception"] = trace
        return json.dumps(facts, separators=(",", ":"))


class TextLines(_Facts):
    """`TIME LEVEL PART EVENT name=value ...`; an exception follows in lines that begin with a bar."""

    def format(self, record: logging.LogRecord) -> str:
        facts = self.facts(record)
        at, level, logger, event = (facts.pop(name) for name in ("time", "level", "logger", "event"))
        words = [at, f"{level:<7}", logger, escape(event), *(f"{name}={_word(value)}" for name, value in facts.items())]
        lines = [" ".join(words), *(f"  | {escape(line)}" for line in (self.trace(record) or "").splitlines())]
        return "\n".join(lines)


def _content(record: logging.LogRecord) -> tuple[str, Mapping[str, object]]:
    """The event and its fields, whoever made the record."""
    fields = getattr(record, "fields", None)
    if isinstance(fields, Mapping):
        return str(record.msg), fields
    if record.name == "uvicorn.access" and isinstance(record.args, tuple) and len(record.args) == 5:
        address, method, path, _, status = record.args
        return "request", {"method": method, "path": _QUERY.sub("", str(path)), "status": status, "from": address}
    message = record.getMessage().strip()
    return (_QUERY.sub("", message) if record.name.startswith("uvicorn") else message), {}


def _word(value: object) -> str:
    """A value in a line of text: as it is when it is one plain word, else as JSON."""
    if isinstance(value, str) and value.isprintable() and value and not set(value) & set(" \"'="):
        return value
    return escape(json.dumps(value, ensure_ascii=False))


class Lines(logging.StreamHandler[TextIO]):
    """Writes lines. A record that cannot be written is not shown in any other way: the usual report would be raw."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  (logging's name)
        with_line = record.pathname.rpartition("/")[2], record.lineno
        try:
            self.stream.write("a log record of {}:{} cannot be written\n".format(*with_line))
        except (OSError, ValueError):
            return  # stderr is gone, and with it the last one to tell


# --- Setting up ---------------------------------------------------------------------------------------

_LEVELS: dict[Level, int] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}
_OWN_HANDLERS = ("uvicorn", "uvicorn.error", "uvicorn.access")
_CHATTY = ("httpx", "httpcore")


def set_up(level: Level = "info", form: Form = "text", stream: TextIO | None = None) -> None:
    """Everything that is logged in this process goes to stderr (or `stream`) in this form; a later call replaces this.

    `debug` is for our own events alone: at that level libraries print headers and frames.
    Start uvicorn with `log_config=None` and `log_level=None`, else it takes its loggers back.
    """
    handler = Lines(stream or sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    root = logging.getLogger()
    for former in [one for one in root.handlers if isinstance(one, Lines)]:
        root.removeHandler(former)
    root.addHandler(handler)
    root.setLevel(max(_LEVELS[level], logging.INFO))
    logging.getLogger(_ROOT).setLevel(_LEVELS[level])
    for name in _OWN_HANDLERS:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(logging.NOTSET)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
