"""What went wrong, as the wire says it: RFC 9457 documents from a closed list, in English and Japanese.

    raise Problem("forbidden", "scope", scope="arbitrate")

The words stand in problems.toml: for every code a title, what it means and what to do about it, and the sentences that
go into `detail`, by key. What a caller sent comes back at most in part, and with nothing invisible in it.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from server.limits import whole_seconds
from server.logs import escape, scrub

MEDIA_TYPE = "application/problem+json"

Code = Literal[
    "malformed",
    "unauthorized",
    "forbidden",
    "not_your_seat",
    "registration_closed",
    "not_found",
    "method_not_allowed",
    "not_acceptable",
    "refused",
    "seat_taken",
    "frozen",
    "disputed",
    "ended",
    "read_only",
    "offer_changed",
    "in_progress",
    "stale",
    "log_forked",
    "too_large",
    "unsupported_media_type",
    "key_reused",
    "invalid",
    "bad_archive",
    "rate_limited",
    "internal",
    "unavailable",
    "no_room",
]

CODES: tuple[Code, ...] = get_args(Code)

Language = Literal["en", "ja"]

LANGUAGES: tuple[Language, ...] = get_args(Language)

LONGEST_VALUE = 80
"""Characters of a value that a detail repeats."""

_LONGEST_DETAIL = 400
_LONGEST_EXTENSION = 200
_RESERVED = frozenset({"type", "title", "status", "instance"})


# --- The words ----------------------------------------------------------------------------------------


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One text in every language."""

    en: str
    ja: str

    def to(self, language: str) -> str:
        """In Japanese for `ja`, else in English."""
        return self.ja if language == "ja" else self.en


class Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a code stands for."""

    status: int
    title: Said
    means: Said
    do: Said


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    problem: dict[str, Kind]
    detail: dict[str, Said]


def _load() -> _Words:
    words = msgspec.convert(tomllib.loads(Path(__file__).with_name("problems.toml").read_text("utf-8")), _Words)
    if tuple(words.problem) != CODES:
        raise LookupError("problems.toml needs exactly the codes of problems.py, in their order")
    return words


_WORDS = _load()
KINDS: Mapping[str, Kind] = _WORDS.problem
DETAILS: Mapping[str, Said] = _WORDS.detail


# --- A problem ----------------------------------------------------------------------------------------


class Problem(Exception):  # noqa: N818  (the wire's word)
    """A refusal on its way to the client.

    `detail`: a key of problems.toml, whose places the extensions fill; or a sentence, or one for each language; None
    for what the code means in general. `extensions`: further members of the document. `headers` of the answer are
    completed by what the status requires: `Retry-After` (whole seconds, from `retry_after`), `WWW-Authenticate`.
    """

    def __init__(
        self,
        code: Code,
        detail: str | Mapping[Language, str] | None = None,
        *,
        retry_after: float | None = None,
        headers: Mapping[str, str] | None = None,
        **extensions: object,
    ) -> None:
        """Raises: ValueError for an unknown code, an extension by a reserved name, or a place left empty."""
        if code not in KINDS:
            raise ValueError(f"{code!r} is no problem of ours")
        super().__init__(code)
        self.code: Code = code
        self.status = KINDS[code].status
        self.headers = {**_headers(self.status, retry_after), **(headers or {})}
        self._detail = detail
        self._extensions = extensions
        if clash := _RESERVED & extensions.keys():
            raise ValueError(f"a problem's own members: {', '.join(sorted(clash))}")
        if missing := _places(detail) - extensions.keys():
            raise ValueError(f"detail {detail!r} lacks {', '.join(sorted(missing))}")

    def __repr__(self) -> str:
        return f"Problem({self.code!r})"

    def document(self, language: str) -> dict[str, Any]:
        """The members of the document, its title and detail in this language (English for any that is not spoken)."""
        return {
            "type": f"/problems/{self.code}",
            "title": KINDS[self.code].title.to(language),
            "status": self.status,
            "detail": self.detail(language),
            "code": self.code,
            **{name: _extension(value) for name, value in self._extensions.items()},
        }

    def detail(self, language: str) -> str:
        """The sentence for people."""
        match self._detail:
            case None:
                return KINDS[self.code].means.to(language)
            case str() as key if key in DETAILS:
                values = {name: shown(value) for name, value in self._extensions.items()}
                return DETAILS[key].to(language).format_map(values)
            case str() as text:
                return _cut(text, _LONGEST_DETAIL)
            case both:
                return _cut(both["ja" if language == "ja" else "en"], _LONGEST_DETAIL)


def shown(value: object) -> str:
    """A value from outside as a detail may repeat it: short, visible, without secrets."""
    if isinstance(value, list | tuple | set | frozenset):
        return _cut(", ".join(map(str, list(value)[:LONGEST_VALUE])), LONGEST_VALUE)
    return _cut(str(value), LONGEST_VALUE)


def _cut(text: str, longest: int) -> str:
    # Scrubbed before it is cut, else half a secret might pass; but not all of a text of any length.
    clean = escape(scrub(text[: 4 * longest]))
    return clean if len(clean) <= longest else f"{clean[: longest - 1]}…"


def _extension(value: object) -> object:
    match value:
        case str():
            return _cut(value, _LONGEST_EXTENSION)
        case int() if abs(value) >= 1 << 53:
            return str(value)[:LONGEST_VALUE]  # no coding keeps it as it is, and not every one takes it
        case _:
            return value


def _places(detail: object) -> set[str]:
    """What a detail by key has to be filled with."""
    if not isinstance(detail, str) or detail not in DETAILS:
        return set()
    return set(re.findall(r"{(\w+)}", DETAILS[detail].en))


def _headers(status: int, retry_after: float | None) -> dict[str, str]:
    if status == 401:
        return {"WWW-Authenticate": 'Bearer realm="comitium"'}
    if status in (429, 503):
        return {"Retry-After": str(whole_seconds(retry_after or 0.0))}
    return {}


# --- Languages and help -------------------------------------------------------------------------------

_RANGE = re.compile(
    r"\s*(?P<tag>\*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)\s*(?:;\s*[qQ]=(?P<q>0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?"
)
_LONGEST_HEADER = 1000
_REFUSED = 0.0
_UNNAMED = 1e-6
"""Less than any quality that can be written, yet better than refused."""


def language_of(accept_language: str | None) -> Language:
    """The language that the header likes best (RFC 9110, 12.5.4); of equals the one named first, else English.

    A range such as `ja-JP` is content with `ja` (RFC 4647, 3.4). What is malformed counts as not there.
    """
    wishes: dict[str, float] = {}
    for part in (accept_language or "")[:_LONGEST_HEADER].split(","):
        if found := _RANGE.fullmatch(part):
            language = found["tag"].lower().partition("-")[0]
            wishes[language] = max(float(found["q"] or 1), wishes.get(language, _REFUSED))
    others = wishes.get("*", _UNNAMED)
    named = [language for language, quality in wishes.items() if language in LANGUAGES and quality > _REFUSED]
    best = max((*named, *LANGUAGES), key=lambda language: wishes.get(language, others))
    return "ja" if best == "ja" else "en"


def help_page(code: str, language: str) -> str | None:
    """What the problem of this code means and what to do, as plain text; None for an unknown code."""
    kind = KINDS.get(code)
    if kind is None:
        return None
    return f"{kind.title.to(language)} ({code}, {kind.status})\n\n{kind.means.to(language)}\n\n{kind.do.to(language)}\n"
