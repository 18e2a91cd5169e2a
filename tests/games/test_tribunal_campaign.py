"""Random legal games at every number of seats and with all options: the laws hold after each entry."""

import random
from itertools import product

import msgspec
import pytest

from games import core, tribunal
from games.chance import Chance
from games.tribunal import actions as act
from games.tribunal.pieces import CARDS, colours_for, deck
from tests.games.test_tribunal_court import SEATS, Court, members

COMBINATIONS = list(product(SEATS, (False, True), (False, True), range(3)))
PUBLIC = [name for name in tribunal.State.__struct_fields__ if name not in ("hands", "votes")]

tables = pytest.mark.parametrize(("seats", "appeal", "exile", "seed"), COMBINATIONS)


class Campaign(Court):
    """A court with cards dealt by chance, in which every step is one of the asks, chosen at random."""

    def __init__(self, seats, appeal, exile, seed):
        super().__init__(seats, appeal=appeal, exile=exile)
        self.random = random.Random(f"{seats} {appeal} {exile} {seed}")
        self.key = self.random.randbytes(32)
        self.thrifty = seed == 0
        self.entries = 0
        self.state, self.events, self.views = None, [], dict.fromkeys(self.audiences)
        self._fold(tribunal.open(self.options, seats, self.chance()))

    def chance(self):
        return Chance(self.key, self.entries)

    def step(self):
        """A must-action of a random seat. Votes are often alike, and some tables are thrifty, for all ends to occur."""
        self.entries += 1
        seat = self.random.choice(self.to_act())
        ask = self.random.choice(self.asks(seat))
        action = self.random.choice(list(members(ask)))
        if isinstance(action, act.Vote) and self.random.random() < 0.8:
            action = act.Vote(self.state.trial % 2 == 0)
        if isinstance(action, act.Appeal) and self.thrifty:
            action = act.ForgoAppeal()
        return self.play(seat, action, self.chance())

    def steps(self):
        """Step by step to the end."""
        yield self
        while self.outcome() is None:
            self.step()
            yield self


@tables
def test_every_game_ends_within_the_bound_and_until_then_somebody_must_act(seats, appeal, exile, seed):
    court = Campaign(seats, appeal, exile, seed)

    for _ in court.steps():
        assert court.to_act() or court.outcome()

    assert court.to_act() == ()
    assert court.entries <= tribunal.bound(court.options, seats)
    assert court.outcome().why in tribunal.WHYS


@tables
def test_every_member_of_every_ask_is_accepted(seats, appeal, exile, seed):
    for court in Campaign(seats, appeal, exile, seed).steps():
        for seat in range(seats):
            for ask in court.asks(seat):
                for action in members(ask):
                    events = tribunal.decide(court.state, seat, action, court.chance())
                    assert events
                    core.fold(tribunal, events, court.state)


@tables
def test_cards_counters_and_chips_are_conserved(seats, appeal, exile, seed):
    cards = deck(colours_for(seats))

    for court in Campaign(seats, appeal, exile, seed).steps():
        state = court.state
        held = [card for hand in state.hands for card in hand]
        assert len(set(held)) == len(held) == len(cards) - state.aside
        assert set(held) <= set(cards)
        assert state.purses.total() == 20 * seats
        assert sum(state.verdict_counters) + sum(c.seat is not None for c in verdicts(state)) == seats
        assert sum(c.seat is None for c in verdicts(state)) <= 1
        assert len(state.pawns) == len(colours_for(seats))


def verdicts(state):
    return [counter for counter in state.scales if counter.kind == "verdict"]


@tables
def test_extra_counters_never_come_back(seats, appeal, exile, seed):
    left = seats

    for court in Campaign(seats, appeal, exile, seed).steps():
        now = sum(court.state.extra_counters) + sum(c.kind == "extra" for c in court.state.scales)
        assert now <= left
        left = now


@tables
def test_every_view_agrees_with_the_truth_in_what_is_public(seats, appeal, exile, seed):
    for court in Campaign(seats, appeal, exile, seed).steps():
        windows, outcome = tribunal.windows(court.state), court.outcome()
        for audience, view in court.views.items():
            assert all(getattr(view, name) == getattr(court.state, name) for name in PUBLIC)
            assert tribunal.windows(view) == windows
            assert tribunal.outcome(view) == outcome
            assert tuple(seat for seat in range(seats) if tribunal.asks(view, seat)) == court.to_act()
            if audience is not None:
                assert tribunal.asks(view, audience) == court.asks(audience)


@tables
def test_what_a_view_shows_is_true(seats, appeal, exile, seed):
    for court in Campaign(seats, appeal, exile, seed).steps():
        for view in court.views.values():
            for known, held in zip(view.hands, court.state.hands, strict=True):
                assert len(known) == len(held)
                assert {card for card in known if card} <= set(held)
            assert all(known in (None, vote) for known, vote in zip(view.votes, court.state.votes, strict=True))


@tables
def test_hands_are_disclosed_at_the_end_only(seats, appeal, exile, seed):
    for court in Campaign(seats, appeal, exile, seed).steps():
        if court.outcome():
            break
        assert not any(card in encoded(court.views[None]) for card in CARDS)
        if court.state.phase != "passing":
            for seat in range(seats):
                foreign = set(CARDS) - set(court.state.hands[seat])
                assert not any(f'"{card}"' in encoded(court.views[seat]) for card in foreign)


def encoded(view):
    return msgspec.json.encode(view).decode()


@tables
def test_redaction_is_consistent_in_every_event(seats, appeal, exile, seed):
    court = Campaign(seats, appeal, exile, seed)
    for _ in court.steps():
        pass

    for event, audience in product(court.events, court.audiences):
        once = tribunal.redact(event, audience)
        assert tribunal.redact(once, None) == tribunal.redact(event, None)
        assert tribunal.redact(once, audience) == once
        assert type(once) is type(event)


@tables
def test_events_survive_being_written_and_read(seats, appeal, exile, seed):
    court = Campaign(seats, appeal, exile, seed)
    for _ in court.steps():
        pass
    kinds = list[tribunal.Event]

    read = msgspec.json.decode(msgspec.json.encode(court.events), type=kinds)

    assert read == court.events
    assert core.fold(tribunal, read) == court.state


@tables
def test_window_ids_never_repeat(seats, appeal, exile, seed):
    gone, before = set(), set()

    for court in Campaign(seats, appeal, exile, seed).steps():
        now = set(court.windows())
        gone |= before - now
        assert not now & gone
        assert {window.kind for window in court.windows().values()} <= set(tribunal.WINDOWS)
        before = now


def test_all_ends_and_all_decisions_occur_in_the_campaign():
    whys, kinds = set(), set()

    for combination in COMBINATIONS:
        for court in Campaign(*combination).steps():
            kinds |= {window.kind for window in court.windows().values()}
        whys.add(court.outcome().why)

    assert kinds == set(tribunal.WINDOWS)
    assert whys >= {"all_chaired", "all_judged", "appeal_judged", "appeal_forgone"}
