"""What this client has seen of one table's log. Everything that the server says about it is compared with that."""

from collections import OrderedDict
from collections.abc import Container, Mapping
from typing import Any

import msgspec

from comitium_client.archive import Archive
from comitium_client.chain import ZERO, Chain, check_entry, owed
from comitium_client.errors import BrokenArchive, ForkedArchive, LogForked, LogShorter, ReceiptMismatch, Tampered
from comitium_client.models import Entry, Receipt
from comitium_client.receipts import Receipts

REMEMBERED = 1024
"""Heads that are remembered beside those of the receipts, which are kept for ever."""

FOREIGN = "ff-"
"""What the ids of tables begin with that were brought as archives; their entries name the table that they were."""

FINAL = frozenset({"ended", "abandoned"})
"""The statuses after which nothing happens at a table."""


class Reader(msgspec.Struct, frozen=True):
    """As whom the log is read: from which seat, and since which entry the table is known to be over."""

    seat: int | None
    ended: int | None

    def versions(self, entry: Entry, end: int) -> frozenset[str]:
        """The versions in which an entry may stand in the log, when it ends with entry `end`.

        After the end that is `full`; to a spectator only if the table is public, which is not known here.
        """
        own = owed(entry, self.seat)
        if self.ended is None:
            return frozenset({own})
        if self.seat is None or end < self.ended:
            return frozenset({own, "full"})
        return frozenset({"full"})


