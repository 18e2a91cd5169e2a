"""Whole games at random, for every number of players and every option: they end, within bounds, and nothing gets lost."""

from collections import Counter
from random import Random

import msgspec
import pytest

from games import bargaining, witch_trial
from games.chance import Chance
from games.witch_trial import events as happened
from games.witch_trial.pieces import TURNS, Options
from games.witch_trial.rules import deck_of
from games.witch_trial.state import lying, stock
from tests.games.test_witch_trial_court import SEATS
from tests.laws.sampling import member

GAMES = 8
every_setup = pytest.mark.parametrize(("seats", "reshuffle"), [(s, r) for s in SEATS for r in (False, True)])


class Campaign:
    """A game in which everybody does something that he may. Every step is checked."""

    def __init__(self, seats, rng, options):
        self.options, self.seats, self.moves, self.draws = options, seats, 0, 0
        self.events, self.state = [], None
        self.views = dict.fromkeys((None, *range(seats)))
        self.fold(witch_trial.open(options, seats, self.chance(rng)))
        while self.state.why is None:
            self.step(rng)

    def chance(self, rng):
        self.draws += 1
        return Chance(rng.randbytes(32), self.draws)

    def step(self, rng):
        asked = {seat: witch_trial.asks(self.state, seat) for seat in range(self.seats)}
        waiting = [seat for seat, asks in asked.items() if any(ask.must for ask in asks)]
        assert waiting
        seat = rng.choice([seat for seat, asks in asked.items() if asks] if rng.random() < 0.3 else waiting)
        assert witch_trial.asks(self.views[seat], seat) == asked[seat]
        ask = rng.choice(asked[seat])
        action = msgspec.convert(member(rng, ask), witch_trial.Action)
        self.fold(witch_trial.decide(self.state, seat, action, self.chance(rng)))
        self.moves += ask.must

    def fold(self, events):
        for event in events:
            self.events.append(event)
            self.state = witch_trial.evolve(self.state, event)
            for audience, view in self.views.items():
                self.views[audience] = witch_trial.evolve(view, witch_trial.redact(event, audience))
            self.check()

    def check(self):
        state = self.state
        assert state.purses.total() == 50 * self.seats
        assert min(state.purses.seats) >= 0
        assert state.purses.pot >= 0
        assert Counter(lying(state)) + Counter(stock(state)) == Counter(state.book.all)
        assert len(state.lineup) <= 5
        assert state.trial is None or 1 <= state.trial.jury <= 12


@every_setup
def test_random_games_end_within_the_bound_and_lose_no_card_and_no_dollar(seats, reshuffle):
    rng = Random(f"{seats} {reshuffle}")
    for _ in range(GAMES):
        game = Campaign(seats, rng, Options(reshuffle=reshuffle))

        outcome = witch_trial.outcome(game.state)
        assert outcome.why in witch_trial.WHYS
        assert outcome.scores == game.state.purses.seats
        assert game.moves <= witch_trial.bound(game.options, seats)
        assert game.state.turn <= TURNS
        assert len([e for e in game.events if isinstance(e, happened.Reshuffled)]) <= (reshuffle and seats >= 6)


def test_all_that_may_happen_happens_in_them():
    seen = set()
    rng = Random("all")
    for number in range(60):
        seen |= {type(event) for event in Campaign(3 + number % 5, rng, Options(reshuffle=True)).events}

    own = {kind for kind in witch_trial.Event.__args__ if kind not in bargaining.TYPES}
    assert own - seen == set()


def test_the_bound_counts_what_every_card_may_take():
    cost = sum(card.copies for card in deck_of(Options()).cards)

    assert TURNS * 10 < witch_trial.bound(Options(), 3) < TURNS * (10 + 8 * cost)
    assert witch_trial.bound(Options(), 3) == witch_trial.bound(Options(), 7)
