"""The words that every game shares: seats, actions, events, asks, windows, outcomes, and what a game is.

A game is a module that satisfies `Game`. It is pure: `open` and `decide` say what happens (events), `evolve`
applies one event, everything else reads the state. What an audience may know is the fold of the events as
`redact` leaves them for that audience; there is no second way to compute what a seat sees.
"""

from collections.abc import Container, Iterable, Sequence
from functools import cache
from typing import Any, ClassVar, Protocol, runtime_checkable

import msgspec

from games.chance import Source

Seat = int
"""0..n-1 in turn order; the next seat is the left neighbour, which is clockwise."""

Audience = int | None
"""Who reads: a seat, or None for everybody (spectators)."""

Value = str | int | bool | None
"""What a field of an action may hold, one by one or as a list."""

Partial = dict[str, Any]
"""An action of which some fields may be absent: `{"type": "place", "pan": "innocent"}` matches any counter."""


def snake(name: str) -> str:
    """The wire's name of a class: `OfferEnded` -> `offer_ended`."""
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name))


class Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag=snake):
    """What a seat wants to do. `sealed`: a field is not public at once, so others read the type alone."""

    sealed: ClassVar[bool] = False


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag=snake):
    """A fact, past tense. Unknown fields are refused: a reader that is too old must stop, not guess. A field that is
    added later has a default, and is left out while it has it, so that old entries keep their bytes.
    """


class Refused(Exception):  # noqa: N818  (the word of the field: an action is refused)
    """The rules do not allow this. `code` is for programs; the sentence stands in the texts under `key`."""

    def __init__(self, code: str, key: str | None = None, **params: Value) -> None:
        self.code = code
        self.key = key or f"refused.{code}"
        self.params = params
        super().__init__(code)


# --- Domains: what may stand in a field of an action -------------------------------------------------


class OneOf(msgspec.Struct, frozen=True):
    """Exactly one of the values."""

    one_of: tuple[Value, ...]


class Between(msgspec.Struct, frozen=True):
    """A whole number, both ends included; always bounded."""

    min: int
    max: int


class SomeOf(msgspec.Struct, frozen=True, omit_defaults=True):
    """A list of `min` to `max` of the values; a set in any order, or a bag when `repeats`."""

    some_of: tuple[Value, ...]
    min: int
    max: int
    repeats: bool = False


class Text(msgspec.Struct, frozen=True):
    """Free text of 1 to `text` characters."""

    text: int


class Match(msgspec.Struct, frozen=True, omit_defaults=True):
    """A partial action over the public deeds of the window of that id; null too when `or_null`."""

    match: str
    or_null: bool = False


class Deed(msgspec.Struct, frozen=True):
    """A partial action: of this ask's type, and of its fields any, each within its domain."""

    deed: "Ask"


class EntryAfter(msgspec.Struct, frozen=True):
    """The number of an entry after that one which a dispute may name first (`GET /v1/tables/{id}/disputes` lists them)."""

    entry_after: int


Domain = OneOf | Between | SomeOf | Text | Match | Deed | EntryAfter


class Ask(msgspec.Struct, frozen=True):
    """An action open to a seat now. Every field listed is required. While `must`, the table waits for the seat."""

    type: str
    fields: dict[str, Domain] = {}
    must: bool = True


class Window(msgspec.Struct, frozen=True):
    """A decision that is open, or (`open` false) that the rules have already fixed to come.

    `talk` and `offers`: the seats that may speak and that may offer chips now. `deeds`: the deciders' asks as
    everybody may know them. The id never repeats; a window is closed when its id is gone.
    """

    id: str
    kind: str
    deciders: tuple[Seat, ...]
    open: bool
    talk: tuple[Seat, ...]
    offers: tuple[Seat, ...]
    deeds: tuple[Ask, ...]


class Outcome(msgspec.Struct, frozen=True):
    """How it ended: the winners (none in a draw without a winner), a score per seat, and a text key that says why."""

    winners: tuple[Seat, ...]
    scores: tuple[int, ...]
    why: str


class Purses(msgspec.Struct, frozen=True):
    """Who holds the chips. A hidden purse is None. The bank may go below zero: it has no limit in any of these games."""

    seats: tuple[int | None, ...]
    escrow: tuple[int, ...]
    pot: int = 0
    bank: int = 0

    def total(self) -> int | None:
        """The sum over all holders, which no event may change; None while a purse is hidden."""
        known = [chips for chips in self.seats if chips is not None]
        if len(known) < len(self.seats):
            return None
        return sum(known) + sum(self.escrow) + self.pot + self.bank


