"""Archives read by the client itself: the vectors that every reader runs, and real ones against what was kept."""

import asyncio
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comitium_client import Archive, BrokenArchive, Client, LogForked, LogShorter, Receipt, ReceiptMismatch, Tampered
from tests.clients.house import house, person
from tests.clients.test_client_checks import play

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "vectors" / "archive.json").read_text("utf-8"))
TEXTS = {each["name"]: each["text"].encode() for each in VECTORS["archives"]}
WHOLE = TEXTS["1"]
README = Path(__file__).parents[2] / "clients" / "python" / "README.md"


def spoilt(case):
    data, (start, end) = TEXTS[case["of"]], case["cut"]
    return data[:start] + case["put"].encode() + data[end:]


def named(cases):
    return [f"{case.get('of', '')} {case['name']}" for case in cases]


def broken(data, **more):
    with pytest.raises(BrokenArchive) as told:
        Archive(data, **more).check()
    error = told.value
    assert str(error).startswith(f"line {error.line}: ")
    assert error.seq == error.line - 1
    return error.line, error.reason


# --- Vectors ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", VECTORS["archives"], ids=named(VECTORS["archives"]))
def test_a_whole_archive_is_read(case):
    archive = Archive(case["text"].encode())
    found = list(archive)

    assert (archive.header.audience, archive.header.public_key) == (case["audience"], VECTORS["public_key"])
    assert [line.head for line in found] == case["heads"]
    assert [line.version for line in found] == case["versions"]
    assert [line.raw.decode() for line in found] == case["bodies"]
    assert [line.body.seq for line in found] == [line.seq for line in found] == [1, 2, 3, 4]


@pytest.mark.parametrize("case", VECTORS["broken"], ids=named(VECTORS["broken"]))
def test_a_broken_archive_is_found_out_at_its_line(case):
    assert broken(spoilt(case)) == (case["line"], case["reason"])


@pytest.mark.parametrize("case", VECTORS["receipts"], ids=named(VECTORS["receipts"]))
def test_an_archive_is_held_against_receipts(case):
    receipt = Receipt(**case["receipt"])
    archive = Archive(TEXTS[case["of"]], receipts=[receipt], keys={receipt.key: VECTORS["public_key"]})
    if case["reason"] is None:
        assert archive.check() is archive.header
        return
    with pytest.raises(LogForked if case["reason"] == "forked" else LogShorter) as told:
        archive.check()
    assert (told.value.line, told.value.reason) == (case["line"], case["reason"])
    assert receipt in told.value.receipts
    assert archive.header.receipt in told.value.receipts


def test_no_byte_of_an_archive_can_be_changed_unseen():
    """Each in turn, whatever it stands for."""
    for place in range(len(WHOLE)):
        for bit in (1, 0x20):
            changed = WHOLE[:place] + bytes([WHOLE[place] ^ bit]) + WHOLE[place + 1 :]
            with pytest.raises(Tampered):
                Archive(changed).check()


# --- In pieces, and what else can be wrong ------------------------------------------------------------


@given(st.lists(st.integers(0, len(WHOLE)), max_size=8))
def test_an_archive_may_come_in_any_pieces(cuts):
    places = [0, *sorted(cuts), len(WHOLE)]
    pieces = [WHOLE[start:end] for start, end in pairwise(places)]
    assert list(Archive(iter(pieces))) == list(Archive(WHOLE))


@pytest.mark.parametrize("kind", [str, Path])
def test_an_archive_is_read_from_a_path(kind, tmp_path):
    path = tmp_path / "table.jsonl"
    path.write_bytes(WHOLE)
    assert Archive(kind(path)).check().last_seq == 4


def test_no_more_is_read_than_a_line_may_be_long():
    def endless():
        while True:
            yield b"x" * 1000

    assert broken(endless(), limit=5000) == (1, "too_long")
    assert broken(WHOLE, limit=200) == (1, "too_long")


def test_what_is_no_archive():
    assert broken(b"") == (1, "not_an_archive")
    assert broken(b"\xff\n") == (1, "not_an_archive")
    assert broken(b"[" * 100_000 + b"\n") == (1, "not_an_archive")
    assert broken(b"7\n") == (1, "not_an_archive")


def test_an_archive_that_none_of_ones_keys_has_closed():
    with pytest.raises(ReceiptMismatch, match="none of those given") as told:
        Archive(WHOLE, keys={"another": VECTORS["public_key"]})
    assert told.value.seq == 4
    own = Archive(WHOLE).header.receipt
    with pytest.raises(ReceiptMismatch, match="none of those given"):
        Archive(WHOLE, keys={own.key: "00" * 32})


def test_a_receipt_that_the_key_has_not_signed():
    own = Archive(WHOLE).header.receipt
    false = Receipt(table=own.table, seq=2, head="00" * 32, key=own.key, signature=own.signature)
    with pytest.raises(ReceiptMismatch, match="not signed"):
        Archive(WHOLE, receipts=[false], keys={own.key: VECTORS["public_key"]})


def test_receipts_for_other_tables_say_nothing():
    own = Archive(WHOLE).header.receipt
    other = Receipt(table="00-bbbbbbbbbbbbbbbb", seq=2, head="00" * 32, key=own.key, signature=own.signature)
    assert Archive(WHOLE, receipts=[other]).check().last_seq == 4


def test_the_example_runs(tmp_path, monkeypatch, capsys):
    (example,) = re.findall(r"```py\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.jsonl").write_bytes(WHOLE)
    exec(compile(example, "README.md", "exec"), {})
    assert capsys.readouterr().out.endswith(f"whole, up to {VECTORS['archives'][2]['heads'][-1]}\n")


# --- Of a real server ---------------------------------------------------------------------------------


def test_every_reader_of_a_real_table_can_check_his_archive():
    async def work():
        async with house() as served, person(served) as livia, person(served, "Gaius") as gaius:
            table = await livia.create_table("harbour", 2)
            await gaius.table(table.id).sit()
            async with Client(served.url) as spectator:
                readers = [(livia, 0), (gaius, 1), (spectator, "public")]
                for client, audience in readers:
                    assert await checked(client, served, table.id) == audience
                await asyncio.gather(play(table, 1), play(gaius.table(table.id), 2))
                for client, _ in readers:
                    assert await checked(client, served, table.id) == "all"

    asyncio.run(work())


async def checked(client, served, table):
    """The archive, against all that this client has seen; its audience."""
    data = await client.table(table).archive()
    await client.keys()
    receipts, keys = client.receipts.of(served.url, table), client.receipts.keys(served.url)
    archive = Archive(data, receipts=receipts, keys=keys)
    heads = {line.seq: line.head for line in archive}
    assert {entry.seq: entry.head async for entry in client.table(table).log()} == heads
    return archive.header.audience
