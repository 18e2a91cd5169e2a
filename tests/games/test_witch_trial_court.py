"""The court in which the tests of Witch Trial play, with a small deck of its own; and that the module is a game."""

import msgspec
import pytest

from games import core, witch_trial
from games.bargaining import Paid
from games.chance import Source
from games.witch_trial import actions as act
from games.witch_trial import cards
from games.witch_trial import events as happened
from games.witch_trial.pieces import Options
from games.witch_trial.state import stock

SEATS = tuple(witch_trial.seats)


def said(text):
    return {"en": text, "ja": text}


def motion(name, *effects, copies=1):
    return cards.Motion(id=name, name=said(name), copies=copies, effects=effects, text=said(name))


def suspect(name, guilt, defense=10, copies=1):
    return cards.Suspect(id=name, name=said(name), copies=copies, guilt=guilt, defense=defense)


def charge(name, severity, court=15, copies=1, **against):
    return cards.Charge(id=name, name=said(name), copies=copies, severity=severity, court=court, against=against)


def evidence(name, prosecution, defense, copies=1):
    return cards.Evidence(id=name, name=said(name), copies=copies, prosecution=prosecution, defense=defense)


BASIC = (
    suspect("lewis", 4, 20, copies=3),
    suspect("anna", 2),
    suspect("baron", 6, 30),
    charge("golf", 3, copies=3),
    charge("smuggling", 5, 30, lewis=2),
    charge("heresy", 9, 40, anna=-6),
    charge("gossip", 0, 5),
    evidence("pet", 3, 2, copies=5),
    evidence("map", 11, 11),
    evidence("note", 0, 1, copies=5),
    cards.Objection(id="nonsense", name=said("nonsense"), copies=3),
)
"""Lewis, Golf, Smuggling and the pet are those of the rulebook's examples."""


def deck(*more):
    """The basic cards and these."""
    return cards.Deck(title=said("tests"), note=said("made for tests"), cards=(*BASIC, *more))


class Dice(Source):
    """Dice show these, in this order; of cards the first are drawn, of seats seat 0."""

    def __init__(self, *rolls):
        self.rolls = list(rolls)

    @property
    def used(self):
        return True

    def below(self, n):
        return 0

    def roll(self, sides):
        assert sides == 6
        return self.rolls.pop(0)

    def sample(self, items, k):
        return tuple(items[:k])


