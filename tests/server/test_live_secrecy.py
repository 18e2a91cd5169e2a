"""Nothing that is hidden from somebody is in any byte that reaches him, by whatever way, before it may be.

A whole game of Tribunal is played while everybody follows and asks and errs in every way there is. What may be known is
worked out here from the true events and the rulebook, not from what hides things in the server.
"""

import logging
from contextlib import AsyncExitStack, contextmanager
from random import Random

import msgspec
import pytest

from games.chance import table_key
from games.table.house import House
from games.tribunal.pieces import CARDS
from server import logs
from tests.server.live_support import QUIT, choose, entries, run, said
from tests.server.live_wire import NDJSON, SSE, serving
from tests.server.test_live_follow import follow

SEATS = 5
WAYS = ("json", "msgpack", NDJSON, SSE)
HOUSE = House(whispers=True)


class Ear:
    """All that one audience has received, with the entry up to which the game had come."""

    def __init__(self, who):
        self.who = who
        self.heard = []

    def hear(self, seq, way, data):
        self.heard.append((seq, way, data))


class Truth:
    """What nobody but the server knows, and who may know it from which entry on."""

    def __init__(self, log, people, record):
        self.log = log
        self.over = log[-1]["seq"]
        self.record = record
        self.people = people
        self.cards = {seat: self._cards_of(seat) for seat in range(SEATS)}
        self.shown = self._votes_shown()
        key = table_key(bytes.fromhex(record.seed), record.table, [holder.entropy for holder in record.holders])
        self.never = [key.hex().encode(), key]
        self.until_the_end = [record.seed.encode(), bytes.fromhex(record.seed)]

    def events(self, kind):
        for body in self.log:
            for event in body["events"]:
                if event["type"] == kind:
                    yield body["seq"], event

    def _cards_of(self, seat):
        """The cards that the seat has ever held or given, by the entry from which on it knows them."""
        known = {}
        for kind in ("dealt", "passed", "received", "set_aside"):
            for seq, event in self.events(kind):
                if seat == event["seat"] or (kind == "received" and seat == event["giver"]):
                    for card in event["cards"]:
                        known[card] = min(seq, known.get(card, seq))
        return known

    def _votes_shown(self):
        """By entry of a vote, the entry that shows it."""
        shown, cast = {}, []
        for body in self.log:
            kinds = [event["type"] for event in body["events"]]
            if "vote_cast" in kinds:
                cast.append(body["seq"])
            if "votes_shown" in kinds:
                shown.update(dict.fromkeys(cast, body["seq"]))
                cast = []
        return shown

    def whispers(self, who):
        """What was whispered to others."""
        for _, event in self.events("whispered"):
            if who != event["seat"] and who not in event["to"]:
                yield event["text"].encode()

    def forbidden(self, who, seq, way):
        """What must not be in bytes that this audience has received when the game had come to that entry."""
        yield from self.never
        if seq >= self.over:
            return
        yield from self.until_the_end
        yield from self.whispers(who)
        known = self.cards.get(who, {})
        for card in CARDS:
            if way != "rules" and known.get(card, self.over) > seq:
                yield card.encode()


def votes_in(value):
    """Every vote that can be read in a message: whose, in which entry, and what."""
    if isinstance(value, list):
        for item in value:
            yield from votes_in(item)
    if not isinstance(value, dict):
        return
    if isinstance(value.get("events"), list) and "by" in value:
        for event in value["events"]:
            if event["type"] == "vote_cast" and event["guilty"] is not None:
                yield event["seat"], value["seq"]
        if value["action"].get("type") == "vote" and "guilty" in value["action"]:
            yield value["by"], value["seq"]
    for item in value.values():
        yield from votes_in(item)


def views_in(value):
    """Every state of the game in a message."""
    if isinstance(value, list):
        for item in value:
            yield from views_in(item)
    elif isinstance(value, dict):
        if "phase" in value and "votes" in value:
            yield value
        for item in value.values():
            yield from views_in(item)


