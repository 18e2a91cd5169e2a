"""Percentiles, budgets and the written section."""

import statistics

import pytest

from bench import report, tally
from bench.figures import row_of, verdicts
from bench.latency import latency, quantile
from bench.load import Part, Result, Spent
from bench.runs import Plan, plainly
from bench.servers import ROOT, Unstarted
from games import core
from games.chance import Forbidden
from games.texts import missing_texts, stray_texts


def result(commands, p99=0.010):
    calm = latency([0.001] * 99 + [p99, p99])
    part = Part(commands, calm, calm, bytes=600 * commands, retries=0, spent=Spent(2.0, 1.0, 0.5, 0.1))
    return Result(part, part, longest=7)


def rows(**commands):
    return {
        name: row_of(name, name, [result(count) for count in (count - 1, count, count * 9)])
        for name, count in commands.items()
    }


def test_a_percentile_is_a_value_that_was_measured():
    assert quantile(range(1, 101), 0.99) == 99
    assert quantile([5], 0.5) == 5
    assert quantile([], 0.5) == 0.0
    assert latency([3, 1, 2]).p50 == statistics.median([1, 2, 3])


def test_a_row_is_the_median_of_its_runs():
    assert rows(tally=1000)["tally"].rate == 500


def test_budgets_pass_or_fall_short_or_were_not_measured():
    found = verdicts(rows(tally=1000, memory=800, flat=200), {"append": 1.1, "view": 1.4})
    assert [verdict.word for verdict in found] == [
        "PASS",
        "short",
        "not measured",
        "PASS",
        "PASS",
        "not measured",
        "short",
    ]
    assert [verdict.found for verdict in found[:2]] == ["1.25", "5.00"]


def test_the_section_goes_between_the_markers_and_nowhere_else(tmp_path):
    file = tmp_path / "performance.md"
    file.write_text("# Performance\n\nbefore\n\n<!-- figures -->\nold\n<!-- /figures -->\n\nafter\n")
    costs = {"append": {10: (0.001, 600), 1000: (0.0012, 600)}}
    found = report.Found(Plan(), [("date", "today")], list(rows(tally=1000).values()), [], {"Comitium": costs})
    report.write(file, report.markdown(found))
    text = file.read_text()
    assert text.startswith("# Performance\n\nbefore\n\n<!-- figures -->\n")
    assert text.endswith("<!-- /figures -->\n\nafter\n")
    assert "old" not in text
    assert "| append | 1.00 (600) | 1.20 (600) | 1.20 |" in text


def test_a_file_without_markers_gets_them(tmp_path):
    file = tmp_path / "performance.md"
    report.write(file, "figures")
    assert "<!-- figures -->\n\nfigures\n\n<!-- /figures -->" in file.read_text()


def test_a_reason_names_no_folder_of_this_machine():
    assert plainly(Unstarted(f"first\n  File {ROOT}/cli.py is missing\n")) == "File .../cli.py is missing"


def test_tally_ends_at_its_target():
    options = tally.Options(target=10)
    state = core.fold(tally, tally.open(options, 4, Forbidden()))
    for amount in (9, 1):
        assert core.permits(tally.asks(state, 2), tally.Add(amount))
        state = core.fold(tally, tally.decide(state, 2, tally.Add(amount), Forbidden()), state)
    assert tally.outcome(state) == core.Outcome((2,), (0, 0, 10, 0), "target")
    assert tally.asks(state, 0) == []
    assert not core.permits(tally.asks(state, 2), tally.Add(1))


@pytest.mark.parametrize("amount", [0, 10, -1, True])
def test_tally_takes_one_to_nine(amount):
    state = core.fold(tally, tally.open(tally.Options(), 2, Forbidden()))
    assert not core.permits(tally.asks(state, 0), tally.Add(amount))


def test_tally_has_its_words():
    assert missing_texts(tally) == []
    assert stray_texts(tally) == []
