"""The past of a table, as a stack that is never overwritten: what stood after each entry, found again by its number.

Every table after an entry shares its past with the tables before it, so keeping all of them costs one node an entry.
Besides its predecessor a node knows one that lies further back, so that any entry is found in logarithmic time (Eugene
W. Myers, "An applicative random-access stack", Information Processing Letters 17, 1983).
"""

from collections.abc import Iterator
from typing import Any, Generic, Optional, TypeVar

T = TypeVar("T")


class Past(Generic[T]):
    """A node, and with it all that came before. `seq`: the entry; `value`: what stood after it; `events`: what the
    entry did to the course. Entries that did nothing to it have no node.
    """

    __slots__ = ("before", "events", "first", "height", "leap", "seq", "value")
    __hash__ = None  # type: ignore[assignment]  # it is compared by value

    def __init__(self, before: Optional["Past[T]"], seq: int, value: T, events: tuple[Any, ...] = ()) -> None:
        self.before = before
        self.seq = seq
        self.value = value
        self.events = events
        self.first: Past[T] = self if before is None else before.first
        self.height: int = 1 if before is None else before.height + 1
        self.leap: Past[T] | None = _leap(before)

    def at(self, seq: int) -> Optional["Past[T]"]:
        """The newest node at or before that entry."""
        node: Past[T] | None = self
        while node is not None and node.seq > seq:
            node = node.leap if node.leap is not None and node.leap.seq > seq else node.before
        return node

    def __iter__(self) -> Iterator["Past[T]"]:
        """From this node back to the first."""
        node: Past[T] | None = self
        while node is not None:
            yield node
            node = node.before

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Past):
            return NotImplemented
        if self.height != other.height:
            return False
        for mine, theirs in zip(self, other, strict=True):
            if mine is theirs:
                return True
            if (mine.seq, mine.value, mine.events) != (theirs.seq, theirs.value, theirs.events):
                return False
        return True

    def __repr__(self) -> str:
        return f"Past({self.height} entries to {self.seq})"  # a state may hold what nobody may read


def _leap(before: Past[T] | None) -> Past[T] | None:
    """Two leaps of the same length end in one of twice that length."""
    if before is None or before.leap is None or before.leap.leap is None:
        return before
    near, far = before.height - before.leap.height, before.leap.height - before.leap.leap.height
    return before.leap.leap if near == far else before
