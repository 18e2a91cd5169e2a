"""What the command does with tables that were written down: whether an archive holds, and who was bribed in it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import rich_click as click

from clients.terminal.visits import Visitor
from clients.terminal.words import LANGUAGES
from comitium_client import ComitiumError
from comitium_client.sync import Client
from comitium_client.table import Form
from events.archive import Broken, Line, read
from events.receipts import Receipt, key_id
from games import Catalogue
from projections import codec
from projections.provenance import Descent, descent
from projections.story import Story, tell
from projections.trail import as_csv, as_dot, as_svg, trail
from projections.verification import Verification, verify_archive, verify_receipts

BROKEN = 1
"""What a shell gets when something does not hold."""

DRAWN: dict[str, Callable[..., str]] = {"csv": as_csv, "dot": as_dot, "svg": as_svg}

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


# --- Verifying ----------------------------------------------------------------------------------------


@click.command()
@click.argument("file", type=FILE, required=False)
@click.option(
    "--receipts", type=FILE, multiple=True, help="Receipts to hold the log against, as clients keep them (JSON lines)."
)
@click.option(
    "--keys",
    type=FILE,
    help="The keys that you trust: what GET /v1/keys answered. Without it the archive's own key is taken.",
)
@click.option(
    "--parent", type=FILE, help="If it is a fork: the archive of the table that it goes on from, to compare the two."
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def verify(
    file: Path | None, receipts: tuple[Path, ...], keys: Path | None, parent: Path | None, as_json: bool
) -> None:
    """Check an archive without any server: chain, signature, receipts, and every decision and draw again.

    Ends with 1 and the first difference if anything does not hold. Without FILE the receipts are compared with each other.
    """
    if file is None and not receipts:
        raise click.UsageError("Give an archive, or receipts, or both.")
    if file is None and parent is not None:
        raise click.UsageError("Give the fork's archive too.")
    kept = [receipt for path in receipts for receipt in _receipts(path)]
    trusted = None if keys is None else _keys(keys)
    if file is None:
        check, first = verify_receipts(kept, trusted or _kept_keys(receipts))
        click.echo(f"receipts: {check.status} ({check.checked})" + (f", {check.why}" if check.why else ""))
        if first is not None:
            click.echo(first.sentence)
            raise SystemExit(BROKEN)
        return
    with file.open("rb") as stream:
        found = verify_archive(stream, Catalogue(), keys=trusted, receipts=kept)
    origin = None if parent is None else _descent(file, parent)
    if as_json:
        told = found if origin is None else {**msgspec.to_builtins(found), "descent": origin}
        click.echo(msgspec.json.encode(told).decode())
    else:
        click.echo(_report(found) + ("" if origin is None else "\n" + _where_from(origin)))
    if not found.ok or (origin is not None and not origin.ok):
        raise SystemExit(BROKEN)


def _descent(fork: Path, parent: Path) -> Descent:
    """What holds of the two archives together."""
    try:
        with fork.open("rb") as one, parent.open("rb") as other:
            return descent(one, other, Catalogue())
    except Broken as broken:
        raise click.ClickException(f"One of the two archives cannot be read: {broken}") from None


def _where_from(found: Descent) -> str:
    """Where a fork comes from, for people."""
    entry = "" if found.seq is None else f" at entry {found.seq}"
    if found.why is None:
        return f"it goes on from table {found.parent}{entry}: the {found.carried} events that came along are what counted there"
    if found.ok:
        return f"table {found.parent} has that head{entry}; what came along was not compared ({found.why})"
    return f"it does not go on from table {found.parent}{entry} ({found.why})"


def _report(found: Verification) -> str:
    """The findings for people."""
    lines = [f"table {found.table or '?'}, {found.entries} entries, head {found.head}"]
    for check in found.checks:
        why = f" ({check.why})" if check.why else ""
        lines.append(f"  {check.name:<13}{check.status.replace('_', ' '):<12}{check.checked:>8}{why}")
    if found.first is not None:
        place = f"entry {found.first.seq}" + (f", line {found.first.line}" if found.first.line else "")
        lines.append(f"first difference: {place}: {found.first.sentence}")
    lines.append("everything that was checked holds" if found.ok else "this log does not hold")
    return "\n".join(lines)


class _Key(msgspec.Struct):
    id: str
    public_key: str


class _Keys(msgspec.Struct):
    keys: list[_Key]


def _keys(path: Path) -> dict[str, bytes]:
    """Keys by id, from the answer of GET /v1/keys."""
    try:
        given = msgspec.json.decode(path.read_bytes(), type=_Keys)
        found = {key.id: bytes.fromhex(key.public_key) for key in given.keys}
    except (msgspec.MsgspecError, ValueError) as error:
        raise click.ClickException(f"{path} holds no keys: {error}") from None
    wrong = [key for key, public in found.items() if key_id(public) != key]
    if wrong:
        raise click.ClickException(f"{path}: {wrong[0]} is not the id of its key")
    return found


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            yield msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.MsgspecError as error:
            raise click.ClickException(f"{path}, line {number}: {error}") from None


def _receipts(path: Path) -> list[Receipt]:
    """The receipts of a client's file, whose lines also name servers and keys; or bare ones."""
    found = []
    for number, line in enumerate(_lines(path), 1):
        if "signature" in line:
            try:
                found.append(msgspec.convert({k: v for k, v in line.items() if k != "server"}, Receipt))
            except msgspec.ValidationError as error:
                raise click.ClickException(f"{path}, line {number}: {error}") from None
    return found


