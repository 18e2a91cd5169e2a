"""A Tribunal on the desk of a test: views, asks and entries without any server, with the real words of the game."""

from typing import Any

from clients.terminal.desk import Desk
from clients.terminal.lines import Shown, text_of
from clients.terminal.shell import teller_for
from clients.terminal.words import Words
from comitium_client import Entry, Update
from comitium_client.asks import read_asks
from comitium_client.models import Body
from games import tribunal
from server.words import both

NAMES = ("Livia", "Marcus", "Flavia", "Gaius")


def words(language: str = "en", game: str = "tribunal") -> Words:
    found = Words(language, game, both(tribunal)[language])
    found.names = NAMES
    return found


def game(**changes: Any) -> dict[str, Any]:
    """Trial 2 of four seats: red on trial, Livia pleads, then Marcus and Flavia; Gaius is in the chair."""
    return {
        "options": {"appeal": False, "exile": True}, "phase": "plea", "turn": 0, "aside": 2,
        "hands": [["red-7", "blue-3", "green-10", "green-4"], *[[None] * 4] * 3],
        "purses": {"seats": [18, 22, 17, 20], "escrow": [0, 0, 3, 0], "pot": 0, "bank": 0},
        "pawns": [{"colour": "red", "place": "scales"}, {"colour": "yellow", "place": "innocent"},
                  {"colour": "green", "place": "iustitia"}, {"colour": "blue", "place": "guilty"}],
        "verdict_counters": [1, 1, 1, 1], "extra_counters": [1, 0, 1, 2], "voted": [True] * 4,
        "votes": [False, True, True, False], "trial": 2, "chair": 3, "colour": "red", "direction": "clockwise",
        "scales": [{"kind": "verdict", "seat": None, "pan": "guilty"}, {"kind": "extra", "seat": 3, "pan": "innocent"}],
        "order": [0, 1, 2, 3], "begun": False, "earlier": None, "why": None, "passes": 4, **changes,
    }  # fmt: skip


PANS = {"one_of": ["guilty", "innocent"]}
DEEDS = [
    {"type": "place", "must": True, "fields": {"counter": {"one_of": ["verdict", "extra"]}, "pan": PANS}},
    {"type": "give", "must": True, "fields": {"counter": {"one_of": ["verdict"]}, "to": {"one_of": [1, 2, 3]}}},
]
WINDOWS = [
    {"id": f"plea:2:{seat}", "kind": "plea", "deciders": [seat], "open": seat == 0, "talk": [0, 1, 2, 3],
     "offers": [other for other in range(4) if other != seat], "deeds": DEEDS}
    for seat in range(4)
]  # fmt: skip
OFFER = {"id": 34, "version": 2, "payer": 2, "payee": 0, "window": "plea:2:0", "amount": 3, "times": 1, "accepted": False,
         "does": {"type": "place", "pan": "guilty"}, "never": None, "done": 0, "broken": False}  # fmt: skip


def offering(seat: int, chips: int = 18) -> dict[str, Any]:
    window = f"plea:2:{seat}"
    return {"type": "offer", "must": False, "fields": {
        "payee": {"one_of": [seat]}, "window": {"one_of": [window]}, "amount": {"min": 1, "max": chips},
        "does": {"match": window}, "times": {"min": 1, "max": 20}, "never": {"match": window, "or_null": True},
    }}  # fmt: skip


def quoting(kind: str, offer: int = 34, version: int = 2) -> dict[str, Any]:
    return {"type": kind, "must": False, "fields": {"offer": {"one_of": [offer]}, "version": {"one_of": [version]}}}


def promising(kind: str | None) -> dict[str, Any]:
    does = {"one_of": [None]} if kind is None else {"match": "plea:2:0"}
    fields = {"to": {"one_of": [1, 2, 3]}, "text": {"text": 500}, "does": does, "kind": {"one_of": [kind]}}
    return {"type": "promise", "must": False, "fields": fields}


SAY = {"type": "say", "must": False, "fields": {"text": {"text": 500}}}
PAY = {"type": "pay", "must": False, "fields": {"to": {"one_of": [1, 2, 3]}, "amount": {"min": 1, "max": 18}}}
LEAVE = {"type": "leave", "must": False, "fields": {}}
ABANDON = {"type": "abandon", "must": False, "fields": {"agree": {"one_of": [True]}}}
AROUND = [SAY, *(offering(seat) for seat in (1, 2, 3)), quoting("accept"), quoting("decline"), PAY, promising(None),
          promising("plea"), ABANDON, LEAVE]  # fmt: skip


def view(seat: int | None = 0, **changes: Any) -> dict[str, Any]:
    people = [{"player": f"p{number}", "bot": None} for number in range(4)]
    return {
        "table": "00-x", "seq": 40, "head": "", "status": "playing", "seat": seat, "seats": people, "to_act": [0],
        "windows": WINDOWS, "offers": [OFFER], "promises": [], "dispute": None, "clock": None, "result": None,
        "game": game(), **changes,
    }  # fmt: skip


def entry(seq: int, by: int | str, action: dict[str, Any], *events: dict[str, Any]) -> Entry:
    body = Body(table="00-x", seq=seq, at=0, by=by, action=action, events=events)
    return Entry(seq=seq, version="full", raw=b"", salt="", commits={}, leaf="", head="", body=body)


def update(
    seen: dict[str, Any], asks: Any = (*DEEDS, *AROUND), since: int = 40, happened: Entry | None = None
) -> Update:
    seq = seen["seq"] if happened is None else happened.seq
    to_act = tuple(seen["to_act"])
    return Update(seq=seq, head="", view=seen, asks=read_asks(asks), since=since, to_act=to_act, entry=happened)


def desk(language: str = "en", seen: dict[str, Any] | None = None, asks: Any = (*DEEDS, *AROUND)) -> Desk:
    """A desk that has seen the table."""
    found = words(language)
    sat = Desk(found, teller_for(found))
    sat.see(update(seen or view(), asks))
    return sat


def text(shown: list[Shown], width: int = 80) -> str:
    return text_of(shown, width)
