"""Archives: written and read byte for byte, and broken wherever a byte is not what it must be."""

import io
import json
import re
import tracemalloc
from hashlib import sha256

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events import archive, canonical, chain
from events.archive import MAX_LINE, Broken, Line, Reader, close, read, split, write
from events.chain import ZERO, read_as, seal
from events.entry import FULL, PUBLIC, Entry
from events.receipts import Receipt, SigningKey, key_id, verify
from tests.events.samples import TEXTS, table

KEY = SigningKey(bytes(range(32)))
TABLE = table(1)
SEATS = 12
AUDIENCES = ("all", "public", 0, 2, 3)
CREATED = {"type": "created", "game": "senet", "rules": 3, "seats": SEATS}


def versions(seq, secret=True):
    """An entry with one version, two or several, and text that is easily spoilt."""
    events = [CREATED if seq == 1 else {"type": "said", "text": TEXTS[seq % len(TEXTS)]}]
    body = {"table": TABLE, "seq": seq, "by": seq % 4, "at": seq, "action": {"type": "say"}, "events": events}
    found = {FULL: canonical.encode({**body, "secret": seq} if secret else body)}
    if secret and seq % 2 == 0:
        found[PUBLIC] = canonical.encode({**body, "secret": None})
    if secret and seq % 4 == 0:
        found |= {str(seat): canonical.encode({**body, "secret": seat}) for seat in (0, 2, 11)}
    return found


def sealed(every, before=ZERO, first=1):
    """Entries in one chain."""
    found = []
    for seq, each in enumerate(every, first):
        found.append(seal(seq, before, each, sha256(b"salt %d" % seq).digest()))
        before = found[-1].head
    return found


LOG = sealed([versions(seq) for seq in range(1, 10)])


def header(audience="all", log=LOG, key=KEY, **changes):
    closed = close(key, TABLE, audience, "senet", 3, SEATS, len(log), log[-1].head)
    return msgspec.structs.replace(closed, **changes)


def archived(audience="all", log=LOG, key=KEY):
    return b"".join(write(header(audience, log, key), log))


def entries_in(data, **limits):
    return list(read([data], **limits)[1])


def broken(data, **limits):
    """Where and why an archive is broken."""
    with pytest.raises(Broken) as told:
        entries_in(data, **limits)
    assert str(told.value) == f"line {told.value.line}: {told.value.sentence}"
    return told.value.line, told.value.reason


every_audience = pytest.mark.parametrize("audience", AUDIENCES)

# --- Writing and reading ---


@every_audience
def test_what_is_written_is_read_and_written_again_to_the_same_bytes(audience):
    data = archived(audience)
    head, lines = read([data])
    read_in = list(lines)

    assert head == header(audience)
    assert [line.seq for line in read_in] == list(range(1, 10))
    assert b"".join(write(head, read_in)) == data


@every_audience
def test_a_line_has_the_bytes_that_the_audience_is_owed(audience):
    who = None if audience == "public" else audience
    for entry, line in zip(LOG, entries_in(archived(audience)), strict=True):
        reading = read_as(entry, who)
        assert (line.version, line.body, line.head) == (reading.version, reading.entry, entry.head)
        assert line.commits == reading.commits
        assert line.salt == (entry.salt if audience == "all" else reading.salt)


@every_audience
def test_no_more_than_one_version_and_its_salt_is_in_an_archive(audience):
    data = archived(audience)
    for entry in LOG:
        name = chain.version_for(entry.versions, None if audience == "public" else audience)
        assert (entry.salt.hex().encode() in data) == (audience == "all")
        for other, body in entry.versions.items():
            assert (body in data) == (other == name)
            assert (chain.derive(entry.salt, other).hex().encode() in data) == (audience != "all" and other == name)


def test_the_header_has_its_fields_in_their_order_and_is_signed_as_a_receipt_alone_is():
    first = archived(2).splitlines()[0]
    found = json.loads(first)

    assert list(found) == [
        "comitium_archive", "table", "audience", "game", "rules", "seats", "last_seq", "head", "signature", "public_key",
    ]  # fmt: skip
    assert [found[name] for name in list(found)[:7]] == [1, TABLE, 2, "senet", 3, SEATS, 9]
    assert (found["head"], found["public_key"]) == (LOG[-1].head.hex(), KEY.public.hex())
    verify(Receipt(TABLE, 9, found["head"], key_id(KEY.public), found["signature"]), KEY.public)


