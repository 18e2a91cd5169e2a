"""The bribery trail of trials played by hand: who paid whom for what, whose way it went, and what the deed was worth."""

from typing import Any

import msgspec
import pytest

from games import tribunal
from games.table import actions as act
from games.table.house import House
from projections.story import tell
from projections.trail import Bribe, Trail, trail
from projections.trail.pieces import Decision, Deed, Matter, Moved, Terms
from tests.laws.driver import Driver

GUILTY, INNOCENT = {"type": "place", "pan": "guilty"}, {"type": "place", "pan": "innocent"}
GIVE = {"type": "give"}


class Court(Driver):
    """Tribunal at a table. The cards are passed; `order` is who pleads when once a trial has come so far."""

    def __init__(self, seats: int = 4, *, house: House | None = None, **options: bool) -> None:
        super().__init__(tribunal, seats, options, house)
        self.fill()
        while self.game.phase == "passing":
            self.do(self.game.turn, {"type": "pass_cards", "cards": self.game.hands[self.game.turn][:2]})

    @property
    def order(self) -> tuple[int, ...]:
        return self.game.order

    def colour(self, colour: str = "red") -> "Court":
        self.do(self.game.turn, {"type": "choose_colour", "colour": colour})
        return self

    def vote(self, guilty: int) -> "Court":
        """So many seats vote guilty."""
        for seat in range(len(self.game.hands)):
            self.do(seat, {"type": "vote", "guilty": seat < guilty})
        return self

    def pleading(self, colour: str = "red", guilty: int = 2) -> "Court":
        """On to the pleas."""
        self.colour(colour).vote(guilty)
        self.do(self.game.turn, {"type": "choose_direction", "direction": "clockwise"})
        return self

    def place(self, *pans: str, counter: str = "verdict") -> "Court":
        """Whoever speaks places a counter, step by step: g(uilty) or i(nnocent)."""
        for pan in pans:
            self.do(
                self.game.turn,
                {"type": "place", "counter": counter, "pan": {"g": "guilty", "i": "innocent"}[pan]},
            )
        return self

    def give(self, to: int, counter: str = "verdict") -> "Court":
        self.do(self.game.turn, {"type": "give", "counter": counter, "to": to})
        return self

    def offer(self, payer: int, payee: int, does: dict[str, Any], amount: int = 5, **terms: Any) -> int:
        """An offer to whoever decides or pleads; its id."""
        window = next(window.id for window in self.windows().values() if payee in window.deciders)
        values = {"window": window, "amount": amount, "does": does, "times": 1, "never": None, **terms}
        self.do(payer, {"type": "offer", "payee": payee, **values})
        return self.table.seq

    def amend(self, offer: int, does: dict[str, Any], amount: int = 5, **terms: Any) -> int:
        known = self.offers[offer]
        values = {"version": known.version, "amount": amount, "does": does, "times": 1, "never": None, **terms}
        self.do(known.payer, {"type": "amend", "offer": offer, **values})
        return self.table.seq

    def strike(self, first: int) -> int:
        """All agree that everything from that entry on be struck; the entry that says so."""
        self.do(0, {"type": "dispute", "from": first, "reason": "a slip"})
        for seat in range(1, len(self.game.hands)):
            if self.table.status == "disputed":
                self.do(seat, {"type": "vote_dispute", "uphold": True})
        return self.table.seq

    def trail(self, audience: Any = "all", words: Any = ()) -> Trail:
        bodies = self.bodies
        if audience != "all":
            name = "public" if audience is None else str(audience)
            found = [self.versions(body) for body in bodies]
            bodies = [each.get(name) or each.get("public") or each["full"] for each in found]
        return trail(tell(self.rules, audience, bodies), words)

    def bribe(self, offer: int, words: Any = ()) -> Bribe:
        return next(bribe for bribe in self.trail(words=words).bribes if bribe.id == offer)


# --- One offer, from beginning to end -----------------------------------------------------------------


def test_an_offer_is_told_with_all_that_came_of_it():
    court = Court().pleading(guilty=3)
    first, _, _, chair = court.order
    offer = court.offer(chair, first, GUILTY)
    court.do(first, {"type": "accept", "offer": offer, "version": 1})
    court.place("g")
    placed = court.table.seq
    court.place("g", "i", "i")

    (bribe,) = court.trail().bribes

    assert bribe == Bribe(
        kind="offer", id=offer, turn="trial:1", payer=chair, payee=first, payer_player=f"p{chair}",
        payee_player=f"p{first}", amount=5, versions=(Terms(offer, 5, GUILTY, 1, None),),
        window=Matter(f"plea:1:{first}", "plea"), made=offer, accepted=offer + 1, ended=placed, how="paid", paid=5,
        deeds=(Deed(placed, {**GUILTY, "counter": "verdict"}, wanted=True, forbidden=False),),
        decision=Decision("trial:1", "red", "guilty", court.table.seq), wanted="guilty", way="payer",
        without="undecided", decisive=True, broken=(), struck_by=None,
    )  # fmt: skip