def _kept_keys(paths: tuple[Path, ...]) -> dict[str, bytes]:
    """The keys that stand in clients' files of receipts."""
    return {
        line["id"]: bytes.fromhex(line["public_key"]) for path in paths for line in _lines(path) if "public_key" in line
    }


# --- Auditing -----------------------------------------------------------------------------------------


@click.command()
@click.argument("target", metavar="FILE|URL")
@click.option("--token", envvar="COMITIUM_TOKEN", show_envvar=True, help="For a table of a server: who you are there.")
@click.option(
    "--as", "form", type=click.Choice([*DRAWN, "json"]), default="csv", show_default=True, help="The form of the trail."
)
@click.option(
    "--language", type=click.Choice(LANGUAGES), default="en", show_default=True, help="The language of the labels."
)
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="A file to write to, instead of the terminal."
)
def audit(target: str, token: str | None, form: Form, language: str, out: Path | None) -> None:
    """Show the bribery trail of an archive, or of a table (its address): who was paid how much for which decision, and
    what came of it.
    """
    if "://" not in target and not Path(target).is_file():
        raise click.UsageError(f"The file {target} does not exist.")
    text = _trail_there(target, token, form, language) if "://" in target else _trail_here(Path(target), form, language)
    if out is None:
        click.echo(text, nl=False)
    else:
        out.write_text(text, "utf-8", newline="")


def _trail_here(file: Path, form: Form, language: str) -> str:
    found = trail(story_in(file))
    return msgspec.json.encode(found).decode() + "\n" if form == "json" else DRAWN[form](found, language)


def _trail_there(address: str, token: str | None, form: Form, language: str) -> str:
    visitor, table = Visitor(token=token, language=language).at(address)
    if table == address:
        raise click.ClickException(f"{address} is not the address of a table: it ends with /v1/tables/ID")
    try:
        with Client(visitor.url, token=token, language=language) as client:
            text = client.table(table).bribes(form).decode()
    except ComitiumError as error:
        raise click.ClickException(str(error)) from None
    return text + "\n" if form == "json" else text


def story_in(file: Path) -> Story:
    """The story that an archive tells, which must be whole."""
    try:
        with file.open("rb") as stream:
            header, lines = read(stream)
            kept: list[Line] = list(lines)
        rules = Catalogue().rules(header.game, header.rules)
        return tell(rules, header.reader, [codec.decode(rules, line.seq, line.body) for line in kept])
    except Broken as broken:
        raise click.ClickException(f"{file}: {broken}") from None
    except KeyError:
        raise click.ClickException(
            f"{file}: this version of Comitium does not bring along the rules of its game"
        ) from None
    except codec.Unreadable as error:
        raise click.ClickException(f"{file}: {error}") from None


COMMANDS = (verify, audit)
