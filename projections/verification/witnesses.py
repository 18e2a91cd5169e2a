"""Witnesses from outside the log: the server's public keys, and the receipts that its readers have kept.

A log that was written anew from end to end, by the rules, has nothing wrong inside. Only these can show it.
"""

from collections.abc import Iterable, Mapping

from events.receipts import Forged, Receipt, key_id, verify
from projections.verification.pieces import Check, Difference, Findings, Wrong

Keys = Mapping[str, bytes]
"""Public keys (32 bytes each) by their ids."""


def check_keys(keys: Keys) -> None:
    """Raise ValueError unless each key is one and has its own id."""
    for name, public in keys.items():
        if len(public) != 32 or key_id(public) != name:
            raise ValueError(f"{name[:40]!r} is not the id of that public key")


class Witnesses:
    """Receipts, compared with each other and with the heads of a log of the table `table` (None: with none).

    `keys`: those that one trusts; without them the log's `own` key has to do, which whoever wrote it may have made.
    """

    def __init__(
        self, findings: Findings, receipts: Iterable[Receipt], keys: Keys | None, own: bytes | None, table: str | None
    ) -> None:
        self._findings = findings
        self._keys = keys if keys is not None else {} if own is None else {key_id(own): own}
        self._rests_on_own = keys is None
        self._good: dict[tuple[str, int], Receipt] = {}
        self._last: Receipt | None = None
        self._missing: str | None = None
        self._any = False
        for receipt in receipts:
            self._any = True
            self._hear(receipt, table)

    def _hear(self, receipt: Receipt, table: str | None) -> None:
        if table not in (None, receipt.table):
            self._missing = self._missing or "other_table"
            return
        if receipt.key not in self._keys:
            self._missing = self._missing or "key_unknown"
            return
        try:
            verify(receipt, self._keys[receipt.key])
        except Forged:
            self._fail(receipt.seq, "forged", "A receipt is not signed by the key that it names.")
            return
        other = self._good.setdefault((receipt.table, receipt.seq), receipt)
        if other.head != receipt.head:
            self._fail(receipt.seq, "forked", "Two receipts show two heads for this entry: there are two logs.")
            return
        self._findings.counts["receipts"] += 1
        if self._last is None or receipt.seq > self._last.seq:
            self._last = receipt

    def compare(self, table: str, seq: int, head: bytes, line: int | None) -> None:
        """The log has this head after entry `seq`."""
        receipt = self._good.get((table, seq))
        if receipt is not None and receipt.head != head.hex():
            sentence = "A receipt shows another head for this entry: there are two logs."
            self._findings.fail("receipts", seq, line, Wrong("forked", sentence))

    def result(self, entries: int | None) -> Check:
        """What they say of a log of so many entries; None where it could not be read to its end."""
        last = self._last
        if entries is not None and last is not None and last.seq > entries:
            sentence = f"A receipt proves that there was an entry {last.seq}; this log ends at {entries}. If it was written later than that, entries were lost."
            self._fail(last.seq, "shorter_than_receipt", sentence)
        return self.alone("broken" if entries is None else None)

    def alone(self, why: str | None = None) -> Check:
        """What they say of each other. `why`: what keeps them from being compared with a log."""
        if not self._any:
            return self._findings.check("receipts", "none_given", checked=False)
        why = self._missing or why
        if why is not None:
            return self._findings.check("receipts", why, checked=False)
        return self._findings.check("receipts", "own_key" if self._rests_on_own else None)

    def _fail(self, seq: int, reason: str, sentence: str) -> None:
        self._findings.fail("receipts", seq, None, Wrong(reason, sentence))


def verify_receipts(receipts: Iterable[Receipt], keys: Keys) -> tuple[Check, Difference | None]:
    """What receipts say of each other, of whatever tables and without any log."""
    check_keys(keys)
    findings = Findings()
    return Witnesses(findings, receipts, keys, None, None).alone(), findings.first
