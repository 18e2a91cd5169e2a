"""What the operator does at a terminal: tokens of any scope, the keys of receipts, players who are to be forgotten.

It works on the file of the accounts, which a server may have open at the same time.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import rich_click as click

from server.accounts import SCOPES, Accounts, AccountsFileError, NameRefused, Registration, Scope, open_accounts
from server.accounts.ports import words_of
from server.settings import Setting, SettingError, Settings, describe

FILE = ("store", "accounts")
"""The settings that say where the accounts are."""


# --- Settings as options ------------------------------------------------------------------------------


def options(*names: str) -> Callable[[Any], Any]:
    """These settings (without names, all) as options of a command."""

    def add(command: Any) -> Any:
        for setting in reversed(describe()):
            if not names or setting.name in names:
                command = _option(setting)(command)
        return command

    return add


def _option(setting: Setting) -> Callable[[Any], Any]:
    default = f" Default: {setting.default}." if setting.default else ""
    text = (
        f"{setting.meaning} {setting.allowed[0].upper()}{setting.allowed[1:]}.{default} Variable: {setting.variable}."
    )
    if setting.allowed == "true or false":
        return click.option(setting.option, setting.name, is_flag=True, default=None, help=text)
    return click.option(setting.option, setting.name, metavar="VALUE", help=text)


def load(given: dict[str, Any]) -> Settings:
    """The settings, from what was given and the environment."""
    try:
        return Settings.load(os.environ, **given)
    except SettingError as error:
        raise click.UsageError(str(error)) from None


# --- The file -----------------------------------------------------------------------------------------


@contextmanager
def _accounts(given: dict[str, Any], *, may_make: bool = False) -> Iterator[Accounts]:
    """The accounts that the settings name. What can go wrong is said in a sentence."""
    at = load(given).accounts_at
    _check_place(at, may_make=may_make)
    try:
        accounts = open_accounts(at)
    except AccountsFileError as error:
        raise click.ClickException(str(error)) from None
    try:
        yield accounts
    except apsw.Error as error:
        raise click.ClickException(f"accounts in {at}: {error}") from None
    finally:
        accounts.close()


def _check_place(at: str, *, may_make: bool) -> None:
    if at == "memory:":
        raise click.UsageError("Accounts in memory are those of a running server alone: name a file by --accounts.")
    path = Path(at)
    if not path.exists():
        if not may_make:
            raise click.ClickException(f"There is no accounts file {at}: name it by --accounts, or the log by --store.")
        click.echo(f"new accounts file: {path.absolute()}", err=True)
    elif not path.is_file():
        raise click.ClickException(f"{at} is no file.")


# --- Tokens -------------------------------------------------------------------------------------------


def _scopes(_context: Any, _option: Any, text: str) -> frozenset[Scope]:
    words = set(text.replace(",", " ").split())
    if not words or not words <= SCOPES:
        raise click.BadParameter(f"{text!r}; allowed are {', '.join(sorted(SCOPES))}, with commas between.")
    return frozenset(scope for scope in SCOPES if scope in words)


@click.command()
@click.argument("player", required=False)
@click.option("--new", "name", metavar="NAME", help="Register somebody under this name.")
@click.option("--scopes", default="play,read", show_default=True, callback=_scopes,
              help="What the token is good for: play, read, arbitrate, operate, with commas between.")  # fmt: skip
@options(*FILE)
def token(player: str | None, name: str | None, scopes: frozenset[Scope], **given: Any) -> None:
    """Make a token of any scope, for PLAYER (an id) or somebody --new.

    The token is printed this once; whom it belongs to is said beside it, on stderr. A running server knows it at once.
    """
    if (player is None) == (name is None):
        raise click.UsageError("Give the id of a player, or --new with a name.")
    with _accounts(given, may_make=name is not None) as accounts:
        made = _further(accounts, player, scopes) if player is not None else _registered(accounts, name or "", scopes)
    click.echo(f"{made.name}, player {made.player}, scopes: {words_of(made.scopes)}. Shown this once:", err=True)
    click.echo(made.token)


def _registered(accounts: Accounts, name: str, scopes: frozenset[Scope]) -> Registration:
    try:
        return accounts.register(name, scopes)
    except NameRefused:
        raise click.ClickException("That is no name: it takes 1 to 40 characters that can be seen.") from None


def _further(accounts: Accounts, player: str, scopes: frozenset[Scope]) -> Registration:
    """A further token, with whom it is for."""
    name = _known(accounts, player)
    made = accounts.issue(player, scopes, within=scopes)
    return Registration(player, name, made.scopes, made.token_id, made.token)


def _known(accounts: Accounts, player: str) -> str:
    """The name of a player who is there."""
    known = accounts.player(player)
    if known is None or known.erased:
        raise click.ClickException(f"There is no player with the id {player!r} here, or no longer.")
    return known.name


# --- Keys ---------------------------------------------------------------------------------------------


@click.group(invoke_without_command=True)
@options(*FILE)
@click.pass_context
def keys(context: click.RichContext, /, **given: Any) -> None:
    """List the keys that receipts were ever signed with, or change to a new one."""
    context.obj = given
    if context.invoked_subcommand is None:
        with _accounts(given) as accounts:
            for key in accounts.signing_keys():
                made = datetime.fromtimestamp(key.created / 1000, UTC).isoformat(sep=" ", timespec="seconds")
                click.echo(f"{key.id}  {made}  {key.public.hex()}{'  current' if key.current else ''}")


@keys.command()
@options(*FILE)
@click.pass_context
def rotate(context: click.RichContext, /, **given: Any) -> None:
    """Make a new key. Receipts of the former ones stay valid; a running server uses it after its restart."""
    both = {name: given[name] if given[name] is not None else context.obj[name] for name in given}
    with _accounts(both) as accounts:
        made = accounts.rotate()
    click.echo(made.id)
    click.echo("Receipts are signed with this key from now on; by a server that runs, after its restart.", err=True)
    click.echo("Those of the former keys stay valid: their public halves are kept, and served.", err=True)


# --- Players ------------------------------------------------------------------------------------------


@click.group()
def player() -> None:
    """Players, as the operator sees them."""


@player.command()
@click.argument("player", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
@options(*FILE)
def erase(player: str, yes: bool, **given: Any) -> None:
    """Forget the player ID: name, tokens, admissions, invites. Logs keep the id, which stands for nobody then."""
    with _accounts(given) as accounts:
        name = _known(accounts, player)
        if not yes:
            click.confirm(f"Forget {name} ({player}) for ever?", abort=True, err=True)
        accounts.erase(player)
    click.echo(f"Forgotten: {player}.")


COMMANDS: tuple[click.Command, ...] = (token, keys, player)
