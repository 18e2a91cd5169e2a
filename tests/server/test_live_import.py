"""Archives from elsewhere: a foreign table tells what its own server told, and nothing can be done at it."""

from random import Random

import msgspec
import pytest

from events.archive import MAX_LINE, read, write
from games.table import actions as act
from tests.projections import logs
from tests.server.live_support import Table, run
from tests.server.live_wire import NDJSON, Sight, serving
from tests.server.test_live_audit import played

FILE = "application/octet-stream"

PATHS = ("view", "log", "disputes", "ledger", "promises", "bribes", "fairness")


async def bring(town, data, who=None, kind=FILE, **headers):
    """Brings an archive to a server."""
    who = who or town.person("Bringer")
    head = {"Authorization": f"Bearer {town.tokens[who]}", "Content-Type": kind, **headers}
    return await town.http.post("/v1/archives", content=data, headers=head)


def foreign(town, answer):
    """The table that an archive has become."""
    assert answer.status_code == 201, answer.text
    return Table(town.site, answer.json()["id"], ())


async def exported(seed=5, moves=None, who=None, **more):
    """An archive, and what its own server says of the table: of an ended one, or after so many moves."""
    async with serving() as town:
        if moves is None:
            table = await played(town, seed, **more)
        else:
            table = await town.table("tribunal", 4, **more)
            rng = Random(seed)
            for _ in range(moves):
                await table.move(rng, around=0.4)
        said = {path: (await town.get(table, who, path)).json() for path in PATHS}
        line = (await town.http.get(f"/v1/tables/{table.id}")).json()
        return (await town.get(table, who, "archive")).content, said, line


@pytest.mark.parametrize("store", ["memory:", "sqlite"])
def test_a_foreign_table_says_what_its_own_server_said(store, tmp_path):
    async def body():
        data, said, line = await exported()
        where = "memory:" if store == "memory:" else f"sqlite:{tmp_path}/log.sqlite"
        async with serving(where) as town:
            table = foreign(town, await bring(town, data))
            for path, wanted in said.items():
                answer = await town.get(table, None, path)
                assert answer.status_code == 200, answer.text
                assert answer.json() == wanted, path
            for seq in (1, 7, line["seq"]):
                for seat in (None, 0, 3):
                    at = {"at": seq} if seat is None else {"at": seq, "seat": seat}
                    assert (await town.get(table, None, "view", **at)).json()["seq"] == seq

    run(body())


def test_export_import_export_is_the_same_to_the_byte():
    async def body():
        for moves, who in ((None, None), (40, 1), (40, None)):
            data, _, _ = await exported(moves=moves, who=who)
            async with serving() as town:
                table = foreign(town, await bring(town, data))
                again = await town.get(table, None, "archive")
                assert again.content == data
                header, lines = read([again.content])
                assert b"".join(write(header, lines)) == data

    run(body())


def test_the_archive_of_one_seat_shows_what_that_seat_saw_and_no_more():
    async def body():
        data, said, line = await exported(moves=40, who=2)
        async with serving() as town:
            table = foreign(town, await bring(town, data))
            for path, wanted in said.items():
                assert (await town.get(table, None, path)).json() == wanted, path
            view = await town.view(table, None, seat=2)
            assert view == said["view"]
            assert view["status"] == "playing"
            other = await town.get(table, None, "view", seat=1)
            assert (other.status_code, other.json()["code"]) == (403, "not_your_seat")
            found = (await town.get(table, None, "verify")).json()
            assert found["ok"]
            assert found["audience"] == 2
            assert line["seq"] == found["entries"]

    run(body())


def test_its_line_says_where_it_comes_from():
    async def body():
        data, _, line = await exported()
        header, _ = read([data])
        async with serving() as town:
            answer = await bring(town, data)
            shown = answer.json()
            assert answer.headers["location"] == f"/v1/tables/{shown['id']}"
            assert shown["id"] != line["id"]
            kept = shown["foreign"]
            assert (kept["table"], kept["audience"], kept["own_key"]) == (line["id"], "all", False)
            assert len(kept["key"]) == 16
            same = {"game", "status", "seq", "head", "result", "options", "house", "created", "changed", "seed_hash"}
            assert {name: shown[name] for name in same} == {name: line[name] for name in same}
            assert (await town.http.get(f"/v1/tables/{shown['id']}")).json() == shown
            assert header.last_seq == shown["seq"]
            table = await played(town)
            own = (await town.get(table, None, "archive")).content
            assert (await bring(town, own)).json()["foreign"]["own_key"]
            assert (await town.http.get(f"/v1/tables/{table.id}")).json()["foreign"] is None

    run(body())


def test_foreign_tables_are_listed_and_counted_nowhere():
    async def body():
        data, _, line = await exported()
        async with serving() as town:
            foreign(town, await bring(town, data))
            assert (await town.http.get("/v1/tables")).json()["tables"] == []
            player = line["seats"][0]["player"]
            assert (await town.http.get("/v1/tables", params={"player": player})).json()["tables"] == []
            rows = (await town.http.get("/metrics")).text.splitlines()
            counted = [row for row in rows if row.startswith("comitium_tables{")]
            assert counted
            assert all(row.endswith((" 0", " 0.0")) for row in counted), counted

    run(body())


