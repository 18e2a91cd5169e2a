"""Time: how long an action may take, the reserve, and what is played for whom when it is used up."""

import pytest

from games.chance import Scripted
from games.table import actions as act
from games.table import events as happened
from games.table.house import House
from games.table.record import bank_left
from games.table.state import deadline
from tests.games import sample_plain
from tests.laws.driver import Driver
from tests.laws.harbour import Harbour

SECOND = 1000
MOVE, BANK = 60 * SECOND, 100 * SECOND
CLOCK = House(move_seconds=60, bank_seconds=100)


def holder(table: Driver, seat: int):
    return table.table.record.holders[seat]


# --- Running and standing -----------------------------------------------------------------------------


def test_only_the_clocks_of_those_for_whom_the_table_waits_run():
    table = Harbour(house=CLOCK)
    running = [seat for seat in range(4) if deadline(table.table, seat) is not None]

    assert running == [table.warden]
    assert holder(table, table.warden).since == table.at


def test_without_a_limit_nobody_has_a_deadline():
    table = Harbour()

    assert [deadline(table.table, seat) for seat in range(4)] == [None] * 4
    assert table.refused("clock", act.TimeUp(table.warden), at=table.at + 10**12).code == "time_left"


def test_the_deadline_is_the_limit_and_the_whole_reserve_away():
    table = Harbour(house=CLOCK)

    assert deadline(table.table, table.warden) == table.at + MOVE + BANK


def test_without_a_reserve_the_deadline_is_the_limit_away():
    table = Harbour(house=House(move_seconds=60))

    assert deadline(table.table, table.warden) == table.at + MOVE


def test_a_reserve_without_a_limit_is_no_rule_of_a_house():
    with pytest.raises(ValueError, match="move_seconds"):
        House(bank_seconds=100)


def test_who_acts_within_the_limit_keeps_his_reserve():
    table = Harbour(house=CLOCK)
    table.do(table.warden, {"type": "admit", "pier": "north"}, at=table.at + MOVE)

    assert holder(table, table.warden).bank == BANK


def test_what_goes_beyond_the_limit_is_taken_from_the_reserve_and_stays_spent():
    table = Harbour(house=CLOCK)
    warden = table.warden
    table.do(warden, {"type": "admit", "pier": "north"}, at=table.at + MOVE + 30 * SECOND)

    assert holder(table, warden).bank == 70 * SECOND
    assert deadline(table.table, warden) == table.at + MOVE + 70 * SECOND
    table.do(warden, {"type": "admit", "pier": "north"})
    table.do(warden, {"type": "admit", "pier": "north"})
    assert holder(table, warden).bank == 70 * SECOND


def test_what_a_running_turn_has_used_is_told_at_any_time():
    table = Harbour(house=CLOCK)
    seat, now = holder(table, table.warden), table.at

    assert bank_left(CLOCK, seat, now) == BANK
    assert bank_left(CLOCK, seat, now + MOVE) == BANK
    assert bank_left(CLOCK, seat, now + MOVE + 1) == BANK - 1
    assert bank_left(CLOCK, seat, now + MOVE + BANK + 5) == 0
    assert bank_left(CLOCK, holder(table, table.trader), now + 10**9) == BANK


# --- Each action has its time -------------------------------------------------------------------------


def test_each_step_of_a_sequence_has_the_whole_limit():
    table = Harbour(house=House(move_seconds=60))
    warden = table.warden
    table.do(warden, {"type": "admit", "pier": "north"}, at=table.at + 59 * SECOND)

    assert table.events[-1] == happened.Asked((warden,), again=(warden,))
    assert deadline(table.table, warden) == table.at + MOVE


def test_a_late_choice_leaves_the_whole_limit_for_the_next_decision():
    table = Driver(sample_plain, 2, house=House(move_seconds=60)).fill()
    table.do(0, {"type": "keep"}, at=table.at + 59 * SECOND)
    assert deadline(table.table, 1) == table.at + MOVE

    table = Harbour(house=House(move_seconds=60))
    table.admit("north", "north", "north")
    table.unload(["figs"])
    table.do(table.deputy, {"type": "unload", "goods": ["oil"]}, at=table.at + 59 * SECOND)
    assert table.game.phase == "lay"
    assert [deadline(table.table, seat) for seat in range(4)] == [table.at + MOVE] * 4


def test_what_others_do_meanwhile_gives_nobody_more_time():
    table = Driver(Harbour().rules.game, 3, house=House(move_seconds=60)).fill()
    before = [deadline(table.table, seat) for seat in range(3)]
    table.do(0, {"type": "lay", "card": table.game.hands[0][0]})
    table.do(0, act.Abandon(agree=True))

    assert [deadline(table.table, seat) for seat in (1, 2)] == before[1:]


@pytest.mark.parametrize("action", [act.Say("Wait!"), act.Pay(1, 1), {"type": "offer"}, act.Abandon(agree=True)])
def test_nobody_wins_time_by_doing_what_the_table_does_not_wait_for(action):
    table = Harbour(house=CLOCK)
    warden, before = table.warden, deadline(table.table, table.warden)
    if action == {"type": "offer"}:
        table.offer(warden, {"type": "unload"}, window="unload:1")
    else:
        table.do(warden, act.Pay((warden + 1) % 4, 1) if isinstance(action, act.Pay) else action)

    assert deadline(table.table, warden) == before


