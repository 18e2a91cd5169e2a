"""Bots play whole games, in every number of seats and with every option, and nothing that they do is refused."""

import itertools
import random

import pytest

from clients.bots import BOTS
from games import tribunal
from games.table import actions as act
from games.tribunal import actions as court
from tests.clients.pure import Pure
from tests.games import sample, sample_plain

OPTIONS = [{"appeal": appeal, "exile": exile} for appeal, exile in itertools.product((False, True), repeat=2)]


def bots(*names, seed=0):
    return [BOTS[name](random.Random(f"{seed} {seat}"), "en") for seat, name in enumerate(names)]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("seats", range(4, 8))
@pytest.mark.parametrize("name", BOTS)
def test_a_game_of_one_kind_of_bot_ends(name, seats, options):
    played = Pure(tribunal, bots(*[name] * seats), options, seats)
    assert played.play().status == "ended"
    assert played.refused == []


@pytest.mark.parametrize("seed", range(3))
def test_a_mixed_game_ends(seed):
    played = Pure(tribunal, bots("tribunal", "random", "tribunal", "random", "random", seed=seed), {}, seed)
    assert played.play().status == "ended"


@pytest.mark.parametrize("game", [sample, sample_plain], ids=lambda game: game.name)
@pytest.mark.parametrize("name", BOTS)
def test_any_bot_plays_any_game(game, name):
    seats = game.seats[0]
    played = Pure(game, bots(*[name] * seats), {}, 5)
    assert played.play().status == "ended"


def test_lawyers_bargain_promise_and_break_their_word():
    seen = []
    for seed in range(6):
        played = Pure(tribunal, bots(*["tribunal"] * 5, seed=seed), {"appeal": True, "exile": True}, seed)
        played.play()
        seen += [type(body.action) for body in played.bodies]
    for kind in (act.Offer, act.Amend, act.Accept, act.Decline, act.Promise, act.Say, court.Exile, court.Appeal):
        assert kind in seen, kind


def test_offers_go_to_speakers_and_to_chairs():
    windows = set()
    for seed in range(8):
        played = Pure(tribunal, bots(*["tribunal"] * 5, seed=seed), {"appeal": True, "exile": True}, seed)
        played.play()
        windows |= {
            body.action.window.partition(":")[0] for body in played.bodies if isinstance(body.action, act.Offer)
        }
    assert {"plea", "colour"} <= windows


def test_the_same_moods_and_cards_give_the_same_game():
    first, second = (Pure(tribunal, bots(*["tribunal"] * 5, seed=3), {}, 3) for _ in range(2))
    first.play()
    second.play()
    assert [body.action for body in first.bodies] == [body.action for body in second.bodies]
