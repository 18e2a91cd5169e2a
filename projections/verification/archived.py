"""Verifies an archive, in one go or in slices."""

from collections.abc import Generator, Iterable, Iterator

from events import chain
from events.archive import MAX_LINE, Broken, Line, read
from events.receipts import Receipt
from games import Catalogue
from projections.verification.auditor import Auditor
from projections.verification.pieces import NAMES, Check, Difference, Verification
from projections.verification.witnesses import Keys

EVERY = 256
"""Entries in a slice, if nothing else is said."""

AHEAD = 16
"""Lines that are read before they are decided. In turns of one each, reading and deciding drive each other's code out of
the processor's caches, which costs a tenth of the whole time.
"""


def steps(
    chunks: Iterable[bytes], catalogue: Catalogue, *, keys: Keys | None = None, receipts: Iterable[Receipt] = (),
    limit: int = MAX_LINE, every: int = EVERY,
) -> Generator[int, None, Verification]:  # fmt: skip
    """Yields the number of entries done, each time after `every` of them, and returns what holds.

    `chunks`: the archive in pieces of any size (an open file will do); `keys`: the public keys that one trusts, by their
    ids; `limit`: the most bytes that a line may have.

    Raises:
        ValueError: `keys` are not their ids' keys.
    """
    try:
        header, lines = read(chunks, limit)
    except Broken as broken:
        return _unread(broken)
    auditor = Auditor(
        catalogue, header.table, audience=header.audience, keys=keys, receipts=receipts, own=header.public_key
    )
    try:
        for some in _ahead(lines):
            for line in some:
                auditor.take(line, line.seq + 1)
                if auditor.done % every == 0:
                    yield auditor.done
    except Broken as broken:
        auditor.broke(broken)
    return auditor.result()


def _ahead(lines: Iterator[Line]) -> Iterator[list[Line]]:
    """The lines, some at a time; those before a broken one come before the error.

    Raises:
        Broken: a line cannot be read.
    """
    some: list[Line] = []
    try:
        for line in lines:
            some.append(line)
            if len(some) == AHEAD:
                yield some
                some = []
    except Broken:
        yield some
        raise
    yield some


def verify_archive(
    chunks: Iterable[bytes], catalogue: Catalogue, *, keys: Keys | None = None, receipts: Iterable[Receipt] = (),
    limit: int = MAX_LINE,
) -> Verification:  # fmt: skip
    """What holds of an archive; see `steps`."""
    going = steps(chunks, catalogue, keys=keys, receipts=receipts, limit=limit)
    while True:
        try:
            next(going)
        except StopIteration as end:
            found: Verification = end.value
            return found


def _unread(broken: Broken) -> Verification:
    """What holds of something that is no archive: nothing."""
    failed = Check("chain", "failed", 0, broken.reason)
    rest = [Check(name, "not_checked", 0, "broken") for name in NAMES if name != "chain"]
    first = Difference("chain", 0, broken.line, broken.reason, broken.sentence)
    return Verification(None, None, 0, chain.ZERO.hex(), False, (failed, *rest), first)
