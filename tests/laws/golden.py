"""Golden logs: a whole game of each kind, entry by entry, with the head and the hash of the true state after each.

`python -m tests.laws.golden --write` plays games of the rules as they are now and writes those that are not on file
yet, for every game of the catalogue and every combination of its options. A file that is there is never touched, for
what rules have once written is read for ever; only one of rules that nobody has played yet may be written again, by name
(`--anew NAME`).

A file is JSON Lines: the setup, then a line an entry. Salts and seed are fixed, so that the heads say whether any
version of an entry is redacted or written differently.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from events import canonical
from events.chain import seal
from events.entry import FULL, Entry
from games.table.redact import versions
from games.table.rules import Rules
from games.table.state import Table
from projections import codec
from projections.upcasting import older, upcasters
from tests.laws.cases import EVERY, Case, combinations
from tests.laws.playing import play

LOGS = Path(__file__).parents[1] / "golden" / "logs"

OLDER = LOGS.parent / "older"
"""Logs that no code writes any more: their forms are old."""

TRIED = 4
"""Ways in which an old form may have been hidden, of each version, that are tried."""

COMMAND = ".venv/bin/python -m tests.laws.golden --write"


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
        for place, options in enumerate(combinations(game)):
            fitting = Rules(game).seats(msgspec.convert(dict(options), game.Options))
            seats = fitting[place % len(fitting)]
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


def sealed(rules: Rules, seats: int, seq: int, before: bytes, line: Line) -> Entry:
    """The entry as it was sealed. Of an old form the versions are those that have the recorded head, if there are such."""
    full, salt = bytes(line.entry), seq.to_bytes(32, "big")
    made = versions(rules, codec.decode_whole(rules, seq, full), seats)
    told = {name: codec.encode(body) for name, body in made.items() if name != FULL}
    if codec.today(rules, seq, full) is not None:
        for then in product(*[islice(_then(rules, full, data), TRIED) for data in told.values()]):
            entry = seal(seq, before, {FULL: full, **dict(zip(told, then, strict=True))}, salt)
            if entry.head.hex() == line.head:
                return entry
    return seal(seq, before, {FULL: codec.encode(made[FULL]), **told}, salt)


def _then(rules: Rules, full: bytes, told: bytes) -> Iterator[bytes]:
    return older(upcasters(rules), msgspec.json.decode(full), msgspec.json.decode(told))


def write(folder: Path, name: str, case: Case, *, anew: bool = False) -> None:
    """Plays a game and writes it down.

    Raises:
        FileExistsError: there is a log of that name, and it is not to be written `anew`.
    """
    setup = Setup(case.game.name, case.game.version, case.seats, dict(case.options))
    lines = [
        Line(msgspec.Raw(step.stored["full"]), step.entry.head.hex(), state_hash(step.after))
        for step in play(case, Random(name)).steps
    ]
    with (folder / f"{name}.jsonl").open("wb" if anew else "xb") as file:
        file.write(b"".join(msgspec.json.encode(line) + b"\n" for line in [setup, *lines]))


def missing(folder: Path = LOGS) -> dict[str, Case]:
    """What has no log on file yet, by name."""
    return {name: case for name, case in setups() if not (folder / f"{name}.jsonl").exists()}


def complaint(folder: Path = LOGS) -> str:
    """What is missing and how it is written; nothing if all is there."""
    names = sorted(missing(folder))
    return f"no golden log of {', '.join(names)}: {COMMAND} writes what is missing" if names else ""


def main(words: Sequence[str] | None = None, folder: Path = LOGS) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.laws.golden", description="Writes golden logs.")
    parser.add_argument("--write", action="store_true", help="write the logs that are not on file yet")
    parser.add_argument("--anew", action="append", default=[], metavar="NAME", help="overwrite this one")
    asked = parser.parse_args(words)
    unknown = sorted({*asked.anew} - dict(setups()).keys())
    if unknown:
        parser.error(f"{', '.join(unknown)}: no rules that are played today would write it, so it stays as it is")
    if not asked.write and not asked.anew:
        parser.error(complaint(folder) or "every golden log is there; --write touches none, --anew NAME overwrites one")
    folder.mkdir(exist_ok=True)
    wanted = missing(folder) if asked.write else {}
    for name, case in {**wanted, **{name: dict(setups())[name] for name in asked.anew}}.items():
        write(folder, name, case, anew=name in asked.anew)
        sys.stdout.write(f"{folder / name}.jsonl\n")


if __name__ == "__main__":
    main()