def messages(way, data):
    """What was received, as values."""
    if way == "msgpack":
        frame = msgspec.msgpack.decode(data)
        entry = {} if "entry" not in frame else {"entry": msgspec.json.decode(frame["entry"])}
        return [{**frame, **entry}]
    text = data.removeprefix(b"data: ")
    return [msgspec.json.decode(text)] if text[:1] in (b"{", b"[") else []


async def ask_around(town, table, who, rng, seq):
    """Asks for everything there is, and for what there is not."""
    at = rng.randint(1, seq)
    asked = [
        ("view", {}), ("view", {"at": at}), ("view", {"seat": rng.randrange(SEATS)}), ("view", {"at": seq + 99}),
        ("asks", {}), ("log", {"after": max(0, seq - 5)}), (f"log/{at}", {}), ("log", {"after": seq + 99}),
    ]  # fmt: skip
    for path, params in asked:
        answer = await town.get(table, who, path, **params)
        yield path, answer.content + str(answer.headers).encode()
    others = [seat for seat in range(SEATS) if seat != who]
    for action in (
        {"type": "vote", "guilty": True, "seat": 1}, {"type": "vote", "guilty": 3}, {"type": "no_such"},
        {"type": "place", "counter": "no_such", "pan": "guilty"}, {"type": "whisper", "to": others, "text": ""},
        {"type": "pass_cards", "cards": []}, {"type": "time_up", "seat": 1}, {"type": "accept", "offer": 1, "version": 1},
    ):  # fmt: skip
        answer = await town.post(table, who, "actions", action)
        assert answer.status_code >= 400
        yield "problem", answer.content
    for path in (f"/v1/tables/{table.id}", "/v1/tables", "/metrics", "/v1/keys", f"/v1/players/{table.people[0]}"):
        answer = await town.http.get(path, headers=town.headers(table, who))
        yield path, answer.content


class Lines(logging.Handler):
    """The service log as it is written, and the bare records with their tracebacks."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.text = []

    def emit(self, record):
        for form in (logs.JsonLines(), logs.TextLines(), logging.Formatter("%(name)s %(message)s %(args)s")):
            self.text.append(form.format(record))
        self.text.append(str(getattr(record, "fields", "")))


@contextmanager
def listening_to_the_log():
    """What the server says at its most talkative; libraries never say more than INFO (see `logs.set_up`)."""
    lines = Lines()
    loggers = {logging.getLogger("comitium"): logging.DEBUG, logging.getLogger("uvicorn"): logging.INFO}
    levels = {logger: logger.level for logger in loggers}
    for logger, level in loggers.items():
        logger.addHandler(lines)
        logger.setLevel(level)
    try:
        yield lines
    finally:
        for logger, level in levels.items():
            logger.removeHandler(lines)
            logger.setLevel(level)


async def play_while_all_listen(town, table, ears, rng):
    """The whole game. Whoever whispers says something that can be found again."""
    async with AsyncExitStack() as stack:
        readers = [(ear, way, await follow(stack, town, table, ear.who, way)) for ear in ears for way in WAYS]
        asked = 0
        while not table.over:
            await one(town, table, rng)
            seq = table.live.seq
            for ear, way, reader in readers:
                await reader.reach(seq)
                for data in reader.raw:
                    ear.hear(seq, way, data)
                reader.raw.clear()
            asked += 1
            if not table.over and asked % 3 == 0:
                ear = rng.choice(ears)
                async for path, data in ask_around(town, table, ear.who, rng, seq):
                    ear.hear(seq, path, data)


async def one(town, table, rng):
    """One action, by REST as any client sends it, with a key that is the sender's own business."""
    seat, action = choose(table.now, rng, around=0.35)
    assert action["type"] not in QUIT
    if action["type"] == "whisper":
        action["text"] = f"between-us-{rng.randbytes(8).hex()}"
    headers = {"Idempotency_Key": f"private-key-{rng.randbytes(8).hex()}"}
    answer = await town.post(table, seat, "actions", action, **headers)
    assert answer.status_code == 201, (action, answer.text)


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_nothing_reaches_anybody_before_he_may_know_it(visibility):
    async def body():
        with listening_to_the_log() as service_log:
            async with serving(keepalive_seconds=1.0) as town:
                table = await town.table("tribunal", SEATS, HOUSE, visibility=visibility)
                watcher = town.person("Watcher")
                town.site.accounts.admit(table.id, watcher)
                outside = [] if visibility == "private" else [Ear(None)]
                ears = [*(Ear(seat) for seat in range(SEATS)), Ear(watcher), *outside]
                await play_while_all_listen(town, table, ears, Random(visibility))
                log = await entries(town.site, table.id)
                truth = Truth([said(entry) for entry in log], table.people, table.now.table.record)
                assert any(True for _ in truth.whispers(None))
                assert truth.shown
                for ear in ears:
                    nothing_forbidden_is_in(ear, truth, log)
                    no_vote_is_in(ear, truth)
                    no_token_is_in(b"".join(data for _, _, data in ear.heard), town)
                nothing_at_all_is_in("\n".join(service_log.text), truth, town, log)

    run(body())