def test_a_bought_counter_that_was_not_needed_is_not_decisive():
    court = Court().pleading()
    offer = court.offer(court.order[1], court.order[0], GUILTY)
    court.place("g", "g", "g", "i")

    bribe = court.bribe(offer)

    assert (bribe.paid, bribe.way, bribe.without, bribe.decisive) == (5, "payer", "guilty", False)


def test_a_bought_counter_may_be_in_vain():
    court = Court().pleading()
    offer = court.offer(court.order[1], court.order[0], INNOCENT)
    court.place("i", "g", "g", "g")

    bribe = court.bribe(offer)

    assert (bribe.how, bribe.way, bribe.wanted) == ("paid", "other", "innocent")
    assert (bribe.decision.verdict, bribe.without, bribe.decisive) == ("guilty", "guilty", False)


def test_equal_pans_go_nobodys_way_and_a_bought_counter_may_have_made_them_equal():
    court = Court().pleading()
    offer = court.offer(court.order[1], court.order[0], INNOCENT)
    court.place("i", "i", "g", "g")

    bribe = court.bribe(offer)

    assert (bribe.way, bribe.decision.verdict, bribe.without, bribe.decisive) == (
        "undecided", "undecided", "guilty", True,
    )  # fmt: skip


def test_the_last_counter_is_judged_in_the_entry_that_places_it():
    court = Court().pleading(guilty=3)
    offer = court.offer(court.order[0], court.order[3], GUILTY)
    court.place("i", "i", "g", "g")

    bribe = court.bribe(offer)

    assert bribe.decision.seq == bribe.ended == bribe.deeds[0].seq == court.table.seq
    assert (bribe.turn, bribe.without, bribe.decisive) == ("trial:1", "undecided", True)


def test_before_the_verdict_nobody_knows_whose_way_it_goes():
    court = Court().pleading()
    offer = court.offer(court.order[1], court.order[0], GUILTY)
    court.place("g")

    bribe = court.bribe(offer)

    assert (bribe.paid, bribe.wanted) == (5, "guilty")
    assert (bribe.decision, bribe.way, bribe.without, bribe.decisive) == (None,) * 4


def test_an_open_offer_has_no_end_yet():
    court = Court().pleading()
    offer = court.offer(court.order[1], court.order[2], GUILTY)

    bribe = court.bribe(offer)

    assert (bribe.how, bribe.ended, bribe.accepted, bribe.paid, bribe.deeds) == (None, None, None, 0, ())


# --- Terms --------------------------------------------------------------------------------------------


def split():
    """The second speaker has two counters and puts one on each pan; what had been offered to him for that."""
    court = Court().pleading()
    first, second, third, chair = court.order
    court.give(second)
    twice = court.offer(third, second, GUILTY, 4, times=2)
    pure = court.offer(chair, second, GUILTY, 3, never=INNOCENT)
    once = court.offer(first, second, GUILTY, 2)
    court.place("g", "i")
    return court, (twice, pure, once)


def test_a_split_plea_is_measured_by_how_often_and_by_what_never():
    court, offers = split()

    twice, pure, once = (court.bribe(offer) for offer in offers)

    assert [(bribe.how, bribe.paid) for bribe in (twice, pure, once)] == [("lapsed", 0), ("lapsed", 0), ("paid", 2)]
    assert [deed.wanted for deed in twice.deeds] == [True, False]
    assert [deed.forbidden for deed in twice.deeds] == [False, False]
    assert [deed.forbidden for deed in pure.deeds] == [False, True]


def test_what_was_done_without_being_paid_is_weighed_as_well():
    court, (twice, *_) = split()
    court.place("g", "i")
    assert court.bribe(twice).decision.verdict == "undecided"

    assert (court.bribe(twice).without, court.bribe(twice).decisive) == ("innocent", True)


