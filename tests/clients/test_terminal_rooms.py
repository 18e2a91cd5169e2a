"""Lobby, table and replay at a real server, with the keyboard and the screen of a test."""

import asyncio
import random
from io import StringIO

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from clients.bots import BOTS
from clients.terminal import visits
from clients.terminal.desk import Desk
from clients.terminal.keyboard import Keyboard, Script
from clients.terminal.lines import text_of
from clients.terminal.lobby import Lobby
from clients.terminal.replay import Replay
from clients.terminal.shell import Room, at_table, in_lobby, names_of, teller_for, words_for
from clients.terminal.visits import Visitor
from clients.terminal.words import Words
from comitium_client import Client, NotFound, Summary, random_action
from tests.clients.house import AT_ONCE, house, person, until


def screen():
    file = StringIO()
    return Console(file=file, width=80), file


class Slowly:
    """Lines that come one after the other, so that the table can answer in between."""

    def __init__(self, *lines, seconds=0.02):
        self._lines = Script(*lines)
        self._seconds = seconds

    async def next(self):
        await asyncio.sleep(self._seconds)
        return await self._lines.next()


async def ended(table):
    async for _ in table.follow():
        pass


async def played(served, client, seats=4, game="tribunal", bot="random", **options):
    """A table of house bots that is over."""
    table = await client.create_table(game, seats, sit=False, **options)
    for _ in range(seats):
        await table.sit(bot=bot)
    await ended(table)
    return table


# --- The lobby ----------------------------------------------------------------------------------------


def test_the_lobby_lists_creates_and_leads_to_tables():
    async def work():
        async with house() as served, person(served) as client:
            lobby = Lobby(client, Words("en"))
            assert "no tables yet" in text_of((await lobby.line("tables")).shown)
            assert "tribunal: Tribunal (4-7)" in text_of((await lobby.line("games")).shown)
            made = await lobby.line("new tribunal 4 exile")
            assert made.table is not None
            assert (await client.table(made.table).summary()).options == {"appeal": False, "exile": True}
            listed = text_of((await lobby.line("tables")).shown)
            assert made.table in listed
            assert "waiting for players" in listed
            assert (await lobby.line("bot 1 random")).shown
            assert (await lobby.line("watch 1")).table == made.table
            assert (await lobby.line("sit 1")).table == made.table  # he sits there already
            assert (await lobby.line("quit")).leaves

    asyncio.run(work())


def test_a_table_with_house_bots_in_one_line():
    async def work():
        async with house() as served, person(served) as client:
            made = await Lobby(client, Words("en")).line("new tribunal 5 with tribunal")
            summary = await client.table(made.table).summary()
            assert [holder.bot for holder in summary.seats] == [None, *["tribunal"] * 4]

    asyncio.run(work())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("dance", "is no command"), ("new tribunal", "Like this: new"), ("sit", "Like this: sit"),
        ("watch", "Like this: watch"), ("bot x", "Like this: bot"), ("watch 00-aaaaaaaaaaaaaaaa", ""),
        ("new chess 4", ""), ("new tribunal 99", ""), ("sit nonsense", ""), ("", ""),
    ],
)  # fmt: skip
def test_the_lobby_says_what_is_wrong(line, said):
    async def work():
        async with house() as served, person(served) as client:
            reply = await Lobby(client, Words("en")).line(line)
            assert said in text_of(reply.shown)
            assert reply.table is None
            assert bool(reply.shown) == bool(line)

    asyncio.run(work())


def test_help_in_both_languages():
    async def work():
        async with Client("http://127.0.0.1:9") as client:
            for language in ("en", "ja"):
                shown = text_of((await Lobby(client, Words(language)).line("help")).shown)
                assert "new" in shown
                assert all(len(line) <= 80 for line in shown.splitlines())

    asyncio.run(work())


# --- At a table ---------------------------------------------------------------------------------------


def test_a_game_is_played_from_lobby_to_end_by_typing():
    """End to end: a server, a lobby, a table with bots, and a person who always does the first thing open to him."""

    async def work():
        console, file = screen()
        async with house() as served, person(served, "Otto") as client:
            lines = Slowly("new straws 2 with random", "board", "can", *["1"] * 40, "quit")
            await asyncio.wait_for(in_lobby(client, "en", lines, console), 60)
        shown = file.getvalue()
        assert "Otto (you)" in shown
        assert "It is your turn" in shown
        assert "The table is over" in shown
        assert "Traceback" not in shown

    asyncio.run(work())


