"""The client's hashes: against a second implementation, and against everything that a server could alter."""

import hmac
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comitium_client import Body, Chain, Entry, Receipt, ReceiptMismatch, Tampered
from comitium_client.chain import ZERO, check_entry, commit_of, head_of, leaf_of
from comitium_client.coding import JSON, MSGPACK
from comitium_client.receipts import check_signature, text_of
from tests.clients.test_client_fakes import digest, entry_fields, json_bytes, simple_log

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "vectors" / "chain.json").read_text("utf-8"))
LOG = simple_log("t1", 6)


def entry_of(fields: dict[str, Any]) -> Entry:
    return JSON.entry(json_bytes(fields))


def test_a_chain_follows_a_log_from_its_beginning():
    chain = Chain("t1")
    for fields in LOG:
        chain = chain.extend(entry_of(fields))
    assert (chain.seq, chain.head) == (6, LOG[-1]["head"])


def test_a_chain_starts_from_any_known_head():
    chain = Chain("t1", 3, LOG[2]["head"])
    assert chain.extend(entry_of(LOG[3])).head == LOG[3]["head"]


def test_both_codings_give_the_same_entry():
    assert MSGPACK.entry(msgspec.msgpack.encode(LOG[2])) == entry_of(LOG[2])


def test_the_bytes_are_those_of_the_frame_and_nothing_is_encoded_again():
    """The body is not canonical, so that encoding it again would show; the blanks around it do not belong to it."""
    stored = b'{ "table":"t1","seq":1,"at":1,"by":0, "action":{"type":"\\u0073ay"},"events":[] }'
    salt = bytes(32)
    leaf = digest(b"\0", digest(b"\2", salt, stored))
    head = digest(b"\1", bytes(32), leaf)
    text = b'{"seq":1,"version":"full","entry":   %b  ,"salt":"%b","commits":{},"leaf":"%b","head":"%b"}' % (
        stored,
        salt.hex().encode(),
        leaf.hex().encode(),
        head.hex().encode(),
    )
    entry = JSON.entry(text)
    assert entry.raw == stored
    assert Chain("t1").extend(entry).head == head.hex()


def altered(**change: Any) -> Entry:
    return msgspec.structs.replace(entry_of(LOG[1]), **change)


BODY = entry_of(LOG[1]).body
ALTERED = {
    "text": altered(raw=LOG[1]["entry"].replace(b"count", b"kount")),
    "salt": altered(salt="00" * 32),
    "short salt": altered(salt=LOG[1]["salt"][:-2]),
    "salt in capitals": altered(salt=LOG[1]["salt"].upper()),
    "salt with blanks": altered(salt=f"{LOG[1]['salt'][:2]} {LOG[1]['salt'][2:]}"),
    "no hex": altered(salt="zz" * 32),
    "a commit": altered(commits={"full": "00" * 32}),
    "a commit too few": altered(commits={}),
    "a commit too many": altered(commits={**LOG[1]["commits"], "0": "00" * 32}),
    "two commits in one": altered(commits={"full": LOG[1]["commits"]["full"] + "00" * 32}),
    "an unknown version": altered(commits={**LOG[1]["commits"], "nobody": "00" * 32}),
    "a version twice": altered(commits={**LOG[1]["commits"], "public": "00" * 32}),
    "a seat written strangely": altered(commits={**LOG[1]["commits"], "01": "00" * 32}),
    "leaf": altered(leaf="00" * 32),
    "head": altered(head="00" * 32),
    "order": altered(seq=3),
    "of another table": altered(body=msgspec.structs.replace(BODY, table="t2")),
    "of another place": altered(body=msgspec.structs.replace(BODY, seq=7)),
}


@pytest.mark.parametrize("what", ALTERED)
def test_whatever_is_altered_is_found_out(what):
    with pytest.raises(Tampered, match=r"^[A-Z].*\.$"):
        Chain("t1", 1, LOG[0]["head"]).extend(ALTERED[what])


