"""Following a table: the same frames for the socket, ndjson and SSE, from any entry on, to one reader."""

from collections.abc import Callable

from games.core import Audience
from games.table.state import Table
from server import access
from server.access import Reader
from server.outbox import Outbox
from server.tables.errors import LogForked
from server.tables.live import LiveTable
from server.wire.coding import Coding, encode
from server.wire.frames import News, first_frame

RESUME_LIMIT = 500
"""Missed entries that are sent one by one; beyond it the whole view is cheaper for both sides."""

Framing = Callable[[int, bytes], bytes]
"""How a transport wraps a frame, given its seq."""


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
        at_end: Callable[[], None],
        framing: Framing = bare,
    ) -> None:
        self._live = live
        self._reader = reader
        self._coding = coding
        self._outbox = outbox
        self._at_end = at_end
        self._framing = framing
        self.audience: Audience = access.audience(live.now.table, reader)
        self.seq = 0

    def begin(self, after: int | None) -> None:
        """Sends what the reader missed since that entry, or the whole view, and follows from there.

        Raises:
            LogForked: the reader has seen entries that this log does not have.
        """
        if after is not None and after > self._live.seq:
            raise LogForked(after, self._live.seq)
        missed = None if after is None else self._missed(after)
        if missed is None:
            self._whole(after)
        else:
            for news in missed:
                self._send(news)
        self.seq = self._live.seq
        self._live.followers.add(self.hear)
        if self._live.now.table.over:
            self._at_end()

    def end(self) -> None:
        """Follows no longer."""
        self._live.followers.discard(self.hear)

    def hear(self, news: News) -> None:
        """A new entry."""
        self.seq = news.step.entry.seq
        self._send(news, whole=self._moved(news))
        if news.step.after.table.over:
            self._at_end()

    def _missed(self, after: int) -> list[News] | None:
        steps = self._live.history.since(after)
        if after == 0 or steps is None or len(steps) > RESUME_LIMIT:
            return None
        return [News(step) for step in steps]

    def _moved(self, news: News) -> bool:
        """Whether the reader took or lost a seat with this entry, so that he now sees something else."""
        before, after = news.step.before, news.step.after
        if before is not None and before.table.record is after.table.record:
            return False
        own = _own(after.table, self._reader)
        moved, self.audience = own != self.audience, own
        return moved

    def _whole(self, resumed_from: int | None) -> None:
        position = self._live.now
        frame = first_frame(position, self.audience, resumed_from)
        self._outbox.put(self._framing(position.seq, encode(self._coding, frame)))

    def _send(self, news: News, *, whole: bool = False) -> None:
        self._outbox.put(self._framing(news.step.entry.seq, news.frame(self.audience, self._coding, whole=whole)))


def _own(table: Table, reader: Reader) -> Audience:
    return access.own_seat(table.record, reader)
