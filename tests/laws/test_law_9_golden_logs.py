"""Law 9: logs of each released version are read to the recorded heads and states, and decided again to the same events."""

from functools import cache
from pathlib import Path

import msgspec
import pytest

from games import GAMES, Catalogue
from games.chance import Chance, Forbidden, Source, table_key
from games.table import actions as act
from games.table import decide as deciding
from games.table.rules import Rules
from games.table.state import Table, close_entry, fold
from projections import codec
from tests.games import sample, sample_lots, sample_lots_1, sample_plain
from tests.laws.golden import LOGS, OLDER, Line, Setup, complaint, read, sealed, state_hash

FILES = sorted([*LOGS.glob("*.jsonl"), *OLDER.glob("*.jsonl")])
every_log = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


@cache
def catalogue() -> Catalogue:
    return Catalogue((*GAMES, sample, sample_plain, sample_lots_1, sample_lots))


def opened(file: Path) -> tuple[Setup, list[Line], Rules]:
    setup, lines = read(file)
    return setup, lines, catalogue().rules(setup.game, setup.rules)


@every_log
def test_a_golden_log_is_read_to_the_recorded_state_after_each_entry(file):
    _, lines, rules = opened(file)
    table: Table | None = None
    for seq, line in enumerate(lines, 1):
        table = fold(rules, table, codec.decode(rules, seq, bytes(line.entry)))
        assert (table.seq, state_hash(table)) == (seq, line.state)
    assert table.over


@every_log
def test_a_golden_log_is_written_and_redacted_to_the_recorded_heads(file):
    setup, lines, rules = opened(file)
    head = bytes(32)
    for seq, line in enumerate(lines, 1):
        entry = sealed(rules, setup.seats, seq, head, line)
        head = entry.head
        assert entry.versions["full"] == bytes(line.entry)
        assert head.hex() == line.head


@every_log
def test_a_golden_log_is_decided_again_to_the_same_events(file):
    _, lines, rules = opened(file)
    table: Table | None = None
    for seq, line in enumerate(lines, 1):
        body = codec.decode(rules, seq, bytes(line.entry))
        action = msgspec.convert(body.action, rules.AnyAction)
        if table is None:
            decision = deciding.create(rules, action, body.table, body.events[1].seed, body.at)
        else:
            decision = deciding.decide(rules, table, body.by, action, body.at, drawn(table, action, body.draw))
        assert decision.events == body.events
        table = close_entry(decision.table, seq, body.at, body.draw, body.events)


def drawn(table: Table, action: object, draw: int | None) -> Source:
    """What the entry drew from; one without a number draws nothing."""
    if draw is None:
        return Forbidden()
    assert draw == table.record.draws
    assert table.status == "playing" or isinstance(action, act.Start)
    entropies = [holder.entropy for holder in table.record.holders]
    return Chance(table_key(bytes.fromhex(table.record.seed), table.record.table, entropies), draw)


def test_every_game_has_a_golden_log_of_each_combination_of_its_options():
    said = complaint()
    assert not said, said
