"""A live session without I/O: messages from the socket go in, updates, answers and messages to send come out.

Theory of operation. The owner opens a connection at `/live?after=` with the value of `after`, sends what `opened()`
gives, and passes every message to `receive()`. When the connection is lost it does the same again: the session goes on
where it stood, and actions without an answer are sent again under their old keys, so that none is done twice.

    state   snapshot      entry with view    entry with changes    answer
    cold    -> live       -> live            not allowed           allowed
    live    live          live               live                  allowed
    over    over          over               over                  allowed

A view that skips entries is not believed yet: there is a `gap`, and the owner reads the log after `gap.after`, page by
page, and passes it to `link()` until the gap is closed. No message is received meanwhile.

A state becomes `over` by a view whose status is final. Everything that affects this machine is in this file. Whatever
the server says is checked by the `Witness` before it is believed; frames of an unknown kind are passed over, so that a
newer server can send them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from comitium_client.asks import Ask, read_asks
from comitium_client.bridge import Bridge, bridge
from comitium_client.chain import ZERO, owed
from comitium_client.coding import Coding, Frame, entry_of
from comitium_client.errors import ApiProblem, Unreadable, problem
from comitium_client.models import Ack, Entry
from comitium_client.witness import FINAL, Witness

State = Literal["cold", "live", "over"]


class Update(msgspec.Struct, frozen=True, kw_only=True):
    """What is known after an entry. `entry` is None where the server sent the whole view instead of entries.

    `changed` has the fields of the view that the entry changed (those of the game under `game`), None when all may
    have. `resumed_from`: too much was missed after that entry, so the entries in between were not sent.
    """

    seq: int
    head: str
    view: dict[str, Any]
    asks: tuple[Ask, ...]
    since: int
    to_act: tuple[int, ...]
    entry: Entry | None = None
    changed: dict[str, Any] | None = None
    resumed_from: int | None = None

    @property
    def must(self) -> tuple[Ask, ...]:
        """The asks that the table waits for."""
        return tuple(ask for ask in self.asks if ask.must)

    @property
    def over(self) -> bool:
        """Whether the table has ended."""
        return self.view.get("status") in FINAL


class Answered(msgspec.Struct, frozen=True):
    """The server's answer to the action that was sent under this id."""

    id: int
    outcome: Ack | ApiProblem


class Broken(msgspec.Struct, frozen=True):
    """A problem of the connection, which the server closes now."""

    problem: ApiProblem


class Proposal(msgspec.Struct, frozen=True):
    """An action on its way, as the message that carries it."""

    id: int
    message: str | bytes


Output = Update | Answered | Broken


class _Move(msgspec.Struct, frozen=True):
    """What the session moves to, once that is believed."""

    frame: Frame[Any]
    view: dict[str, Any]
    entry: Entry | None = None


