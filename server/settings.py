"""What can be set: by the command line, else by an environment variable `COMITIUM_...`, else by these defaults.

Every setting says what it means and what it may be, so the command's help, the documents and the errors agree.
"""

import re
from collections.abc import Mapping
from functools import cache
from ipaddress import ip_address
from typing import Annotated, Any, Literal, Self

import msgspec
from msgspec import Meta, inspect

from server.logs import scrub

Store = Literal["memory", "sqlite", "redis"]

PREFIX = "COMITIUM_"

Count = Annotated[int, Meta(ge=1, le=1_000_000)]
PerSecond = Annotated[float, Meta(ge=0.01, le=1_000_000)]
Seconds = Annotated[float, Meta(ge=0.1, le=3600)]


class Rate(msgspec.Struct, frozen=True):
    """So many a second on average, and up to `burst` at one go."""

    per_second: float
    burst: int

    @property
    def seconds_to_fill(self) -> float:
        """How long an empty bucket needs to be full."""
        return self.burst / self.per_second


class SettingError(ValueError):
    """A setting that cannot be used. `variable`: what set it; `value`: as it was given; `allowed`: in words."""

    def __init__(self, variable: str, value: object, allowed: str) -> None:
        self.variable = variable
        self.value = scrub(str(value))
        self.allowed = allowed
        super().__init__(f"{variable} is {self.value!r}; allowed is {allowed}.")


