"""A Tribunal that goes on from another table: bots play it on, and the story begins there in one sentence."""

import random
from functools import cache

import msgspec
import pytest

from clients.terminal.lines import Line
from clients.terminal.telling import Teller
from comitium_client import Update
from games import tribunal
from games.table import actions as act
from games.table import decide as deciding
from games.table.events import ForkedFrom
from games.table.house import House
from games.table.resuming import carried
from projections.view import view
from tests.clients.pure import TABLE, _entry
from tests.clients.terminal_support import words
from tests.clients.test_terminal_story import Watched
from tests.laws.cases import Case
from tests.laws.playing import played

CASE = Case(tribunal, 5, (("appeal", True), ("exile", True)))


@cache
def parent():
    return played(CASE)


class Resumed(Watched):
    """Told from the entry on by which it goes on."""

    at = 0

    def _begin(self):
        seats, record = len(self.bots), parent().driver.table.record
        create = act.Create(
            record.game, record.rules, seats, record.options, House(), "public", "", "p0", sit=False,
            forked_from=ForkedFrom("t1", self.at, "ab" * 32),
        )  # fmt: skip
        self._enter("server", create, deciding.create(self.rules, create, TABLE, self._seed.hex(), 0), None)
        for seat in range(seats):
            self._decide(seat, act.Sit(f"p{seat}", None, None))
        came = carried(self.rules, parent().driver.tables[self.at - 1])
        self._decide("server", act.Resume(tuple(msgspec.to_builtins(event) for event in came)))


def places():
    steps = [step.after for step in parent().steps if step.after.status == "playing"]
    chosen = random.Random(7).sample(steps, 4)
    return [steps[0].seq, *sorted(table.seq for table in chosen)]


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("language", ["en", "ja"])
def test_bots_play_on_and_the_story_tells_what_comes_and_nothing_of_before(language, number):
    watched = type("Here", (Resumed,), {"at": places()[number]})(language)
    said = Line(watched.story.words.own("tell.resumed"))
    place = watched.shown.index(said)

    assert watched.table.status == "ended"
    assert watched.refused == []
    assert watched.shown.count(said) == 1
    assert place == 5, "before it five people have sat down, and nothing else is told"
    scores = watched.table.record.result.scores
    assert sum(scores) == sum(watched.story.books.purses.values())
    assert watched.story.books.purses == dict(enumerate(scores))


def test_a_spectator_of_any_other_game_reads_the_same_sentence():
    watched = type("Here", (Resumed,), {"at": places()[2]})()
    first = next(body for body in watched.bodies if isinstance(body.action, act.Resume))
    teller = Teller(words())
    body = msgspec.structs.replace(first, action={"type": "resume"})
    update = Update(
        seq=first.seq, head="", view=msgspec.to_builtins(view(watched.position, None)), asks=(), since=0, to_act=(),
        entry=_entry(body),
    )  # fmt: skip

    assert teller.tell(update) == [Line(teller.words.own("tell.resumed"))]
