"""The newest entries of a SQLite log, which its indexes do not hold yet.

An index row for each entry at once would dirty two scattered pages an entry, each of which goes to disk twice. So rows
are kept here and written by the thousand, a slice at a time: the commands that begin with one hex digit, the tables of
one letter. What is written together then lies close together in the index, and no pause is long.

The writing thread changes the tail, other threads read it. A slice is replaced only after its rows are committed:
whoever looks here first and in the index second misses nothing.
"""

SLICES = 16


class Run:
    """The newest entries of one table: seqs `first`, `first + 1`..., each with its position."""

    __slots__ = ("first", "positions")

    def __init__(self, first: int) -> None:
        self.first = first
        self.positions: list[int] = []

    @property
    def last(self) -> int:
        """The seq of the newest entry."""
        return self.first + len(self.positions) - 1


class Slice:
    """What goes into the indexes together."""

    __slots__ = ("commands", "runs")

    def __init__(self) -> None:
        self.commands: dict[bytes, int] = {}
        """The position of each command."""
        self.runs: dict[str, Run] = {}


class Tail:
    """All slices."""

    def __init__(self) -> None:
        self._slices = [Slice() for _ in range(SLICES)]

    def add(self, position: int, table: str, seq: int, command: bytes) -> None:
        """Note an entry that is durable now."""
        self._slices[command[0] >> 4].commands[command] = position
        runs = self._slices[ord(table[-1]) % SLICES].runs
        run = runs.get(table)
        if run is None:
            run = runs[table] = Run(seq)
        run.positions.append(position)

    def find(self, command: bytes) -> int | None:
        """The position of a command, if it is here."""
        return self._slices[command[0] >> 4].commands.get(command)

    def run(self, table: str) -> Run | None:
        """The newest entries of a table, if they are here."""
        return self._slices[ord(table[-1]) % SLICES].runs.get(table)

    def slice(self, number: int) -> Slice:
        """One slice, to be written to the indexes."""
        return self._slices[number]

    def drop(self, number: int) -> None:
        """Forget a slice that is in the indexes now."""
        self._slices[number] = Slice()