class Session:
    """One reader's session at one table."""

    def __init__(self, witness: Witness, coding: Coding, base: Update | None = None, start: int | None = None) -> None:
        self.now = base
        self._start = start
        self._witness = witness
        self._coding = coding
        self._promised = witness.promised
        self._last_id = 0
        self._flying: dict[int, Proposal] = {}
        self._landed: dict[int, Entry] = {}
        self._gap: tuple[Bridge, _Move] | None = None

    @property
    def state(self) -> State:
        """Where the machine stands."""
        if self.now is None:
            return "cold"
        return "over" if self.now.over else "live"

    @property
    def over(self) -> bool:
        """Whether the table has ended, so that nothing more will come."""
        return self.state == "over"

    @property
    def after(self) -> int | None:
        """What to ask for when a connection is opened: what comes after this entry, or the whole view."""
        return self._start if self.now is None else self.now.seq

    @property
    def gap(self) -> Bridge | None:
        """What must be read of the log before the session moves on."""
        return None if self._gap is None else self._gap[0]

    # --- What goes out --------------------------------------------------------------------------------

    def opened(self) -> list[str | bytes]:
        """A connection is open: what to send over it at once."""
        self._promised = self._witness.promised
        self._gap = None
        return [proposal.message for proposal in self._flying.values()]

    def propose(self, action: Mapping[str, Any], key: str, if_match: int | None) -> Proposal:
        """An action to send; it stays on its way until it is answered or forgotten."""
        self._last_id += 1
        frame = {"id": self._last_id, "action": action, "key": key}
        message = self._coding.write(frame if if_match is None else {**frame, "if_match": if_match})
        proposal = Proposal(self._last_id, message)
        self.repeat(proposal)
        return proposal

    def repeat(self, proposal: Proposal) -> None:
        """The action is on its way again, after an answer that said so."""
        self._flying[proposal.id] = proposal

    def forget(self, proposal: Proposal) -> None:
        """Nobody waits for the answer any more; the action is not sent again."""
        self._flying.pop(proposal.id, None)
        if not self._flying:
            self._landed.clear()

    # --- What comes in --------------------------------------------------------------------------------

    def receive(self, message: str | bytes) -> list[Output]:
        """What a message from the server means.

        Raises:
            Tampered: it contradicts itself, a receipt, or what was seen before (also LogForked, LogShorter, ...).
            Unreadable: it is not what the contract says.
        """
        if self._gap is not None:
            raise RuntimeError("There is a gap: pass what the log says there to `link()` first.")
        if not message.strip():  # a sign of life
            return []
        frame = self._coding.frame(message)
        if frame.problem is not None:
            return self._on_problem(frame, frame.problem)
        if frame.id is not None:
            return self._on_ack(frame)
        if frame.entry:
            return self._on_entry(frame)
        return [] if frame.view is None else self._on_view(_Move(frame, frame.view))

    def link(self, entries: Sequence[Entry], end: int) -> list[Output]:
        """What a page of the log means, which was read where there was a gap; the log ends with entry `end` now.

        Raises:
            Tampered: the view that skipped these entries does not follow from what was seen before (also LogForked, ...).
        """
        if self._gap is None:
            raise RuntimeError("There is no gap.")
        link, move = self._gap
        link.extend(entries, end)
        if not link.closed:
            return []
        self._gap = None
        return [self._move(move)]

    def _on_view(self, move: _Move) -> list[Output]:
        """The whole view: at the start, when too much was missed, or when the reader's seat has changed."""
        frame = move.frame
        self._witness.names(move.view, frame.seq, frame.head)
        self._witness.reaches(frame.seq, max(self._promised, self.after or 0))
        link = bridge(self._witness, frame.seq, frame.head, self._held)
        if link is None:
            return [self._move(move)]
        self._gap = link, move
        return []

    @property
    def _held(self) -> tuple[int, str] | None:
        """The entry that the next one follows, with its head."""
        if self.now is not None:
            return self.now.seq, self.now.head
        return (0, ZERO) if self._start == 0 else None

    def _on_entry(self, frame: Frame[Any]) -> list[Output]:
        entry = entry_of(frame)
        if self.now is None:
            return self._on_first(frame, entry)
        if entry.seq <= self.now.seq:  # sent twice
            self._witness.entry(entry)
            return []
        return [self._on_next(frame, entry, self.now)]

    def _on_first(self, frame: Frame[Any], entry: Entry) -> list[Output]:
        self._witness.entry(entry)
        if frame.view is None:
            raise Unreadable(f"Entry {entry.seq} came with changes before any view.")
        self._witness.version(entry, {owed(entry, frame.view.get("seat"))})
        if not self._start and entry.seq != 1:
            return self._on_view(_Move(frame, frame.view, entry))
        self._in_turn(entry, self._start or 0)
        self._witness.names(frame.view, frame.seq, frame.head)
        return [self._move(_Move(frame, frame.view, entry))]

    def _in_turn(self, entry: Entry, last: int) -> None:
        if entry.seq != last + 1:
            sentence = f"Entry {entry.seq} came after entry {last}."
            raise self._witness.unfit(sentence, entry)

    def _on_next(self, frame: Frame[Any], entry: Entry, now: Update) -> Update:
        self._in_turn(entry, now.seq)
        self._witness.entry(entry, now.head)
        changed = frame.changed or {}
        self._witness.names(changed if frame.view is None else frame.view, frame.seq, frame.head)
        view = assign(now.view, changed) if frame.view is None else frame.view
        self._witness.version(entry, {owed(entry, view.get("seat"))})
        if self._flying:
            self._landed[entry.seq] = entry
        return self._move(_Move(frame, view, entry))

    def _move(self, move: _Move) -> Update:
        now, frame = self.now, move.frame
        to_act = (now.to_act if now else ()) if frame.to_act is None else frame.to_act
        self.now = Update(
            seq=frame.seq,
            head=frame.head,
            view={**move.view, "seq": frame.seq, "head": frame.head, "to_act": list(to_act)},
            asks=(now.asks if now else ()) if frame.asks is None else read_asks(frame.asks),
            since=(now.since if now else 0) if frame.since is None else frame.since,
            to_act=to_act,
            entry=move.entry,
            changed=None if frame.view is not None else frame.changed or {},
            resumed_from=frame.resumed_from,
        )
        self._witness.sees(self.now.view)
        return self.now

    def _on_ack(self, frame: Frame[Any]) -> list[Output]:
        if frame.receipt is None:
            return []
        self._witness.agrees(frame.receipt, frame.seq, frame.head)
        if self._witness.can_keep(frame.receipt):
            self._witness.keep(frame.receipt)
        entry = self._landed.get(frame.seq)
        ack = Ack(seq=frame.seq, head=frame.head, receipt=frame.receipt, entry=entry, replayed=frame.replayed)
        return self._land(frame, ack)

    def _on_problem(self, frame: Frame[Any], document: dict[str, Any]) -> list[Output]:
        found = problem(document)
        if frame.id is not None:
            return self._land(frame, found)
        if found.code == "log_forked":
            sentence = found.detail or "The server has lost entries that it showed before."
            raise self._witness.forked(sentence, self.after or 0) from found
        return [Broken(found)]

    def _land(self, frame: Frame[Any], outcome: Ack | ApiProblem) -> list[Output]:
        proposal = self._flying.get(frame.id) if isinstance(frame.id, int) else None
        if proposal is None:
            return []
        self.forget(proposal)
        return [Answered(proposal.id, outcome)]


def assign(view: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """The view with the changed fields assigned, never merged; those of the game are assigned inside `game`."""
    game, old = changed.get("game"), view.get("game")
    if isinstance(game, dict) and isinstance(old, dict):
        return {**view, **changed, "game": {**old, **game}}
    return {**view, **changed}
