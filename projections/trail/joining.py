"""From a table's story to its trail: every offer and every gift, joined with what came of it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from games import core
from games.bargaining import Offered, Paid, SplitProposed
from games.core import Seat
from games.table.dispute import strike_of
from games.table.state import Table
from projections.promises import verdicts
from projections.story import Passage, Story
from projections.trail.course import Course, Deal, turns
from projections.trail.pieces import Bribe, Moved, Totals, Trail, TurnTotal
from projections.trail.weighing import Finding, deeds


class Word(Protocol):
    """A promise, and whether it was kept, as `projections.promises` tells it. `proof`: the entries that show it."""

    @property
    def id(self) -> int: ...

    @property
    def by(self) -> Seat: ...

    @property
    def to(self) -> Seat: ...

    @property
    def seq(self) -> int: ...

    @property
    def verdict(self) -> str: ...

    @property
    def proof(self) -> Sequence[int]: ...

    @property
    def struck_by(self) -> int | None: ...


def trail(story: Story, words: Iterable[Word] | None = None) -> Trail:
    """The bribery trail, as the story's reader may know it. `words`: the promises and whether they were kept, where the
    reader has them already.
    """
    rules, record = story.rules, story.table.record
    broken = [
        word
        for word in (_words(story) if words is None else words)
        if word.verdict == "broken" and word.struck_by is None
    ]
    course = Course(rules, story.counting())
    bribes = [*(_told(course, deal, broken) for deal in course.deals), *_struck(story)]
    bribes.sort(key=lambda bribe: bribe.made)
    return Trail(
        record.table, record.game, record.rules, len(record.holders), story.table.seq,
        isinstance(rules.game, core.Judged), tuple(bribes), _totals(story, course, bribes),
    )  # fmt: skip


def _words(story: Story) -> Iterable[Word]:
    """The promises as their own projection tells them."""
    return verdicts(story)


# --- One bribe ----------------------------------------------------------------------------------------


def _told(course: Course, deal: Deal, broken: Sequence[Word]) -> Bribe:
    """A deal of the course that counts."""
    finding = Finding(course, deal)
    return Bribe(
        **_of(deal), ended=deal.ended, how=deal.how, paid=deal.paid, deeds=finding.deeds, decision=finding.decision,
        wanted=finding.wanted, way=finding.way, without=finding.without, decisive=finding.decisive,
        broken=tuple(_broken(deal, finding, broken)), struck_by=None,
    )  # fmt: skip


def _gone(deal: Deal, ended: int, struck_by: int | None) -> Bribe:
    """A deal that was struck: nothing came of it."""
    return Bribe(
        **_of(deal), ended=ended, how="void", paid=0, deeds=deeds(deal), decision=None, wanted=None, way=None,
        without=None, decisive=None, broken=(), struck_by=struck_by,
    )  # fmt: skip


def _of(deal: Deal) -> dict[str, Any]:
    """What a bribe has from its deal whatever came of it."""
    return {
        "kind": deal.kind, "id": deal.id, "turn": deal.turn, "payer": deal.payer, "payee": deal.payee,
        "payer_player": deal.payer_player, "payee_player": deal.payee_player, "amount": deal.amount,
        "versions": tuple(deal.versions), "window": deal.window, "made": deal.made, "accepted": deal.accepted,
    }  # fmt: skip


def _broken(deal: Deal, finding: Finding, words: Sequence[Word]) -> Iterator[int]:
    """Promises between the two that stood when the deed was done (a gift: when it was paid), and were broken no earlier
    than the payment. One entry may end a plea, pay for it and break a word: that is told as well.
    """
    if deal.settled is None:
        return
    done = max([deed.seq for deed in finding.deeds if deed.wanted], default=deal.settled)
    for word in words:
        between = {word.by, word.to} == {deal.payer, deal.payee}
        if between and word.seq <= done and max(word.proof, default=0) >= deal.settled:
            yield word.id


# --- What was struck ----------------------------------------------------------------------------------


def _struck(story: Story) -> Iterator[Bribe]:
    """The deals whose entries do not count any more, each as it stood when it last did."""
    courses: dict[int, Course] = {}
    for passage in story.passages:
        struck_by = story.struck_by(passage.seq)
        if struck_by is None or not _makes_a_deal(passage):
            continue
        end = _last_counted(story, passage.seq, struck_by)
        if end not in courses:
            courses[end] = Course(story.rules, _counting_before(story, end))
        yield from (_gone(deal, end, struck_by) for deal in courses[end].deals if deal.made == passage.seq)


def _makes_a_deal(passage: Passage) -> bool:
    return any(isinstance(event, Offered | Paid | SplitProposed) for event in passage.body.events)


def _last_counted(story: Story, seq: int, struck_by: int) -> int:
    """The strike that ended the time in which the entry last counted: a later strike may cover the first one as well."""
    before = _before(story, struck_by)
    earlier = strike_of(before.record.strikes, seq)
    return struck_by if earlier is None else _last_counted(story, seq, earlier.entry)


def _counting_before(story: Story, end: int) -> Iterator[Passage]:
    """The entries that counted right before that one."""
    strikes = _before(story, end).record.strikes
    return (passage for passage in story.passages[: end - 1] if strike_of(strikes, passage.seq) is None)


def _before(story: Story, seq: int) -> Table:
    return story.passages[seq - 2].after


# --- Sums ---------------------------------------------------------------------------------------------


def _totals(story: Story, course: Course, bribes: Sequence[Bribe]) -> Totals:
    """Of what came out of purses: a settlement is paid from the pot."""
    bribes = [bribe for bribe in bribes if bribe.kind != "settlement"]
    seats = len(story.table.record.holders)
    found = []
    for turn in turns(story):
        paid = [bribe for bribe in bribes if bribe.turn == turn]
        decisions = tuple(weighed.decision for weighed in course.verdicts if weighed.decision.turn == turn)
        found.append(TurnTotal(turn, decisions, _chips(paid), _moved(seats, paid)))
    return Totals(_chips(bribes), _moved(seats, bribes), tuple(found))


def _chips(bribes: Iterable[Bribe]) -> int:
    return sum(bribe.paid for bribe in bribes)


def _moved(seats: int, bribes: Sequence[Bribe]) -> tuple[Moved, ...]:
    return tuple(
        [
            Moved(seat, _chips(b for b in bribes if b.payer == seat), _chips(b for b in bribes if b.payee == seat))
            for seat in range(seats)
        ]
    )
