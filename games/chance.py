"""What rules draw from, and how anybody can draw again.

A table has one key. Every entry that draws has a number, its `draw`, and all its results come from one generator
made of the two. So a draw depends on nothing but the key and its number, and whoever knows the key (everybody, once
the seed is disclosed) can repeat each entry by itself, in any language:

1. The generator is HMAC_DRBG with SHA-256 (NIST SP 800-90A Rev. 1, section 10.1.2): entropy input = the key,
   32 bytes; nonce = the draw number, 8 bytes, big endian; no personalization, no additional input, no reseeding.
2. `below(n)`, 0 <= result < n, is the simple discard method (section A.5.1). Let m be the bit length of n - 1.
   Ask the generator once for ceil(m / 8) bytes, read them as one big-endian integer, and shift it right by
   8 * ceil(m / 8) - m: what stays are the *leading* m bits, most significant bit first. If that is n or more, discard
   it and ask again. `below(1)` is 0 and asks for nothing.
3. `roll(sides)` is `1 + below(sides)`; `pick(items)` is `items[below(len(items))]`.
4. `shuffle(items)`: for i = last, last - 1, ..., 1: swap places i and `below(i + 1)`.
5. `sample(items, k)`: for i = 0, 1, ..., k - 1: swap places i and `i + below(len(items) - i)`; then the first k places.

There is no remainder and no float anywhere, so no result is likelier than another.
"""

import hmac
from collections.abc import Sequence
from hashlib import sha256
from typing import Protocol, TypeVar

import msgspec

T = TypeVar("T")

KEY_BYTES = 32
MAX_REQUEST = 1 << 16
"""Bytes a request: 2^19 bits (SP 800-90A, table 2)."""
RESEED_INTERVAL = 1 << 48
"""Requests before a reseed (SP 800-90A, table 2)."""


class DrawError(RuntimeError):
    """A draw that cannot be answered: forbidden, not in the script, or past the generator's life."""


class Drbg:
    """HMAC_DRBG with SHA-256, without reseeding: the names K, V and counter are those of SP 800-90A, 10.1.2."""

    __slots__ = ("_counter", "_k", "_v")

    def __init__(self, entropy_input: bytes, nonce: bytes, personalization: bytes = b"") -> None:
        if len(entropy_input) < 32:
            raise ValueError("The entropy input is at least 32 bytes long.")
        self._k = bytes(32)
        self._v = b"\x01" * 32
        self._update(entropy_input + nonce + personalization)
        self._counter = 1

    def generate(self, size: int, additional: bytes = b"") -> bytes:
        """The next `size` bytes: one request (10.1.2.5)."""
        if not 0 <= size <= MAX_REQUEST:
            raise ValueError(f"One request is for 0 to {MAX_REQUEST} bytes, not {size}.")
        if self._counter > RESEED_INTERVAL:
            raise DrawError("This generator has answered all the requests it may.")
        if additional:
            self._update(additional)
        output = b""
        while len(output) < size:
            self._v = self._mac(self._v)
            output += self._v
        self._update(additional)
        self._counter += 1
        return output[:size]

    def _update(self, provided: bytes) -> None:
        """10.1.2.2."""
        self._k = self._mac(self._v + b"\x00" + provided)
        self._v = self._mac(self._v)
        if provided:
            self._k = self._mac(self._v + b"\x01" + provided)
            self._v = self._mac(self._v)

    def _mac(self, message: bytes) -> bytes:
        # The function, not its name: OpenSSL looks a name up at every call, which costs more than the hash.
        return hmac.digest(self._k, message, sha256)


