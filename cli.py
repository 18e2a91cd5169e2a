"""The command `comitium`: a server, and everything that one can do at one from a terminal."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import rich_click as click
from rich.console import Console

import administration
import furnishing
import records
from clients.bots import BOTS
from clients.bots.host import HouseBots
from clients.bots.playing import GivenUp, Pace
from clients.terminal import standings as ranking
from clients.terminal import visits
from clients.terminal.demo import Demo, Untrue, run_demo
from clients.terminal.lines import Line, Shown, show
from clients.terminal.visits import HOME, Visitor
from clients.terminal.words import LANGUAGES, Words
from comitium_client import ComitiumError, Disconnected, Game
from events.store import StoreError
from games import Catalogue
from games.texts import wording
from server import logs
from server.accounts import AccountsFileError
from server.archives import Unfit
from server.serve import Served, serving
from server.serve import serve as run_server
from server.settings import Settings

T = TypeVar("T")

INTERRUPTED = 130
"""What a shell expects of a program that Ctrl-C has ended."""

console = Console(highlight=False)


def _version() -> str:
    try:
        return version("comitium")
    except PackageNotFoundError:
        return "0 (not installed)"


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(_version(), prog_name="comitium")
def main() -> None:
    """Comitium: a server for negotiation and trial games, whose log is never edited."""


def _run(work: Coroutine[Any, Any, T]) -> T:
    """The work's result; what can go wrong is said in a sentence."""
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except Disconnected as error:
        raise click.ClickException(Words().own("no.answer", reason=error.reason)) from None
    except (ComitiumError, GivenUp, Untrue, visits.NoSeat) as error:
        raise click.ClickException(str(error)) from None


for _command in (*administration.COMMANDS, *furnishing.COMMANDS, *records.COMMANDS):
    main.add_command(_command)


# --- Serving ------------------------------------------------------------------------------------------


@main.command()
@administration.options()
def serve(**given: Any) -> None:
    """Serve. Every option may be given by its environment variable as well."""
    settings = administration.load(given)
    bots = HouseBots()

    def started(served: Served) -> None:
        bots.attach(served.app, lambda: served.is_open)
        _say_where(served)

    try:
        run_server(settings, bots, started)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    except (StoreError, AccountsFileError, NotImplementedError) as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        where = f"{settings.host}, port {settings.port}"
        raise click.ClickException(f"Cannot listen on {where}: {error.strerror or error}.") from None


def _say_where(served: Served) -> None:
    settings = served.site.settings
    is_file = settings.store_kind == "sqlite"
    place = os.path.abspath(settings.store_path) if is_file else f"{settings.store} (gone when it stops)"  # noqa: PTH100
    click.echo(f"Comitium listens on {served.url}")
    click.echo(f"  log: {place}")
    click.echo(f"  registration: {'open' if settings.registration_open else 'closed'}")
    click.echo("  Ctrl-C stops it.")


# --- Visiting -----------------------------------------------------------------------------------------


def _language(command: Any) -> Any:
    text = "The language of what players see."
    return click.option("--language", type=click.Choice(LANGUAGES), default="en", show_default=True, help=text)(command)


def _visitor(*, named: bool) -> Callable[[Any], Any]:
    """The options that say who goes where."""

    def add(command: Any) -> Any:
        command = _language(command)
        if named:
            command = click.option("--name", help="Register under this name, if there is no token.")(command)
        receipts = "A file in which receipts are kept, so that a lost or changed log is found out."
        command = click.option("--receipts", type=click.Path(dir_okay=False), help=receipts)(command)
        token = "Who you are, as the server once told you."  # noqa: S105  (a help text)
        command = click.option("--token", envvar="COMITIUM_TOKEN", show_envvar=True, help=token)(command)
        return click.option("--url", default=HOME, show_default=True, help="The server.")(command)

    return add


def _seat(command: Any) -> Any:
    command = click.option("--invite", help="A code for a seat at a private table.")(command)
    return click.option("--seat", type=click.IntRange(0), help="Which seat; else any that is free.")(command)


@main.command("games")
@click.option("--url", help="A server; without it, the games that this program brings along.")
@_language
def list_games(url: str | None, language: str) -> None:
    """List the games that can be played."""
    show(console, _built_in(language) if url is None else _run(visits.games(Visitor(url, language=language))))


def _built_in(language: str) -> list[Shown]:
    found = []
    for name, rules in sorted(Catalogue().current.items()):
        words = wording(rules.game, language)
        minutes = words.texts.get(f"{name}.minutes")
        title, summary, seats = words.text("title"), words.text("summary"), tuple(rules.game.seats)
        found.append(
            Game(game=name, rules=rules.game.version, title=title, summary=summary, seats=seats, minutes=minutes)
        )
    return list(visits.game_lines(found))


@main.command()
@click.option("--game", help="Tables of this game only.")
@click.option("--people", is_flag=True, help="Leave house bots out.")
@click.option("--url", default=HOME, show_default=True, help="The server.")
@_language
def standings(game: str | None, people: bool, url: str, language: str) -> None:
    """Show who has played how well at public tables that are over, and who keeps promises."""
    show(console, _run(ranking.standings(Visitor(url, language=language), game, bots=not people)))


@main.command()
@click.argument("table", required=False)
@_seat
@_visitor(named=True)
def play(table: str | None, seat: int | None, invite: str | None, **who: Any) -> None:
    """Play in the terminal: at TABLE (its address, or its id), or by way of the lobby."""
    visitor, found = Visitor(**who).at(table or "")
    if visitor.token is None and visitor.name is None:
        raise click.UsageError("Who are you? Give --name to register, or --token to come back.")
    _run(visits.play(visitor, found or None, seat, invite, console))


