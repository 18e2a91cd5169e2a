"""The trail where the course of the game is not the log: strikes; words that are broken; games without verdicts; and any
game at random.
"""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from games.bargaining import Did, Offered, Paid
from games.core import type_of
from games.table import actions as act
from games.table.state import Body, fold
from games.tribunal.events import VerdictReached
from projections import codec
from projections.story import tell
from projections.trail import joining, trail
from tests.games import sample
from tests.laws.cases import every_case
from tests.laws.driver import Driver
from tests.laws.harbour import NORTH, SHIP, SOUTH, Harbour, amending
from tests.laws.playing import played
from tests.laws.test_law_10_strike import disputed
from tests.projections import forks
from tests.projections.test_trail import GUILTY, INNOCENT, Court

# --- Struck and restored ------------------------------------------------------------------------------


def bought():
    """A counter is offered for, placed and paid for."""
    court = Court().pleading()
    offer = court.offer(court.order[1], court.order[0], GUILTY)
    court.place("g")
    return court, offer


def test_a_struck_offer_is_void_and_told_as_it_stood():
    court, offer = bought()
    strike = court.strike(offer)

    bribe = court.bribe(offer)

    assert (bribe.how, bribe.struck_by, bribe.ended, bribe.paid) == ("void", strike, strike, 0)
    assert [deed.wanted for deed in bribe.deeds] == [True]
    assert (bribe.decision, bribe.way, bribe.without, bribe.decisive) == (None,) * 4
    assert court.trail().totals.chips == 0


def test_a_struck_verdict_decides_nothing():
    court, offer = bought()
    court.place("g", "g", "g")
    court.strike(court.table.seq)

    bribe = court.bribe(offer)

    assert (bribe.how, bribe.paid, bribe.struck_by) == ("paid", 5, None)
    assert (bribe.decision, bribe.way) == (None, None)

    court.place("i")
    assert court.bribe(offer).decision.seq == court.table.seq


def test_what_is_restored_counts_again():
    court, offer = bought()
    told = court.bribe(offer)
    strike = court.strike(offer)
    court.strike(strike)

    assert court.bribe(offer) == told
    assert court.trail().totals.chips == 5


def test_an_offer_whose_payment_was_struck_is_what_it_is_in_the_course_that_counts():
    court, offer = bought()
    court.strike(offer + 1)

    assert (court.bribe(offer).how, court.bribe(offer).paid, court.bribe(offer).deeds) == (None, 0, ())

    court.place("i")
    assert (court.bribe(offer).how, court.bribe(offer).ended) == ("lapsed", court.table.seq)
    assert [deed.deed["pan"] for deed in court.bribe(offer).deeds] == ["innocent"]


def test_a_struck_amendment_is_no_version():
    court = Court().pleading()
    offer = court.offer(court.order[1], court.order[0], GUILTY, 3)
    amended = court.amend(offer, INNOCENT, 8)
    court.strike(amended)

    assert [(terms.seq, terms.amount) for terms in court.bribe(offer).versions] == [(offer, 3)]
    assert court.bribe(offer).amount == 3


def test_what_was_struck_twice_stands_as_it_was_before_it_was_struck_first():
    court, offer = bought()
    once = court.strike(offer)
    again = court.offer(court.order[1], court.order[0], INNOCENT, 2)
    twice = court.strike(offer - 1)

    first, second = court.bribe(offer), court.bribe(again)

    assert (first.ended, first.struck_by, len(first.deeds)) == (once, twice, 1)
    assert (second.ended, second.struck_by, second.deeds) == (twice, twice, ())


def test_a_struck_gift_moved_nothing():
    court = Court().pleading()
    court.do(0, {"type": "pay", "to": 1, "amount": 4})
    gift = court.table.seq
    strike = court.strike(gift)

    bribe = court.bribe(gift)

    assert (bribe.kind, bribe.how, bribe.amount, bribe.paid, bribe.struck_by) == ("gift", "void", 4, 0, strike)


# --- What other games may do ---------------------------------------------------------------------------


def happens(driver: Driver, *events: Any) -> int:
    """An entry with these events, whatever the rules say; its number."""
    body = Body("t1", driver.table.seq + 1, driver.at, "server", act.Start(), events)
    driver.table = fold(driver.rules, driver.table, body)
    driver._write(body)
    return body.seq


def test_what_another_decider_does_in_the_same_decision_is_not_the_payees():
    harbour = Harbour()
    offer = harbour.offer(harbour.trader, NORTH)
    happens(harbour, Did("admit:1", "admit", harbour.trader, NORTH))

    assert told(harbour)[offer].deeds == ()


def test_of_several_verdicts_in_a_turn_the_next_one_counts():
    court = Court().pleading()
    before = court.offer(court.order[1], court.order[2], GUILTY)
    first = happens(court, VerdictReached("red", "guilty", early=False))
    between = happens(court, Paid(0, 1, 3, None, None))
    second = happens(court, VerdictReached("red", "innocent", early=False))
    after = happens(court, Paid(0, 1, 2, None, None))

    assert [court.bribe(bribe).decision.seq for bribe in (before, between, after)] == [first, second, second]


