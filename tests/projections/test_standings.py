"""Standings: what of a table counts, whose it is, and how it adds up."""

from collections import Counter
from itertools import pairwise, permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from games.bargaining import Did, Promised
from games.table import actions as act
from games.table.events import ForkedFrom
from projections.keeping import Given
from projections.promises import record_of, verdicts
from projections.standings import (
    LATEST,
    Counts,
    Played,
    Promises,
    Result,
    Standings,
    Tally,
    Who,
    played,
    ranked,
)
from projections.story import tell
from tests.games import sample_plain
from tests.laws import playing
from tests.laws.cases import every_case
from tests.laws.driver import Driver
from tests.laws.harbour import NORTH, Harbour
from tests.projections.plain_promises import plainly


def story(table, **changed):
    """The story of the table; with some of its record changed at the end."""
    found = tell(table.rules, "all", table.read())
    last = found.passages[-1]
    record = replace(last.after.record, **changed)
    return replace(found, passages=(*found.passages[:-1], replace(last, after=replace(last.after, record=record))))


def straws(seats=3):
    return Driver(sample_plain, seats).fill()


def finish(table):
    while not table.table.over:
        table.do(table.table.to_act[0], {"type": "keep"})
    return table


def holders(found):
    return [result.who and result.who.player for result in found.results]


# --- Ranks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("winners", "scores", "ranks"),
    [
        ((0,), (9, 5, 3), (1, 2, 3)),
        ((0, 2), (9, 5, 9), (1, 3, 1)),
        ((2,), (5, 5, 9, 5), (2, 2, 1, 2)),
        ((1,), (7, 2, 7, 1), (2, 1, 2, 4)),
        ((0, 1), (7, 3, 5), (1, 1, 3)),
        ((), (4, 4, 4), (1, 1, 1)),
        ((), (4, 6, 4), (2, 1, 2)),
        ((0,), (0, -3), (1, 2)),
    ],
)
def test_winners_come_first_whatever_their_scores_and_equals_share_a_rank(winners, scores, ranks):
    assert ranked(winners, scores) == ranks


# --- One table ----------------------------------------------------------------------------------------


def test_a_table_that_is_over_is_reduced_to_what_counts():
    table = finish(straws())
    found = played(story(table))
    ended = table.table.record.result
    assert (found.table, found.game, found.rules, found.options) == (table.table.record.table, "straws", 1, {})
    assert found.ended == table.table.at
    assert holders(found) == ["p0", "p1", "p2"]
    assert tuple(result.score for result in found.results) == ended.scores
    assert [seat for seat, result in enumerate(found.results) if result.won] == list(ended.winners)
    assert sorted(result.beaten for result in found.results) == [0, 1, 2]
    assert (found.promises, found.left) == ((), ())


def test_only_public_tables_with_an_outcome_that_were_played_from_the_beginning_count():
    table = straws()
    assert played(story(table)) is None
    finish(table)
    assert played(story(table)) is not None
    for visibility in ("unlisted", "private"):
        assert played(story(table, visibility=visibility)) is None
    assert played(story(table, forked_from=ForkedFrom("00-x", 4, "00"))) is None
    assert played(story(table, rematch_of="00-x")) is not None
    for status in ("abandoned", "frozen"):
        assert played(story(table, status=status)) is None
    closed = straws()
    closed.do("operator", act.Close("operator"))
    assert played(story(closed)) is None


def test_a_result_belongs_to_who_holds_the_seat_at_the_end():
    table = straws()
    table.do(1, act.Leave())
    table.do(1, act.Sit("heir", None, None))
    found = played(story(finish(table)))
    assert holders(found) == ["p0", "heir", "p2"]
    assert found.left == (Who("p1"),)


def test_who_comes_back_has_not_left():
    table = straws()
    table.do(1, act.Leave())
    table.do(1, act.Sit("p1", None, None))
    found = played(story(finish(table)))
    assert (holders(found), found.left) == (["p0", "p1", "p2"], ())


def test_a_vacant_seat_is_beaten_and_beats_but_is_nobodys():
    table = straws()
    table.do(0, {"type": "keep"})
    table.do(0, act.Leave())
    found = played(story(finish(table)))
    assert holders(found) == [None, "p1", "p2"]
    assert sorted(result.rank for result in found.results) == [1, 2, 3]
    assert found.left == (Who("p0"),)
    standings = Standings()
    standings.note(found)
    rows = {row.player: row.tally for row in standings.table()}
    assert set(rows) == {"p0", "p1", "p2"}
    assert (rows["p0"].games, rows["p0"].left, rows["p0"].of) == (0, 1, 0)
    assert rows["p1"].of == 2


