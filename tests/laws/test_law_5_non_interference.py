"""Law 5, as far as the kernel goes: what an audience cannot see changes no byte of its version.

With law 4 (what it may do follows from its own view) nothing else of an entry reaches it; the server's tests compare
the bytes of every channel.
"""

from random import Random
from typing import Any

import msgspec

from games.chance import Chance, table_key
from games.core import Audience, type_of
from games.table.decide import decide
from games.table.redact import redact
from games.table.state import Body
from projections import codec
from projections.position import version_for
from tests.laws.cases import every_case
from tests.laws.driver import ID, SEED
from tests.laws.playing import Play, Step, played
from tests.laws.sampling import member

Pool = dict[tuple[type, str], list[Any]]


@every_case
def test_what_an_audience_cannot_see_changes_no_byte_of_its_version(case):
    play = played(case)
    pool = values(play)
    changed = 0
    for step in play.steps:
        for audience in (None, *range(case.seats)):
            other = disguised(play, step, audience, pool)
            changed += other != step.body
            assert reads(play, other, audience) == step.read_by(audience)
    assert changed, "the game hides nothing"


@every_case
def test_whatever_a_sealed_action_says_others_read_the_same_until_it_is_disclosed(case):
    play, rng = played(case), Random(str(case))
    for step in play.steps:
        if isinstance(step.body.action, play.driver.rules.game_actions) and type(step.body.action).sealed:
            for audience in (None, *range(case.seats)):
                if audience != step.body.by and not discloses(play, step, audience):
                    assert reads(play, another(play, step, rng), audience) == reads(play, step.body, audience)


@every_case
def test_the_seed_is_read_by_nobody_before_the_end_and_by_everybody_then(case):
    play = played(case)
    for step in play.steps:
        for audience in (None, *range(case.seats)):
            assert (SEED.encode() in step.read_by(audience)) == step.after.over


def discloses(play: Play, step: Step, audience: Audience) -> bool:
    """Whether the audience learns something by the entry."""
    own = [event for event in step.body.events if isinstance(event, play.driver.rules.game_events)]
    return any({None, audience} & play.driver.rules.game.discloses(event) for event in own)


def another(play: Play, step: Step, rng: Random) -> Body[Any]:
    """The entry that another choice of the same type would have become."""
    rules, table = play.driver.rules, step.before
    open_asks = [
        ask for ask in rules.game.asks(table.course.game, step.body.by) if ask.type == type_of(step.body.action)
    ]
    action = rules.actions.decode(msgspec.json.encode(member(rng, rng.choice(open_asks))))
    key = table_key(bytes.fromhex(SEED), ID, [None] * len(table.record.holders))
    decision = decide(rules, table, step.body.by, action, step.body.at, Chance(key, table.record.draws))
    return msgspec.structs.replace(step.body, action=action, events=decision.events)


def reads(play: Play, body: Body[Any], audience: Audience) -> bytes:
    versions = play.driver.versions(body)
    return codec.encode(versions[version_for(versions, audience)])


def values(play: Play) -> Pool:
    """What every field of every kind of event has held in this game."""
    pool: Pool = {}
    for step in play.steps:
        for event in step.body.events:
            for name in event.__struct_fields__:
                seen = pool.setdefault((type(event), name), [])
                if getattr(event, name) is not None:
                    seen.append(getattr(event, name))
    return pool


def disguised(play: Play, step: Step, audience: Audience, pool: Pool) -> Body[Any]:
    """The entry with other values wherever the audience reads none."""
    events = []
    for event in step.body.events:
        read = redact(play.driver.rules, event, audience)
        hidden = [name for name in event.__struct_fields__ if getattr(read, name) != getattr(event, name)]
        others = {name: other(getattr(event, name), pool[type(event), name]) for name in hidden}
        events.append(msgspec.structs.replace(event, **others) if others else event)
    return msgspec.structs.replace(step.body, events=tuple(events))


def other(value: Any, seen: list[Any]) -> Any:
    """Another value that the field has held, else the same one backwards."""
    return next((one for one in seen if one != value), value[::-1] if isinstance(value, str | tuple) else value)
