"""Law 2: every member of every ask is accepted; what is a member of none is refused, and leaves nothing."""

from collections.abc import Iterator
from importlib.resources import files
from random import Random
from typing import Any

import msgspec
import pytest

from games import texts
from games.chance import Chance
from games.core import Ask, Refused, Window, permits
from games.table import decide as deciding
from games.table.asks import asks
from games.table.rules import Rules
from games.table.state import Table, windows
from tests.laws.cases import every_case
from tests.laws.playing import Play, played
from tests.laws.sampling import Sent, member, outside

TABLE = {
    language: texts.Wording("table", language, found)
    for language, found in texts.load(files("games.table") / "texts.toml").items()
}

MEMBERS = 2
"""Members tried of each ask."""

ASKS = 6
"""Asks tried of each seat at each moment."""

STRANGERS = 8
"""Actions outside the asks tried of each seat at each moment."""


def moments(play: Play, rng: Random) -> Iterator[tuple[Table, int, tuple[Window, ...], tuple[Ask, ...]]]:
    """Each table of the play with one of its seats and what is open to it."""
    rules = play.driver.rules
    for step in play.steps:
        seat = rng.randrange(len(step.after.record.holders))
        open_windows = windows(rules, step.after.course)
        yield step.after, seat, open_windows, asks(rules, step.after, seat, open_windows)


def attempt(rules: Rules, table: Table, seat: int, sent: Sent) -> Any:
    """What the table answers to an action that came over the wire."""
    action = rules.actions.decode(msgspec.json.encode(sent))
    return deciding.decide(rules, table, seat, action, table.at, Chance(b"k" * 32, table.record.draws))


@every_case
def test_every_member_of_every_ask_is_accepted(case):
    play, rng = played(case), Random(str(case))
    for table, seat, open_windows, open_asks in moments(play, rng):
        if table.record.holders[seat].player is None:
            continue
        for ask in rng.sample(open_asks, min(ASKS, len(open_asks))):
            for _ in range(MEMBERS):
                assert attempt(play.driver.rules, table, seat, member(rng, ask, open_windows)).events


@every_case
def test_what_is_a_member_of_no_ask_is_refused_and_leaves_nothing(case):
    play, rng = played(case), Random(str(case))
    seen = [ask for step in play.steps for asked in step.position.asks for ask in asked]
    for table, seat, open_windows, open_asks in moments(play, rng):
        before = msgspec.json.encode(table)
        for sent in strangers(play.driver.rules, rng, open_windows, (*open_asks, *rng.sample(seen, 4)), open_asks):
            refuse(play.driver.rules, table, seat, sent)
        assert msgspec.json.encode(table) == before


def refuse(rules: Rules, table: Table, seat: int, sent: Sent) -> None:
    """The action is refused, with a sentence that a player can read in each language."""
    with pytest.raises(Refused) as refusal:
        attempt(rules, table, seat, sent)
    assert all(told(rules, refusal.value, language) for language in texts.LANGUAGES), sent


def told(rules: Rules, refusal: Refused, language: str) -> str:
    words = TABLE[language] if f"table.{refusal.key}" in TABLE[language].texts else texts.wording(rules.game, language)
    return words.refuse(refusal)


def strangers(
    rules: Rules, rng: Random, open_windows: tuple[Window, ...], templates: tuple[Ask, ...], open_asks: tuple[Ask, ...]
) -> Iterator[Sent]:
    """Actions that a decoder lets through and that no ask has as a member."""
    found = 0
    for ask in rng.sample(templates, len(templates)):
        for sent in _twisted(rng, ask, open_windows):
            action = _read(rules, sent)
            if found < STRANGERS and action is not None and not permits(open_asks, action, open_windows):
                found += 1
                yield sent


def _twisted(rng: Random, ask: Ask, open_windows: tuple[Window, ...]) -> Iterator[Sent]:
    """A member of the ask as it is, which may not be open to this seat, and with one field spoilt."""
    try:
        whole = member(rng, ask, open_windows)
    except StopIteration:  # an ask of another moment, about a window that is gone
        return
    yield whole
    for name, domain in ask.fields.items():
        spoilt = list(outside(rng, domain))
        if spoilt:
            yield {**whole, name: rng.choice(spoilt)}


def _read(rules: Rules, sent: Sent) -> Any:
    try:
        return rules.actions.decode(msgspec.json.encode(sent))
    except msgspec.ValidationError:
        return None
