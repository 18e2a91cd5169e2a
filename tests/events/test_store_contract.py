"""What every store promises (`events/store.py`), shown on each of them."""

import asyncio

import pytest

from events.entry import FULL, PUBLIC, Entry
from events.store import Appended, Conflict, Found, Head, Item, Known, Unavailable
from tests.events.conftest import play_in
from tests.events.samples import check_log, command, entries, entry, table

ONE, TWO = table(1), table(2)


async def fill(store, name, count, after=None):
    made = entries(name, count, after)
    for one in made:
        assert await store.append(name, one.seq - 1, one, command(name, one.seq)) == Appended(one.seq)
    return made


# --- exact ---


def test_the_first_append_creates_the_table(play):
    @play
    async def _(store):
        first = entry(ONE, 1)
        assert await store.head(ONE) is None
        assert await store.append(ONE, 0, first, command(ONE, "a")) == Appended(1)
        assert await store.head(ONE) == Head(1, first.head)
        assert await store.read(ONE) == [first]


def test_a_stale_or_early_append_is_told_where_the_table_is_and_writes_nothing(play):
    @play
    async def _(store):
        made = await fill(store, ONE, 3)
        for expected in (0, 1, 2, 4, 9):
            answer = await store.append(ONE, expected, entry(ONE, expected + 1), command(ONE, f"other {expected}"))
            assert answer == Conflict(3)
            assert await store.find(command(ONE, f"other {expected}")) is None
        assert await store.append(TWO, 5, entry(TWO, 6), command(TWO, 6)) == Conflict(0)
        assert await store.read(ONE) == made
        assert await store.head(TWO) is None
        assert len(await store.feed(0)) == 3


def test_of_many_writers_at_once_one_gets_the_seq(play):
    @play
    async def _(store):
        rivals = [store.append(ONE, 0, entry(ONE, 1, note=str(n)), command(ONE, n)) for n in range(30)]
        answers = await asyncio.gather(*rivals)
        assert sorted(map(repr, answers)) == ["Appended(seq=1)"] + ["Conflict(seq=1)"] * 29
        assert len(await store.read(ONE)) == 1


def test_appends_that_follow_one_another_need_not_be_awaited_one_by_one(play):
    @play
    async def _(store):
        made = entries(ONE, 20)
        answers = await asyncio.gather(*(store.append(ONE, e.seq - 1, e, command(ONE, e.seq)) for e in made))
        assert answers == [Appended(e.seq) for e in made]
        assert await store.read(ONE) == made


def test_two_services_that_race_lose_nothing_and_double_nothing(play):
    @play
    async def _(store):
        async def service(name):
            for n in range(40):
                mine = command(ONE, f"{name} {n}")
                answer = None
                while not isinstance(answer, Appended):
                    head = await store.head(ONE) or Head(0, bytes(32))
                    following = entry(ONE, head.seq + 1, head.head, f"{name} {n}")
                    answer = await store.append(ONE, head.seq, following, mine)

        await asyncio.gather(service("left"), service("right"))
        log = await store.read(ONE)
        assert len(log) == 80
        check_log(log)
        assert [item.position for item in await store.feed(0)] == list(range(1, 81))


# --- once ---


def test_a_known_command_is_answered_with_its_seq_whatever_is_expected(play):
    @play
    async def _(store):
        made = await fill(store, ONE, 4)
        for expected in (0, 1, 4, 7):
            again = await store.append(ONE, expected, entry(ONE, expected + 1, note="again"), command(ONE, 2))
            assert again == Known(2)
        assert await store.read(ONE) == made
        assert len(await store.feed(0)) == 4


def test_a_command_sent_twice_in_one_breath_is_appended_once(play):
    @play
    async def _(store):
        first = entry(ONE, 1)
        answers = await asyncio.gather(*(store.append(ONE, 0, first, command(ONE, "a")) for _ in range(5)))
        assert answers == [Appended(1)] + [Known(1)] * 4
        assert await store.read(ONE) == [first]


def test_a_refused_command_may_be_sent_again(play):
    @play
    async def _(store):
        made = await fill(store, ONE, 1)
        late = command(ONE, "late")
        assert await store.append(ONE, 0, entry(ONE, 1), late) == Conflict(1)
        assert await store.append(ONE, 1, entry(ONE, 2, made[0].head), late) == Appended(2)


