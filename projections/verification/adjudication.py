"""The rules once more: what they make of each action is compared, byte by byte, with what stands in the log."""

from typing import Any

import msgspec

from events.entry import FULL
from games.chance import Chance, Forbidden, Source, table_key
from games.core import Action, Refused
from games.table import actions as act
from games.table import decide as deciding
from games.table.redact import versions
from games.table.rules import Rules
from games.table.state import Body, Table, close_entry
from projections import codec
from projections.verification.pieces import Wrong


class Stored(msgspec.Struct, gc=False):
    """Of a stored body what cannot be worked out: all but the events."""

    action: msgspec.Raw
    at: int
    by: int | str
    draw: int | None = None


stored_in = msgspec.json.Decoder(Stored).decode


class Adjudicator:
    """Decides a log again, each entry on the table that its own decisions have led to; it never folds what is stored."""

    def __init__(self, rules: Rules, table: str) -> None:
        self.rules = rules
        self.drew = False
        """Whether the entry decided last drew anything."""
        self._id = table
        self._table: Table | None = None
        self._key: bytes | None = None

    def decide(self, seq: int, stored: Stored, full: bytes, seed: str | None) -> Body[Any]:
        """The entry's body once more; the full version of entry `seq` has the bytes `full`.

        Raises:
            Wrong: the rules make something else of the action, or nothing.
        """
        self.drew = stored.draw is not None
        try:
            body, table = self._again(seq, stored, seed)
            written = codec.encode(body)
        except Refused as refusal:
            raise Wrong("refused", f"The rules refuse this action here ({refusal.code}).") from None
        except (Exception, SystemExit):  # noqa: BLE001  (rules may fail in any way on what they never wrote)
            raise Wrong("cannot_be_decided", "The rules cannot decide this action here.") from None
        if written != full and written != _today(self.rules, seq, full):
            raise Wrong("events_differ", "The rules make something else of this action than what stands in the log.")
        self._table = table
        return body

    def _again(self, seq: int, stored: Stored, seed: str | None) -> tuple[Body[Any], Table]:
        action: Action = codec.acted(self.rules, stored.action)
        by, draw = stored.by, None
        if self._table is None:
            by = "server"
            decision = deciding.create(self.rules, self._opening(action), self._id, seed or "", stored.at)
        else:
            source = self._source(self._table, action)
            decision = deciding.decide(self.rules, self._table, by, action, stored.at, source)
            draw = self._table.record.draws if source.used else None
            self.drew = self.drew or source.used
        body = Body(self._id, seq, stored.at, by, action, decision.events, draw)
        return body, close_entry(decision.table, seq, stored.at, draw, decision.events)

    def _opening(self, action: Action) -> act.Create:
        """A log begins with the opening of a table, of just this game."""
        if not isinstance(action, act.Create):
            raise Refused("not_open")
        return action

    def _source(self, table: Table, action: Action) -> Source:
        """What the entry may draw from. The key is fixed by the start; before it nothing is drawn."""
        if table.status != "playing" and not isinstance(action, act.Start):
            return Forbidden()
        record = table.record
        if self._key is None or table.status == "open":
            entropies = [holder.entropy for holder in record.holders]
            self._key = table_key(bytes.fromhex(record.seed or ""), record.table, entropies)
        return Chance(self._key, record.draws)


def _today(rules: Rules, seq: int, full: bytes) -> bytes | None:
    """The stored body in today's form, where it has another: what is decided again is told in that one."""
    try:
        return codec.today(rules, seq, full)
    except codec.Unreadable:
        return None


def as_stored(rules: Rules, seq: int, full: bytes) -> Body[Any]:
    """The body as it stands in the log.

    Raises:
        Wrong: these rules cannot read it.
    """
    try:
        return codec.decode_whole(rules, seq, full)
    except (codec.Unreadable, RecursionError):
        raise Wrong("unreadable", "The rules cannot read this entry.") from None


def redacted(rules: Rules, body: Body[Any], seats: int) -> dict[str, bytes]:
    """The bytes of every version but the full one.

    Raises:
        Wrong: the rules do not know what to hide in it.
    """
    try:
        made = versions(rules, body, seats)
        return {name: codec.encode(version) for name, version in made.items() if name != FULL}
    except Exception:  # noqa: BLE001  (rules may fail in any way on what they never wrote)
        raise Wrong("unreadable", "The rules cannot say who may read what of this entry.") from None
