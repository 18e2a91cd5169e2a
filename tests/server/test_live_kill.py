"""A server that is killed at any moment: what it acknowledged is there when it is back, and nothing is done twice."""

import asyncio
import signal
from random import Random

import httpx
import msgspec
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tests.server.live_process import house
from tests.server.live_support import run, until

DIES = """
import os, signal
from events.sqlite import SqliteStore

append = SqliteStore.append

def append_and_die(self, table, expected, entry, command):
    written = append(self, table, expected, entry, command)
    return die(written) if b"die now" in entry.versions["full"] else written

async def die(written):
    await written
    os.kill(os.getpid(), signal.SIGKILL)

SqliteStore.append = append_and_die
"""
"""A server that dies when an entry is durable, before anybody is told."""


def test_killed_between_write_and_answer_the_entry_is_there_and_the_same_key_gives_its_answer(tmp_path):
    async def body():
        async with house(tmp_path) as server:
            await server.start(DIES)
            table, tokens = await server.table(2)
            path, word = f"/v1/tables/{table}/actions", {"type": "say", "text": "die now"}
            with pytest.raises(httpx.TransportError):
                await server.post(tokens[0], path, word, Idempotency_Key="k")
            assert await server.gone() == -signal.SIGKILL

            await server.start()
            seq = len(await server.log(tokens[0], table))
            again = [await server.post(tokens[0], path, word, Idempotency_Key="k") for _ in range(2)]

            assert [answer.status_code for answer in again] == [201, 201]
            assert [answer.headers["idempotency-replayed"] for answer in again] == ["true", "true"]
            assert again[0].json() == again[1].json()
            log = await server.log(tokens[0], table)
            assert len(log) == seq == again[0].json()["seq"]
            assert [line.text for line in log].count("die now") == 1

    run(body())


async def talk(server, table, token, who, acked, sent):
    """Says one word after the other until the server is gone."""
    url = f"ws://127.0.0.1:{server.port}/v1/tables/{table}/live"
    names = {"Authorization": f"Bearer {token}"}
    async with connect(url, additional_headers=names, compression=None, proxy=None) as link:
        number = 0
        try:
            while True:
                number += 1
                key = f"{who}:{len(sent)}:{number}"
                sent.append((token, key))
                await link.send(msgspec.json.encode(frame_of(key)).decode())
                while (answer := msgspec.json.decode(await link.recv())).get("id") != key:
                    pass
                acked[key] = answer
        except ConnectionClosed:
            return


def frame_of(key):
    return {"id": key, "key": key, "action": {"type": "say", "text": key}}


def test_killed_at_any_moment_every_acknowledged_entry_is_there_and_sending_again_doubles_nothing(tmp_path):
    async def body():
        rng, acked, sent = Random(91), {}, []
        async with house(tmp_path) as server:
            await server.start()
            table, tokens = await server.table(3)
            for _ in range(3):
                talking = [
                    asyncio.create_task(talk(server, table, token, who, acked, sent))
                    for who, token in enumerate(tokens * 2)
                ]
                enough = len(acked) + rng.randint(50, 200)
                await until(lambda enough=enough: len(acked) >= enough)
                await server.kill()
                await asyncio.gather(*talking)
                await server.start()

                log = {line.text: line for line in await server.log(tokens[0], table)}
                for key, answer in acked.items():
                    assert (log[key].seq, log[key].head) == (answer["seq"], answer["head"])
            for token, key in rng.sample(sent, 100):
                action = frame_of(key)["action"]
                again = await server.post(token, f"/v1/tables/{table}/actions", action, Idempotency_Key=key)
                assert again.status_code == 201
                if key in acked:
                    assert again.headers["idempotency-replayed"] == "true"
                    assert (again.json()["seq"], again.json()["head"]) == (acked[key]["seq"], acked[key]["head"])
            said = [line.text for line in await server.log(tokens[0], table) if line.text]
            assert len(set(said)) == len(said)
            assert {*acked} <= {*said} <= {key for _, key in sent}

    run(body())


def test_told_to_stop_the_process_ends_in_order(tmp_path):
    async def body():
        async with house(tmp_path) as server:
            await server.start()
            table, tokens = await server.table(2)
            url = f"ws://127.0.0.1:{server.port}/v1/tables/{table}/live"
            names = {"Authorization": f"Bearer {tokens[0]}"}
            async with connect(url, additional_headers=names, compression=None, proxy=None) as link:
                await link.recv()
                server.process.send_signal(signal.SIGTERM)
                with pytest.raises(ConnectionClosed) as closed:
                    await link.recv()
                assert closed.value.rcvd.code == 1001
            assert await server.gone() in (0, -signal.SIGTERM)
            await server.start()
            assert len(await server.log(tokens[0], table)) == 3

    run(body())
