"""Asks for: what is worked out for one type of action alone is what the list of everything says of that type."""

from games.core import tag_of
from games.table import actions as act
from games.table.asks import asks, asks_for
from tests.laws.cases import every_case
from tests.laws.playing import played


@every_case
def test_the_asks_for_one_type_are_those_of_all_that_have_it(case):
    play = played(case)
    rules = play.driver.rules
    for step in play.steps:
        for seat in range(case.seats):
            everything = asks(rules, step.after, seat, step.position.windows)
            for kind in (*rules.game_actions, *act.SEAT_ACTS):
                found = asks_for(rules, step.after, seat, step.position.windows, kind)
                of_type = [ask for ask in found if ask.type == tag_of(kind)]
                assert of_type == [ask for ask in everything if ask.type == tag_of(kind)]