def test_nothing_can_be_done_at_a_foreign_table():
    async def body():
        data, _, _ = await exported(moves=20, who=0)
        async with serving() as town:
            table = foreign(town, await bring(town, data))
            who = town.person("Livia", "play", "read", "operate", "arbitrate")
            for path, content in (
                ("actions", {"type": "say", "text": "Ave!"}),
                ("seats", {}),
                ("invites", {}),
                ("abandon", {}),
            ):
                answer = await town.post(table, who, path, content)
                assert (answer.status_code, answer.json()["code"]) == (409, "read_only"), path
            async with town.socket(table, who) as livia:
                assert await livia.end() == 1000, "the socket of a table at which nothing follows says so, and closes"
            assert (await town.get(table, who, "asks")).json()["code"] == "not_your_seat"
            assert (await town.get(table, None, "archive")).content == data

    run(body())


def test_who_follows_a_foreign_table_gets_all_of_it_and_then_the_end():
    async def body():
        for moves, who in ((None, None), (25, 1)):
            data, said, _ = await exported(moves=moves, who=who)
            async with serving() as town:
                table = foreign(town, await bring(town, data))
                async with town.stream(table, media=NDJSON) as reader:
                    await reader.end()
                    assert reader.view == said["view"]
                view, sight = await town.view(table, None, at=1), Sight()
                sight.take({"seq": 1, "head": view["head"], "view": view, "asks": [], "since": 0, "to_act": []})
                async with town.stream(table, after=1, media=NDJSON, sight=sight) as reader:
                    await reader.end()
                    assert reader.view == said["view"]
                assert [frame["seq"] for frame in sight.frames] == list(range(1, reader.seq + 1)), "entry by entry"

    run(body())


def test_the_same_file_is_the_same_table():
    async def body():
        data, _, _ = await exported(moves=10)
        async with serving() as town:
            first, second = await bring(town, data), await bring(town, data, kind="application/x-ndjson")
            assert first.json() == second.json()
            assert (first.status_code, second.status_code) == (201, 201)

    run(body())


def test_a_foreign_table_is_still_there_after_a_restart_and_gone_when_the_operator_forgets_it(tmp_path):
    async def body():
        data, said, _ = await exported()
        where = f"sqlite:{tmp_path}/log.sqlite"
        async with serving(where) as town:
            table = foreign(town, await bring(town, data))
        async with serving(where) as town:
            assert (await town.view(table, None)) == said["view"]
            operator, livia = town.person("Operator", "operate"), town.person("Livia")
            path = f"/v1/archives/{table.id}"
            refused = await town.http.delete(path, headers=town.headers(table, livia))
            assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
            assert (await town.http.delete(path, headers=town.headers(table, operator))).status_code == 204
            assert (await town.get(table, None, "view")).status_code == 404
            assert (await town.http.delete(path, headers=town.headers(table, operator))).status_code == 404
            assert list((tmp_path / "log.sqlite.archives").iterdir()) == []

    run(body())


def test_a_file_that_was_changed_on_the_disk_is_not_told_as_if_nothing_were(tmp_path):
    async def body():
        data, _, _ = await exported()
        where = f"sqlite:{tmp_path}/log.sqlite"
        async with serving(where) as town:
            table = foreign(town, await bring(town, data))
        (file,) = (tmp_path / "log.sqlite.archives").iterdir()
        assert b"innocent" in data
        file.write_bytes(data.replace(b"innocent", b"INNOCENT", 1))
        async with serving(where) as town:
            for path in (*PATHS, "archive", "verify"):
                assert (await town.get(table, None, path)).status_code == 404, path

    run(body())


# --- Bad files ----------------------------------------------------------------------------------------


def flipped(data, line):
    """A byte of the body in that line (from 1) changed."""
    lines = data.splitlines(keepends=True)
    lines[line - 1] = lines[line - 1].replace(b'"at":1', b'"at":2', 1)
    return b"".join(lines)