class Court:
    """A game of Witch Trial. Every step plays an action that is among the asks, and folds what follows.

    It begins with turn 1 of seat 0, these hands and this lineup, and nothing drawn; what is left of the deck lies in it.
    `views`: what each audience knows, from which every seat's asks follow as well as from the truth.
    """

    def __init__(self, *hands, seats=3, more=(), lineup=(), reshuffle=False, first=0):
        self.seats = seats
        self.audiences = (None, *range(seats))
        self.events = []
        self.state = None
        self.views = dict.fromkeys(self.audiences)
        dealt = [happened.Dealt(seat, len(hand), tuple(sorted(hand))) for seat, hand in enumerate(hands)]
        self.fold(happened.Opened(seats, deck(*more), reshuffle), *dealt, happened.TurnedUp(tuple(lineup)))
        self.fold(happened.FirstDrawn(first), happened.TurnBegan(1, first))

    def play(self, seat, action, *rolls):
        """The seat's action, which must be legal; the events that it causes. All these dice are rolled."""
        assert core.permits(self.asks(seat), action), f"{action} is not among {self.asks(seat)}"
        dice = Dice(*rolls)
        found = witch_trial.decide(self.state, seat, action, dice)
        assert dice.rolls == []
        return self.fold(*found)

    def fold(self, *events):
        for event in events:
            self.events.append(event)
            self.state = witch_trial.evolve(self.state, event)
            for audience, view in self.views.items():
                self.views[audience] = witch_trial.evolve(view, witch_trial.redact(event, audience))
        return list(events)

    def emptied(self):
        """Nothing is left in the deck: its cards are with the last seat."""
        left = stock(self.state)
        self.fold(happened.Drew(self.seats - 1, len(left), left))
        return self

    # --- Looking ---

    def asks(self, seat, kind=None):
        found = witch_trial.asks(self.state, seat)
        assert found == witch_trial.asks(self.views[seat], seat)
        return tuple(ask for ask in found if kind in (None, ask.type))

    def permits(self, seat, action):
        return core.permits(self.asks(seat), action)

    def to_act(self):
        return tuple(seat for seat in range(self.seats) if any(ask.must for ask in self.asks(seat)))

    def windows(self):
        return {window.kind: window for window in witch_trial.windows(self.state)}

    def happened(self, kind):
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def trial(self):
        return self.state.trial

    @property
    def jury(self):
        return self.state.trial.jury

    @property
    def chips(self):
        return self.state.purses.seats

    @property
    def pot(self):
        return self.state.purses.pot

    def hand(self, seat):
        return self.state.hands[seat]

    # --- Steps ---

    def give(self, payer, payee, amount):
        """A gift, as the table makes it."""
        self.fold(Paid(payer, payee, amount, None, None))
        return self

    def case(self, suspect_="lewis", charge_="golf"):
        """The seat whose turn it is builds a case from its hand."""
        self.play(self.state.active, act.Build(suspect_, charge_, None))
        return self

    def rest(self, *, go_on=True):
        """Who has the floor rests, and proposes nothing."""
        speaker = self.trial.speaker
        self.play(speaker, act.Rest())
        if go_on:
            self.play(speaker, act.GoOn(), *self.final)
        return self

    @property
    def final(self):
        """The dice of the verdict, if it comes next: 2 and 2."""
        return (2, 2) if self.trial.stage == "closing" else ()

    def put(self, card, *rolls):
        """Who has the floor plays it; the other side, if asked, lets it pass."""
        self.play(self.trial.speaker, act.Play(card), *(() if self.is_asked(card) else rolls))
        if self.trial is not None and self.trial.step == "objection":
            self.play(self.trial.listener, act.Allow(), *rolls)
        return self

    def is_asked(self, card):
        return self.state.book.kind(card) == "motion" and bool(self.hand(self.trial.listener))


def trial(*hands, more=(), suspect_="lewis", charge_="golf", seats=3, **options):
    """In turn 1 seat 1 defends the case of seat 0. Their hands, and those of the others, as the trial begins."""
    prosecutor, *others = [*hands, *[()] * seats][:seats]
    court = Court([*prosecutor, suspect_, charge_], *others, seats=seats, more=more, first=1, **options)
    court.fold(happened.CaseBuilt(0, suspect_, charge_))
    court.play(1, act.Defend(0))
    return court


# --- The module is a game -----------------------------------------------------------------------------


def test_it_is_a_game_with_chips_bargaining_verdicts_and_decks():
    assert isinstance(witch_trial, core.Moneyed)
    assert isinstance(witch_trial, core.Bargained)
    assert isinstance(witch_trial, core.Judged)
    assert isinstance(witch_trial, core.Furnished)
    assert witch_trial.name == "witch_trial"


def test_three_to_seven_play():
    assert SEATS == (3, 4, 5, 6, 7)


@pytest.mark.parametrize("wrong", [{"reshuffle": 1}, {"deck": 3}, {"dek": "house"}])
def test_an_option_is_a_known_one(wrong):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, Options)


@pytest.mark.parametrize(
    "wrong", [{"deck": "mine"}, {"deck_file": {"sha256": "ab", "content": {}}}], ids=["no file", "no name"]
)
def test_another_deck_than_the_houses_has_a_name_and_a_file(wrong):
    with pytest.raises(msgspec.ValidationError, match="deck"):
        msgspec.convert(wrong, Options)


def test_no_action_is_sealed_as_whatever_is_hidden_is_hidden_by_events():
    assert not [kind for kind in witch_trial.Action.__args__ if kind.sealed]


def test_nothing_happens_before_the_court_is_opened():
    with pytest.raises(TypeError, match="opened"):
        witch_trial.evolve(None, happened.TurnBegan(1, 0))
