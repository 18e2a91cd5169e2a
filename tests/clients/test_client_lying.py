"""A server that lies, and a client that finds it out: by which error, about which entry, and what is left in its hands.

Each lie of the log goes over every way by which the client reads it. What no client can see is told here, too.
"""

import asyncio
from contextlib import asynccontextmanager

import httpx
import pytest
from msgspec.structs import replace

from comitium_client import (
    Archive,
    Client,
    Evidence,
    ForkedArchive,
    LogForked,
    LogShorter,
    Receipt,
    ReceiptMismatch,
    Session,
    Tampered,
    Unreadable,
    check_evidence,
    compare_receipts,
    evidence_of,
)
from comitium_client.coding import JSON
from events import archive, chain
from events.receipts import SigningKey
from tests.clients import lying
from tests.clients.house import house, person
from tests.clients.lying import Liar, consistent, receipt, signed
from tests.clients.test_client_checks import token

WORDS = 8
LAST = WORDS + 2
"""The last entry: before the words come the opening of the table, and Livia's part in the chance."""

LIED = 5
"""The entry that is lied about: something that was said, so it has one version."""


@asynccontextmanager
async def hall():
    """A table at which much was said: the server, the one who spoke, the table."""
    async with house() as served, person(served) as livia:
        table = await livia.create_table("harbour", 3)
        for number in range(WORDS):
            await table.act("say", text=f"Word {number}")
        yield served, livia, table


# --- Ways to read -------------------------------------------------------------------------------------


async def by_log(client, table, _):
    async for _ in client.table(table).log():
        pass


async def by_pages(client, table, _):
    async for _ in client.table(table).log(limit=1):
        pass


async def by_entry(client, table, _):
    for seq in range(1, LIED + 2):
        await client.table(table).entry(seq)


async def by_socket(client, table, liar):
    live = client.table(table).follow(after=0)
    await live.open()
    while live.seq < LAST:
        await anext(live)
    await live.close()


async def by_stream(client, table, liar):
    """The client follows no streams by itself; their lines are frames, and a session takes them."""
    session = Session(client._link.witness(table), JSON, start=0)
    url = f"{liar.url}/v1/tables/{table}/log?after=0"
    async with (
        httpx.AsyncClient(trust_env=False) as http,
        http.stream("GET", url, headers={"Accept": "application/x-ndjson"}) as answer,
    ):
        async for line in answer.aiter_lines():
            told = liar.told(line) if line else b""
            if told is not None:
                session.receive(told)
            if session.now is not None and session.now.seq == LAST:
                return


WAYS = [by_log, by_pages, by_entry, by_socket, by_stream]
every_way = pytest.mark.parametrize("read", WAYS, ids=lambda way: way.__name__)


@every_way
def test_an_honest_server_is_believed(read):
    async def work():
        async with hall() as (served, _, table):
            liar = Liar(served)
            async with liar.client() as client:
                await read(client, table.id, liar)

    asyncio.run(work())


LIES = [
    lying.altered, lying.releafed, lying.salted, lying.without_a_version, lying.of_another_table, lying.in_another_place,
    lying.with_another_head,
]  # fmt: skip


@every_way
@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_an_entry_that_is_not_what_its_hashes_say(read, lie):
    async def work():
        async with hall() as (served, _, table):
            liar = Liar(served, {LIED: lie})
            async with liar.client() as client:
                with pytest.raises(Tampered) as told:
                    await read(client, table.id, liar)
                assert (told.value.seq, told.value.table) == (LIED, table.id)
                assert told.value.shown.seq == LIED
                await can_be_shown(client, told.value)

    asyncio.run(work())


async def can_be_shown(client, error, kinds=("contradiction", "nothing")):
    """What was kept says the same to somebody else, and nothing that nobody has signed is called signed."""
    await client.keys()
    keys = client.receipts.keys(client._link.server)
    kept = Evidence.from_json(evidence_of(error, keys).to_json())
    assert kept == evidence_of(error, keys)
    found = check_evidence(kept, keys)
    assert found.kind in kinds
    assert found.signed == (found.kind in ("fork", "promise"))