# --- Words --------------------------------------------------------------------------------------------


def word(number: int, by: int, to: int, verdict: str = "broken", proof: tuple[int, ...] = (), **more: Any) -> Any:
    return SimpleNamespace(id=number, seq=number, by=by, to=to, verdict=verdict, proof=proof, struck_by=None, **more)


def test_broken_words_between_the_two_are_told():
    court, offer = bought()
    payer, payee = court.order[1], court.order[0]
    paid = offer + 1
    words = [
        word(offer - 1, payee, payer, proof=(paid + 3,)),
        word(offer - 2, payer, payee, proof=(paid,)),
        word(paid, payer, payee, proof=(paid + 1,)),
    ]

    assert court.bribe(offer, words).broken == (offer - 1, offer - 2, paid)


def test_who_brings_no_words_is_told_those_of_the_promises(monkeypatch):
    court, offer = bought()
    known = word(offer - 1, court.order[0], court.order[1], proof=(offer + 3,))
    monkeypatch.setattr(joining, "verdicts", lambda story: [known] if story.table.seq == court.table.seq else [])

    (bribe,) = trail(tell(court.rules, "all", court.bodies)).bribes

    assert bribe.broken == (offer - 1,)


def test_a_struck_word_was_not_broken():
    court, offer = bought()
    known = word(offer - 1, court.order[0], court.order[1], proof=(offer + 3,))
    known.struck_by = offer + 4

    assert court.bribe(offer, [known]).broken == ()


@pytest.mark.parametrize("verdict", ["kept", "open", "void", "uncheckable"])
def test_words_that_were_not_broken_are_not(verdict):
    court, offer = bought()
    words = [word(offer - 1, court.order[0], court.order[1], verdict, (offer + 3,))]

    assert court.bribe(offer, words).broken == ()


def test_neither_are_words_to_others_nor_those_given_later_nor_those_broken_before():
    court, offer = bought()
    payer, payee, other = court.order[1], court.order[0], court.order[2]
    words = [
        word(offer - 1, payee, other, proof=(offer + 3,)),
        word(offer + 2, payee, payer, proof=(offer + 3,)),
        word(offer - 1, payee, payer, proof=(offer,)),
    ]

    assert court.bribe(offer, words).broken == ()


def test_a_word_is_only_broken_after_something_was_paid():
    court = Court().pleading()
    offer = court.offer(court.order[1], court.order[0], GUILTY)
    court.place("i")

    assert court.bribe(offer, [word(offer - 1, court.order[0], court.order[1], proof=(offer + 3,))]).broken == ()


def test_a_gift_has_its_broken_words_too():
    court = Court().pleading()
    court.do(0, {"type": "pay", "to": 1, "amount": 4})
    gift = court.table.seq

    assert court.bribe(gift, [word(gift - 1, 1, 0, proof=(gift + 2,))]).broken == (gift - 1,)
    assert court.bribe(gift, [word(gift + 1, 1, 0, proof=(gift + 2,))]).broken == ()


# --- Without verdicts ---------------------------------------------------------------------------------


def told(harbour: Driver) -> dict[int, Any]:
    found = trail(tell(harbour.rules, "all", harbour.bodies), ())
    assert not found.judged
    return {bribe.id: bribe for bribe in found.bribes}


def test_without_verdicts_it_goes_the_payers_way_if_the_deed_is_done():
    harbour = Harbour()
    done = harbour.offer(harbour.trader, NORTH, times=2)
    not_done = harbour.offer(harbour.traders[1], SOUTH, times=2)
    spoilt = harbour.offer(harbour.deputy, NORTH, never=SOUTH)

    assert [told(harbour)[offer].way for offer in (done, not_done, spoilt)] == [None] * 3

    harbour.admit("north", "north")
    assert [told(harbour)[offer].way for offer in (done, not_done, spoilt)] == ["payer", None, None]

    harbour.admit("south")
    found = told(harbour)
    assert [found[offer].way for offer in (done, not_done, spoilt)] == ["payer", "other", "other"]
    assert [found[offer].how for offer in (done, not_done, spoilt)] == ["paid", "lapsed", "lapsed"]
    assert {bribe.decision for bribe in found.values()} == {None}
    assert (found[done].turn, found[done].paid, found[done].window.kind) == ("round:1", 5, "admit")


def test_a_decision_that_never_came_went_nobodys_way():
    harbour = Harbour()
    offer = harbour.offer(harbour.trader, {"type": "unload"}, window="unload:1")
    harbour.do(harbour.warden, {"type": "shut"})

    assert (told(harbour)[offer].how, told(harbour)[offer].way) == ("void", None)


def test_an_amended_offer_is_measured_anew_there_as_well():
    harbour = Harbour()
    offer = harbour.offer(harbour.trader, SOUTH, times=3)
    harbour.admit("north")
    harbour.do(harbour.trader, amending(offer, 1, SHIP, 6, times=2))
    harbour.admit("north", "south")

    bribe = told(harbour)[offer]

    assert (bribe.how, bribe.paid, bribe.way, len(bribe.versions), len(bribe.deeds)) == ("paid", 6, "payer", 2, 2)