def cut(data):
    return data[: len(data) // 2]


def without(data, line):
    lines = data.splitlines(keepends=True)
    return b"".join(lines[: line - 1] + lines[line:])


@pytest.mark.parametrize(
    ("spoil", "line", "reason"),
    [
        (lambda data: flipped(data, 9), 9, "head"),
        (lambda data: without(data, 9), 9, "place"),
        (lambda data: data[:-1], None, "no_newline"),
        (cut, None, "no_newline"),
        (lambda data: b"{}\n" + data, 1, "not_an_archive"),
        (lambda data: b"\x00\xff", 1, "no_newline"),
        (lambda data: b"x" * (MAX_LINE + 1) + b"\n", 1, "too_long"),
        (lambda data: data + data, None, "too_many_lines"),
        (lambda data: data.replace(b'"comitium_archive":1', b'"comitium_archive":2', 1), 1, "newer_format"),
    ],
)
def test_a_bad_file_gets_the_line_and_the_reason_and_nothing_is_kept(spoil, line, reason, tmp_path):
    async def body():
        data, _, _ = await exported(moves=20)
        async with serving(f"sqlite:{tmp_path}/log.sqlite") as town:
            answer = await bring(town, spoil(data))
            problem = answer.json()
            assert (answer.status_code, problem["code"], problem["reason"]) == (422, "bad_archive", reason), problem
            assert problem["line"] == line or line is None
            assert not (tmp_path / "log.sqlite.archives").exists()

    run(body())


def test_a_log_whose_decisions_do_not_follow_is_not_taken_although_its_chain_and_signature_hold():
    """Somebody wrote the whole chain anew, and signed it himself."""

    async def body():
        log = logs.done((1, act.Sit("p1", None, None)), (1, act.Rise()))
        seq = logs.entry_of(log, "rise")
        data = logs.with_body(log, seq, lambda plain: plain["events"][0].update(seat=0)).archive()
        line = seq + 1
        async with serving() as town:
            answer = await bring(town, data)
            problem = answer.json()
            assert (answer.status_code, problem["code"], problem["line"]) == (422, "bad_archive", line), problem
            assert problem["reason"] == "events_differ"

    run(body())


def test_what_no_archive_can_be_is_refused_as_any_body_is():
    async def body():
        data, _, _ = await exported(moves=20)
        async with serving(archive_limit=2048) as town:
            big = await bring(town, data)
            assert (big.status_code, big.json()["code"]) == (413, "too_large")
            assert big.json()["limit"] == 2048
            kind = await bring(town, data[:100], kind="application/json")
            assert (kind.status_code, kind.json()["code"]) == (415, "unsupported_media_type")
            empty = await bring(town, b"")
            assert (empty.status_code, empty.json()["code"]) == (400, "malformed")
            nobody = await town.http.post("/v1/archives", content=data, headers={"Content-Type": FILE})
            assert nobody.status_code == 401

    run(body())


def test_when_there_is_no_room_nothing_is_kept():
    async def body():
        one, _, _ = await exported(moves=20)
        other, _, _ = await exported(moves=21)
        async with serving(archives_limit=len(one) + 100) as town:
            table = foreign(town, await bring(town, one))
            answer = await bring(town, other)
            assert (answer.status_code, answer.json()["code"]) == (507, "no_room")
            assert (await town.get(table, None, "view")).status_code == 200

    run(body())


def test_an_archive_of_rules_that_are_not_here_is_refused_with_their_names():
    async def body():
        data, _, _ = await exported(moves=10, who=1)
        async with serving(games=()) as town:
            answer = await bring(town, data)
            problem = answer.json()
            assert (problem["code"], problem["line"], problem["reason"]) == ("bad_archive", 1, "rules_not_shipped")
            assert "tribunal" in problem["detail"]

    run(body())


def test_an_archive_of_one_seat_that_no_rules_can_tell_is_refused():
    """Behind what is shown to one seat alone no decision stands that could be made again; but it must be tellable."""

    async def body():
        log = logs.played(entries=30)
        seq = logs.entry_of(log, "place")
        data = logs.with_bytes(log, seq, lambda plain: plain.update(events=[{"type": "no_such_event"}])).archive(
            "public"
        )
        line = seq + 1
        async with serving() as town:
            problem = (await bring(town, data)).json()
            assert (problem["code"], problem["line"], problem["reason"]) == ("bad_archive", line, "untold")

    run(body())


def test_messages_of_both_codings_tell_of_it():
    async def body():
        data, _, line = await exported()
        async with serving() as town:
            answer = await bring(town, data, Accept="application/msgpack")
            assert msgspec.msgpack.decode(answer.content)["foreign"]["table"] == line["id"]

    run(body())


def test_a_made_up_archive_of_one_reader_is_refused_or_can_be_read_in_every_way():
    """Behind it no decision stands. Here a table freezes with its start, and a hand has more cards than there are."""

    async def body():
        frozen = {"type": "frozen", "reason": "x"}
        start = logs.entry_of(logs.played(entries=30), "start")
        log = logs.with_bytes(logs.played(entries=30), start, lambda plain: plain["events"].append(frozen), "public")
        short = log.made_of(log.entries[:start])
        async with serving() as town:
            table = foreign(town, await bring(town, short.archive("public")))
            for after in (0, 1, start - 1, None):
                async with town.stream(table, after=after, media=NDJSON, sight=Anything()) as reader:
                    assert reader.response.status_code == 200
                    await reader.end()
                    assert reader.problems == []
            for name in PATHS:
                assert (await town.get(table, None, name)).status_code in (200, 409), name

            def swell(plain):
                dealt = next(event for event in plain["events"] if event["type"] == "dealt")
                dealt["count"] = 3_000_000

            vast = logs.with_bytes(logs.played(entries=30), start, swell, "public").archive("public")
            problem = (await bring(town, vast)).json()
            assert (problem["code"], problem["reason"], problem["line"]) == ("bad_archive", "untold", start + 1)

    run(body())


class Anything(Sight):
    """Takes frames as they come."""

    def take(self, frame):
        self.seq = frame["seq"]
