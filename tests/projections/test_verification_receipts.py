"""Receipts: what was shown once can be held against a log that looks whole."""

import msgspec
import pytest

from events.receipts import sign, sign_many
from projections.verification import Auditor, verify_receipts
from tests.projections.logs import KEY, KEYS, STRANGER, TABLE, catalogue, played, statuses, verified

LOG, FORK = played(), played(seed=1)
COUNT = len(LOG.entries)
OTHER_TABLE = "00-" + "b" * 16


def receipt(seq, log=LOG, key=KEY, table=TABLE):
    return sign(key, table, seq, log.entries[seq - 1].head)


def said(found):
    check = found.check("receipts")
    return check.status, check.checked, check.why


def test_receipts_that_agree_with_the_log_hold():
    shared = sign_many(KEY, [(TABLE, entry.seq, entry.head) for entry in LOG.entries[:9]])
    found = verified(LOG, receipts=[receipt(1), receipt(40), receipt(COUNT), *shared])
    assert (said(found), found.ok) == (("passed", 12, None), True)
    assert said(verified(LOG, "public", receipts=shared)) == ("passed", 9, None)


def test_a_receipt_for_another_head_proves_a_fork():
    assert FORK.entries[30].head != LOG.entries[30].head
    found = verified(LOG, receipts=[receipt(1), receipt(31, FORK)])
    assert said(found) == ("failed", 2, "forked")
    assert (found.first.check, found.first.seq, found.first.line) == ("receipts", 31, 32)
    assert statuses(found)["adjudication"] == "passed"


def test_a_receipt_beyond_the_end_proves_a_loss():
    shorter = LOG.made_of(LOG.entries[:60])
    assert verified(shorter, receipts=[receipt(60)]).ok
    found = verified(shorter, receipts=[receipt(60), receipt(61), receipt(99)])
    assert said(found) == ("failed", 3, "shorter_than_receipt")
    assert (found.first.seq, found.first.line) == (99, None)


def test_a_receipt_beyond_what_could_be_read_proves_nothing():
    cut = b"".join(LOG.archive().splitlines(keepends=True)[:50])
    found = verified(cut, receipts=[receipt(10), receipt(90)])
    assert said(found) == ("not_checked", 2, "broken")
    forked = verified(cut, receipts=[receipt(10, FORK), receipt(90)])
    assert said(forked)[::2] == ("failed", "forked")


@pytest.mark.parametrize(
    "change", [{"signature": "0" * 128}, {"seq": 9}, {"head": "0" * 64}, {"head": "xyz"}, {"seq": 0}]
)
def test_a_receipt_that_is_not_genuine_proves_nothing_but_that(change):
    forged = msgspec.structs.replace(receipt(5), **change)
    assert said(verified(LOG, receipts=[forged])) == ("failed", 0, "forged")


def test_a_receipt_by_a_key_that_nobody_knows_is_not_checked():
    found = verified(LOG, receipts=[receipt(5, FORK, STRANGER), receipt(6)])
    assert (said(found), found.ok) == (("not_checked", 1, "key_unknown"), True)
    known = {**KEYS, STRANGER.id: STRANGER.public}
    assert said(verified(LOG, keys=known, receipts=[receipt(30, FORK, STRANGER)]))[::2] == ("failed", "forked")


def test_a_receipt_for_another_table_says_nothing_of_this_one():
    found = verified(LOG, receipts=[receipt(5, FORK, table=OTHER_TABLE), receipt(6)])
    assert (said(found), found.ok) == (("not_checked", 1, "other_table"), True)


def test_without_keys_receipts_rest_on_the_archives_own():
    assert said(verified(LOG, keys=None, receipts=[receipt(5)])) == ("passed", 1, "own_key")
    assert said(verified(LOG, keys=None, receipts=[receipt(5, key=STRANGER)])) == ("not_checked", 0, "key_unknown")


def test_a_log_written_anew_with_the_servers_own_key_is_told_by_a_receipt_alone():
    assert verified(FORK).ok
    assert said(verified(FORK, receipts=[receipt(40)]))[::2] == ("failed", "forked")


def test_receipts_that_contradict_each_other_need_no_log():
    check, first = verify_receipts([receipt(31), receipt(32), receipt(31, FORK)], KEYS)
    assert (check.status, check.why, first.seq) == ("failed", "forked", 31)
    within = verified(LOG, receipts=[receipt(31, FORK), receipt(31)])
    assert said(within)[::2] == ("failed", "forked")


def test_receipts_that_agree_need_no_log_either():
    many = [receipt(31), receipt(31), receipt(99), receipt(31, FORK, table=OTHER_TABLE)]
    assert verify_receipts(many, KEYS)[0].status == "passed"
    assert verify_receipts(many, KEYS)[1] is None
    assert verify_receipts([], KEYS)[0].why == "none_given"
    assert verify_receipts([receipt(1, key=STRANGER)], KEYS)[0].why == "key_unknown"
    with pytest.raises(ValueError, match="not the id"):
        verify_receipts(many, {KEY.id: STRANGER.public})


def test_receipts_are_held_against_a_store_too():
    auditor = Auditor(catalogue(), TABLE, keys=KEYS, receipts=[receipt(31, FORK)])
    for entry in LOG.entries:
        auditor.take(entry)
    assert auditor.result().first.reason == "forked"
