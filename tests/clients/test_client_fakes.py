"""A small server that satisfies the documented wire, in this process: what the tests of the Python client talk to.

Its one game: seats count in turn, 1 to 3 at a time, until the goal is reached; each holds a card that it alone sees.
The hashes are written a second time here, from docs/wire.md.
"""

import asyncio
import functools
import hashlib
import json
import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from comitium_client import Client, Disconnected, Retry
from comitium_client.errors import problem

SERVER = "http://127.0.0.1:8000"
QUICK = Retry(attempts=4, base=0.0)
GOAL = 10
COUNT = {"type": "count", "must": True, "fields": {"n": {"one_of": [1, 2, 3]}}}
SAY = {"type": "say", "must": False, "fields": {"text": {"text": 500}}}


def runs(test):
    """A test that is a coroutine."""

    @functools.wraps(test)
    def run(*args, **kwargs):
        asyncio.run(asyncio.wait_for(test(*args, **kwargs), 30))

    return run


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def entry_fields(table: str, seq: int, before: bytes, versions: Mapping[str, Any], salt: bytes) -> dict[str, dict]:
    """The fields of an entry for the readers of each version (`versions`: name to body, in the order of the leaf)."""
    salts = {name: digest(salt, name.encode()) for name in versions}
    commits = {name: digest(b"\2", salts[name], canonical(versions[name])) for name in versions}
    leaf = digest(b"\0", *commits.values())
    head = digest(b"\1", before, leaf)
    return {
        name: {
            "seq": seq,
            "version": name,
            "entry": canonical(versions[name]),
            "salt": salts[name].hex(),
            "commits": {other: commit.hex() for other, commit in commits.items() if other != name},
            "leaf": leaf.hex(),
            "head": head.hex(),
        }
        for name in versions
    }


def simple_log(table: str, length: int) -> list[dict[str, Any]]:
    """The public fields of a log in which each entry has a full and a public version."""
    log: list[dict[str, Any]] = []
    for seq in range(1, length + 1):
        body = {"table": table, "seq": seq, "at": seq, "by": 0, "action": {"type": "count"}, "events": []}
        full = {**body, "action": {"type": "count", "n": seq}}
        before = bytes.fromhex(log[-1]["head"]) if log else bytes(32)
        log.append(entry_fields(table, seq, before, {"full": full, "public": body}, bytes([seq]))["public"])
    return log


class Trouble(Exception):  # noqa: N818  (a problem, before it is a document)
    def __init__(self, status: int, code: str, **more: Any) -> None:
        self.status = status
        self.document = {
            "type": f"/problems/{code}",
            "title": code,
            "status": status,
            "code": code,
            "detail": code,
            **more,
        }


class Signer:
    """Signs receipts. `shared`: each with a path, as if others had been made together with it."""

    def __init__(self, name: str = "k1", *, shared: bool = False) -> None:
        self.name = name
        self.shared = shared
        self._key = Ed25519PrivateKey.generate()

    @property
    def public(self) -> dict[str, Any]:
        raw = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return {"id": self.name, "public_key": raw.hex(), "created": 1, "current": True}

    def receipt(self, table: str, seq: int, head: str) -> dict[str, Any]:
        text = f"comitium receipt 1\n{table}\n{seq}\n{head}".encode()
        if self.shared:
            return self._one_of_five(table, seq, head, text)
        return {"table": table, "seq": seq, "head": head, "key": self.name, "signature": self._key.sign(text).hex()}

    def _one_of_five(self, table: str, seq: int, head: str, text: bytes) -> dict[str, Any]:
        """The tree has eight leaves, of which the last three are empty; which one is ours depends on the seq."""
        index = seq % 5
        leaves = [digest(b"\0", f"another {n}".encode()) for n in range(5)] + [bytes(32)] * 3
        leaves[index] = digest(b"\0", text)
        path, level = [], leaves
        for step in range(3):
            path.append(level[(index >> step) ^ 1].hex())
            level = [digest(b"\1", *level[n : n + 2]) for n in range(0, len(level), 2)]
        signature = self._key.sign(f"comitium receipts 1\n{level[0].hex()}".encode()).hex()
        shared = {"table": table, "seq": seq, "head": head, "key": self.name, "signature": signature, "path": path}
        return {**shared, "index": index} if index else shared


