"""Going on from an entry of another table: who comes along, what stays behind, and where that is refused."""

from itertools import pairwise

import msgspec
import pytest

from events import canonical
from games.bargaining import Paid
from games.core import Refused
from games.table import actions as act
from games.table import events as happened
from games.table import resuming
from games.table.events import ForkedFrom
from games.table.house import House
from games.table.redact import versions
from games.table.state import deadline
from tests.games import sample, sample_petition, sample_plain
from tests.laws.driver import Driver
from tests.laws.forking import HEAD, Fork, obstacle
from tests.laws.harbour import NORTH, Harbour

TIMED = House(move_seconds=60, bank_seconds=600)
ENTROPY = "cd" * 32


def types(events):
    return [type(event).__struct_config__.tag for event in events]


# --- What comes along ---------------------------------------------------------------------------------


def test_the_games_own_events_come_along_in_their_order():
    table = Harbour()
    table.admit("north")
    came = resuming.carried(table.rules, table.table)

    opening = ["harbour_opened", *["endowed"] * 4, *["dealt"] * 4]
    assert types(came) == [*opening, *["laid"] * 4, "shown", "admitted"]


def test_talk_offers_and_promises_stay_behind():
    table = Harbour(house=House(whispers=True))
    before = resuming.carried(table.rules, table.table)
    table.do(0, act.Say("Ave!"))
    table.do(0, act.Whisper((1,), "psst"))
    table.offer(table.trader, NORTH)
    table.do(table.warden, act.Promise(table.trader, "North.", NORTH, "admit"))

    assert resuming.carried(table.rules, table.table) == before


def test_chips_in_an_open_offer_are_with_their_payer_again():
    table = Harbour()
    table.offer(table.trader, NORTH, 7)
    assert table.purses[table.trader] == 43
    fork = Fork(table, table.table.seq).resume()

    assert fork.purses == [50] * 4
    assert fork.escrow == [0] * 4


def test_chips_that_were_paid_stay_paid_whatever_they_were_paid_for():
    table = Harbour()
    trader, warden = table.trader, table.warden
    table.offer(trader, NORTH, 7)
    table.do(trader, act.Pay(warden, 3))
    table.admit("north", "north", "north")
    paid = [event for event in resuming.carried(table.rules, table.table) if isinstance(event, Paid)]
    fork = Fork(table, table.table.seq).resume()

    assert paid == [Paid(trader, warden, 3, None, None), Paid(trader, warden, 7, None, None)]
    assert (fork.purses[trader], fork.purses[warden]) == (40, 60)
    assert fork.table.course.deals.offers == ()


def test_what_was_struck_does_not_come_along_and_comes_back_when_the_strike_is_struck():
    table = Harbour()
    seq = table.table.seq
    table.admit("north")
    first = table.table.seq
    agree(table, first)
    struck = table.table.seq
    assert resuming.carried(table.rules, table.table) == resuming.carried(table.rules, table.tables[seq - 1])
    agree(table, struck)

    assert resuming.carried(table.rules, table.table) == resuming.carried(table.rules, table.tables[first - 1])
    assert resuming.carried(table.rules, table.tables[struck - 1])[-1] != resuming.carried(table.rules, table.table)[-1]


def agree(table, first):
    table.do(0, act.Dispute(first=first, reason="A slip."))
    while table.table.status == "disputed":
        table.do(table.table.to_act[0], act.VoteDispute(True))


# --- The resumption -----------------------------------------------------------------------------------


def test_nothing_is_drawn_and_the_entropies_are_those_of_the_new_people():
    table = Harbour()
    fork = Fork(table, table.table.seq)
    fork.do(0, act.GiveEntropy(ENTROPY))
    fork.resume()

    assert fork.bodies[-1].draw is None
    assert fork.table.record.draws == 0
    assert fork.happened(happened.Started) == [happened.Started((ENTROPY, None, None, None))]


def test_clocks_start_with_the_resumption_and_with_a_full_reserve():
    table = Harbour(house=TIMED)
    table.do(table.warden, {"type": "admit", "pier": "north"}, at=table.at + 90_000)
    assert table.table.record.holders[table.warden].bank == 570_000
    fork = Fork(table, table.table.seq).resume()
    holder = fork.table.record.holders[table.warden]

    assert (holder.since, holder.bank) == (fork.at, 600_000)
    assert deadline(fork.table, table.warden) == fork.at + 660_000
    assert fork.table.to_act == (table.warden,)


def test_nobody_reads_in_the_action_what_is_hidden_in_the_events():
    table = Driver(sample, 3).fill()
    fork = Fork(table, table.table.seq).resume()
    found = versions(fork.rules, fork.bodies[-1], 3)

    assert found.keys() == {"full", "public", "0", "1", "2"}
    for name, body in found.items():
        hands = [event.cards for event in body.events if isinstance(event, sample.Dealt)]
        if name == "full":
            assert all(hands)
        else:
            assert body.action == {"type": "resume"}
            assert [seat for seat, cards in enumerate(hands) if cards] == ([] if name == "public" else [int(name)])


def test_a_fork_waits_until_all_have_sat_down():
    table = Harbour()
    fork = Fork(table, table.table.seq)

    assert fork.refused("server", fork.resumption).code == "seats_open"


def test_only_the_server_resumes_once_and_only_a_fork():
    table = Harbour()
    fork = Fork(table, table.table.seq).seat_all()
    for by in (0, "clock", "operator", "arbiter"):
        assert fork.refused(by, fork.resumption).code == "not_your_seat"
    assert fork.refused("server", act.Start()).code == "resumes"
    fork.resume()
    assert fork.refused("server", fork.resumption).code == "not_while_playing"
    plain = Driver(sample, 2)
    plain.do(1, act.Sit("p1", None, None))
    assert plain.refused("server", act.Resume(({"type": "round_opened", "round": 1},))).code == "no_fork"


