"""Talk: open except where a window closes it; whispers where the house allows them; words that can be checked later."""

import pytest

from games.bargaining import Promised
from games.table import actions as act
from games.table.actions import TEXT_LIMIT
from games.table.asks import PROMISES_EACH
from games.table.events import Said, Whispered
from games.table.house import House
from games.table.redact import redact, versions
from tests.games import sample, sample_plain
from tests.laws.driver import Driver
from tests.laws.harbour import NORTH, Harbour

WHISPERS = House(whispers=True)


def silent(house: House | None = None) -> Driver:
    """A table whose window closes talk."""
    return Driver(sample, 4, house=house).fill()


# --- When one may speak -------------------------------------------------------------------------------


def test_all_may_talk_before_the_start():
    table = Driver(sample, 3)
    table.do(0, act.Say("Is anybody coming?"))

    assert table.events == (Said(0, "Is anybody coming?"),)


@pytest.mark.parametrize(
    "action",
    [
        act.Say("psst"),
        act.Whisper((1,), "psst"),
        act.Promise(1, "psst", None, None),
        act.Pay(1, 1),
    ],
)
def test_a_window_closes_talk_and_gifts_and_opens_them_again(action):
    table = silent(WHISPERS)
    assert table.windows()["lay:1"].talk == ()
    assert table.refused(0, action).code == "talk_closed"
    assert not {"say", "whisper", "promise", "pay"} & {ask.type for ask in table.asks(0)}

    for seat, hand in enumerate(table.game.hands):
        table.do(seat, {"type": "lay", "card": hand[0]})

    table.do(0, action)


def test_a_window_may_leave_the_word_to_some():
    table = Harbour(strict=True, house=WHISPERS)
    table.admit("north")

    for seat in (*table.traders, table.deputy):
        assert table.refused(seat, act.Say("But...")).code == "talk_closed"
        assert table.refused(seat, act.Whisper((table.warden,), "But...")).code == "talk_closed"
    table.do(table.warden, act.Say("Silence!"))
    table.do(table.warden, act.Whisper((table.deputy,), "Wait."))


def test_an_announced_decision_neither_closes_nor_opens_talk():
    table = Harbour(strict=True)
    table.admit("north")

    assert table.trader in table.windows()["unload:1"].talk
    assert not table.windows()["unload:1"].open
    assert not table.asks(table.trader, "say")


def test_offers_are_made_and_answered_while_talk_is_closed():
    table = Harbour(strict=True)
    first, second = table.offer(table.trader, NORTH, times=2), table.offer(table.traders[1], NORTH, times=2)
    table.admit("north")

    table.do(table.warden, act.Accept(first, 1))
    table.do(table.traders[1], act.Withdraw(second))
    table.offer(table.trader, {"type": "unload"}, window="unload:1")


def test_a_game_without_windows_closes_no_talk():
    table = Driver(sample_plain, 3).fill()
    for seat in range(3):
        table.do(seat, act.Say("Mine is longer."))


@pytest.mark.parametrize("kind", ["offer", "amend", "withdraw", "accept", "decline", "promise", "pay"])
def test_a_game_without_chips_has_talk_only(kind):
    table = Driver(sample_plain, 3).fill()
    sent = {
        "offer": act.Offer(1, "w", 1, {"type": "keep"}, 1, None),
        "amend": act.Amend(1, 1, 1, {"type": "keep"}, 1, None),
        "withdraw": act.Withdraw(1),
        "accept": act.Accept(1, 1),
        "decline": act.Decline(1, 1),
        "promise": act.Promise(1, "I promise.", None, None),
        "pay": act.Pay(1, 1),
    }[kind]

    assert table.refused(0, sent).code == "no_bargaining"
    assert not table.asks(0, kind)


def test_talk_goes_on_while_it_is_anothers_turn_and_changes_nothing_in_the_game():
    table = Harbour()
    before = table.table.course
    table.do(table.trader, act.Say("North, please."))

    assert table.events == (Said(table.trader, "North, please."),)
    assert table.table.course == before


@pytest.mark.parametrize("text", ["   ", "\n\t"])
def test_a_message_says_something(text):
    assert Harbour().refused(0, act.Say(text)).code == "not_among_asks"