def test_a_line_has_its_fields_in_their_order_and_leaves_out_what_goes_without_saying():
    shapes = [list(json.loads(line)) for line in archived("all").splitlines()[1:5]]
    assert shapes == [["body", "salt", "head"], ["body", "salt", "commits", "head"]] * 2

    shapes = [list(json.loads(line)) for line in archived(2).splitlines()[1:5]]
    assert shapes == [["body", "salt", "head"], ["body", "version", "salt", "commits", "head"]] * 2
    assert list(json.loads(archived(2).splitlines()[4])["commits"]) == ["full", "public", "0", "11"]


@every_audience
def test_readings_are_written_like_the_entries_that_they_are_of(audience):
    if audience == "all":
        with pytest.raises(ValueError, match="whole entries"):
            list(write(header(), [read_as(entry, "all") for entry in LOG]))
    else:
        who = None if audience == "public" else audience
        assert b"".join(write(header(audience), [read_as(entry, who) for entry in LOG])) == archived(audience)


def test_entries_that_are_not_the_log_of_the_header_are_not_written():
    for entries in (LOG[1:], LOG[:-1], [LOG[0], LOG[2]], [*LOG, *sealed([versions(10)], LOG[-1].head, 10)], []):
        with pytest.raises(ValueError, match="entry"):
            list(write(header(), entries))
    with pytest.raises(ValueError, match="entry"):
        list(write(header(head=ZERO), LOG))


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=60), min_size=1, max_size=4), st.sampled_from(AUDIENCES))
def test_any_text_is_read_and_written_to_the_same_bytes(texts, audience):
    events = [CREATED, *({"type": "said", "text": text} for text in texts)]
    log = sealed([{FULL: canonical.encode({"table": TABLE, "seq": 1, "events": events})}])
    data = archived(audience, log)
    head, lines = read([data])
    read_in = list(lines)

    assert json.loads(read_in[0].body)["events"][1:] == [{"type": "said", "text": text} for text in texts]
    assert b"".join(write(head, read_in)) == data


# --- Pieces and lengths ---


@given(st.lists(st.integers(0, len(archived())), max_size=12))
def test_it_does_not_matter_in_which_pieces_an_archive_comes(cuts):
    data, places = archived(), sorted({0, *cuts})
    pieces = [data[start:end] for start, end in zip(places, [*places[1:], len(data)], strict=True)]
    assert list(split(pieces)) == data.splitlines(keepends=True)


def test_an_open_file_is_read():
    assert list(read(io.BytesIO(archived()))[1]) == entries_in(archived())


def test_nothing_is_kept_of_the_lines_that_were_read():
    count = 400
    log = sealed([versions(seq) for seq in range(1, count)])
    data = archived("all", log)
    pieces = (data[start : start + 1000] for start in range(0, len(data), 1000))
    _, lines = read(pieces)
    next(lines)
    tracemalloc.start()
    try:
        assert sum(1 for _ in lines) == count - 2
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < len(data) // 4


def test_a_line_may_be_as_long_as_the_limit_and_no_longer():
    lengths = [len(line) for line in archived().splitlines(keepends=True)]
    longest = max(lengths)
    assert len(entries_in(archived(), limit=longest)) == len(LOG)
    assert broken(archived(), limit=longest - 1) == (lengths.index(longest) + 1, "too_long")


def test_a_line_without_end_is_not_waited_for():
    def endless():
        yield archived().splitlines(keepends=True)[0]
        while True:
            yield b"{" * 1000

    with pytest.raises(Broken) as told:
        list(read(endless())[1])
    assert (told.value.line, told.value.reason) == (2, "too_long")
    assert MAX_LINE < 1 << 24


# --- What is refused ---


def lines(audience="all", log=LOG, key=KEY):
    return archived(audience, log, key).splitlines(keepends=True)


def with_line(number, change, audience="all"):
    """The archive with that line changed."""
    found = lines(audience)
    found[number - 1] = change(found[number - 1])
    return b"".join(found)