@pytest.mark.parametrize(
    "event",
    [
        {"type": "no_such_event"},
        {"type": "asked", "seats": [0]},
        {"type": "started", "entropies": []},
        {"type": "paid", "payer": 0, "payee": 1, "amount": 5, "offer": 9, "window": "admit:1"},
        {"type": "paid", "payer": 0, "payee": 1, "amount": "5", "offer": None, "window": None},
        {"type": "offer_ended", "offer": 9, "how": "void", "payer": 0, "payee": 1, "amount": 5},
        {"type": "round_opened", "round": 2, "extra": 1},
    ],
)
def test_only_what_may_come_along_does(event):
    table = Harbour()
    fork = Fork(table, table.table.seq).seat_all()
    wrong = act.Resume((*fork.resumption.events, event))

    assert fork.refused("server", wrong).code == "not_carried"


def test_without_anything_that_comes_along_there_is_nothing_to_resume():
    fork = Fork(Harbour(), 9).seat_all()

    assert fork.refused("server", act.Resume(())).code == "not_carried"


# --- Entry 1 ------------------------------------------------------------------------------------------


def test_entry_1_says_where_a_fork_comes_from_and_an_old_one_says_nothing():
    fork, plain = Fork(Harbour(), 9), Driver(sample, 3)

    assert fork.table.record.forked_from == ForkedFrom("t1", 9, HEAD)
    assert canonical.encode(fork.bodies[0]).count(b'"forked_from":{"head":"ab') == 2
    assert b"forked_from" not in canonical.encode(plain.bodies[0])
    assert b"rematch_of" not in canonical.encode(plain.bodies[0])


def test_entry_1_says_what_a_rematch_is_of():
    fork = Fork(Harbour(), 9, forked_from=None, rematch_of="00-aaaaaaaaaaaaaaaa")
    fork.seat_all().do("server", act.Start())

    assert fork.table.record.rematch_of == "00-aaaaaaaaaaaaaaaa"
    assert fork.table.status == "playing"


# --- Where it cannot be -------------------------------------------------------------------------------


def test_before_the_start_and_after_the_end_there_is_nothing_to_go_on_with():
    table = Harbour()
    table.finish()
    found = [obstacle(table, seq) for seq in range(1, table.table.seq + 1)]

    assert found[:4] == ["not_begun"] * 4
    assert found[-1] == "has_outcome"
    assert set(found[4:-1]) == {None}


def test_a_game_that_was_abandoned_may_go_on_from_its_last_entry():
    table = Harbour()
    table.offer(table.trader, NORTH)
    table.do("operator", act.Close("operator"))

    assert obstacle(table, table.table.seq) is None
    assert Fork(table, table.table.seq).resume().game == table.game


def petition(**options):
    table = Driver(sample_petition, 2, options).fill()
    table.do(0, {"type": "petition", "amount": 5})
    table.do(1, {"type": "answer", "grant": True})
    table.do(0, {"type": "petition", "amount": 3})
    return table


def test_while_an_offer_that_the_game_has_made_waits_for_its_answer_one_cannot_go_on():
    table = petition()
    start = 3
    assert [obstacle(table, seq) for seq in range(start, start + 4)] == [None, "offer_open", None, "offer_open"]


def test_after_its_answer_one_can_and_what_was_paid_is_paid():
    table = petition()
    fork = Fork(table, 5).resume()

    assert fork.game == table.tables[4].course.game
    assert fork.purses == [15, 25]
    for grant in (False,):
        fork.do(0, {"type": "petition", "amount": 15})
        fork.do(1, {"type": "answer", "grant": grant})
    assert fork.table.status == "ended"
    assert fork.table.record.result.scores == (15, 25)


def test_an_offer_of_a_player_beside_it_is_no_obstacle():
    table = Driver(sample_petition, 2).fill()
    offer = {"payee": 1, "window": "petition:1", "amount": 2, "does": sample_petition.GRANT, "times": 1, "never": None}
    table.do(0, {"type": "offer", **offer})

    assert table.escrow == [2, 0]
    assert obstacle(table, table.table.seq) is None
    assert Fork(table, table.table.seq).resume().escrow == [0, 0]


def test_a_state_that_does_not_follow_from_what_comes_along_is_found_out():
    table = petition(counts=True)

    assert [obstacle(table, seq) for seq in (3, 5)] == [None, "not_carried"]


def test_the_entries_that_made_the_open_offers_are_named():
    table = Harbour()
    first = table.offer(table.trader, NORTH)
    second = table.offer(table.traders[1], NORTH)
    table.do(table.trader, act.Withdraw(first))

    assert resuming.offers_made(table.table) == (second,)


# --- Reading ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [sample, sample_plain, sample_petition])
def test_what_comes_along_is_read_as_it_was_written(game):
    table = Driver(game, 2).fill()
    came = resuming.carried(table.rules, table.table)
    written = msgspec.json.decode(canonical.encode(came))

    assert resuming.read(table.rules, written) == came


def test_reading_refuses_what_is_no_event():
    with pytest.raises(Refused):
        resuming.read(Driver(sample, 2).rules, [{"type": 3}])


def test_heads_of_entries_before_the_resumption_do_not_matter_to_the_rules():
    """What the head is good for is another's business: two forks that differ in it alone have the same game."""
    table = Harbour()
    one, other = (Fork(table, table.table.seq, head).resume() for head in (HEAD, "cd" * 32))

    assert all(a.game == b.game for a, b in pairwise([one, other]))
