"""Canonical JSON, against a second implementation written from RFC 8785 alone."""

import json
import math
from typing import Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.canonical import MAX_INTEGER, NotCanonical, check, encode

SHORT = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


def rfc8785(value):
    """Section 3.2, for values without floats."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return '"' + "".join(character(ord(char)) for char in value) + '"'
        case list():
            return "[" + ",".join(map(rfc8785, value)) + "]"
        case dict():
            keys = sorted(value, key=lambda key: key.encode("utf-16-be"))  # 3.2.3: by UTF-16 code units
            return "{" + ",".join(f"{rfc8785(key)}:{rfc8785(value[key])}" for key in keys) + "}"


def character(code):
    """Section 3.2.2.2."""
    if code in SHORT:
        return SHORT[code]
    return f"\\u{code:04x}" if code < 0x20 else chr(code)


ODD = st.sampled_from(
    ["\x00", "\x1f", "\x7f", "\x80", "\u2028", "\ufeff", "\uffff", "é", "裁判官", "🎲", "𝔸", '"', "\\", "/"]
)
WORDS = st.lists(ODD | st.characters(exclude_categories=["Cs"]), max_size=12).map("".join)
KEYS = st.text(st.characters(max_codepoint=0x7F), max_size=8)
NUMBERS = st.integers(-MAX_INTEGER, MAX_INTEGER)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=30,
)


@given(VALUES)
def test_encode_is_rfc_8785(value):
    check(value)
    assert encode(value).decode() == rfc8785(value)
    assert json.loads(encode(value)) == value


@given(st.permutations(["a", "b", "B", "~", "", "aa", "Z"]))
def test_the_order_of_making_does_not_matter(keys):
    assert encode(dict.fromkeys(keys, 1)) == encode(dict.fromkeys(sorted(keys), 1))


def test_every_control_character():
    text = "".join(map(chr, range(0x21))) + '\x7f"\\/'
    assert encode(text).decode() == rfc8785(text)


def test_the_fields_and_the_tag_of_a_struct_are_sorted_too():
    class Paid(msgspec.Struct, tag="paid", tag_field="type"):
        to: int
        by: int
        amount: int | None = None

    assert encode(Paid(to=2, by=1)) == b'{"amount":null,"by":1,"to":2,"type":"paid"}'
    assert encode([Paid(to=2, by=1), (1, 2)]) == b'[{"amount":null,"by":1,"to":2,"type":"paid"},[1,2]]'
    check(Paid(to=2, by=1))


class Sum(msgspec.Struct):
    total: float | dict[str, float] | Literal["none"]


REFUSED = {
    "$.a[1]: a float": {"a": [1, 0.5]},
    "$.total: a float": Sum(1.0),
    "$: a float": math.nan,
    "$[0]: 9007199254740992": [MAX_INTEGER + 1],
    "$[0]: -9007199254740992": (-MAX_INTEGER - 1,),
    "$: the key 'é'": {"é": 1},
    "$.a: the key 1": {"a": {1: 2}},
    "$.a: the text holds a lone surrogate": {"a": "\ud800"},
}


@pytest.mark.parametrize(("says", "value"), REFUSED.items(), ids=REFUSED.keys())
def test_what_has_no_canonical_form_is_refused_with_its_place(says, value):
    with pytest.raises(NotCanonical) as told:
        check(value)
    assert str(told.value).startswith(says)


@given(st.integers(-MAX_INTEGER, MAX_INTEGER))
def test_integers_keep_every_digit(number):
    check(number)
    assert encode(number) == str(number).encode()
