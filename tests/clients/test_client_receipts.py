"""Receipts: checked against pinned keys, kept, compared with what was seen, and found again in a file."""

import msgspec
import pytest

from comitium_client import Key, LogForked, LogShorter, Receipt, ReceiptMismatch, Receipts, Tampered
from comitium_client.witness import REMEMBERED, Witness
from tests.clients.test_client_chain import LOG, entry_of
from tests.clients.test_client_fakes import SERVER, Signer

HEAD, OTHER = "aa" * 32, "bb" * 32


@pytest.fixture
def signer() -> Signer:
    return Signer()


def receipt(signer: Signer, seq: int = 4, head: str = HEAD) -> Receipt:
    return msgspec.convert(signer.receipt("t1", seq, head), Receipt)


def key(signer: Signer) -> Key:
    return msgspec.convert(signer.public, Key)


def pinned(signer: Signer, path=None) -> Receipts:
    receipts = Receipts(path)
    receipts.pin(SERVER, key(signer))
    return receipts


def test_a_receipt_by_the_pinned_key_is_kept(signer):
    receipts = pinned(signer)
    receipts.keep(SERVER, receipt(signer))
    receipts.keep(SERVER, receipt(signer))
    receipts.keep(SERVER, receipt(signer, 2))
    assert [kept.seq for kept in receipts.of(SERVER, "t1")] == [2, 4]
    assert receipts.of(SERVER, "t2") == receipts.of("http://elsewhere", "t1") == ()


def test_a_receipt_by_another_key_is_not(signer):
    receipts = pinned(signer)
    with pytest.raises(ReceiptMismatch, match=r"not signed by the key 'k1'\.$"):
        receipts.keep(SERVER, receipt(Signer()))
    with pytest.raises(ReceiptMismatch, match="never showed"):
        receipts.keep(SERVER, receipt(Signer("k2")))
    with pytest.raises(ReceiptMismatch):
        receipts.keep(SERVER, msgspec.structs.replace(receipt(signer), signature="no hex"))
    assert receipts.of(SERVER, "t1") == ()


@pytest.mark.parametrize("change", [{"table": "t2"}, {"seq": 5}, {"head": OTHER}])
def test_the_signature_is_over_table_seq_and_head(signer, change):
    with pytest.raises(ReceiptMismatch):
        pinned(signer).keep(SERVER, msgspec.structs.replace(receipt(signer), **change))


SHARED = Signer(shared=True)


@pytest.mark.parametrize("seq", range(1, 6))
def test_a_shared_signature_is_over_the_root_of_a_tree(seq):
    receipts = pinned(SHARED)
    kept = receipt(SHARED, seq)
    assert (kept.index, len(kept.path)) == (seq % 5, 3)
    receipts.keep(SERVER, kept)
    for other in range(8):
        if other != kept.index:
            with pytest.raises(ReceiptMismatch):
                receipts.keep(SERVER, msgspec.structs.replace(kept, index=other))


SHARED_ONE = receipt(SHARED, 4)


@pytest.mark.parametrize(
    "change",
    [
        {"seq": 5},
        {"head": OTHER},
        {"path": ()},
        {"path": SHARED_ONE.path[:-1]},
        {"path": (*SHARED_ONE.path, "00" * 32)},
        {"path": (*SHARED_ONE.path[:-1], SHARED_ONE.path[-1].upper())},
        {"path": ("zz", *SHARED_ONE.path[1:])},
        {"path": (SHARED_ONE.path[0] + SHARED_ONE.path[1], SHARED_ONE.path[2])},
        {"index": -1},
        {"index": SHARED_ONE.index + 8},
        {"index": 2**80},
    ],
)
def test_a_path_is_believed_in_one_form_only(change):
    with pytest.raises(ReceiptMismatch):
        pinned(SHARED).keep(SERVER, msgspec.structs.replace(SHARED_ONE, **change))


def test_a_path_is_kept_in_the_file(tmp_path):
    path = tmp_path / "receipts.jsonl"
    pinned(SHARED, path).keep(SERVER, SHARED_ONE)
    assert Receipts(path).of(SERVER, "t1") == (SHARED_ONE,)


def test_a_key_is_pinned_when_it_is_first_seen(signer):
    receipts = pinned(signer)
    receipts.pin(SERVER, key(signer))
    receipts.pin(SERVER, key(Signer("k2")))
    receipts.pin("http://elsewhere", key(Signer()))
    with pytest.raises(ReceiptMismatch, match="another public key 'k1'"):
        receipts.pin(SERVER, key(Signer()))
    assert receipts.keys(SERVER)["k1"] == signer.public["public_key"]


