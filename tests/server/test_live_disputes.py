"""Disputes over the wire: the problem that names them, the arbiter, the clock, and followers who see the strike."""

from games.table.house import House
from tests.server.live_support import lay, run
from tests.server.live_wire import serving

REASON = "A slip of the hand."


async def admitted(town, house=None):
    """A table at which the warden has admitted a ship, and the seq of that entry."""
    table = await town.table("harbour", 3, house or House())
    await lay(table)
    await table.do(table.game.warden, {"type": "admit", "pier": "north"})
    return table, table.live.seq


def test_a_disputed_table_refuses_the_game_with_a_problem_that_names_the_dispute():
    async def body():
        async with serving() as town:
            table, seq = await admitted(town)
            warden = table.game.warden
            opened = await town.post(table, 0, "actions", {"type": "dispute", "from": seq, "reason": REASON})
            assert opened.status_code == 201, opened.text
            view = await town.view(table, 1)
            assert view["status"] == "disputed"
            assert (view["dispute"]["from"], view["dispute"]["by"], view["dispute"]["reason"]) == (seq, 0, REASON)
            refused = await town.post(table, warden, "actions", {"type": "admit", "pier": "south"})
            assert (refused.status_code, refused.json()["code"]) == (409, "disputed")
            assert refused.json()["dispute"] == view["dispute"]["id"]
            said = await town.post(table, 1, "actions", {"type": "say", "text": "Is it so?"})
            assert said.status_code == 201

    run(body())


def test_who_only_follows_the_stream_is_where_a_fresh_view_is_after_a_strike():
    async def body():
        async with serving() as town:
            table, seq = await admitted(town)
            async with town.socket(table, 2) as reader:
                await reader.receive()
                before = await town.view(table, 2)
                await table.do(0, {"type": "dispute", "from": seq, "reason": REASON})
                await table.do(1, {"type": "vote_dispute", "uphold": True})
                await reader.reach(table.live.seq)
                fresh = await town.view(table, 2)
                assert reader.view == fresh
                assert fresh["struck"] == [{"entry": table.live.seq, "from": seq, "to": seq}]
                assert fresh["game"] != before["game"]
                earlier = await town.get(table, 2, "view", at=seq - 1)
                assert earlier.json()["game"] == fresh["game"]

    run(body())


def test_the_arbiter_rules_with_a_token_that_lets_him():
    async def body():
        async with serving() as town:
            accounts = town.site.accounts
            judge = accounts.register("Judge", ("play", "read", "arbitrate"))
            weak = accounts.register("Weak", ("play", "read"))
            for who, may in ((judge, True), (weak, False)):
                table, seq = await admitted(town, House(disputes="arbiter", arbiter=who.player))
                headers = {"Authorization": f"Bearer {who.token}"}
                path = f"/v1/tables/{table.id}"
                await table.do(0, {"type": "dispute", "from": seq, "reason": REASON})
                asks = (await town.http.get(f"{path}/asks", headers=headers)).json()["asks"]
                assert [ask["type"] for ask in asks] == ["rule_dispute"]
                ruling = {"type": "rule_dispute", "uphold": True}
                answer = await town.http.post(f"{path}/actions", json=ruling, headers=headers)
                if may:
                    assert answer.status_code == 201, answer.text
                    assert answer.json()["entry"]["by"] == "arbiter"
                    assert (await town.view(table, 0))["struck"]
                else:
                    assert (answer.status_code, answer.json()["scope"]) == (403, "arbitrate")

    run(body())


def test_the_clock_ends_a_vote_and_who_has_not_voted_is_against_it():
    async def body():
        async with serving() as town:
            table, seq = await admitted(town, House(dispute_seconds=1))
            await table.do(0, {"type": "dispute", "from": seq, "reason": REASON})
            async with town.socket(table, 1) as reader:
                await reader.reach(table.live.seq + 1)
            view = await town.view(table, 1)
            assert (view["status"], view["dispute"], view["struck"]) == ("playing", None, [])
            again = await town.post(table, 0, "actions", {"type": "dispute", "from": seq, "reason": REASON})
            assert again.json()["reason"] == "dispute_rejected"

    run(body())