@every_way
def test_another_entry_that_fits_itself_does_not_fit_what_follows(read):
    async def work():
        async with hall() as (served, _, table):
            before = (await table.entry(LIED - 1)).head
            liar = Liar(served, {LIED: consistent(before)})
            async with liar.client() as client:
                with pytest.raises(Tampered) as told:
                    await read(client, table.id, liar)
                assert told.value.seq == LIED + 1

    asyncio.run(work())


@pytest.mark.parametrize("read", [by_log, by_socket, by_stream], ids=lambda way: way.__name__)
def test_an_entry_that_is_left_out(read):
    async def work():
        async with hall() as (served, _, table):
            liar = Liar(served, {LIED: lying.left_out})
            async with liar.client() as client:
                with pytest.raises(Tampered) as told:
                    await read(client, table.id, liar)
                assert told.value.seq == LIED + 1

    asyncio.run(work())


@every_way
def test_who_holds_a_receipt_is_not_shown_another_log(read):
    """However well it all fits together: the last entry that the liar shows has a receipt for another head."""

    async def work():
        async with hall() as (served, livia, table):
            before = (await table.entry(LIED - 1)).head
            liar = Liar(served, {LIED: consistent(before)})
            async with liar.client(token=token(livia), receipts=livia.receipts) as client:
                with pytest.raises(LogForked) as told:
                    await read(client, table.id, liar)
                assert told.value.seq == LIED
                assert told.value.shown.seq == LIED
                await can_be_shown(client, told.value, ("contradiction",))

    asyncio.run(work())


def test_a_log_that_has_lost_what_there_is_a_receipt_for():
    async def work():
        async with hall() as (served, livia, table):
            gone = dict.fromkeys(range(LIED, LAST + 1), lying.left_out)

            def shorter(page):
                return {**page, "seq": LIED - 1, "head": page["entries"][LIED - 2]["head"]}

            liar = Liar(served, gone, {"/log": shorter})
            async with liar.client(token=token(livia), receipts=livia.receipts) as client:
                with pytest.raises(LogShorter) as told:
                    await by_log(client, table.id, liar)
                assert (told.value.seq, told.value.receipts) == (LIED - 1, table.receipts)
                await can_be_shown(client, told.value, ("promise",))

    asyncio.run(work())


# --- Answers and receipts -----------------------------------------------------------------------------


def test_a_receipt_by_another_key():
    async def work():
        async with hall() as (served, livia, table):
            other = SigningKey.generate()

            def lie(fields):
                made = receipt(other, table.id, fields["seq"], fields["head"])
                return {**fields, "receipt": {**made, "key": served.site.key.id}}

            liar = Liar(
                served, others={"/actions": lie, "socket": lambda frame: lie(frame) if "receipt" in frame else frame}
            )
            async with liar.client(token=token(livia)) as client:
                with pytest.raises(ReceiptMismatch, match="not signed") as told:
                    await client.table(table.id).act("say", text="Ave!")
                assert told.value.seq == LAST + 1
                async with client.table(table.id).follow() as live:
                    with pytest.raises(ReceiptMismatch, match="not signed") as told:
                        await live.act("say", text="Salve!")
                assert told.value.seq == LAST + 2
                assert client.receipts.of(served.url, table.id) == ()

    asyncio.run(work())


@pytest.mark.parametrize("field", ["head", "seq", "table"])
def test_a_genuine_receipt_for_something_else(field):
    async def work():
        async with hall() as (served, livia, table):

            def lie(fields):
                other = {"table": table.id, "seq": LAST + 1, "head": fields["head"]}
                other |= {
                    "head": {"head": "22" * 32},
                    "seq": {"seq": LAST + 9},
                    "table": {"table": "00-bbbbbbbbbbbbbbbb"},
                }[field]
                return {**fields, "receipt": receipt(served.site.key, **other)}

            liar = Liar(served, others={"/actions": lie})
            async with liar.client(token=token(livia)) as client:
                with pytest.raises(ReceiptMismatch, match="is for entry") as told:
                    await client.table(table.id).act("say", text="Ave!")
                assert told.value.seq == LAST + 1

    asyncio.run(work())


