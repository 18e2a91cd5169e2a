"""Harbour with something wrong in it: what happens when the warden admits a ship to the south."""

from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace

from tests.games import sample

SOUTH = {"type": "admit", "pier": "south"}
NORTH = {"type": "admit", "pier": "north"}


def faulty(**parts: Any) -> Any:
    """Harbour with some of its functions changed."""
    own = {name: getattr(sample, name) for name in vars(sample) if not name.startswith("_")}
    return SimpleNamespace(**{**own, "__name__": sample.__name__, **parts})


def is_south(thing: Any) -> bool:
    """Whether it is a ship to the south, or the harbour after one."""
    return getattr(thing, "pier", None) == "south" or "south" in getattr(thing, "piers", ())


def failing(error: BaseException) -> Any:
    """A game whose decision raises that."""

    def decide(state: Any, seat: int, action: Any, chance: Any) -> Any:
        if is_south(action):
            raise error
        return sample.decide(state, seat, action, chance)

    return faulty(decide=decide)


def endless(*, stubborn: bool = False) -> Any:
    """A game whose decision never ends; a stubborn one catches whatever it can."""

    def decide(state: Any, seat: int, action: Any, chance: Any) -> Any:
        while is_south(action):
            try:
                sum(range(100))
            except Exception:
                if not stubborn:
                    raise
        return sample.decide(state, seat, action, chance)

    return faulty(decide=decide)


def spoilt(part: str) -> Any:
    """A game in which that function fails once a ship has come to the south."""
    good = getattr(sample, part)

    def bad(*args: Any) -> Any:
        if any(is_south(arg) for arg in args):
            raise RuntimeError("spoilt")
        return good(*args)

    return faulty(**{part: bad})


def minting() -> Any:
    """A game in which a ship to the south brings a chip from nowhere."""

    def evolve(state: Any, event: Any) -> Any:
        after = sample.evolve(state, event)
        if isinstance(event, sample.Admitted) and event.pier == "south":
            return replace(after, purses=replace(after.purses, bank=after.purses.bank + 1))
        return after

    return faulty(evolve=evolve)


def stuck() -> Any:
    """A game in which nobody can do anything once a ship has come to the south."""

    def asks(state: Any, seat: int) -> Any:
        return () if is_south(state) else sample.asks(state, seat)

    return faulty(asks=asks)


def unwritable() -> Any:
    """A game whose event cannot be written down."""

    def decide(state: Any, seat: int, action: Any, chance: Any) -> Any:
        events = sample.decide(state, seat, action, chance)
        if is_south(action):
            return [replace(events[0], pier=object()), *events[1:]]
        return events

    return faulty(decide=decide)