def swap(old, new):
    def change(line):
        assert old in line
        return line.replace(old, new, 1)

    return change


def fields(**changes):
    """A line with some fields changed; None takes one out."""

    def change(line):
        found = json.loads(line) | changes
        return canonically({name: value for name, value in found.items() if value is not None})

    return change


def canonically(found):
    return msgspec.json.encode(found) + b"\n"


NOT_HEX = "g" * 64
HEADERS = {
    "nothing": (lambda _: b"", (1, "not_an_archive")),
    "an empty line": (lambda _: b"\n", (1, "not_an_archive")),
    "no JSON": (lambda _: b"PK\x03\x04\n", (1, "not_an_archive")),
    "a bottomless line": (lambda _: b"[" * 50_000 + b"\n", (1, "not_an_archive")),
    "another kind of JSON": (lambda _: b'{"rules":1}\n', (1, "not_an_archive")),
    "a newer format": (fields(comitium_archive=2), (1, "newer_format")),
    "a newer format with other fields": (lambda _: b'{"comitium_archive":7,"what":1}\n', (1, "newer_format")),
    "no such format": (fields(comitium_archive=0), (1, "not_an_archive")),
    "a field more": (fields(note="x"), (1, "fields")),
    "a field less": (fields(seats=None), (1, "fields")),
    "a text for a number": (fields(seats="12"), (1, "types")),
    "a fraction": (swap(b'"seats":12', b'"seats":12.0'), (1, "types")),
    "an unknown audience": (fields(audience="arbiter"), (1, "types")),
    "a seat that is not there": (fields(audience=12), (1, "header")),
    "a seat below the first": (fields(audience=-1), (1, "header")),
    "true for a seat": (fields(audience=True), (1, "types")),
    "a table that is none": (fields(table="t1"), (1, "header")),
    "no seats": (fields(seats=0), (1, "header")),
    "too many seats": (fields(seats=101), (1, "header")),
    "no entries": (fields(last_seq=0), (1, "header")),
    "rules that cannot be": (fields(rules=0), (1, "header")),
    "a short head": (fields(head="00"), (1, "hex")),
    "a head that is no hex": (fields(head=NOT_HEX), (1, "hex")),
    "a head in capitals": (fields(head=LOG[-1].head.hex().upper()), (1, "hex")),
    "a head with a space": (fields(head=LOG[-1].head.hex() + " "), (1, "spelling")),
    "a long signature": (fields(signature="00" * 65), (1, "hex")),
    "no key": (fields(public_key=""), (1, "hex")),
    "another order": (lambda line: canonically(dict(reversed(json.loads(line).items()))), (1, "spelling")),
    "a field twice": (swap(b'"seats":12', b'"seats":12,"seats":12'), (1, "spelling")),
    "a space": (swap(b'"seats":12', b'"seats": 12'), (1, "spelling")),
    "a carriage return": (swap(b"\n", b"\r\n"), (1, "spelling")),
    "an escape": (swap(b'"senet"', b'"\\u0073enet"'), (1, "spelling")),
    "another game": (fields(game="hounds"), (1, "unlike_header")),
    "other rules": (fields(rules=4), (1, "unlike_header")),
    "other seats": (fields(seats=13), (1, "unlike_header")),
    "another table": (fields(table=table(2)), (2, "place")),
    "a later end": (fields(last_seq=10), (11, "too_few_lines")),
    "an earlier end": (fields(last_seq=8), (10, "too_many_lines")),
    "another head": (fields(head="00" * 32), (10, "last_head")),
    "another signature": (fields(signature="00" * 64), (1, "signature")),
    "another key": (fields(public_key=SigningKey(bytes(32)).public.hex()), (1, "signature")),
}


@pytest.mark.parametrize(("change", "where"), HEADERS.values(), ids=HEADERS.keys())
def test_a_header_that_is_not_as_it_must_be_is_refused(change, where):
    assert broken(with_line(1, change)) == where


def spoil(line):
    """The line with another first byte in a text."""
    return line.replace(b'"action"', b'"bction"', 1)


