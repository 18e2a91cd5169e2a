"""Fairness: what each reader is told of chance, when, and what comes of drawing again."""

import hmac
import json
from hashlib import sha256

import msgspec
import pytest

from games import tribunal
from games.core import Refused
from games.table import actions as act
from projections import codec
from projections.fairness import Draw, Fairness, fairness
from projections.story import tell
from tests.games import sample, sample_plain
from tests.laws.driver import SEED
from tests.projections.logs import TABLE, done, entry_of, played, with_body

LOG = played()
START = entry_of(LOG, "start")
NUMBERS = tuple(Draw(body.seq, body.draw) for body in LOG.bodies if body.draw is not None)


def told(log, audience="all", entries=None):
    """The story of the log as that reader has it."""
    found = []
    for entry in log.entries[:entries]:
        name = "full" if audience == "all" else str(audience) if str(audience) in entry.versions else "public"
        data = entry.versions.get(name) or entry.versions["full"]
        found.append(codec.decode(log.rules, entry.seq, data))
    return tell(log.rules, audience, found)


def report(log, audience="all", entries=None):
    return fairness(told(log, audience, entries))


def test_after_the_end_everything_is_told_and_drawn_again():
    found = report(LOG)
    entropies = [f"{1:064x}", f"{2:064x}", None, None, None]
    key = hmac.digest(bytes.fromhex(SEED), json.dumps([TABLE, entropies], separators=(",", ":")).encode(), sha256)

    assert (found.table, found.disclosed, found.seed, found.key) == (TABLE, True, SEED, key.hex())
    assert found.seed_hash == sha256(b"comitium seed 1" + bytes.fromhex(SEED)).hexdigest()
    assert (found.entropies, found.contributors, found.promise) == (tuple(entropies), (0, 1), "seats")
    assert (found.draws, found.redrawn, found.first) == (NUMBERS, len(NUMBERS), None)
    assert [each.draw for each in NUMBERS] == list(range(len(NUMBERS)))
    assert len(NUMBERS) > 1


@pytest.mark.parametrize(
    ("game", "seats", "seed"), [(sample, 3, 0), (sample_plain, 2, 0), (tribunal, 5, 2), (tribunal, 5, 4)]
)
def test_every_draw_of_a_game_comes_out_the_same_struck_or_not(game, seats, seed):
    log = played(game, seats, seed)
    found = report(log)
    assert (found.redrawn, found.first) == (log.driver.table.record.draws, None)


@pytest.mark.parametrize("audience", [None, 0, 3])
def test_after_the_end_a_reader_of_his_own_log_can_check_the_seed(audience):
    found = report(LOG, audience)
    assert (found.disclosed, found.seed, found.redrawn, found.first) == (True, SEED, None, None)
    assert (found.draws, found.key) == (NUMBERS, report(LOG).key)
    last = len(LOG.entries)
    forged = report(with_body(LOG, last, lambda body: body["events"][-1].update(seed="00" * 32)), audience)
    assert (forged.first.check, forged.first.seq, forged.first.reason) == ("draws", last, "seed_hash")


@pytest.mark.parametrize("audience", [None, 0, 3, "all"])
@pytest.mark.parametrize("entries", [1, 3, START, START + 9, len(LOG.entries) - 1])
def test_before_the_end_nothing_secret_is_told(audience, entries):
    found = report(LOG, audience, entries)
    assert (found.disclosed, found.seed, found.key, found.redrawn, found.first) == (False, None, None, None, None)
    assert found.seed_hash == sha256(b"comitium seed 1" + bytes.fromhex(SEED)).hexdigest()
    assert SEED.encode() not in msgspec.json.encode(found)
    assert found.draws == tuple(each for each in NUMBERS if each.seq <= entries)


def test_the_promise_rests_on_who_gave_something():
    assert report(LOG, None, 1).promise == "server_alone"
    assert report(LOG, None, 2).contributors == (0,)
    assert report(LOG, None, 4).contributors == (0, 1)
    alone = report(played(entropies=0))
    assert (alone.promise, alone.contributors, alone.redrawn) == ("server_alone", (), alone.draws[-1].draw + 1)
    assert alone.key != report(LOG).key


def test_entropies_are_those_of_the_start_whoever_sits_there_later():
    log = played(seed=4)
    assert any(isinstance(body.action, act.Leave) for body in log.bodies)
    assert report(log).entropies == (f"{1:064x}", f"{2:064x}", None, None, None)


def test_a_table_that_never_began_discloses_its_seed_and_has_no_key():
    found = report(done((0, act.GiveEntropy("a" * 64)), ("operator", act.Close("test"))))
    assert (found.disclosed, found.seed, found.key) == (True, SEED, None)
    assert (found.draws, found.redrawn, found.first, found.contributors) == ((), 0, None, (0,))


def test_a_draw_that_comes_out_otherwise_is_named():
    def deal_otherwise(body):
        hands = [each for each in body["events"] if each["type"] == "dealt"]
        hands[0]["cards"], hands[1]["cards"] = hands[1]["cards"], hands[0]["cards"]

    found = report(with_body(LOG, START, deal_otherwise))
    assert (found.first.check, found.first.seq, found.first.reason) == ("draws", START, "drawn_otherwise")
    assert found.redrawn == len(NUMBERS) - 1, "each draw stands by itself"


def test_a_draw_under_another_number_is_named():
    found = report(with_body(LOG, START, lambda body: body.update(draw=1)))
    assert (found.first.seq, found.first.reason) == (START, "draw_number")
    assert found.redrawn == len(NUMBERS) - 1


def test_a_number_where_nothing_is_drawn_is_named():
    seq = entry_of(LOG, "say")
    number = sum(each.seq < seq for each in NUMBERS)
    found = report(with_body(LOG, seq, lambda body: body.update(draw=number)))
    assert (found.first.seq, found.first.reason) == (seq, "drawn_otherwise")


@pytest.mark.parametrize("error", [ValueError("the hidden card"), SystemExit(1), Refused("ended")])
def test_a_draw_that_the_rules_cannot_repeat_is_named_without_their_words(monkeypatch, error):
    log = played(sample, 3)
    story = told(log)

    def failing(*_):
        raise error

    monkeypatch.setattr(sample, "open", failing)
    found = fairness(story)
    reason = "refused" if isinstance(error, Refused) else "cannot_be_decided"
    assert (found.first.seq, found.first.reason) == (entry_of(log, "start"), reason)
    assert found.redrawn == len(found.draws) - 1
    assert b"hidden card" not in msgspec.json.encode(found)


def test_it_can_be_sent():
    assert msgspec.json.decode(msgspec.json.encode(report(LOG)), type=Fairness) == report(LOG)
