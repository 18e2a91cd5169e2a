"""The board of a Tribunal: the scales, the pawns, and what everybody has."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clients.terminal.lines import Grid, Line, Shown
from clients.terminal.words import Words

View = Mapping[str, Any]

PANS = ("guilty", "innocent")
PLACES = ("iustitia", "guilty", "innocent", "exiled")


def court(words: Words, view: View) -> Iterator[Shown]:
    """The scales first, then the pawns, then the seats."""
    game = view["game"]
    if game["trial"]:
        yield _trial(words, game)
        for pan in PANS:
            yield _pan(words, game["scales"], pan)
    yield Line(_pawns(words, game["pawns"]))
    yield _seats(words, view)


def _trial(words: Words, game: Mapping[str, Any]) -> Line:
    colour = words.own("court.none") if game["colour"] is None else words.label("colour", game["colour"])
    text = words.own("court.trial", trial=game["trial"], colour=colour, chair=game["chair"])
    if game["order"]:
        text += words.own("court.order", order=game["order"])
    return Line(text, "deed")


def _pan(words: Words, scales: Sequence[Mapping[str, Any]], pan: str) -> Line:
    on = [counter for counter in scales if counter["pan"] == pan]
    who = [_counter(words, counter) for counter in on]
    side = words.own(f"story.{pan}")
    return Line(
        words.own("court.pan", pan=side, count=len(on), bar="#" * len(on), who=words.join(who) if who else ""), indent=2
    )


def _counter(words: Words, counter: Mapping[str, Any]) -> str:
    if counter["seat"] is None:
        return words.own("court.spare")
    name = words.seat(counter["seat"])
    return name if counter["kind"] == "verdict" else words.own("court.extra", name=name)


def _pawns(words: Words, pawns: Sequence[Mapping[str, Any]]) -> str:
    at = {place: [pawn["colour"] for pawn in pawns if pawn["place"] == place] for place in PLACES}
    return "   ".join(
        f"{words.label('place', place)}: {words.join([words.label('colour', colour) for colour in colours])}"
        for place, colours in at.items()
        if colours or place != "exiled"
    )


def _seats(words: Words, view: View) -> Grid:
    titles = ["", words.own("board.seat"), words.own("board.chips"), words.own("board.escrow")]
    titles += [words.own(f"court.{each}") for each in ("verdict", "extras", "vote", "hand")]
    rows = [_row(words, view, seat) for seat in range(len(view["seats"]))]
    return Grid(titles, rows, frozenset({2, 3, 4, 5}))


def _row(words: Words, view: View, seat: int) -> list[str]:
    game = view["game"]
    mark = ">" if seat in view["to_act"] else "*" if seat == game["chair"] else ""
    name = words.own("board.you", seat=seat) if seat == view["seat"] else words.seat(seat)
    numbers = [game["purses"]["seats"][seat], game["purses"]["escrow"][seat]]
    numbers += [game["verdict_counters"][seat], game["extra_counters"][seat]]
    return [mark, name, *map(str, numbers), _vote(words, game, seat), hand(words, game["hands"][seat])]


def _vote(words: Words, game: Mapping[str, Any], seat: int) -> str:
    vote = game["votes"][seat]
    if vote is None:
        return words.own("court.voted") if game["voted"][seat] and game["phase"] == "vote" else ""
    return words.label("guilty", vote)


def hand(words: Words, cards: Sequence[str | None]) -> str:
    """Cards that one knows by name, the others by number."""
    known = [words.label("cards", card) for card in cards if card is not None]
    hidden = len(cards) - len(known)
    return words.join([*known, *([words.own("court.hidden", count=hidden)] if hidden else [])]) if cards else ""
