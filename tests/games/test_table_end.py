"""How a table goes on without some of its players, and how it ends: by its rules, by consent, by the operator."""

import pytest

from games.table import actions as act
from games.table import events as happened
from games.table.asks import asks
from games.table.house import House
from tests.games import sample
from tests.laws.driver import SEED, Driver, folded
from tests.laws.harbour import Harbour

AFTERWARDS = [
    act.Say("Well played."),
    act.Leave(),
    act.Abandon(agree=True),
    act.Pay(1, 1),
    {"type": "lay", "card": 1},
]


# --- Leaving and taking over --------------------------------------------------------------------------


def test_who_leaves_makes_his_seat_vacant_and_the_table_goes_on_waiting_for_it():
    table = Harbour()
    table.do(table.warden, act.Leave())

    assert table.events == (happened.Left(table.warden, f"p{table.warden}"),)
    assert table.table.status == "playing"
    assert table.table.course.to_act == (table.warden,)


def test_nobody_acts_from_a_vacant_seat():
    table = Harbour()
    table.do(table.warden, act.Leave())

    for action in ({"type": "admit", "pier": "north"}, act.Say("I am a ghost."), act.Leave()):
        assert table.refused(table.warden, action).code == "not_your_seat"


def test_a_vacant_seat_is_still_asked_by_the_game_alone():
    table = Harbour()
    table.do(table.warden, act.Leave())

    assert [ask.type for ask in table.asks(table.warden)] == ["admit", "shut"]


def test_who_takes_a_vacant_seat_over_goes_on_where_it_was():
    table = Harbour()
    offer = table.offer(table.warden, {"type": "unload"}, window="unload:1")
    hand, before = table.game.hands[table.warden], table.asks(table.warden)
    table.do(table.warden, act.Leave())
    table.do(table.warden, act.Sit("heir", None, "ab" * 32))

    assert table.events == (happened.Seated(table.warden, "heir", None),)
    assert table.game.hands[table.warden] == hand
    assert table.asks(table.warden) == before
    table.do(table.warden, act.Withdraw(offer))


def test_who_has_left_a_seat_takes_no_other_for_he_has_seen_its_secrets_but_may_come_back():
    table = Harbour()
    table.do(0, act.Leave())
    table.do(1, act.Leave())

    assert table.refused(1, act.Sit("p0", None, None)).code == "sat_elsewhere"
    table.do(1, act.Sit("heir", None, None))
    table.do(1, act.Leave())
    assert table.refused(0, act.Sit("heir", None, None)).code == "sat_elsewhere"
    table.do(0, act.Sit("p0", None, None))
    assert table.table.record.holders[0].player == "p0"


def test_a_house_bot_may_take_a_vacant_seat():
    table = Harbour(house=House(absent="bot"))
    table.do(0, act.Leave())
    table.do(0, act.Sit("b1", "broker", None))

    assert table.table.record.holders[0].bot == "broker"


def test_a_seat_that_somebody_holds_is_not_taken_in_mid_game():
    assert Harbour().refused(1, act.Sit("heir", None, None)).code == "seat_taken"


def test_where_the_house_says_so_the_table_ends_when_somebody_leaves():
    table = Harbour(house=House(absent="end"))
    offer = table.offer(table.trader, {"type": "shut"})
    table.do(table.traders[1], act.Leave())

    assert [type(event).__name__ for event in table.events] == ["Left", "OfferEnded", "Abandoned", "SeedDisclosed"]
    assert (table.events[1].offer, table.events[1].how) == (offer, "void")
    assert table.events[2] == happened.Abandoned("left")
    assert table.table.status == "abandoned"


# --- Abandoning by consent ----------------------------------------------------------------------------


def test_a_table_is_abandoned_when_all_who_sit_there_agree():
    table = Harbour()
    for seat in (0, 1, 2):
        table.do(seat, act.Abandon(agree=True))
        assert table.events == (happened.AbandonAgreed(seat, agree=True),)
    table.do(3, act.Abandon(agree=True))

    assert table.events[1:] == (happened.Abandoned("agreed"), happened.SeedDisclosed(SEED))
    assert (table.table.status, table.table.course.to_act, table.table.record.result) == ("abandoned", (), None)


def test_consent_can_be_taken_back_and_is_not_given_twice():
    table = Harbour()
    table.do(0, act.Abandon(agree=True))
    assert table.refused(0, act.Abandon(agree=True)).code == "not_among_asks"
    table.do(0, act.Abandon(agree=False))
    for seat in (1, 2, 3):
        table.do(seat, act.Abandon(agree=True))

    assert table.table.status == "playing"


def test_house_bots_are_not_asked_for_consent():
    table = Driver(sample, 3)
    table.do(1, act.Sit("b1", "broker", None))
    table.fill()
    table.do(0, act.Abandon(agree=True))
    table.do(2, act.Abandon(agree=True))

    assert table.table.status == "abandoned"


def test_who_leaves_may_complete_the_consent_of_the_others():
    table = Harbour()
    for seat in (0, 1, 2):
        table.do(seat, act.Abandon(agree=True))
    table.do(3, act.Leave())

    assert table.happened(happened.Abandoned) == [happened.Abandoned("agreed")]


def test_who_rises_before_the_start_may_complete_the_consent_of_the_others():
    table = Driver(sample, 3)
    table.do(1, act.Sit("p1", None, None))
    table.do(0, act.Abandon(agree=True))
    table.do(1, act.Rise())

    assert table.table.status == "abandoned"


