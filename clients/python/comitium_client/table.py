"""A table, as a handle: everything one can read there or do there."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Literal, TypeVar
from urllib.parse import quote

import msgspec

from comitium_client.archive import Archive
from comitium_client.asks import Asks
from comitium_client.chain import owed
from comitium_client.coding import entry_of
from comitium_client.errors import ApiProblem, ComitiumError, Conflict, Forbidden, LogShorter, NotFound, Tampered
from comitium_client.following import Following, fetch_asks, fetch_page
from comitium_client.link import Link
from comitium_client.live import Live, Seen, action_of
from comitium_client.models import Ack, Entry, Invite, Moved, Receipt, Summary
from comitium_client.rest import Reply, given

T = TypeVar("T")

Form = Literal["json", "csv", "dot", "svg"]

FORMS: Mapping[Form, str] = {
    "json": "application/json",
    "csv": "text/csv",
    "dot": "text/vnd.graphviz",
    "svg": "image/svg+xml",
}


class _Page(msgspec.Struct, frozen=True):
    entries: list[Entry]
    seq: int


class _Opened(msgspec.Struct, frozen=True):
    table: Summary


class Table:
    """One table. Whatever is read is checked against all that was seen of this table before."""

    def __init__(self, link: Link, table: str) -> None:
        self.id = table
        self._link = link
        self._rest = link.rest
        self._witness = link.witness(table)
        self._path = f"/v1/tables/{quote(table, safe='')}"
        self._seen: int | None = None

    def __repr__(self) -> str:
        return f"<Table {self.id}>"

    @property
    def receipts(self) -> tuple[Receipt, ...]:
        """The receipts that you hold for this table."""
        return self._witness.receipts

    # --- Reading --------------------------------------------------------------------------------------

    async def summary(self) -> Summary:
        """The table from outside."""

        async def fetch() -> Summary:
            return (await self._rest.get(self._path)).read(Summary)

        summary = await self._current(fetch, lambda found: found.seq)
        self._witness.head(summary.seq, summary.head)
        return summary

    async def view(self, at: int | None = None, seat: int | None = None) -> dict[str, Any]:
        """What you know, or knew after entry `at`. `seat`: another seat's view, once the table has ended."""

        async def fetch() -> dict[str, Any]:
            return (await self._rest.get(f"{self._path}/view", at=at, seat=seat)).read(dict[str, Any])

        with self._forking(at or 0):
            view = await fetch() if at is not None else await self._current(fetch, lambda found: int(found["seq"]))
        self._witness.names(view, view["seq"] if at is None else at, view["head"])
        self._witness.head(view["seq"], view["head"])
        if at is None and seat is None:
            self._witness.sees(view)
        return view

    async def asks(self) -> Asks:
        """What you may do now. An action that follows is made as an answer to these."""
        asks = await self._current(lambda: fetch_asks(self._rest, self._path), lambda found: found.seq)
        self._seen = asks.seq
        return asks

    async def log(self, after: int = 0, limit: int | None = None) -> AsyncIterator[Entry]:
        """The entries after that one, up to now, each checked against the one before. `limit`: the size of a page."""
        head: str | None = None
        while True:
            page = await self._page(after, limit)
            for entry in page.entries:
                self._check(entry, after + 1, head)
                await self._owed(entry, page.seq)
                after, head = entry.seq, entry.head
                yield entry
            if not page.entries or after >= page.seq:
                return

    async def entry(self, seq: int) -> Entry:
        """One entry."""
        reply = await self._rest.get(f"{self._path}/log/{seq}")
        entry = reply.coding.entry(reply.content)
        self._check(entry, seq)
        await self._owed(entry, seq)
        return entry

    async def archive(self) -> bytes:
        """The table as a file, as you may read it: checked against itself, your receipts, and all that was seen of it."""

        async def fetch() -> bytes:
            return await self._rest.file(f"{self._path}/archive", "application/octet-stream")

        data = await self._current(fetch, lambda found: Archive(found).header.last_seq)
        await self._link.check_archive(self._witness, data)
        return data

    async def bribes(self, form: Form = "json") -> bytes:
        """The bribery trail: who was paid how much for which decision, and what came of it. As a document for programs, a
        table, a graph for GraphViz, or a picture.
        """
        return await self._rest.file(f"{self._path}/bribes", FORMS[form])

    def follow(self, after: int | None = None) -> Live:
        """A live session, from now on or with what came after an entry: `async with table.follow() as live`."""
        return Live(Following(self._link, self._witness, self._path, self.act, after), self._link.retry)

    async def _page(self, after: int, limit: int | None) -> _Page:
        async def fetch() -> _Page:
            page = await fetch_page(self._rest, self._path, after, limit)
            self._witness.head(page.seq, page.head)
            return _Page([entry_of(fields) for fields in page.entries], page.seq)

        with self._forking(after):
            return await self._current(fetch, lambda found: found.seq)

    def _check(self, entry: Entry, seq: int, before: str | None = None) -> None:
        if entry.seq != seq:
            sentence = f"Entry {entry.seq} came where entry {seq} should be."
            raise Tampered(sentence, self.id, entry.seq, self._witness.receipts)
        self._witness.entry(entry, before)

    async def _owed(self, entry: Entry, end: int) -> None:
        """Checks that the entry came in the version that is this reader's, of a log which ended with entry `end`.

        Who he is may have changed since he last looked: so he looks again before he calls it false.
        """
        reader = self._witness.reader
        if entry.commits and (reader is None or entry.version not in reader.versions(entry, end)):
            await self.view()
            reader = self._witness.reader
        self._witness.version(entry, {owed(entry, None)} if reader is None else reader.versions(entry, end))

    async def _current(self, fetch: Callable[[], Awaitable[T]], seq: Callable[[T], int]) -> T:
        """What is there now. One of several servers may lag a moment; a log that stays too short is a loss."""
        promised, failures = self._witness.promised, 0
        while True:
            found = await fetch()
            try:
                self._witness.reaches(seq(found), promised)
            except LogShorter:
                failures += 1
                if not await self._link.retry.pause(failures):
                    raise
            else:
                return found

    # --- Seats ----------------------------------------------------------------------------------------

    async def sit(
        self, seat: int | None = None, bot: str | None = None, invite: str | None = None, *, key: str | None = None
    ) -> Moved:
        """Takes a seat, for yourself or for a house bot.

        For yourself your part in the chance goes with it, once you have seen the entry that seals the server's seed.
        It is the same however often this is called.
        """
        if bot is None:
            await self._look()
        entropy = self._link.entropy(self.id) if bot is None else None
        return await self._sit({"seat": seat, "bot": bot, "invite": invite, "entropy": entropy}, key)

    async def rise(self, seat: int, *, key: str | None = None) -> Moved:
        """Gives the seat up, before the start."""
        await self._link.ready()
        return await self._moved(await self._rest.delete(f"{self._path}/seats/{seat}", key=key))

    async def invite(self, seat: int | None = None, role: str | None = None, *, key: str | None = None) -> Invite:
        """A code for a seat (`role` play) or for watching (`role` watch)."""
        body = given({"seat": seat, "role": role})
        return (await self._rest.post(f"{self._path}/invites", body, key=key)).read(Invite)

    async def uninvite(self, code: str) -> None:
        """The code is good for nothing any more."""
        await self._rest.delete(f"{self._path}/invites/{quote(code, safe='')}")

    async def _look(self) -> None:
        """Sees entry 1, which binds the server to its seed, before any entropy is sent."""
        if self._witness.known(1) is None:
            try:
                await self.entry(1)
            except (NotFound, Forbidden):  # a private table shows itself only to those who sit
                return

    async def _sit(self, body: Mapping[str, Any], key: str | None = None) -> Moved:
        await self._link.ready()
        return await self._moved(await self._rest.post(f"{self._path}/seats", given(body), key=key))

    async def _moved(self, reply: Reply) -> Moved:
        moved = reply.read(Moved)
        self._witness.agrees(moved.receipt, moved.seq, moved.head)
        await self._link.keep(self._witness, moved.receipt)
        return moved

    # --- Acting ---------------------------------------------------------------------------------------

    async def act(
        self, action: str | Mapping[str, Any], /, *, key: str | None = None, if_match: int | Seen | None = "seen",
        **fields: Any,
    ) -> Ack:  # fmt: skip
        """Does something, once: `act("say", text="Salve")`, or `act({"type": "say", "text": "Salve"})`.

        `key`: the idempotency key, a new one if none is given. `if_match`: the entry that you decided upon, by default
        that of the asks which you last read here, or of what you did since.

        Raises:
            ApiProblem: it was refused (`Refused`), or your asks have changed (`Stale`), ...
            Disconnected: it is unknown whether it was done.
        """
        match = self._seen if if_match == "seen" else if_match
        await self._link.ready()
        with self._forking(match or 0):
            reply = await self._rest.post(f"{self._path}/actions", action_of(action, fields), key=key, if_match=match)
        ack = await self._accepted(reply)
        if self._seen is not None:
            self._seen = max(self._seen, ack.seq)
        return ack

    async def abandon(self, *, key: str | None = None) -> Ack:
        """The operator's: ends the table without an outcome. Players agree on that by the action of this name."""
        await self._link.ready()
        return await self._accepted(await self._rest.post(f"{self._path}/abandon", {}, key=key))

    # --- After the end --------------------------------------------------------------------------------

    async def fork(
        self, at: int, *, name: str | None = None, visibility: str | None = None, sit: bool = True,
        key: str | None = None,
    ) -> "Table":  # fmt: skip
        """A new table that goes on from entry `at` of this one, which is over: the same game, other chance.

        With `sit` you take seat 0, and your part in the chance is sent once the seed is sealed.
        """
        body = given({"at": at, "name": name, "visibility": visibility, "sit": sit})
        with self._forking(at):
            reply, table = await self._follow_up("fork", body, key)
        await table.created(reply, reply.read(_Opened).table, sit=sit)
        return table

    async def rematch(self, *, key: str | None = None) -> "Table":
        """The table where those play again who have sat here to the end: one, whoever asks first. You take your seat
        there, if it is free.
        """
        reply, table = await self._follow_up("rematch", {}, key)
        await table.created(reply, reply.read(_Opened).table, sit=False)
        seat = (await table.view())["seat"]
        if seat is not None:
            with suppress(Conflict):  # the game has begun, or this has been asked before
                await table.contribute(seat)
        return table

    async def _follow_up(self, what: str, body: Mapping[str, Any], key: str | None) -> tuple[Reply, "Table"]:
        await self._link.ready()
        reply = await self._rest.post(f"{self._path}/{what}", body, key=key)
        return reply, Table(self._link, reply.read(_Opened).table.id)

    async def contribute(self, seat: int) -> Moved:
        """Gives your part in the chance, for your own seat, before the start. The seed has to be sealed by then."""
        return await self._sit({"seat": seat, "entropy": self._link.entropy(self.id)})

    async def created(self, reply: Reply, summary: Summary, *, sit: bool) -> None:
        """Checks the answer that created this table, and gives the creator's part in the chance once the seed is sealed.

        Raises:
            Tampered: the seed that the summary names is not the one that entry 1 seals.
        """
        ack = await self._accepted(reply)
        if ack.entry is None or not summary.seed_hash or summary.seed_hash.encode() not in ack.entry.raw:
            raise Tampered(
                "The first entry does not seal the seed that the server names.", self.id, ack.seq, [ack.receipt]
            )
        if sit:
            try:
                await self.contribute(0)
            except Conflict:  # the others were quicker, and the game has started; the fairness audit will say so
                return
            except ComitiumError as error:
                error.add_note(f"Table {self.id} was created, but without the creator's part in the chance.")
                raise

    async def _accepted(self, reply: Reply) -> Ack:
        answer = reply.coding.answer(reply.content)
        entry = entry_of(answer)
        self._witness.entry(entry)
        if isinstance(entry.body.by, int):
            self._witness.version(entry, {owed(entry, entry.body.by)})
        self._witness.agrees(answer.receipt, entry.seq, entry.head)
        await self._link.keep(self._witness, answer.receipt)
        return Ack(seq=entry.seq, head=entry.head, receipt=answer.receipt, entry=entry, replayed=reply.replayed)

    @contextmanager
    def _forking(self, seq: int) -> Iterator[None]:
        """A log that ends before what was seen of it is more than a problem."""
        try:
            yield
        except ApiProblem as error:
            if error.code != "log_forked":
                raise
            raise self._witness.forked(error.detail, seq) from error