def test_promises_belong_to_who_made_them_whoever_sits_there_later():
    table = Harbour()
    for player in ("p-first", "p-second"):
        table.do(table.warden, act.Leave())
        table.do(table.warden, act.Sit(player, "random" if player == "p-second" else None, None))
        table.do(table.warden, act.Promise(table.trader, "Trust me.", NORTH, "admit"))
    table.admit("north")
    table.do(table.warden, act.Promise(table.trader, "Words.", None, None))
    first, second = (promises for promises in played(story(finished(table))).promises)
    assert first == Promises(Who("p-first"), Counts(kept=1))
    assert second == Promises(Who("p-second", "random"), Counts(kept=1, uncheckable=1))


def finished(table):
    table.finish()
    return table


@every_case
def test_what_counts_of_a_random_game_is_what_its_record_and_the_promises_say(case):
    play = playing.played(case)
    told = tell(play.driver.rules, "all", play.driver.read())
    found, record = played(told), play.driver.table.record
    assert holders(found) == [holder.player for holder in record.holders]
    assert tuple(result.score for result in found.results) == record.result.scores
    best = min(result.rank for result in found.results)
    assert [s for s, result in enumerate(found.results) if result.won] == list(record.result.winners)
    assert all(result.rank == best for result in found.results if result.won)
    kept = verdicts(told)
    assert {each.who.player for each in found.promises} == {each.player for each in kept}
    for each in found.promises:
        own = record_of([promise for promise in kept if promise.player == each.who.player])
        assert Counter(asdict(each.counts)) == own
    assert {who.player for who in found.left} == {player for h in record.holders for player in h.former}