def test_nobody_wins_time_by_a_move_that_he_need_not_make():
    table = Driver(sample_plain, 3, house=CLOCK).fill()
    before = deadline(table.table, 0)
    table.do(0, {"type": "boast"})

    assert deadline(table.table, 0) == before


def test_nobody_wins_time_by_leaving_and_coming_back():
    table = Harbour(house=CLOCK)
    warden, before = table.warden, deadline(table.table, table.warden)
    table.do(warden, act.Leave())
    table.do(warden, act.Sit("again", None, None))

    assert deadline(table.table, warden) == before


def test_without_clocks_no_entry_speaks_of_them():
    table = Harbour()
    table.admit("north")

    assert not table.happened(happened.Asked)


# --- Time up ------------------------------------------------------------------------------------------


def test_time_is_up_at_the_deadline_and_never_before():
    table = Harbour(house=CLOCK)
    due = deadline(table.table, table.warden)

    assert table.refused("clock", act.TimeUp(table.warden), at=due - 1).code == "time_left"
    table.do("clock", act.TimeUp(table.warden), at=due)
    assert table.events[0] == happened.TimedOut(table.warden, "clock")
    assert holder(table, table.warden).bank == 0


def test_time_up_plays_a_member_of_the_first_ask_by_chance():
    piers = set()
    for pier in ("north", "south"):
        table = Harbour(house=House(move_seconds=60))
        table.do("clock", act.TimeUp(table.warden), at=table.at + MOVE, chance=Scripted(pier))
        assert table.bodies[-1].draw == 1
        piers |= {event.pier for event in table.events if hasattr(event, "pier")}

    assert piers == {"north", "south"}


def test_time_up_draws_lists_and_single_values_alike():
    table = Harbour(house=House(move_seconds=60))
    table.admit("north", "north", "north")
    script = Scripted(2, ("wine", "figs"), 6)
    table.do("clock", act.TimeUp(table.deputy), at=table.at + MOVE, chance=script)

    unloaded = next(event for event in table.events if hasattr(event, "toll"))
    assert (unloaded.goods, unloaded.toll, script.left) == (("wine", "figs"), 6, ())


def test_a_sealed_action_that_chance_plays_stays_hidden():
    table = Driver(Harbour().rules.game, 2, house=House(move_seconds=60)).fill()
    table.do("clock", act.TimeUp(0), at=table.at + MOVE)

    (laid,) = [event for event in table.events if hasattr(event, "card")]
    assert table.rules.game.redact(laid, 1).card is None
    assert "card" not in repr(table.bodies[-1].action)


def test_who_is_late_with_a_sequence_is_not_late_with_all_of_it():
    table = Harbour(house=House(move_seconds=60))
    warden = table.warden
    table.do("clock", act.TimeUp(warden), at=table.at + MOVE)

    assert table.refused("clock", act.TimeUp(warden)).code == "time_left"
    assert deadline(table.table, warden) == table.at + MOVE


def test_time_is_up_only_for_whom_the_table_waits():
    table = Harbour(house=CLOCK)

    assert table.refused("clock", act.TimeUp(table.trader), at=table.at + 10**9).code == "not_your_turn"
    assert table.refused("clock", act.TimeUp(7), at=table.at + 10**9).code == "not_your_turn"


# --- Absent players -----------------------------------------------------------------------------------


def test_where_the_house_says_chance_a_vacant_seat_is_played_at_once():
    table = Harbour(house=House(absent="chance"))
    table.do(table.warden, act.Leave())
    table.do("clock", act.TimeUp(table.warden), at=table.at)

    assert table.events[0] == happened.TimedOut(table.warden, "absent")


def test_where_the_house_says_chance_a_held_seat_still_has_its_time():
    table = Harbour(house=House(absent="chance"))

    assert table.refused("clock", act.TimeUp(table.warden)).code == "time_left"


@pytest.mark.parametrize("absent", ["wait", "bot"])
def test_elsewhere_the_table_waits_for_whoever_takes_the_seat(absent):
    table = Harbour(house=House(absent=absent))
    table.do(table.warden, act.Leave())

    assert table.refused("clock", act.TimeUp(table.warden), at=table.at + 10**12).code == "time_left"


def test_where_there_is_a_limit_it_holds_for_a_vacant_seat_too():
    table = Harbour(house=CLOCK)
    due = deadline(table.table, table.warden)
    table.do(table.warden, act.Leave())

    assert table.refused("clock", act.TimeUp(table.warden), at=due - 1).code == "time_left"
    table.do("clock", act.TimeUp(table.warden), at=due)
    assert table.events[0] == happened.TimedOut(table.warden, "clock")


def test_a_table_whose_players_have_all_left_is_played_to_its_end_by_chance():
    table = Harbour(house=House(absent="chance"))
    for seat in range(4):
        table.do(seat, act.Leave())
    while not table.table.over:
        table.do("clock", act.TimeUp(table.table.course.to_act[0]))

    assert table.table.record.result is not None
