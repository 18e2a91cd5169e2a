"""What a lawyer keeps in mind beyond the position: what the others are like, and what he has said and been told."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from clients.bots.tribunal.court import Scene
from clients.bots.tribunal.forecast import Character, offers_to, pull
from comitium_client import Entry

MUST = frozenset(
    {"pass_cards", "choose_colour", "vote", "choose_direction", "place", "give", "exile", "appeal", "forgo_appeal"}
)


class Memory:
    """Fed with every entry; everything in it is public. `began`: the entry that opened this trial.

    `said`: what he has done in it of his own accord, by type; `refused`: the amounts that came to nothing with a seat
    for a decision, because it turned them down or he took them back; `helper`: whom he has paid for the trial before.
    """

    def __init__(self) -> None:
        self.began = 0
        self.said: Counter[str] = Counter()
        self.refused: dict[tuple[str, int], list[int]] = defaultdict(list)
        self.helper: int | None = None
        self._windows: dict[int, str] = {}
        self._firm: Counter[tuple[int, bool]] = Counter()
        self._heeds: Counter[tuple[int, bool]] = Counter()

    def hear(self, entry: Entry, before: Scene | None) -> None:
        """Takes in an entry; `before`: the last position that he has looked at."""
        if before is None:
            return
        if entry.body.by == before.me and entry.body.action["type"] not in MUST:
            self.said[str(entry.body.action["type"])] += 1
        for event in entry.body.events:
            self._take(event, entry.seq, before)

    def _take(self, event: Mapping[str, Any], seq: int, before: Scene) -> None:
        match event:
            case {"type": "trial_opened"}:
                self._forget(seq)
            case {"type": "offered", "offer": offer, "window": window}:
                self._windows[offer] = window
            case {"type": "offer_ended", "how": "declined" | "withdrawn", "payer": payer} if payer == before.me:
                self.refused[self._windows.get(event["offer"], ""), event["payee"]].append(event["amount"])
            case {"type": "colour_chosen"}:
                self.helper = None
            case {"type": "paid", "payer": payer, "payee": payee} if payer == before.me:
                self.helper = payee
            case {"type": "counter_placed", "seat": seat, "pan": pan}:
                self._learn(before, seat, innocent=pan == "innocent")
            case _:
                pass

    def _forget(self, began: int) -> None:
        """A new trial."""
        self.began = began
        self.said.clear()
        self.refused.clear()
        self._windows.clear()

    def _learn(self, before: Scene, seat: int, *, innocent: bool) -> None:
        """A plea after one's vote shows firmness; one in which chips and vote disagree shows what counts more."""
        vote, pulled = before.court.votes[seat], pull(offers_to(before, seat))
        if vote is not None and not pulled:
            self._firm[seat, innocent != vote] += 1
        if pulled and vote is not None and (pulled > 0) == vote:
            self._heeds[seat, innocent == (pulled > 0)] += 1

    def character(self, seat: int) -> Character:
        """What to think of that seat; of a stranger, what is usual."""
        firm = math.log((self._firm[seat, True] + 3.6) / (self._firm[seat, False] + 1))
        heed = math.log((self._heeds[seat, True] + 2.7) / (self._heeds[seat, False] + 1))
        return Character(max(0.0, firm), max(0.0, min(1.6, heed)))

    def characters(self, seats: int) -> dict[int, Character]:
        """Of every seat."""
        return {seat: self.character(seat) for seat in range(seats)}