class Person:
    """Types what the table waits for, as words; looks at the board now and then."""

    def __init__(self, desk):
        self._desk = desk
        self._rng = random.Random(4)
        self._seen = 0

    async def next(self):
        await until(self._is_asked)
        now, self._seen = self._desk.now, self._desk.now.seq
        if self._rng.random() < 0.2:
            self._seen = 0
            return self._rng.choice(["board", "help", "can", "offers", "promises", "say Hm."])
        action = random_action(now.must, self._rng, now.view["windows"])
        values = [",".join(each) if isinstance(each, list) else str(each).lower() for each in action.values()]
        return " ".join(values)

    async def _is_asked(self):
        return self._desk._now is not None and bool(self._desk.now.must) and self._desk.now.seq > self._seen


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_whole_tribunal_is_played_by_typing(language):
    async def work():
        console, file = screen()
        async with house() as served, person(served, "Otto") as client:
            table = await client.create_table("tribunal", 4)
            words = await words_for(client, language, "tribunal")
            desk = Desk(words, teller_for(words))
            for _ in range(3):
                await table.sit(bot="tribunal")
            await asyncio.wait_for(Room(table, desk, Person(desk), console).stay(), 90)
            assert (await table.summary()).status == "ended"
        shown = file.getvalue()
        assert words.own("story.rises") in shown
        assert all(cell_len(line) <= 80 for line in shown.splitlines())

    asyncio.run(work())


def test_who_watches_reads_to_the_end_in_japanese():
    async def work():
        console, file = screen()
        async with house() as served, person(served) as client, Client(served.url) as watching:
            table = await client.create_table("tribunal", 4, sit=False)
            seen = asyncio.ensure_future(
                at_table(watching, watching.table(table.id), "ja", Script(), console, stays=True)
            )
            for _ in range(4):
                await table.sit(bot="tribunal")
            await asyncio.wait_for(seen, 60)
        shown = file.getvalue()
        assert "閉廷" in shown
        assert "勝" in shown
        assert "テーブルは終わりました" in shown

    asyncio.run(work())


def test_a_table_is_followed_over_a_lost_connection():
    async def work():
        console, file = screen()
        async with house() as served, person(served) as client, Client(served.url) as watching:
            table = await client.create_table("tribunal", 4, sit=False)
            room = at_table(watching, watching.table(table.id), "en", Script(), console, stays=True)
            seen = asyncio.ensure_future(room)
            for _ in range(3):
                await table.sit(bot="random")

            async def three_sit():
                return file.getvalue().count("joins the table") + file.getvalue().count("random-bot") >= 3

            await until(three_sit)
            for stop in tuple(served.site.stopping):
                stop()  # every socket is closed, as when a server goes down
            await table.sit(bot="random")
            await asyncio.wait_for(seen, 60)
        assert "The table is over" in file.getvalue()

    asyncio.run(work())


def test_refusals_are_read_and_nothing_breaks():
    async def work():
        console, file = screen()
        async with house() as served, person(served) as client:
            table = await client.create_table("tribunal", 4)
            lines = Slowly("say hello", "place verdict guilty", "quit", seconds=0.3)
            await asyncio.wait_for(at_table(client, table, "en", lines, console), 30)
        assert 'Livia: "hello"' in file.getvalue()
        assert "not open to you now" in file.getvalue()

    asyncio.run(work())


def test_equal_names_get_their_seats_number():
    seats = [{"seat": n, "player": f"p{n}", "name": name, "bot": None} for n, name in enumerate(("Ann", "bot", "bot"))]
    summary = msgspec.convert({"id": "x", "game": "y", "status": "open", "seq": 1, "head": "", "seats": seats}, Summary)
    assert names_of(summary) == ["Ann", "bot-1", "bot-2"]


def test_the_keyboard_reads_lines_and_their_end():
    async def work():
        keyboard = Keyboard(StringIO("one\ntwo\n"))
        return [await keyboard.next() for _ in range(3)]

    assert asyncio.run(work()) == ["one", "two", None]


# --- Replay -------------------------------------------------------------------------------------------