class FakeTable:
    """A table: its log with every reader's version, and what everybody knew after each entry."""

    def __init__(self, name: str, seats: int, creator: str, *, sit: bool) -> None:
        self.name = name
        self.size = seats
        self.log: list[dict[str, dict]] = []
        self.past: list[dict[str, Any]] = []
        self.sinces: list[list[int]] = []
        self.entropy: list[str | None] = [None] * seats
        self.followers: list[FakeSocket] = []
        self.seed_hash = hashlib.sha256(name.encode()).hexdigest()
        holders = [creator if sit and seat == 0 else None for seat in range(seats)]
        sealed = {"type": "seed_sealed", "hash": self.seed_hash, "seed": None}
        start = {"status": "open", "holders": holders, "game": None, "turn": None, "words": 0}
        self.append("server", {"type": "create"}, [sealed], start)

    @property
    def now(self) -> dict[str, Any]:
        return self.past[-1]

    @property
    def seq(self) -> int:
        return len(self.log)

    @property
    def head(self) -> str:
        return self.fields(self.seq, None)["head"]

    def fields(self, seq: int, seat: int | None) -> dict[str, Any]:
        versions = self.log[seq - 1]
        return versions.get(str(seat)) or versions.get("public") or versions["full"]

    def stored(self, seq: int, seat: int | None) -> dict[str, Any]:
        """As the log shows it: after the end everything."""
        return self.log[seq - 1]["full"] if self.over else self.fields(seq, seat)

    def append(self, by: Any, action: dict, events: list, state: dict, seen_by: Callable | None = None) -> int:
        """A new entry; `seen_by(seat)` are the events as that seat, or the public (None), may know them."""
        old = [self.asks(seat) for seat in range(self.size)] if self.past else [None] * self.size
        body = {"table": self.name, "seq": self.seq + 1, "at": 1_000 + self.seq, "by": by, "action": action}
        versions = {"full": {**body, "events": events}}
        if seen_by is not None:
            names: list[int | None] = [None, *range(self.size)]
            versions |= {"public" if n is None else str(n): {**body, "events": seen_by(n)} for n in names}
        before = bytes.fromhex(self.head) if self.log else bytes(32)
        self.log.append(entry_fields(self.name, self.seq + 1, before, versions, bytes([self.seq % 256])))
        self.past.append(state)
        moved = [self.asks(seat) != old[seat] for seat in range(self.size)]
        self.sinces.append([self.seq if new else self.sinces[-1][seat] for seat, new in enumerate(moved)])
        for follower in list(self.followers):
            follower.put(self.frame(self.seq, follower.seat))
            if self.over:
                follower.finish()
        return self.seq

    # --- What a reader gets ---------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        return self.now["status"] == "ended"

    def asks(self, seat: int | None, seq: int = 0) -> list[dict[str, Any]]:
        state = self.past[(seq or self.seq) - 1]
        if seat is None or state["status"] == "ended":
            return []
        return [COUNT, SAY] if state["turn"] == seat else [SAY]

    def to_act(self, seq: int) -> list[int]:
        turn = self.past[seq - 1]["turn"]
        return [] if turn is None else [turn]

    def view(self, seat: int | None, seq: int = 0) -> dict[str, Any]:
        seq = seq or self.seq
        state = self.past[seq - 1]
        game = state["game"] and {
            "total": state["game"]["total"],
            "cards": [card if own == seat else None for own, card in enumerate(state["game"]["cards"])],
        }
        return {
            "table": self.name, "seq": seq, "head": self.fields(seq, None)["head"], "status": state["status"],
            "seat": seat, "seats": [{"player": holder, "bot": None} for holder in state["holders"]],
            "to_act": self.to_act(seq), "windows": [], "words": state["words"], "result": None, "game": game,
        }  # fmt: skip

    def first(self, seat: int | None, resumed_from: int | None = None) -> dict[str, Any]:
        frame = {
            "seq": self.seq, "head": self.head, "view": self.view(seat), "asks": self.asks(seat),
            "since": 0 if seat is None else self.sinces[-1][seat], "to_act": self.to_act(self.seq),
        }  # fmt: skip
        return frame if resumed_from is None else {**frame, "resumed_from": resumed_from}

    def frame(self, seq: int, seat: int | None) -> dict[str, Any]:
        since = 0 if seat is None else self.sinces[seq - 1][seat]
        frame = {**self.fields(seq, seat), "to_act": self.to_act(seq), "since": since}
        if seq == 1 or self.asks(seat, seq) != self.asks(seat, seq - 1):
            frame["asks"] = self.asks(seat, seq)
        if seq == 1 or (self.past[seq - 2]["game"] is None) != (self.past[seq - 1]["game"] is None):
            return {**frame, "view": self.view(seat, seq)}
        old, new = self.view(seat, seq - 1), self.view(seat, seq)
        changed = {name: value for name, value in new.items() if old[name] != value and name != "game"}
        if new["game"] is not None:
            changed["game"] = {name: value for name, value in new["game"].items() if old["game"][name] != value}
        return {**frame, "changed": changed}

    def summary(self) -> dict[str, Any]:
        holders = self.now["holders"]
        return {
            "id": self.name, "game": "counting", "rules": 1, "name": "", "status": self.now["status"],
            "visibility": "public", "options": {}, "house": {}, "creator": holders[0], "to_act": self.to_act(self.seq),
            "seats": [{"seat": n, "player": who, "name": who, "bot": None} for n, who in enumerate(holders)],
            "seq": self.seq, "head": self.head, "created": 1, "changed": 1, "result": None, "seed_hash": self.seed_hash,
            "a_field_of_tomorrow": {"x": 1},
        }  # fmt: skip

    # --- What is done ---------------------------------------------------------------------------------

    def sit(self, player: str, seat: int | None, entropy: str | None) -> tuple[int, int]:
        holders = list(self.now["holders"])
        if seat is None:
            seat = holders.index(player) if player in holders else holders.index(None)
        if holders[seat] not in (None, player):
            raise Trouble(409, "seat_taken")
        holders[seat] = player
        self.entropy[seat] = entropy
        sat = [{"type": "sat", "seat": seat, "player": player}]
        seq = self.append("server", {"type": "sit"}, sat, {**self.now, "holders": holders})
        if None not in holders:
            self.start()
        return seat, seq

    def start(self) -> None:
        cards = list(range(7, 7 + self.size))

        def dealt(seat: int | None) -> list:
            return [{"type": "dealt", "cards": [card if own == seat else None for own, card in enumerate(cards)]}]

        state = {**self.now, "status": "playing", "turn": 0, "game": {"total": 0, "cards": cards}}
        self.append("server", {"type": "start"}, [{"type": "dealt", "cards": cards}], state, dealt)

    def act(self, seat: int, action: dict[str, Any]) -> int:
        match action:
            case {"type": "say", "text": str(text)}:
                return self.append(
                    seat, action, [{"type": "said", "text": text}], {**self.now, "words": self.now["words"] + 1}
                )
            case {"type": "count", "n": int(n)} if self.now["turn"] == seat and not self.over:
                total = self.now["game"]["total"] + n
                state = {**self.now, "turn": (seat + 1) % self.size, "game": {**self.now["game"], "total": total}}
                if total >= GOAL:
                    state |= {"status": "ended", "turn": None}
                return self.append(seat, action, [{"type": "counted", "n": n}], state)
            case _:
                raise Trouble(409, "refused", reason="not_now", asks=f"/v1/tables/{self.name}/asks")


