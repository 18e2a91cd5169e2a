"""The hash chain: what it is made of, what each audience gets, and that nothing can be changed unseen."""

import hmac
import json
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events import chain
from events.chain import ZERO, Tampered, check_entry, check_reading, read_as, readings, seal, version_for
from events.entry import FULL, MAX_SEATS, ORDER, PUBLIC, Entry

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "vectors" / "chain.json").read_text(encoding="utf-8"))

SALTS = st.binary(min_size=32, max_size=32)
SEATS = st.integers(0, MAX_SEATS - 1)
BODIES = st.binary(max_size=80)
VERSIONS = st.builds(
    lambda full, rest: {FULL: full, **rest},
    BODIES,
    st.dictionaries(st.just(PUBLIC) | SEATS.map(str), BODIES, max_size=5),
)
AUDIENCES = st.none() | st.just("all") | SEATS


def slowly(seq, before, versions, salt):
    """An entry made straight from the words of the design: no code shared with `events.chain`."""
    seats = sorted(int(name) for name in versions if name not in {"full", "public"})
    order = [name for name in ("full", "public") if name in versions] + [str(seat) for seat in seats]
    commits = [sha256(b"\x02" + hmac.digest(salt, name.encode(), "sha256") + versions[name]).digest() for name in order]
    leaf = sha256(b"\x00" + b"".join(commits)).digest()
    return Entry(seq, salt, versions, leaf, sha256(b"\x01" + before + leaf).digest())


@given(st.integers(1, 10**6), SALTS, VERSIONS, SALTS)
def test_sealing_is_what_the_design_says(seq, before, versions, salt):
    assert seal(seq, before, versions, salt) == slowly(seq, before, versions, salt)


@given(SALTS, st.sampled_from(list(ORDER)))
def test_derive_is_hmac(salt, version):
    assert chain.derive(salt, version) == hmac.digest(salt, version.encode(), "sha256")


def test_seats_are_hashed_by_number_not_by_letter():
    commits = {"10": b"j" * 32, FULL: b"a" * 32, "2": b"c" * 32, PUBLIC: b"b" * 32}
    assert chain.leaf(commits) == sha256(b"\0" + b"a" * 32 + b"b" * 32 + b"c" * 32 + b"j" * 32).digest()


# --- who reads what ---


def test_each_audience_gets_the_version_it_is_owed():
    everything = {FULL, PUBLIC, "1"}
    assert version_for(everything, "all") == FULL
    assert version_for(everything, None) == PUBLIC
    assert [version_for(everything, seat) for seat in (0, 1, 2)] == [PUBLIC, "1", PUBLIC]
    assert [version_for({FULL, "1"}, audience) for audience in (None, 0, 1)] == [FULL, FULL, "1"]
    assert version_for({FULL}, None) == FULL


@given(SALTS, VERSIONS, SALTS, AUDIENCES)
def test_a_reading_has_its_bytes_its_salt_and_bare_commitments_to_the_rest(before, versions, salt, audience):
    entry = seal(1, before, versions, salt)
    reading = read_as(entry, audience)
    assert reading.entry == versions[reading.version]
    assert reading.version == version_for(versions, audience)
    assert reading.salt == chain.derive(salt, reading.version)
    assert {reading.version, *reading.commits} == set(versions)
    assert reading == readings(entry)[reading.version]
    check_reading(reading, before)
    check_reading(reading, None)


@given(VERSIONS, AUDIENCES)
def test_a_reading_says_nothing_of_the_salt_or_of_other_versions(versions, audience):
    salt = sha256(b"secret").digest()
    entry = seal(1, ZERO, versions, salt)
    reading = read_as(entry, audience)
    shown = msgspec.msgpack.encode(reading)
    assert salt not in shown
    for name in versions.keys() - {reading.version}:
        assert chain.derive(salt, name) not in shown


def test_equal_versions_have_unlike_commitments():
    entry = seal(1, ZERO, {FULL: b"{}", PUBLIC: b"{}", "0": b"{}"}, bytes(32))
    assert len({chain.commit(chain.derive(entry.salt, name), b"{}") for name in entry.versions}) == 3


# --- what cannot be done unseen ---


