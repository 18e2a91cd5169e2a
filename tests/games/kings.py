"""Ten Kings' Judgement on a table that lies as a test wants it."""

from msgspec.structs import replace

from games import core, ten_kings
from games.chance import Chance
from games.ten_kings import actions as act
from games.ten_kings import events as happened
from games.ten_kings.pieces import DECK, Options
from games.ten_kings.state import State

PASS, LAY, TAKE = act.PassOn, act.Retaliate, act.Take()


class Kings:
    """`hands`: what the seats hold, which nobody has seen; whose `turn` it is has drawn already."""

    def __init__(self, *hands, turn=0, first=0, life=1, deck=None, heavens=None, **options):
        chosen = Options(**options)
        state = core.fold(
            ten_kings,
            [
                happened.Opened(len(hands), chosen.lives, chosen.six_cards, chosen.dice),
                happened.LifeBegun(life, first),
                *(happened.Dealt(seat, len(cards), tuple(cards)) for seat, cards in enumerate(hands)),
            ],
        )
        left = len(DECK) - sum(map(len, hands)) if deck is None else deck
        self.state: State = replace(state, turn=turn, deck=left, heavens=heavens or state.heavens)
        self.events = []

    def do(self, seat, action, chance=None):
        """Does what must be among the asks; `events`: what came of it."""
        assert core.permits(ten_kings.asks(self.state, seat), action), ten_kings.asks(self.state, seat)
        self.events = list(ten_kings.decide(self.state, seat, action, chance or Chance(bytes(32), 0)))
        self.state = core.fold(ten_kings, self.events, self.state)
        return self

    def may(self, seat):
        """The cards that the seat may lay, and whether it may take."""
        asks = {ask.type: ask for ask in ten_kings.asks(self.state, seat)}
        cards = asks["retaliate"].fields["card"].one_of if "retaliate" in asks else ()
        return set(cards), "take" in asks

    def found(self, kind):
        return [event for event in self.events if isinstance(event, kind)]

    def hand(self, seat):
        return set(self.state.hand(seat))