def test_hidden_purses_hide_no_offers():
    harbour = Harbour(hidden=True)
    offer = harbour.offer(harbour.trader, NORTH)
    harbour.admit("north", "north", "south")
    bodies = [harbour.versions(body) for body in harbour.bodies]
    public = [each.get("public") or each["full"] for each in bodies]

    assert told(harbour)[offer] == next(iter(trail(tell(harbour.rules, None, public), ()).bribes))


# --- Any game -----------------------------------------------------------------------------------------


def stories(play: Any, audiences: Any) -> Any:
    for audience in audiences:
        bodies = [step.body for step in play.steps]
        if audience != "all":
            bodies = [codec.decode(play.driver.rules, step.after.seq, step.read_by(audience)) for step in play.steps]
        yield tell(play.driver.rules, audience, bodies)


@every_case
def test_every_offer_and_every_payment_is_told_exactly_once(case):
    for play in (played(case), disputed(case)):
        story = tell(play.driver.rules, "all", [step.body for step in play.steps])
        found = trail(story, ())
        events = [(passage.seq, event) for passage in story.passages for event in passage.body.events]
        offered = [event.offer for _, event in events if isinstance(event, Offered)]
        given = [seq for seq, event in events if isinstance(event, Paid) and event.offer is None]
        paid = Counter[int]()
        for seq, event in events:
            if isinstance(event, Paid) and event.offer is not None and story.struck_by(seq) is None:
                paid[event.offer] += event.amount

        assert [bribe.id for bribe in found.bribes if bribe.kind == "offer"] == offered
        assert [bribe.id for bribe in found.bribes if bribe.kind == "gift"] == given
        assert {bribe.id: bribe.paid for bribe in found.bribes if bribe.kind == "offer" and bribe.paid} == dict(paid)


@every_case
def test_the_sums_are_the_chips_that_moved(case):
    for play in (played(case), disputed(case)):
        story = tell(play.driver.rules, "all", [step.body for step in play.steps])
        totals = trail(story, ()).totals
        moved = [event for passage in story.counting() for event in passage.body.events if isinstance(event, Paid)]

        assert totals.chips == sum(event.amount for event in moved) == sum(turn.chips for turn in totals.turns)
        for sums in totals.seats:
            assert sums.paid == sum(event.amount for event in moved if event.payer == sums.seat)
            assert sums.received == sum(event.amount for event in moved if event.payee == sums.seat)
            assert sums.paid == sum(turn.seats[sums.seat].paid for turn in totals.turns)
            assert sums.received == sum(turn.seats[sums.seat].received for turn in totals.turns)


@every_case
def test_struck_offers_are_void_and_all_others_end_as_the_course_says(case):
    play = disputed(case)
    story = tell(play.driver.rules, "all", [step.body for step in play.steps])
    is_open = {offer.id for offer in story.table.course.deals.offers}
    for bribe in trail(story, ()).bribes:
        assert bribe.struck_by == story.struck_by(bribe.made)
        if bribe.struck_by is not None:
            assert (bribe.how, bribe.paid, bribe.decision) == ("void", 0, None)
        elif bribe.kind == "offer":
            assert (bribe.how is None) == (bribe.id in is_open)
            assert (bribe.paid == bribe.amount) == (bribe.how == "paid")


@every_case
def test_every_reader_is_told_the_same_of_what_is_public_to_all(case):
    for play in (played(case), disputed(case)):
        found = [trail(story, ()) for story in stories(play, ("all", None, *range(case.seats)))]

        assert all(each == found[0] for each in found)


@every_case
def test_at_every_entry_there_is_a_trail(case):
    play = disputed(case)
    story = tell(play.driver.rules, "all", [step.body for step in play.steps])
    for length in range(1, len(story.passages) + 1, 7):
        found = trail(msgspec.structs.replace(story, passages=story.passages[:length]), ())
        assert found.seq == length
        assert msgspec.json.encode(found)


def test_the_sample_game_has_no_verdicts():
    assert not trail(tell(Driver(sample, 2).rules, "all", Driver(sample, 2).bodies), ()).judged


# --- Forks --------------------------------------------------------------------------------------------


def test_the_trail_of_a_fork_begins_where_it_goes_on():
    """What was paid and judged before is told at the parent; it came along in one entry, from which nothing is told."""
    log = forks.forked(forks.parent(), 50)
    resumed = next(body.seq for body in log.bodies if type_of(body.action) == "resume")
    carried = next(body for body in log.bodies if body.seq == resumed).events
    assert any(isinstance(event, Paid) for event in carried)
    assert any(isinstance(event, VerdictReached) for event in carried)
    found = trail(tell(log.rules, "all", log.driver.read()))
    assert all(bribe.made > resumed for bribe in found.bribes)
    told = [bribe.decision.seq for bribe in found.bribes if bribe.decision is not None]
    assert all(seq > resumed for seq in told)
    assert found.totals.chips == sum(bribe.paid for bribe in found.bribes)