class Witness:
    """One table's heads as the server has shown them, and its receipts."""

    def __init__(self, table: str, receipts: Receipts, server: str) -> None:
        self.table = table
        self._receipts = receipts
        self._server = server
        self._heads: OrderedDict[int, str] = OrderedDict()
        self.reader: Reader | None = None
        self._origin = None if table.startswith(FOREIGN) else table

    @property
    def receipts(self) -> tuple[Receipt, ...]:
        """The receipts for this table, in order."""
        return self._receipts.of(self._server, self.table)

    @property
    def promised(self) -> int:
        """The last entry for which there is a receipt: the log must not end before it."""
        return self._receipts.last(self._server, self.table)

    def receipt_up_to(self, seq: int) -> tuple[int, str] | None:
        """The last entry up to that one for which there is a receipt, with its head."""
        return max(((receipt.seq, receipt.head) for receipt in self.receipts if receipt.seq <= seq), default=None)

    def known(self, seq: int) -> str | None:
        """The head after that entry, if it was seen."""
        if seq == 0:
            return ZERO
        receipt = self._receipts.at(self._server, self.table, seq)
        return receipt.head if receipt is not None else self._heads.get(seq)

    def head(self, seq: int, head: str) -> None:
        """Takes note of a head that the server shows.

        Raises:
            LogForked: it showed another one before.
        """
        known = self.known(seq)
        if known is not None and known != head:
            raise self.forked(f"The head after entry {seq} is not the one that the server showed before.", seq)
        self._heads[seq] = head
        while len(self._heads) > REMEMBERED:
            self._heads.popitem(last=False)

    def entry(self, entry: Entry, before: str | None = None) -> None:
        """Checks an entry, also against the head `before` it, where that is given or known.

        Raises:
            Tampered: its bytes, leaf and head do not fit together.
            LogForked: the server showed another entry in this place.
        """
        before = before or self.known(entry.seq - 1)
        try:
            if before is None:
                check_entry(entry, self._log_of(entry.body.table))
            else:
                Chain(self._log_of(entry.body.table), entry.seq - 1, before).extend(entry)
        except Tampered as error:
            raise self.unfit(str(error), entry) from error
        known = self.known(entry.seq)
        if known is not None and known != entry.head:
            sentence = f"The head after entry {entry.seq} is not the one that the server showed before."
            raise LogForked(sentence, self.table, entry.seq, self.receipts, entry)
        self.head(entry.seq, entry.head)

    def unfit(self, sentence: str, entry: Entry) -> Tampered:
        """The error for an entry that cannot stand where it was shown, with the evidence."""
        return Tampered(sentence, self.table, entry.seq, self.receipts, entry)

    def _log_of(self, named: str | None) -> str:
        """The table whose log this is. What was brought as an archive has another id here than in its log, always the same."""
        if self._origin is None:
            self._origin = named
        return self._origin or self.table

    def version(self, entry: Entry, owed: Container[str]) -> None:
        """Checks that an entry came in a version that is owed to its reader.

        Raises:
            Tampered: it came in another, which tells him less than he may know, or more.
        """
        if entry.version not in owed:
            sentence = f"Entry {entry.seq} came in the version {entry.version!r}, which is not the one that is owed."
            raise self.unfit(sentence, entry)

    def names(self, view: Mapping[str, Any], seq: int, head: str) -> None:
        """Checks that a view, or what changed of it, is of this table and says where it stands as its frame does.

        Raises:
            Tampered: it names something else.
        """
        table = self._log_of(view.get("table"))
        for name, value in (("table", table), ("seq", seq), ("head", head)):
            if view.get(name, value) != value:
                sentence = f"What came as the view after entry {seq} names another {name}."
                raise Tampered(sentence, self.table, seq, self.receipts)

    def sees(self, view: Mapping[str, Any]) -> None:
        """Takes note of who the reader is, from his view as it is now."""
        self.reader = Reader(view.get("seat"), view["seq"] if view.get("status") in FINAL else None)

    def agrees(self, receipt: Receipt, seq: int, head: str) -> None:
        """Checks that a receipt is for what it came with.

        Raises:
            ReceiptMismatch: it is for something else.
            LogForked: the server showed another head before.
        """
        if (receipt.table, receipt.seq, receipt.head) != (self.table, seq, head):
            sentence = f"The receipt that came with entry {seq} is for entry {receipt.seq} or for another log."
            raise ReceiptMismatch(sentence, self.table, seq, [receipt])
        self.head(seq, head)

    def can_keep(self, receipt: Receipt) -> bool:
        """Whether the key that signed it is known."""
        return receipt.key in self._receipts.keys(self._server)

    def archive(self, data: bytes, keys: Mapping[str, str]) -> None:
        """Checks an archive of this table, against itself, the receipts, and the heads seen. `keys`: of this server.

        Raises:
            BrokenArchive: it does not hold (also ForkedArchive, ShortArchive).
            ReceiptMismatch: none of the keys has closed it. What was brought from elsewhere may have any.
        """
        archive = Archive(data, receipts=self.receipts, keys=None if self.table.startswith(FOREIGN) else keys)
        if archive.header.table != self._log_of(archive.header.table):
            raise BrokenArchive(1, "other_table", "The archive is that of another table.", self.table)
        for line in archive:
            if self.known(line.seq) not in (None, line.head):
                sentence = f"Entry {line.seq} has another head than the one that the server showed before."
                raise ForkedArchive(
                    line.seq + 1, "forked", sentence, self.table, [archive.header.receipt, *self.receipts]
                )

    def keep(self, receipt: Receipt) -> None:
        """Checks the signature, and keeps the receipt.

        Raises:
            ReceiptMismatch: the signature does not hold.
            LogForked: there is another receipt for this entry.
        """
        self._receipts.keep(self._server, receipt)
        self.head(receipt.seq, receipt.head)

    def reaches(self, seq: int, promised: int) -> None:
        """Checks that a log which ends with `seq` is not shorter than a promise.

        Raises:
            LogShorter: it is.
        """
        if seq < promised:
            sentence = f"The log of table {self.table} ends with entry {seq}, but the server has shown or signed entry {promised}."
            raise LogShorter(sentence, self.table, seq, self.receipts)

    def forked(self, sentence: str, seq: int) -> LogForked:
        """The error for a log that is not the one seen before, with the evidence."""
        return LogForked(sentence, self.table, seq, self.receipts)
