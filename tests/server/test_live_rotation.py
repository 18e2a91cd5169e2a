"""The whole way of a key: it signs, is changed by the operator, and what it has signed stays good for ever.

Servers here are processes, and the operator's commands too; what is verified offline is verified by `comitium verify`.
"""

import asyncio
import json
import os
import shutil
import signal
import sys
from contextlib import asynccontextmanager

import pytest
from click.testing import CliRunner

import cli
from comitium_client import Client
from events.archive import read
from events.receipts import key_id
from tests.server.live_process import ROOT, house
from tests.server.live_support import run


async def command(server, *words):
    """A command of the operator on the files of the server; what it prints for programs."""
    env = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'clients' / 'python'}",
        "COMITIUM_STORE": f"sqlite:{server.folder / 'log.sqlite'}",
        "COLUMNS": "300",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "cli", *words, cwd=ROOT, env=env,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode().strip()


async def stop(server):
    server.process.send_signal(signal.SIGTERM)
    assert await server.gone() == 0


class Witness:
    """Somebody at a table who keeps what he is given: receipts, and the keys that the server showed."""

    def __init__(self, server, table, token):
        self.server, self.table, self.token = server, table, token
        self.receipts = []

    async def say(self, text):
        answer = await self.server.post(self.token, f"/v1/tables/{self.table}/actions", {"type": "say", "text": text})
        assert answer.status_code == 201, answer.text
        self.receipts.append(answer.json()["receipt"])
        return self.receipts[-1]

    async def archive(self):
        path = f"/v1/tables/{self.table}/archive"
        answer = await self.server.http.get(path, headers={"Authorization": f"Bearer {self.token}"})
        assert answer.status_code == 200, answer.text
        return answer.content

    async def end(self, operator):
        """The operator closes the table."""
        answer = await self.server.post(operator, f"/v1/tables/{self.table}/abandon", {})
        assert answer.status_code == 201, answer.text


async def witness(server):
    table, tokens = await server.table(4, "tribunal")
    return Witness(server, table, tokens[0])


async def keys_of(server):
    """What GET /v1/keys answers."""
    return (await server.http.get("/v1/keys")).json()


def by(data):
    """The id of the key that closes an archive."""
    return key_id(read([data])[0].public_key)


class Desk:
    """Where somebody verifies, without any server."""

    def __init__(self, folder):
        self.folder = folder

    def verify(self, data, receipts, keys):
        """How `comitium verify` ends, and what it says of each check."""
        words = []
        if data is not None:
            (self.folder / "table.jsonl").write_bytes(data)
            words.append(str(self.folder / "table.jsonl"))
        for number, some in enumerate(receipts):
            path = self.folder / f"receipts-{number}"
            path.write_text("".join(json.dumps({"server": "http://x", **each}) + "\n" for each in some))
            words += ["--receipts", str(path)]
        (self.folder / "keys.json").write_text(json.dumps(keys))
        done = CliRunner().invoke(cli.main, ["verify", *words, "--keys", str(self.folder / "keys.json"), "--json"])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        found = json.loads(done.output)
        return done.exit_code, {each["name"]: each for each in found["checks"]}, found["first"]


@pytest.fixture
def desk(tmp_path):
    folder = tmp_path / "desk"
    folder.mkdir()
    return Desk(folder)


@asynccontextmanager
async def at_work(folder):
    async with house(folder) as server:
        await server.start()
        yield server


