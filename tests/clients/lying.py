"""A server that lies: a real one, whose words are changed on their way to the client, and that may sign what was changed.

    liar = Liar(served, {3: altered})                 # whatever shows entry 3 shows it like this
    async with liar.client() as client:
        ...

A lie takes the fields of an entry on the wire (`seq`, `entry`, `salt`, `commits`, `leaf`, `head`...) and gives others. Frames,
pages, answers and lines of a stream are all changed alike.
"""

from collections.abc import Callable, Mapping
from typing import Any

import httpx
import msgspec

from comitium_client import Client, Retry
from comitium_client.chain import commit_of, head_of, leaf_of
from comitium_client.connector import Connector, connect_socket
from events.receipts import SigningKey, sign

QUICK = Retry(attempts=3, base=0.01)

Fields = dict[str, Any]
Lie = Callable[[Fields], Fields]


class Liar:
    """What stands between a server and its clients. `lies`: by entry; `others`: changes any other document, by what its path ends with."""

    def __init__(
        self, served: Any, lies: Mapping[int, Lie] | None = None, others: Mapping[str, Lie] | None = None
    ) -> None:
        self.url = served.url
        self.key: SigningKey = served.site.key
        self._lies, self._others = dict(lies or {}), dict(others or {})

    def client(self, **options: Any) -> Client:
        """Somebody who is lied to."""
        return Client(self.url, retry=QUICK, transport=_Transport(self), connect=self._connect, **options)

    async def _connect(self, url: str, headers: Mapping[str, str], subprotocols: Any) -> Any:
        return _Socket(self, await connect_socket(url, headers, subprotocols))

    def told(self, data: bytes | str, path: str = "socket") -> bytes | None:
        """A document as the client gets it; None if it does not get it at all."""
        document = msgspec.json.decode(data)
        for end, lie in self._others.items():
            if path.endswith(end):
                document = lie(document)
        if isinstance(document, dict):
            entries = document.get("entries")
            if entries is not None:
                document["entries"] = [said for each in entries if (said := self._about(each)) is not None]
            document = self._about(document)
        return None if document is None else msgspec.json.encode(document)

    def _about(self, fields: Fields) -> Fields | None:
        """An entry, wherever it stands."""
        lie = self._lies.get(fields.get("seq", 0)) if "entry" in fields else None
        return fields if lie is None else lie(fields)


class _Socket:
    def __init__(self, liar: Liar, connector: Connector) -> None:
        self._liar, self._connector = liar, connector
        self.send, self.close = connector.send, connector.close

    async def recv(self) -> str | bytes:
        while True:
            message = await self._connector.recv()
            told = self._liar.told(message) if message.strip() else message
            if told is not None:
                return told


class _Transport(httpx.AsyncBaseTransport):
    def __init__(self, liar: Liar) -> None:
        self._liar = liar
        self._inner = httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self._inner.handle_async_request(request)
        data = await answer.aread()
        await answer.aclose()
        path = request.url.path
        if path.endswith("/archive"):
            archive = self._liar._others.get("/archive")
            data = data if archive is None else archive(data)  # type: ignore[arg-type,assignment]  # a file, not fields
        elif data and answer.is_success:
            data = self._liar.told(data, path) or b"{}"
        headers = {name: value for name, value in answer.headers.items() if name != "content-length"}
        return httpx.Response(answer.status_code, headers=headers, content=data, request=request)

    async def aclose(self) -> None:
        await self._inner.aclose()


# --- Lies ---------------------------------------------------------------------------------------------


def canonical(value: Any) -> bytes:
    """The bytes in which an entry is sent."""
    return msgspec.json.encode(value)


def altered(fields: Fields) -> Fields:
    """Another time in the entry, and nothing else."""
    return {**fields, "entry": {**fields["entry"], "at": fields["entry"]["at"] + 1}}


def releafed(fields: Fields) -> Fields:
    """The leaf fits the altered entry, the head does not fit the leaf."""
    changed = altered(fields)
    commits = {name: bytes.fromhex(digits) for name, digits in fields["commits"].items()}
    commits[fields["version"]] = commit_of(bytes.fromhex(fields["salt"]), canonical(changed["entry"]))
    return {**changed, "leaf": leaf_of(commits).hex()}


def consistent(before: str) -> Lie:
    """The head fits, too: another log, from the head `before` on."""

    def lie(fields: Fields) -> Fields:
        changed = releafed(fields)
        return {**changed, "head": head_of(bytes.fromhex(before), bytes.fromhex(changed["leaf"])).hex()}

    return lie


def signed(lie: Lie, key: SigningKey, table: str) -> Lie:
    """The same, and the receipt that comes with it is for that; the server has the key."""

    def lies(fields: Fields) -> Fields:
        changed = lie(fields)
        return {**changed, "receipt": receipt(key, table, changed["seq"], changed["head"])}

    return lies


def receipt(key: SigningKey, table: str, seq: int, head: str) -> Fields:
    """A receipt as it stands on the wire."""
    made = sign(key, table, seq, bytes.fromhex(head))
    return {"table": table, "seq": seq, "head": head, "key": made.key, "signature": made.signature}


def salted(fields: Fields) -> Fields:
    return {**fields, "salt": "00" * 32}


def without_a_version(fields: Fields) -> Fields:
    """A commit less than there are versions."""
    return {**fields, "commits": {"full": "00" * 32, **dict(list(fields["commits"].items())[1:])}}


def of_another_table(fields: Fields) -> Fields:
    return {**fields, "entry": {**fields["entry"], "table": "00-aaaaaaaaaaaaaaaa"}}


def in_another_place(fields: Fields) -> Fields:
    return {**fields, "entry": {**fields["entry"], "seq": 2}}


def with_another_head(fields: Fields) -> Fields:
    return {**fields, "head": "11" * 32}


def left_out(_: Fields) -> None:
    return None
