"""The ledger: every chip from where to where, by which event of which entry, in which decision; and who has how many.

It is read off the purses before and after each event, so every game with money has one, and none keeps books of its own.
A holder is `seat:0`, `escrow:0` (what the seat has put aside for offers), `pot`, `bank`, or `box`, from which a game takes its
chips when it is set up. A purse that the reader may not see has no balance, and what goes in or out of it no amount, unless
the event itself says so. What was struck stays in the ledger, with the entry that struck it, and counts in no balance.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from games.bargaining import Offered, Paid
from games.core import Purses, type_of
from games.table.state import Table
from projections.story import Passage, Story, moments

Balance = dict[str, int | None]


class Movement(msgspec.Struct, frozen=True, kw_only=True):
    """Chips go from one holder to another. `event`: its place in the entry, from 0; `type`: what kind of event it was."""

    seq: int
    event: int
    type: str
    source: str = msgspec.field(name="from")
    to: str
    amount: int | None
    window: str | None
    offer: int | None
    turn: str | None
    struck_by: int | None


class Ledger(msgspec.Struct, frozen=True):
    """As of entry `at`. `seats`: purses, null where hidden. `broken_at`: the first entry that made or lost a chip, which no
    rules should ever do; null where all is well.
    """

    table: str
    at: int
    lines: tuple[Movement, ...]
    seats: tuple[int | None, ...]
    escrow: tuple[int, ...]
    pot: int
    bank: int
    broken_at: int | None


def ledger(story: Story) -> Ledger:
    """The ledger of all that the story tells; empty in a game without chips."""
    table, windows = story.table, _windows(story)
    lines: list[Movement] = []
    broken_at: int | None = None
    for passage in story.passages:
        found, is_sound = _movements(story, passage, windows)
        lines += found
        broken_at = passage.seq if broken_at is None and not is_sound else broken_at
    purses = _purses(story, table) or Purses((), ())
    return Ledger(
        table.record.table, table.seq, tuple(lines), purses.seats, purses.escrow, purses.pot, purses.bank, broken_at
    )


def _movements(story: Story, passage: Passage, windows: dict[int, str]) -> tuple[list[Movement], bool]:
    """What the events of an entry move, and whether all chips that were there are still there."""
    found: list[Movement] = []
    is_sound = True
    for place, event, before, after in moments(story.rules, passage):
        if before is None or before.course.game is after.course.game or type_of(event) == "struck":
            continue
        old, new = _purses(story, before), _purses(story, after)
        if new is None or old == new:
            continue
        is_sound = is_sound and (old is None or None in (old.total(), new.total()) or old.total() == new.total())
        for source, to, amount in _transfers(old, new, event):
            found.append(_line(story, passage, (place, event), (source, to, amount), after, windows))
    return found, is_sound


def _line(
    story: Story, passage: Passage, what: tuple[int, Any], moved: tuple[str, str, int | None], after: Table,
    windows: dict[int, str],
) -> Movement:  # fmt: skip
    place, event = what
    source, to, amount = moved
    offer = getattr(event, "offer", None)
    turn = story.rules.turn(after.course.game)
    return Movement(
        seq=passage.seq, event=place, type=type_of(event), source=source, to=to, amount=amount,
        window=getattr(event, "window", None) if offer is None else windows.get(offer), offer=offer, turn=turn,
        struck_by=story.struck_by(passage.seq),
    )  # fmt: skip


def _windows(story: Story) -> dict[int, str]:
    """The decision that each offer is about."""
    events = (event for passage in story.passages for event in passage.body.events)
    return {event.offer: event.window for event in events if isinstance(event, Offered)}


def _purses(story: Story, table: Table) -> Purses | None:
    return story.rules.purses(table.course.game)


# --- From purses to transfers -------------------------------------------------------------------------


def _transfers(old: Purses | None, new: Purses, event: Any) -> Iterator[tuple[str, str, int | None]]:
    """Who pays whom: those who have less to those who have more, in the order of holders."""
    if isinstance(event, Paid):
        yield f"seat:{event.payer}", f"seat:{event.payee}", event.amount
        return
    before, after = {} if old is None else balance(old), balance(new)
    gains = {holder: _gain(before.get(holder, 0), chips) for holder, chips in after.items()}
    if old is None:
        gains["box"] = -sum(gain for gain in gains.values() if gain is not None)
    unknown = [holder for holder, gain in gains.items() if gain is None]
    takers = [(holder, gain) for holder, gain in gains.items() if gain is not None and gain > 0]
    givers = [(holder, -gain) for holder, gain in gains.items() if gain is not None and gain < 0]
    yield from _paired(givers, takers, unknown[0] if len(unknown) == 1 else "?")


def _gain(before: int | None, after: int | None) -> int | None:
    """What a holder has more; None where that cannot be known."""
    if before is None and after is None:
        return None
    return None if before is None or after is None else after - before


def _paired(
    givers: list[tuple[str, int]], takers: list[tuple[str, int]], hidden: str
) -> Iterator[tuple[str, str, int | None]]:
    """Each giver's chips to the takers, first come first served; what does not add up is with a hidden purse."""
    givers, takers = list(givers), list(takers)
    while givers and takers:
        (source, gives), (to, takes) = givers[0], takers[0]
        amount = min(gives, takes)
        yield source, to, amount
        givers[0], takers[0] = (source, gives - amount), (to, takes - amount)
        givers = givers[1:] if gives == amount else givers
        takers = takers[1:] if takes == amount else takers
    yield from ((source, hidden, gives) for source, gives in givers)
    yield from ((hidden, to, takes) for to, takes in takers)


def balance(purses: Purses) -> Balance:
    """Every holder's chips by name."""
    seats: Balance = {f"seat:{seat}": chips for seat, chips in enumerate(purses.seats)}
    escrow: Balance = {f"escrow:{seat}": chips for seat, chips in enumerate(purses.escrow)}
    return {**seats, **escrow, "pot": purses.pot, "bank": purses.bank}