def test_only_deeds_after_the_last_version_count_and_every_version_is_told():
    court = Court().pleading()
    first, second, third, _ = court.order
    court.give(second)
    offer = court.offer(third, second, GUILTY, 4, times=2)
    court.place("g")
    amended = court.amend(offer, INNOCENT, 7, never=GUILTY)
    court.place("i")

    bribe = court.bribe(offer)

    assert bribe.versions == (Terms(offer, 4, GUILTY, 2, None), Terms(amended, 7, INNOCENT, 1, GUILTY))
    assert (bribe.amount, bribe.paid, bribe.how) == (7, 7, "paid")
    assert [(deed.seq, deed.wanted, deed.forbidden) for deed in bribe.deeds] == [(amended + 1, True, False)]
    assert bribe.payee == second != first


def test_the_kind_of_counter_may_be_bought():
    court = Court().pleading()
    first, second, _, _ = court.order
    extra = {**GUILTY, "counter": "extra"}
    offer = court.offer(second, first, extra)
    court.place("g", counter="extra").place("i", "g", "i", "i")

    bribe = court.bribe(offer)

    assert [deed.wanted for deed in bribe.deeds] == [True, False]
    assert (bribe.decision.verdict, bribe.way, bribe.without) == ("innocent", "other", "innocent")


def test_a_deed_that_weighs_nothing_has_no_way():
    court = Court().pleading()
    first, second, third, _ = court.order
    offer = court.offer(third, first, GIVE)
    court.give(second).place("g", "g", "g", "g")

    bribe = court.bribe(offer)

    assert (bribe.how, bribe.decision.verdict) == ("paid", "guilty")
    assert (bribe.wanted, bribe.way, bribe.without, bribe.decisive) == (None,) * 4


# --- Ends ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["declined", "withdrawn"])
def test_an_offer_that_is_taken_back_or_refused_is_told_with_what_was_done_nonetheless(how):
    court = Court().pleading()
    offer = court.offer(court.order[1], court.order[0], GUILTY)
    if how == "declined":
        court.do(court.order[0], {"type": "decline", "offer": offer, "version": 1})
    else:
        court.do(court.order[1], {"type": "withdraw", "offer": offer})
    court.place("g", "g", "g", "g")

    bribe = court.bribe(offer)

    assert (bribe.how, bribe.ended, bribe.paid) == (how, offer + 1, 0)
    assert [deed.wanted for deed in bribe.deeds] == [True]
    assert bribe.way == "payer"


def test_an_offer_for_what_is_not_done_lapses():
    court = Court().pleading()
    offer = court.offer(court.order[1], court.order[0], GUILTY)
    court.place("i")

    bribe = court.bribe(offer)

    assert (bribe.how, bribe.ended, bribe.paid) == ("lapsed", offer + 1, 0)
    assert [deed.wanted for deed in bribe.deeds] == [False]
    assert bribe.without is None


def test_an_offer_at_a_table_that_is_given_up_is_void():
    court = Court().pleading()
    offer = court.offer(court.order[1], court.order[0], GUILTY)
    for seat in range(4):
        court.do(seat, act.Abandon(True))

    assert (court.bribe(offer).how, court.bribe(offer).struck_by) == ("void", None)


# --- Other decisions ----------------------------------------------------------------------------------


def test_the_choice_of_a_colour_may_be_bought_and_an_early_verdict_is_its_decision():
    court = Court()
    chair = court.game.turn
    offer = court.offer((chair + 1) % 4, chair, {"type": "choose_colour", "colour": "blue"})
    court.colour("blue").vote(4)

    bribe = court.bribe(offer)

    assert bribe.window == Matter("colour:1", "colour")
    assert (bribe.how, bribe.decision) == ("paid", Decision("trial:1", "blue", "guilty", court.table.seq))
    assert (bribe.wanted, bribe.way, bribe.without, bribe.decisive) == (None,) * 4


def test_an_offer_after_the_verdict_still_belongs_to_its_trial():
    court = Court(exile=True).colour().vote(4)
    chair = court.game.turn
    offer = court.offer((chair + 1) % 4, chair, {"type": "exile", "exile": True})
    court.do(chair, {"type": "exile", "exile": True})

    bribe = court.bribe(offer)

    assert (bribe.turn, bribe.how, bribe.decision.verdict) == ("trial:1", "paid", "guilty")
    assert bribe.decision.seq < bribe.made


def appealed():
    """A colour found innocent is tried again; the pleas are to come."""
    court = Court(appeal=True)
    for colour in ("red", "yellow", "green", "blue"):
        court.colour(colour).vote(0)
    court.do(court.game.turn, {"type": "appeal", "colour": "red"})
    court.vote(2)
    court.do(court.game.turn, {"type": "choose_direction", "direction": "clockwise"})
    return court


