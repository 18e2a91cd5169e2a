"""The story of a Tribunal, told from a spectator's stream: nothing hidden, nothing forgotten, payments where they belong."""

import random
from io import StringIO

import msgspec
import pytest
from rich.console import Console

from clients.bots import BOTS
from clients.terminal.books import signed
from clients.terminal.lines import Grid, Line, show, text_of
from clients.terminal.story import Story
from comitium_client import Update
from games import tribunal
from projections.position import bodies_of, version_for
from projections.view import view
from tests.clients.pure import Pure, _entry
from tests.clients.terminal_support import words

NAMES = ("Livia", "Marcus", "Flavia", "Gaius", "Drusilla")


class Watched(Pure):
    """Tells the story as it goes, to a spectator or to a seat."""

    def __init__(self, language="en", seat=None, seed=0, **options):
        bots = [BOTS["tribunal"](random.Random(f"{seed} {number}"), language) for number in range(5)]
        super().__init__(tribunal, bots, {"appeal": True, "exile": True, **options}, seed)
        say = words(language)
        say.names = NAMES
        self.story, self.seat, self.shown = Story(say), seat, []
        self.play()

    def _enter(self, by, action, decision, draw):
        super()._enter(by, action, decision, draw)
        bodies = bodies_of(self.rules, self.bodies[-1], 5)
        entry = _entry(bodies[version_for(bodies, self.seat)])
        seen = msgspec.to_builtins(view(self.position, self.seat))
        update = Update(seq=self.table.seq, head="", view=seen, asks=(), since=0, to_act=(), entry=entry)
        self.shown += self.story.tell(update)

    @property
    def text(self):
        return text_of(self.shown, 100)


@pytest.fixture(scope="module", params=["en", "ja"])
def told(request):
    return Watched(request.param)


def test_a_spectator_reads_of_no_card_before_the_court_rises(told):
    cards = [text for key, text in told.story.words._texts.items() if ".value.cards." in key]
    rises = told.story.words.own("story.rises")
    before = told.text.partition(rises)[0]
    assert rises in told.text
    assert not any(card in before for card in cards)


def test_every_trial_has_a_head_a_vote_and_an_end(told):
    heads = [line for line in told.shown if isinstance(line, Line) and line.kind == "head"]
    verdicts = [line for line in told.shown if isinstance(line, Line) and line.kind == "verdict"]
    assert len(heads) == len(verdicts) + 1  # the last is the end
    assert told.text.count(told.story.words.own("story.scales", guilty=0, innocent=1).partition("0")[0]) > len(verdicts)


def test_the_books_come_out_at_the_score(told):
    result = told.table.record.result
    assert tuple(told.story.books.purses.values()) == result.scores


def test_the_end_shows_every_hand_and_who_won_by_what(told):
    grid = next(each for each in told.shown if isinstance(each, Grid))
    assert len(grid.rows) == 6
    cells = [cell for row in grid.rows[1:] for cell in row[1:6] if cell]
    assert sum(len(cell.split()) for cell in cells) == 20
    winner = NAMES[told.table.record.result.winners[0]]
    assert any(isinstance(line, Line) and line.kind == "win" and winner in line.text for line in told.shown)


def test_money_is_paid_before_the_next_one_speaks():
    played = Watched("en", seed=2)
    lines = [line.text for line in played.shown if isinstance(line, Line)]
    for place, line in enumerate(lines):
        if " pays " in line and "appeals" not in line:
            before = [each for each in lines[:place] if " pays " not in each and "keeps the" not in each][-1]
            assert "has the floor" not in before, (before, line)
            assert "in the chair" not in before, (before, line)


def test_the_scales_count_what_lies_on_them():
    played = Watched("en", seed=3)
    for number, body in enumerate(played.bodies):
        for event in body.events:
            if type(event).__name__ == "VerdictReached" and not event.early:
                assert number > 0
    scales = [line.right for line in played.shown if isinstance(line, Line) and line.kind == "verdict"]
    for balance, line in zip(
        scales, [x for x in played.shown if isinstance(x, Line) and x.kind == "verdict"], strict=True
    ):
        guilty, innocent = int(balance.split()[1]), int(balance.split()[3])
        if "general" not in line.text and "at once" not in line.text and "balance" not in line.text:
            assert ("guilty" in line.text) == (guilty > innocent)


def test_a_seat_reads_its_own_cards():
    played = Watched("en", seat=0)
    own = [line.text for line in played.shown if isinstance(line, Line) and line.kind == "you"]
    assert any(line.startswith("Livia is dealt") for line in own)
    assert not any(line.startswith("Marcus is dealt") for line in own)


def test_promises_are_judged_when_the_decision_is_over():
    kept = broken = 0
    for seed in range(6):
        counts = Watched("en", seed=seed).story.books.counts
        kept, broken = kept + counts["kept"], broken + counts["broken"]
    assert kept > 0
    assert broken > 0


def test_lines_wrap_with_what_follows_further_in():
    shown = text_of([Line("word " * 30, indent=2)], 40).splitlines()
    assert shown[0].startswith("  word")
    assert all(line.startswith("    word") for line in shown[1:])
    assert all(len(line) <= 40 for line in shown)


def test_no_line_begins_with_a_closing_sign():
    for width in range(30, 60):
        lines = text_of(
            [Line("記録の本文はコミットに、コミットは葉に、葉は先頭に一致し、欠けがない。" * 2)], width
        ).splitlines()
        assert not any(line.strip().startswith(("、", "。")) for line in lines)


def test_colour_is_for_terminals_only():
    file = StringIO()
    show(Console(file=file, width=80), [Line("x", "verdict"), Line("h", "head")])
    assert "\x1b" not in file.getvalue()


def test_signs():
    assert [signed(number) for number in (3, 0, -3)] == ["+3", "0", "−3"]
