"""Adjudication: a log whose hashes all fit, by a forger who has the server's key, is told by the rules."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.entry import FULL
from games import tribunal
from games.table import actions as act
from games.table import events as happened
from projections.verification import Auditor
from tests.games import sample, sample_plain
from tests.projections.logs import (
    TABLE,
    catalogue,
    done,
    entry_of,
    played,
    resealed,
    statuses,
    verified,
    with_body,
    with_bytes,
)

LOG = played()
LAST = len(LOG.entries)


def failures(found):
    """What each failed check says, and the entry that was found first."""
    first = found.first
    assert first is not None
    assert first.line == first.seq + 1
    return first.seq, {each.name: each.why for each in found.checks if each.status == "failed"}


def test_another_action_with_the_same_consequences_is_found():
    seq = entry_of(LOG, "say")
    log = with_body(LOG, seq, lambda body: body["action"].update(text="I never said that"))
    found = verified(log)

    assert failures(found) == (seq, {"adjudication": "events_differ"})
    assert (found.check("adjudication").checked, found.check("chain").checked) == (seq - 1, LAST)
    assert statuses(found)["versions"] == "passed"
    assert statuses(found)["draws"] == ("not_checked", "adjudication_failed")


def test_other_consequences_of_the_same_action_are_found():
    seq = entry_of(LOG, "say")
    log = with_body(LOG, seq, lambda body: body["events"][0].update(text="I never said that"))
    assert failures(verified(log)) == (seq, {"adjudication": "events_differ"})


def test_a_consequence_more_or_less_is_found():
    seq = entry_of(LOG, "pay")
    more = with_body(LOG, seq, lambda body: body["events"].append(body["events"][0]))
    less = with_body(LOG, seq, lambda body: body["events"].clear())
    assert failures(verified(more)) == (seq, {"adjudication": "events_differ"})
    assert failures(verified(less)) == (seq, {"adjudication": "events_differ"})


def test_who_acted_cannot_be_changed():
    place = entry_of(LOG, "place")
    seat = LOG.bodies[place - 1].by
    for by in ((seat + 1) % 5, 7, -1, "server", "arbiter", "operator", "clock"):
        found = verified(with_body(LOG, place, lambda body, by=by: body.update(by=by)))
        assert found.first.seq == place
        assert found.check("adjudication").why in {"refused", "events_differ"}
    first = verified(with_body(LOG, 1, lambda body: body.update(by="operator")))
    assert failures(first) == (1, {"adjudication": "events_differ"})


def test_an_action_that_the_rules_refuse_is_found():
    seq = entry_of(LOG, "vote_dispute")
    log = with_body(
        LOG, seq, lambda body: body["action"].update(type="withdraw_dispute") or body["action"].pop("uphold")
    )
    seq_found, failed = failures(verified(log))
    assert (seq_found, failed["adjudication"]) == (seq, "refused")


def test_a_strike_that_nobody_upheld_is_found():
    seq = next(body.seq for body in LOG.bodies if any(isinstance(e, happened.Struck) for e in body.events))
    without = with_body(LOG, seq, lambda body: body.update(events=[e for e in body["events"] if e["type"] != "struck"]))
    assert failures(verified(without)) == (seq, {"adjudication": "events_differ"})

    say = entry_of(LOG, "say")
    forged = with_body(LOG, say, lambda body: body["events"].append({"type": "struck", "from": say - 1, "to": say}))
    assert failures(verified(forged)) == (say, {"adjudication": "events_differ"})


def test_bytes_that_are_not_canonical_or_that_no_rule_reads_are_found():
    seq = entry_of(LOG, "say")
    for change in (
        lambda body: body["action"].update(type="no_such_action"),
        lambda body: body["action"].update(more=1),
        lambda body: body.update(action=None),
        lambda body: body["events"].append({"type": "no_such_event"}),
        lambda body: body.update(more=1),
        lambda body: body.update(events={}),
    ):
        found = verified(with_bytes(LOG, seq, change))
        assert (found.first.seq, found.check("chain").checked) == (seq, LAST)
        assert found.check("adjudication").status == "failed"
        assert found.check("versions").status == "failed" or found.check("versions").checked == LAST


@pytest.mark.parametrize("field", ["by", "at", "action"])
def test_an_entry_without_what_every_entry_has_is_found(field):
    found = verified(with_bytes(LOG, 30, lambda body: body.pop(field)))
    assert failures(found) == (30, {"chain": "body", "adjudication": "body", "versions": "body"})


def test_a_first_entry_that_opens_no_table_is_found():
    def spoil(body):
        body["events"].insert(1, {"type": "no_such_event"})

    found = verified(with_bytes(LOG, 1, spoil))
    assert found.first.seq == 1
    assert {each.name: each.status for each in found.checks} == {
        "chain": "passed", "versions": "failed", "adjudication": "failed", "draws": "not_checked", "signature": "passed",
        "receipts": "not_checked",
    }  # fmt: skip
    opening = with_body(LOG, 1, lambda body: body["action"].update(seats=99))
    assert failures(verified(opening)) == (1, {"adjudication": "refused"})
    options = with_body(LOG, 1, lambda body: body["action"].update(options={"no_such_option": 1}))
    assert failures(verified(options)) == (1, {"adjudication": "cannot_be_decided"})
    another = with_body(LOG, 1, lambda body: body.update(action={"type": "start"}))
    assert failures(verified(another)) == (1, {"adjudication": "refused"})


class ImpossibleError(Exception):
    """What no rules raise."""


@pytest.mark.parametrize("error", [ImpossibleError("the hidden card"), RecursionError(), SystemExit(1), KeyError("x")])
def test_rules_that_fail_make_a_failed_check_and_their_words_are_not_repeated(monkeypatch, error):
    log = played(sample, 3)

    def failing(*_):
        raise error

    monkeypatch.setattr(sample, "decide", failing)
    found = verified(log)
    seq = entry_of(log, "lay")
    assert failures(found) == (seq, {"adjudication": "cannot_be_decided"})
    assert (found.check("chain").checked, found.check("versions").checked) == (len(log.entries),) * 2
    assert b"hidden card" not in msgspec.json.encode(found)


def test_rules_that_fail_to_hide_make_a_failed_check(monkeypatch):
    log = played(sample, 3)

    def failing(*_):
        raise ImpossibleError("the hidden card")

    monkeypatch.setattr(sample, "redact", failing)
    found = verified(log)
    assert found.check("adjudication").status == "passed"
    assert found.check("versions").why == "unreadable"
    assert b"hidden card" not in msgspec.json.encode(found)


# --- Anything at all ---

ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.sampled_from(["", "full", "p1", "0" * 64, "無罪"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "seat", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value, path=()):
    """Where something stands in plain JSON; not the time, which is the server's word alone."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if (*path, key) != ("at",):
            yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


