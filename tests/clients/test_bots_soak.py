"""How strong the Tribunal bot is: the figures of its docstring, from the same cards and moods every time."""

import random

import pytest

from clients.bots import BOTS
from clients.bots.matches import Match, Score, mood
from games import tribunal
from tests.clients.pure import Pure

GAMES = 500


def measure(match):
    score = Score()
    for number in range(match.games):
        names = match.bots(number)
        bots = [BOTS[name](mood(0, number, seat), "en") for seat, name in enumerate(names)]
        played = Pure(tribunal, bots, dict(match.options), random.Random(number).randrange(2**32))
        result = played.play().record.result
        score = score.with_game(number % match.seats, {"scores": result.scores, "winners": result.winners}, 0)
        assert played.refused == []
    return score


@pytest.mark.soak
@pytest.mark.parametrize(("seats", "least"), [(4, 0.6), (5, 0.55)])
def test_one_lawyer_among_random_players_wins_most_games(seats, least):
    score = measure(Match("tribunal", "random", seats, GAMES))
    assert score.wins / score.games >= least
    assert score.chips / score.games > score.others / score.games + 10


@pytest.mark.soak
@pytest.mark.parametrize(("seats", "most"), [(4, 0.12), (5, 0.08)])
def test_one_random_player_among_lawyers_hardly_ever_wins(seats, most):
    score = measure(Match("random", "tribunal", seats, GAMES))
    assert score.wins / score.games <= most


def test_a_short_match_points_the_same_way():
    score = measure(Match("tribunal", "random", 5, 15))
    assert score.wins / score.games > 0.3
