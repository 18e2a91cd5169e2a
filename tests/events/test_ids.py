"""Ids of tables and commands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.store import command_id, lane_of, table_id


@given(st.integers(0, 254))
def test_a_table_carries_its_lane(lane):
    assert lane_of(table_id(lane)) == lane


def test_table_ids_do_not_repeat():
    assert len({table_id() for _ in range(1_000)}) == 1_000


@pytest.mark.parametrize("lane", [-1, 255, 256])
def test_there_are_255_lanes_in_stores(lane):
    with pytest.raises(ValueError, match="lane"):
        table_id(lane)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "00",
        "0g-0123456789abcdef",
        "00_0123456789abcdef",
        "00-0123456789abcde",
        "00-0123456789abcdeF",
        "００-0123456789abcdef",
    ],
)
def test_what_is_no_table_id(text):
    with pytest.raises(ValueError, match="not a table id"):
        lane_of(text)


@given(st.tuples(*[st.text(max_size=6)] * 3), st.tuples(*[st.text(max_size=6)] * 3))
def test_a_command_id_tells_any_two_commands_apart(one, other):
    assert (command_id(*one) == command_id(*other)) == (one == other)
    assert len(command_id(*one)) == 32


def test_the_parts_of_a_command_cannot_run_into_each_other():
    assert (
        len(
            {
                command_id("a", "b", "c"),
                command_id("ab", "", "c"),
                command_id("a", "bc", ""),
                command_id('a","b', "", "c"),
            }
        )
        == 4
    )


def test_the_id_of_a_command_never_changes():
    assert command_id("anna", "00-0000000000000001", "k").hex() == (
        "03df1b5fc9a14db55604f25013db30a67a15e32e2f091fa11f4bc49c754b281f"
    )
