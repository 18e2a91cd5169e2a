"""Windows: talk and promises are open, binding offers are not; and what a turn is."""

import pytest

from games import witch_trial
from games.core import describes
from games.witch_trial import actions as act
from games.witch_trial import cards
from games.witch_trial import events as happened
from tests.games.test_witch_trial_court import SEATS, Court, motion, trial
from tests.games.test_witch_trial_settlements import Table

every_table = pytest.mark.parametrize("seats", SEATS)
TRICK = motion("trick", cards.Discard("opponent", 1, "choice"))


def moments(seats=3):
    """A court in each kind of decision."""
    yield Court(["lewis", "golf"], lineup=("pet",), seats=seats)
    court = trial(["trick", "pet"], ["note", "pet"], more=(TRICK,), seats=seats)
    yield court
    court.play(0, act.Play("trick"))
    yield court
    court.play(1, act.Allow())
    yield court
    court.play(1, act.Choose("pet"))
    court.play(0, act.Rest())
    yield court
    court.play(0, act.Propose(3))
    yield court


@every_table
def test_everybody_may_talk_at_any_time(seats):
    for court in moments(seats):
        assert court.windows()
        assert all(window.talk == tuple(range(seats)) for window in court.windows().values())


@every_table
def test_nobody_may_make_a_binding_offer(seats):
    for court in moments(seats):
        assert all(window.offers == () for window in court.windows().values())


def test_at_a_table_there_are_gifts_and_promises_but_no_offers():
    table = Table().to_a_trial()

    for seat in range(3):
        kinds = {ask.type for ask in table.asks(seat)}
        assert {"pay", "promise", "say"} <= kinds
        assert "offer" not in kinds


def test_each_decision_is_a_window_of_who_decides():
    found = []
    for court in moments():
        for window in court.windows().values():
            if window.open:
                found.append((window.kind, window.deciders))
                assert court.to_act()

    assert found == [
        ("turn", (0,)), ("plea", (0,)), ("plea", (0,)), ("objection", (1,)), ("plea", (0,)), ("choice", (1,)),
        ("proposal", (0,)), ("proposal", (0,)), ("answer", (1,)),
    ]  # fmt: skip


def test_the_answer_is_announced_while_cards_are_played_and_the_next_plea_while_one_settles():
    announced = [{w.kind: w.deciders for w in court.windows().values() if not w.open} for court in moments()]

    assert announced == [
        {}, {"answer": (1,)}, {"answer": (1,)}, {"answer": (1,)}, {"plea": (1,), "answer": (1,)}, {"plea": (1,)},
    ]  # fmt: skip


def test_whoever_must_act_decides_in_an_open_window_and_his_asks_are_among_its_deeds():
    for court in moments():
        open_ones = [window for window in court.windows().values() if window.open]
        for seat in court.to_act():
            for ask in court.asks(seat):
                sample = {"type": ask.type, **{n: d.one_of[0] for n, d in ask.fields.items() if hasattr(d, "one_of")}}
                sample = {k: v for k, v in sample.items() if k not in ("proposal", "version")}
                assert any(seat in w.deciders and any(describes(sample, d) for d in w.deeds) for w in open_ones), ask


def test_deeds_tell_nothing_of_what_is_hidden():
    one, other = trial(["pet"], ["nonsense"]), trial(["map"], ["note"])

    assert [window.deeds for window in one.windows().values()] == [window.deeds for window in other.windows().values()]


def test_a_plea_stays_one_decision_while_a_motion_is_dealt_with():
    names = [court.windows()["plea"].id for court in moments() if court.trial and court.trial.step != "proposal"]

    assert names == ["plea:1:1"] * 3


def test_no_name_comes_back():
    seen, last = [], ()
    twice = motion("twice", cards.Discard("opponent", 1, "choice"), cards.Discard("opponent", 1, "choice"), copies=2)
    court = trial(["twice", "twice"], ["note", "note", "pet", "map", "nonsense"], more=(twice,))
    steps = [
        (0, act.Play("twice")), (1, act.Allow()), (1, act.Choose("note")), (1, act.Choose("note")),
        (0, act.Play("twice")), (1, act.Object("nonsense")), (0, act.Rest()), (0, act.GoOn()),
        (1, act.Rest()), (1, act.GoOn()), (0, act.Rest()), (0, act.GoOn()), (2, act.Pass()),
    ]  # fmt: skip
    for seat, action in steps:
        now = tuple(window.id for window in court.windows().values())
        seen += [name for name in now if name not in last]
        last = now
        is_last = action == act.GoOn() and court.trial.stage == "closing"
        court.play(seat, action, *((2, 2) if is_last else ()))

    assert len(seen) == len(set(seen))


def test_the_last_trial_names_the_time_until_the_next():
    court = Court(["lewis", "golf"])
    names = [witch_trial.turn(court.state)]
    court.case()
    names.append(witch_trial.turn(court.state))
    court.play(1, act.Defend(0))
    names.append(witch_trial.turn(court.state))
    court.rest().rest().rest()
    names.append(witch_trial.turn(court.state))
    court.fold(happened.Drew(2, 2, ("lewis", "golf")))
    court.play(2, act.Pass())

    assert names == ["trial:0", "trial:0", "trial:1", "trial:1"]
    assert {witch_trial.turn(view) for view in court.views.values()} == {"trial:1"}


def test_when_all_is_over_nothing_is_decided_any_more():
    court = Court().emptied()
    for seat in range(3):
        court.play(seat, act.Pass())

    assert court.windows() == {}
    assert witch_trial.asks(court.state, 0) == ()
