"""Following a table: the same frames for the socket, ndjson and SSE, from any entry on, to one reader."""

from collections.abc import Callable
from typing import Protocol

from games.core import Audience
from games.table.record import Record
from server import access
from server.access import Hidden, NoSpectators, Reader
from server.outbox import Outbox
from server.tables.errors import LogForked
from server.tables.history import Step
from server.tables.live import LiveTable
from server.wire.coding import Coding, encode
from server.wire.frames import News, first_frame

RESUME_LIMIT = 500
"""Missed entries that are sent one by one; beyond it the whole view is cheaper for both sides."""

Framing = Callable[[int, bytes], bytes]
"""How a transport wraps a frame, given its seq."""


class Ended(Protocol):
    """Told once: nothing follows. The table is over, or (`error`) the reader may not read on."""

    def __call__(self, error: Exception | None = None) -> None: ...


def bare(_seq: int, frame: bytes) -> bytes:
    """The frame as it is."""
    return frame


class Follower:
    """Puts a table's frames into an outbox, as the reader may see them at each moment."""

    def __init__(
        self,
        live: LiveTable,
        reader: Reader,
        coding: Coding,
        outbox: Outbox,
        ended: Ended,
        framing: Framing = bare,
    ) -> None:
        """Raises: `Hidden`, `NoSpectators` when there is nothing here for the reader."""
        self._live = live
        self._reader = reader
        self._coding: Coding = coding
        self._outbox = outbox
        self._ended = ended
        self._framing = framing
        self.audience: Audience = access.audience(live.now.table, reader)

    def begin(self, after: int | None) -> None:
        """Sends what the reader missed since that entry, or the whole view, and follows from there.

        Raises:
            LogForked: the reader has seen entries that this log does not have.
        """
        seq = self._live.seq
        if after is not None and after > seq:
            raise LogForked(after, seq)
        missed = None if after is None else self._missed(after)
        frames = [self._whole(after)] if missed is None else [self._frame(News(step)) for step in missed]
        self._outbox.seq = after or 0
        self._outbox.fill(frames, seq)
        self._live.followers.add(self.hear)
        if self._live.complete:
            self._ended()

    def end(self) -> None:
        """Follows no longer."""
        self._live.followers.discard(self.hear)

    def hear(self, news: News) -> None:
        """A new entry. It is durable: whatever fails here ends this follower, and nothing else."""
        try:
            self._hear(news)
        except Exception as error:  # noqa: BLE001  (see above)
            self.end()
            self._ended(error)

    def _hear(self, news: News) -> None:
        lost = self._lost(news.step)
        moved = lost is None and self._moved(news.step)
        self._outbox.put(self._frame(news, whole=moved), news.step.entry.seq)
        if lost is not None or self._outbox.overflowed:
            self.end()
        if lost is not None or news.step.after.table.over:
            self._ended(lost)

    def _missed(self, after: int) -> list[Step] | None:
        """The steps since that entry; None when there are too many, or when what the reader saw then is not what he sees now."""
        steps = self._live.history.since(after)
        if steps is None or len(steps) > RESUME_LIMIT or self._live.broken is not None:
            return None
        known = [steps[0].before, *[step.after for step in steps]] if steps else []
        records = {id(position.table.record): position.table.record for position in known if position is not None}
        if any(self._own(record) != self.audience for record in records.values()):
            return None
        return steps

    def _lost(self, step: Step) -> Exception | None:
        """Why the reader, who has given up his seat with this entry, may not go on reading."""
        if not _touches_seats(step):
            return None
        try:
            access.audience(step.after.table, self._reader)
        except (Hidden, NoSpectators) as error:
            return error
        return None

    def _moved(self, step: Step) -> bool:
        """Whether the reader took or lost a seat with this entry, so that he now sees something else."""
        if not _touches_seats(step):
            return False
        own = self._own(step.after.table.record)
        moved, self.audience = own != self.audience, own
        return moved

    def _own(self, record: Record) -> Audience:
        """As whom the reader reads; of an archive that is fixed."""
        return access.own_seat(record, self._reader) if self._reader.archive is None else self.audience

    def _whole(self, resumed_from: int | None) -> bytes:
        position = self._live.now
        frame = first_frame(position, self.audience, resumed_from)
        return self._framing(position.seq, encode(self._coding, frame))

    def _frame(self, news: News, *, whole: bool = False) -> bytes:
        return self._framing(news.step.entry.seq, news.frame(self.audience, self._coding, whole=whole))


def _touches_seats(step: Step) -> bool:
    return step.before is None or step.before.table.record is not step.after.table.record