def test_find_tells_where_a_command_went(play):
    @play
    async def _(store):
        await fill(store, ONE, 3)
        await fill(store, TWO, 2)
        assert await store.find(command(ONE, 3)) == Found(ONE, 3)
        assert await store.find(command(TWO, 1)) == Found(TWO, 1)
        assert await store.find(command(TWO, 3)) is None


def test_commands_whose_ids_begin_alike_are_told_apart(play):
    @play
    async def _(store):
        ids = [bytes(8) + bytes([n]) * 24 for n in range(1, 8)]
        for made, each in zip(entries(ONE, len(ids)), ids, strict=True):
            assert await store.append(ONE, made.seq - 1, made, each) == Appended(made.seq)
        assert [(await store.find(each)).seq for each in ids] == [1, 2, 3, 4, 5, 6, 7]
        assert await store.append(ONE, 0, entry(ONE, 1), ids[4]) == Known(5)
        assert await store.find(bytes(32)) is None


# --- whole, in order, byte for byte ---


def test_every_version_comes_back_as_it_went_in(play):
    @play
    async def _(store):
        made = await fill(store, ONE, 24)
        kept = await store.read(ONE)
        assert kept == made
        assert [list(e.versions) for e in kept] == [list(e.versions) for e in made]
        check_log(kept)


def test_a_table_is_read_in_pages(play):
    @play
    async def _(store):
        made = await fill(store, ONE, 30)
        await fill(store, TWO, 5)
        made += await fill(store, ONE, 30, after=made[-1])
        assert await store.read(ONE, after=10, limit=7) == made[10:17]
        assert await store.read(ONE, after=25, limit=10) == made[25:35]
        assert await store.read(ONE, after=58) == made[58:]
        assert await store.read(ONE, after=60) == []
        assert await store.read(ONE, after=1000) == []
        assert await store.read(ONE, limit=0) == []
        assert await store.read(table(3)) == []


def test_a_long_log_is_read_whole(play):
    @play
    async def _(store):
        made = entries(ONE, 1_200)
        await asyncio.gather(*(store.append(ONE, e.seq - 1, e, command(ONE, e.seq)) for e in made))
        first = await store.read(ONE)
        assert len(first) == 1_000
        assert first + await store.read(ONE, after=1_000) == made
        assert await store.read(ONE, after=3, limit=400) == made[3:403]
        assert [item.seq for item in await store.feed(0, after=100, limit=500)] == list(range(101, 601))


def test_the_feed_has_every_entry_in_the_order_of_the_appends(play):
    @play
    async def _(store):
        assert await store.feed(0) == []
        await fill(store, ONE, 2)
        await fill(store, TWO, 2)
        assert await store.append(ONE, 0, entry(ONE, 1), command(ONE, "stale")) == Conflict(2)
        assert await store.append(ONE, 2, entry(ONE, 3), command(ONE, "third")) == Appended(3)
        feed = [Item(1, ONE, 1), Item(2, ONE, 2), Item(3, TWO, 1), Item(4, TWO, 2), Item(5, ONE, 3)]
        assert await store.feed(0) == feed
        assert await store.feed(0, after=1, limit=3) == feed[1:4]
        assert await store.feed(0, after=5) == []
        assert await store.feed(0, after=99) == []


def test_what_was_appended_is_there_after_opening_again(keeping, tmp_path):
    async def before(store):
        return await fill(store, ONE, 12)

    async def after(store):
        made = await store.read(ONE)
        assert await store.append(ONE, 0, entry(ONE, 1), command(ONE, 7)) == Known(7)
        assert await store.append(ONE, 11, entry(ONE, 12), command(ONE, "new")) == Conflict(12)
        await fill(store, ONE, 12, after=made[-1])
        assert [item.position for item in await store.feed(0)] == list(range(1, 25))
        return made, await store.read(ONE)

    made = play_in(keeping, tmp_path, before)
    first, both = play_in(keeping, tmp_path, after)
    assert first == made
    check_log(both)
    assert len(both) == 24


# --- waiting ---


