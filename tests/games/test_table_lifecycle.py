"""From the first entry to the start: opening a table, sitting down, giving entropy, the opening draw."""

import msgspec
import pytest

from games import chance
from games.core import Refused
from games.table import actions as act
from games.table import decide as deciding
from games.table import events as happened
from games.table.house import House
from games.table.redact import redact, versions
from games.table.rules import Rules
from tests.games import sample, sample_plain
from tests.laws.driver import ID, SEED, START, Driver
from tests.laws.harbour import Harbour

ENTROPY = "ab" * 32


def opened(seats: int = 3, options: dict | None = None, *, sit: bool = True) -> deciding.Decision:
    create = act.Create("harbour", 1, seats, options or {}, House(), "private", "Ostia", "livia", sit=sit)
    return deciding.create(Rules(sample), create, ID, SEED, START)


# --- Opening a table ----------------------------------------------------------------------------------


def test_the_first_entry_says_what_is_played_and_seals_the_seed():
    first, seed, seated = opened(3, {"strict": True}).events

    assert first == happened.Created(
        ID,
        "harbour",
        1,
        3,
        {"strict": True, "hidden": False},
        msgspec.to_builtins(House()),
        "private",
        "Ostia",
        "livia",
    )
    assert seed == happened.SeedSealed(SEED, chance.seed_hash(bytes.fromhex(SEED)).hex())
    assert seated == happened.Seated(0, "livia", None)


def test_the_creator_sits_in_the_first_seat_unless_he_does_not_want_to():
    assert opened().table.record.holders[0].player == "livia"
    assert [holder.player for holder in opened(sit=False).table.record.holders] == [None] * 3


def test_who_shall_arbitrate_does_not_sit_down_at_the_table_he_opens():
    house = House(disputes="arbiter", arbiter="livia")
    create = act.Create("harbour", 1, 3, {}, house, "public", "", "livia", sit=True)

    with pytest.raises(Refused, match="arbiter_sits_apart"):
        deciding.create(Rules(sample), create, ID, SEED, START)
    assert deciding.create(Rules(sample), msgspec.structs.replace(create, sit=False), ID, SEED, START).events


@pytest.mark.parametrize("seats", [-1, 0, 1, 5, 100])
def test_a_game_is_not_opened_for_a_number_of_seats_that_it_is_not_for(seats):
    with pytest.raises(Refused) as refusal:
        opened(seats)

    assert (refusal.value.code, refusal.value.params) == ("seats", {"lowest": 2, "highest": 4})


@pytest.mark.parametrize("options", [{"strict": 1}, {"strict": "yes"}, {"strict": None}, {"speed": True}])
def test_a_game_is_not_opened_with_options_that_it_does_not_have(options):
    with pytest.raises(msgspec.ValidationError):
        opened(options=options)


def test_options_that_are_not_given_are_recorded_with_their_defaults():
    assert opened().table.record.options == {"strict": False, "hidden": False}


@pytest.mark.parametrize("audience", [None, 0, 1, 2])
def test_nobody_reads_the_seed_before_the_end(audience):
    table = Driver(sample, 3).fill()
    for body in table.bodies:
        read = versions(table.rules, body, 3)
        version = read.get(str(audience), read.get("public", read["full"]))
        assert SEED not in repr(version)
        assert all(SEED not in repr(redact(table.rules, event, audience)) for event in body.events)


def test_before_the_start_there_is_no_game_and_the_table_waits_for_nobody():
    table = Driver(sample, 3)

    assert (table.table.status, table.game, table.table.course.to_act) == ("open", None, ())
    assert {ask.type for ask in table.asks(0)} == {"say", "abandon"}
    assert table.asks(1) == []


def test_nobody_plays_before_the_start():
    table = Driver(sample, 3)

    for action in ({"type": "lay", "card": 1}, {"type": "leave"}, act.Pay(1, 1)):
        assert table.refused(0, action).code == "not_while_open"


# --- Sitting down and rising --------------------------------------------------------------------------


def sitting(player: str, bot: str | None = None, entropy: str | None = None) -> act.Sit:
    return act.Sit(player, bot, entropy)


def test_players_and_house_bots_take_seats():
    table = Driver(sample, 3)
    table.do(2, sitting("p2"))
    table.do(1, sitting("b1", bot="broker"))

    assert table.events == (happened.Seated(1, "b1", "broker"),)
    assert [(holder.player, holder.bot) for holder in table.table.record.holders] == [
        ("p0", None),
        ("b1", "broker"),
        ("p2", None),
    ]


@pytest.mark.parametrize(
    ("seat", "player", "code"),
    [
        (0, "p1", "seat_taken"),
        (3, "p1", "no_such_seat"),
        (-1, "p1", "no_such_seat"),
        (1, "p0", "already_seated"),
        (1, "judge", "arbiter_sits_apart"),
    ],
)
def test_a_seat_that_cannot_be_taken_is_refused(seat, player, code):
    table = Driver(sample, 3, house=House(disputes="arbiter", arbiter="judge"))

    assert table.refused(seat, sitting(player)).code == code