class House:
    """The server. `faults`: what goes wrong with the next requests, each `"503"`, `"lose"` (the answer) or a `Trouble`."""

    def __init__(self) -> None:
        self.signer = Signer()
        self.keys = [self.signer.public]
        self.players: dict[str, str] = {}
        self.tables: dict[str, FakeTable] = {}
        self.faults: deque[Any] = deque()
        self.requests: list[httpx.Request] = []
        self.actions: list[dict[str, Any]] = []
        self.dialled: list[str] = []
        self.refuse_dials: deque[Exception] = deque()
        self.resume_limit = 100
        self._done: dict[tuple[str, str], tuple[str, int]] = {}

    def client(self, name: str | None = None, **options: Any) -> Client:
        token = None if name is None else self.token(name)
        options = {"transport": self.transport, "connect": self.connect, "retry": QUICK, **options}
        return Client(SERVER, token=token, **options)

    def token(self, name: str) -> str:
        self.players[f"token-{name}"] = name
        return f"token-{name}"

    def table(self, *players: str, name: str = "t1") -> FakeTable:
        """A table at which those players sit; it has started."""
        table = self.tables[name] = FakeTable(name, len(players), players[0], sit=True)
        for player in players[1:]:
            table.sit(player, None, None)
        if len(players) == 1:
            table.start()
        return table

    @property
    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self.handle)

    def receipt(self, table: FakeTable, seq: int) -> dict[str, Any]:
        return self.signer.receipt(table.name, seq, table.fields(seq, None)["head"])

    # --- Acting, over both transports -----------------------------------------------------------------

    def act(
        self, table: FakeTable, player: str | None, action: dict, key: str | None, if_match: int | None
    ) -> tuple[int, bool]:
        self.actions.append(action)
        seat = self.seat(table, player)
        if player is None or seat is None:
            raise Trouble(403, "not_your_seat")
        body = json.dumps(action, sort_keys=True)
        done = self._done.get((player, key or ""))
        if done is not None:
            if done[0] != body:
                raise Trouble(422, "key_reused")
            return done[1], True
        if if_match is not None and if_match > table.seq:
            raise Trouble(412, "log_forked")
        if if_match is not None and if_match < table.sinces[-1][seat]:
            raise Trouble(
                412, "stale", expected=table.sinces[-1][seat], head=table.seq, missed=f"/log?after={if_match}"
            )
        seq = table.act(seat, action)
        if key:
            self._done[player, key] = (body, seq)
        return seq, False

    @staticmethod
    def seat(table: FakeTable, player: str | None) -> int | None:
        holders = table.now["holders"]
        return holders.index(player) if player is not None and player in holders else None

    # --- REST -----------------------------------------------------------------------------------------

    async def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        fault = self.faults.popleft() if self.faults else None
        if fault == "503":
            return self._problem(Trouble(503, "unavailable"), {"Retry-After": "0"})
        if isinstance(fault, httpx.Response):
            return fault
        try:
            if isinstance(fault, Trouble):
                raise fault
            status, answer, headers = self._serve(request)
        except Trouble as trouble:
            return self._problem(trouble, {"Retry-After": "0"} if trouble.status == 429 else {})
        if fault == "lose":
            raise httpx.ReadTimeout("the answer was lost", request=request)
        if "msgpack" in request.headers["Accept"]:
            headers["Content-Type"] = "application/msgpack"
            return httpx.Response(status, content=msgspec.msgpack.encode(answer), headers=headers)
        headers["Content-Type"] = "application/json"
        return httpx.Response(status, content=json_bytes(answer), headers=headers)

    @staticmethod
    def _problem(trouble: Trouble, headers: dict[str, str]) -> httpx.Response:
        headers = {"Content-Type": "application/problem+json", **headers}
        return httpx.Response(trouble.status, content=canonical(trouble.document), headers=headers)

    def _serve(self, request: httpx.Request) -> tuple[int, Any, dict[str, str]]:
        player = self.players.get(request.headers.get("Authorization", "").removeprefix("Bearer "))
        query = {name: int(value) if value.isdigit() else value for name, value in request.url.params.items()}
        body = json.loads(request.content or b"{}")
        at = re.fullmatch(r"/v1/tables/([^/]+)(/[a-z]+)?(?:/(.+))?", request.url.path)
        if at is None:
            return self._around(request, player, query, body)
        if at[1] not in self.tables:
            raise Trouble(404, "not_found")
        table = self.tables[at[1]]
        if request.method == "GET":
            return 200, self._read(table, player, (at[2] or "", at[3]), query), {}
        key = request.headers.get("Idempotency-Key")
        match at[2], request.method:
            case "/actions", "POST":
                match = request.headers.get("If-Match")
                seq, replayed = self.act(table, player, body, key, None if match is None else int(match.strip('"')))
                answer = {**table.fields(seq, self.seat(table, player)), "receipt": self.receipt(table, seq)}
                return 201, answer, {"Idempotency-Replayed": "true"} if replayed else {}
            case "/seats", "POST":
                seat, seq = table.sit(body.get("bot") or player, body.get("seat"), body.get("entropy"))
                return 201, {"seat": seat, **self._moved(table, seq)}, {}
            case "/seats", "DELETE":
                holders = [None if n == int(at[3]) else who for n, who in enumerate(table.now["holders"])]
                return (
                    200,
                    self._moved(table, table.append(0, {"type": "rise"}, [], {**table.now, "holders": holders})),
                    {},
                )
            case "/invites", "POST":
                return 201, {"code": "c/1", "role": body.get("role", "play"), "seat": body.get("seat")}, {}
            case "/invites", "DELETE":
                return 204, None, {}
            case _:
                seq = table.append(
                    "operator", {"type": "close"}, [], {**table.now, "status": "abandoned", "turn": None}
                )
                return 201, {**table.fields(seq, None), "receipt": self.receipt(table, seq)}, {}

    def _moved(self, table: FakeTable, seq: int) -> dict[str, Any]:
        return {"seq": seq, "head": table.fields(seq, None)["head"], "receipt": self.receipt(table, seq)}

    def _read(self, table: FakeTable, player: str | None, what: tuple[str, str | None], query: dict) -> Any:
        seat = self.seat(table, player)
        match what:
            case "/view", _:
                if query.get("at", 0) > table.seq:
                    raise Trouble(412, "log_forked")
                return table.view(query.get("seat", seat), query.get("at", 0))
            case "/asks", _:
                return {
                    "seq": table.seq,
                    "since": 0 if seat is None else table.sinces[-1][seat],
                    "asks": table.asks(seat),
                }
            case "/log", None:
                after = query["after"]
                if after > table.seq:
                    raise Trouble(412, "log_forked")
                seqs = range(after + 1, min(table.seq, after + query.get("limit", 3)) + 1)
                return {
                    "entries": [table.stored(seq, seat) for seq in seqs],
                    "seq": table.seq,
                    "head": table.head,
                }
            case "/log", str(seq):
                return table.stored(int(seq), seat)
            case _:
                return table.summary()

    def _around(self, request: httpx.Request, player: str | None, query: dict, body: dict) -> tuple[int, Any, dict]:
        game = {
            "game": "counting",
            "rules": 1,
            "title": "Counting",
            "summary": "Count.",
            "seats": [2, 3],
            "minutes": "5",
        }
        match request.method, request.url.path:
            case "POST", "/v1/players":
                token = self.token(body["name"])
                return 201, {"id": body["name"], "name": body["name"], "token": token, "scopes": ["play"]}, {}
            case "GET", "/v1/me":
                if player is None:
                    raise Trouble(401, "unauthorized")
                return (
                    200,
                    {"id": player, "name": player, "scopes": ["play"], "tokens": [{"id": "1", "created": 1}]},
                    {},
                )
            case "POST", "/v1/me/tokens":
                return 201, {"id": "2", "token": self.token(str(player)), "scopes": body.get("scopes", [])}, {}
            case "DELETE", _:
                return 204, None, {}
            case "GET", "/v1/games":
                return 200, {"games": [game]}, {}
            case "GET", "/v1/games/counting":
                return 200, {**game, "options": {}, "texts": {"en": {"counting.title": "Counting"}}}, {}
            case "GET", "/v1/keys":
                return 200, {"keys": self.keys}, {}
            case "GET", "/v1/tables":
                names = sorted(self.tables)
                start = names.index(query["cursor"]) if "cursor" in query else 0
                end = start + query.get("limit", 2)
                page = [self.tables[name].summary() for name in names[start:end]]
                return 200, {"tables": page, "next": names[end] if end < len(names) else None}, {}
            case "POST", "/v1/tables":
                name = f"t{len(self.tables) + 1}"
                table = self.tables[name] = FakeTable(name, body["seats"], str(player), sit=body.get("sit", True))
                return 201, {**table.summary(), **table.fields(1, None), "receipt": self.receipt(table, 1)}, {}
            case "GET", path if path.startswith("/v1/players/"):
                return 200, {"id": path.rpartition("/")[2], "name": "Livia", "bot": False}, {}
            case _:
                raise Trouble(404, "not_found")

    # --- The socket -----------------------------------------------------------------------------------

    async def connect(self, url: str, headers: Mapping[str, str], subprotocols: Sequence[str]) -> "FakeSocket":
        self.dialled.append(url)
        if self.refuse_dials:
            raise self.refuse_dials.popleft()
        parts = urlsplit(url)
        after = parse_qs(parts.query).get("after")
        name = parts.path.split("/")[3]
        if name not in self.tables:
            raise problem(Trouble(404, "not_found").document)
        player = self.players.get(headers.get("Authorization", "").removeprefix("Bearer "))
        return FakeSocket(self, self.tables[name], player, subprotocols[0], None if after is None else int(after[0]))

    def cut(self, table: FakeTable, code: int | None = None) -> None:
        """Every connection to the table is lost."""
        for follower in list(table.followers):
            follower.end(Disconnected("cut", code))


