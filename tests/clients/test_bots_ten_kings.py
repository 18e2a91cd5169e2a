"""What the bot of Ten Kings' Judgement does in small positions, and that it plays whole games."""

import asyncio

import pytest

from clients.bots.matches import Match, play_match
from clients.bots.ten_kings import to_lay, to_pass
from games import Catalogue, ten_kings
from server.serve import serving
from server.settings import Settings


@pytest.mark.parametrize(
    ("hand", "card"),
    [
        (("spade-3", "club-12", "heart-13"), "club-12"),
        (("heart-3", "diamond-12", "joker"), "heart-3"),
        (("joker",), "joker"),
        (("club-1",), "club-1"),
    ],
)
def test_it_passes_its_worst_deed_and_keeps_the_good_ones(hand, card):
    assert to_pass(hand) == card


@pytest.mark.parametrize(
    ("laid", "cards", "card"),
    [
        (("spade-6",), ("club-7", "club-13", "joker"), "club-13"),
        (("spade-6",), ("joker",), "joker"),
        (("spade-6",), (), None),
        (("heart-9",), ("joker",), None),
        (("spade-2", "joker"), ("heart-1", "club-1"), "club-1"),
        (("joker",), ("heart-1",), "heart-1"),
    ],
)
def test_it_sends_evil_back_with_the_worst_that_may_be_laid_and_welcomes_a_good_deed(laid, cards, card):
    assert to_lay(laid, cards) == card


def test_it_plays_whole_games_and_is_refused_nothing():
    async def play():
        settings = Settings.load({}, store="memory:", port=0, unsafe_unlimited=True)
        async with serving(settings, Catalogue((ten_kings,))) as served:
            match = Match("ten_kings", "random", 3, 2, "ten_kings", {"lives": 5})
            return await play_match(served.url, match)

    score = asyncio.run(play())
    assert (score.games, score.refused) == (2, 0)