class Source(Protocol):
    """What rules draw from. A result without alternative (`below(1)`, the shuffle of one card) is not a draw."""

    __slots__ = ()

    @property
    def used(self) -> bool:
        """Whether anything was drawn, that is: whether the entry gets a draw number."""
        ...

    def below(self, n: int) -> int:
        """One of 0..n-1."""
        ...

    def roll(self, sides: int) -> int:
        """One die: 1..sides."""
        return 1 + self.below(sides)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        """The items in a new order: Fisher-Yates, from the last place down."""
        order = list(items)
        for i in range(len(order) - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return tuple(order)

    def sample(self, items: Sequence[T], k: int) -> tuple[T, ...]:
        """`k` of the items in the order drawn, none twice: Fisher-Yates from the first place up, stopped after `k`."""
        _check_sample(items, k)
        order = list(items)
        for i in range(k):
            j = i + self.below(len(order) - i)
            order[i], order[j] = order[j], order[i]
        return tuple(order[:k])


class Chance(Source):
    """The draws of one entry: a function of the table's key and the entry's draw number.

    SP 800-90A means each instance to have entropy of its own. Here all draws of a table share the key and differ by
    the nonce, which never repeats: the mechanism serves as a keyed function, so that each draw can be checked alone.
    """

    __slots__ = ("_draw", "_drbg", "_key")

    def __init__(self, key: bytes, draw: int) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"A table's key is {KEY_BYTES} bytes long, not {len(key)}.")
        if not 0 <= draw < 1 << 64:
            raise ValueError(f"A draw number fits 8 bytes, {draw} does not.")
        self._key = key
        self._draw = draw
        self._drbg: Drbg | None = None

    @property
    def used(self) -> bool:
        return self._drbg is not None

    def below(self, n: int) -> int:
        if _forced(n):
            return 0
        if self._drbg is None:  # made at the first draw: most actions draw nothing, and pay nothing
            self._drbg = Drbg(self._key, self._draw.to_bytes(8, "big"))
        bits = (n - 1).bit_length()
        size = (bits + 7) // 8
        spare = 8 * size - bits
        while (number := int.from_bytes(self._drbg.generate(size), "big") >> spare) >= n:
            pass
        return number


class Scripted(Source):
    """Results given beforehand, for tests: each draw takes the next, as the rules are to see it.

    `Scripted(6, "king", ("c", "a", "b")).roll(6)` is 6; a pick then gives "king", a shuffle of a, b, c that order.
    """

    __slots__ = ("_results", "_taken")

    def __init__(self, *results: object) -> None:
        self._results = results
        self._taken = 0

    @property
    def used(self) -> bool:
        return self._taken > 0

    @property
    def left(self) -> tuple[object, ...]:
        """The results that nobody has asked for yet."""
        return self._results[self._taken :]

    def below(self, n: int) -> int:
        return self.pick(range(n))

    def roll(self, sides: int) -> int:
        return self.pick(range(1, sides + 1))

    def pick(self, items: Sequence[T]) -> T:
        if _forced(len(items)):
            return items[0]
        result = self._next()
        if result not in items:
            raise DrawError(f"The script says {result!r}, which is not among {items!r}.")
        return items[items.index(result)]

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        return self.sample(items, len(items))

    def sample(self, items: Sequence[T], k: int) -> tuple[T, ...]:
        _check_sample(items, k)
        if k == 0 or len(items) == 1:
            return tuple(items[:k])
        result = self._next()
        if not isinstance(result, Sequence) or len(result) != k:
            raise DrawError(f"The script says {result!r}, which is not {k} of {items!r}.")
        rest = list(items)
        return tuple(_take(rest, item) for item in result)

    def _next(self) -> object:
        if not self.left:
            raise DrawError(f"The script has {len(self._results)} results, and one more is asked for.")
        self._taken += 1
        return self._results[self._taken - 1]


class Forbidden(Source):
    """Refuses every draw: what runs with it has proved that it draws nothing."""

    __slots__ = ()

    @property
    def used(self) -> bool:
        return False

    def below(self, n: int) -> int:
        if _forced(n):
            return 0
        raise DrawError(f"Nothing may be drawn here, not even one of {n}.")


def seed_hash(seed: bytes) -> bytes:
    """What is published of the seed before anybody gives entropy."""
    return sha256(b"comitium seed 1" + seed).digest()


def table_key(seed: bytes, table: str, entropies: Sequence[str | None]) -> bytes:
    """The key of a table: the server's seed over the table's id and what each seat has given, in seat order.

    The message is compact JSON, `["ID",["HEX",null]]`; an entropy is 32 bytes as lower-case hex, so that every
    language writes the same bytes.
    """
    if not (table.isascii() and table.isprintable()):
        raise ValueError("A table's id is printable ASCII.")
    if any(entropy is not None and not _is_hex(entropy) for entropy in entropies):
        raise ValueError("An entropy is 32 bytes as lower-case hex.")
    return hmac.digest(seed, msgspec.json.encode([table, entropies]), sha256)


def _forced(n: int) -> bool:
    """Whether there is only one of n results to choose."""
    if n < 1:
        raise ValueError("There is nothing to draw from.")
    return n == 1


def _check_sample(items: Sequence[object], k: int) -> None:
    if not 0 <= k <= len(items):
        raise ValueError(f"A sample of {k} is not to be had from {len(items)}.")


def _take(rest: list[T], item: object) -> T:
    """Take the item out of the rest."""
    if item not in rest:
        raise DrawError(f"The script says {item!r}, which is not among {rest!r}.")
    return rest.pop(rest.index(item))


def _is_hex(entropy: str) -> bool:
    return len(entropy) == 64 and set(entropy) <= set("0123456789abcdef")
