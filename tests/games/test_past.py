"""The past of a table against a plain list of what stood after each entry."""

import gc
from collections.abc import Iterator
from random import Random
from typing import Any
from weakref import ref

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from games.table.dispute import Strikable, Strike, counting, in_effect
from games.table.past import Past

MILLION = 1_000_000

STEPS = 64
"""Nodes that are passed at most on the way to one of a million."""

Line = tuple[int, Any, tuple[Any, ...]]


def stacked(lines: list[Line]) -> Past[Any] | None:
    """The past with these entries, oldest first."""
    past = None
    for line in lines:
        past = Past(past, *line)
    return past


def line_of(node: Past[Any]) -> Line:
    return node.seq, node.value, node.events


class Growing(RuleBasedStateMachine):
    """A table whose log grows, by entries that do something to its course and by others, and by strikes of any of them. A
    strike is an entry like any other, with the value that stood before what it strikes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seq = 0
        self.past: Past[int] | None = None
        self.lines: list[Line] = []
        self.older: list[tuple[Past[int], list[Line]]] = []

    def add(self, value: int, events: tuple[str, ...]) -> None:
        self.seq += 1
        self.past = Past(self.past, self.seq, value, events)
        self.lines.append((self.seq, value, events))

    @rule(value=st.integers(), events=st.lists(st.text(max_size=3), max_size=3))
    def an_entry_does_something(self, value, events):
        self.add(value, tuple(events))

    @rule(count=st.integers(1, 40))
    def many_entries_do_something(self, count):
        for number in range(count):
            self.add(number, ("asked",))

    @rule(count=st.integers(1, 9))
    def entries_do_nothing_to_the_course(self, count):
        self.seq += count

    @precondition(lambda self: self.past is not None)
    @rule(back=st.floats(0, 1))
    def entries_are_struck(self, back):
        first = self.past.first.seq
        struck = max(first + 1, round(self.seq * back))
        node = self.past.at(struck - 1)
        values = [value for seq, value, _ in self.lines if seq < struck]
        assert node.value == values[-1]
        self.add(node.value, ("struck",))

    @precondition(lambda self: self.past is not None)
    @rule()
    def somebody_keeps_it_as_it_is(self):
        self.older.append((self.past, list(self.lines)))

    @precondition(lambda self: self.past is not None)
    @rule(seq=st.integers(-3, 60), near=st.booleans())
    def an_entry_is_looked_for(self, seq, near):
        wanted = self.seq - seq if near else seq
        lines = [line for line in self.lines if line[0] <= wanted]
        node = self.past.at(wanted)
        assert (None if node is None else line_of(node)) == (lines[-1] if lines else None)
        if node is not None:
            assert node.height == len(lines)
            assert node.first is self.past.first

    @invariant()
    def it_holds_what_the_list_holds(self):
        for past, lines in ((self.past, self.lines), *self.older):
            if past is None:
                continue
            assert [line_of(node) for node in past] == lines[::-1]
            assert past.height == len(lines)
            assert line_of(past.first) == lines[0]
            assert past.before is None or line_of(past.before) == lines[-2]

    @invariant()
    def it_equals_any_that_was_stacked_from_the_same_list_and_no_other(self):
        if self.past is not None:
            assert self.past == stacked(self.lines)
            assert self.past != self.past.before
            assert self.past != Past(self.past, self.seq + 1, 0)


TestGrowing = Growing.TestCase


@given(st.randoms(use_true_random=False))
def test_what_counts_and_may_be_disputed_is_what_no_strike_in_effect_covers(rng):
    lines: list[Line] = []
    made: list[Strike] = []
    for seq in range(1, 60):
        if rng.random() < 0.2 and seq > 2:
            made.append(Strike(entry=seq, first=rng.randrange(2, seq), last=seq - 1))
        if rng.random() < 0.8 or (made and made[-1].entry == seq):
            lines.append((seq, seq, ()))
    strikes = in_effect(made)
    covered = [seq for seq, _, _ in lines if any(each.first <= seq <= each.last for each in strikes)]
    kept = [seq for seq, _, _ in reversed(lines) if seq not in covered]

    past = stacked(lines)
    assert [node.seq for node in counting(past, strikes)] == kept
    nameable = Strikable(past, strikes, ())
    assert list(nameable) == [seq for seq in kept if seq != lines[0][0]]
    assert [seq for seq in range(60, -1, -1) if seq in nameable] == list(nameable)
    assert bool(nameable) == bool(list(nameable))


# --- Equality -----------------------------------------------------------------------------------------

LINES: list[Line] = [(1, "a", ("x",)), (2, "b", ()), (5, "c", ("y", "z"))]


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("other", [(9, None, None), (None, "?", None), (None, None, ("?",))])
def test_pasts_differ_by_any_entry_value_or_event(place, other):
    seq, value, events = (old if new is None else new for old, new in zip(LINES[place], other, strict=True))
    changed = [*LINES[:place], (seq, value, events), *LINES[place + 1 :]]
    assert stacked(LINES) != stacked(changed)
    assert stacked(LINES) == stacked(list(LINES))


def test_a_past_is_nothing_but_a_past():
    past = stacked(LINES)
    assert past != LINES
    assert past is not None
    assert (past == None, past == 5) == (False, False)  # noqa: E711  (it is about `==`)


def test_a_past_cannot_be_hashed_for_it_is_compared_by_value():
    with pytest.raises(TypeError, match="unhashable"):
        hash(stacked(LINES))


def test_a_past_does_not_tell_what_stood_in_it():
    assert "card" not in repr(stacked([(1, "card red-3", ("card red-3",)), (2, "card", ())]))


def test_pasts_that_share_a_beginning_are_compared_no_further_than_to_there():
    class Loud:
        def __eq__(self, other):
            raise AssertionError("what is one object need not be compared")

        __hash__ = None

    shared = Past(None, 1, Loud())
    assert Past(shared, 2, "b") == Past(shared, 2, "b")
    assert Past(shared, 2, "b") != Past(shared, 2, "c")


# --- Depth --------------------------------------------------------------------------------------------


class Sought(int):
    """The number of an entry that somebody looks for, and how often another was compared with it."""

    looks = 0

    def __lt__(self, other: int) -> bool:
        self.looks += 1
        return int(self) < other


def numbered(count: int) -> Past[int]:
    """So many entries: 2, 4, 6..."""
    past = stacked([(2 * number, number, ()) for number in range(1, count + 1)])
    assert past is not None
    return past


@pytest.fixture(scope="module", autouse=True)
def _uncollected() -> Iterator[None]:
    """The collector would go through the millions again and again while they are made."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(scope="module")
