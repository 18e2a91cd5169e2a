"""Decks: the house deck, which comes along, and files of the same form that an operator installs.

A deck is read whole or not at all; `remarks` says what is odd in one that can be used.
"""

import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from games.texts import LANGUAGES
from games.witch_trial.cards import AnyEffect, Card, Charge, Collect, Deck, Gamble, Motion, Pay, Suspect, ThrowOut
from games.witch_trial.deck_check import Fault, faults
from games.witch_trial.pieces import CONVICTS, JURY

furniture = {"deck": ("house",)}


@cache
def house() -> Deck:
    """The deck that comes with the game."""
    return parse(house_text())


def house_text() -> str:
    """The house deck's file."""
    return (files("games.witch_trial") / "deck.toml").read_text("utf-8")


def parse(text: str) -> Deck:
    """The deck of a file (TOML).

    Raises:
        BadFile: it is none; what is told is the first fault of it.
    """
    for fault in faults(text):
        raise fault
    return msgspec.convert(tomllib.loads(text), Deck)


def furnish(kind: str, text: str) -> dict[str, Any]:
    """The deck of a file as plain values; see `core.Furnished`."""
    if kind not in furniture:
        raise Fault(None, "no_such_kind", kind=kind, kinds=list(furniture))
    plain: dict[str, Any] = msgspec.to_builtins(parse(text))
    return plain


# --- What one should know of a deck -------------------------------------------------------------------


class Remark(msgspec.Struct, frozen=True):
    """Something odd, though allowed: a sentence of `deck_faults.toml`, and what fills it in."""

    about: str
    params: dict[str, Any]


def remarks(deck: Deck) -> list[Remark]:
    """What somebody who has typed in a deck might want to look at again."""
    return [*_certain(deck), *_odd_money(deck), *_after_the_end(deck), *_untold(deck)]


def first_jury(suspect: Suspect, charge: Charge) -> int:
    """Where the jury stands when the trial begins."""
    value = suspect.guilt + charge.severity + charge.against.get(suspect.id, 0)
    return min(max(value, JURY[0]), JURY[-1])


def pairs(deck: Deck) -> list[tuple[Suspect, Charge]]:
    """Every case that could be built, copies counted once."""
    suspects = [card for card in deck.cards if isinstance(card, Suspect)]
    charges = [card for card in deck.cards if isinstance(card, Charge)]
    return [(suspect, charge) for suspect in suspects for charge in charges]


def _certain(deck: Deck) -> Iterator[Remark]:
    """Two dice show 2 to 12, so only a conviction can be certain: the jury never stands below 1."""
    for suspect, charge in pairs(deck):
        jury = first_jury(suspect, charge)
        if jury + 2 >= CONVICTS:
            yield Remark("certain", {"suspect": suspect.id, "charge": charge.id, "jury": jury})


def _odd_money(deck: Deck) -> Iterator[Remark]:
    for card in deck.cards:
        for amount in _amounts(card):
            if amount % 5:
                yield Remark("odd_money", {"card": card.id, "amount": amount})


def _amounts(card: Card) -> list[int]:
    match card:
        case Suspect(defense=fee) | Charge(court=fee):
            return [fee]
        case Motion():
            return [each.amount for run in _runs(card) for each in run if isinstance(each, Collect | Pay)]
        case _:
            return []


def _after_the_end(deck: Deck) -> Iterator[Remark]:
    for card in deck.cards:
        if isinstance(card, Motion) and any(isinstance(each, ThrowOut) for run in _runs(card) for each in run[:-1]):
            yield Remark("after_the_end", {"card": card.id})


def _runs(card: Motion) -> list[Sequence[AnyEffect]]:
    """The effects that come one after another: those of the card, and those of each way that a gamble may go."""
    gambles = [each for each in card.effects if isinstance(each, Gamble)]
    return [card.effects, *(way for each in gambles for way in (each.then, each.otherwise))]


def _untold(deck: Deck) -> Iterator[Remark]:
    for language in LANGUAGES:
        told = [(card.name, *([card.text] if isinstance(card, Motion) else [])) for card in deck.cards]
        count = sum(any(language not in said for said in texts) for texts in told)
        if count:
            yield Remark("untold", {"count": count, "missing": language})