@every_case
def test_promises_are_judged_in_one_pass_as_they_are_one_by_one(case):
    """At every stage of the game, with its disputes."""
    play = playing.played(case)
    bodies = play.driver.read()
    for stop in {len(bodies), *range(7, len(bodies), max(11, len(bodies) // 6))}:
        told = tell(play.driver.rules, "all", bodies[:stop])
        assert [(each.verdict, each.proof) for each in verdicts(told)] == plainly(told)


def judged(table):
    """The verdict on the one promise of the table, by both ways to it."""
    told = tell(table.rules, "all", table.read())
    (plain,), (kept,) = plainly(told), verdicts(told)
    assert plain == (kept.verdict, kept.proof)
    return kept.verdict


def test_a_payment_of_just_the_amount_keeps_the_promise_and_less_does_not():
    table = Harbour()
    does = {"type": "pay", "to": table.warden, "amount": 5}
    table.do(table.trader, act.Promise(table.warden, "Five.", does, None))
    for amount, verdict in ((2, "open"), (2, "open"), (1, "kept")):
        table.do(table.trader, act.Pay(table.warden, amount))
        assert judged(table) == verdict


def test_a_decision_that_is_announced_and_never_came_makes_the_promise_void():
    table = Harbour()
    table.do(table.deputy, act.Promise(table.warden, "Figs.", {"type": "unload"}, "unload"))
    assert judged(table) == "open"
    table.do("operator", act.Close("operator"))
    assert judged(table) == "void"


def test_a_promise_is_about_one_decision_and_the_next_of_its_kind_does_not_keep_it():
    promise = Promised(1, 0, 1, "North.", NORTH, "admit")
    for here, deed in (("admit:1", "kept"), ("admit:2", "open")):
        given_ = Given(1, "livia", promise, None)
        given_.stands({("admit", 0): ("admit:1",)}, 1)
        given_.done(Did(here, "admit", 0, NORTH), 2)
        assert given_.verdict == deed
        given_.stands({("admit", 0): ("admit:2",)}, 3)
        assert given_.verdict == ("kept" if deed == "kept" else "broken")


# --- All tables ---------------------------------------------------------------------------------------


def table(name, scores, *people, winners=None, game="straws", ended=1000, bots=(), **more):
    """A table that counts: with these scores, and these people in its seats."""
    won = winners if winners is not None else [seat for seat, score in enumerate(scores) if score == max(scores)]
    ranks = ranked(won, scores)
    results = tuple(
        Result(Who(who, who.rpartition("-")[2] if who in bots else None), seat in won, score, rank, sum(r > rank for r in ranks))
        for seat, (who, score, rank) in enumerate(zip(people, scores, ranks, strict=True))
    )  # fmt: skip
    return Played(name, game, 1, {}, ended, results, **more)


def standing(*tables):
    found = Standings()
    for each in tables:
        found.note(each)
    return found


def shown(rows):
    return [(row.rank, row.key, row.tally.won, row.tally.beaten, row.tally.of) for row in rows]


def test_the_order_is_most_won_then_most_beaten_then_fewest_others_then_the_id():
    found = standing(
        table("1", (9, 5, 1), "livia", "marcus", "gaius"),
        table("2", (9, 5, 1), "gaius", "marcus", "livia"),
        table("3", (9, 1), "flavia", "publius"),
        table("4", (9, 1), "decimus", "titus"),
        table("5", (9, 9, 1), "aulus", "balbus", "caius"),
    )
    assert shown(found.table()) == [
        (1, "gaius", 1, 2, 4),
        (1, "livia", 1, 2, 4),
        (3, "decimus", 1, 1, 1),
        (3, "flavia", 1, 1, 1),
        (5, "aulus", 1, 1, 2),
        (5, "balbus", 1, 1, 2),
        (7, "marcus", 0, 2, 4),
        (8, "publius", 0, 0, 1),
        (8, "titus", 0, 0, 1),
        (10, "caius", 0, 0, 2),
    ]


def test_a_draw_without_a_winner_is_won_by_nobody():
    found = standing(table("1", (4, 4, 2), "livia", "marcus", "gaius", winners=()))
    assert shown(found.table()) == [(1, "livia", 0, 1, 2), (1, "marcus", 0, 1, 2), (3, "gaius", 0, 0, 2)]


def test_a_table_counts_once_however_often_it_is_noted():
    one = table("1", (9, 5), "livia", "marcus")
    found = standing(one, one, replace(one, ended=5000))
    assert found.tables() == 1
    assert "1" in found
    assert "2" not in found
    assert shown(found.table()) == shown(standing(one).table())
    assert found.of("livia") == standing(one).of("livia")


def test_each_game_has_its_own_standings():
    found = standing(
        table("1", (9, 5), "livia", "marcus"), table("2", (1, 2), "livia", "marcus", game="harbour", ended=2000)
    )
    assert (found.tables(), found.tables("straws"), found.tables("tribunal")) == (2, 1, 0)
    assert shown(found.table("straws")) == [(1, "livia", 1, 1, 1), (2, "marcus", 0, 0, 1)]
    assert shown(found.table("harbour")) == [(1, "marcus", 1, 1, 1), (2, "livia", 0, 0, 1)]
    assert found.table("tribunal") == ()
    assert [(game, tally.won, tally.last) for game, tally in found.of("livia").games] == [
        ("harbour", 0, 2000),
        ("straws", 1, 1000),
    ]


def test_house_bots_of_one_name_are_one_line_and_can_be_left_out():
    bots = ("b1-random", "b2-random", "b3-chancer")
    found = standing(
        table("1", (9, 5, 2), "b1-random", "b2-random", "livia", bots=bots),
        table("2", (9, 5), "b3-chancer", "livia", bots=bots),
    )
    assert shown(found.table()) == [
        (1, "bot:random", 1, 3, 4),
        (2, "bot:chancer", 1, 1, 1),
        (3, "livia", 0, 0, 3),
    ]
    first = found.table()[0]
    assert (first.player, first.bot, first.tally.games) == (None, "random", 2)
    assert shown(found.table(bots=False)) == [(1, "livia", 0, 0, 3)]
    assert found.of("b1-random").games == (("straws", Tally(1, 1, 2, 2, last=1000)),)
    assert found.knows("bot:random")
    assert not found.knows("bot:random", bots=False)
    assert not found.knows("bot:random", "harbour")


def test_promises_of_all_tables_are_added_up():
    given = (Promises(Who("livia"), Counts(kept=2, broken=1)), Promises(Who("gone"), Counts(void=1)))
    more = (Promises(Who("livia"), Counts(kept=1, uncheckable=4)),)
    found = standing(
        table("1", (9, 5), "livia", "marcus", promises=given, left=(Who("gone"),)),
        table("2", (9, 5), "livia", "marcus", promises=more, game="harbour"),
    )
    assert found.of("livia").promises == Counts(kept=3, broken=1, uncheckable=4)
    rows = {row.key: row.tally for row in found.table()}
    assert rows["livia"].promises == Counts(kept=3, broken=1, uncheckable=4)
    assert rows["gone"] == Tally(left=1, promises=Counts(void=1), last=1000)
    assert {row.key: row.tally.promises for row in found.table("harbour")}["livia"] == Counts(kept=1, uncheckable=4)


def test_the_latest_tables_of_a_player_are_kept_the_newest_first():
    tables = [table(f"{n:03}", (n, 50), "livia", "marcus", ended=1000 + n) for n in range(LATEST + 7)]
    Random(1).shuffle(tables)
    latest = standing(*tables).of("livia").latest
    assert [each.table for each in latest] == [f"{n:03}" for n in reversed(range(7, LATEST + 7))]
    newest = latest[0]
    assert (newest.game, newest.seats, newest.seat, newest.score, newest.rank, newest.won) == ("straws", 2, 0, 26, 2, False)  # fmt: skip


def test_of_somebody_who_never_played_there_is_nothing():
    assert standing().of("nobody") == standing(table("1", (1, 2), "livia", "marcus")).of("nobody")
    assert standing().of("nobody").games == standing().of("nobody").latest == ()
    assert standing().table() == ()


def test_pages_follow_each_other_and_nobody_is_left_out_or_comes_twice():
    rng = Random(3)
    people = [f"p{n}" for n in range(40)]
    found = standing(*(table(str(n), rng.sample(range(9), 3), *rng.sample(people, 3)) for n in range(60)))
    everybody, pages, after = found.table(), [], None
    while page := found.table(after=after, limit=7):
        pages, after = [*pages, *page], page[-1].key
    assert tuple(pages) == everybody
    for where in ("straws", "harbour"):
        with pytest.raises(KeyError):
            found.table(where, after="nobody")


PEOPLE = ("livia", "marcus", "gaius", "b1-random", "b2-random")
COUNTS = st.builds(Counts, *[st.integers(0, 3)] * 5)


@st.composite
def tables(draw, name):
    people = draw(st.permutations(PEOPLE))[: draw(st.integers(2, 5))]
    scores = draw(st.lists(st.integers(-2, 3), min_size=len(people), max_size=len(people)))
    winners = draw(st.sets(st.integers(0, len(people) - 1)))
    makers = draw(st.lists(st.sampled_from(PEOPLE[:3]), max_size=3, unique=True))
    return table(
        name, scores, *people, winners=winners, game=draw(st.sampled_from(("straws", "harbour"))),
        ended=draw(st.integers(1, 4)), bots=("b1-random", "b2-random"),
        promises=tuple(Promises(Who(who), draw(COUNTS)) for who in makers),
        left=tuple(Who(who) for who in draw(st.lists(st.just("gone"), max_size=1))),
    )  # fmt: skip


@settings(deadline=None)
@given(st.data())
def test_in_whatever_order_tables_are_noted_the_standings_are_the_same(data):
    some = [data.draw(tables(str(number))) for number in range(data.draw(st.integers(0, 4)))]
    orders = list(permutations(some))
    first = standing(*some)
    for order in (orders[-1], orders[len(orders) // 2], [*reversed(some), *some]):
        other = standing(*order)
        for game in (None, "straws", "harbour"):
            assert other.tables(game) == first.tables(game)
            for bots in (True, False):
                assert other.table(game, bots=bots) == first.table(game, bots=bots)
        for player in (*PEOPLE, "gone"):
            assert other.of(player) == first.of(player)


@settings(deadline=None)
@given(st.data())
def test_the_sums_are_those_of_the_tables_and_ranks_never_fall(data):
    some = [data.draw(tables(str(number))) for number in range(data.draw(st.integers(0, 5)))]
    rows = standing(*some).table()
    results = [result for each in some for result in each.results]
    assert sum(row.tally.games for row in rows) == len(results)
    assert sum(row.tally.won for row in rows) == sum(result.won for result in results)
    assert sum(row.tally.beaten for row in rows) == sum(result.beaten for result in results)
    for number, (one, two) in enumerate(pairwise(rows), 1):
        equal = (one.tally.won, one.tally.beaten, one.tally.of) == (two.tally.won, two.tally.beaten, two.tally.of)
        assert two.rank == (one.rank if equal else number + 1)
    assert [row.rank for row in rows][:1] in ([], [1])