def test_an_answer_in_another_log_than_the_one_that_was_seen():
    """The receipt is genuine: the server has signed what it should never have signed."""

    async def work():
        async with hall() as (served, livia, table):
            lie = signed(consistent("33" * 32), served.site.key, table.id)
            liar = Liar(served, {LAST + 1: lie})
            async with liar.client(token=token(livia)) as client:
                await client.table(table.id).entry(LAST)
                with pytest.raises(Tampered, match="does not lead from the head") as told:
                    await client.table(table.id).act("say", text="Ave!")
                assert told.value.seq == LAST + 1

    asyncio.run(work())


def test_two_people_who_were_told_different_logs_find_it_out_by_their_receipts():
    async def work():
        async with hall() as (served, livia, table), person(served, "Gaius") as gaius:
            await gaius.table(table.id).sit()
            seq = (await table.summary()).seq + 1
            before = (await table.entry(seq - 1)).head
            liar = Liar(served, {seq: signed(consistent(before), served.site.key, table.id)})
            async with liar.client(token=token(gaius)) as deceived, Client(served.url) as spectator:
                await deceived.table(table.id).act("say", text="Is it so?")  # it all fits together
                theirs = deceived.receipts.of(served.url, table.id)
                seen = Archive(await spectator.table(table.id).archive()).header.receipt
                keys = spectator.receipts.keys(served.url)
                (found,) = compare_receipts(theirs, [seen], keys)
                assert (found.table, found.seq, found.error) == (table.id, seq, "LogForked")
                told = check_evidence(Evidence.from_json(found.to_json()), keys)
                assert (told.kind, told.signed, told.seq) == ("fork", True, seq)
                assert compare_receipts(livia.receipts.of(served.url, table.id), [seen], keys) == ()
                spectator.receipts.keep(served.url, seen)
                with pytest.raises(LogForked) as error:
                    spectator.receipts.keep(served.url, theirs[-1])
                assert check_evidence(evidence_of(error.value, keys)).kind == "fork"

    asyncio.run(work())


def test_evidence_that_somebody_has_made_up_proves_nothing():
    async def work():
        async with hall() as (served, livia, table):
            own = table.receipts[-1]
            forged = SigningKey.generate()
            made = Receipt(**receipt(forged, table.id, own.seq, "44" * 32))
            keys = livia.receipts.keys(served.url)
            with pytest.raises(ReceiptMismatch):
                compare_receipts([own], [made], keys)
            evidence = Evidence(
                table=table.id, seq=own.seq, error="LogForked", sentence="So I say.", receipts=(own, made),
                keys={**keys, forged.id: forged.public.hex()},
            )  # fmt: skip
            assert check_evidence(evidence).kind == "fork", "with the keys that stand in it it seems to hold"
            assert check_evidence(evidence, keys).kind == "promise"
            assert check_evidence(evidence, {}).kind == "nothing"
            with pytest.raises(Unreadable):
                Evidence.from_json(b"{}")

    asyncio.run(work())


# --- Views and archives -------------------------------------------------------------------------------


def test_an_earlier_view_that_names_another_head():
    async def work():
        async with hall() as (served, _, table):

            def lie(view):
                return {**view, "head": "11" * 32} if view["seq"] == LIED else view

            liar = Liar(served, others={"/view": lie})
            async with liar.client() as client:
                await by_log(client, table.id, liar)
                with pytest.raises(LogForked) as told:
                    await client.table(table.id).view(at=LIED)
                assert told.value.seq == LIED

    asyncio.run(work())


@pytest.mark.parametrize("field", [{"seq": LIED + 1}, {"table": "00-aaaaaaaaaaaaaaaa"}])
def test_an_earlier_view_that_is_another_one(field):
    async def work():
        async with hall() as (served, _, table):
            liar = Liar(served, others={"/view": lambda view: {**view, **field}})
            async with liar.client() as client:
                with pytest.raises(Tampered, match="names another") as told:
                    await client.table(table.id).view(at=LIED)
                assert told.value.seq == LIED

    asyncio.run(work())


