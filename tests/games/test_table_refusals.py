"""Every refusal of the table: how one gets it, and what it says to whom, in both languages."""

from collections.abc import Callable
from importlib.resources import files

import pytest
from msgspec.structs import replace

from games import texts
from games.core import Refused
from games.table import actions as act
from games.table import decide as deciding
from games.table.asks import COURSE_MOST, OFFERS_EACH, PROMISES_EACH
from games.table.house import House
from games.table.past import Past
from games.texts import LANGUAGES, Wording
from tests.games import sample, sample_plain
from tests.games.test_table_texts import refusals
from tests.laws.driver import Driver
from tests.laws.forking import Fork
from tests.laws.harbour import NORTH, Harbour, amending, offering

WORDS = texts.load(files("games.table") / "texts.toml")


def free(**house: object) -> Driver:
    return Driver(sample, 3, house=House(**house))


def full() -> Driver:
    table = free()
    for seat in (1, 2):
        table.do(seat, act.Sit(f"p{seat}", None, None))
    return table


def bargained(amount: int = 5) -> Harbour:
    table = Harbour()
    assert table.offer(table.trader, NORTH, amount) == 10
    return table


def accepted() -> Harbour:
    table = bargained()
    table.do(table.warden, act.Accept(10, 1))
    return table


def changed() -> Harbour:
    table = bargained()
    table.do(table.trader, amending(10, 1, NORTH, amount=6))
    return table


def due() -> Harbour:
    table = bargained()
    table.admit("north")
    return table


def full_course() -> Harbour:
    table = Harbour()
    past = table.table.past
    while past is None or past.height < COURSE_MOST:
        past = Past(past, table.table.seq, table.table.course)
    table.table = replace(table.table, past=past)
    return table


def many(action: Callable[[Harbour], object], count: int) -> Harbour:
    table = Harbour()
    for _ in range(count):
        table.do(table.trader, action(table))
    return table


def left() -> Harbour:
    table = Harbour()
    table.do(table.trader, act.Leave())
    return table


def frozen() -> Harbour:
    table = Harbour()
    table.do("server", act.Freeze("rules"))
    return table


def closed() -> Harbour:
    table = Harbour()
    table.do("operator", act.Close("operator"))
    return table


def entropic() -> Driver:
    table = free()
    table.do(0, act.GiveEntropy("ab" * 32))
    return table


def small(table: Harbour) -> object:
    return offering(table.warden, NORTH, 1)


def vow(table: Harbour) -> object:
    return act.Promise(table.warden, "I swear.", None, None)


def trader(action: object) -> Callable[[Harbour], Refused]:
    return lambda table: table.refused(table.trader, action)


def warden(action: object) -> Callable[[Harbour], Refused]:
    return lambda table: table.refused(table.warden, action)


def by(who: int | str, action: object) -> Callable[[Driver], Refused]:
    return lambda table: table.refused(who, action)


def opening(_: None) -> Refused:
    create = act.Create("harbour", 1, 9, {}, House(), "public", "", "p0", sit=True)
    with pytest.raises(Refused) as refusal:
        deciding.create(Driver(sample, 2).rules, create, "t", "00" * 32, 0)
    return refusal.value


def emptied() -> Harbour:
    """Two have left."""
    table = Harbour()
    table.do(0, act.Leave())
    table.do(1, act.Leave())
    return table


OBJECTION = act.Dispute(first=10, reason="Not what was said.")


def disputed() -> Harbour:
    """An offer was made, and somebody wants it struck."""
    table = bargained()
    table.do(table.trader, OBJECTION)
    return table


def decided(uphold: bool) -> Callable[[], Harbour]:
    """The others have voted, and the dispute is over."""

    def make() -> Harbour:
        table = disputed()
        while table.table.status == "disputed":
            table.do(table.table.to_act[0], act.VoteDispute(uphold))
        return table

    return make


def with_bot() -> Driver:
    table = free()
    table.do(1, act.Sit("b1", "random", None))
    return table.fill()