def flipped(data, at):
    return (
        data[: at // 8 % len(data)] + bytes([data[at // 8 % len(data)] ^ 1 << at % 8]) + data[at // 8 % len(data) + 1 :]
    )


READING_WITH_ALL = read_as(seal(3, b"b" * 32, {FULL: b"[1]", PUBLIC: b"[2]", "0": b"[3]", "7": b"[4]"}, b"s" * 32), 0)


@given(st.sampled_from(["entry", "salt", "leaf", "head", FULL, PUBLIC, "7"]), st.integers(0, 255))
def test_no_bit_of_a_reading_can_be_changed(part, bit):
    if part in READING_WITH_ALL.commits:
        commits = READING_WITH_ALL.commits
        changed = msgspec.structs.replace(READING_WITH_ALL, commits={**commits, part: flipped(commits[part], bit)})
    else:
        spoilt = flipped(getattr(READING_WITH_ALL, part), bit)
        changed = msgspec.structs.replace(READING_WITH_ALL, **{part: spoilt})
    with pytest.raises(Tampered, match="entry 3: ") as told:
        check_reading(changed, b"b" * 32)
    assert told.value.seq == 3


def test_the_head_before_counts():
    with pytest.raises(Tampered, match="head before"):
        check_reading(READING_WITH_ALL, ZERO)


def change(**parts):
    return msgspec.structs.replace(READING_WITH_ALL, **parts)


COMMITS = READING_WITH_ALL.commits
SHIFTED = READING_WITH_ALL.salt + READING_WITH_ALL.entry
FORGED = {
    "a version less": change(commits={name: COMMITS[name] for name in (FULL, PUBLIC)}),
    "a version more": change(commits={**COMMITS, "8": bytes(32)}),
    "no full version": change(commits={name: COMMITS[name] for name in (PUBLIC, "7")}),
    "its own version twice": change(commits={**COMMITS, "0": COMMITS[FULL]}),
    "an unknown version": change(version="arbiter"),
    "a seat spelt twice": change(commits={FULL: COMMITS[FULL], PUBLIC: COMMITS[PUBLIC], "07": COMMITS["7"]}),
    "two commitments in one": change(commits={FULL: COMMITS[FULL], PUBLIC: COMMITS[PUBLIC] + COMMITS["7"]}),
    "text that slid into the salt": change(salt=SHIFTED[:33], entry=SHIFTED[33:]),
    "salt that slid into the text": change(salt=SHIFTED[:31], entry=SHIFTED[31:]),
}


@pytest.mark.parametrize("reading", FORGED.values(), ids=FORGED.keys())
def test_a_forged_reading_is_found_out(reading):
    with pytest.raises(Tampered):
        check_reading(reading, b"b" * 32)


@given(SALTS, VERSIONS, SALTS, st.data())
def test_a_whole_entry_is_checked_with_every_version(before, versions, salt, data):
    entry = seal(9, before, versions, salt)
    check_entry(entry, before)
    name = data.draw(st.sampled_from(sorted(versions)))
    with pytest.raises(Tampered, match="entry 9"):
        check_entry(msgspec.structs.replace(entry, versions={**versions, name: versions[name] + b" "}), before)
    with pytest.raises(Tampered, match="entry 9"):
        check_entry(msgspec.structs.replace(entry, salt=salt + b" "), before)


def test_a_version_cannot_be_left_out_of_an_entry():
    entry = seal(1, ZERO, {FULL: b"1", PUBLIC: b"2", "3": b"3"}, bytes(32))
    for name in entry.versions:
        fewer = {other: data for other, data in entry.versions.items() if other != name}
        with pytest.raises(Tampered):
            check_entry(msgspec.structs.replace(entry, versions=fewer), ZERO)


@pytest.mark.parametrize("versions", [{}, {PUBLIC: b""}, {FULL: b"", "01": b""}, {FULL: b"", "-1": b""}])
def test_what_is_no_entry_is_not_sealed(versions):
    with pytest.raises(ValueError, match="not the versions"):
        seal(1, ZERO, versions, bytes(32))


def test_a_short_salt_is_not_used():
    with pytest.raises(ValueError, match="32 bytes"):
        seal(1, ZERO, {FULL: b""}, b"salt")


# --- golden ---


@pytest.mark.parametrize("case", VECTORS["derive"], ids=lambda case: case["version"])
def test_golden_derived_salts(case):
    assert chain.derive(bytes.fromhex(case["salt"]), case["version"]).hex() == case["derived"]


@pytest.mark.parametrize("case", VECTORS["commit"], ids=lambda case: case["data"][:20] or "empty")
def test_golden_commitments(case):
    assert chain.commit(bytes.fromhex(case["derived"]), case["data"].encode()).hex() == case["commit"]


@pytest.mark.parametrize("case", VECTORS["leaf"], ids=lambda case: " ".join(case["commits"]))
def test_golden_leaves(case):
    assert chain.leaf({name: bytes.fromhex(value) for name, value in case["commits"].items()}).hex() == case["leaf"]


@pytest.mark.parametrize("case", VECTORS["head"], ids=lambda case: case["before"][:8])
def test_golden_heads(case):
    assert chain.advance(bytes.fromhex(case["before"]), bytes.fromhex(case["leaf"])).hex() == case["head"]


def test_golden_log():
    head = ZERO
    for case in VECTORS["log"]:
        versions = {name: text.encode() for name, text in case["versions"].items()}
        entry = seal(case["seq"], head, versions, bytes.fromhex(case["salt"]))
        assert (entry.leaf.hex(), entry.head.hex()) == (case["leaf"], case["head"])
        for reading in readings(entry).values():
            check_reading(reading, head)
        head = entry.head