class Setting(msgspec.Struct, frozen=True):
    """One setting for people: its name, how to set it, its default as one would write it, what it may be and means."""

    name: str
    option: str
    variable: str
    default: str
    allowed: str
    meaning: str


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All that can be set. Sizes are bytes, times seconds, unless the meaning says otherwise."""

    host: Annotated[str, Meta(description="The address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535, description="The port to listen on; 0 takes a free one.")] = 8000
    store: Annotated[str, Meta(description="Where the log of all tables is kept; `memory:` is gone when it stops.")] = (
        "sqlite:comitium.sqlite"
    )
    accounts: Annotated[
        str | None,
        Meta(description="Where players, tokens, invites and keys are kept; by default a file beside the store."),
    ] = None
    archives: Annotated[
        str | None,
        Meta(description="Where archives from elsewhere are kept; by default a folder beside the store."),
    ] = None
    archive_limit: Annotated[
        int, Meta(ge=1024, le=1 << 30, description="The greatest archive that may be brought, in bytes.")
    ] = 1 << 24
    archives_limit: Annotated[
        int, Meta(ge=1024, le=1 << 40, description="What all archives together may take, in bytes.")
    ] = 1 << 30
    furniture: Annotated[
        str | None,
        Meta(description="A folder with decks and boards of your own, as FOLDER/GAME/KIND/NAME.toml."),
    ] = None
    registration: Annotated[
        Literal["open", "closed"] | None,
        Meta(
            description="Whether anybody may register; by default only while the host is a loopback address. "
            "Behind a proxy the host often is one: say `closed` there to close it."
        ),
    ] = None
    trusted_proxies: Annotated[
        tuple[str, ...],
        Meta(
            description="Addresses of proxies whose X-Forwarded-For says who calls. Without one, nobody's is believed."
        ),
    ] = ()
    cors_origins: Annotated[
        tuple[str, ...], Meta(description="Origins whose pages may call this server from a browser.")
    ] = ()
    body_limit: Annotated[
        int, Meta(ge=1024, le=1 << 26, description="The greatest body and socket frame, in bytes.")
    ] = 65536
    text_limit: Annotated[int, Meta(ge=100, le=1 << 20, description="The longest text in a body, in characters.")] = (
        4096
    )
    tables_in_memory: Annotated[
        Count, Meta(description="Tables kept in memory, besides those in use; a long game takes about 2 MB.")
    ] = 1000
    socket_queue: Annotated[
        Count, Meta(description="Frames that wait for a slow socket or stream before it is closed.")
    ] = 256
    sockets_per_player: Annotated[
        Count, Meta(description="Sockets and streams that a player may hold at once; without a token, an address.")
    ] = 32
    action_rate: Annotated[PerSecond, Meta(description="Actions a second for each token.")] = 50.0
    action_burst: Annotated[Count, Meta(description="Actions at one go for each token.")] = 200
    creation_rate: Annotated[
        PerSecond, Meta(description="Tables, seats, invites and tokens a second for each token.")
    ] = 20.0
    creation_burst: Annotated[
        Count, Meta(description="Tables, seats, invites and tokens at one go for each token.")
    ] = 200
    read_rate: Annotated[PerSecond, Meta(description="Reads a second for each token; without one, for an address.")] = (
        200.0
    )
    read_burst: Annotated[Count, Meta(description="Reads at one go for each token; without one, for an address.")] = (
        1000
    )
    registration_rate: Annotated[PerSecond, Meta(description="Registrations a second from one address.")] = 5.0
    registration_burst: Annotated[Count, Meta(description="Registrations at one go from one address.")] = 50
    decision_seconds: Annotated[
        Seconds, Meta(description="How long the rules may think about one action before the table is frozen.")
    ] = 2.0
    keepalive_seconds: Annotated[
        Seconds, Meta(description="A sign of life on a silent stream or socket, so often.")
    ] = 15.0
    shutdown_seconds: Annotated[Seconds, Meta(description="How long requests may take to finish at the end.")] = 10.0
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="The least event that is logged.")
    ] = "info"
    log_format: Annotated[Literal["text", "json"], Meta(description="Lines for people or for programs, on stderr.")] = (
        "text"
    )
    unsafe_unlimited: Annotated[
        bool, Meta(description="No limits of rate and number for anybody. For benchmarks only.")
    ] = False

    @classmethod
    def load(cls, environ: Mapping[str, str], **overrides: object) -> Self:
        """What the command line gives (`overrides`; None for an option that was not used), else the environment.

        An empty variable counts as one that is not set.

        Raises:
            SettingError: a value is not allowed.
            TypeError: an override of something that is no setting.
        """
        if unknown := overrides.keys() - {setting.name for setting in describe()}:
            raise TypeError(f"no settings: {', '.join(sorted(unknown))}")
        given = {}
        for setting in describe():
            override = overrides.get(setting.name)
            if override not in (None, ()):
                given[setting.name] = _read(setting, setting.option, override)
            elif variable := environ.get(setting.variable, "").strip():
                given[setting.name] = _read(setting, setting.variable, variable)
        return cls(**given)

    def __repr__(self) -> str:
        shown = (f"{name}={scrub(repr(getattr(self, name)))}" for name in self.__struct_fields__)
        return f"Settings({', '.join(shown)})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [(name, scrub(str(getattr(self, name)))) for name in self.__struct_fields__]

    @property
    def store_kind(self) -> Store:
        """Which store the address names."""
        if self.store == "memory:":
            return "memory"
        return "sqlite" if self.store.startswith("sqlite:") else "redis"

    @property
    def store_path(self) -> str:
        """The file of a SQLite store."""
        return self.store.removeprefix("sqlite:")

    @property
    def accounts_at(self) -> str:
        """Where the accounts are: a path, or `memory:`."""
        if self.accounts is not None:
            return self.accounts
        beside = {"memory": "memory:", "sqlite": f"{self.store_path}.accounts", "redis": "comitium.sqlite.accounts"}
        return beside[self.store_kind]

    @property
    def archives_at(self) -> str:
        """Where the archives are: a folder, or `memory:`."""
        if self.archives is not None:
            return self.archives
        beside = {"memory": "memory:", "sqlite": f"{self.store_path}.archives", "redis": "comitium.archives"}
        return beside[self.store_kind]

    @property
    def registration_open(self) -> bool:
        """Whether anybody may register."""
        return self.registration == "open" or (self.registration is None and _is_loopback(self.host))

    @property
    def actions(self) -> Rate | None:
        """For each token; None for no limit, as in the following."""
        return self._rate(self.action_rate, self.action_burst)

    @property
    def creations(self) -> Rate | None:
        """For each token."""
        return self._rate(self.creation_rate, self.creation_burst)

    @property
    def reads(self) -> Rate | None:
        """For each token; without one, for an address."""
        return self._rate(self.read_rate, self.read_burst)

    @property
    def registrations(self) -> Rate | None:
        """For each address."""
        return self._rate(self.registration_rate, self.registration_burst)

    @property
    def sockets(self) -> int | None:
        """Sockets and streams for each player; without a token, for an address."""
        return None if self.unsafe_unlimited else self.sockets_per_player

    def _rate(self, per_second: float, burst: int) -> Rate | None:
        return None if self.unsafe_unlimited else Rate(per_second, burst)


# --- Each setting by itself ---------------------------------------------------------------------------

_FORMS = {
    "host": re.compile(r"[A-Za-z0-9.:_-]+(%[A-Za-z0-9._-]+)?"),
    "store": re.compile(r"memory:|sqlite:(?!:memory:).+|rediss?://.+"),
    "trusted_proxies": re.compile(r"[0-9A-Fa-f.:]+(/[0-9]{1,3})?"),
    "cors_origins": re.compile(r"\*|https?://[^\s/?#@,*]+"),
}
_WORDS = {
    "host": "an address or a host's name, without a scheme or a port",
    "store": "'sqlite:PATH', 'memory:' or 'redis://...'",
    "accounts": "a path, or 'memory:'",
    "archives": "a folder's path, or 'memory:'",
    "furniture": "a folder's path",
    "trusted_proxies": "addresses or networks such as '127.0.0.1,10.0.0.0/8'",
    "cors_origins": "origins such as 'https://play.example.org' with commas between, or '*'",
}


@cache
def describe() -> tuple[Setting, ...]:
    """Every setting, for the command's help and the documents."""
    return tuple(_describe(field) for field in msgspec.structs.fields(Settings))