class FakeSocket:
    """The client's end of a connection to a table."""

    def __init__(self, house: House, table: FakeTable, player: str | None, subprotocol: str, after: int | None) -> None:
        self.seat = house.seat(table, player)
        self.closed = False
        self._house = house
        self._table = table
        self._player = player
        self._msgpack = subprotocol == "comitium.msgpack"
        self._out: asyncio.Queue[str | bytes | Disconnected] = asyncio.Queue()
        self._lost: Disconnected | None = None
        self._begin(after)

    def _begin(self, after: int | None) -> None:
        if after is not None and after > self._table.seq:
            self.put({"problem": Trouble(412, "log_forked").document})
            self.finish()
        elif not after or self._table.seq - after > self._house.resume_limit:
            self.put(self._table.first(self.seat, after or None))
        else:
            for seq in range(after + 1, self._table.seq + 1):
                self.put(self._table.frame(seq, self.seat))
        self._table.followers.append(self)

    def put(self, frame: dict[str, Any]) -> None:
        self._out.put_nowait(msgspec.msgpack.encode(frame) if self._msgpack else json_bytes(frame))

    def finish(self) -> None:
        """The server closes after what waits."""
        self._out.put_nowait(Disconnected("done", 1000))

    def end(self, why: Disconnected) -> None:
        """The connection breaks at once."""
        self._table.followers.remove(self)
        self._lost = why
        while not self._out.empty():
            self._out.get_nowait()
        self._out.put_nowait(why)

    async def send(self, message: str | bytes) -> None:
        await asyncio.sleep(0)
        if self._lost is not None:
            raise self._lost
        frame = (msgspec.msgpack if self._msgpack else msgspec.json).decode(message)
        fault = self._house.faults.popleft() if self._house.faults else None
        try:
            seq, replayed = self._act(frame, fault)
        except Trouble as trouble:
            self.put({"id": frame["id"], "problem": trouble.document})
            return
        if fault == "lose":
            self._house.cut(self._table)
            return
        ack = {"id": frame["id"], **self._house._moved(self._table, seq)}
        self._out.put_nowait("")  # a sign of life in between
        self.put({**ack, "replayed": True} if replayed else ack)

    def _act(self, frame: dict[str, Any], fault: Any) -> tuple[int, bool]:
        if fault == "503":
            raise Trouble(503, "unavailable", retry_after=0)
        if isinstance(fault, Trouble):
            raise fault
        return self._house.act(self._table, self._player, frame["action"], frame.get("key"), frame.get("if_match"))

    async def recv(self) -> str | bytes:
        message = await self._out.get()
        if isinstance(message, Disconnected):
            self._out.put_nowait(message)
            raise message
        return message

    async def close(self) -> None:
        self.closed = True
        self._out.put_nowait(Disconnected("closed"))
        if self in self._table.followers:
            self._table.followers.remove(self)


def json_bytes(value: Any) -> bytes:
    """JSON, with stored entries verbatim."""
    return msgspec.json.encode(_verbatim(value))


def _verbatim(value: Any) -> Any:
    match value:
        case dict():
            return {name: _verbatim(each) for name, each in value.items()}
        case list():
            return [_verbatim(each) for each in value]
        case bytes():
            return msgspec.Raw(value)
        case _:
            return value


def test_the_fake_shows_a_card_to_its_seat_alone():
    table = House().table("Livia", "Gaius")
    assert table.view(1)["game"]["cards"] == [None, 8]
    assert table.view(None)["game"]["cards"] == [None, None]
    assert b'"cards":[7,null]' in table.fields(table.seq, 0)["entry"]
    assert table.fields(table.seq, 0)["head"] == table.fields(table.seq, None)["head"]