def test_a_message_may_be_as_long_as_the_limit_and_is_kept_as_it_is():
    table = Harbour()
    text = "裁" * TEXT_LIMIT
    table.do(0, act.Say(text))

    assert table.read()[-1].events == (Said(0, text),)


# --- Whispers -----------------------------------------------------------------------------------------


def test_nobody_whispers_unless_the_house_allows_it():
    table = Harbour()

    assert table.refused(0, act.Whisper((1,), "psst")).code == "no_whispers"
    assert not table.asks(0, "whisper")


def test_a_whisper_is_read_by_who_says_it_and_those_it_is_for():
    table = Harbour(house=WHISPERS)
    table.do(0, act.Whisper((1, 3), "psst"))
    told = Whispered(0, (1, 3), "psst")

    read = {audience: redact(table.rules, table.events[0], audience) for audience in (None, 0, 1, 2, 3)}

    assert read == {0: told, 1: told, 3: told, 2: Whispered(0, (1, 3), None), None: Whispered(0, (1, 3), None)}


def test_no_version_but_those_of_its_readers_holds_a_whispers_text():
    table = Harbour(house=WHISPERS)
    table.do(0, act.Whisper((1,), "canary"))

    found = {name for name, body in versions(table.rules, table.bodies[-1], 4).items() if "canary" in repr(body)}

    assert found == {"full", "0", "1"}


def test_the_action_of_a_whisper_is_its_type_alone_to_others_even_to_whom_it_is_for():
    table = Harbour(house=WHISPERS)
    table.do(0, act.Whisper((1,), "psst"))
    found = versions(table.rules, table.bodies[-1], 4)

    assert found["0"].action == act.Whisper((1,), "psst")
    assert found["1"].action == found["public"].action == {"type": "whisper"}


@pytest.mark.parametrize("to", [(), (0,), (4,), (1, 1), (1, 0)])
def test_one_whispers_to_others_who_exist_and_to_each_once(to):
    assert Harbour(house=WHISPERS).refused(0, act.Whisper(to, "psst")).code == "not_among_asks"


# --- Promises -----------------------------------------------------------------------------------------


def test_a_promise_is_recorded_and_binds_nobody():
    table = Harbour()
    table.do(table.warden, act.Promise(table.trader, "You shall have the north.", NORTH, "admit"))
    seq = table.table.seq

    assert table.events == (Promised(seq, table.warden, table.trader, "You shall have the north.", NORTH, "admit"),)
    table.admit("south", "south", "south")
    assert [promise.id for promise in table.table.course.deals.promises] == [seq]


def test_a_promise_may_be_words_alone():
    table = Harbour()
    table.do(table.warden, act.Promise(table.trader, "I shall not forget it.", None, None))

    assert table.table.course.deals.promises[0].does is None


@pytest.mark.parametrize(
    ("does", "kind"),
    [
        (NORTH, None),
        (None, "admit"),
        (NORTH, "unload"),
        ({"type": "hide"}, "unload"),
        (NORTH, "lay"),
        ({"type": "unload", "goods": ["gold"]}, "unload"),
    ],
)
def test_a_promised_deed_fits_a_kind_of_decision_that_is_in_sight(does, kind):
    table = Harbour()

    assert table.refused(table.trader, act.Promise(table.warden, "I swear.", does, kind)).code == "not_among_asks"


def test_nobody_promises_himself_anything():
    assert Harbour().refused(0, act.Promise(0, "I swear.", None, None)).code == "not_among_asks"


def test_the_promised_deeds_list_stands_in_one_order():
    table = Harbour()
    wish = {"type": "unload", "goods": ["wine", "figs"]}
    table.do(table.deputy, act.Promise(table.trader, "Both.", wish, "unload"))

    assert table.events[0].does == {"type": "unload", "goods": ["figs", "wine"]}


def test_a_seat_makes_at_most_so_many_promises_at_a_table():
    table = Harbour()
    for _ in range(PROMISES_EACH):
        table.do(0, act.Promise(1, "Again.", None, None))

    refusal = table.refused(0, act.Promise(1, "Again.", None, None))
    assert (refusal.code, refusal.params) == ("too_many_promises", {"most": PROMISES_EACH})
    assert not table.asks(0, "promise")
    table.do(1, act.Promise(0, "But I can.", None, None))
