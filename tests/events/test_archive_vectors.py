"""The vectors for readers of archives in other languages: this house's own reader agrees with them."""

import json
from typing import get_args

import pytest

from events.archive import Broken, Reason, read
from tests.events import archive_vectors

VECTORS = json.loads(archive_vectors.PATH.read_text(encoding="utf-8"))
TEXTS = {each["name"]: each["text"].encode() for each in VECTORS["archives"]}


def spoilt(case):
    data, (start, end) = TEXTS[case["of"]], case["cut"]
    return data[:start] + case["put"].encode() + data[end:]


def named(cases):
    return [f"{case.get('of', '')} {case['name']}" for case in cases]


def test_the_file_is_what_is_made_here():
    assert archive_vectors.PATH.read_text(encoding="utf-8") == archive_vectors.made()


@pytest.mark.parametrize("case", VECTORS["archives"], ids=named(VECTORS["archives"]))
def test_a_whole_archive_is_read(case):
    header, lines = read([case["text"].encode()])
    found = list(lines)

    assert (header.audience, header.public_key.hex()) == (case["audience"], VECTORS["public_key"])
    assert [line.head.hex() for line in found] == case["heads"]
    assert [line.version for line in found] == case["versions"]
    assert [line.body.decode() for line in found] == case["bodies"]


@pytest.mark.parametrize("case", VECTORS["broken"], ids=named(VECTORS["broken"]))
def test_a_broken_archive_is_found_out_at_its_line(case):
    with pytest.raises(Broken) as told:
        list(read([spoilt(case)])[1])
    assert (told.value.line, told.value.reason) == (case["line"], case["reason"])


def test_every_reason_but_one_has_its_vector():
    """A line that is too long would need a long line."""
    assert {case["reason"] for case in VECTORS["broken"]} == {*get_args(Reason)} - {"too_long"}