class Game(Protocol):
    """What a game's module offers. States are frozen structs with tuples; a value that may be hidden can be None."""

    name: str
    version: int
    """Changes whenever `decide` may answer differently to the same state, action and chance."""
    seats: range
    Options: type[Any]
    State: Any
    Action: Any
    """The union of the game's action classes (subclasses of `core.Action`)."""
    Event: Any
    """The union of the game's event classes, with those of `games.bargaining` where the game folds them."""

    def open(self, options: Any, seats: int, chance: Source) -> Sequence[Any]:
        """The events that set the table up; the first creates the state."""

    def evolve(self, state: Any, event: Any) -> Any:
        """The state after the event. Never draws, never derives a public fact from a hidden one."""

    def asks(self, state: Any, seat: Seat) -> Sequence[Ask]:
        """What the seat may do now; the same from the truth and from the seat's own view."""

    def decide(self, state: Any, seat: Seat, action: Any, chance: Source) -> Sequence[Any]:
        """The events that the action causes. The action is a member of the asks, else `Refused` is raised.

        Offers are paid or end after these events, in the same entry: a settlement only adds, and does not look at purses.
        """

    def redact(self, event: Any, seat: Audience) -> Any:
        """The event as the audience may read it: the same object when nothing is hidden from it."""

    def discloses(self, event: Any) -> frozenset[Audience]:
        """Who learned by this event what was hidden before, or what came from a draw."""

    def outcome(self, state: Any) -> Outcome | None:
        """How it ended, or None while it goes on; the same from every view. Asked last of all, when offers are paid."""

    def bound(self, options: Any, seats: int) -> int:
        """The number of must-actions after which every game has ended."""


@runtime_checkable
class Moneyed(Protocol):
    """A game with chips. It folds the events of bargaining that move them (`games.bargaining.move_chips`)."""

    def purses(self, state: Any) -> Purses: ...


@runtime_checkable
class Bargained(Protocol):
    """A game with decisions over which one may bargain, or during which talk is closed."""

    def windows(self, state: Any) -> Sequence[Window]: ...

    def turn(self, state: Any) -> str:
        """The trial or turn that is being played, under a name that does not come again; the same from every view.

        A payment that somebody promises falls due when it is over.
        """


@runtime_checkable
class Fitted(Protocol):
    """A game that is not for any number of its seats with every option."""

    def seats_for(self, options: Any) -> range:
        """For how many it is, with these options."""
        ...


class Verdict(msgspec.Struct, frozen=True):
    """What a trial came to. `about`: what was judged (a colour, a case), as a value with a label."""

    verdict: str
    about: str


@runtime_checkable
class Judged(Protocol):
    """A game in which what several seats do is weighed into one verdict, so that one can ask what a deed was worth."""

    def verdict(self, state: Any, event: Any) -> Verdict | None:
        """The verdict that the event is; None for any other. `state`: what it is reached from."""

    def supports(self, deed: Partial) -> str | None:
        """The verdict that such a deed works for; None when that cannot be said."""

    def without(self, state: Any, seat: Seat, deed: Partial) -> str | None:
        """What the verdict would be from this state, had the seat not done one deed of that description, all else equal.

        None when no such deed weighs here.
        """


MOST_SEATS = 100
"""No table has more."""


def unknown(count: int, most: int) -> tuple[None, ...]:
    """So many cards or other things that the reader does not know. A log that somebody has made up may name any number.

    Raises:
        ValueError: there are not so many of them.
    """
    if not 0 <= count <= most:
        raise ValueError(f"{count} of at most {most} cannot be")
    return (None,) * count


def fold(game: Game, events: Iterable[Any], state: Any = None) -> Any:
    """The state after the events."""
    for event in events:
        state = game.evolve(state, event)
    return state


# --- Membership: legality exists once, in the asks ----------------------------------------------------


def permits(asks: Iterable[Ask], action: Action, windows: Sequence[Window] = (), entries: Container[int] = ()) -> bool:
    """Whether the action is a member of any of the asks."""
    return bool(permitting(asks, action, windows, entries))


def permitting(
    asks: Iterable[Ask], action: Action, windows: Sequence[Window] = (), entries: Container[int] = ()
) -> list[Ask]:
    """Those of the asks that the action is a member of."""
    tag = tag_of(type(action))
    return [ask for ask in asks if ask.type == tag and not outside(ask, action, windows, entries)]