def _describe(field: msgspec.structs.FieldInfo) -> Setting:
    kind = inspect.type_info(field.type)
    meaning = ""
    if isinstance(kind, inspect.Metadata):
        meaning, kind = (kind.extra_json_schema or {}).get("description", ""), kind.type
    return Setting(
        name=field.name,
        option="--" + field.name.replace("_", "-"),
        variable=PREFIX + field.name.upper(),
        default=_written(field.default),
        allowed=_WORDS.get(field.name) or _allowed(kind),
        meaning=meaning,
    )


def _allowed(kind: inspect.Type) -> str:
    match kind:
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            return f"a whole number from {kind.ge} to {kind.le}"
        case inspect.FloatType():
            return f"a number from {kind.ge} to {kind.le}"
        case inspect.LiteralType():
            return ", ".join(repr(value) for value in kind.values)
        case inspect.UnionType():
            return " or ".join(_allowed(one) for one in kind.types if not isinstance(one, inspect.NoneType))
        case _:
            raise TypeError(f"no words for {kind}")


def _written(value: object) -> str:
    """A default as one would write it; empty for what is not set."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case tuple():
            return ",".join(value)
        case float():
            return f"{value:g}"
        case _:
            return str(value)


def _read(setting: Setting, source: str, raw: object) -> Any:
    """The value as its type, if it is allowed."""
    field = next(field for field in msgspec.structs.fields(Settings) if field.name == setting.name)
    split = tuple(part.strip() for part in raw.split(",")) if isinstance(raw, str) and field.default == () else raw
    try:
        value = _convert(split, field.type)
    except msgspec.ValidationError:
        raise SettingError(source, raw, setting.allowed) from None
    form = _FORMS.get(setting.name)
    for part in value if isinstance(value, tuple) else (value,):
        if form and not form.fullmatch(part):
            raise SettingError(source, raw, setting.allowed)
    return value


def _convert(raw: object, kind: Any) -> Any:
    if raw == "null":  # msgspec reads it as None, which one says by leaving a setting out
        raise msgspec.ValidationError
    return msgspec.convert(raw, kind, strict=False)


def _is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host. A name that is not `localhost` may mean anything."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