def nothing_forbidden_is_in(ear, truth, log):
    salts = [text for entry in log for text in (entry.salt, entry.salt.hex().encode())]
    for seq, way, data in ear.heard:
        for secret in truth.forbidden(ear.who, seq, way):
            assert secret not in data, (ear.who, seq, way, secret)
    whole = b"".join(data for _, _, data in ear.heard)
    assert not [salt for salt in salts if salt in whole]
    assert b"private-key-" not in whole


def no_vote_is_in(ear, truth):
    for now, way, data in ear.heard:
        if now >= truth.over:
            continue
        for message in messages(way, data.partition(b"Headers(")[0]):
            for seat, seq in votes_in(message):
                assert seat == ear.who, (ear.who, now, way, seat, seq)
            for state in views_in(message):
                if state["phase"] == "vote":
                    others = [vote for seat, vote in enumerate(state["votes"]) if seat != ear.who]
                    assert others == [None] * len(others)


def no_token_is_in(data, town):
    for token in town.tokens.values():
        assert token.encode() not in data


def nothing_at_all_is_in(text, truth, town, log):
    data = text.encode()
    assert b"request" in data
    no_token_is_in(data, town)
    for secret in (*truth.never, *truth.until_the_end, *truth.whispers(None), b"private-key-"):
        assert secret not in data, secret
    for entry in log:
        assert entry.salt.hex().encode() not in data
    for card in CARDS:
        assert card.encode() not in data, card


def test_who_reads_is_known_by_the_token_alone():
    async def body():
        async with serving() as town:
            table = await town.table("tribunal", SEATS, HOUSE)
            watcher = town.person("Watcher")
            for who in (*range(SEATS), watcher, None):
                own = await town.view(table, who)
                assert own["seat"] == (who if isinstance(who, int) else None)
                for seat in range(SEATS):
                    answer = await town.get(table, who, "view", seat=seat)
                    if seat == who:
                        assert answer.json() == own
                    else:
                        assert (answer.status_code, answer.json()["code"]) == (403, "not_your_seat")
                claims = {"X-Seat": "1", "X-Player": table.people[1], "Cookie": f"token={town.token(table, 1)}"}
                headers = {**town.headers(table, who), **claims}
                claimed = await town.http.get(
                    f"/v1/tables/{table.id}/view?player=1&audience=1&token={town.token(table, 1)}", headers=headers
                )
                assert claimed.json() in (own, claimed.json() if claimed.status_code == 400 else own)
                async with town.socket(table, who) as reader:
                    await reader.receive()
                    assert reader.view == own

    run(body())


def test_after_the_end_a_public_table_opens_to_all_and_a_private_one_to_its_people():
    async def body():
        async with serving() as town:
            for visibility in ("public", "private"):
                table = await town.table("tribunal", 4, HOUSE, visibility=visibility)
                await table.do(0, {"type": "whisper", "to": [1], "text": "between-us"})
                await table.play_out(Random(92))
                for who, opens in (
                    (3, True),
                    (town.person("Watcher"), visibility == "public"),
                    (None, visibility == "public"),
                ):
                    answer = await town.get(table, who, "log", limit=1000)
                    assert answer.status_code == (200 if opens else 404)
                    assert (b"between-us" in answer.content) == opens
                    assert (table.now.table.record.seed.encode() in answer.content) == opens

    run(body())
