"""How a live session gets into a table: where it starts, how it connects, where its receipts go."""

from collections.abc import Sequence
from typing import Any

import msgspec

from comitium_client.asks import Asks, read_asks
from comitium_client.bridge import bridge
from comitium_client.coding import Page, entry_of
from comitium_client.connector import Connector
from comitium_client.errors import ApiProblem, LogForked
from comitium_client.link import Link
from comitium_client.live import Act
from comitium_client.models import Entry, Receipt
from comitium_client.rest import Rest
from comitium_client.session import Session, Update
from comitium_client.witness import Witness


class _Asks(msgspec.Struct, frozen=True):
    seq: int
    since: int
    asks: list[dict[str, Any]]


async def fetch_asks(rest: Rest, path: str) -> Asks:
    """What the reader may do now at the table of that path."""
    data = (await rest.get(f"{path}/asks")).read(_Asks)
    return Asks(data.seq, data.since, read_asks(data.asks))


async def fetch_page(rest: Rest, path: str, after: int, limit: int | None = None) -> Page[Any]:
    """A page of the log of the table at that path, as it came."""
    reply = await rest.get(f"{path}/log", after=after, limit=limit)
    return reply.coding.page(reply.content)


class Following:
    """The `Host` of live sessions at one table."""

    def __init__(self, link: Link, witness: Witness, path: str, act: Act, after: int | None) -> None:
        self.act = act
        self._link = link
        self._witness = witness
        self._path = path
        self._after = after

    async def begin(self) -> Session:
        """A session before its first view, or with the view that the reader had after the entry it starts from."""
        base = await self._base(self._after) if self._after else None
        return Session(self._witness, self._link.coding, base, self._after)

    async def _base(self, after: int) -> Update | None:
        """What was known after that entry. The asks are today's, until an entry that follows brings others."""
        try:
            view = (await self._link.rest.get(f"{self._path}/view", at=after)).read(dict[str, Any])
        except ApiProblem as error:
            if error.transient:
                raise
            return None  # the socket says why: no such table, or a log that has lost this entry
        self._witness.names(view, after, view["head"])
        link = bridge(self._witness, view["seq"], view["head"], None)
        while link is not None and not link.closed:
            link.extend(*await self.log(link.after))
        asks = await self._asks(view)
        return Update(
            seq=view["seq"], head=view["head"], view=view, asks=asks.asks, since=asks.since,
            to_act=tuple(view.get("to_act") or ()),
        )  # fmt: skip

    async def _asks(self, view: dict[str, Any]) -> Asks:
        if view.get("seat") is None:  # a spectator is asked for nothing
            return Asks(view["seq"], 0, ())
        return await fetch_asks(self._link.rest, self._path)

    async def dial(self, after: int | None) -> Connector:
        """A connection that brings what comes after that entry."""
        query = "" if after is None else f"?after={after}"
        return await self._link.dial(f"{self._path}/live{query}")

    async def log(self, after: int) -> tuple[Sequence[Entry], int]:
        """Some entries after that one, and where the log ends now."""
        try:
            page = await fetch_page(self._link.rest, self._path, after)
        except ApiProblem as error:
            if error.code != "log_forked":
                raise
            raise self._witness.forked(error.detail, after) from error
        self._witness.head(page.seq, page.head)
        return [entry_of(fields) for fields in page.entries], page.seq

    async def ready(self) -> None:
        """Makes sure that receipts can be checked."""
        await self._link.ready()

    async def keep(self, receipt: Receipt) -> None:
        """Checks and keeps a receipt."""
        await self._link.keep(self._witness, receipt)

    def forked(self, sentence: str, seq: int) -> LogForked:
        """The error for a log that has lost what was seen, with the receipts."""
        return self._witness.forked(sentence, seq)
