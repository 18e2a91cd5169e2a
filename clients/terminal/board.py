"""The table as it stands. For any game: seats, decisions, offers, promises and the fields of the game's state."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clients.terminal.court import court
from clients.terminal.deeds import deed_text, terms_text
from clients.terminal.lines import Grid, Line, Shown
from clients.terminal.words import Words

View = Mapping[str, Any]

PROMISES = 8
"""The last promises that are shown; there may be many."""


def board(words: Words, view: View) -> list[Shown]:
    """Everything one knows, as a screen."""
    return [
        *_head(words, view),
        *_game(words, view),
        *windows(words, view),
        *offers(words, view),
        *promises(words, view),
    ]


def _head(words: Words, view: View) -> Iterator[Shown]:
    title = words.text("title") or words.game
    yield Line(
        words.own("board.head", title=title, status=words.own(f"status.{view['status']}"), seq=view["seq"]), "head"
    )
    if view["to_act"]:
        yield Line(words.own("board.waits", seats=view["to_act"]), "you" if view["seat"] in view["to_act"] else "plain")
    if view["result"] is not None:
        yield Line(words.own("board.winners", winners=view["result"]["winners"]), "win")


def _game(words: Words, view: View) -> Iterator[Shown]:
    if view["game"] is not None and words.game == "tribunal":
        yield from court(words, view)
        return
    yield Grid(_titles(words, view), [_row(words, view, seat) for seat in range(len(view["seats"]))], frozenset({2, 3}))
    for name, value in (view["game"] or {}).items():
        if name != "purses" and value not in (None, [], {}):
            yield Line(f"{name}: {plain(value)}", "quiet")


def _titles(words: Words, view: View) -> list[str]:
    chips = [words.own("board.chips"), words.own("board.escrow")] if _purses(view) else []
    return ["", words.own("board.seat"), *chips]


def _row(words: Words, view: View, seat: int) -> list[str]:
    purses = _purses(view)
    held = [_known(purses["seats"][seat]), str(purses["escrow"][seat])] if purses else []
    return [mark(view, seat), name(words, view, seat), *held]


def _purses(view: View) -> Mapping[str, Any] | None:
    purses: Mapping[str, Any] | None = (view["game"] or {}).get("purses")
    return purses


def _known(value: Any) -> str:
    return "?" if value is None else str(value)


def mark(view: View, seat: int) -> str:
    """An arrow for whom the table waits."""
    return ">" if seat in view["to_act"] else ""


def name(words: Words, view: View, seat: int) -> str:
    """Who sits there, and whether that is the reader."""
    if view["seats"][seat]["player"] is None:
        return words.own("board.free", seat=seat)
    return words.own("board.you", seat=seat) if seat == view["seat"] else words.seat(seat)


def plain(value: Any) -> str:
    """A value of a game that one does not know."""
    return str(value) if isinstance(value, str | int) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- What is on the table -----------------------------------------------------------------------------


def windows(words: Words, view: View) -> Iterator[Shown]:
    """The decisions that are open or announced."""
    for window in view["windows"]:
        key = "board.window" if window["open"] else "board.window.later"
        silent = "" if window["talk"] else words.own("board.silence")
        text = words.own(key, what=words.window(window["kind"]), seats=window["deciders"], silent=silent)
        yield Line(text.rstrip(), "quiet")


def offers(words: Words, view: View) -> Iterator[Shown]:
    """The offers that are open."""
    if view["offers"]:
        yield Line(words.own("board.offers"))
    for offer in view["offers"]:
        state = [words.own(f"offer.{state}") for state in _states(offer)]
        said = words.own(
            "board.offer", id=offer["id"], payer=offer["payer"], payee=offer["payee"], amount=offer["amount"],
            terms=terms_text(words, offer), state=f" ({words.join(state)})" if state else "",
        )  # fmt: skip
        yield Line(said, "deal", 2)


def _states(offer: Mapping[str, Any]) -> Sequence[str]:
    due = offer["done"] >= offer["times"]
    states = {"accepted": offer["accepted"], "due": due and not offer["broken"], "broken": offer["broken"]}
    return [state for state, holds in states.items() if holds]


def promises(words: Words, view: View) -> Iterator[Shown]:
    """The last promises."""
    if view["promises"]:
        yield Line(words.own("board.promises"))
    for promise in view["promises"][-PROMISES:]:
        deed = "" if promise["does"] is None else deed_text(words, promise["does"])
        key = "board.promise.deed" if deed else "board.promise"
        text = words.own(key, by=promise["by"], to=promise["to"], deed=deed, text=promise["text"])
        yield Line(text, "talk", 2)