SIT = act.Sit("p9", None, None)
WAYS: dict[str, tuple[Callable[[], object], Callable]] = {
    "already_seated": (free, by(1, act.Sit("p0", None, None))),
    "arbiter_sits_apart": (lambda: free(disputes="arbiter", arbiter="p9"), by(1, SIT)),
    "sat_elsewhere": (emptied, by(1, act.Sit("p0", None, None))),
    "disputed": (disputed, trader(act.Pay(0, 1))),
    "dispute_rejected": (decided(uphold=False), warden(OBJECTION)),
    "no_dispute": (Harbour, trader(act.VoteDispute(True))),
    "no_disputes": (lambda: Harbour(house=House(disputes="off")), trader(OBJECTION)),
    "no_vote": (disputed, trader(act.VoteDispute(True))),
    "not_arbiter": (disputed, warden(act.RuleDispute(True))),
    "not_for_arbiter": (disputed, by("arbiter", act.RuleDispute(True))),
    "not_strikable": (Harbour, trader(act.Dispute(first=1, reason="All of it."))),
    "not_your_dispute": (disputed, warden(act.WithdrawDispute())),
    "people_only": (with_bot, by(1, OBJECTION)),
    "struck_already": (decided(uphold=True), trader(OBJECTION)),
    "too_many_disputes": (lambda: Harbour(house=House(disputes_per_seat=0)), trader(OBJECTION)),
    "ended": (closed, trader(act.Say("Still there?"))),
    "entropy_given": (entropic, by(0, act.GiveEntropy("cd" * 32))),
    "frozen": (frozen, trader(act.Say("Hm."))),
    "no_bargaining": (lambda: Driver(sample_plain, 2).fill(), by(0, act.Pay(1, 1))),
    "no_offers": (Harbour, lambda table: table.refused(table.warden, small(table))),
    "no_such_offer": (Harbour, trader(act.Withdraw(10))),
    "no_such_seat": (free, by(7, SIT)),
    "no_whispers": (Harbour, trader(act.Whisper((0,), "psst"))),
    "not_among_asks": (Harbour, trader(act.Pay(9, 1))),
    "not_now": (Harbour, warden({"type": "unload", "goods": ["figs"]})),
    "not_while_open": (free, by(0, act.Leave())),
    "not_while_playing": (Harbour, by(0, act.Rise())),
    "not_your_offer": (bargained, trader(act.Accept(10, 1))),
    "not_your_seat": (left, trader(act.Say("I am a ghost."))),
    "not_your_turn": (Harbour, trader({"type": "admit", "pier": "north"})),
    "offer_accepted": (accepted, trader(act.Withdraw(10))),
    "offer_changed": (changed, warden(act.Accept(10, 1))),
    "offer_due": (due, trader(act.Withdraw(10))),
    "seat_taken": (Harbour, by(0, SIT)),
    "seats": (lambda: None, opening),
    "no_fork": (full, by("server", act.Resume(()))),
    "not_carried": (
        lambda: Fork(Harbour(), 7).seat_all(),
        by("server", act.Resume(({"type": "asked", "seats": [0]},))),
    ),
    "resumes": (lambda: Fork(Harbour(), 7).seat_all(), by("server", act.Start())),
    "seats_open": (free, by("server", act.Start())),
    "talk_closed": (lambda: Driver(sample, 3).fill(), by(0, act.Say("psst"))),
    "time_left": (lambda: Harbour(house=House(move_seconds=9)), lambda t: t.refused("clock", act.TimeUp(t.warden))),
    "too_few_chips": (lambda: bargained(50), trader(act.Pay(0, 1))),
    "too_many_offers": (lambda: many(small, OFFERS_EACH), lambda table: table.refused(table.trader, small(table))),
    "course_full": (full_course, lambda table: table.refused(table.trader, small(table))),
    "too_many_promises": (lambda: many(vow, PROMISES_EACH), lambda table: table.refused(table.trader, vow(table))),
}


@pytest.mark.parametrize("code", WAYS)
def test_what_a_table_does_not_allow_it_refuses_with_its_code_and_one_sentence_in_each_language(code):
    make, attempt = WAYS[code]
    refusal = attempt(make())
    assert refusal.code == code

    for language in LANGUAGES:
        sentence = Wording("table", language, WORDS[language]).refuse(refusal)
        assert len(sentence) > 10
        assert "{" not in sentence


def test_there_is_a_way_to_every_refusal():
    assert WAYS.keys() == refusals().keys()


@pytest.mark.parametrize("code", WAYS)
def test_a_refused_action_leaves_the_table_as_it_was(code):
    if code == "seats":
        return
    make, attempt = WAYS[code]
    table = make()
    before = table.table
    attempt(table)

    assert table.table is before
    assert table.bodies[-1].seq == before.seq


def test_who_may_not_do_it_in_several_ways_is_told_the_first_that_helps_him():
    table = Harbour()
    other = table.traders[1]

    assert table.refused(table.trader, act.Pay(9, 51)).code == "too_few_chips"
    assert table.refused(table.trader, offering(other, NORTH, 51)).code == "no_offers"
    assert table.refused(table.trader, offering(table.warden, {"type": "unload"}, 5)).params == {"field": "does"}
    assert table.refused(table.trader, offering(table.warden, NORTH, 5, times=99)).params == {"field": "times"}
