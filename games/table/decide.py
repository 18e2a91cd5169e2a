"""One action to its events. The only place where a table's entries are decided; pure, and so repeatable in an audit."""

from collections.abc import Sequence
from typing import Any

import msgspec

from games import chance as chances
from games import core
from games.bargaining import Promised, ordered
from games.chance import Source
from games.core import Action, Ask, Refused, Seat, Window
from games.table import actions as act
from games.table import disputing, resuming
from games.table import events as happened
from games.table.asks import asks_for
from games.table.draft import Draft
from games.table.offers import decide_offer
from games.table.record import humans, seat_of
from games.table.rules import Rules
from games.table.state import Table, deadline, windows
from games.table.why import explain

By = Seat | str


class Known(msgspec.Struct, frozen=True):
    """What the caller has worked out already of the table as it stands: its windows, and every seat's asks."""

    windows: tuple[Window, ...]
    asks: tuple[tuple[Ask, ...], ...]


class Decision(msgspec.Struct, frozen=True):
    """The events of an entry, and the table after them (its seq and draw number not yet counted)."""

    events: tuple[Any, ...]
    table: Table


def create(rules: Rules, action: act.Create, table: str, seed: str, at: int) -> Decision:
    """Entry 1 of a table.

    Raises:
        Refused: the game is not for so many seats.
        msgspec.ValidationError: an option that the game does not have.
    """
    chosen = rules.options(action.options)
    seats = rules.seats(chosen)
    if action.seats not in seats:
        raise Refused("seats", lowest=seats[0], highest=seats[-1])
    options = msgspec.to_builtins(chosen)
    house = msgspec.to_builtins(action.house)
    draft = Draft(rules, None, 1, at, chances.Forbidden())
    draft.add(
        happened.Created(
            table, action.game, action.rules, action.seats, options, house, action.visibility, action.name,
            action.creator, action.forked_from, action.rematch_of,
        )
    )  # fmt: skip
    draft.add(happened.SeedSealed(seed, chances.seed_hash(bytes.fromhex(seed)).hex()))
    if action.sit:
        draft.add(*sit(draft.table, 0, act.Sit(action.creator, None, None)))
    return Decision(tuple(draft.events), draft.table)


def decide(
    rules: Rules, table: Table, by: By, action: Action, at: int, chance: Source, known: Known | None = None
) -> Decision:
    """The events that the action causes on the table as it stands.

    Raises:
        Refused: the rules, the house or the state of the table do not allow it. Nothing has changed.
    """
    draft = Draft(rules, table, table.seq + 1, at, chance)
    if table.over:
        raise Refused("ended")
    if isinstance(action, act.LIFECYCLE):
        _lifecycle(draft, by, action)
    elif isinstance(by, int):
        _act(draft, _held(table, by), action, known)
    elif by == "arbiter" and isinstance(action, act.RuleDispute):
        disputing.rule(draft, action.uphold)
    else:
        raise Refused("not_your_seat")
    return Decision(tuple(draft.events), draft.table)


def _at_table(table: Table, seat: Seat) -> Seat:
    """The seat, which exists.

    Raises:
        Refused: it does not.
    """
    if not 0 <= seat < len(table.record.holders):
        raise Refused("no_such_seat", seats=len(table.record.holders))
    return seat


def _held(table: Table, seat: Seat) -> Seat:
    """The seat, which somebody holds.

    Raises:
        Refused: nobody does, or it does not exist.
    """
    if table.record.holders[_at_table(table, seat)].player is None:
        raise Refused("not_your_seat")
    return seat


# --- What a seat does --------------------------------------------------------------------------------


def _act(draft: Draft, seat: Seat, action: Action, known: Known | None) -> None:
    table, rules = draft.table, draft.rules
    open_windows = windows(rules, table.course) if known is None else known.windows
    open_asks = asks_for(rules, table, seat, open_windows, type(action)) if known is None else known.asks[seat]
    permitting = core.permitting(open_asks, action, open_windows, table.strikable)
    if not permitting:
        raise explain(rules, table, seat, action, open_asks, open_windows)
    if type(action) in rules.own_actions:
        draft.play(seat, action, must=any([ask.must for ask in permitting]))
        return
    match action:
        case act.Say(text):
            draft.add(happened.Said(seat, text))
        case act.Whisper(to, text):
            draft.add(happened.Whispered(seat, to, text))
        case act.Promise(to, text, does, kind):
            draft.add(Promised(draft.seq, seat, to, text, does and ordered(does), kind))
        case act.Leave():
            _leave(draft, seat)
        case act.Abandon(agree):
            _abandon(draft, seat, agree)
        case act.Dispute():
            disputing.open_dispute(draft, seat, action)
        case act.VoteDispute(uphold):
            disputing.vote(draft, seat, uphold)
        case act.WithdrawDispute():
            disputing.withdraw(draft)
        case _:
            _bargain(draft, seat, action)


def _bargain(draft: Draft, seat: Seat, action: Action) -> None:
    """Chips that change hands may change what is open to whom."""
    draft.add(*decide_offer(draft.table, draft.seq, seat, action))
    draft.ask()


def _leave(draft: Draft, seat: Seat) -> None:
    player = draft.table.record.holders[seat].player
    draft.add(happened.Left(seat, player or ""))
    if draft.table.record.house.absent == "end":
        _close(draft, "left")
    else:
        _abandon_if_all_agree(draft)
        disputing.resolve(draft)


def _abandon(draft: Draft, seat: Seat, agree: bool) -> None:
    draft.add(happened.AbandonAgreed(seat, agree))
    _abandon_if_all_agree(draft)


def _abandon_if_all_agree(draft: Draft) -> None:
    record = draft.table.record
    seated = humans(record)
    if seated and all(record.holders[seat].agrees for seat in seated):
        _close(draft, "agreed")