def test_of_more_players_than_seats_exactly_as_many_sit_as_there_are_seats():
    table = Driver(sample, 4)
    codes = []
    for number in range(1, 11):
        free = next((s for s, holder in enumerate(table.table.record.holders) if holder.player is None), 3)
        try:
            table.do(free, sitting(f"q{number}"))
        except Refused as refusal:
            codes.append(refusal.code)

    assert codes == ["seat_taken"] * 7
    assert [holder.player for holder in table.table.record.holders] == ["p0", "q1", "q2", "q3"]


def test_who_rises_before_the_start_leaves_nothing_behind():
    table = Driver(sample, 3)
    before = table.table.record.holders
    table.do(1, sitting("p1", entropy=ENTROPY))
    table.do(1, act.Abandon(agree=True))
    table.do(1, act.Rise())

    assert table.events == (happened.Risen(1, "p1"),)
    assert table.table.record.holders == before


@pytest.mark.parametrize("action", [act.Rise(), act.GiveEntropy(ENTROPY)])
def test_nobody_rises_from_an_empty_seat_or_gives_entropy_for_it(action):
    table = Driver(sample, 3)

    assert table.refused(1, action).code == "not_your_seat"
    assert table.refused(7, action).code == "no_such_seat"
    assert table.refused(-1, action).code == "no_such_seat"


@pytest.mark.parametrize("action", [act.Rise(), act.GiveEntropy(ENTROPY), act.Start()])
def test_what_belongs_before_the_start_is_refused_after_it(action):
    table = Driver(sample, 3).fill()
    by = "server" if isinstance(action, act.Start) else 1

    assert table.refused(by, action).code == "not_while_playing"


# --- Entropy ------------------------------------------------------------------------------------------


def test_entropy_comes_with_the_seat_or_later_but_once():
    table = Driver(sample, 3)
    table.do(0, act.GiveEntropy(ENTROPY))
    table.do(1, sitting("p1", entropy="cd" * 32))

    assert table.events == (happened.Seated(1, "p1", None), happened.EntropyGiven(1, "cd" * 32))
    assert table.refused(0, act.GiveEntropy("ef" * 32)).code == "entropy_given"
    assert table.refused(1, act.GiveEntropy("ef" * 32)).code == "entropy_given"


@pytest.mark.parametrize("entropy", ["", "ab" * 31, "AB" * 32, "xy" * 32, "ab" * 33])
def test_entropy_is_32_bytes_as_lower_case_hex(entropy):
    table = Driver(sample, 3)
    with pytest.raises(msgspec.ValidationError):
        table.do(0, act.GiveEntropy(entropy))


# --- The start ----------------------------------------------------------------------------------------


def test_a_table_with_an_open_seat_does_not_start():
    assert Driver(sample, 3).refused("server", act.Start()).code == "seats_open"


def test_the_start_records_all_entropies_and_the_game_opens_in_the_same_entry():
    table = Driver(sample, 3)
    table.do(0, act.GiveEntropy(ENTROPY))
    table.do(2, sitting("p2", entropy="cd" * 32))
    table.fill()

    assert table.events[0] == happened.Started((ENTROPY, None, "cd" * 32))
    assert isinstance(table.events[1], sample.HarbourOpened)
    assert table.events[-1] == happened.Asked((0, 1, 2))
    assert table.table.status == "playing"


def test_the_opening_is_drawn_from_the_key_that_seed_table_and_entropies_give():
    table = Driver(sample, 3)
    table.do(1, sitting("p1", entropy=ENTROPY))
    table.fill()
    key = chance.table_key(bytes.fromhex(SEED), ID, [None, ENTROPY, None])

    drawn = sample.open(sample.Options(), 3, chance.Chance(key, 0))

    assert list(table.events[1:-1]) == drawn
    assert (table.bodies[-1].draw, table.table.record.draws) == (0, 1)


def test_another_entropy_gives_another_opening():
    tables = [Driver(sample, 3), Driver(sample, 3)]
    for table, entropy in zip(tables, ("ab" * 32, "cd" * 32), strict=True):
        table.do(1, sitting("p1", entropy=entropy))
        table.fill()

    assert tables[0].game.hands != tables[1].game.hands


def test_only_entries_that_draw_have_a_number_and_talk_shifts_nothing():
    quiet, loud = Harbour(), Harbour()
    loud.do(0, act.Say("Ave!"))
    loud.do(loud.trader, act.Pay(loud.warden, 1))
    for table in (quiet, loud):
        table.admit("north", "south", "north")
        table.unload(["figs"])

    assert [body.draw for body in quiet.bodies if body.draw is not None] == [0, 1]
    assert quiet.happened(sample.Unloaded) == loud.happened(sample.Unloaded)


@pytest.mark.parametrize("game", [sample, sample_plain])
def test_the_start_gives_everybody_clocks_that_run_only_while_the_table_waits(game):
    table = Driver(game, 3).fill()
    waiting = [seat for seat, holder in enumerate(table.table.record.holders) if holder.since is not None]

    assert tuple(waiting) == table.table.course.to_act
