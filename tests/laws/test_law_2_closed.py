"""Law 2: every member of every ask is accepted; what is a member of none is refused, and leaves nothing.

What is tried of each type of action does not depend on how many asks of other types there are. The game's own come
first: at every entry and of every seat, each member where there are few.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from itertools import chain, islice
from random import Random
from typing import Any

import msgspec
import pytest

from games import texts
from games.chance import Chance
from games.core import Ask, Refused, permits, tag_of
from games.table import actions as act
from games.table import decide as deciding
from games.table.rules import Rules
from games.table.state import Table
from tests.laws.cases import CASES, EVERY, Case, every_case
from tests.laws.playing import Step, played
from tests.laws.sampling import Sent, member, outside
from tests.laws.sendable import members, sendable

TABLE = {
    language: texts.Wording("table", language, found)
    for language, found in texts.load(files("games.table") / "texts.toml").items()
}

MEMBERS = 16
"""Members tried of an ask of the game that is new to a seat; of one that it had before, one."""

NEAR = 5
"""Strangers tried of a type of the game that is open to the seat."""

FAR = 1
"""Strangers tried of any other type."""

ROUND = 12
"""In so many entries every seat tries everything once; at the others one seat does, and the game's asks are tried of all."""

OFTEN = 25
"""How often each type of action of a game is accepted, and how often refused, in all its cases together."""

SOMETIMES = 3
"""The same for what the table adds."""


def attempt(rules: Rules, table: Table, seat: int, sent: Sent) -> Any:
    """What the table answers to an action that came over the wire."""
    action = rules.actions.decode(msgspec.json.encode(sent))
    return deciding.decide(rules, table, seat, action, table.at, Chance(b"k" * 32, table.record.draws))


def types(rules: Rules) -> set[str]:
    """The game's own types of actions."""
    return {tag_of(kind) for kind in rules.game_actions}


def tries_everything(step: Step, seat: int, drawn: int) -> bool:
    return seat == drawn or step.after.seq % ROUND == 0


# --- What is accepted -----------------------------------------------------------------------------------


@lru_cache(maxsize=2 * len(CASES))
def accepted(case: Case) -> Counter[str]:
    """How many actions of each type were accepted; none of those tried was refused."""
    play, rng = played(case), Random(str(case))
    found: Counter[str] = Counter()
    before = None
    for step in play.steps:
        drawn = rng.randrange(case.seats)
        for seat, holder in enumerate(step.after.record.holders):
            if holder.player is not None:
                known = () if before is None else before.position.asks[seat]
                for sent in allowed(
                    play.driver.rules, rng, step, seat, known, around=tries_everything(step, seat, drawn)
                ):
                    assert attempt(play.driver.rules, step.after, seat, sent).events, sent
                    found[sent["type"]] += 1
        before = step
    return found


def allowed(
    rules: Rules, rng: Random, step: Step, seat: int, known: tuple[Ask, ...], *, around: bool
) -> Iterator[Sent]:
    """Members of what is open to the seat: of the game's asks, and of one of each other type that is new or has its turn."""
    own = types(rules)
    others: dict[str, list[Ask]] = defaultdict(list)
    for ask in step.position.asks[seat]:
        is_new = ask not in known
        if ask.type not in own:
            others[ask.type] += [ask] if is_new or around else []
        elif is_new:
            yield from some_members(rng, ask, step)
        else:
            yield a_member(rng, ask, step)
    for each in others.values():
        yield from (a_member(rng, ask, step) for ask in rng.sample(each, min(1, len(each))))


def a_member(rng: Random, ask: Ask, step: Step) -> Sent:
    return member(rng, ask, step.position.windows, step.after.strikable)


def some_members(rng: Random, ask: Ask, step: Step) -> list[Sent]:
    """All of them, if there are few."""
    found = members(ask)
    if found is None:
        return [a_member(rng, ask, step) for _ in range(MEMBERS)]
    return found if len(found) <= MEMBERS else rng.sample(found, MEMBERS)


@every_case
def test_every_member_of_every_ask_is_accepted(case):
    assert set(accepted(case)) == asked(case)


def asked(case: Case) -> set[str]:
    """The types of all that was ever open to anybody."""
    return {
        ask.type
        for step in played(case).steps
        for holder, open_asks in zip(step.after.record.holders, step.position.asks, strict=True)
        if holder.player is not None
        for ask in open_asks
    }


# --- What is refused ------------------------------------------------------------------------------------