LINES = {
    "an empty line": (lambda _: b"\n", "not_json"),
    "no JSON": (lambda line: line[:-2] + b"\n", "not_json"),
    "a bottomless line": (lambda _: b'{"body":' + b"[" * 50_000 + b"\n", "not_json"),
    "a list": (lambda _: b"[]\n", "types"),
    "a field more": (fields(note=1), "fields"),
    "a field less": (fields(salt=None), "fields"),
    "a number for a salt": (fields(salt=1), "types"),
    "a list of commits": (fields(commits=[]), "types"),
    "a salt that is no hex": (fields(salt=NOT_HEX), "hex"),
    "a short salt": (fields(salt="00"), "hex"),
    "a salt in capitals": (swap(LOG[3].salt.hex().encode(), LOG[3].salt.hex().upper().encode()), "hex"),
    "a commit in capitals": (lambda line: line.replace(b'"public":"', b'"public":"').replace(
        json.loads(line)["commits"]["public"].encode(), json.loads(line)["commits"]["public"].upper().encode()), "hex"),
    "a commit that is no hex": (fields(commits={"public": NOT_HEX}), "hex"),
    "a space": (swap(b'"salt":', b'"salt": '), "spelling"),
    "a space before the body": (swap(b'{"body":', b'{"body": '), "spelling"),
    "another order": (lambda line: canonically(dict(reversed(json.loads(line).items()))), "spelling"),
    "a field twice": (swap(b',"head"', b',"head":"00","head"'), "spelling"),
    "commits in another order": (lambda line: line.replace(
        msgspec.json.encode(json.loads(line)["commits"]),
        msgspec.json.encode(dict(reversed(json.loads(line)["commits"].items())))), "spelling"),
    "what goes without saying": (swap(b',"salt"', b',"version":"full","salt"'), "spelling"),
    "a version that is unknown": (swap(b'"public":', b'"pvblic":'), "version"),
    "a version of a seat that is not there": (swap(b'"11":', b'"12":'), "version"),
    "a version that this reader is not owed": (swap(b',"salt"', b',"version":"7","salt"'), "version"),
    "its own version twice": (swap(b'"commits":{', b'"commits":{"full":"' + b"00" * 32 + b'",'), "version"),
    "another word in the body": (swap(b'"say"', b'"sax"'), "head"),
    "another salt": (fields(salt="00" * 32), "head"),
    "a body that is none": (lambda line: b'{"body":7' + line[line.index(b',"salt"'):], "body"),
    "a space in the body": (swap(b'"action":', b'"action": '), "not_canonical"),
    "a body that names a field twice": (swap(b'"at":4', b'"at":3,"at":4'), "not_canonical"),
    "another seq in the body": (swap(b'"seq":4', b'"seq":5'), "place"),
    "a seq that is none": (swap(b'"seq":4', b'"seq":"4"'), "body"),
    "another table in the body": (swap(TABLE.encode(), table(2).encode()), "place"),
    "a byte that is no UTF-8": (swap(b'"say"', b'"s\xffy"'), "body"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "reason"), LINES.values(), ids=LINES.keys())
def test_a_line_that_is_not_as_it_must_be_is_refused(change, reason):
    assert broken(with_line(5, change)) == (5, reason)


@pytest.mark.parametrize("field", ["salt", "head", "public", "0", "11"])
@every_audience
def test_another_digit_in_any_hash_is_found_in_its_line(audience, field):
    found = json.loads(lines(audience)[4])
    digits = (found | found["commits"]).get(field)
    if digits is not None:
        other = digits[:-1] + ("0" if digits[-1] != "0" else "1")
        assert broken(with_line(5, swap(digits.encode(), other.encode()), audience)) == (5, "head")


@every_audience
def test_a_dropped_a_repeated_a_swapped_and_a_late_line_are_found(audience):
    whole = lines(audience)
    assert broken(b"".join([*whole[:4], *whole[5:]])) == (5, "place")
    assert broken(b"".join([*whole[:4], whole[3], *whole[4:]])) == (5, "place")
    assert broken(b"".join([*whole[:4], whole[5], whole[4], *whole[6:]])) == (5, "place")
    assert broken(b"".join(whole[:-1])) == (10, "too_few_lines")
    assert broken(b"".join([*whole, whole[-1]])) == (11, "too_many_lines")
    assert broken(b"".join(whole)[:-1]) == (10, "no_newline")
    assert broken(b"".join([*whole, b"\n"])) == (11, "too_many_lines")
    assert broken(b"".join([*whole, b" "])) == (11, "no_newline")