def within(ask: Ask, action: Action, windows: Sequence[Window] = (), entries: Container[int] = ()) -> bool:
    """Whether every field of the action (of the ask's type) lies in its domain."""
    return not outside(ask, action, windows, entries)


def outside(ask: Ask, action: Action, windows: Sequence[Window] = (), entries: Container[int] = ()) -> tuple[str, ...]:
    """The fields of the action (of the ask's type) that do not lie in their domains."""
    names = attributes(type(action))
    found: tuple[str, ...] = ()
    for name, domain in ask.fields.items():
        if not contains(domain, getattr(action, names[name]), windows, entries):
            found = (*found, name)
    return found


@cache
def attributes(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Where a field of the wire stands in the class: `from` cannot be an attribute."""
    return dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))


def contains(domain: Domain, value: Any, windows: Sequence[Window] = (), entries: Container[int] = ()) -> bool:
    """Whether the value lies in the domain; `windows` are needed for `Match` alone, `entries` for `EntryAfter`."""
    match domain:
        case OneOf(values):
            return is_in(value, values)
        case Between(low, high):
            return type(value) is int and low <= value <= high
        case SomeOf(values, low, high, repeats):
            return (
                isinstance(value, tuple)
                and low <= len(value) <= high
                and all(is_in(item, values) for item in value)
                and (repeats or len(set(value)) == len(value))
            )
        case Text(length):
            return isinstance(value, str) and 1 <= len(value) <= length and bool(value.strip())
        case Match(window, or_null):
            return or_null if value is None else matches_window(value, window, windows)
        case Deed(deed):
            return isinstance(value, dict) and describes(value, deed, windows)
        case EntryAfter(first):
            return type(value) is int and value > first and value in entries


def is_in(value: Any, values: tuple[Value, ...]) -> bool:
    """Membership by type as well: True is not 1."""
    return any([item == value and type(item) is type(value) for item in values])


def matches_window(partial: Any, window: str, windows: Sequence[Window]) -> bool:
    """Whether the partial action could describe a deed of that window."""
    if not isinstance(partial, dict):
        return False
    deeds = next((w.deeds for w in windows if w.id == window), ())
    return any(describes(partial, deed, windows) for deed in deeds)


def describes(partial: Partial, deed: Ask, windows: Sequence[Window] = ()) -> bool:
    """Whether the partial action fits the deed: its type, and for the fields that it names, their domains."""
    named = {name: value for name, value in partial.items() if name != "type"}
    return partial.get("type") == deed.type and all(
        name in deed.fields and contains(deed.fields[name], tuple(value) if isinstance(value, list) else value, windows)
        for name, value in named.items()
    )


def covers(partial: Partial, deed: dict[str, Any]) -> bool:
    """Whether a deed (an action as plain values) is one of those that the partial action describes."""
    return all(name in deed and deed[name] == value for name, value in partial.items())


def type_of(thing: Action | Event) -> str:
    """The wire's name of an action or event."""
    return tag_of(type(thing))


@cache
def tag_of(kind: type[msgspec.Struct]) -> str:
    """The wire's name of a class of actions or events."""
    return str(kind.__struct_config__.tag)


def plain(action: Action) -> dict[str, Any]:
    """The action as plain values, its `type` included."""
    values: dict[str, Any] = msgspec.to_builtins(action)
    return values


# --- Files that an operator may install: decks, boards ------------------------------------------------


class Installed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of the operator's, as a table was opened with it: its SHA-256 (hex), and what stands in it as plain values."""

    sha256: str
    content: dict[str, Any]


class BadFile(ValueError):  # noqa: N818  (it is said of the file)
    """The file cannot be used. `line`: where, from 1, if that can be said; `reason`: for programs; the sentence is for people."""

    def __init__(self, line: int | None, reason: str, sentence: str) -> None:
        super().__init__(sentence if line is None else f"line {line}: {sentence}")
        self.line = line
        self.reason = reason
        self.sentence = sentence


@runtime_checkable
class Furnished(Protocol):
    """A game whose decks or boards are files. For each kind K of file its Options have two fields: `K`, the name, and
    `K_file` (`Installed | None`), what stands in a file that is not the game's own; only the server fills that in.
    """

    furniture: dict[str, tuple[str, ...]]
    """The kinds of files, with the names of those that the game brings along, the default first."""

    def furnish(self, kind: str, text: str) -> dict[str, Any]:
        """The content of such a file (TOML), valid, as plain values.

        Raises:
            BadFile: it cannot be used.
        """
