"""Golden logs: a whole game of each kind, entry by entry, with the head and the hash of the true state after each.

`python -m tests.laws.golden --write` plays games of the rules as they are now and writes those that are not on file
yet; with `--anew NAME` it overwrites one. A file of rules that have been released stays as it is for ever.

A file is JSON Lines: the setup, then a line an entry. Salts and seed are fixed, so that the heads say whether any
version of an entry is redacted or written differently.
"""

import argparse
from collections.abc import Iterator
from hashlib import sha256
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from events import canonical
from games.table.state import Table
from tests.laws.cases import EVERY, Case, combinations
from tests.laws.playing import play

LOGS = Path(__file__).parents[1] / "golden" / "logs"


class Setup(msgspec.Struct, frozen=True):
    """What is played. `rules`: the version of the game."""

    game: str
    rules: int
    seats: int
    options: dict[str, Any]


class Line(msgspec.Struct, frozen=True):
    """An entry's stored bytes, the head after it, and the hash of course and record."""

    entry: msgspec.Raw
    head: str
    state: str


def setups() -> Iterator[tuple[str, Case]]:
    """Every game with every combination of options, each with another number of seats."""
    for game in EVERY:
        for options, seats in zip(combinations(game), cycle(game.seats), strict=False):
            chosen = [name for name, value in options if value is True]
            chosen += [f"{name}_{value}" for name, value in options if not isinstance(value, bool)]
            yield "-".join([game.name, str(game.version), str(seats), *chosen]), Case(game, seats, options)


def state_hash(table: Table) -> str:
    """SHA-256 of the canonical JSON of the true course and record."""
    return sha256(canonical.encode({"course": table.course, "record": table.record})).hexdigest()


def read(file: Path) -> tuple[Setup, list[Line]]:
    """A golden log."""
    setup, *lines = file.read_bytes().splitlines()
    decoder = msgspec.json.Decoder(Line)
    return msgspec.json.decode(setup, type=Setup), [decoder.decode(line) for line in lines]


def write(name: str, case: Case) -> None:
    """Plays a game and writes it down."""
    setup = Setup(case.game.name, case.game.version, case.seats, dict(case.options))
    lines = [
        Line(msgspec.Raw(step.stored["full"]), step.entry.head.hex(), state_hash(step.after))
        for step in play(case, Random(name)).steps
    ]
    (LOGS / f"{name}.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in [setup, *lines]))


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes golden logs.")
    parser.add_argument("--write", action="store_true", help="write the logs that are not on file yet")
    parser.add_argument("--anew", action="append", default=[], metavar="NAME", help="overwrite this one")
    asked = parser.parse_args()
    LOGS.mkdir(exist_ok=True)
    for name, case in setups():
        is_new = not (LOGS / f"{name}.jsonl").exists()
        if name in asked.anew or (asked.write and is_new):
            write(name, case)


if __name__ == "__main__":
    main()