def test_receipts_of_both_keys_hold_and_what_was_closed_by_the_first_stays_closed_by_it(tmp_path, desk):
    async def body():
        async with at_work(tmp_path) as server:
            operator = await command(server, "token", "--new", "Ada", "--scopes", "operate,read")
            open_one, seen, unseen = [await witness(server) for _ in range(3)]
            for each in (open_one, seen, unseen):
                await each.say("Before.")
            for each in (seen, unseen):
                await each.end(operator)
            closed = await seen.archive()  # of the other nobody has asked for the archive yet
            before = await keys_of(server)
            (first,) = [key["id"] for key in before["keys"]]

            second = await command(server, "keys", "rotate")
            assert (await open_one.say("Not restarted yet."))["key"] == first
            await stop(server)
            await server.start()
            after = await keys_of(server)
            assert [(key["id"], key["current"]) for key in after["keys"]] == [(first, False), (second, True)]
            assert after["keys"][0]["public_key"] == before["keys"][0]["public_key"]
            listed = await command(server, "keys")
            assert [line.split()[0] for line in listed.splitlines()] == [first, second]
            assert listed.endswith("current")

            assert (await open_one.say("After."))["key"] == second
            await open_one.end(operator)
            assert await seen.archive() == closed
            files = {"open": await open_one.archive(), "seen": closed, "unseen": await unseen.archive()}
            assert {name: by(data) for name, data in files.items()} == {"open": second, "seen": first, "unseen": first}
            return files, open_one.receipts, before, after

    files, receipts, before, after = asyncio.run(body())
    old, new = receipts[:2], receipts[2:]
    code, checks, wrong = desk.verify(files["open"], [old, new], after)
    assert (code, wrong) == (0, None)
    assert {name: (each["status"], each["why"]) for name, each in checks.items()} == dict.fromkeys(
        ("chain", "versions", "adjudication", "draws", "signature", "receipts"), ("passed", None)
    )
    assert checks["receipts"]["checked"] == 3
    for name in ("seen", "unseen"):
        code, checks, _ = desk.verify(files[name], [], after)
        assert (code, checks["signature"]["status"]) == (0, "passed")
        code, checks, _ = desk.verify(files[name], [], before)
        assert (code, checks["signature"]["status"]) == (0, "passed")

    of_first, of_second = ({"keys": [key]} for key in after["keys"])
    code, checks, _ = desk.verify(files["open"], [old, new], of_second)
    assert (code, checks["receipts"]["status"], checks["receipts"]["why"]) == (0, "not_checked", "key_unknown")
    assert checks["receipts"]["checked"] == 1
    code, checks, wrong = desk.verify(files["open"], [old, new], of_first)
    assert (code, wrong["check"], wrong["reason"]) == (1, "signature", "foreign_key")
    assert checks["receipts"]["why"] == "key_unknown"


def test_a_log_that_was_set_back_is_proved_short_and_then_forked_by_receipts_of_the_former_key(tmp_path, desk):
    async def body():
        async with at_work(tmp_path) as server:
            one = await witness(server)
            await one.say("Ave.")
            await stop(server)
            files = sorted(tmp_path.glob("log.sqlite*"))
            logs = [file for file in files if ".accounts" not in file.name and file.is_file()]
            copies = {file: shutil.copy(file, desk.folder / file.name) for file in logs}
            await server.start()
            lost = [await one.say("This"), await one.say("will be lost.")]
            await stop(server)
            for file in tmp_path.glob("log.sqlite-*"):
                file.unlink()
            for file, copy in copies.items():
                shutil.copy(copy, file)
            second = await command(server, "keys", "rotate")
            await server.start()
            short = await one.archive()
            other = [await one.say("Something else"), await one.say("in their place.")]
            assert {receipt["key"] for receipt in other} == {second}
            return lost, other, short, await one.archive(), await keys_of(server)

    lost, other, short, forked, keys = asyncio.run(body())
    assert {receipt["key"] for receipt in lost}.isdisjoint({receipt["key"] for receipt in other})
    code, checks, wrong = desk.verify(short, [lost], keys)
    assert (code, wrong["reason"], wrong["seq"]) == (1, "shorter_than_receipt", lost[-1]["seq"])
    code, checks, wrong = desk.verify(forked, [lost], keys)
    assert (code, wrong["reason"], wrong["seq"]) == (1, "forked", lost[0]["seq"])
    assert checks["chain"]["status"] == "passed"
    code, _, _ = desk.verify(forked, [other], keys)
    assert code == 0
    # Nobody needs the log for it: a receipt of either key for the same entry is enough.
    code, _, wrong = desk.verify(forked, [lost, other], keys)
    assert (code, wrong["reason"]) == (1, "forked")


def test_a_receipt_that_names_the_new_key_but_was_signed_by_the_former_is_forged(tmp_path, desk):
    async def body():
        async with at_work(tmp_path) as server:
            one = await witness(server)
            receipt = await one.say("Ave.")
            second = await command(server, "keys", "rotate")
            return {**receipt, "key": second}, await one.archive(), await keys_of(server)

    receipt, data, keys = asyncio.run(body())
    code, checks, wrong = desk.verify(data, [[receipt]], keys)
    assert (code, wrong["check"], wrong["reason"]) == (1, "receipts", "forged")
    assert checks["receipts"]["checked"] == 0


def test_a_client_that_stays_sees_the_new_key_and_takes_it(tmp_path):
    async def body():
        async with at_work(tmp_path) as server:
            one = await witness(server)
            async with Client(str(server.http.base_url), token=one.token) as client:
                table = client.table(one.table)
                former = (await table.act("say", text="Before.")).receipt.key
                second = await command(server, "keys", "rotate")
                await stop(server)
                await server.start()
                assert (await table.act("say", text="After.")).receipt.key == second != former
                assert {key.id for key in await client.keys()} == {former, second}

    run(body())
