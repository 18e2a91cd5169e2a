"""Verifies one log: it is handed over entry by entry, so whoever has other things to do may stop between any two."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from events import chain
from events.archive import Audience, Broken, Line
from events.entry import FULL, Entry
from events.receipts import Receipt
from games import Catalogue
from games.table.events import Created
from games.table.state import Body
from projections import codec
from projections.verification.adjudication import Adjudicator, Stored, as_stored, redacted, stored_in
from projections.verification.draws import Seeds
from projections.verification.pieces import Check, Findings, Name, Verification, Wrong
from projections.verification.then import shown_then
from projections.verification.witnesses import Keys, Witnesses, check_keys

T = TypeVar("T")

Runner = Callable[[Callable[[], Any]], Any]
"""Runs a piece of work and returns its result; raises `Wrong` when it has to break it off."""

INNER: tuple[Name, ...] = ("versions", "adjudication")
"""What only the whole log can show, with the rules."""


class Auditor:
    """`take` every entry, then ask for the `result`. Nothing in a log makes it fail; what is wrong stands in the result.

    It takes the entries of a store, or the lines of an archive, whose links `events.archive` has checked in reading them.
    `own`: the key that closes the archive, with a signature that holds; None for a log that comes without one. `runner`:
    what runs the rules, for whoever cannot wait as long as they may take.
    """

    def __init__(
        self, catalogue: Catalogue, table: str, *, audience: Audience = "all", keys: Keys | None = None,
        receipts: Iterable[Receipt] = (), own: bytes | None = None, runner: Runner | None = None,
    ) -> None:  # fmt: skip
        """Raises ValueError for `keys` that are not their ids' keys."""
        check_keys(keys or {})
        self._table, self._audience = table, audience
        self._catalogue, self._keys, self._own = catalogue, keys, own
        self._findings = Findings()
        self._witnesses = Witnesses(self._findings, receipts, keys, own, table)
        self._seeds = Seeds()
        self._run = runner or _at_once
        self._judge: Adjudicator | None = None
        self._why: str | None = None if audience == "all" else "not_all"
        self._seats = 0
        self._head = chain.ZERO
        self._broken: str | None = None
        self.done = 0
        """Entries taken so far."""

    # --- Entries -------------------------------------------------------------------------------------

    def take(self, entry: Entry | Line, line: int | None = None) -> None:
        """The next entry; `line`: where it stands in an archive."""
        seq, counts = self.done + 1, self._findings.counts
        body = entry.versions.get(FULL, b"") if isinstance(entry, Entry) else entry.body
        if isinstance(entry, Entry):
            self._check_links(seq, entry)
        stored = self._stored(seq, body, line)
        if stored is not None:
            if seq == 1 and self._audience == "all":
                self._appoint(body)
            self._follow(seq, body, stored, line)
            if self._judge is not None:
                self._adjudicate(self._judge, seq, entry, body, stored, line)
        self._witnesses.compare(self._table, seq, entry.head, line)
        counts["chain"] += not self._findings.has_failed("chain")
        self.done, self._head = seq, entry.head

    def broke(self, broken: Broken) -> None:
        """The archive could be read no further, or its signature does not hold."""
        wrong = Wrong(broken.reason, broken.sentence)
        if broken.reason == "signature":
            self._findings.fail("signature", self.done, broken.line, wrong)
        else:
            self._broken = "broken"
            self._findings.fail("chain", max(broken.line - 1, 0), broken.line, wrong)

    def _check_links(self, seq: int, entry: Entry) -> None:
        if entry.seq != seq:
            wrong = Wrong("place", f"Here belongs entry {seq}: one is missing, twice, or in another's place.")
            self._findings.fail("chain", seq, None, wrong)
            return
        try:
            chain.check_entry(entry, self._head)
        except chain.Tampered as tampered:
            self._findings.fail("chain", seq, None, Wrong("head", f"The entry is not in the chain: {tampered.reason}."))

    def _stored(self, seq: int, body: bytes, line: int | None) -> Stored | None:
        """What surrounds the events of an entry."""
        try:
            return stored_in(body)
        except (msgspec.MsgspecError, RecursionError):
            wrong = Wrong("body", "The body is not that of an entry.")
            self._findings.fail("chain", seq, line, wrong)
            if self._why is None:
                self._findings.fail("adjudication", seq, line, wrong)
                self._findings.fail("versions", seq, line, wrong)
            return None

    def _appoint(self, body: bytes) -> None:
        """The rules that the log was written by, if they are shipped. Where they are not, it must at least be what was
        asked for that was opened.
        """
        try:
            created, action = codec.created(body), codec.action_in(body)
            self._judge = Adjudicator(self._catalogue.rules(created.game, created.rules), self._table)
            self._seats = created.seats
        except KeyError:
            self._why = "rules_not_shipped"
            if not _opens(created, action):
                self._cannot_begin(Wrong("events_differ", "Another game was asked for than the one that was opened."))
        except (codec.Unreadable, RecursionError):
            self._cannot_begin(Wrong("body", "The first entry does not open a table."))

    def _cannot_begin(self, wrong: Wrong) -> None:
        self._findings.fail("adjudication", 1, None, wrong)
        self._findings.fail("versions", 1, None, wrong)

    def _follow(self, seq: int, body: bytes, stored: Stored, line: int | None) -> None:
        try:
            self._seeds.take(body, stored.draw)
        except Wrong as wrong:
            self._findings.fail("draws", seq, line, wrong)

    def _adjudicate(
        self, judge: Adjudicator, seq: int, entry: Entry | Line, body: bytes, stored: Stored, line: int | None
    ) -> None:
        decided: Body[Any] | None = None
        if not self._findings.has_failed("adjudication"):
            try:
                decided = self._run(lambda: judge.decide(seq, stored, body, self._seeds.sealed))
                self._findings.counts["adjudication"] += 1
                self._findings.counts["draws"] += stored.draw is not None
            except Wrong as wrong:
                self._findings.fail("adjudication", seq, line, wrong)
                if judge.drew and wrong.reason == "events_differ":
                    sentence = "Drawn again with its own number, the entry comes out otherwise."
                    self._findings.fail("draws", seq, line, Wrong("drawn_otherwise", sentence))
        if not self._findings.has_failed("versions"):
            try:
                told = decided or as_stored(judge.rules, seq, body)
                made = self._run(lambda: redacted(judge.rules, told, self._seats))
                unlike = _unlike(made, entry)
                if unlike and self._run(lambda: shown_then(judge.rules, told, body, self._seats, entry)) is None:
                    raise unlike
                self._findings.counts["versions"] += 1
            except Wrong as wrong:
                self._findings.fail("versions", seq, line, wrong)

    # --- Result --------------------------------------------------------------------------------------

    def result(self) -> Verification:
        """What holds of the entries taken."""
        if not self.done and not self._broken:
            self._findings.fail("chain", 0, None, Wrong("empty", "There is no entry."))
        signature = self._signature()
        receipts = self._witnesses.result(None if self._broken else self.done)
        inner = [self._findings.check(name, self._missing, checked=self._missing is None) for name in INNER]
        checks = (self._findings.check("chain"), *inner, self._draws(), signature, receipts)
        first = self._findings.first
        return Verification(
            self._table, self._audience, self.done, self._head.hex(), first is None, checks, first
        )  # fmt: skip

    @property
    def _missing(self) -> str | None:
        """What keeps the rules from being asked of every entry."""
        return self._why or self._broken

    def _draws(self) -> Check:
        why = self._missing
        if why == "not_all" and not self._seeds.disclosed:
            why = self._broken or "not_over"
        if why is None and self._findings.has_failed("adjudication"):
            why = "adjudication_failed"
        if why is not None:
            return self._findings.check("draws", why, checked=False)
        return self._findings.check("draws", None if self._seeds.disclosed else "not_over")

    def _signature(self) -> Check:
        """Whether one of the keys that one trusts, or at least the archive's own, has closed the log."""
        if self._own is None:
            return self._findings.check("signature", "none_given", checked=False)
        if self._keys is not None and self._own not in self._keys.values():
            sentence = "The log is closed by a key that is none of those which one trusts."
            self._findings.fail("signature", self.done, 1, Wrong("foreign_key", sentence))
        if self._broken:
            return self._findings.check("signature", self._broken, checked=False)
        self._findings.counts["signature"] += not self._findings.has_failed("signature")
        return self._findings.check("signature", "own_key" if self._keys is None else None)


def _at_once(work: Callable[[], T]) -> T:
    return work()


def _unlike(made: dict[str, bytes], entry: Entry | Line) -> Wrong | None:
    """What is wrong unless every version is what is left of the full one when all is taken out that its readers may not
    know.
    """
    if isinstance(entry, Entry):
        names = entry.versions.keys() - {FULL}
        wrong = [name for name in made if entry.versions.get(name) != made[name]]
    else:
        names = set(entry.commits)
        wrong = [
            name for name in made if chain.commit(chain.derive(entry.salt, name), made[name]) != entry.commits.get(name)
        ]
    if names != made.keys():
        return Wrong("other_versions", "The entry has other versions than the rules make of it.")
    if wrong:
        return Wrong("version_differs", f"Version {wrong[0]!r} is not what its readers should have been shown.")
    return None


def _opens(created: Created, action: Any) -> bool:
    """Whether the action, as plain values, is the one that opens such a table."""
    return isinstance(action, dict) and all(
        action.get(name) == getattr(created, name) for name in ("game", "rules", "seats")
    )