@lru_cache(maxsize=2 * len(CASES))
def refused(case: Case) -> Counter[str]:
    """How many actions of each type were refused: all that were tried, and they left nothing."""
    play, rng = played(case), Random(str(case))
    rules = play.driver.rules
    found: Counter[str] = Counter()
    seen: dict[str, list[Ask]] = defaultdict(list)
    for step in play.steps:
        for ask in chain.from_iterable(step.position.asks):
            seen[ask.type].append(ask)
    for step in play.steps:
        before = msgspec.json.encode((step.after.record, step.after.course))
        drawn = rng.randrange(case.seats)
        for seat in range(case.seats):
            if tries_everything(step, seat, drawn):
                for sent in strangers(rules, rng, step, seat, seen):
                    refuse(rules, step.after, seat, sent)
                    found[sent["type"]] += 1
        assert msgspec.json.encode((step.after.record, step.after.course)) == before
    return found


def strangers(rules: Rules, rng: Random, step: Step, seat: int, seen: dict[str, list[Ask]]) -> Iterator[Sent]:
    """Actions that a decoder lets through and that no ask of the seat has as a member. At a vacant seat that is all."""
    vacant = step.after.record.holders[seat].player is None
    open_asks = () if vacant else step.position.asks[seat]

    def some(limit: int, candidates: Iterator[Sent]) -> Iterator[Sent]:
        return islice((sent for sent in candidates if is_stranger(rules, sent, open_asks, step)), limit)

    here: dict[str, list[Ask]] = defaultdict(list)
    for ask in open_asks:
        here[ask.type].append(ask)
    for kind in rules.game_actions:
        pool = sendable(kind)
        yield from some(NEAR if here.get(tag_of(kind)) else FAR, shuffled(rng, pool))
    for name in map(tag_of, act.SEAT_ACTS):
        templates = here.get(name) or seen.get(name)
        if templates:
            yield from some(FAR, twisted(rng, rng.choice(templates), step))


def shuffled(rng: Random, pool: tuple[Sent, ...]) -> Iterator[Sent]:
    """All of them, each once; they are drawn one by one, as mostly the first will do."""
    return iter(rng.sample(pool, len(pool))) if len(pool) <= MEMBERS else (rng.choice(pool) for _ in pool)


def twisted(rng: Random, ask: Ask, step: Step) -> Iterator[Sent]:
    """Members of the ask with one field spoilt, and one as it is, which may not be open to this seat."""
    try:
        whole = a_member(rng, ask, step)
    except (StopIteration, IndexError):  # an ask of another moment, about a window or entries that are gone
        return
    for name in rng.sample(sorted(ask.fields), len(ask.fields)) if rng.random() < 0.7 else ():
        spoilt = list(outside(rng, ask.fields[name]))
        rng.shuffle(spoilt)
        yield from ({**whole, name: value} for value in spoilt)
    yield whole


def is_stranger(rules: Rules, sent: Sent, open_asks: tuple[Ask, ...], step: Step) -> bool:
    try:
        action = rules.actions.decode(msgspec.json.encode(sent))
    except msgspec.ValidationError:
        return False
    return not permits(open_asks, action, step.position.windows, step.after.strikable)


def refuse(rules: Rules, table: Table, seat: int, sent: Sent) -> None:
    """The action is refused, with a sentence that a player can read in each language."""
    with pytest.raises(Refused) as refusal:
        attempt(rules, table, seat, sent)
    assert all(told(rules, refusal.value, language) for language in texts.LANGUAGES), sent


def told(rules: Rules, refusal: Refused, language: str) -> str:
    words = TABLE[language] if f"table.{refusal.key}" in TABLE[language].texts else texts.wording(rules.game, language)
    return words.refuse(refusal)


@every_case
def test_what_is_a_member_of_no_ask_is_refused_and_leaves_nothing(case):
    assert types(played(case).driver.rules) <= set(refused(case))


# --- That it was tried ----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", EVERY, ids=lambda game: game.name)
def test_each_action_of_each_game_was_accepted_and_refused_often(game):
    cases = [case for case in CASES if case.game is game]
    own = types(played(cases[0]).driver.rules)
    everything = own | set().union(*map(asked, cases))
    for tally in (sum(map(accepted, cases), Counter()), sum(map(refused, cases), Counter())):
        assert [name for name in sorted(own) if tally[name] < OFTEN] == []
        assert [name for name in sorted(everything) if tally[name] < SOMETIMES] == []
