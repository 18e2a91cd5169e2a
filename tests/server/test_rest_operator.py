"""An operator at a server that takes nobody in: made by the command, on the file that the running server has open."""

import asyncio

import msgspec
import pytest

from comitium_client.models import Receipt
from comitium_client.receipts import check_signature
from games.table.house import House
from tests.server.live_faults import SOUTH, failing
from tests.server.live_support import lay, run
from tests.server.live_wire import serving
from tests.test_cli import run as comitium


async def command(file, *words):
    """What the command prints for programs, as another process than the server."""
    done = await asyncio.to_thread(comitium, *words, "--accounts", str(file))
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def bearing(token, **more):
    return {"Authorization": f"Bearer {token}", **more}


async def operator(file):
    return bearing(await command(file, "token", "--new", "Op", "--scopes", "operate,read"))


def closed(file, **more):
    """A server that takes nobody in."""
    return serving(accounts=str(file), registration="closed", **more)


async def code_of(work, status):
    answer = await work
    assert answer.status_code == status, answer.text
    return answer.json()["code"]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "a.accounts"


def test_at_a_closed_server_the_operator_registers_people(file):
    async def body():
        async with closed(file) as town:
            op = await operator(file)
            new = {"name": "Livia"}
            assert await code_of(town.http.post("/v1/players", json=new), 403) == "registration_closed"
            made = await town.http.post("/v1/players", json=new, headers=op)
            assert made.status_code == 201, made.text
            livia = bearing(made.json()["token"])
            assert made.json()["scopes"] == ["play", "read"]
            assert (await town.http.get("/v1/me", headers=livia)).json()["name"] == "Livia"
            assert await code_of(town.http.post("/v1/players", json=new, headers=livia), 403) == "registration_closed"

            more = await command(file, "token", made.json()["id"], "--scopes", "operate")
            assert (await town.http.post("/v1/players", json=new, headers=bearing(more))).status_code == 201

    run(body())


@pytest.mark.parametrize("visibility", ["public", "unlisted", "private"])
def test_the_operator_ends_a_table_that_is_not_his(file, visibility):
    async def body():
        async with closed(file) as town:
            op = await operator(file)
            made = await town.http.post("/v1/players", json={"name": "Livia"}, headers=op)
            livia = bearing(made.json()["token"])
            wish = {"game": "straws", "seats": 2, "visibility": visibility, "house": {"spectators": False}}
            path = (await town.http.post("/v1/tables", json=wish, headers=livia)).headers["location"]
            assert await code_of(town.http.post(f"{path}/abandon", headers=livia), 403) == "forbidden"
            key = {"Idempotency-Key": "x"}
            answers = [await town.http.post(f"{path}/abandon", headers={**op, **key}) for _ in range(2)]
            assert [answer.status_code for answer in answers] == [201, 201]
            assert answers[0].json()["entry"] == answers[1].json()["entry"]
            assert (await town.http.get(path, headers=livia)).json()["status"] == "abandoned"
            assert await code_of(town.http.post(f"{path}/abandon", headers=op), 409) == "ended"

    run(body())


@pytest.mark.expects_errors("rules_failed")
def test_the_operator_ends_a_frozen_table_whose_people_are_gone(file):
    async def body():
        async with closed(file, games=(failing(RuntimeError()),)) as town:
            op = await operator(file)
            table = await town.table("harbour", 3, House(spectators=False), visibility="private")
            await lay(table)
            assert (await town.post(table, table.game.warden, "actions", SOUTH)).json()["code"] == "frozen"
            for who in table.people:
                await command(file, "player", "erase", who, "--yes")
            await until_gone(town, table)
            path = f"/v1/tables/{table.id}"
            assert (await town.http.get(path, headers=op)).json()["status"] == "frozen"
            assert {seat["name"] for seat in (await town.http.get(path, headers=op)).json()["seats"]} == {"—"}
            answer = await town.http.post(f"{path}/abandon", headers=op)
            assert answer.status_code == 201, answer.text
            assert (await town.http.get(f"{path}/view", headers=op)).json()["status"] == "abandoned"

    run(body())


async def until_gone(town, table):
    """A server notices within a second what another process has revoked."""
    for number in range(len(table.people)):
        while (await town.get(table, number, "view")).status_code != 401:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


def test_a_new_key_signs_after_the_next_start_and_old_receipts_stay_valid(file, tmp_path):
    kept = {"store": f"sqlite:{tmp_path / 'log.sqlite'}", "accounts": str(file)}

    async def receipt(town, table):
        answer = await town.post(table, 0, "actions", {"type": "say", "text": "Ave"})
        return msgspec.convert(answer.json()["receipt"], Receipt)

    async def served(town):
        return {key["id"]: key for key in (await town.http.get("/v1/keys")).json()["keys"]}

    async def body():
        async with serving(**kept) as town:
            table = await town.table("straws", 2)
            former = await receipt(town, table)
            made = await command(file, "keys", "rotate")
            assert (await receipt(town, table)).key == former.key, "as the command says, not before the restart"
            assert not (await served(town))[former.key]["current"]
            tokens = town.tokens
        async with serving(**kept) as town:
            town.tokens = tokens
            now = await receipt(town, table)
            assert now.key == made
            keys = await served(town)
            assert keys[made]["current"]
            for each in (former, now):
                check_signature(each, keys[each.key]["public_key"])

    run(body())
