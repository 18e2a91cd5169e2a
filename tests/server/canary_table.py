"""A table of any game, played by people who say what can be found again, and everything that everybody can ask of it.

What there is to ask comes from the OpenAPI document: a new address is asked for without a word here, as long as its
parameters are of kinds that are known; else `parameters` says which one is not.
"""

import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from itertools import count, product
from random import Random
from typing import Any

import httpx

from games.core import Bargained, Game, Moneyed
from games.table.house import House
from server import openapi
from tests.laws.sampling import member, outside
from tests.server.canaries import Ear, Truth
from tests.server.live_support import QUIT, choose, entries
from tests.server.live_wire import NDJSON, SSE, Town

WAYS = ("json", "msgpack", NDJSON, SSE)
STREAMS = {NDJSON, SSE}

NOWHERE = "00-aaaaaaaaaaaaaaaa"
"""A table that does not exist."""

MOVES = 12
"""The most that is done before each of the two disputes."""


SOON = 30
"""Moves after which a game has shown whether it has offers at all."""


class TooShort(Exception):  # noqa: N818  (it is said of a game)
    """The game was over before all was done that should be looked at."""


class Stage:
    """A table, everybody who could hear of it, and what was said there that should reach some of them only."""

    def __init__(self, town: Town, game: Game, visibility: str, rng: Random) -> None:
        self.town, self.game, self.visibility, self.rng = town, game, visibility, rng
        self.ears: list[Ear] = []
        self.keys: list[str] = []
        self.whispers: dict[str, set[int]] = {}
        self.aloud: list[str] = []
        self.done: set[str] = set()
        self.asked: set[str] = set()
        self.readers: list[tuple[Ear, str, Any]] = []

    async def open(self) -> None:
        """A game for as many as it takes, but no more than four."""
        town, private = self.town, self.visibility == "private"
        self.arbiter = town.person("Arbiter", "play", "read", "arbitrate")
        house = House(whispers=True, disputes="arbiter", arbiter=self.arbiter, move_seconds=600, bank_seconds=600)
        seats = max(seats for seats in self.game.seats if seats <= max(4, self.game.seats[0]))
        self.table = await town.table(self.game.name, seats, house, visibility=self.visibility)
        invited = await town.post(self.table, 0, "invites", {"role": "watch"})
        self.code = invited.json()["code"]
        watcher, operator = town.person("Watcher"), town.person("Operator", "read", "operate")
        if private:
            town.site.accounts.admit(self.table.id, watcher)
        people = {
            "watcher": watcher,
            "arbiter": self.arbiter,
            "operator": operator,
            "stranger": town.person("Stranger"),
        }
        self.ears = [Ear(f"seat {seat}", seat, town.token(self.table, seat)) for seat in range(seats)]
        self.ears += [
            Ear(name, None, town.tokens[who], shut=private and name == "stranger") for name, who in people.items()
        ]
        self.ears.append(Ear("nobody", shut=private))

    @property
    def seq(self) -> int:
        return self.table.live.seq

    @property
    def bargains(self) -> bool:
        return isinstance(self.game, Moneyed) and isinstance(self.game, Bargained)

    # --- Following -----------------------------------------------------------------------------------

    async def follow(self, stack: AsyncExitStack) -> None:
        """Everybody follows in every way there is; whom the table is not there for is told so."""
        for ear, way in product(self.ears, WAYS):
            self.readers.append((ear, way, await self._reader(stack, ear, way)))

    async def _reader(self, stack: AsyncExitStack, ear: Ear, way: str) -> Any:
        town, who = self.town, self._who(ear)
        if way in STREAMS:
            return await stack.enter_async_context(town.stream(self.table, who, media=way))
        reader = await stack.enter_async_context(town.socket(self.table, who, coding=way))
        if ear.shut and ear.token is None:
            await reader.send({"authorization": "Bearer no-such-token"})
        return reader

    def _who(self, ear: Ear) -> Any:
        """The player, as the town has him."""
        return next((player for player, token in self.town.tokens.items() if token == ear.token), None)

    async def listen(self) -> None:
        """Everybody takes what has come."""
        for ear, way, reader in self.readers:
            if not ear.shut:
                await reader.reach(self.seq)
            elif way in STREAMS:
                reader.raw.append(reader.response.content)
            else:
                await reader.end()
            for data in reader.raw:
                ear.hear(self.seq, way, data)
            reader.raw.clear()

    def put_together(self) -> None:
        """What everybody knows by his frames, at each entry."""
        for ear, _, reader in self.readers:
            ear.seen += reader.sight.shown.values()

    # --- Playing -------------------------------------------------------------------------------------

    async def act(self, who: Any, action: dict[str, Any]) -> None:
        """An action, as any client sends it; the answer reaches who sent it."""
        key = f"key-{self.rng.randbytes(12).hex()}"
        self.keys.append(key)
        coding = self.rng.choice(("application/json", "application/msgpack"))
        ear = next(
            (each for each in self.ears if each.token == self.town.token(self.table, who)),
            Ear("who is not listened to"),
        )
        answer = await self.town.post(self.table, who, "actions", action, Idempotency_Key=key, Accept=coding)
        assert answer.status_code == 201, (action, answer.text)
        ear.hear(self.seq, _way(answer), answer.content)
        self.done.add(action["type"])

    async def move(self, around: float) -> None:
        """Somebody does something; first of all what nobody has done yet."""
        seat, action = self._something_new() or choose(self.table.now, self.rng, around)
        while action["type"] in (*QUIT, "dispute"):
            seat, action = choose(self.table.now, self.rng, around)
        self._mark(seat, action)
        await self.act(seat, action)
        await self.listen()
        if self.table.over:
            raise TooShort

    def _something_new(self) -> tuple[int, dict[str, Any]] | None:
        now = self.table.now
        self.asked |= {ask.type for asks in now.asks for ask in asks}
        for kind in ("say", "whisper", "offer", "promise", "pay"):
            for seat in reversed(range(len(now.asks)) if kind not in self.done else ()):
                for ask in now.asks[seat]:
                    if ask.type == kind:
                        return seat, member(self.rng, ask, now.windows)
        return None

    def _mark(self, seat: int, action: dict[str, Any]) -> None:
        """What is said can be found again."""
        canary = f"canary-{self.rng.randbytes(9).hex()}"
        if action["type"] == "whisper":
            action["text"] = canary
            if not self.whispers and len(self.table.people) > 2:
                action["to"] = [1]  # so that there is one of which seat 0 hears nothing
            self.whispers[canary] = {seat, *action["to"]}
        elif action["type"] in ("say", "promise"):
            action["text"] = canary
            self.aloud.append(canary)

    async def play(self) -> None:
        """To some point in the middle: all that one can say was said, a dispute was upheld, and another one is open."""
        for number in count():
            left = self.wanted - self.done
            if not left or (number >= SOON and not left & self.asked):
                break
            await self.move(0.0)
        for uphold in (True, None):
            for _ in range(self._part):
                await self.move(0.3)
            while not list(self.table.now.table.strikable):
                await self.move(0.0)
            await self.dispute(uphold=uphold)

    @property
    def wanted(self) -> set[str]:
        """What somebody has to do, in any game that knows of it."""
        return {"say", "whisper", *(("offer", "promise", "pay") if self.bargains else ())}

    @property
    def _part(self) -> int:
        """A part of the game that leaves enough of it."""
        return max(1, min(MOVES, self.game.bound(self.game.Options(), len(self.table.people)) // 4))

    async def dispute(self, *, uphold: bool | None) -> None:
        seat, first = (
            self.rng.randrange(len(self.table.people)),
            self.rng.choice(list(self.table.now.table.strikable)[:5]),
        )
        await self.act(seat, {"type": "dispute", "from": first, "reason": "A slip of the hand."})
        await self.listen()
        if uphold is not None:
            await self.act(self.arbiter, {"type": "rule_dispute", "uphold": uphold})
            await self.listen()

    async def finish(self) -> None:
        """The dispute is rejected, and all agree to end the table."""
        await self.act(self.arbiter, {"type": "rule_dispute", "uphold": False})
        for seat in range(len(self.table.people)):
            await self.act(seat, {"type": "abandon", "agree": True})
            await self.listen()
        assert self.table.over

    # --- Asking around -------------------------------------------------------------------------------

    async def ask_around(self) -> None:
        """Everybody asks for everything, in every form, and tries what is not allowed. What is not about a table is the
        same for everybody, so a seat and somebody without a token are enough there.
        """
        for ear in self.ears:
            for path, query, media in requests(self):
                if self.table.id in path or path == "/v1/tables" or ear in (self.ears[0], self.ears[-1]):
                    await self._get(ear, path, query, media)
            await self._try(ear)

    async def _get(self, ear: Ear, path: str, query: dict[str, Any], media: str) -> None:
        answer = await self.town.http.get(path, params=query, headers={**ear.headers, "Accept": media})
        ear.hear(self.seq, _way(answer), answer.content)
        ear.hear(self.seq, "headers", b"\n".join(name + b": " + value for name, value in answer.headers.raw))
        if ear.shut and self.table.id in path:
            elsewhere = path.replace(self.table.id, NOWHERE)
            other = await self.town.http.get(elsewhere, params=query, headers={**ear.headers, "Accept": media})
            assert answer.status_code in (401, 404), (ear, path)
            assert (answer.status_code, answer.text) == (other.status_code, other.text), (ear, path)

    async def _try(self, ear: Ear) -> None:
        """What nobody may send."""
        for action in bad_actions(self, ear):
            path = f"/v1/tables/{self.table.id}/actions"
            answer = await self.town.http.post(path, json=action, headers=ear.headers)
            assert answer.status_code >= 400, (ear, action, answer.text)
            ear.hear(self.seq, _way(answer), answer.content)

    async def truth(self) -> Truth:
        """What really happened."""
        game = (await self.town.http.get(f"/v1/games/{self.game.name}")).text + self.table.people[0]  # asked for by all
        log = await entries(self.town.site, self.table.id)
        never = [*self.town.tokens.values(), *self.keys, self.code]
        return Truth(self.table.live.rules, log, game, never, private=self.visibility == "private")


def _way(answer: httpx.Response) -> str:
    return answer.headers.get("content-type", "nothing").partition(";")[0]


def bad_actions(stage: Stage, ear: Ear) -> Iterator[dict[str, Any]]:
    """Actions that no ask allows: each field of each ask once outside its domain, then what makes no sense at all."""
    now, seat = stage.table.now, 0 if ear.seat is None else ear.seat
    for ask in now.asks[seat]:
        for name, domain in ask.fields.items():
            for value in list(outside(stage.rng, domain))[:2]:
                yield {**member(stage.rng, ask, now.windows, now.table.strikable), name: value}
    yield from (
        {"type": "no_such"},
        {"type": "time_up", "seat": 1},
        {"type": "resume", "events": []},
        {"type": "whisper"},
    )


# --- What there is to ask -----------------------------------------------------------------------------


def routes() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every address that can be read, with what the document says of it."""
    for path, methods in openapi.document()["paths"].items():
        if "get" in methods:
            yield path, methods["get"]


def parameters(stage: Stage) -> dict[str, list[Any]]:
    """What may stand for a parameter of that name."""
    last = stage.seq
    somewhere = stage.rng.randint(1, last)
    return {
        "table": [stage.table.id], "seq": [1, somewhere, last, last + 9], "game": [stage.game.name],
        "player": [stage.table.people[0]], "code": ["refused"], "at": [1, somewhere, last + 9], "seat": [0, 1, 98],
        "after": [0, somewhere, last + 9], "limit": [1, 7], "status": ["playing"], "cursor": ["x"], "bots": ["all"],
    }  # fmt: skip


class NoRecipe(AssertionError):  # noqa: N818  (it is said of an address)
    """Nobody knows what to ask for at an address."""


def requests(stage: Stage) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Everything that can be asked for: address, query, form. One parameter of the query at a time."""
    values = parameters(stage)
    for path, told in routes():
        for each in told["parameters"]:
            if each["in"] != "header" and each["name"] not in values:
                raise NoRecipe(f"no recipe for the parameter {each['name']!r} of {path}")
        asked = [each["name"] for each in told["parameters"] if each["in"] == "query"]
        queries = [{}, *({name: value} for name in asked for value in values[name])]
        names = re.findall(r"{(\w+)}", path)
        for chosen in product(*(values[name] for name in names)):
            where = path.format(**dict(zip(names, chosen, strict=True)))
            for media, query in product(sorted(set(told["responses"]["200"]["content"]) - STREAMS), queries):
                yield where, query, media


def streams() -> set[tuple[str, str]]:
    """The addresses that go on telling, with the form."""
    return {
        (path, media) for path, told in routes() for media in STREAMS & set(told["responses"]["200"].get("content", ()))
    }


# --- The whole of it ----------------------------------------------------------------------------------


async def played(town: Town, game: Game, visibility: str, listeners: int | None = None) -> Stage:
    """A table at which some play, all listen and ask: in the middle, and after the end. `listeners`: the first so many."""
    for attempt in range(20):
        stage = Stage(town, game, visibility, Random(f"{game.name} {visibility} {attempt}"))
        await stage.open()
        stage.ears = stage.ears[:listeners]
        try:
            await _play(stage)
        except TooShort:
            continue
        return stage
    raise AssertionError("the game never lasts long enough")


async def _play(stage: Stage) -> None:
    async with AsyncExitStack() as stack:
        await stage.follow(stack)
        await stage.play()
        await stage.ask_around()
        await stage.finish()
        await stage.ask_around()
        stage.put_together()
