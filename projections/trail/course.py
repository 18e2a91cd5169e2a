"""What became of every offer, settlement and gift in one course of the game: a fold over the entries that count in it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from games import core
from games.bargaining import (
    ACCEPTING,
    Accepted,
    Amended,
    Did,
    Offered,
    OfferEnded,
    Paid,
    Settlement,
    SplitAnswered,
    SplitPaid,
    SplitProposed,
)
from games.core import Partial, Seat
from games.table.rules import Rules
from games.table.state import Table, windows
from projections.story import Passage, Story, moments
from projections.trail.pieces import Decision, Kind, Matter, Terms


class Deal(msgspec.Struct, kw_only=True):
    """An offer, settlement or gift as it stands so far. `settled`: the entry that paid; `done`: the payee's deeds since the last
    version, each with its entry.
    """

    kind: Kind
    id: int
    turn: str | None
    payer: Seat
    payee: Seat
    payer_player: str | None
    payee_player: str | None
    window: Matter | None
    made: int
    amount: int
    versions: list[Terms] = []
    accepted: int | None = None
    ended: int | None = None
    how: Any = None
    paid: int = 0
    settled: int | None = None
    done: list[tuple[int, Partial]] = []


class Weighed(msgspec.Struct, frozen=True):
    """A verdict, and the game's state that it was reached from."""

    decision: Decision
    state: Any


class Course:
    """The deals in the order in which they were made, and the verdicts in the order in which they were reached.

    `opened`: the decisions that were open at some time; `still`: those that are open or announced in the end.
    """

    def __init__(self, rules: Rules, passages: Iterable[Passage]) -> None:
        self.rules = rules
        self.deals: list[Deal] = []
        self.verdicts: list[Weighed] = []
        self.opened: set[str] = set()
        self.still: set[str] = set()
        self._offers: dict[int, Deal] = {}
        self._splits: dict[int, Deal] = {}
        self._by_window: defaultdict[str, list[Deal]] = defaultdict(list)
        for passage in passages:
            self._read(passage)

    def _read(self, passage: Passage) -> None:
        for _, event, before, _ in () if _resumes(passage) else moments(self.rules, passage):
            if before is not None and before.course.game is not None:
                self._take(passage.seq, event, before)
        if passage.before is not None and passage.after.past is passage.before.past and not passage.after.over:
            return
        known = () if passage.after.over else windows(self.rules, passage.after.course)
        self.still = {window.id for window in known}
        self.opened |= {window.id for window in known if window.open}

    def _take(self, seq: int, event: Any, before: Table) -> None:
        match event:
            case Offered():
                self._offer(seq, event, before)
            case Amended(offer) if offer in self._offers:
                deal = self._offers[offer]
                deal.amount, deal.done = event.amount, []
                deal.versions.append(Terms(seq, event.amount, event.does, event.times, event.never))
            case Accepted(offer) if offer in self._offers:
                self._offers[offer].accepted = seq
            case OfferEnded(offer, how) if offer in self._offers:
                self._offers[offer].ended, self._offers[offer].how = seq, how
            case Paid():
                self._pay(seq, event, before)
            case SplitProposed() | SplitAnswered() | SplitPaid():
                self._settle(seq, event, before)
            case Did(window, _, seat, deed):
                for deal in self._by_window[window]:
                    if deal.payee == seat:
                        deal.done.append((seq, deed))
            case _:
                self._weigh(seq, event, before)

    def _offer(self, seq: int, event: Offered, before: Table) -> None:
        deal = self._deal("offer", event.offer, seq, event, before, event.window)
        deal.versions = [Terms(seq, event.amount, event.does, event.times, event.never)]
        self._offers[event.offer] = deal
        self._by_window[event.window].append(deal)

    def _pay(self, seq: int, event: Paid, before: Table) -> None:
        deal = None if event.offer is None else self._offers.get(event.offer)
        if deal is None:
            deal = self._deal("gift", seq, seq, event, before, event.window)
            deal.ended, deal.how = seq, "paid"
        deal.paid += event.amount
        deal.settled = seq

    def _settle(self, seq: int, event: Settlement, before: Table) -> None:
        """Who proposes a settlement leaves a part of the pot to the other, for a yes."""
        match event:
            case SplitProposed():
                self._propose(seq, event, before)
            case SplitAnswered(proposal, _, _, accept) if proposal in self._splits:
                deal = self._splits[proposal]
                deal.done.append((seq, {**ACCEPTING, "accept": accept}))
                deal.ended, deal.how = seq, "paid" if accept else "declined"
                deal.accepted = seq if accept else None
            case SplitPaid(proposal) if proposal in self._splits:
                self._splits[proposal].paid, self._splits[proposal].settled = event.leaves, seq
            case _:
                pass

    def _propose(self, seq: int, event: SplitProposed, before: Table) -> None:
        deal = self._splits.get(event.proposal)
        if deal is None:
            deal = self._deal_between("settlement", seq, seq, (event.by, event.to), event.leaves, before, event.window)
            self._splits[event.proposal] = deal
        deal.amount = event.leaves
        deal.versions = [*deal.versions, Terms(seq, event.leaves, ACCEPTING, 1, None)]

    def _deal(
        self, kind: Kind, number: int, seq: int, event: Offered | Paid, before: Table, window: str | None
    ) -> Deal:
        return self._deal_between(kind, number, seq, (event.payer, event.payee), event.amount, before, window)

    def _deal_between(
        self, kind: Kind, number: int, seq: int, ends: tuple[Seat, Seat], amount: int, before: Table, window: str | None
    ) -> Deal:
        (payer, payee), holders = ends, before.record.holders
        deal = Deal(
            kind=kind, id=number, turn=self.rules.turn(before.course.game), payer=payer, payee=payee,
            payer_player=holders[payer].player, payee_player=holders[payee].player,
            window=self._matter(before, window), made=seq, amount=amount,
        )  # fmt: skip
        self.deals.append(deal)
        return deal

    def _matter(self, before: Table, window: str | None) -> Matter | None:
        if window is None:
            return None
        found = windows(self.rules, before.course)
        return Matter(window, next((known.kind for known in found if known.id == window), None))

    def _weigh(self, seq: int, event: Any, before: Table) -> None:
        game, state = self.rules.game, before.course.game
        if isinstance(game, core.Judged) and type(event) in self.rules.own_events:
            found = game.verdict(state, event)
            if found is not None:
                decision = Decision(self.rules.turn(state), found.about, found.verdict, seq)
                self.verdicts.append(Weighed(decision, state))


def turns(story: Story) -> Iterator[str | None]:
    """Every trial or turn that was played, struck or not, in the order of the game."""
    seen = set()
    for passage in story.passages:
        if passage.after.course.game is not None:
            turn = story.rules.turn(passage.after.course.game)
            if turn not in seen:
                seen.add(turn)
                yield turn


def _resumes(passage: Passage) -> bool:
    """Whether a fork goes on by it: what comes along was bargained for, and judged, at another table."""
    action = passage.body.action
    return isinstance(action, dict) and action.get("type") == "resume"
