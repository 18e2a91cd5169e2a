"""Disputes: one asks that entries be struck, and the seats or the arbiter decide. There is no other undo.

What was learned in the range decides who decides: where nothing was, the rule of the house; where something was, all
people at the table must agree, or the arbiter, for nobody can unlearn it.
"""

from collections.abc import Iterator

from games.core import Refused, Seat
from games.table import actions as act
from games.table import events as happened
from games.table.dispute import Dispute, How, Learned, Rule, counting
from games.table.draft import Draft
from games.table.record import humans
from games.table.rules import Rules
from games.table.state import Table


def open_dispute(draft: Draft, seat: Seat, action: act.Dispute) -> None:
    """The game stands still until it is decided; who opens it is for it."""
    table, house = draft.table, draft.table.record.house
    if house.disputes == "off":
        raise Refused("no_disputes")
    learned = tuple(_learned(draft.rules, table, action.first))
    rule: Rule = "unanimous" if learned and house.disputes == "majority" else house.disputes
    draft.add(
        happened.DisputeOpened(
            dispute=draft.seq, by=seat, first=action.first, last=table.seq, reason=action.reason, learned=learned,
            rule=rule, arbiter=rule == "arbiter" or (bool(learned) and house.arbiter is not None),
            until=draft.at + house.dispute_seconds * 1000,
        )
    )  # fmt: skip
    resolve(draft)


def vote(draft: Draft, seat: Seat, uphold: bool) -> None:
    """A seat decides."""
    draft.add(happened.DisputeVoted(open_one(draft.table).id, seat, uphold))
    resolve(draft)


def rule(draft: Draft, uphold: bool) -> None:
    """The arbiter decides.

    Raises:
        Refused: there is no dispute, or none that is his.
    """
    dispute = open_one(draft.table)
    if not dispute.arbiter:
        raise Refused("not_for_arbiter")
    draft.add(happened.DisputeRuled(dispute.id, uphold))
    _close(draft, "upheld" if uphold else "rejected")


def withdraw(draft: Draft) -> None:
    """Nothing is struck, and the game goes on."""
    _close(draft, "withdrawn")


def time_up(draft: Draft) -> None:
    """Who has not voted by now is against it.

    Raises:
        Refused: there is no dispute, or it still has time.
    """
    if draft.at < open_one(draft.table).until:
        raise Refused("time_left")
    _close(draft, "rejected")


def open_one(table: Table) -> Dispute:
    """The open dispute.

    Raises:
        Refused: there is none.
    """
    if table.record.dispute is None:
        raise Refused("no_dispute")
    return table.record.dispute


def resolve(draft: Draft) -> None:
    """Closes the dispute as soon as the votes decide it, whatever else may come."""
    dispute = draft.table.record.dispute
    how = None if dispute is None else _verdict(dispute, humans(draft.table.record))
    if how is not None:
        _close(draft, how)


def _verdict(dispute: Dispute, seats: tuple[Seat, ...]) -> How | None:
    """What the votes of the people who sit there say; None while they may still say either."""
    if dispute.rule == "arbiter" or not seats:
        return None
    votes = [dispute.votes[seat] for seat in seats]
    needed = len(seats) if dispute.rule == "unanimous" else len(seats) // 2 + 1
    if votes.count(True) >= needed:
        return "upheld"
    out_of_reach = len(seats) - votes.count(False) < needed
    return "rejected" if out_of_reach and not dispute.arbiter else None


def _close(draft: Draft, how: How) -> None:
    dispute = open_one(draft.table)
    draft.add(happened.DisputeClosed(dispute.id, how))
    if how == "upheld":
        draft.add(happened.Struck(first=dispute.first, last=dispute.last))
        draft.start_clocks()


def _learned(rules: Rules, table: Table, first: int) -> Iterator[Learned]:
    """What the entries from `first` on that count have disclosed, and to whom: newest entry first."""
    for node in counting(table.past, table.record.strikes):
        if node.seq < first:
            return
        for place, event in enumerate(node.events):
            if type(event) in rules.own_events:
                for seat in sorted(rules.game.discloses(event), key=lambda each: -1 if each is None else each):
                    yield Learned(seat, node.seq, place)
