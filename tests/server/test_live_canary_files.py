"""A server in a process of its own: what it writes, to its log and to files beside the store, holds no secret."""

import re
from pathlib import Path
from random import Random

import pytest

from comitium_client import random_action
from comitium_client.asks import read_asks
from events.chain import derive
from events.sqlite import SqliteStore
from games.chance import table_key
from tests.server.live_process import house
from tests.server.live_support import run
from tests.server.live_support import said as body_of

TO_A_FILE = "import sys; sys.stdout = sys.stderr = open('service.log', 'w', buffering=1); "


async def play(home, table, tokens, rng):
    """On to the end: who must do something does it, and whispers and errs before. What was whispered."""
    path, whispers = f"/v1/tables/{table}", []
    while (line := (await home.http.get(path)).json())["status"] == "playing":
        seat = line["to_act"][0]
        headers = {"Authorization": f"Bearer {tokens[seat]}"}
        view = (await home.http.get(f"{path}/view", headers=headers)).json()
        asks = read_asks((await home.http.get(f"{path}/asks", headers=headers)).json()["asks"])
        action = random_action(tuple(ask for ask in asks if ask.must), rng, view["windows"])
        whisper = {"type": "whisper", "to": [(seat + 1) % len(tokens)], "text": f"between-us-{rng.randbytes(8).hex()}"}
        for sent in (whisper, {**action, "secret": "private-mistake"}, action):
            key = f"private-key-{rng.randbytes(4).hex()}"
            answer = await home.post(tokens[seat], f"{path}/actions", sent, Idempotency_Key=key)
            if answer.status_code == 201 and sent is whisper:
                whispers.append(whisper["text"])
    return whispers


@pytest.mark.parametrize("level", ["debug", "info"])
def test_no_secret_stands_in_the_log_of_the_service_or_in_a_file_beside_the_store(level, tmp_path):
    async def body():
        async with house(tmp_path) as home:
            await home.start(TO_A_FILE, COMITIUM_EXTRA_GAMES="tests.games.sample", COMITIUM_LOG_LEVEL=level)
            table, tokens = await opened(home)
            whispers = await play(home, table, tokens, Random(level))
            home.process.terminate()
            assert await home.gone() == 0
        store = await SqliteStore.open(tmp_path / "log.sqlite")
        log = await store.read(table, 0, 1000)
        await store.close()
        nothing_secret_is_in(tmp_path, log, table, tokens, whispers)

    run(body())


async def opened(home):
    """A game of Harbour for three in which one may whisper."""
    answers = [await home.post("x", "/v1/players", {"name": f"P{n}"}, Authorization="") for n in range(3)]
    tokens = [answer.json()["token"] for answer in answers]
    wanted = {"game": "harbour", "seats": 3, "house": {"whispers": True}, "visibility": "unlisted"}
    table = (await home.post(tokens[0], "/v1/tables", wanted)).json()["table"]["id"]
    for token in tokens[1:]:
        assert (await home.post(token, f"/v1/tables/{table}/seats", {})).status_code == 201
    return table, tokens


def nothing_secret_is_in(folder: Path, log, table, tokens, whispers):
    first = body_of(log[0])
    seed = next(event["seed"] for event in first["events"] if event["type"] == "seed_sealed")
    started = next(event for entry in log for event in body_of(entry)["events"] if event["type"] == "started")
    key = table_key(bytes.fromhex(seed), table, started["entropies"])
    salts = {
        salt.hex() for entry in log for salt in (entry.salt, *(derive(entry.salt, name) for name in entry.versions))
    }
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert whispers
    assert seed.encode() in files["log.sqlite"], "the seed lies in the log, and there alone"
    assert b"/v1/tables/" in files["service.log"] or b"request" in files["service.log"]
    for name, data in files.items():
        assert not [token for token in tokens if token.encode() in data], name
        if not name.startswith("log.sqlite") or name.startswith("log.sqlite.accounts"):
            for secret in (seed.encode(), bytes.fromhex(seed), key, key.hex().encode(), b"private-"):
                assert secret not in data, name
            assert not [text for text in whispers if text.encode() in data], name
            assert not salts & {text.decode() for text in re.findall(rb"[0-9a-f]{64}", data)}, name
            assert not [entry for entry in log if entry.salt in data], name
            assert not [entry for entry in log for stored in entry.versions.values() if stored in data], name