def _close(draft: Draft, why: str) -> None:
    """Chips in offers go back, except at a frozen table: its rules have failed, and are not asked any more."""
    if draft.table.status in ("playing", "disputed"):
        draft.void()
    draft.add(happened.Abandoned(why))
    draft.disclose()


# --- What surrounds the game -------------------------------------------------------------------------


def _lifecycle(draft: Draft, by: By, action: Action) -> None:
    """By whom what is asked stands here too, so that an audit refuses a log in which a seat closed the table."""
    table = draft.table
    match action:
        case act.Sit() if isinstance(by, int):
            draft.add(*sit(table, by, action))
        case act.GiveEntropy(entropy) if isinstance(by, int):
            draft.add(*_give_entropy(table, by, entropy))
        case act.Rise() if isinstance(by, int):
            _rise(draft, by)
        case act.Start() if by == "server":
            _start(draft)
        case act.Resume(events) if by == "server":
            _resume(draft, events)
        case act.TimeUp(seat) if by == "clock":
            _time_up(draft, seat)
        case act.DisputeTimeUp() if by == "clock":
            disputing.time_up(draft)
        case act.Freeze(reason) if by == "server":
            _need(table, "open", "playing", "disputed")
            draft.add(happened.Frozen(reason))
        case act.Close(why) if by in ("operator", "clock"):
            _close(draft, why)
        case _:
            raise Refused("not_your_seat")


def _need(table: Table, *status: str) -> None:
    if table.status not in status:
        raise not_while(table)


def not_while(table: Table) -> Refused:
    """The refusal of what its status does not allow."""
    if table.status == "disputed" and table.record.dispute is not None:
        return Refused("disputed", dispute=table.record.dispute.id)
    return Refused("frozen" if table.status == "frozen" else f"not_while_{table.status}")


def sit(table: Table, seat: Seat, action: act.Sit) -> list[Any]:
    """A player takes a seat.

    Raises:
        Refused: the seat is taken or does not exist, the player has one already, has held another in mid-game (and so
            knows what it hides), or arbitrates here.
    """
    _need(table, "open", "playing", "disputed")
    record = table.record
    if record.holders[_at_table(table, seat)].player is not None:
        raise Refused("seat_taken")
    if seat_of(record, action.player) is not None:
        raise Refused("already_seated")
    if any(action.player in holder.former for other, holder in enumerate(record.holders) if other != seat):
        raise Refused("sat_elsewhere")
    if record.house.arbiter == action.player:
        raise Refused("arbiter_sits_apart")
    events: list[Any] = [happened.Seated(seat, action.player, action.bot)]
    if action.entropy is not None and table.status == "open":
        events.append(happened.EntropyGiven(seat, action.entropy))
    return events


def _give_entropy(table: Table, seat: Seat, entropy: str) -> list[Any]:
    _need(table, "open")
    if table.record.holders[_held(table, seat)].entropy is not None:
        raise Refused("entropy_given")
    return [happened.EntropyGiven(seat, entropy)]


def _rise(draft: Draft, seat: Seat) -> None:
    table = draft.table
    _need(table, "open")
    draft.add(happened.Risen(_held(table, seat), table.record.holders[seat].player or ""))
    _abandon_if_all_agree(draft)


def _start(draft: Draft) -> None:
    _begin(draft)
    rules, record = draft.rules, draft.table.record
    if record.forked_from is not None:
        raise Refused("resumes")
    draft.add(*rules.game.open(rules.options(record.options), len(record.holders), draft.chance))
    draft.settle(())


def _resume(draft: Draft, events: Sequence[dict[str, Any]]) -> None:
    _begin(draft)
    if draft.table.record.forked_from is None:
        raise Refused("no_fork")
    draft.add(*resuming.read(draft.rules, events))
    draft.settle(())


def _begin(draft: Draft) -> None:
    """All have sat down, and chance has its key."""
    _need(draft.table, "open")
    holders = draft.table.record.holders
    if any(holder.player is None for holder in holders):
        raise Refused("seats_open")
    draft.add(happened.Started(tuple(holder.entropy for holder in holders)))


def _time_up(draft: Draft, seat: Seat) -> None:
    _need(draft.table, "playing")
    if seat not in draft.table.course.to_act:
        raise Refused("not_your_turn")
    draft.add(happened.TimedOut(seat, _why_timed_out(draft.table, seat, draft.at)))
    must = next(ask for ask in draft.rules.game.asks(draft.table.course.game, seat) if ask.must)
    draft.play(seat, by_chance(draft.rules, must, draft.chance), must=True)


def _why_timed_out(table: Table, seat: Seat, at: int) -> Any:
    if table.record.house.absent == "chance" and table.record.holders[seat].player is None:
        return "absent"
    limit = deadline(table, seat)
    if limit is None or at < limit:
        raise Refused("time_left")
    return "clock"


def by_chance(rules: Rules, ask: core.Ask, chance: Source) -> Action:
    """A member of the ask, drawn field by field in the order of their names."""
    fields = {name: _draw(ask.fields[name], chance) for name in sorted(ask.fields)}
    action: Action = msgspec.convert({"type": ask.type, **fields}, rules.Action)
    return action


def _draw(domain: core.Domain, chance: Source) -> Any:
    match domain:
        case core.OneOf(values):
            return chance.pick(values)
        case core.Between(low, high):
            return chance.pick(range(low, high + 1))
        case core.SomeOf(values, low, high, repeats):
            count = chance.pick(range(low, high + 1))
            if repeats:
                return tuple(chance.pick(values) for _ in range(count))
            return tuple(chance.sample(values, count))
        case core.Text():
            return "..."
        case core.Match() | core.Deed() | core.EntryAfter():
            return None  # never in what an absent player must do
