"""Measures bots against each other: `python -m clients.bots --games 500`.

Without `--url` it starts a server of its own (`comitium serve`, in memory) and ends it afterwards. Tables' chance is the
server's, so figures differ a little from run to run.
"""

import argparse
import asyncio
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from rich.console import Console
from rich.progress import Progress

from clients.bots import BOTS
from clients.bots.matches import Match, Score, play_match

SERVER = ("serve", "--port", "0", "--store", "memory:", "--unsafe-unlimited", "--log-level", "error")
ADDRESS = re.compile(r"https?://\S+")


def main() -> None:
    """Plays the matches and prints a line for each."""
    given = _arguments()
    console = Console()
    with nullcontext(given.url) if given.url else _server() as url:
        for match in _matches(given):
            begun = time.monotonic()
            with Progress(console=console, transient=True) as progress:
                task = progress.add_task(f"{match.one} among {match.others}", total=match.games)

                def tell(score: Score, progress: Progress = progress, task: object = task) -> None:
                    progress.update(task, completed=score.games)  # type: ignore[arg-type]  # it came from add_task

                score = asyncio.run(play_match(url, match, given.at_once, tell))
            took = time.monotonic() - begun
            among = f"1 {match.one} among {match.seats - 1} {match.others}"
            console.print(
                f"{among}: {score} (an even share is {1 / match.seats:.0%}); refused {score.refused}; {took:.0f} s"
            )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m clients.bots", description=__doc__)
    parser.add_argument("--one", choices=BOTS, default="tribunal")
    parser.add_argument("--others", choices=BOTS, default="random")
    parser.add_argument("--seats", type=int, nargs="+", default=[4, 5])
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--at-once", type=int, default=8, help="tables that are played at the same time")
    parser.add_argument("--seed", type=int, default=0, help="of the bots' own choices")
    parser.add_argument("--url", help="a server that is already there")
    return parser.parse_args()


def _matches(given: argparse.Namespace) -> Iterator[Match]:
    """Each the one among the others, and the reverse."""
    for seats in given.seats:
        yield Match(given.one, given.others, seats, given.games, seed=given.seed)
        if given.one != given.others:
            yield Match(given.others, given.one, seats, given.games, seed=given.seed)


@contextmanager
def _server() -> Iterator[str]:
    """A server of our own, as long as the block lasts."""
    command = [sys.executable, "-m", "cli", *SERVER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:  # noqa: S603  (our own command)
        try:
            found = ADDRESS.search(child.stdout.readline() if child.stdout else "")
            if found is None:
                raise SystemExit("The server did not start.")
            yield found[0]
        finally:
            child.terminate()


if __name__ == "__main__":
    main()
