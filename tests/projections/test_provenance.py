"""A fork's archive against that of its parent: what it shows, and what a falsified one is found out by."""

import msgspec
import pytest

from events.archive import Broken
from games import Catalogue
from projections.provenance import UNCHECKED, descent
from projections.verification import verify_archive
from tests.games import sample
from tests.projections.forks import AT, archived, child, forked, parent, unbegun
from tests.projections.logs import KEYS, TABLE, catalogue, played, resealed, with_body


def told(fork, log, known=None):
    return descent([fork], [log], known or catalogue())


def of_seed(seed):
    return played(seats=4, seed=seed)


def resumption(log):
    return next(body.seq for body in log.bodies if body.action.__class__.__name__ == "Resume")


def test_what_came_along_is_what_counted_in_the_parent():
    found = told(archived(child()), parent().archive())

    assert (found.ok, found.why, found.parent, found.seq) == (True, None, TABLE, AT)
    assert found.carried == len(child().bodies[resumption(child()) - 1].action.events) > 20


def test_a_fork_verifies_by_itself():
    found = verify_archive([archived(child())], catalogue(), keys=KEYS)

    assert found.ok
    assert {check.status for check in found.checks if check.name != "receipts"} == {"passed"}


def test_one_that_came_along_changed_is_found_out_though_the_fork_itself_holds():
    log, seq = child(), resumption(child())

    def richer(body):
        for place in (body["action"]["events"], body["events"]):
            dealt = next(event for event in place if event["type"] == "dealt")
            dealt["cards"] = dealt["cards"][::-1]

    short = resealed(log.made_of(log.entries[:seq]), {})
    forged = with_body(short, seq, richer)
    assert verify_archive([archived(forged)], catalogue(), keys=KEYS).ok
    found = told(archived(forged), parent().archive())
    assert (found.ok, found.why, found.seq) == (False, "carried_differs", AT)


def test_events_that_the_action_does_not_bring_are_found_by_the_verification_alone():
    log, seq = child(), resumption(child())
    forged = with_body(log, seq, lambda body: body["events"].pop(5))
    found = verify_archive([archived(forged)], catalogue(), keys=KEYS)

    assert (found.ok, found.first.seq, found.first.check) == (False, seq, "adjudication")


def test_a_start_in_the_place_of_the_resumption_is_refused():
    log, seq = child(), resumption(child())
    forged = with_body(log, seq, lambda body: body.update(action={"type": "start"}))
    found = verify_archive([archived(forged)], catalogue(), keys=KEYS)

    assert (found.first.seq, found.first.reason) == (seq, "refused")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"table": "00-cccccccccccccccc"}, "other_parent"),
        ({"seq": 10**6}, "parent_shorter"),
        ({"seq": 0}, "other_head"),
        ({"seq": AT - 1}, "other_head"),
        ({"head": "00" * 32}, "other_head"),
    ],
)
def test_another_origin_in_entry_1_is_found_out(change, why):
    def elsewhere(body):
        for place in (body["action"], body["events"][0]):
            place["forked_from"].update(change)

    found = told(archived(with_body(child(), 1, elsewhere)), parent().archive())
    assert (found.ok, found.why) == (False, why)


@pytest.mark.parametrize("field", ["options", "house"])
def test_a_fork_in_another_house_or_with_other_options_is_found_out(field):
    def other(body):
        for place in (body["action"], body["events"][0]):
            place[field] = {**place[field], **({"exile": True} if field == "options" else {"spectators": False})}

    found = told(archived(with_body(child(), 1, other)), parent().archive())
    assert (found.ok, found.why) == (False, "unlike_parent")


def test_a_parent_that_was_written_anew_has_another_head():
    changed = with_body(parent(), 3, lambda body: body.update(at=body["at"] + 1))

    assert told(archived(child()), changed.archive()).why == "other_head"


def test_a_fork_at_an_entry_after_a_strike_carries_what_counts():
    log = next(found for found in map(of_seed, range(2, 20)) if found.driver.table.record.strikes)
    after = [table.seq for table in log.driver.tables if table.record.strikes and table.status == "playing"]
    found = told(archived(forked(log, after[len(after) // 2], 12)), log.archive())
    assert (found.ok, found.why) == (True, None)


def test_a_table_that_is_no_fork_says_so():
    found = told(parent().archive(), parent().archive())

    assert (found.ok, found.why, found.seq) == (False, "no_fork", None)


@pytest.mark.parametrize(
    ("fork", "log", "known", "why"),
    [
        (lambda: archived(unbegun(parent())), lambda: parent().archive(), None, "not_begun"),
        (lambda: archived(child(), "public"), lambda: parent().archive(), None, "not_all"),
        (lambda: archived(child()), lambda: parent().archive(2), None, "not_all"),
        (lambda: archived(child()), lambda: parent().archive(), Catalogue((sample,)), "rules_not_shipped"),
    ],
)
def test_what_cannot_be_compared_is_not_called_wrong(fork, log, known, why):
    found = told(fork(), log(), known)

    assert (found.ok, found.why, found.carried) == (True, why, 0)
    assert why in UNCHECKED


def test_an_archive_that_is_cut_off_cannot_be_read():
    with pytest.raises(Broken):
        told(archived(child()), parent().archive()[:-10])


def test_a_parent_that_the_rules_cannot_read_is_unreadable():
    log = parent()
    plain = msgspec.json.decode(log.entries[29].versions["full"])
    plain["events"].append({"type": "no_such_event"})
    odd = resealed(log, {30: {"full": msgspec.json.encode(plain, order="sorted")}})
    head = odd.entries[AT - 1].head.hex()

    def elsewhere(body):
        for place in (body["action"], body["events"][0]):
            place["forked_from"]["head"] = head

    found = told(archived(with_body(child(), 1, elsewhere)), odd.archive())
    assert (found.ok, found.why) == (False, "unreadable")
