"""Turns: how the game is set up, what one may do in a turn, who defends, and when there is no turn any more."""

from games.chance import Source
from games.core import Seat
from games.witch_trial import events as happened
from games.witch_trial.cards import Deck
from games.witch_trial.events import Event
from games.witch_trial.flow import Flow
from games.witch_trial.fold import evolve
from games.witch_trial.pieces import HAND, MANY, PRICES, TURNS, Options


def set_up(options: Options, deck: Deck, seats: int, chance: Source) -> list[Event]:
    """Five cards each, five in the lineup, and the first turn drawn by chance."""
    opened = happened.Opened(seats, deck, options.reshuffle and seats >= MANY)
    flow = Flow(evolve(None, opened), chance)
    for seat in range(seats):
        flow.deal(seat, HAND)
    flow.refill()
    flow.add(happened.FirstDrawn(chance.below(seats)))
    _begin(flow, flow.state.active)
    return [opened, *flow.events]


def _begin(flow: Flow, seat: Seat) -> None:
    """A turn begins with a card off the deck."""
    flow.add(happened.TurnBegan(flow.state.turn + 1, seat))
    flow.draw(seat, 1)
    flow.refill()


def pass_on(flow: Flow) -> None:
    """To the left of whose turn it was; or the end, when all have passed and nothing is left, or after 400 turns."""
    state = flow.state
    if state.passes == state.seats:
        flow.add(happened.CourtRose("played_out"))
    elif state.turn == TURNS:
        flow.add(happened.CourtRose("turns_capped"))
    else:
        _begin(flow, state.left_of(state.active))


def buy(flow: Flow, seat: Seat, place: int) -> None:
    """For the price of its place, which goes to the Legal Fees."""
    flow.add(happened.Bought(seat, flow.state.lineup[place], place, PRICES[place]))
    flow.refill()
    pass_on(flow)


def build(flow: Flow, seat: Seat, suspect: str, charge: str, place: int | None) -> None:
    """A card of the lineup costs nothing here, wherever it lies."""
    if place is not None:
        flow.add(happened.Picked(seat, flow.state.lineup[place], place))
    flow.add(happened.CaseBuilt(seat, suspect, charge))
    flow.refill()
    pass_on(flow)


def pass_turn(flow: Flow, seat: Seat) -> None:
    flow.add(happened.TurnPassed(seat, flow.state.is_bare))
    pass_on(flow)


def appointed(flow: Flow, of: Seat) -> Seat:
    """Who has to defend the case: all others roll, and of the lowest roll again until one of them is lowest alone."""
    rolling = [seat for seat in range(flow.state.seats) if seat != of]
    while len(rolling) > 1:
        totals = {}
        for seat in rolling:
            dice = flow.dice(2)
            totals[seat] = sum(dice)
            flow.add(happened.CourtRolled(seat, of, dice, sum(dice)))
        rolling = [seat for seat in rolling if totals[seat] == min(totals.values())]
    flow.add(happened.Appointed(rolling[0], of))
    return rolling[0]