def test_on_appeal_equal_pans_are_the_earlier_verdict():
    court = appealed()
    offer = court.offer(court.order[1], court.order[0], INNOCENT)
    court.place("i", "i", "g", "g")

    bribe = court.bribe(offer)

    assert (bribe.turn, bribe.decision.about, bribe.decision.verdict) == ("trial:5", "red", "innocent")
    assert (bribe.way, bribe.without, bribe.decisive) == ("payer", "guilty", True)


def test_on_appeal_without_the_counter_the_earlier_verdict_may_have_stood():
    court = appealed()
    offer = court.offer(court.order[1], court.order[0], GUILTY)
    court.place("g", counter="extra").place("g", "g", "i", "i")

    bribe = court.bribe(offer)

    assert (bribe.decision.verdict, bribe.without, bribe.decisive) == ("guilty", "innocent", True)


# --- Gifts --------------------------------------------------------------------------------------------


def test_a_gift_is_told_with_the_verdict_of_its_trial_and_without_a_way():
    court = Court().pleading()
    first, second, _, _ = court.order
    court.do(second, {"type": "pay", "to": first, "amount": 6})
    gift = court.table.seq
    court.place("g", "g", "g", "g")

    bribe = court.bribe(gift)

    assert (bribe.kind, bribe.payer, bribe.payee, bribe.amount, bribe.paid) == ("gift", second, first, 6, 6)
    assert (bribe.how, bribe.made, bribe.ended) == ("paid", gift, gift)
    assert (bribe.versions, bribe.deeds, bribe.window, bribe.accepted) == ((), (), None, None)
    assert bribe.decision.verdict == "guilty"
    assert (bribe.wanted, bribe.way, bribe.without, bribe.decisive) == (None,) * 4


def test_a_gift_before_the_first_trial_belongs_to_no_verdict():
    early = Driver(tribunal, 4).fill()
    early.do(1, {"type": "pay", "to": 2, "amount": 1})

    (bribe,) = trail(tell(early.rules, "all", early.bodies), ()).bribes

    assert (bribe.turn, bribe.decision) == ("trial:0", None)


# --- Who sat there ------------------------------------------------------------------------------------


def test_the_players_are_those_who_sat_there_then():
    court = Court().pleading()
    first, second, _, _ = court.order
    before = court.offer(second, first, GUILTY, 1)
    court.do(first, act.Leave())
    vacant = court.offer(second, first, GUILTY, 2)
    court.do(first, act.Sit("q9", None, None))
    after = court.offer(second, first, GUILTY, 3)

    found = [court.bribe(offer).payee_player for offer in (before, vacant, after)]

    assert found == [f"p{first}", None, "q9"]
    assert court.bribe(after).payer_player == f"p{second}"


# --- Sums ---------------------------------------------------------------------------------------------


def test_chips_are_summed_by_seat_by_trial_and_by_decision():
    court = Court().pleading()
    first, second, third, chair = court.order
    court.offer(second, first, GUILTY, 5)
    court.do(third, {"type": "pay", "to": first, "amount": 2})
    court.place("g", "g", "g", "g")
    court.do(first, {"type": "pay", "to": chair, "amount": 4})

    totals = court.trail().totals

    assert totals.chips == 11
    assert totals.seats[first] == Moved(first, 4, 7)
    assert totals.seats[second] == Moved(second, 5, 0)
    assert [(turn.turn, turn.chips, [d.verdict for d in turn.decisions]) for turn in totals.turns] == [
        ("trial:0", 0, []), ("trial:1", 7, ["guilty"]), ("trial:2", 4, []),
    ]  # fmt: skip
    assert totals.turns[1].seats[first] == Moved(first, 0, 7)
    assert totals.turns[2].seats[chair] == Moved(chair, 0, 4)


def test_without_any_offer_the_trail_has_its_verdicts_alone():
    found = Court().colour().vote(4).trail()

    assert found.bribes == ()
    assert (found.game, found.seats, found.judged, found.totals.chips) == ("tribunal", 4, True, 0)
    assert [turn.decisions for turn in found.totals.turns][1][0].verdict == "guilty"


def test_before_the_start_there_is_nothing_to_tell():
    driver = Driver(tribunal, 4)

    found = trail(tell(driver.rules, "all", driver.bodies), ())

    assert (found.bribes, found.totals.turns) == ((), ())


def test_the_trail_can_be_written_as_json_and_read_back():
    court, _ = split()

    assert msgspec.json.decode(msgspec.json.encode(court.trail()), type=Trail) == court.trail()


def test_a_reader_of_less_is_told_the_same_where_all_of_it_is_public():
    court, _ = split()
    court.place("g", "i")

    for audience in (None, *range(4)):
        assert court.trail(audience) == court.trail()
