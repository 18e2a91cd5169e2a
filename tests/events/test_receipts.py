"""Receipts: who signed what, and what two of them prove."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.receipts import Forged, SigningKey, Verdict, compare, key_id, message, sign, sign_many, signed_by, verify
from tests.events.samples import entries, table

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "vectors" / "chain.json").read_text(encoding="utf-8"))
KEY = SigningKey(bytes(range(32)))
TABLE = table(1)
LOG = entries(TABLE, 40)
HEAD = LOG[0].head
GOOD = sign(KEY, TABLE, 1, HEAD)


def test_a_receipt_is_verified_with_the_public_key_alone():
    assert (GOOD.table, GOOD.seq, GOOD.head, GOOD.key) == (TABLE, 1, HEAD.hex(), KEY.id)
    verify(GOOD, KEY.public)


@pytest.mark.parametrize("case", VECTORS["receipt"], ids=lambda case: f"{case['key'][:4]} {case['seq']}")
def test_golden_receipts(case):
    key = SigningKey(bytes.fromhex(case["private"]))
    receipt = sign(key, case["table"], case["seq"], bytes.fromhex(case["head"]))
    assert (key.public.hex(), key.id) == (case["public"], case["key"])
    assert message(case["table"], case["seq"], case["head"]).decode() == case["message"]
    assert receipt.signature == case["signature"]
    verify(receipt, bytes.fromhex(case["public"]))


@pytest.mark.parametrize("batch", VECTORS["receipts_together"], ids=lambda batch: str(len(batch["receipts"])))
def test_golden_receipts_that_share_a_signature(batch):
    key = SigningKey(bytes.fromhex(batch["private"]))
    heads = [(case["table"], case["seq"], bytes.fromhex(case["head"])) for case in batch["receipts"]]
    receipts = sign_many(key, heads)
    for receipt, case in zip(receipts, batch["receipts"], strict=True):
        assert (receipt.index, list(receipt.path), receipt.signature) == (
            case["index"],
            case["path"],
            batch["signature"],
        )
        assert signed_by(receipt).decode() == batch["message"]
        verify(receipt, key.public)


@given(st.integers(0, 40))
def test_many_share_a_signature_and_are_verified_one_by_one(count):
    receipts = sign_many(KEY, [(TABLE, entry.seq, entry.head) for entry in LOG[:count]])
    assert [(receipt.table, receipt.seq, receipt.head) for receipt in receipts] == [
        (TABLE, entry.seq, entry.head.hex()) for entry in LOG[:count]
    ]
    assert len({receipt.signature for receipt in receipts}) == min(count, 1)
    for receipt in receipts:
        verify(receipt, KEY.public)
        assert len(receipt.path) == (count - 1).bit_length()


def test_one_alone_is_signed_by_itself():
    assert sign_many(KEY, [(TABLE, 1, HEAD)]) == [GOOD]
    assert (GOOD.index, GOOD.path) == (0, ())


SHARED = sign_many(KEY, [(TABLE, entry.seq, entry.head) for entry in entries(TABLE, 5)])[2]
ZEROS = "0" * 64
MISPLACED = {
    "another place": {"index": 3},
    "a place outside the tree": {"index": 2 + 8},
    "below the first": {"index": -6},
    "no path": {"path": (), "index": 0},
    "a shorter path": {"path": SHARED.path[:-1]},
    "a longer path": {"path": (*SHARED.path, ZEROS)},
    "another sibling": {"path": (ZEROS, *SHARED.path[1:])},
    "siblings in capitals": {"path": tuple(sibling.upper() for sibling in SHARED.path)},
    "a short sibling": {"path": (SHARED.path[0][:62], *SHARED.path[1:])},
    "another seq": {"seq": 4},
    "another head": {"head": ZEROS},
}


@pytest.mark.parametrize("change", MISPLACED.values(), ids=MISPLACED.keys())
def test_a_receipt_moved_in_its_tree_is_forged(change):
    verify(SHARED, KEY.public)
    with pytest.raises(Forged):
        verify(msgspec.structs.replace(SHARED, **change), KEY.public)


def test_an_inner_node_is_no_receipt_and_a_signature_has_one_use():
    alone = sign(KEY, TABLE, 3, LOG[2].head)
    with pytest.raises(Forged):
        verify(msgspec.structs.replace(SHARED, signature=alone.signature), KEY.public)
    with pytest.raises(Forged):
        verify(msgspec.structs.replace(alone, signature=SHARED.signature), KEY.public)


def test_a_key_is_kept_as_its_32_private_bytes():
    key = SigningKey.generate()
    again = SigningKey(key.private)
    assert (again.public, again.id) == (key.public, key.id) == (key.public, key_id(key.public))
    assert sign(again, TABLE, 1, HEAD) == sign(key, TABLE, 1, HEAD)
    assert key.private.hex() not in repr(key)
    assert SigningKey.generate().id != key.id
    with pytest.raises(ValueError, match="32"):
        SigningKey(b"short")


def test_another_key_did_not_sign_it():
    other = SigningKey.generate()
    with pytest.raises(Forged, match="names the key"):
        verify(GOOD, other.public)
    with pytest.raises(Forged, match="not from this key"):
        verify(msgspec.structs.replace(GOOD, key=other.id), other.public)


CHANGED = {
    "table": {"table": table(2)},
    "seq": {"seq": 2},
    "head": {"head": "0" * 64},
    "signature": {"signature": GOOD.signature[:-1] + ("0" if GOOD.signature[-1] != "0" else "1")},
    "key": {"key": "0" * 16},
    "no table": {"table": "x"},
    "a line break": {"table": TABLE + "\n"},
    "seq zero": {"seq": 0},
    "a short head": {"head": "00"},
    "a head in capitals": {"head": "ABCDEF" + "0" * 58},
    "a short signature": {"signature": "00"},
    "a signature in capitals": {"signature": GOOD.signature.upper()},
    "a signature with a space": {"signature": GOOD.signature[:64] + " " + GOOD.signature[64:]},
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED.keys())
def test_a_changed_receipt_is_forged(change):
    with pytest.raises(Forged):
        verify(msgspec.structs.replace(GOOD, **change), KEY.public)


@given(st.integers(0, 511))
def test_no_bit_of_a_signature_can_be_changed(bit):
    signature = bytearray.fromhex(GOOD.signature)
    signature[bit // 8] ^= 1 << bit % 8
    with pytest.raises(Forged):
        verify(msgspec.structs.replace(GOOD, signature=signature.hex()), KEY.public)


def test_two_heads_for_one_seq_prove_a_fork():
    other_head = entries(TABLE, 2)[1].head
    fork = sign(KEY, TABLE, 1, other_head)
    verify(fork, KEY.public)
    assert compare(GOOD, fork) is Verdict.FORK
    assert compare(fork, GOOD) is Verdict.FORK
    assert compare(GOOD, sign(SigningKey.generate(), TABLE, 1, other_head)) is Verdict.FORK


def test_receipts_that_agree_or_speak_of_different_things_prove_nothing():
    assert compare(GOOD, GOOD) is Verdict.CONSISTENT
    assert compare(GOOD, sign(SigningKey.generate(), TABLE, 1, HEAD)) is Verdict.CONSISTENT
    assert compare(GOOD, sign(KEY, TABLE, 2, HEAD)) is Verdict.UNRELATED
    assert compare(GOOD, sign(KEY, table(2), 1, HEAD)) is Verdict.UNRELATED
