"""An entry in the making: every event is folded as it is added, so that what follows sees what came before."""

from typing import Any

from games import bargaining
from games.bargaining import Deals, Did, Offer, ordered
from games.chance import Source
from games.core import Action, Purses, Seat, Window, plain, type_of
from games.table import events as happened
from games.table.asks import waiting
from games.table.rules import Rules
from games.table.state import Table, apply, windows


class Unsound(Exception):  # noqa: N818  (it is said of the rules, not of a request)
    """The rules broke a law: chips came from nowhere, or nobody can act. The table must be frozen."""


class Draft:
    """The events so far, and the table after them."""

    def __init__(self, rules: Rules, table: Table | None, seq: int, at: int, chance: Source) -> None:
        self.rules = rules
        self.seq = seq
        self.at = at
        self.chance = chance
        self.events: list[Any] = []
        self._table = table

    @property
    def table(self) -> Table:
        if self._table is None:
            raise Unsound("an entry on no table")
        return self._table

    def add(self, *events: Any) -> None:
        """Adds the events in their order and folds them."""
        for event in events:
            self._table = apply(self.rules, self._table, event, self.at)
        self.events += events

    def play(self, seat: Seat, action: Action, *, must: bool) -> None:
        """A game action of the seat with all that follows from it: deeds, payments, the end, whose turn it is. `must`: the
        table waits for it.
        """
        rules, table = self.rules, self.table
        before, chips = windows(rules, table.course), rules.purses(table.course.game)
        if not type(action).sealed:
            self.add(*_deeds(before, table.course.deals, seat, action))
        self.add(*rules.game.decide(self.table.course.game, seat, action, self.chance))
        is_timed = must and table.record.house.move_seconds is not None
        self.settle(before, (seat,) if is_timed else ())
        if not _same_sum(chips, rules.purses(self.table.course.game)):
            raise Unsound("the sum of all chips changed")

    def settle(self, before: tuple[Window, ...], acted: tuple[Seat, ...] = ()) -> None:
        """After game events: closes what belongs to windows that are gone, ends the game, says whom it waits for."""
        if self.table.course.deals.offers:
            self._end_offers(before)
        outcome = self.rules.game.outcome(self.table.course.game)
        if outcome is None:
            self.ask(acted)
            return
        self.void()
        outcome = self.rules.game.outcome(self.table.course.game) or outcome
        self.add(happened.Ended(outcome.winners, outcome.scores, outcome.why))
        self.disclose()

    def _end_offers(self, before: tuple[Window, ...]) -> None:
        after = {window.id for window in windows(self.rules, self.table.course)}
        opened = {window.id for window in before if window.open}
        for offer in self.table.course.deals.offers:
            if offer.window not in after:
                self.add(*_end(offer, opened))

    def void(self) -> None:
        """Every offer that is still open ends, and its chips go back."""
        for offer in self.table.course.deals.offers:
            self.add(bargaining.ended(offer, "void"))

    def ask(self, acted: tuple[Seat, ...] = ()) -> None:
        """Says whom the table waits for, when that has changed, or when a clock starts again: `acted` was waited for."""
        seats = waiting(self.rules, self.table)
        if not seats:
            raise Unsound("the game has not ended, and nobody can act")
        again = tuple(seat for seat in acted if seat in seats)
        if again or seats != self.table.course.to_act:
            self.add(happened.Asked(seats, again))

    def start_clocks(self) -> None:
        """Says whom the table waits for now that the course is another. Clocks that ran stop, and start anew."""
        seats = self.table.course.to_act
        running = [seat for seat, holder in enumerate(self.table.record.holders) if holder.since is not None]
        timed = self.table.record.house.move_seconds is not None
        self.add(happened.Asked(seats, tuple(seat for seat in seats if timed and seat in running)))

    def disclose(self) -> None:
        """At the end everybody may draw everything again."""
        seed = self.table.record.seed
        if seed is not None:
            self.add(happened.SeedDisclosed(seed))


def _same_sum(before: Purses | None, after: Purses | None) -> bool:
    """Whether no chip came or went."""
    return before is after or _sum(before) == _sum(after)


def _sum(purses: Purses | None) -> int | None:
    return None if purses is None else purses.total()


def _end(offer: Offer, opened: set[str]) -> list[bargaining.Event]:
    """How an offer ends whose window is gone: by what was done, or void when the window never opened."""
    return bargaining.closing(offer) if offer.window in opened else [bargaining.ended(offer, "void")]


def _deeds(before: tuple[Window, ...], deals: Deals, seat: Seat, action: Action) -> list[Did]:
    """The action as a public deed in each open window over which one bargains."""
    tag = type_of(action)
    deed: dict[str, Any] | None = None
    found = []
    for window in before:
        is_decision = window.open and seat in window.deciders and any(ask.type == tag for ask in window.deeds)
        if is_decision and _is_bargained_over(window, deals):
            deed = deed or ordered(plain(action))
            found.append(Did(window.id, window.kind, seat, deed))
    return found


def _is_bargained_over(window: Window, deals: Deals) -> bool:
    """One may offer chips for it, or somebody did, or gave his word, before it took no more offers."""
    return (
        bool(window.offers)
        or any(offer.window == window.id for offer in deals.offers)
        or any(promise.kind == window.kind for promise in deals.promises)
    )
