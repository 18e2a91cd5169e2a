"""The audit over the wire: disputes, trail, fairness, verification, archive, for those who may read them."""

import csv
import io
from random import Random
from xml.etree import ElementTree as ET

from events.archive import read
from events.receipts import SigningKey
from games import Catalogue
from projections.verification import verify_archive
from tests.server.live_support import run
from tests.server.live_wire import serving


async def played(town, seed=5, **more):
    """A Tribunal played to its end, with talk and bargaining."""
    table = await town.table("tribunal", 4, **more)
    await table.play_out(Random(seed), around=0.4)
    return table


def test_the_archive_of_an_ended_table_is_whole_and_every_decision_in_it_is_made_again():
    async def body():
        async with serving() as town:
            table = await played(town)
            answer = await town.get(table, None, "archive")
            assert answer.status_code == 200, answer.text
            assert answer.headers["content-type"].startswith("application/octet-stream")
            found = verify_archive([answer.content], Catalogue())
            assert found.ok
            assert {check.name: check.status for check in found.checks if check.name != "receipts"} == dict.fromkeys(
                ("chain", "versions", "adjudication", "draws", "signature"), "passed"
            )
            over_the_wire = (await town.get(table, None, "verify")).json()
            assert (over_the_wire["ok"], over_the_wire["entries"]) == (True, found.entries)

    run(body())


def test_an_archive_stays_the_same_for_ever_whatever_key_the_server_signs_with():
    async def body():
        async with serving() as town:
            table = await played(town)
            first = (await town.get(table, 0, "archive")).content
            town.site.key = SigningKey.generate()
            assert (await town.get(table, 1, "archive")).content == first

    run(body())


def test_before_the_end_everybody_gets_his_own_archive_and_no_more():
    async def body():
        async with serving() as town:
            table = await town.table("tribunal", 4)
            rng = Random(3)
            for _ in range(30):
                await table.move(rng, around=0.4)
            seed = table.now.table.record.seed.encode()
            for who, audience in ((0, 0), (2, 2), (None, "public")):
                data = (await town.get(table, who, "archive")).content
                header, lines = read([data])
                assert (header.audience, header.last_seq) == (audience, table.live.seq)
                assert [line.seq for line in lines] == list(range(1, table.live.seq + 1))
                assert seed not in data
                found = verify_archive([data], Catalogue())
                assert found.ok
                assert found.check("adjudication").status == "not_checked"
                assert (await town.get(table, who, "verify")).json()["ok"]

    run(body())


def test_the_trail_comes_as_json_table_graph_and_picture():
    async def body():
        async with serving() as town:
            table = await played(town)
            plain = (await town.get(table, 0, "bribes")).json()
            assert plain["bribes"]
            path = f"/v1/tables/{table.id}/bribes"
            for language in ("en", "ja"):
                shown = {}
                for media in ("text/csv", "text/vnd.graphviz", "image/svg+xml"):
                    headers = {**town.headers(table, 0), "Accept": media, "Accept-Language": language}
                    answer = await town.http.get(path, headers=headers)
                    assert answer.status_code == 200, answer.text
                    assert answer.headers["content-type"].startswith(media)
                    shown[media] = answer.text
                rows = list(csv.reader(io.StringIO(shown["text/csv"])))
                assert len(rows) == 1 + len(plain["bribes"])
                assert shown["text/vnd.graphviz"].startswith("digraph")
                assert ET.fromstring(shown["image/svg+xml"]).tag.endswith("svg")

    run(body())


def test_fairness_names_who_contributed_and_draws_everything_again_after_the_end():
    async def body():
        async with serving() as town:
            table = await town.table("tribunal", 4)
            before = (await town.get(table, None, "fairness")).json()
            assert (before["disclosed"], before["seed"], before["key"], before["redrawn"]) == (False, None, None, None)
            await table.play_out(Random(5))
            after = (await town.get(table, None, "fairness")).json()
            assert after["disclosed"]
            assert after["redrawn"] == len(after["draws"]) > 0
            assert after["first"] is None
            assert after["promise"] == ("seats" if after["contributors"] else "server_alone")

    run(body())


def test_what_may_be_disputed_is_listed_as_ranges():
    async def body():
        async with serving() as town:
            table = await town.table("tribunal", 4)
            rng = Random(3)
            for _ in range(30):
                await table.move(rng)
            found = (await town.get(table, 1, "disputes")).json()
            listed = [seq for each in found["strikable"] for seq in range(each["to"], each["from"] - 1, -1)]
            assert listed == list(table.now.table.strikable)
            assert found["left"] == [3, 3, 3, 3]

    run(body())


def test_a_private_table_is_audited_by_its_people_alone():
    async def body():
        async with serving() as town:
            table = await played(town, visibility="private")
            for path in ("archive", "verify", "bribes", "fairness", "disputes"):
                assert (await town.get(table, 0, path)).status_code == 200
                assert (await town.get(table, None, path)).status_code == 404

    run(body())


def test_ledger_and_promises_are_those_of_the_log():
    async def body():
        async with serving() as town:
            table = await played(town)
            book = (await town.get(table, 1, "ledger")).json()
            purses = table.game.purses
            assert (tuple(book["seats"]), book["bank"], book["broken_at"]) == (purses.seats, purses.bank, None)
            early = (await town.get(table, 1, "ledger", at=20)).json()
            assert early["at"] == 20
            assert early["lines"] == [line for line in book["lines"] if line["seq"] <= 20]
            beyond = await town.get(table, 1, "ledger", at=10**6)
            assert (beyond.status_code, beyond.json()["code"]) == (412, "log_forked")
            told = (await town.get(table, 1, "promises")).json()
            assert told["promises"]
            assert {each["verdict"] for each in told["promises"]} <= {"kept", "broken", "void", "uncheckable"}

    run(body())
