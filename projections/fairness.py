"""Fairness: what chance at a table was made of, and after the end every draw once more. docs/fairness.md says what it proves."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from games.chance import Chance, seed_hash, table_key
from games.core import Refused, Seat
from games.table import decide as deciding
from games.table import events as happened
from games.table.rules import Rules
from projections.story import Passage, Story
from projections.verification.pieces import Difference, Wrong


class Draw(msgspec.Struct, frozen=True):
    """An entry that drew, and the number of its draw."""

    seq: int
    draw: int


class Fairness(msgspec.Struct, frozen=True):
    """What one reader knows of chance at a table.

    `seed` and `key` (hex) are None until the seed is `disclosed`, the key also where no game was begun. `entropies`: per
    seat; `contributors`: those who gave one. `promise`: "seats", if one honest contributor is enough against the server
    alone; "server_alone", if nobody gave anything, so that only the server's word stands for the draws.

    `redrawn`: how many draws came out the same when they were drawn again, after the end, for a reader of the whole log;
    else None. `first`: the first thing that does not hold.
    """

    table: str
    seed_hash: str | None
    disclosed: bool
    seed: str | None
    key: str | None
    entropies: tuple[str | None, ...]
    contributors: tuple[Seat, ...]
    promise: Literal["seats", "server_alone"]
    draws: tuple[Draw, ...]
    redrawn: int | None
    first: Difference | None


def fairness(story: Story) -> Fairness:
    """What the reader of that story knows of chance. Before the end nothing secret is in it, whoever reads."""
    record = story.table.record
    entropies = _entropies(story)
    contributors = tuple(seat for seat, entropy in enumerate(entropies) if entropy is not None)
    seed = record.seed if story.table.over else None
    key = _key(story, seed, entropies)
    draws = tuple(Draw(p.seq, p.body.draw) for p in story.passages if p.body.draw is not None)
    redrawn, first = _again(story, seed, key)
    return Fairness(
        record.table, record.seed_hash, seed is not None, seed, None if key is None else key.hex(), entropies,
        contributors, "seats" if contributors else "server_alone", draws, redrawn, first,
    )  # fmt: skip


def _entropies(story: Story) -> tuple[str | None, ...]:
    """Those that the start took; before it, those given so far."""
    started = next(_starts(story), None)
    return started.entropies if started else tuple(holder.entropy for holder in story.table.record.holders)


def _starts(story: Story) -> Iterator[happened.Started]:
    return (event for p in story.passages for event in p.body.events if isinstance(event, happened.Started))


def _key(story: Story, seed: str | None, entropies: tuple[str | None, ...]) -> bytes | None:
    """The key of the table, which the start has fixed."""
    if seed is None or next(_starts(story), None) is None:
        return None
    try:
        return table_key(bytes.fromhex(seed), story.table.record.table, entropies)
    except ValueError:  # a log that no server of this house wrote
        return None


# --- Again --------------------------------------------------------------------------------------------


def _again(story: Story, seed: str | None, key: bytes | None) -> tuple[int | None, Difference | None]:
    """How many draws come out the same, and the first thing that does not hold."""
    if seed is None:
        return None, None
    found = [_unlike_hash(story, seed)]
    if story.audience != "all":
        return None, found[0]
    drawn = [passage for passage in story.passages if passage.body.draw is not None]
    found += [_difference(story.rules, passage, number, key) for number, passage in enumerate(drawn)]
    return found[1:].count(None), next((each for each in found if each is not None), None)


def _unlike_hash(story: Story, seed: str) -> Difference | None:
    try:
        same = seed_hash(bytes.fromhex(seed)).hex() == story.table.record.seed_hash
    except ValueError:
        same = False
    sentence = "The disclosed seed does not have the hash that was published at the opening."
    return None if same else Difference("draws", story.table.seq, None, "seed_hash", sentence)


def _difference(rules: Rules, passage: Passage, number: int, key: bytes | None) -> Difference | None:
    """What is wrong with the entry that is draw `number`, if anything is."""
    try:
        _draw_again(rules, passage, number, key)
    except Wrong as wrong:
        return Difference("draws", passage.seq, None, wrong.reason, wrong.sentence)
    return None


def _draw_again(rules: Rules, passage: Passage, number: int, key: bytes | None) -> None:
    body, before = passage.body, passage.before
    if body.draw != number:
        raise Wrong("draw_number", f"The entry is draw {body.draw}; after those before it is draw {number}.")
    if before is None or key is None:
        raise Wrong("cannot_be_decided", "Something is drawn before the table has its key.")
    source = Chance(key, number)
    try:
        action = msgspec.convert(body.action, rules.AnyAction)
        events = deciding.decide(rules, before, body.by, action, body.at, source).events
    except Refused as refusal:
        raise Wrong("refused", f"The rules refuse this action here ({refusal.code}).") from None
    except (Exception, SystemExit):  # noqa: BLE001  (rules may fail in any way on what they never wrote)
        raise Wrong("cannot_be_decided", "The rules cannot decide this action here.") from None
    if events != body.events or not source.used:
        raise Wrong("drawn_otherwise", "Drawn again with its own number, the entry comes out otherwise.")
