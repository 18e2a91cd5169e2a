"""What a client and its tables share: the server's address, the way there, and what is known of its word."""

import secrets
from collections import OrderedDict
from urllib.parse import urlsplit, urlunsplit
from weakref import WeakValueDictionary

import httpx
import msgspec

from comitium_client.archive import Archive
from comitium_client.coding import Coding
from comitium_client.connector import Connect, Connector
from comitium_client.models import Key, Receipt
from comitium_client.receipts import Receipts
from comitium_client.rest import Rest
from comitium_client.retry import Retry
from comitium_client.witness import Witness

LATELY = 64
"""Tables of which all that was seen is remembered, even when nobody holds them just now."""


class _Keys(msgspec.Struct, frozen=True):
    keys: tuple[Key, ...]


class Link:
    """One server, as one player sees it."""

    def __init__(
        self, server: str, http: httpx.AsyncClient, coding: Coding, receipts: Receipts, retry: Retry, connect: Connect
    ) -> None:
        self.server = server
        self.coding = coding
        self.receipts = receipts
        self.retry = retry
        self.http = http
        self.rest = Rest(http, coding, retry)
        self._connect = connect
        self._entropy: dict[str, str] = {}
        self._witnesses: WeakValueDictionary[str, Witness] = WeakValueDictionary()
        self._lately: OrderedDict[str, Witness] = OrderedDict()

    @property
    def token(self) -> bool:
        """Whether requests are made as a player."""
        return "Authorization" in self.http.headers

    def use(self, token: str) -> None:
        """Makes requests as the player of that token."""
        self.http.headers["Authorization"] = f"Bearer {token}"

    def witness(self, table: str) -> Witness:
        """The one witness for that table."""
        witness = self._witnesses.get(table)
        if witness is None:
            witness = self._witnesses[table] = Witness(table, self.receipts, self.server)
        self._lately[table] = witness
        self._lately.move_to_end(table)
        if len(self._lately) > LATELY:
            self._lately.popitem(last=False)
        return witness

    def entropy(self, table: str) -> str:
        """One's own part in the chance of that table: 32 bytes in hex, the same however often it is sent."""
        return self._entropy.setdefault(table, secrets.token_hex(32))

    async def keys(self) -> tuple[Key, ...]:
        """The keys that the server shows. Each is pinned.

        Raises:
            ReceiptMismatch: a key is not the one that it showed before.
        """
        keys = (await self.rest.get("/v1/keys")).read(_Keys).keys
        for key in keys:
            self.receipts.pin(self.server, key)
        return keys

    async def ready(self) -> None:
        """Makes sure that there is a key to check receipts with, before there is a receipt."""
        if not self.receipts.keys(self.server):
            await self.keys()

    async def keep(self, witness: Witness, receipt: Receipt) -> None:
        """Checks and keeps a receipt, also one by a key that is new."""
        if not witness.can_keep(receipt):
            await self.keys()
        witness.keep(receipt)

    async def check_archive(self, witness: Witness, data: bytes) -> None:
        """Checks a table's archive, also one that was closed by a key which is new."""
        if Archive(data).header.receipt.key not in self.receipts.keys(self.server):
            await self.keys()
        witness.archive(data, self.receipts.keys(self.server))

    async def dial(self, path: str) -> Connector:
        """Opens a socket."""
        scheme, host, base, _, _ = urlsplit(self.server)
        where, _, query = path.partition("?")
        url = urlunsplit(("wss" if scheme == "https" else "ws", host, base.rstrip("/") + where, query, ""))
        told = ("Authorization", "Accept-Language", "User-Agent")
        headers = {name: self.http.headers[name] for name in told if name in self.http.headers}
        return await self._connect(url, headers, [self.coding.subprotocol])
