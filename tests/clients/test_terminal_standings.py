"""The standings as the client has them and the terminal shows them, of a real server."""

import asyncio

import pytest
from click.testing import CliRunner

import cli
from clients.terminal import standings as shown
from clients.terminal.lines import text_of
from clients.terminal.words import LANGUAGES, Words
from comitium_client import Client, Invalid, PromiseCounts, Standing, Standings
from comitium_client.sync import Client as SyncClient
from tests.clients.house import house


async def played(client, game="straws"):
    """Two tables of house bots that are over."""
    for _ in range(2):
        table = await client.create_table(game, 3, sit=False)
        for _ in range(3):
            await table.sit(bot="random")
        async for _ in table.follow():
            pass


def test_the_client_reads_standings_and_records_page_by_page():
    async def work():
        async with house() as served, Client(served.url) as client:
            await client.register("Livia")
            await played(client)
            await served.site.scorer.done()
            found = await client.standings()
            assert (found.tables, found.pending, found.next) == (2, 0, None)
            (line,) = found.players
            assert (line.rank, line.player, line.name, line.bot, line.games, line.of) == (
                1,
                None,
                "random",
                "random",
                6,
                12,
            )
            assert (line.won, line.promises) == (2, PromiseCounts())
            assert (await client.standings("straws", limit=1)).players == found.players
            assert (await client.standings("straws", cursor="bot:random")).players == ()
            assert (await client.standings(bots=False)).players == ()
            assert (await client.standings("tribunal")).tables == 0
            with pytest.raises(Invalid):
                await client.standings("chess")
            table = await anext(client.tables(game="straws"))
            record = (await client.player(table.seats[0].player)).record
            assert [each.game for each in record.games] == ["straws"]
            assert [each.table for each in record.latest] == [table.id]
            with SyncClient(served.url) as same:
                assert await asyncio.to_thread(same.standings, "straws") == await client.standings("straws")

    asyncio.run(work())


def test_the_command_shows_them():
    async def work():
        async with house() as served, Client(served.url) as client:

            async def call(*words):
                command = ["standings", "--url", served.url, *words]
                return await asyncio.to_thread(CliRunner().invoke, cli.main, command)

            assert "No public table is over yet." in (await call()).output
            await client.register("Livia")
            await played(client)
            await served.site.scorer.done()
            output = (await call("--game", "straws")).output
            assert "random (bot)" in output
            assert "/12" in output
            assert "random（ボット）" in (await call("--language", "ja")).output
            assert "random" not in (await call("--people")).output
            failed = await call("--game", "chess")
            assert failed.exit_code == 1
            assert "chess" in failed.output

    asyncio.run(work())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_line_has_rank_name_and_sums(language):
    lines = (
        Standing(rank=1, player="p1", name="Livia", games=12, won=7, beaten=20, of=31, left=2, promises=PromiseCounts(kept=41, broken=53)),
        Standing(rank=1, player="p2", games=1),
    )  # fmt: skip
    found = Standings(players=lines, tables=17, pending=3)
    text = text_of(shown.standing_lines(Words(language), found), 100)
    first, second, *told = text.splitlines()[1:]
    assert first.split() == ["1", "Livia", "12", "7", "20/31", "2", "41", "53"]
    assert second.split() == ["1", "p2", "1", "0", "0/0", "0", "0", "0"]
    assert "17" in told[0]
    assert "3" in told[-1]


def test_nobody_stands_there_while_all_tables_are_still_to_be_read():
    text = text_of(shown.standing_lines(Words("en"), Standings(players=(), tables=0, pending=5)))
    assert "still to read: 5" in text


def test_where_no_server_is_the_command_says_so():
    done = CliRunner().invoke(cli.main, ["standings", "--url", "http://127.0.0.1:9"])
    assert done.exit_code == 1
    assert "no answer" in done.output
