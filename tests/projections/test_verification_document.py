"""docs/archive.md is true: its example holds, its reader reads, and its tables name every reason there is."""

import ast
import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events import archive
from events.chain import seal
from events.entry import FULL
from games import Catalogue, tribunal
from games.table.redact import versions
from projections import codec
from projections.verification import verify_archive
from tests.games import sample
from tests.projections.logs import KEY, KEYS, played

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "archive.md").read_text("utf-8")
EXAMPLE, PUBLIC_LINE = (block.encode() for block in re.findall(r"^```jsonl\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))
AUDIENCES = ("all", "public", 0, 2)
FAILING = {"Wrong", "_fail"}
WORDS = set(re.findall(r"`(\w+)`", TEXT))


def bodies(data):
    """What the reader in the document makes of an archive."""
    (source,) = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    assert f"<!-- run by {Path(__file__).relative_to(ROOT)} -->\n```python\n{source}" in TEXT
    room = {}
    exec(source, room)
    return list(room["bodies"](data))


def test_the_example_holds():
    found = verify_archive([EXAMPLE], Catalogue(), keys=KEYS)
    assert found.first is None
    assert {check.name for check in found.checks if check.status == "passed"} == {
        "chain", "versions", "adjudication", "draws", "signature",
    }  # fmt: skip
    header, lines = archive.read([EXAMPLE])
    assert b"".join(archive.write(header, list(lines))) == EXAMPLE
    assert len(bodies(EXAMPLE)) == found.entries == 3


def test_the_public_line_is_that_of_the_same_table():
    header, lines = archive.read([EXAMPLE])
    rules, entries, head = Catalogue().rules(header.game, header.rules), [], bytes(32)
    for line in lines:
        body = codec.decode(rules, line.seq, line.body)
        body = msgspec.structs.replace(body, action=msgspec.convert(body.action, rules.AnyAction))
        stored = {name: codec.encode(each) for name, each in versions(rules, body, header.seats).items()}
        entries.append(seal(line.seq, head, stored, line.salt))
        head = entries[-1].head
    public = archive.close(KEY, header.table, "public", header.game, header.rules, header.seats, len(entries), head)
    _, first, *_ = archive.write(public, entries)
    assert first == PUBLIC_LINE
    assert set(entries[0].versions) == {FULL, "public"}


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize(("game", "seats"), [(tribunal, 5), (sample, 3)])
def test_the_reader_in_the_document_reads_every_archive(game, seats, audience):
    data = played(game, seats).archive(audience)
    found = [msgspec.json.decode(line.body) for line in archive.read([data])[1]]
    assert bodies(data) == found


SMALL = {audience: played(sample, 3).archive(audience) for audience in AUDIENCES}


@given(st.sampled_from(AUDIENCES), st.data())
def test_the_reader_in_the_document_finds_what_was_changed_in_any_entry(audience, data):
    whole = SMALL[audience]
    place = data.draw(st.integers(whole.index(b"\n") + 1, len(whole) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda each: each != whole[place]))
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError, StopIteration, RuntimeError)):
        bodies(whole[:place] + bytes([byte]) + whole[place + 1 :])


def test_every_reason_is_explained():
    assert set(get_args(archive.Reason)) <= WORDS
    said = set()
    for file in (ROOT / "projections" / "verification").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in FAILING:
                words = [each.value for each in node.args[:2] if isinstance(each, ast.Constant)]
                said |= {word for word in words if re.fullmatch(r"\w+", word)}
    assert len(said) > 10
    assert said <= WORDS