def test_an_empty_table_is_not_abandoned_by_itself():
    table = Harbour()
    for seat in range(4):
        table.do(seat, act.Leave())

    assert table.table.status == "playing"


def test_the_consent_of_one_who_left_does_not_count_for_who_takes_over():
    table = Harbour()
    table.do(0, act.Abandon(agree=True))
    table.do(0, act.Leave())
    table.do(0, act.Sit("heir", None, None))
    for seat in (1, 2, 3):
        table.do(seat, act.Abandon(agree=True))

    assert table.table.status == "playing"


# --- Operator and frozen tables -----------------------------------------------------------------------


@pytest.mark.parametrize("by", ["operator", "clock"])
def test_the_operator_and_the_clock_close_a_table(by):
    table = Harbour()
    table.do(by, act.Close("operator"))

    assert table.events == (happened.Abandoned("operator"), happened.SeedDisclosed(SEED))


def test_a_table_can_be_closed_before_its_start():
    table = Driver(sample, 3)
    table.do("operator", act.Close("operator"))

    assert table.table.status == "abandoned"
    assert table.table.record.seed == SEED


@pytest.mark.parametrize(
    ("action", "rightly"),
    [
        (act.Start(), "server"),
        (act.Freeze("rules"), "server"),
        (act.TimeUp(0), "clock"),
        (act.Close("operator"), "operator"),
    ],
)
@pytest.mark.parametrize("by", [0, "arbiter", "server", "clock", "operator"])
def test_what_surrounds_the_game_is_done_by_nobody_but_whose_task_it_is(action, rightly, by):
    if by == rightly or (by == "clock" and isinstance(action, act.Close)):
        return
    table = Driver(sample, 3) if isinstance(action, act.Start) else Harbour()

    assert table.refused(by, action).code == "not_your_seat"


@pytest.mark.parametrize("by", ["server", "clock", "arbiter", "operator"])
def test_who_has_no_seat_does_nothing_that_takes_one(by):
    table = Harbour()

    for action in (act.Say("Ave!"), {"type": "admit", "pier": "north"}, act.Rise(), act.GiveEntropy("ab" * 32)):
        assert table.refused(by, action).code == "not_your_seat"
    assert table.refused(4, act.Say("Ave!")).code == "no_such_seat"


def test_a_frozen_table_stands_still():
    table = Harbour()
    table.do("server", act.Freeze("rules"))

    assert (table.table.status, table.events) == ("frozen", (happened.Frozen("rules"),))
    assert {ask.type for ask in table.asks(table.warden)} == {"abandon", "leave"}
    for action in ({"type": "admit", "pier": "north"}, act.Say("Hm."), act.Pay(1, 1)):
        assert table.refused(table.warden, action).code == "frozen"
    assert table.refused(0, act.Sit("late", None, None)).code == "frozen"
    assert table.refused("clock", act.TimeUp(table.warden), at=table.at + 10**9).code == "frozen"
    assert table.refused("server", act.Freeze("rules")).code == "frozen"


@pytest.mark.parametrize("how", ["operator", "consent"])
def test_a_frozen_table_can_be_abandoned_although_its_rules_answer_nothing_any_more(how):
    table = Harbour()
    table.offer(table.trader, {"type": "shut"})
    table.do("server", act.Freeze("rules"))
    table.rules = Driver(Broken, 2).rules

    if how == "operator":
        table.do("operator", act.Close("operator"))
    else:
        for seat in range(4):
            table.do(seat, act.Abandon(agree=True))

    assert table.table.status == "abandoned"
    assert table.happened(happened.SeedDisclosed)


def test_one_may_leave_a_frozen_table():
    table = Harbour()
    table.do("server", act.Freeze("rules"))
    table.do(1, act.Leave())

    assert table.table.record.holders[1].player is None
    assert table.table.status == "frozen"


class Broken:
    """The sample's names without its rules."""

    name, version, seats = "broken", 1, range(2, 5)
    Options, State, Action, Event = sample.Options, sample.State, sample.Action, sample.Event


# --- The end of the game ------------------------------------------------------------------------------


def test_the_entry_that_ends_the_game_carries_the_result_and_discloses_the_seed():
    table = Harbour()
    table.finish()

    ended, disclosed = table.events[-2:]
    outcome = sample.outcome(table.game)
    assert ended == happened.Ended(outcome.winners, outcome.scores, outcome.why)
    assert disclosed == happened.SeedDisclosed(SEED)
    assert table.table.record.result == ended
    assert table.table.course.to_act == ()


@pytest.mark.parametrize("end", ["game", "operator"])
@pytest.mark.parametrize("action", AFTERWARDS)
def test_after_the_end_everything_is_refused(end, action):
    table = Harbour()
    if end == "game":
        table.finish()
    else:
        table.do("operator", act.Close("operator"))

    assert table.refused(0, action).code == "ended"
    assert all(asks(table.rules, table.table, seat, ()) == () for seat in range(4))


@pytest.mark.parametrize(
    ("by", "action"),
    [
        ("operator", act.Close("operator")),
        ("server", act.Freeze("rules")),
        ("server", act.Start()),
        ("clock", act.TimeUp(0)),
        (0, act.Sit("late", None, None)),
        (0, act.Rise()),
    ],
)
def test_after_the_end_nothing_surrounds_the_game_any_more(by, action):
    table = Harbour()
    table.finish()

    assert table.refused(by, action).code == "ended"


def test_a_whole_game_can_be_read_back_from_its_bytes():
    table = Harbour()
    table.finish()

    assert folded(table.rules, table.read()) == table.table
