"""An action on its way to its events: each is folded as it is added, so that what follows sees what came before."""

from collections.abc import Callable

from games.chance import Source
from games.core import Seat
from games.witch_trial import events as happened
from games.witch_trial.events import Event
from games.witch_trial.fold import evolve
from games.witch_trial.pieces import JURY, PRICES, Trial
from games.witch_trial.state import State, stock

Cards = tuple[str, ...]


class Flow:
    """The events so far, and the table after them."""

    def __init__(self, state: State, chance: Source) -> None:
        self.state = state
        self.chance = chance
        self.events: list[Event] = []

    def add(self, *events: Event) -> None:
        """Adds the events in their order and folds them."""
        for event in events:
            self.state = evolve(self.state, event)
            self.events.append(event)

    @property
    def trial(self) -> Trial:
        return self.state.court

    # --- Dice and jury ---

    def dice(self, count: int) -> tuple[int, ...]:
        """So many six-sided dice, one by one."""
        return tuple([self.chance.roll(6) for _ in range(count)])

    def jury(self, wanted: int) -> int:
        """The value that the jury takes when it is moved there: what lies beyond its ends is lost."""
        return max(JURY[0], min(JURY[1], wanted))

    # --- The deck ---

    def deal(self, seat: Seat, count: int) -> None:
        """The first hand."""
        self._off_deck(count, lambda cards: happened.Dealt(seat, len(cards), cards))

    def draw(self, seat: Seat, count: int) -> None:
        """Up to so many cards into a hand."""
        self._off_deck(count, lambda cards: happened.Drew(seat, len(cards), cards))

    def refill(self) -> None:
        """The lineup up to its five places."""
        self._off_deck(len(PRICES) - len(self.state.lineup), happened.TurnedUp)

    def _off_deck(self, count: int, tell: Callable[[Cards], Event]) -> None:
        """Cards off the deck, as far as there are any. The discards become the deck only once a card is needed and the deck
        is empty.
        """
        while count and self.state.can_draw:
            if not self.state.undrawn:
                self.add(happened.Reshuffled(len(self.state.discards)))
            taken = min(count, self.state.undrawn)
            self.add(tell(self.chance.sample(stock(self.state), taken)))
            count -= taken

    # --- The lineup ---

    def pick(self, seat: Seat, place: int) -> None:
        """The card at that place into the hand, for nothing; the lineup closes up."""
        self.add(happened.Picked(seat, self.state.lineup[place], place))
        self.refill()