@main.command()
@click.argument("table")
@_visitor(named=False)
def watch(table: str, **who: Any) -> None:
    """Look on at TABLE (its address, or its id)."""
    visitor, found = Visitor(**who).at(table)
    _run(visits.watch(visitor, found, console))


@main.command()
@click.argument("which", metavar="|".join(BOTS), type=click.Choice(list(BOTS)))
@click.option("--table", required=True, help="The address of a table, or its id.")
@click.option("--quiet", type=click.FloatRange(0), default=1.0, show_default=True, metavar="SECONDS",
              help="How long all must be silent before it decides something that others may bargain over.")  # fmt: skip
@click.option("--seed", type=int, help="Of its own choices.")
@_seat
@_visitor(named=True)
def bot(
    which: str, table: str, quiet: float, seed: int | None, seat: int | None, invite: str | None, **who: Any
) -> None:
    """Let a bot play at a table of any server, until that table ends."""
    visitor, found = Visitor(**who).at(table)
    pace = Pace(think=quiet / 4, quiet=quiet, longest=6 * quiet)
    diary = _run(visits.lend(visitor, found, seat, invite, BOTS[which], pace, seed))
    click.echo(f"The table is over for {which}. Actions: {diary.acted}, refused: {len(diary.refused)}.")


@main.command()
@click.argument("target", metavar="TABLE")
@click.option("--at", type=click.IntRange(1), help="The entry to begin with.")
@click.option("--seat", type=click.IntRange(0), help="See with the eyes of this seat, where the server allows that.")
@click.option("--all", "everything", is_flag=True, help="Print every step and end.")
@_visitor(named=False)
def replay(target: str, at: int | None, seat: int | None, everything: bool, **who: Any) -> None:
    """Step through a table: forward, back, to any entry, as any seat that one may see as.

    TABLE is its address, its id, or an archive: a file, which is verified first.
    """
    visitor, found = Visitor(**who).at(target)
    if visits.is_file(target):
        logs.set_up("error")
        data = _contents(Path(target), visitor)
        _run(_replay_file(target, data, visitor, at, seat, everything=everything))
    else:
        _run(_replay(visitor, found, at, seat, everything=everything))


async def _replay(visitor: Visitor, table: str, at: int | None, seat: int | None, *, everything: bool) -> None:
    if everything:
        await visits.replay_all(visitor, table, seat, console)
    else:
        await visits.replay(visitor, table, seat, at, console)


def _contents(file: Path, visitor: Visitor) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        told = Words(visitor.language).own("replay.unread", file=str(file), reason=error.strerror)
        raise click.ClickException(told) from None


async def _replay_file(
    file: str, data: bytes, visitor: Visitor, at: int | None, seat: int | None, *, everything: bool
) -> None:
    """By a server in this process, to which the file is brought."""
    words = Words(visitor.language)
    settings = Settings.load({}, store="memory:", port=0, unsafe_unlimited=True)
    async with serving(settings) as served:
        with console.status(words.own("replay.checking", file=file)):
            try:
                taken = await served.site.importer.take(data)
            except Unfit as unfit:
                line = "?" if unfit.line is None else unfit.line
                told = words.own("replay.unfit", file=file, line=line, reason=unfit.sentence)
                raise click.ClickException(told) from None
        inside = msgspec.structs.replace(visitor, url=served.url, token=None, receipts=None)
        await _replay(inside, taken.id, at, seat, everything=everything)


# --- The demo -----------------------------------------------------------------------------------------


@main.command()
@click.option("--seats", type=click.IntRange(4, 7), default=5, show_default=True, help="How many bots play.")
@click.option("--seed", type=int, help="Of the bots' own choices. The cards are the server's, and differ every time.")
@click.option("--speed", type=click.FloatRange(0), default=2.0, show_default=True,
              help="How many times as fast as one can read aloud; 0 is as fast as it goes.")  # fmt: skip
@click.option("--exile", is_flag=True, help="The chair may exile a colour found guilty.")
@click.option("--appeal", is_flag=True, help="One verdict may be tried anew.")
@click.option("--url", help="Play on this server instead of one in this process.")
@click.option("--keep", is_flag=True, help="Keep the server running afterwards, to look at the table again.")
@_language
def demo(
    seats: int, seed: int | None, speed: float, exile: bool, appeal: bool, url: str | None, keep: bool, language: str
) -> None:
    """Watch bots play a whole Tribunal, told as it happens, and see its log checked."""
    shown = Demo(seats, seed, language, speed, {"exile": exile, "appeal": appeal})
    logs.set_up("warning")
    _run(_demo(shown, url, keep=keep))


async def _demo(shown: Demo, url: str | None, *, keep: bool) -> None:
    words = Words(shown.language)
    if url is not None:
        show(console, [Line(words.own("demo.elsewhere", url=url), "quiet")])
        await run_demo(url, shown, BOTS["tribunal"], console)
        return
    async with serving(Settings.load({}, store="memory:", port=0, unsafe_unlimited=True)) as served:
        show(console, [Line(words.own("demo.server", url=served.url), "quiet")])
        table = await run_demo(served.url, shown, BOTS["tribunal"], console)
        if keep:
            show(console, [Line(words.own("demo.keeps", url=served.url, table=table.id))])
            await served.task


if __name__ == "__main__":
    main(prog_name="comitium")
