"""The accounts of a Tribunal, kept from what is said in the log: who paid whom, and what the cards brought."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clients.terminal.lines import Grid, Line, Shown
from clients.terminal.telling import chips
from clients.terminal.words import Event, Words

PURSE, ACCUSER = 20, 10


class Books:
    """Fed with every event."""

    def __init__(self) -> None:
        self.purses: dict[int, int] = {}
        self.bargains: Counter[int] = Counter()
        self.cards: Counter[int] = Counter()
        self.fees: Counter[int] = Counter()
        self.hands: dict[int, list[str]] = {}
        self.counts: Counter[str] = Counter()

    def enter(self, event: Event) -> None:
        """Takes in an event."""
        match event:
            case {"type": "opened", "seats": seats}:
                self.purses = dict.fromkeys(range(seats), PURSE)
            case {"type": "offered"}:
                self.counts["offered"] += 1
            case {"type": "offer_ended", "how": how}:
                self.counts[how] += 1
            case {"type": "paid", "payer": payer, "payee": payee, "amount": amount, "offer": offer}:
                self._move(payer, payee, amount)
                self.counts["chips"] += 0 if offer is None else amount
            case {"type": "appealed", "seat": seat, "cost": cost}:
                self._add(seat, -cost)
                self.fees[seat] += cost
            case {"type": "hand_shown", "seat": seat, "cards": cards}:
                self.hands[seat] = list(cards)
            case {"type": "settled", "seat": seat, "gain": gain}:
                self.cards[seat] += gain
                self._add(seat, gain)
            case _:
                pass

    def begin(self, game: Mapping[str, Any] | None) -> None:
        """Starts from a position: what everybody has, what lies in offers included."""
        if game is not None:
            purses = game["purses"]
            self.purses = {seat: held + purses["escrow"][seat] for seat, held in enumerate(purses["seats"])}

    def close(self, scores: Sequence[int]) -> None:
        """The end: whatever is in the score and neither from the start, the cards nor a fee comes from bargaining."""
        for seat, score in enumerate(scores):
            self.bargains[seat] = score - PURSE - self.cards[seat] + self.fees[seat]

    def word(self, *, kept: bool) -> None:
        """A promise has come to its end."""
        self.counts["kept" if kept else "broken"] += 1

    def _move(self, payer: int, payee: int, amount: int) -> None:
        self._add(payer, -amount)
        self._add(payee, amount)

    def _add(self, seat: int, amount: int) -> None:
        if seat in self.purses:
            self.purses[seat] += amount


def settlement(words: Words, books: Books, view: Mapping[str, Any]) -> Iterator[Shown]:
    """The verdicts, each hand and what it brought, and who won by what."""
    books.close(view["result"]["scores"])
    yield _table(words, books, view)
    yield from winner_lines(words, books, view["result"])
    yield Line(words.own("story.deals", **_counts(words, books)), "quiet")


def _table(words: Words, books: Books, view: Mapping[str, Any]) -> Grid:
    """A column a colour, with the verdict below it, and in it what each card has brought."""
    own, pawns, scores = words.own, view["game"]["pawns"], view["result"]["scores"]
    fees = any(books.fees.values())
    sums = ["story.bargains", "story.cards", *(["story.fee"] if fees else []), "story.end"]
    titles = ["", *(words.label("colour", pawn["colour"]) for pawn in pawns), *(own(key) for key in sums)]
    rows = [["", *(_verdict(words, pawn) for pawn in pawns), *([""] * len(sums))]]
    for seat in sorted(books.hands, key=lambda seat: -scores[seat]):
        cards = [_cards(books.hands[seat], pawn) for pawn in pawns]
        numbers = [signed(books.bargains[seat]), signed(books.cards[seat])]
        fee = [signed(-books.fees[seat])] if fees else []
        rows.append([words.seat(seat), *cards, *numbers, *fee, minus(scores[seat])])
    return Grid(titles, rows, frozenset(range(len(pawns) + 1, len(titles))), indent=2)


def _verdict(words: Words, pawn: Mapping[str, Any]) -> str:
    place = pawn["place"]
    return words.own("story.untried") if place == "iustitia" else words.label("place", place)


def _cards(hand: list[str], pawn: Mapping[str, Any]) -> str:
    """What each card of that colour has brought; in brackets where there is no verdict that counts."""
    ranks = [int(card.partition("-")[2]) for card in hand if card.startswith(f"{pawn['colour']}-")]
    return " ".join(_gain(rank, pawn["place"]) for rank in sorted(ranks))


def _gain(rank: int, place: str) -> str:
    if place not in ("guilty", "innocent"):
        return f"({rank})"
    return signed(rank if (place == "innocent") != (rank == ACCUSER) else -rank)


def winner_lines(words: Words, books: Books, result: Mapping[str, Any]) -> Iterator[Line]:
    """Who won, and by what."""
    winners = result["winners"]
    score = chips(words, result["scores"][winners[0]])
    if len(winners) > 1:
        yield Line(words.own("story.winners", winners=winners, chips=score), "win")
        return
    cards, bargains = signed(books.cards[winners[0]]), signed(books.bargains[winners[0]])
    yield Line(
        words.own("story.winner", winners=winners, chips=score, start=PURSE, cards=cards, bargains=bargains), "win"
    )


def _counts(words: Words, books: Books) -> dict[str, Any]:
    counts = {name: books.counts[name] for name in ("offered", "paid", "declined", "kept", "broken")}
    return {**counts, "chips": chips(words, books.counts["chips"])}


def signed(number: int) -> str:
    """With its sign; nothing is a bare zero."""
    return minus(number) if number <= 0 else f"+{number}"


def minus(number: int) -> str:
    """With a sign for what is below zero that is as wide as a plus."""
    return str(number).replace("-", "−")
