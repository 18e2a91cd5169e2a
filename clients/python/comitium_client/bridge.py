"""The way from a head that is believed to a later one that the server shows, entry by entry, without I/O."""

from collections.abc import Sequence

from comitium_client.errors import Tampered
from comitium_client.models import Entry
from comitium_client.witness import Witness


class Bridge:
    """What the log must say between two heads. In which version its entries come makes no difference to their heads."""

    def __init__(self, witness: Witness, held: tuple[int, str], shown: tuple[int, str]) -> None:
        self._witness = witness
        self._seq, self._head = held
        self._shown = shown

    @property
    def after(self) -> int:
        """The last entry that was checked: what comes after it is to be read from the log."""
        return self._seq

    @property
    def closed(self) -> bool:
        """Whether the head that was shown has been reached."""
        return self._seq == self._shown[0]

    def extend(self, entries: Sequence[Entry], end: int) -> None:
        """Takes a page of the log, which ends with entry `end` now; what lies beyond the head that was shown is left.

        Raises:
            Tampered: the entries do not follow.
            LogForked: they lead to another head, or to one that contradicts a receipt.
            LogShorter: the log does not reach what was shown.
        """
        self._witness.reaches(end, self._shown[0])
        if not entries:
            self._witness.reaches(self._seq, self._shown[0])
        for entry in entries[: self._shown[0] - self._seq]:
            if entry.seq != self._seq + 1:
                sentence = f"Entry {entry.seq} came where entry {self._seq + 1} should be."
                raise Tampered(sentence, self._witness.table, entry.seq, self._witness.receipts)
            self._witness.entry(entry, self._head)
            self._seq, self._head = entry.seq, entry.head
        if self.closed:
            self._arrive()

    def _arrive(self) -> None:
        if self._head != self._shown[1]:
            sentence = f"The log leads to another head after entry {self._seq} than the one that the server shows with its view."
            raise self._witness.forked(sentence, self._seq)


def bridge(witness: Witness, seq: int, head: str, held: tuple[int, str] | None) -> Bridge | None:
    """What must be read before a head is believed; None if nothing is to be linked. `held`: what is believed so far.

    Without that it is the last receipt for an entry up to there.

    Raises:
        LogForked: it contradicts what was shown before.
    """
    witness.head(seq, head)
    held = held or witness.receipt_up_to(seq)
    if held is None:
        return None
    link = Bridge(witness, held, (seq, head))
    if link.closed:
        link.extend((), seq)
        return None
    return link
