"""Nothing that is secret is in any byte that reaches anybody too early: every game, every audience, every way out.

tests/server/canaries.py says what is looked for, canary_table.py what is done and asked.
"""

import base64
import json

import msgspec
import pytest

from events import chain
from events.chain import derive
from projections.position import Position
from server import access
from server.wire import frames
from tests.games import sample
from tests.laws.cases import EVERY
from tests.server import canary_table
from tests.server.canaries import Ear, leaks
from tests.server.canary_table import NoRecipe, played, requests, routes, streams
from tests.server.live_support import run
from tests.server.live_wire import NDJSON, SSE, serving
from tests.server.test_live_import import bring, foreign
from tests.server.test_live_secrecy import listening_to_the_log

every_game = pytest.mark.parametrize("game", EVERY, ids=lambda game: game.name)
every_visibility = pytest.mark.parametrize("visibility", ["public", "private"])


@every_game
@every_visibility
def test_nothing_secret_reaches_anybody_before_he_may_know_it(game, visibility):
    async def body():
        with listening_to_the_log() as service_log:
            async with serving(games=EVERY) as town:
                stage = await played(town, game, visibility)
                truth = await stage.truth()
        for ear in stage.ears:
            assert leaks(ear, truth) == []
            gets_what_is_his(ear, stage, truth)
        nothing_is_logged("\n".join(service_log.text), stage, truth)

    run(body())


def gets_what_is_his(ear, stage, truth):
    """What should reach him did: so the scanner has looked at something."""
    data = ear.whole
    assert all((text.encode() in data) != ear.shut for text in stage.aloud)
    assert (truth.seed.encode() in data) != ear.shut
    for text, to in stage.whispers.items():
        assert (text.encode() in data) == (ear.seat in to or truth.opens_to(ear))


def nothing_is_logged(text, stage, truth):
    """The service log tells of requests, and of nothing that was said or done in them."""
    assert "request" in text
    log = Ear("the log")
    log.hear(0, "log", text.encode())
    assert leaks(log, truth) == []
    assert not [said for said in (*stage.aloud, *stage.whispers) if said in text]


# --- What the reader knows is all that his answers are made of ----------------------------------------

DERIVED = ("view", "log", "disputes", "ledger", "promises", "bribes", "fairness")


@every_game
def test_a_server_that_holds_no_more_than_what_somebody_was_shown_tells_him_the_same(game):
    """His archive, brought to another server, knows nothing of what is hidden from him. So no answer came from that."""

    async def body():
        async with serving(games=EVERY) as town, serving(games=EVERY) as elsewhere:
            stage = canary_table.Stage(town, game, "public", canary_table.Random(game.name))
            while True:
                await stage.open()
                try:
                    await stage.play()
                    break
                except canary_table.TooShort:
                    stage.done.clear()
            for who in (None, *range(len(stage.table.people))):
                data = (await town.get(stage.table, who, "archive")).content
                copy = foreign(elsewhere, await bring(elsewhere, data))
                await says_the_same(stage, who, elsewhere, copy)

    run(body())


async def says_the_same(stage, who, elsewhere, copy):
    for path in (*DERIVED, *(f"view?at={seq}" for seq in range(1, stage.seq + 1)), "ledger?at=2"):
        here, there = await stage.town.get(stage.table, who, path), await elsewhere.get(copy, None, path)
        assert (here.status_code, there.status_code) == (200, 200), (path, here.text, there.text)
        assert here.json() == there.json(), (who, path)


# --- Nothing is forgotten -----------------------------------------------------------------------------


def test_an_address_with_a_parameter_that_nobody_knows_is_noticed(monkeypatch):
    async def body():
        async with serving(games=EVERY) as town:
            stage = canary_table.Stage(town, sample, "public", canary_table.Random(1))
            await stage.open()
            asked = {path for path, _, _ in requests(stage)}
            assert len(asked) > len(list(routes()))
            told = {"parameters": [{"name": "colour", "in": "query"}], "responses": {"200": {"content": {}}}}
            monkeypatch.setattr(canary_table, "routes", lambda: [("/v1/tables/{table}/tomorrow", told)])
            with pytest.raises(NoRecipe, match=r"'colour' of /v1/tables/.table./tomorrow"):
                list(requests(stage))

    run(body())


