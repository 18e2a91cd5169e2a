"""The seed, what the seats gave to it, and the numbers of the draws: what can be checked of chance without the rules."""

from typing import Any

import msgspec

from games import chance
from games.core import tag_of
from games.table import events as happened
from projections import codec
from projections.verification.pieces import Wrong

_WANTED = (
    happened.SeedSealed, happened.EntropyGiven, happened.Risen, happened.Started, happened.SeedDisclosed,
)  # fmt: skip
_TAGS = frozenset(tag_of(kind) for kind in _WANTED)
_DISCLOSED = tag_of(happened.SeedDisclosed).encode()


class Seeds:
    """Follows a log, entry by entry."""

    def __init__(self) -> None:
        self.sealed: str | None = None
        """The seed, where the reader may see it in entry 1."""
        self.disclosed = False
        self._hash: str | None = None
        self._given: dict[int, str] = {}
        self._started = False
        self._count = 0

    def take(self, body: bytes, draw: int | None) -> None:
        """The next entry.

        Raises:
            Wrong: seed, entropies or draw numbers are not what they must be.
        """
        if not self._started or _DISCLOSED in body:
            for event in _facts(body):
                self._fold(event)
        if draw is None:
            return
        if draw != self._count:
            raise Wrong("draw_number", f"The entry is draw {draw}; after those before it is draw {self._count}.")
        self._count += 1

    def _fold(self, event: Any) -> None:
        match event:
            case happened.SeedSealed(seed, sealed):
                self._seal(seed, sealed)
            case happened.EntropyGiven(seat, entropy):
                self._given[seat] = entropy
            case happened.Risen(seat):
                self._given.pop(seat, None)
            case happened.Started(entropies):
                self._start(entropies)
            case happened.SeedDisclosed(seed):
                self._disclose(seed)
            case _:
                pass

    def _seal(self, seed: str | None, sealed: str) -> None:
        if self._hash is not None:
            raise Wrong("sealed_twice", "A second seed is sealed at the same table.")
        self._hash, self.sealed = sealed, seed
        if seed is not None and _hash(seed) != sealed:
            raise Wrong("seed_hash", "The sealed seed does not have the hash that was published with it.")

    def _start(self, entropies: tuple[str | None, ...]) -> None:
        self._started = True
        if entropies != tuple(self._given.get(seat) for seat in range(len(entropies))) or any(
            seat >= len(entropies) for seat in self._given
        ):
            raise Wrong("entropies", "The start does not take the entropies that the seats gave.")

    def _disclose(self, seed: str) -> None:
        self.disclosed = True
        if self._hash is None or _hash(seed) != self._hash:
            raise Wrong("seed_hash", "The disclosed seed does not have the hash that was published at the opening.")
        if self.sealed not in (None, seed):
            raise Wrong("other_seed", "The disclosed seed is not the sealed one.")


def _hash(seed: str) -> str | None:
    try:
        return chance.seed_hash(bytes.fromhex(seed)).hex()
    except ValueError:
        return None


def _facts(body: bytes) -> list[Any]:
    """Those events of an entry that tell of seed and entropies."""
    try:
        return codec.facts(body, _TAGS)
    except (msgspec.MsgspecError, codec.Misread, RecursionError, TypeError):
        raise Wrong("unreadable", "What the entry tells of seed and entropies cannot be read.") from None