def test_a_salt_and_a_text_cannot_lend_each_other_bytes():
    """The hash is over a plain concatenation, so a shorter salt with a longer text would have the same commit."""
    entry = entry_of(LOG[1])
    salt, raw = bytes.fromhex(entry.salt), entry.raw
    moved = msgspec.structs.replace(entry, salt=(salt + raw[:1]).hex(), raw=raw[1:])
    assert commit_of(bytes.fromhex(moved.salt), moved.raw) == commit_of(salt, raw)
    with pytest.raises(Tampered):
        check_entry(moved, "t1")


def test_an_entry_after_another_head_is_found_out():
    with pytest.raises(Tampered, match="does not lead from the head"):
        Chain("t1", 1, ZERO).extend(entry_of(LOG[1]))


def test_seats_stand_in_order_of_number():
    commits = {name: digest(name.encode()) for name in ("10", "full", "2", "public", "0")}
    ordered = b"".join(commits[name] for name in ("full", "public", "0", "2", "10"))
    assert leaf_of(commits) == digest(b"\0", ordered)


names = st.lists(st.integers(0, 12), unique=True).map(lambda seats: ["full", "public", *map(str, sorted(seats))])


@settings(deadline=None)  # no law is about time
@given(names, st.binary(min_size=32, max_size=32), st.data())
def test_every_reader_of_an_entry_finds_the_same_head(versions, before, data):
    body = {"table": "t", "seq": 5, "at": 1, "by": "clock", "action": {"type": "x"}, "events": []}
    made = entry_fields("t", 5, before, {name: {**body, "draw": n} for n, name in enumerate(versions)}, b"salt")
    read = data.draw(st.sampled_from(versions))
    chain = Chain("t", 4, before.hex()).extend(entry_of(made[read]))
    assert chain == Chain("t", 5, made["full"]["head"])


def test_an_entry_says_what_happened():
    assert entry_of(LOG[0]).body == Body(table="t1", seq=1, at=1, by=0, action={"type": "count"}, events=())


# --- The golden vectors -------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", VECTORS["commit"])
def test_golden_commits(vector):
    assert commit_of(bytes.fromhex(vector["derived"]), vector["data"].encode()).hex() == vector["commit"]


@pytest.mark.parametrize("vector", VECTORS["leaf"])
def test_golden_leaves(vector):
    commits = {name: bytes.fromhex(commit) for name, commit in reversed(vector["commits"].items())}
    assert leaf_of(commits).hex() == vector["leaf"]


@pytest.mark.parametrize("vector", VECTORS["head"])
def test_golden_heads(vector):
    assert head_of(bytes.fromhex(vector["before"]), bytes.fromhex(vector["leaf"])).hex() == vector["head"]


def reading(vector: dict[str, Any], version: str) -> Entry:
    """The entry of a golden log as one of its readers gets it."""
    salts = {name: hmac.digest(bytes.fromhex(vector["salt"]), name.encode(), "sha256") for name in vector["versions"]}
    commits = {name: digest(b"\2", salts[name], text.encode()).hex() for name, text in vector["versions"].items()}
    del commits[version]
    body = Body(table="golden", seq=vector["seq"], at=0, by=0, action={}, events=())
    raw = vector["versions"][version].encode()
    return Entry(
        seq=vector["seq"], version=version, raw=raw, salt=salts[version].hex(), commits=commits, leaf=vector["leaf"],
        head=vector["head"], body=body,
    )  # fmt: skip


@pytest.mark.parametrize("reader", ["full", "public", "0", "2", "10"])
def test_the_golden_log(reader):
    chain = Chain("golden")
    for vector in VECTORS["log"]:
        version = next(name for name in (reader, "public", "full") if name in vector["versions"])
        chain = chain.extend(reading(vector, version))
    assert chain.head == VECTORS["log"][-1]["head"]


@pytest.mark.parametrize("vector", VECTORS["receipt"])
def test_golden_receipts(vector):
    receipt = msgspec.convert(vector, Receipt)
    assert text_of(receipt).decode() == vector["message"]
    check_signature(receipt, vector["public"])
    with pytest.raises(ReceiptMismatch):
        check_signature(msgspec.structs.replace(receipt, seq=receipt.seq + 1), vector["public"])