@pytest.mark.parametrize(("game", "seats"), [(sample, 3), (sample_plain, 2), (tribunal, 5)])
@given(data=st.data())
def test_whatever_stands_in_an_entry_is_judged_and_breaks_nothing(game, seats, data):
    log = played(game, seats)
    seq = data.draw(st.integers(1, len(log.entries)))
    version = data.draw(st.sampled_from(sorted(log.entries[seq - 1].versions)))
    plain = msgspec.json.decode(log.entries[seq - 1].versions[version])
    *path, last = data.draw(st.sampled_from(list(places(plain))))
    odd = data.draw(ODD)

    def change(body):
        for key in path:
            body = body[key]
        body[last] = odd

    log = with_bytes(log, seq, change, version)
    found = verified(log)
    assert found.ok == (log.entries[-1].head == played(game, seats).entries[-1].head)
    auditor = Auditor(catalogue(), TABLE)
    for entry in log.entries:
        auditor.take(entry)
    assert auditor.result().ok == found.ok


# --- Versions ---


def test_a_version_that_shows_too_much_is_found():
    seq = entry_of(LOG, "pass_cards")
    cards = msgspec.json.decode(LOG.entries[seq - 1].versions[FULL])["action"]["cards"]
    log = with_bytes(LOG, seq, lambda body: body["action"].update(cards=cards), "public")
    assert failures(verified(log)) == (seq, {"versions": "version_differs"})


def test_a_version_that_lies_to_its_reader_is_found():
    seq = entry_of(LOG, "whisper")
    name = next(name for name in LOG.entries[seq - 1].versions if name not in {FULL, "public"})
    log = with_bytes(LOG, seq, lambda body: body["events"][0].update(text="something else"), name)
    found = verified(log)
    assert failures(found) == (seq, {"versions": "version_differs"})
    assert (found.check("versions").checked, found.check("adjudication").checked) == (seq - 1, LAST)


def test_a_version_too_many_or_too_few_is_found():
    seq = entry_of(LOG, "pass_cards")
    stored = LOG.entries[seq - 1].versions
    names = [name for name in stored if name != FULL]
    spare = next(str(seat) for seat in range(5) if str(seat) not in stored)
    more = resealed(LOG, {seq: {**stored, spare: stored["public"]}})
    assert failures(verified(more)) == (seq, {"versions": "other_versions"})
    for name in names:
        less = resealed(LOG, {seq: {each: data for each, data in stored.items() if each != name}})
        assert failures(verified(less)) == (seq, {"versions": "other_versions"})


def test_versions_in_a_store_are_compared_too():
    seq = entry_of(LOG, "whisper")
    log = with_bytes(LOG, seq, lambda body: body["events"][0].update(text="something else"), "public")
    auditor = Auditor(catalogue(), TABLE)
    for entry in log.entries:
        auditor.take(entry)
    found = auditor.result()
    assert (found.first.check, found.first.seq, found.first.reason) == ("versions", seq, "version_differs")


def test_what_is_false_after_the_first_failure_is_not_decided_again():
    seq = entry_of(LOG, "say")
    one = with_body(LOG, seq, lambda body: body["action"].update(text="x"))
    two = with_bytes(one, seq + 9, lambda body: body.update(more=1))
    found = verified(two)
    assert found.first.seq == seq
    assert found.check("adjudication").checked == seq - 1
    assert found.check("chain").checked == LAST


def test_an_entry_after_the_end_is_found():
    closed = done(("operator", act.Close("test")))
    longer = done((0, act.Say("still here")), ("operator", act.Close("test")))
    say = {**longer.entries[1].versions, FULL: longer.entries[1].versions[FULL].replace(b'"seq":2', b'"seq":3')}
    log = resealed(
        closed.made_of([*closed.entries, msgspec.structs.replace(longer.entries[1], seq=3, versions=say)]), {}
    )
    assert failures(verified(log)) == (3, {"adjudication": "refused"})