def test_a_replay_goes_forward_back_and_anywhere():
    async def work():
        async with house() as served, person(served) as client:
            table = await played(served, client, bot="tribunal")
            stepping = Replay(client.table(table.id), await words_for(client, "en", "tribunal"))
            await stepping.open()
            assert stepping.last == (await table.summary()).seq
            assert "[1 of" in text_of((await stepping.line("")).shown)
            assert "[2 of" in text_of((await stepping.line("next")).shown)
            assert "[1 of" in text_of((await stepping.line("b")).shown)
            assert "[1 of" in text_of((await stepping.line("back")).shown)
            middle = text_of((await stepping.line("30")).shown)
            assert "[30 of" in middle
            assert "Iustitia" in middle
            assert "[40 of" in text_of((await stepping.line("+10")).shown)
            assert "[35 of" in text_of((await stepping.line("-5")).shown)
            assert f"[{stepping.last} of" in text_of((await stepping.line("99999")).shown)
            assert "seat 2" in text_of((await stepping.line("what?")).shown)
            assert (await stepping.line("q")).leaves

    asyncio.run(work())


def test_a_replay_shows_the_offers_of_that_moment():
    async def work():
        async with house() as served, person(served) as client:
            table = await played(served, client, seats=5, bot="tribunal")
            stepping = Replay(client.table(table.id), await words_for(client, "en", "tribunal"))
            await stepping.open()
            offered = [e.seq for e in stepping._entries if e.body.action["type"] == "offer"]
            assert f"#{offered[0]}" in text_of(await stepping.step(offered[0]))
            shown = [text_of(each) async for each in stepping.all()]
            assert len(shown) == stepping.last
            assert f"#{offered[0]}" in shown[offered[0] - 1]
            assert "The court rises" in shown[-1]

    asyncio.run(work())


def test_a_replay_with_the_eyes_of_a_seat():
    async def work():
        async with house() as served, person(served) as client:
            table = await played(served, client)
            stepping = Replay(client.table(table.id), await words_for(client, "en", "tribunal"))
            await stepping.open()
            assert "hidden" in text_of(await stepping.step(8))
            seen = text_of((await stepping.line("seat 2")).shown)
            assert stepping.seat == 2
            assert "(you)" in seen
            assert "hidden" in text_of((await stepping.line("seat -")).shown)

    asyncio.run(work())


def test_another_seat_is_not_shown_before_the_end():
    async def work():
        async with house() as served, person(served) as client:
            table = await client.create_table("tribunal", 4)
            stepping = Replay(table, await words_for(client, "en", "tribunal"))
            await stepping.open()
            await stepping.step(1)
            assert (await stepping.line("seat 3")).shown
            assert stepping.seat is None

    asyncio.run(work())


# --- Visits -------------------------------------------------------------------------------------------


def test_a_tables_address_names_server_and_table():
    home = Visitor()
    for address, server in (
        ("http://h:1/v1/tables/00-x", "http://h:1"), ("https://h/tables/00-x", "https://h"),
        ("http://h/base/v1/tables/00-x/view?at=3", "http://h/base"),
    ):  # fmt: skip
        visitor, table = home.at(address)
        assert (visitor.url, table) == (server, "00-x")
    assert home.at("00-x") == (home, "00-x")


def test_a_bot_is_lent_to_a_table_and_plays_to_its_end():
    async def work():
        async with house() as served, person(served) as client:
            table = await client.create_table("tribunal", 4, sit=False)
            for _ in range(3):
                await table.sit(bot="random")
            visitor = Visitor(served.url)
            diary = await visits.lend(visitor, table.id, None, None, BOTS["tribunal"], AT_ONCE, 1)
            assert diary.acted > 0
            with pytest.raises(visits.NoSeat):
                await visits.lend(visitor, table.id, None, None, BOTS["tribunal"], AT_ONCE, 1)
            with pytest.raises(NotFound):
                await visits.lend(visitor, "00-aaaaaaaaaaaaaaaa", None, None, BOTS["tribunal"], AT_ONCE, 1)

    asyncio.run(work())


def test_a_private_table_takes_a_bot_with_an_invite():
    async def work():
        async with house() as served, person(served) as client:
            table = await client.create_table("tribunal", 4, sit=False, visibility="private")
            for _ in range(3):
                await table.sit(bot="random")
            invite = await table.invite(role="play")
            visitor = Visitor(served.url, name="guest")
            diary = await visits.lend(visitor, table.id, None, invite.code, BOTS["random"], AT_ONCE, 1)
            assert diary.acted > 0

    asyncio.run(work())
