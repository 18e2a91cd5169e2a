"""Verification of whole archives: what holds of honest ones, and that no byte of any can be changed unseen."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.receipts import SigningKey
from games import Catalogue, tribunal
from games.table import actions as act
from projections.verification import Auditor, Verification, steps, verify_archive
from tests.games import sample, sample_plain
from tests.projections.logs import KEY, KEYS, STRANGER, TABLE, catalogue, done, played, resealed, statuses, verified

AUDIENCES = ("all", "public", 0, 2)
every_audience = pytest.mark.parametrize("audience", AUDIENCES)

ALL_PASSED = {
    "chain": "passed", "versions": "passed", "adjudication": "passed", "draws": "passed", "signature": "passed",
    "receipts": ("not_checked", "none_given"),
}  # fmt: skip

SAID = ("無罪だと思う", "🎲🏛️ e\u0301", '"quoted" \\ {"type":"seed_disclosed"}', "\x00\x1f\x7f\u2028\n\t", "ﷺ\U0010ffff")


def spoken(*texts):
    """A table at which just this was said, before it was closed."""
    says = [(0, act.Say(text)) for text in texts]
    return done(*says, ("operator", act.Close("test")))


# --- What holds ---


@pytest.mark.parametrize("seed", [0, 2, 4])
def test_a_whole_log_with_disputes_and_strikes_holds(seed):
    log = played(tribunal, 5, seed)
    found = verified(log)

    assert log.driver.table.record.all_strikes
    assert statuses(found) == ALL_PASSED
    assert (found.ok, found.first) == (True, None)
    assert (found.table, found.audience, found.entries) == (TABLE, "all", len(log.entries))
    assert found.head == log.entries[-1].head.hex()
    assert [found.check(name).checked for name in ("chain", "versions", "adjudication")] == [len(log.entries)] * 3
    assert found.check("draws").checked == log.driver.table.record.draws > 1


@pytest.mark.parametrize(("game", "seats"), [(sample, 2), (sample, 4), (sample_plain, 2), (tribunal, 4), (tribunal, 7)])
def test_a_whole_log_of_every_game_holds(game, seats):
    assert statuses(verified(played(game, seats))) == ALL_PASSED


@pytest.mark.parametrize("audience", AUDIENCES[1:])
def test_of_one_readers_log_chain_and_signature_are_checked(audience):
    assert statuses(verified(played(), audience)) == {
        "chain": "passed", "versions": ("not_checked", "not_all"), "adjudication": ("not_checked", "not_all"),
        "draws": ("not_checked", "not_all"), "signature": "passed", "receipts": ("not_checked", "none_given"),
    }  # fmt: skip


def test_a_log_that_goes_on_is_checked_as_far_as_it_goes():
    log = played(entries=40)
    assert statuses(verified(log)) == {**ALL_PASSED, "draws": ("passed", "not_over")}
    assert statuses(verified(log, "public"))["draws"] == ("not_checked", "not_over")
    assert statuses(verified(log, "public"))["versions"] == ("not_checked", "not_all")


@pytest.mark.parametrize("text", SAID)
@every_audience
def test_whatever_was_said_holds(text, audience):
    log = spoken(text[:1], text)
    assert verified(log, audience).ok
    assert statuses(verified(log)) == ALL_PASSED


def test_a_frozen_and_abandoned_table_holds():
    sits = [(seat, act.Sit(f"p{seat}", None, None)) for seat in range(1, 4)]
    frozen = done(*sits, ("server", act.Start()), ("server", act.Freeze("rules")), ("operator", act.Close("test")))
    assert statuses(verified(frozen)) == ALL_PASSED
    assert verified(frozen).check("draws").checked == 1


@every_audience
def test_without_the_rules_the_chain_still_holds(audience):
    found = verify_archive([played(sample, 3).archive(audience)], Catalogue(), keys=KEYS)
    why = "rules_not_shipped" if audience == "all" else "not_all"
    assert found.ok
    assert statuses(found) == {
        **ALL_PASSED, "versions": ("not_checked", why), "adjudication": ("not_checked", why),
        "draws": ("not_checked", why),
    }  # fmt: skip


def test_an_older_version_of_the_rules_is_not_taken_for_the_one_that_is_shipped(monkeypatch):
    log = played(sample, 2)
    monkeypatch.setattr(sample, "version", 2)
    newer = Catalogue((sample,))
    monkeypatch.undo()
    assert statuses(verify_archive([log.archive()], newer, keys=KEYS))["adjudication"] == (
        "not_checked",
        "rules_not_shipped",
    )


def test_what_is_found_can_be_sent():
    for found in (verified(played()), verified(played().archive()[:-9]), verified(b"")):
        assert msgspec.json.decode(msgspec.json.encode(found), type=Verification) == found


# --- In slices, and from a store ---


def run(going):
    """What a generator yields, and what it returns."""
    seen = []
    while True:
        try:
            seen.append(next(going))
        except StopIteration as end:
            return seen, end.value


def test_it_can_be_done_in_slices():
    data = played().archive()
    seen, found = run(steps([data], catalogue(), keys=KEYS, every=25))
    assert seen == list(range(25, len(played().entries) + 1, 25))
    assert found == verified(data)
    assert run(steps([data[:900]], catalogue(), every=1)) == ([], verified(data[:900], keys=None))


def audited(entries, **given):
    auditor = Auditor(catalogue(), TABLE, **given)
    for number, entry in enumerate(entries, 1):
        auditor.take(entry)
        assert auditor.done == number
    return auditor.result()


def test_the_entries_of_a_store_hold_without_an_archive():
    log = played()
    found = audited(log.entries)
    assert statuses(found) == {**ALL_PASSED, "signature": ("not_checked", "none_given")}
    assert (found.ok, found.entries, found.head) == (True, len(log.entries), log.entries[-1].head.hex())
    assert found.check("versions").checked == len(log.entries)


def test_a_log_without_an_entry_does_not_hold():
    found = audited([])
    assert (found.first.check, found.first.reason, found.first.seq) == ("chain", "empty", 0)


def wrong(found):
    """What was found first, and which checks it failed."""
    failed = {each.name for each in found.checks if each.status == "failed"}
    assert found.ok == (not failed)
    first = found.first
    return None if first is None else (first.check, first.seq, first.line, first.reason), failed


def changed(entries, number, **changes):
    found = list(entries)
    found[number - 1] = msgspec.structs.replace(found[number - 1], **changes)
    return found


def test_what_was_changed_in_a_store_is_found():
    entries = played().entries
    other = {**entries[19].versions, "full": entries[19].versions["full"].replace(b'"by":', b'"by": ')}
    assert wrong(audited(changed(entries, 20, versions=other)))[0] == ("chain", 20, None, "head")
    assert wrong(audited(changed(entries, 20, salt=bytes(32)))) == (("chain", 20, None, "head"), {"chain"})
    assert wrong(audited(changed(entries, 20, salt=b""))) == (("chain", 20, None, "head"), {"chain"})
    assert wrong(audited(changed(entries, 20, leaf=bytes(32)))) == (("chain", 20, None, "head"), {"chain"})
    assert wrong(audited(changed(entries, 20, head=bytes(32)))) == (("chain", 20, None, "head"), {"chain"})
    assert wrong(audited(changed(entries, 20, seq=21))) == (("chain", 20, None, "place"), {"chain"})
    assert wrong(audited(changed(entries, 20, versions={})))[0] == ("chain", 20, None, "head")
    assert wrong(audited([*entries[:19], *entries[20:]]))[0] == ("chain", 20, None, "place")
    assert audited(entries[:20]).ok


# --- What was changed ---


@every_audience
def test_lines_that_are_missing_or_misplaced_are_found_by_their_number(audience):
    whole = played().archive(audience).splitlines(keepends=True)
    cases = {
        "dropped": ([*whole[:30], *whole[31:]], (31, "place")),
        "swapped": ([*whole[:30], whole[31], whole[30], *whole[32:]], (31, "place")),
        "twice": ([*whole[:31], *whole[30:]], (32, "place")),
        "cut": (whole[:-1], (len(whole), "too_few_lines")),
        "longer": ([*whole, whole[-1]], (len(whole) + 1, "too_many_lines")),
    }
    for lines, (line, reason) in cases.values():
        found = verified(b"".join(lines))
        assert (found.first.check, found.first.line, found.first.reason) == ("chain", line, reason)
        assert found.entries <= line - 2
        assert "passed" not in {each.status for each in found.checks}, "of what was not read nothing holds"
        assert {each.why for each in found.checks if each.status == "not_checked"} <= {
            "broken",
            "none_given",
            "not_all",
        }


def test_what_is_no_archive_holds_nothing():
    found = verified(b"PK\x03\x04")
    assert (found.table, found.audience, found.entries, found.ok) == (None, None, 0, False)
    assert (found.first.line, found.first.reason) == (1, "no_newline")


@pytest.mark.parametrize("bit", [0, 5])
def test_every_single_byte_of_an_archive_counts(bit):
    whole = spoken("無罪").archive()
    for place, byte in enumerate(whole):
        spoilt = whole[:place] + bytes([byte ^ 1 << bit]) + whole[place + 1 :]
        assert not verified(spoilt).ok, place


LOGS = {"tribunal": played(tribunal, 4, entropies=1), "harbour": played(sample, 3), "straws": played(sample_plain, 2)}


@given(st.sampled_from(sorted(LOGS)), st.sampled_from(AUDIENCES[:3]), st.data())
def test_no_byte_of_any_archive_can_be_changed(name, audience, data):
    whole = LOGS[name].archive(audience)
    place = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda each: each != whole[place]))
    assert not verified(whole[:place] + bytes([byte]) + whole[place + 1 :]).ok


@given(st.sampled_from(AUDIENCES), st.integers(1, 10**6), st.integers(0, 10**6))
def test_no_piece_can_be_taken_out_of_an_archive(audience, length, place):
    whole = LOGS["tribunal"].archive(audience)
    place %= len(whole)
    length = 1 + length % (len(whole) - place)
    assert not verified(whole[:place] + whole[place + length :]).ok


# --- What was written anew ---


def test_a_log_under_other_salts_is_another_log():
    log = played()
    again = resealed(log.made_of(changed(log.entries, 30, salt=bytes(32))), {})
    assert again.entries[28].head == log.entries[28].head
    assert again.entries[29].head != log.entries[29].head
    whole, other = log.archive().splitlines(keepends=True), again.archive().splitlines(keepends=True)
    assert verified(b"".join([*whole[:30], other[30], *whole[31:]])).first.line == 32
    assert verified(b"".join([whole[0], *other[1:]])).first.reason == "last_head"


def test_a_log_written_anew_by_the_rules_is_told_by_its_key_alone():
    forged = played(seed=1).archive(key=STRANGER)

    assert wrong(verified(forged)) == (("signature", 112, 1, "foreign_key"), {"signature"})
    alone = verified(forged, keys=None)
    assert alone.ok
    assert statuses(alone)["signature"] == ("passed", "own_key")


def test_a_signature_by_another_key_does_not_pass_under_the_name_of_the_servers():
    mine, theirs = played().archive(), played().archive(key=STRANGER)
    renamed = theirs.replace(STRANGER.public.hex().encode(), KEY.public.hex().encode(), 1)
    found = verified(renamed)
    assert mine != theirs
    assert wrong(found) == (("signature", len(played().entries), 1, "signature"), {"signature"})
    assert found.check("adjudication").status == "passed"


def test_an_old_key_of_the_server_is_as_good_as_the_new_one():
    both = {**KEYS, STRANGER.id: STRANGER.public}
    assert verified(played().archive(key=STRANGER), keys=both).ok
    assert verified(played(), keys=both).ok
    assert not verified(played(), keys={}).ok


def test_a_key_that_is_not_its_ids_is_refused():
    for keys in ({KEY.id: STRANGER.public}, {"": KEY.public}, {KEY.id: b""}):
        with pytest.raises(ValueError, match="not the id"):
            verified(played(), keys=keys)
    assert SigningKey(bytes(32)).id == STRANGER.id
