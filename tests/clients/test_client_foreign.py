"""Tables that were brought as archives, with the client: read and checked under the id that they have here."""

import asyncio
import json

import pytest

from comitium_client import ApiProblem, Tampered
from comitium_client.receipts import Receipts
from comitium_client.sync import Client as SyncClient
from comitium_client.witness import Witness
from tests.clients.house import house, person
from tests.projections import logs

ARCHIVE = logs.played().archive()


def test_a_foreign_table_is_read_and_checked_like_any_other():
    async def visit():
        async with house() as served, person(served) as client:
            table = await client.bring_archive(ARCHIVE)
            summary = await table.summary()
            assert (summary.status, summary.foreign.table, summary.foreign.own_key) == ("ended", logs.TABLE, False)
            entries = [entry async for entry in table.log()]
            assert [entry.seq for entry in entries] == list(range(1, summary.seq + 1))
            assert (await table.view(at=7, seat=2))["seq"] == 7
            assert await table.archive() == ARCHIVE
            async with table.follow() as live:
                assert live.over
            with pytest.raises(ApiProblem) as refused:
                await table.act("say", text="Ave!")
            assert refused.value.code == "read_only"

    asyncio.run(visit())


def test_a_bad_file_is_refused_with_its_line():
    async def visit():
        async with house() as served, person(served) as client:
            lines = ARCHIVE.splitlines(keepends=True)
            with pytest.raises(ApiProblem) as refused:
                await client.bring_archive(b"".join(lines[:4] + lines[5:]))
            assert (refused.value.code, refused.value.extensions["line"]) == ("bad_archive", 5)

    asyncio.run(visit())


def test_the_same_without_await():
    async def visit():
        async with house() as served:
            await asyncio.to_thread(_bring, served.url)

    asyncio.run(visit())


def _bring(url):
    with SyncClient(url) as client:
        client.register("Livia")
        table = client.bring_archive(ARCHIVE)
        assert table.archive() == ARCHIVE
        rows = table.bribes("csv").decode().splitlines()
        assert len(rows) == 1 + len(json.loads(table.bribes())["bribes"])


def test_its_entries_must_all_be_of_one_log():
    witness = Witness("ff-" + "a" * 16, Receipts(None), "http://server.test")
    witness.names({"table": logs.TABLE, "seq": 1, "head": "00"}, 1, "00")
    with pytest.raises(Tampered):
        witness.names({"table": "00-" + "b" * 16, "seq": 1, "head": "00"}, 1, "00")
