"""What the command does with decks: checks one that somebody has typed in, and shows the house's own to begin with."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import rich_click as click

from clients.terminal.words import LANGUAGES
from games import witch_trial
from games.witch_trial.cards import Deck
from games.witch_trial.deck import first_jury, furniture, house_text, pairs, parse, remarks
from games.witch_trial.deck_check import COMPOSITION, Fault, faults, words
from server.furniture import ENDING, LARGEST

BAD = 1
"""What a shell gets when a deck cannot be used."""

KIND = "deck"
OWN = {"house": house_text}
"""The decks that come with the game, as their files."""

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
"""A name that a table can be opened with; the server looks at no other file."""


@click.group()
def decks() -> None:
    """Decks of cards for Witch Trial: the house's, and ones of your own."""


@decks.command()
@click.argument("file", type=FILE)
@click.option("--language", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Of what is said.")
def check(file: Path, language: str) -> None:
    """Say what is in the deck FILE (TOML), or everything that is wrong with it, line by line.

    Ends with 1 if a table could not be opened with it.
    """
    text = _text(file)
    found = faults(text)
    for fault in found:
        click.echo(_fault(file, fault, language))
    if found:
        click.echo(words(language).text("bad"))
        raise SystemExit(BAD)
    click.echo("\n".join(_report(file, parse(text), language)))


@decks.command("show")
@click.argument("name", metavar="|".join(OWN), type=click.Choice(list(OWN)))
def show_deck(name: str) -> None:
    """Print the file of a deck that comes along, to begin one of your own with."""
    click.echo(OWN[name](), nl=False)


def _text(file: Path) -> str:
    """What stands in the file; the server takes no other."""
    try:
        data = file.read_bytes()
        if len(data) > LARGEST:
            raise click.ClickException(f"{file} is larger than {LARGEST} bytes.")
        return data.decode()
    except OSError as error:
        raise click.ClickException(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise click.ClickException(f"{file}, line {line}: this is no UTF-8.") from None


def _fault(file: Path, fault: Fault, language: str) -> str:
    sentence, reason = fault.sentence_in(language), fault.reason
    if fault.line is None:
        return words(language).sentence("fault_anywhere", file=str(file), sentence=sentence, reason=reason)
    return words(language).sentence("fault", file=str(file), line=fault.line, sentence=sentence, reason=reason)


def _report(file: Path, deck: Deck, language: str) -> Iterator[str]:
    """What is in a deck that can be used, what is odd about it, and where it belongs."""
    told = words(language)
    other = next(iter(deck.title.values()))
    yield deck.title.get(language, other)
    for kind in COMPOSITION:
        cards = [card.copies for card in deck.cards if card.__struct_config__.tag == kind]
        yield "  " + told.sentence("count", kind=kind, count=sum(cards), different=len(cards))
    yield told.sentence("jury", **_juries(deck))
    for remark in remarks(deck):
        yield told.sentence("remark", remark=told.sentence(remark.about, **remark.params))
    name = file.name.removesuffix(ENDING)
    if file.suffix != ENDING or not _NAME.fullmatch(name) or name in furniture[KIND]:
        yield told.sentence("good_unnamed", taken=furniture[KIND])
    else:
        yield told.sentence("good", path=f"{witch_trial.name}/{KIND}/{file.name}")


def _juries(deck: Deck) -> dict[str, Any]:
    """Between which values trials begin, over all cases that the deck has."""
    values = Counter(
        first_jury(suspect, charge) for suspect, charge in pairs(deck) for _ in range(suspect.copies * charge.copies)
    )
    return {"low": min(values), "high": max(values), "pairs": values.total(), "mean": f"{mean(values.elements()):.1f}"}


COMMANDS: tuple[click.Command, ...] = (decks,)