def deep() -> Past[int]:
    return numbered(MILLION)


def test_a_million_entries_are_counted_and_known_from_both_ends(deep):
    assert (deep.height, deep.seq, deep.first.seq) == (MILLION, 2 * MILLION, 2)
    assert sum(1 for _ in deep) == MILLION


def test_any_of_a_million_entries_is_found_in_few_steps(deep):
    rng = Random(7)
    near = [1, 2, 3, 4, 2 * MILLION - 1, 2 * MILLION, 2 * MILLION + 1]
    powers = [2**power + more for power in range(2, 21) for more in (-1, 0, 1)]
    for number in (*near, *powers, *(rng.randrange(2 * MILLION) for _ in range(2000))):
        sought = Sought(number)
        found = deep.at(sought)
        expected = min(number // 2, MILLION)
        assert (0 if found is None else found.value) == expected
        assert sought.looks <= 2 * STEPS, number


def test_pasts_of_a_million_entries_are_compared_without_recursion(deep):
    assert deep == numbered(MILLION)
    shorter = numbered(MILLION - 1)
    assert deep != shorter
    assert Past(deep.before, 2 * MILLION, "another") != deep
    assert deep.before == shorter


def test_pasts_that_differ_in_their_first_entry_alone_are_told_apart():
    other = stacked([(2, "?", ()), *[(2 * number, number, ()) for number in range(2, 1001)]])
    assert numbered(1000) != other


def test_a_million_entries_are_let_go_without_recursion():
    class Token:
        """Something that tells when it is gone."""

    token = Token()
    gone = ref(token)
    past = Past(None, 1, token)
    del token
    for seq in range(2, MILLION):
        past = Past(past, seq, None)
    del past
    gc.collect()
    assert gone() is None


def test_a_strike_shares_what_stood_before_it(deep):
    struck = Past(deep, 2 * MILLION + 1, deep.at(1000).value)
    assert struck.before is deep
    assert struck.at(1001) is deep.at(1000)
    assert struck.at(2 * MILLION + 1) is struck