def test_two_receipts_for_one_entry_are_the_proof_of_a_fork(signer):
    receipts = pinned(signer)
    one, two = receipt(signer), receipt(signer, head=OTHER)
    receipts.keep(SERVER, one)
    with pytest.raises(LogForked) as found:
        receipts.keep(SERVER, two)
    assert found.value.receipts == (one, two)


# --- The file -----------------------------------------------------------------------------------------


def test_a_file_keeps_keys_and_receipts(signer, tmp_path):
    path = tmp_path / "receipts.jsonl"
    first = pinned(signer, path)
    for seq in (3, 9):
        first.keep(SERVER, receipt(signer, seq))
    first.keep(SERVER, receipt(signer, 9))
    again = Receipts(path)
    assert again.of(SERVER, "t1") == first.of(SERVER, "t1")
    assert again.keys(SERVER) == first.keys(SERVER)
    assert len(path.read_text().splitlines()) == 3
    with pytest.raises(ReceiptMismatch):
        again.pin(SERVER, key(Signer()))
    with pytest.raises(LogForked):
        again.keep(SERVER, receipt(signer, 9, OTHER))


def test_both_receipts_of_a_fork_are_in_the_file(signer, tmp_path):
    path = tmp_path / "receipts.jsonl"
    receipts = pinned(signer, path)
    receipts.keep(SERVER, receipt(signer))
    with pytest.raises(LogForked):
        receipts.keep(SERVER, receipt(signer, head=OTHER))
    assert HEAD in path.read_text()
    assert OTHER in path.read_text()
    assert Receipts(path).of(SERVER, "t1") == (receipt(signer),)


@pytest.mark.parametrize("torn", [b'{"server": "http', b"\xff"])
def test_a_line_that_a_crash_cut_off_is_dropped(signer, tmp_path, torn):
    path = tmp_path / "receipts.jsonl"
    pinned(signer, path).keep(SERVER, receipt(signer))
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    Receipts(path).keep(SERVER, receipt(signer, 5))
    assert path.read_bytes().startswith(whole)
    assert [kept.seq for kept in Receipts(path).of(SERVER, "t1")] == [4, 5]


def test_a_file_with_nothing_but_a_torn_line_is_empty(tmp_path):
    path = tmp_path / "receipts.jsonl"
    path.write_bytes(b'{"server"')
    assert Receipts(path).keys(SERVER) == {}
    assert path.read_bytes() == b""


# --- What was seen of a table -------------------------------------------------------------------------


@pytest.fixture
def witness(signer) -> Witness:
    return Witness("t1", pinned(signer), SERVER)


def test_entries_are_checked_against_the_one_before_where_it_is_known(witness):
    witness.entry(entry_of(LOG[2]))
    witness.entry(entry_of(LOG[3]))
    with pytest.raises(Tampered, match="does not lead from the head of entry 4"):
        witness.entry(msgspec.structs.replace(entry_of(LOG[4]), head=OTHER))


def test_another_head_for_an_entry_is_a_fork(witness):
    witness.head(3, HEAD)
    witness.head(3, HEAD)
    with pytest.raises(LogForked, match="after entry 3"):
        witness.head(3, OTHER)


def test_a_receipt_counts_as_seen(witness, signer):
    witness.keep(receipt(signer))
    assert witness.promised == 4
    with pytest.raises(LogForked) as found:
        witness.head(4, OTHER)
    assert found.value.receipts == (receipt(signer),)


def test_a_receipt_for_a_log_that_was_not_shown_is_a_fork(witness, signer):
    witness.head(4, OTHER)
    with pytest.raises(LogForked):
        witness.agrees(receipt(signer), 4, HEAD)


@pytest.mark.parametrize("what", [(5, HEAD), (4, OTHER)])
def test_a_receipt_must_be_for_what_it_came_with(witness, signer, what):
    with pytest.raises(ReceiptMismatch, match="is for entry 4"):
        witness.agrees(receipt(signer), *what)


def test_a_log_must_reach_the_last_receipt(witness, signer):
    witness.keep(receipt(signer))
    witness.reaches(4, witness.promised)
    with pytest.raises(LogShorter, match="ends with entry 3") as found:
        witness.reaches(3, witness.promised)
    assert found.value.receipts == witness.receipts


def test_heads_are_forgotten_in_time_but_receipts_are_not(witness, signer):
    witness.keep(receipt(signer))
    for seq in range(5, 6 + REMEMBERED):
        witness.head(seq, HEAD)
    assert witness.known(5) is None
    assert witness.known(6) == witness.known(4) == HEAD
