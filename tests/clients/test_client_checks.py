"""What the client checks, against a real server: an honest one passes, and one that is made to lie on its way does not."""

import asyncio
import json
import random

import msgspec
import pytest

import server.follow
from comitium_client import Client, LogForked, Retry, Stale, Tampered, random_action
from comitium_client.connector import connect_socket
from tests.clients.house import house, person

QUICK = Retry(attempts=4, base=0.01)


class Lying:
    """A connection whose messages go through `lie`, which may change them."""

    def __init__(self, connector, lie):
        self._connector = connector
        self._lie = lie
        self.send = connector.send
        self.close = connector.close

    async def recv(self):
        message = await self._connector.recv()
        return self._lie(message) if message.strip() else message


def lying(lie):
    async def connect(url, headers, subprotocols):
        return Lying(await connect_socket(url, headers, subprotocols), lie)

    return connect


def another_head(message):
    frame = json.loads(message)
    if "resumed_from" in frame:
        frame["head"] = frame["view"]["head"] = "11" * 32
    return json.dumps(frame)


async def skipping(table, live):
    """Entries come while the session is away: too many for the server to send."""
    await live._drop()
    for text in "abcde":
        await table.act("say", text=text)
    return await anext(live)


@pytest.fixture
def short_memory(monkeypatch):
    monkeypatch.setattr(server.follow, "RESUME_LIMIT", 2)


@pytest.mark.parametrize("lie", [None, another_head])
def test_a_view_that_skips_entries(short_memory, lie):
    async def work():
        async with house() as served, person(served) as livia:
            table = await livia.create_table("harbour", 2)
            connect = connect_socket if lie is None else lying(lie)
            async with (
                Client(served.url, retry=QUICK, connect=connect) as spectator,
                spectator.table(table.id).follow() as live,
            ):
                first = await anext(live)
                if lie is None:
                    update = await skipping(table, live)
                    assert (update.seq, update.resumed_from) == (first.seq + 5, first.seq)
                    return
                with pytest.raises(LogForked, match="The head after entry"):
                    await skipping(table, live)

    asyncio.run(work())


async def play(table, seed):
    rng = random.Random(seed)
    async with table.follow() as live:
        async for _ in live:
            while live.must:
                try:
                    await live.act(random_action(live.must, rng, live.view["windows"]))
                except Stale:
                    break


def test_every_reader_of_an_honest_server_gets_what_he_is_owed():
    async def work():
        async with house() as served, person(served) as livia, person(served, "Gaius") as gaius:
            table = await livia.create_table("harbour", 2)
            other = gaius.table(table.id)
            assert {entry.version async for entry in table.log()} == {"full", "public"}
            await other.sit()
            async with Client(served.url) as spectator:
                watched = spectator.table(table.id)
                seen, *_ = await asyncio.gather(heard(watched), play(table, 1), play(other, 2))
                assert seen == {"full", "public"}
                for reader in (table, other, watched):
                    assert {entry.version async for entry in reader.log()} == {"full"}

    asyncio.run(work())


async def heard(table):
    async with table.follow() as live:
        return {update.entry.version async for update in live if update.entry is not None}


def test_a_seat_that_is_told_what_a_spectator_is_told():
    """The frames of a spectator in the place of its own, entry by entry."""

    async def work():
        async with house() as served, person(served) as livia, person(served, "Gaius") as gaius:
            table = await livia.create_table("harbour", 2)
            public = {}

            def lie(message):
                frame = msgspec.json.decode(message, type=dict[str, msgspec.Raw])
                told = public[bytes(frame["seq"])] if "entry" in frame else {}
                return msgspec.json.encode({**frame, **told})

            await gaius.table(table.id).sit()
            async with Client(served.url) as spectator:
                reply = await spectator._link.rest.get(f"/v1/tables/{table.id}/log")
                raw = msgspec.json.decode(reply.content, type=dict[str, msgspec.Raw])["entries"]
                for fields in msgspec.json.decode(raw, type=list[dict[str, msgspec.Raw]]):
                    public[bytes(fields["seq"])] = fields
            async with Client(served.url, token=token(livia), connect=lying(lie)) as deceived:
                with pytest.raises(Tampered, match="is owed"):
                    async for _ in deceived.table(table.id).follow(after=0):
                        pass

    asyncio.run(work())


def token(client):
    return client._link.http.headers["Authorization"].removeprefix("Bearer ")