def test_what_needs_the_rules_is_believed():
    """A client knows no rules: that the state follows from the entries it cannot see. Whoever has them can, from the log."""

    async def work():
        async with hall() as (served, _, table):

            def lie(fields):
                return {**fields, "changed": {**fields["changed"], "promises": ["nobody made this"]}}

            liar = Liar(served, {LIED: lie})
            async with liar.client() as client, client.table(table.id).follow(after=LIED - 1) as live:
                while live.seq < LIED:
                    await anext(live)
                assert live.view["promises"] == ["nobody made this"]

    asyncio.run(work())


@pytest.mark.parametrize("field", [{"seq": LIED - 1}, {"head": "11" * 32}, {"table": "00-aaaaaaaaaaaaaaaa"}])
def test_changes_that_contradict_their_frame(field):
    async def work():
        async with hall() as (served, _, table):
            liar = Liar(served, {LIED: lambda fields: {**fields, "changed": {**fields["changed"], **field}}})
            async with liar.client() as client:
                with pytest.raises(Tampered, match="names another") as told:
                    await by_socket(client, table.id, liar)
                assert told.value.seq == LIED

    asyncio.run(work())


def rewritten(data, key):
    """The archive with another time in entry LIED, and everything after it anew; closed by that key."""
    header, lines = archive.read([data])
    found, head = [], bytes(32)
    for each in lines:
        body = each.body.replace(b'"at":', b'"at":1', 1) if each.seq == LIED else each.body
        line = replace(each, body=body)
        head = chain.advance(head, archive._leaf(header, line))
        found.append(replace(line, head=head))
    closed = archive.close(
        key, header.table, header.audience, header.game, header.rules, header.seats, header.last_seq, head
    )
    return b"".join(archive.write(closed, found))


def test_an_archive_that_is_not_what_was_seen():
    async def work():
        async with hall() as (served, livia, table):
            liar = Liar(served, others={"/archive": lambda data: rewritten(data, served.site.key)})
            async with liar.client() as client:
                data = await client.table(table.id).archive()
                assert Archive(data).check().last_seq == LAST, "to somebody who has seen nothing it is whole"
            async with liar.client() as client:
                await by_log(client, table.id, liar)
                with pytest.raises(ForkedArchive) as told:
                    await client.table(table.id).archive()
                assert (told.value.seq, told.value.line, told.value.reason) == (LIED, LIED + 1, "forked")
            async with liar.client(token=token(livia), receipts=livia.receipts) as client:
                with pytest.raises(ForkedArchive) as told:
                    await client.table(table.id).archive()
                assert told.value.seq == LIED
                with pytest.raises(ForkedArchive):  # and so does anybody to whom both are shown
                    Archive(data, receipts=told.value.receipts, keys=client.receipts.keys(served.url)).check()

    asyncio.run(work())


def test_an_archive_that_somebody_else_has_closed():
    async def work():
        async with hall() as (served, _, table):
            liar = Liar(served, others={"/archive": lambda data: rewritten(data, SigningKey.generate())})
            async with liar.client() as client:
                with pytest.raises(ReceiptMismatch, match="none of those given"):
                    await client.table(table.id).archive()

    asyncio.run(work())


def test_an_archive_that_is_shorter_than_what_was_promised():
    async def work():
        async with hall() as (served, livia, table):
            early = await table.archive()
            await table.act("say", text="One more.")
            liar = Liar(served, others={"/archive": lambda _: early})
            async with liar.client(token=token(livia), receipts=livia.receipts) as client:
                with pytest.raises(LogShorter) as told:
                    await client.table(table.id).archive()
                assert told.value.seq == LAST

    asyncio.run(work())


def test_the_archive_of_another_table():
    async def work():
        async with hall() as (served, livia, table):
            other = await (await livia.create_table("harbour", 2)).archive()
            liar = Liar(served, others={"/archive": lambda _: other})
            async with liar.client() as client:
                with pytest.raises(Tampered, match="another table"):
                    await client.table(table.id).archive()

    asyncio.run(work())