def test_all_that_goes_on_telling_is_followed():
    assert streams() == {("/v1/tables/{table}/log", media) for media in (NDJSON, SSE)}


# --- The scanner finds what it is made for ------------------------------------------------------------


def full_to_all(monkeypatch):
    """Frames and answers have the full version."""
    monkeypatch.setattr(frames, "read_as", lambda entry, _: chain.read_as(entry, "all"))


def root_salts(monkeypatch):
    """Frames have the salt of the entry in the place of the one that was derived."""

    def read_as(entry, audience):
        return msgspec.structs.replace(chain.read_as(entry, audience), salt=entry.salt)

    monkeypatch.setattr(frames, "read_as", read_as)


def true_state(monkeypatch):
    """Views are made of the state of the game as it is."""
    monkeypatch.setattr(Position, "sight", lambda self, _: self.table.course.game)


def another_seats_asks(monkeypatch):
    monkeypatch.setattr(Position, "asks_of", lambda self, seat: () if seat is None else self.asks[seat - 1])


def open_log(monkeypatch):
    """Logs and archives are open before the end."""
    monkeypatch.setattr(access, "log_opens", lambda *_: True)


def another_seats_view(monkeypatch):
    monkeypatch.setattr(access, "audience", lambda *_: 1)


LEAKING = [full_to_all, root_salts, true_state, another_seats_asks, open_log, another_seats_view]


@pytest.mark.parametrize("leak", LEAKING, ids=lambda leak: leak.__name__)
def test_a_server_that_leaks_is_found_out(leak, monkeypatch):
    async def body():
        async with serving(games=EVERY) as town:
            stage = await played(town, sample, "public", listeners=1)
            truth = await stage.truth()
            assert [each for ear in stage.ears for each in leaks(ear, truth)]

    leak(monkeypatch)
    run(body())


def spilt(truth, stage):
    """Bytes that a seat 0 must not have, in all the spellings that one might think of."""
    seed, salt = bytes.fromhex(truth.seed), truth.entries[0].salt
    hidden = next(entry for entry in truth.entries if "1" in entry.versions and "0" not in entry.versions)
    other = next(text for text, to in stage.whispers.items() if 0 not in to)
    event = json.loads(hidden.versions["full"])["events"]
    yield from (truth.seed.encode(), truth.seed.upper().encode(), b"x" + seed + b"x", base64.b64encode(seed + b"end"))
    yield from (
        base64.urlsafe_b64encode(seed),
        truth.key,
        truth.key.hex().encode(),
        b"ab" + truth.seed.encode() + b"cd",
    )
    yield from (
        salt,
        salt.hex().encode(),
        derive(hidden.salt, "full").hex().encode(),
        derive(hidden.salt, "1").hex().encode(),
    )
    yield from (other.encode(), other.encode("utf-16-le"), base64.b64encode(other.encode()))
    yield from (hidden.versions["full"], json.dumps(event).encode(), b"data: " + hidden.versions["full"])
    yield from (str(stage.town.token(stage.table, 1)).encode(), stage.keys[0].encode())


def test_every_secret_is_found_wherever_it_stands():
    async def body():
        async with serving(games=EVERY) as town:
            stage = await played(town, sample, "public", listeners=1)
            truth = await stage.truth()
            for data in spilt(truth, stage):
                ear = Ear("seat 0", 0, stage.ears[0].token)
                ear.hear(truth.over - 1, "application/json", b"before" + b"\n" + data + b"\n" + b"after")
                assert leaks(ear, truth), data
            packed = Ear("seat 0", 0)
            packed.hear(
                truth.over - 1,
                "application/msgpack",
                msgspec.msgpack.encode({"entry": truth.entries[0].versions["full"]}),
            )
            assert leaks(packed, truth)
            fine = Ear("seat 0", 0, stage.ears[0].token)
            fine.hear(
                truth.over, "application/json", b"\n".join([truth.seed.encode(), truth.entries[0].versions["full"]])
            )
            fine.hear(truth.over, "application/json", b'{"asks":[],"seq":%d}' % truth.over)
            assert leaks(fine, truth) == []

    run(body())
