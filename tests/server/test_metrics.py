"""What is counted, and that nothing is counted by anything that users choose."""

from typing import get_args

import pytest
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from games.table import house
from server.metrics import RESULTS, Freeze, Metrics, Status, Transport
from server.problems import CODES


def samples(metrics):
    body, _ = metrics.render()
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(body.decode())
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def test_an_app_counts_for_itself():
    one, two = Metrics(), Metrics()
    one.sent(3)
    assert samples(one)["comitium_frames_sent_total", ()] == 3
    assert samples(two)["comitium_frames_sent_total", ()] == 0
    assert not [name for name in REGISTRY._names_to_collectors if name.startswith("comitium")]


def test_everything_that_happens_is_counted():
    metrics = Metrics()
    metrics.command("socket", "accepted", 0.003)
    metrics.command("socket", "stale", 0.2)
    metrics.problem("stale")
    metrics.appended(7)
    metrics.socket_opened()
    metrics.socket_opened()
    metrics.socket_closed(slow=True)
    metrics.sent(4)
    metrics.table(None, "open")
    metrics.table("open", "playing")
    metrics.table(None, "ended")
    metrics.table("ended", None)
    metrics.table("playing", "frozen")
    metrics.frozen("overtime")
    lines = metrics.render()[0].decode().splitlines()
    for line in [
        'commands_total{result="accepted",transport="socket"} 1.0',
        'commands_total{result="stale",transport="socket"} 1.0',
        'commands_total{result="accepted",transport="rest"} 0.0',
        'command_seconds_count{transport="socket"} 2.0',
        'command_seconds_bucket{le="0.005",transport="socket"} 1.0',
        'problems_total{code="stale"} 1.0',
        "append_batch_entries_count 1.0",
        "append_batch_entries_sum 7.0",
        "log_entries_total 7.0",
        "sockets_open 1.0",
        "slow_readers_closed_total 1.0",
        "frames_sent_total 4.0",
        'tables{status="playing"} 0.0',
        'tables{status="frozen"} 1.0',
        'tables{status="ended"} 0.0',
        'tables_frozen_total{why="overtime"} 1.0',
    ]:
        assert f"comitium_{line}" in lines


def test_the_number_of_series_is_fixed_from_the_start():
    metrics = Metrics()
    before = samples(metrics).keys()
    for transport in get_args(Transport):
        for result in RESULTS:
            metrics.command(transport, result, 1.0)
    for code in CODES:
        metrics.problem(code)
    for status in get_args(Status):
        metrics.table(None, status)
    for why in get_args(Freeze):
        metrics.frozen(why)
    assert samples(metrics).keys() == before


@pytest.mark.parametrize(
    "count",
    [
        lambda m, text: m.command("rest", text, 1.0),
        lambda m, text: m.command(text, "accepted", 1.0),
        lambda m, text: m.problem(text),
        lambda m, text: m.table(None, text),
        lambda m, text: m.frozen(text),
    ],
)
def test_no_text_from_outside_becomes_a_label(count):
    metrics = Metrics()
    with pytest.raises(KeyError):
        count(metrics, "canary")
    assert b"canary" not in metrics.render()[0]


def test_the_statuses_are_those_of_a_table():
    assert set(get_args(Status)) == set(get_args(house.Status))


def test_it_is_the_form_that_prometheus_reads():
    body, content_type = Metrics().render()
    assert content_type.startswith("text/plain; version=")
    assert body.endswith(b"\n")
    assert b"# HELP comitium_commands_total " in body
