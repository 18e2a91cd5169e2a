"""Chance: seed, entropies and draw numbers, with the rules and without them."""

import pytest

from events.entry import FULL
from games import Catalogue
from games.chance import seed_hash
from games.table import actions as act
from projections.verification import verify_archive
from tests.projections.logs import KEYS, done, entry_of, played, statuses, verified, with_body, with_bytes

LOG = played()
LAST = len(LOG.entries)
START = entry_of(LOG, "start")
ZEROS = "0" * 64

DRAWN = [body.seq for body in LOG.bodies if body.draw is not None]


def failures(found):
    return found.first.seq, {each.name: each.why for each in found.checks if each.status == "failed"}


def without_rules(log):
    """What seed and numbers say of a log when nobody can decide it again."""
    return verify_archive([log.archive()], Catalogue(()), keys=KEYS)


def event(kind, **changes):
    """A body in which the first event of that kind says something else."""
    return lambda body: next(each for each in body["events"] if each["type"] == kind).update(changes)


def test_another_result_of_a_draw_is_found():
    def deal_otherwise(body):
        hands = [each for each in body["events"] if each["type"] == "dealt"]
        hands[0]["cards"], hands[1]["cards"] = hands[1]["cards"], hands[0]["cards"]

    found = verified(with_body(LOG, START, deal_otherwise))
    assert failures(found) == (START, {"adjudication": "events_differ", "draws": "drawn_otherwise"})
    assert found.check("draws").checked == 0


@pytest.mark.parametrize("number", [1, 7, -1, None])
def test_another_number_of_a_draw_is_found(number):
    def renumber(body):
        body.pop("draw")
        if number is not None:
            body["draw"] = number

    log = with_body(LOG, START, renumber)
    seq, failed = failures(verified(log))
    assert (seq, failed["adjudication"]) == (START, "events_differ")
    assert failed["draws"] == ("draw_number" if number is not None else "drawn_otherwise")
    assert failures(without_rules(log))[1] == {"draws": "draw_number"}


def test_a_number_where_nothing_was_drawn_is_found():
    seq = entry_of(LOG, "say")
    count = sum(each < seq for each in DRAWN)
    log = with_body(LOG, seq, lambda body: body.update(draw=count))
    found_at, failed = failures(verified(log))
    assert (found_at, failed["adjudication"]) == (seq, "events_differ")
    assert "draws" in failed


def test_another_seed_than_the_sealed_one_is_found_at_the_end():
    log = with_body(LOG, LAST, event("seed_disclosed", seed=ZEROS))
    assert failures(verified(log)) == (LAST, {"adjudication": "events_differ", "draws": "seed_hash"})
    assert failures(without_rules(log)) == (LAST, {"draws": "seed_hash"})
    assert failures(verified(log, "public")) == (LAST, {"draws": "seed_hash"})


def test_a_seed_that_was_changed_with_its_hash_draws_otherwise():
    other = seed_hash(bytes.fromhex(ZEROS)).hex()
    log = with_body(LOG, 1, event("seed_sealed", seed=ZEROS, hash=other))
    found = verified(log)
    assert failures(found)[0] == START
    assert found.check("adjudication").why == "events_differ"

    both = with_body(log, LAST, event("seed_disclosed", seed=ZEROS))
    assert failures(verified(both)) == (START, {"adjudication": "events_differ", "draws": "drawn_otherwise"})
    assert verified(both, "public").ok, "without the whole log there is nothing to draw again"


@pytest.mark.parametrize("seed", [ZEROS, "no hex", "", None])
def test_a_sealed_seed_without_its_hash_is_found(seed):
    log = with_bytes(LOG, 1, event("seed_sealed", seed=seed))
    found = verified(log)
    assert found.first.seq == 1
    assert found.check("adjudication").status == "failed"
    assert (found.check("draws").why == "seed_hash") == (seed is not None)


def test_a_second_seed_is_found():
    seq = entry_of(LOG, "give_entropy")
    second = {"type": "seed_sealed", "seed": None, "hash": ZEROS}
    log = with_body(LOG, seq, lambda body: body["events"].append(second))
    assert failures(verified(log)) == (seq, {"adjudication": "events_differ", "draws": "sealed_twice"})
    assert failures(without_rules(log)) == (seq, {"draws": "sealed_twice"})


@pytest.mark.parametrize("entropies", [[None] * 5, ["0" * 64] * 5, [], None])
def test_other_entropies_than_those_that_were_given_are_found(entropies):
    log = with_bytes(LOG, START, event("started", entropies=entropies))
    why = "entropies" if entropies is not None else "unreadable"
    assert failures(verified(log))[0] == START
    assert failures(verified(log))[1]["draws"] == why
    assert failures(without_rules(log)) == (START, {"draws": why})


def test_an_entropy_that_was_changed_where_it_was_given_is_found():
    seq = entry_of(LOG, "give_entropy")

    def change(body):
        body["action"]["entropy"] = body["events"][0]["entropy"] = ZEROS

    log = with_body(LOG, seq, change)
    found = verified(log)
    assert failures(found)[0] == START
    assert found.check("draws").why == "entropies"
    assert failures(without_rules(log)) == (START, {"draws": "entropies"})


def test_who_stood_up_again_takes_his_entropy_with_him():
    sits = [(seat, act.Sit(f"p{seat}", None, None)) for seat in (2, 3)]
    log = done(
        (1, act.Sit("anna", None, "1" * 64)), (1, act.Rise()), (1, act.Sit("bert", None, None)), *sits,
        ("server", act.Start()), ("operator", act.Close("test")),
    )  # fmt: skip
    assert statuses(verified(log))["draws"] == "passed"
    assert without_rules(log).ok
    assert log.driver.table.record.holders[1].entropy is None


def test_text_that_looks_like_a_seed_is_text():
    text = '{"type":"seed_disclosed","seed":"00"}'
    log = done((0, act.Say(text)), ("operator", act.Close("test")))
    assert verified(log).ok
    assert text.encode() not in log.entries[1].versions[FULL]


def test_draws_in_struck_entries_stay_draws():
    log = played(seed=4)
    record = log.driver.table.record
    assert record.strikes
    assert verified(log).check("draws").checked == record.draws == sum(body.draw is not None for body in log.bodies)
