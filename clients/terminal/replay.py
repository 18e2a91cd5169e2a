"""Stepping through a table, forward and back: each entry in words, and the table as its reader saw it then."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from clients.terminal.board import board, offers, promises
from clients.terminal.desk import Reply
from clients.terminal.lines import Line, Shown
from clients.terminal.shell import names_of, teller_for
from clients.terminal.telling import Teller
from clients.terminal.words import Words
from comitium_client import ApiProblem, Entry, Table, Update

HELP = ("next", "back", "jump", "seat", "quit")


class Replay:
    """One table from its first entry to its last. `seat`: with whose eyes, where the server allows that."""

    def __init__(self, table: Table, words: Words, seat: int | None = None) -> None:
        self._table = table
        self._words = words
        self._entries: list[Entry] = []
        self._struck: Sequence[Mapping[str, Any]] = ()
        self.seat = seat
        self.at = 0

    async def open(self) -> None:
        """Reads the log, each entry checked against the one before."""
        self._words.names = names_of(await self._table.summary())
        self._entries = [entry async for entry in self._table.log()]
        self._struck = tuple((await self._table.view(seat=self.seat)).get("struck", ()))

    @property
    def last(self) -> int:
        """The last entry."""
        return len(self._entries)

    # --- Stepping -------------------------------------------------------------------------------------

    async def line(self, typed: str) -> Reply:
        """What a typed line leads to."""
        word, _, rest = typed.strip().lower().partition(" ")
        match word:
            case "" | "n" | "next":
                return Reply(await self.step(self.at + 1))
            case "b" | "back":
                return Reply(await self.step(self.at - 1))
            case "q" | "quit":
                return Reply(leaves=True)
            case "seat":
                return Reply(await self._see_as(rest.strip()))
            case _ if word.lstrip("+-").isdigit():
                number = int(word)
                return Reply(await self.step(self.at + number if word[0] in "+-" else number))
            case _:
                return Reply([Line(self._words.own(f"replay.{each}"), indent=2) for each in HELP])

    async def _see_as(self, typed: str) -> list[Shown]:
        before = self.seat
        self.seat = int(typed) if typed.isdigit() else None
        try:
            return await self.step(self.at)
        except ApiProblem as problem:
            self.seat = before
            return [Line(problem.detail or problem.code, "wrong")]

    async def step(self, at: int) -> list[Shown]:
        """The entry, and the table after it."""
        self.at = min(max(1, at), self.last)
        entry, view = self._entries[self.at - 1], await self._table.view(self.at, self.seat)
        teller = Teller(self._words)
        if self.at > 1:
            teller.begin(await self._table.view(self.at - 1, self.seat))
        told = teller.tell(_update(entry, view))
        return [self._title(entry), *told, *board(self._words, view)]

    async def all(self) -> AsyncIterator[list[Shown]]:
        """Every entry, with the offers and promises that are open after it where they have changed."""
        teller = teller_for(self._words)
        before: Mapping[str, Any] = {"offers": [], "promises": []}
        for entry in self._entries:
            view = await self._table.view(entry.seq, self.seat)
            shown = [self._title(entry), *teller.tell(_update(entry, view))]
            shown += offers(self._words, view) if view["offers"] != before["offers"] else ()
            shown += promises(self._words, view) if view["promises"] != before["promises"] else ()
            before = view
            yield shown

    def _title(self, entry: Entry) -> Line:
        by = self._words.seat(entry.body.by) if isinstance(entry.body.by, int) else entry.body.by
        action = self._words.action(str(entry.body.action["type"]))
        text = self._words.own("replay.entry", seq=entry.seq, last=self.last, by=by, action=action)
        struck = next((each["entry"] for each in self._struck if each["from"] <= entry.seq <= each["to"]), None)
        right = "" if struck is None else self._words.own("replay.struck", entry=struck)
        return Line(text, "quiet", right=right)


def _update(entry: Entry, view: dict[str, Any]) -> Update:
    to_act = tuple(view["to_act"])
    return Update(seq=entry.seq, head=entry.head, view=view, asks=(), since=0, to_act=to_act, entry=entry)
