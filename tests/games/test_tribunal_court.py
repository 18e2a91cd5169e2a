"""The court in which the tests of Tribunal play, by events alone; and that the module is a game."""

from itertools import combinations, product

import msgspec
import pytest

from games import core, tribunal
from games.chance import Forbidden, Scripted
from games.core import Action, Ask, OneOf, SomeOf
from games.tribunal import actions as act
from games.tribunal import events as happened
from games.tribunal.pieces import CARDS, Options, colours_for, deck

SEATS = tuple(tribunal.seats)


class Court:
    """A game of Tribunal. Every step plays an action that is among the asks, and folds what follows.

    Seat 0 passes first and everybody passes on the two cards just taken up, so that `hands` (filled up with what is
    left of the deck) are the hands of the whole game. `views`: what each audience knows.
    """

    def __init__(self, seats=4, *, appeal=False, exile=False, passer=0, hands=()):
        self.seats = seats
        self.options = Options(appeal=appeal, exile=exile)
        self.audiences = (None, *range(seats))
        self.events = []
        self.state = None
        self.views = dict.fromkeys(self.audiences)
        self._fold(tribunal.open(self.options, seats, Scripted(deal(seats, hands), passer)))

    def play(self, seat, action, chance=None):
        """The seat's action, which must be legal; the events that it causes."""
        assert core.permits(self.asks(seat), action), f"{action} is not among {self.asks(seat)}"
        return self._fold(tribunal.decide(self.state, seat, action, chance or Forbidden()))

    def _fold(self, events):
        for event in events:
            self.events.append(event)
            self.state = tribunal.evolve(self.state, event)
            for audience, view in self.views.items():
                self.views[audience] = tribunal.evolve(view, tribunal.redact(event, audience))
        return list(events)

    # --- Looking ---

    def asks(self, seat):
        return tribunal.asks(self.state, seat)

    def permits(self, seat, action):
        return core.permits(self.asks(seat), action)

    def to_act(self):
        return tuple(seat for seat in range(self.seats) if any(ask.must for ask in self.asks(seat)))

    def windows(self):
        return {window.id: window for window in tribunal.windows(self.state)}

    def outcome(self):
        return tribunal.outcome(self.state)

    def place(self, colour):
        return self.state.place_of(colour)

    def happened(self, kind):
        return [event for event in self.events if isinstance(event, kind)]

    def chips(self):
        return self.state.purses.seats

    # --- Steps ---

    def passed(self, chair=0):
        """All pass their cards on; the chair of the first trial is drawn."""
        for step in range(self.seats):
            seat = self.state.turn
            last = step + 1 == self.seats
            self.play(seat, act.PassCards(self.state.hands[seat][-2:]), Scripted(chair) if last else None)
        return self

    def colour(self, colour="red"):
        self.play(self.state.turn, act.ChooseColour(colour))
        return self

    def vote(self, *guilty):
        """These seats vote guilty, the others innocent; the events of the last vote."""
        return [self.play(seat, act.Vote(seat in guilty)) for seat in range(self.seats)][-1]

    def divided(self):
        """A tied vote with an even number of seats, else a majority of one for guilty: no early verdict."""
        self.vote(*range((self.seats + 1) // 2))
        return self

    def direction(self, direction="clockwise"):
        self.play(self.state.turn, act.ChooseDirection(direction))
        return self

    def pleading(self, colour="red"):
        """On to the first plea of a trial, the vote being divided."""
        return self.colour(colour).divided().direction()

    def place_counter(self, pan="guilty", counter="verdict"):
        return self.play(self.state.turn, act.Place(counter, pan))

    def give(self, to, counter="verdict"):
        return self.play(self.state.turn, act.Give(counter, to))

    def plead(self, *pans):
        """The next speakers place all their verdict counters on these pans."""
        for pan in pans:
            for _ in range(self.state.verdict_counters[self.state.turn]):
                self.place_counter(pan)
        return self

    def judged(self, colour, verdict):
        """A trial that the general vote decides unanimously."""
        self.colour(colour)
        self.vote(*(range(self.seats) if verdict == "guilty" else ()))
        return self

    def balanced(self, colour):
        """A trial that ends with equal pans."""
        self.pleading(colour)
        for _ in range(self.seats):
            heavier = self.state.weight("guilty") > self.state.weight("innocent")
            self.plead("innocent" if heavier else "guilty")
        return self


def deal(seats, hands=()):
    """The order of dealing that gives these hands, then what is left."""
    rest = [card for card in deck(colours_for(seats)) if all(card not in hand for hand in hands)]
    order = [card for hand in hands for card in hand] + rest
    return tuple(order[: 4 * seats + 2])


def members(ask: Ask):
    """Every action that the ask permits."""
    values = [list(_values(domain)) for domain in ask.fields.values()]
    for chosen in product(*values):
        fields = dict(zip(ask.fields, chosen, strict=True))
        yield msgspec.convert({"type": ask.type, **fields}, tribunal.Action)


def _values(domain):
    match domain:
        case OneOf(values):
            return values
        case SomeOf(values, low, high):
            return [some for size in range(low, high + 1) for some in combinations(values, size)]
        case _:
            raise TypeError(domain)


# --- The module is a game -----------------------------------------------------------------------------


def test_it_is_a_game_with_chips_and_bargaining():
    assert isinstance(tribunal, core.Moneyed)
    assert isinstance(tribunal, core.Bargained)
    assert tribunal.name == "tribunal"


def test_four_to_seven_play():
    assert SEATS == (4, 5, 6, 7)


@pytest.mark.parametrize("wrong", [{"appeal": 1}, {"exil": True}])
def test_an_option_is_a_known_yes_or_no(wrong):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, Options)


def test_only_cards_and_votes_are_sealed():
    kinds = tribunal.Action.__args__

    assert [kind for kind in kinds if kind.sealed] == [act.PassCards, act.Vote]
    assert all(issubclass(kind, Action) for kind in kinds)


def test_a_card_is_a_colour_and_a_number():
    assert len(CARDS) == len(set(CARDS)) == 30
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"type": "pass_cards", "cards": ["red-8", "red-3"]}, tribunal.Action)


def test_nothing_happens_before_the_court_is_opened():
    with pytest.raises(TypeError, match="opened"):
        tribunal.evolve(None, happened.SpeakerCalled(0))