def test_a_line_from_another_archive_of_the_table_is_found():
    assert broken(b"".join([*lines()[:4], lines(2)[4], *lines()[5:]])) == (5, "version")
    assert broken(b"".join([*lines(0)[:4], lines(2)[4], *lines(0)[5:]])) == (5, "version")
    other = sealed([versions(seq, secret=seq != 6) for seq in range(1, 10)])
    assert broken(b"".join([*lines()[:7], *lines(log=other)[7:]])) == (8, "head")


def test_a_line_under_another_salt_is_found():
    again = seal(4, LOG[2].head, LOG[3].versions, bytes(32))
    log = [*LOG[:3], again, *LOG[4:]]
    assert broken(b"".join([lines()[0], *lines(log=log)[1:]])) == (6, "head")


def test_a_log_written_anew_from_some_entry_on_is_not_closed_by_the_old_signature():
    log = [*LOG[:3], *sealed([versions(seq, secret=False) for seq in range(4, 10)], LOG[2].head, 4)]
    assert broken(b"".join([lines()[0], *lines(log=log)[1:]])) == (10, "last_head")
    assert broken(b"".join(write(header(log=log, signature=header().signature), log))) == (1, "signature")


def test_a_first_entry_that_opens_no_table_is_refused():
    for events in ([], [{"type": "said"}], [7], [{"type": "created", "game": "senet"}]):
        log = sealed([{FULL: canonical.encode({"table": TABLE, "seq": 1, "events": events})}])
        assert broken(archived("all", log)) == (2, "body")


@given(st.sampled_from(AUDIENCES), st.data())
def test_no_byte_of_an_archive_can_be_changed(audience, data):
    whole = archived(audience)
    place = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda each: each != whole[place]))
    with pytest.raises(Broken):
        entries_in(whole[:place] + bytes([byte]) + whole[place + 1 :])


@given(st.sampled_from(AUDIENCES), st.integers(0, len(archived()) - 1))
def test_no_archive_can_be_cut_short(audience, length):
    whole = archived(audience)
    with pytest.raises(Broken):
        entries_in(whole[: length % len(whole)])


@given(st.binary(max_size=300))
def test_whatever_is_no_archive_is_broken_in_a_known_way(data):
    with pytest.raises(Broken) as told:
        entries_in(data)
    assert told.value.reason in archive.Reason.__args__
    with pytest.raises(Broken) as told:
        entries_in(lines()[0] + data)
    assert told.value.reason in archive.Reason.__args__


def test_what_a_line_says_is_in_no_error():
    for change in (
        spoil,
        fields(salt=1),
        fields(**{"5ec2e7": 1}),
        swap(b'"at":', b'"at": '),
        lambda line: line[:-2] + b"\n",
    ):
        with pytest.raises(Broken) as told:
            entries_in(with_line(5, change))
        said = f"{told.value!r} {told.value} {told.value.__cause__}"
        assert LOG[3].salt.hex() not in said
        assert "5ec2e7" not in said


def test_a_reader_that_is_handed_line_by_line_says_what_is_missing():
    reader = Reader()
    with pytest.raises(LookupError):
        reader.take(lines()[1])
    assert reader.open(lines()[0]) == header()
    assert reader.take(lines()[1]) == Line(1, FULL, LOG[0].versions[FULL], LOG[0].salt, {}, LOG[0].head)
    with pytest.raises(Broken) as told:
        reader.close()
    assert (told.value.line, told.value.reason) == (3, "too_few_lines")
    assert isinstance(LOG[0], Entry)


@pytest.mark.parametrize("number", [b"1" + b"0" * 20, b"-9007199254740992", b"9007199254740992"])
def test_a_number_that_not_every_reader_keeps_is_not_canonical(number):
    with pytest.raises(Broken) as told:
        entries_in(with_line(5, lambda line: re.sub(rb'"at":\d+', b'"at":' + number, line)))
    assert (told.value.line, told.value.reason) == (5, "not_canonical")
