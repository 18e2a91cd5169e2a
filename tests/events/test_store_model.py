"""A store against the simplest model of one: dicts and a list."""

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from events.chain import ZERO
from events.entry import Entry
from events.store import Appended, Conflict, Found, Head, Item, Known
from tests.events.conftest import KINDS, Kind
from tests.events.samples import command, entry, table

TABLES = st.sampled_from([table(n) for n in range(1, 6)])
KEYS = st.integers(0, 30)
STALENESS = st.sampled_from([0, 0, 0, 0, -1, 1, 3])
AFTER = st.integers(0, 12)


class Model:
    """What a store should answer."""

    def __init__(self):
        self.logs: dict[str, list[Entry]] = {}
        self.commands: dict[bytes, Found] = {}
        self.feed: list[Item] = []

    def last(self, name):
        log = self.logs.get(name, [])
        return (log[-1].seq, log[-1].head) if log else (0, ZERO)

    def append(self, name, expected, made, key):
        if found := self.commands.get(key):
            return Known(found.seq)
        if self.last(name)[0] != expected:
            return Conflict(self.last(name)[0])
        self.logs.setdefault(name, []).append(made)
        self.commands[key] = Found(name, made.seq)
        self.feed.append(Item(len(self.feed) + 1, name, made.seq))
        return Appended(made.seq)


class Machine(RuleBasedStateMachine):
    """Calls on the store and the model, which must agree."""

    kind: Kind

    @initialize()
    def start(self):
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.model = Model()
        self.store = self.run(self.kind.open(Path(self.folder.name)))

    def run(self, call):
        return self.runner.run(call)

    def draft(self, name, staleness, key):
        """The arguments of an append, fitting or stale."""
        seq, head = self.model.last(name)
        expected = max(seq + staleness, 0)
        return name, expected, entry(name, expected + 1, head, str(key)), command(name, key)

    @rule(name=TABLES, staleness=STALENESS, key=KEYS)
    def append(self, name, staleness, key):
        call = self.draft(name, staleness, key)

        async def one():
            return await self.store.append(*call)

        assert self.run(one()) == self.model.append(*call)

    @rule(drafts=st.lists(st.tuples(TABLES, STALENESS, KEYS), min_size=2, max_size=12))
    def append_at_once(self, drafts):
        calls = [self.draft(*draft) for draft in drafts]

        async def all_of_them():
            return await asyncio.gather(*(self.store.append(*call) for call in calls))

        assert self.run(all_of_them()) == [self.model.append(*call) for call in calls]

    @rule(name=TABLES, count=st.integers(2, 8))
    def append_in_a_row(self, name, count):
        async def row():
            answers = []
            for n in range(count):
                call = self.draft(name, 0, f"row {self.model.last(name)[0]} {n}")
                answers.append((await self.store.append(*call), self.model.append(*call)))
            return answers

        assert all(answer == expected for answer, expected in self.run(row()))

    @rule(name=TABLES, after=AFTER, limit=AFTER)
    def read(self, name, after, limit):
        log = self.model.logs.get(name, [])
        assert self.run(self.store.read(name, after, limit)) == log[after : after + limit]

    @rule(name=TABLES)
    def read_all(self, name):
        assert self.run(self.store.read(name)) == self.model.logs.get(name, [])

    @rule(name=TABLES, key=KEYS)
    def find(self, name, key):
        sought = command(name, key)
        assert self.run(self.store.find(sought)) == self.model.commands.get(sought)

    @rule(after=AFTER, limit=AFTER)
    def feed(self, after, limit):
        assert self.run(self.store.feed(0, after, limit)) == self.model.feed[after : after + limit]

    @rule()
    @precondition(lambda self: self.kind.keeps)
    def open_again(self):
        self.run(self.store.close())
        self.store = self.run(self.kind.open(Path(self.folder.name)))
        assert self.run(self.store.feed(0)) == self.model.feed

    @invariant()
    def heads_agree(self):
        for name, log in self.model.logs.items():
            assert self.run(self.store.head(name)) == Head(log[-1].seq, log[-1].head)

    def teardown(self):
        if hasattr(self, "store"):
            self.run(self.store.close())
            self.runner.close()
            self.folder.cleanup()


def campaign(kind, examples, steps):
    machine = type("Machine", (Machine,), {"kind": kind})
    every = settings(
        max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(machine, settings=every)


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_a_store_answers_as_the_model_does(kind):
    campaign(kind, examples=25, steps=30)


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_a_store_answers_as_the_model_does_for_long(kind):
    campaign(kind, examples=150, steps=60)