def test_wait_returns_at_once_when_there_is_something(play):
    @play
    async def _(store):
        await fill(store, ONE, 2)
        await asyncio.wait_for(store.wait(0, after=1, timeout=60), 5)


def test_wait_gives_up(play):
    @play
    async def _(store):
        await fill(store, ONE, 2)
        await store.wait(0, after=2, timeout=0.01)


def test_an_append_wakes_whoever_waits(play):
    @play
    async def _(store):
        waiting = [asyncio.create_task(store.wait(0, after=0, timeout=60)) for _ in range(3)]
        await asyncio.sleep(0)
        await fill(store, ONE, 1)
        await asyncio.wait_for(asyncio.gather(*waiting), 5)
        assert await store.feed(0) == [Item(1, ONE, 1)]


def test_closing_wakes_whoever_waits(play):
    @play
    async def _(store):
        waiting = asyncio.create_task(store.wait(0, after=0, timeout=60))
        await asyncio.sleep(0)
        await store.close()
        await asyncio.wait_for(waiting, 5)


# --- the end ---


def test_closing_first_finishes_what_was_taken_on(play):
    @play
    async def _(store):
        made = entries(ONE, 50)
        answers = [store.append(ONE, e.seq - 1, e, command(ONE, e.seq)) for e in made]
        await store.close()
        assert await asyncio.gather(*answers) == [Appended(e.seq) for e in made]


def test_a_closed_store_takes_nothing_on(play):
    @play
    async def _(store):
        await store.close()
        await store.close()
        with pytest.raises(Unavailable) as told:
            await store.append(ONE, 0, entry(ONE, 1), command(ONE, 1))
        assert told.value.retry_after > 0


def test_a_caller_who_leaves_does_not_take_the_command_back(play):
    @play
    async def _(store):
        async def impatient():
            await store.append(ONE, 0, entry(ONE, 1), command(ONE, 1))

        caller = asyncio.create_task(impatient())
        await asyncio.sleep(0)
        caller.cancel()
        await asyncio.wait([caller])
        assert await store.append(ONE, 0, entry(ONE, 1), command(ONE, 1)) == Known(1)


# --- calls that are wrong in themselves ---

GOOD = entry(ONE, 1)
WRONG = {
    "no table id": ("tribunal", 0, GOOD, command(ONE, 1)),
    "a capital": ("00-ABCDEFGHIJKLMNOP", 0, GOOD, command(ONE, 1)),
    "a line break": (ONE + "\n", 0, GOOD, command(ONE, 1)),
    "too long": (ONE + "0", 0, GOOD, command(ONE, 1)),
    "another lane": ("ff" + ONE[2:], 0, GOOD, command(ONE, 1)),
    "a gap": (ONE, 1, GOOD, command(ONE, 1)),
    "below zero": (ONE, -1, entry(ONE, 0), command(ONE, 1)),
    "a short command": (ONE, 0, GOOD, b"short"),
    "no full version": (ONE, 0, Entry(1, GOOD.salt, {PUBLIC: b"{}"}, GOOD.leaf, GOOD.head), command(ONE, 1)),
    "an odd version": (ONE, 0, Entry(1, GOOD.salt, {FULL: b"{}", "01": b"{}"}, GOOD.leaf, GOOD.head), command(ONE, 1)),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG.keys())
def test_an_impossible_append_is_refused_before_anything_is_written(play, call):
    @play
    async def _(store):
        with pytest.raises(ValueError, match=r"."):
            await store.append(*call)
        assert await store.feed(0) == []
        assert await store.append(ONE, 0, GOOD, command(ONE, 1)) == Appended(1)


def test_ranges_and_lanes_that_are_none_are_refused(play):
    @play
    async def _(store):
        wrong = (
            lambda: store.read(ONE, after=-1),
            lambda: store.read(ONE, limit=-1),
            lambda: store.read("x"),
            lambda: store.head("x"),
            lambda: store.feed(store.lanes),
            lambda: store.feed(-1),
            lambda: store.feed(0, after=-1),
            lambda: store.wait(store.lanes, 0, 0),
        )
        for call in wrong:
            with pytest.raises(ValueError, match=r"."):
                await call()
