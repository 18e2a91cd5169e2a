"""The story of a Tribunal, from what its reader may know: trial by trial, who paid whom for what, and who won and why.

An entry of the log names first what was done, then all that follows from it, and last the payments. Told in that order
the money for a plea would come after the next speaker has the floor, so the payments are moved up to the deed.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from clients.terminal.books import Books, settlement
from clients.terminal.lines import Line, Shown
from clients.terminal.telling import Teller, resumes
from clients.terminal.words import Event, Words
from comitium_client import Update

PLAIN = {
    "passer_drawn": "story.dealt",
    "chair_drawn": "story.round",
    "exile_opened": "story.exile",
    "exile_forgone": "story.forgone",
    "appeal_asked": "story.appeal",
    "appeal_forgone": "story.no_appeal",
}
DEEDS = {
    "colour_chosen": "story.colour",
    "direction_chosen": "story.order",
    "exiled": "story.exiled",
    "appealed": "story.appealed",
}
SETTLES = frozenset({"offer_ended", "paid"})

PANS = ("guilty", "innocent")


class Story(Teller):
    """Tells a trial as it goes, and keeps the books for the end. `arrivals`: also who sits down before it begins."""

    def __init__(self, words: Words, *, arrivals: bool = True) -> None:
        super().__init__(words)
        self._arrivals = arrivals
        self.books = Books()
        self._scales = dict.fromkeys(PANS, 0)
        self._promises: list[Event] = []
        self._deeds: list[Event] = []
        self._floor: Line | None = None

    def begin(self, view: Mapping[str, Any]) -> None:
        super().begin(view)
        self.books.begin(view["game"])
        scales = () if view["game"] is None else view["game"]["scales"]
        self._scales = {pan: sum(counter["pan"] == pan for counter in scales) for pan in PANS}

    def tell(self, update: Update) -> list[Shown]:
        if update.entry is None or resumes(update):
            return super().tell(update)
        done, settled, after = _in_order(update.entry.body.events)
        told = [line for event in done for line in self.event(event, update)]
        told += [line for event in settled for line in self.event(event, update)]
        if self._deeds and all(window["id"] != self._deeds[-1]["window"] for window in update.view["windows"]):
            told += self._faith()
        return told + [line for event in after for line in self.event(event, update)]

    def event(self, event: Event, update: Update) -> Iterable[Shown]:
        """Who has the floor is said only if something happens before the plea."""
        told = list(self._event(event, update))
        if event["type"] == "speaker_called":
            return ()
        floor, self._floor = (self._floor, None) if told else (None, self._floor)
        return told if floor is None or event["type"] == "counter_placed" else [floor, *told]

    def _event(self, event: Event, update: Update) -> Iterable[Shown]:
        self.books.enter(event)
        kind, own, game = event["type"], self.words.own, update.view["game"]
        if kind in PLAIN:
            return (Line(own(PLAIN[kind], **event), indent=2),)
        if kind in DEEDS:
            return (Line(own(DEEDS[kind], **event), "deed"),)
        match kind:
            case "started":
                return (Line(own("story.seated", seats=list(range(len(self.words.names))))),)
            case "promised":
                self._promises.append(event)
            case "did":
                self._deeds.append(event)
            case "trial_opened":
                return self._trial(event)
            case "votes_shown":
                return self._votes(event)
            case "speaker_called":
                self._floor = self._has_floor(event["seat"], game)
            case "spare_placed":
                self._scales[event["pan"]] += 1
                return (Line(own("story.spare", pan=event["pan"]), indent=2),)
            case "counter_placed" | "counter_given":
                return self._counter(event)
            case "verdict_reached" | "undecided":
                return self._verdict(event)
            case "dealt" | "received" if event["cards"] is not None:
                return (Line(self.words.tell(event), "you", 2),)
            case "court_rose":
                return (Line(own("story.rises"), "head"), Line(self.words.label("why", event["why"])))
            case "ended":
                return settlement(self.words, self.books, update.view)
            case "seated" | "risen" if self._arrivals:
                return super().event(event, update)
            case "abandoned" | "frozen" | "left" | "timed_out":
                return super().event(event, update)
            case _:
                pass
        return self.deal(event) or ()

    # --- Parts ----------------------------------------------------------------------------------------

    def _trial(self, event: Event) -> Iterator[Shown]:
        self._promises.clear()
        self._scales = dict.fromkeys(PANS, 0)
        yield Line(self.words.own("story.trial", **event), "head")
        purses = [self.words.own("story.purse", seat=seat, count=held) for seat, held in self.books.purses.items()]
        if event["trial"] > 1:
            yield Line(self.words.own("story.purses", purses=self.words.join(purses)), "quiet")

    def _votes(self, event: Event) -> Iterator[Shown]:
        for pan in PANS:
            side, seats = self.words.own(f"story.{pan}"), event[f"for_{pan}"]
            yield Line(self.words.own("story.vote", side=side, seats=self.words.seats(seats)), indent=2)
        if len(event["for_guilty"]) == len(event["for_innocent"]):
            yield Line(self.words.own("story.tie"), indent=2)

    def _has_floor(self, seat: int, game: Mapping[str, Any]) -> Line:
        verdict, extra = game["verdict_counters"][seat], game["extra_counters"][seat]
        holds = self.words.own("story.holds", verdict=verdict, extra=extra) if verdict != 1 or extra > 1 else ""
        return Line(self.words.own("story.floor", seat=seat, holds=holds).rstrip(), right=self._balance())

    def _counter(self, event: Event) -> Iterator[Shown]:
        if event["type"] == "counter_given":
            yield Line(self.words.own(f"story.given.{event['counter']}", **event), "deed", 2)
            return
        self._scales[event["pan"]] += 1
        key = "story.extra" if event["counter"] == "extra" else "story.plea"
        yield Line(self.words.own(key, **event), "deed", 2, self._balance())

    def _verdict(self, event: Event) -> Iterator[Shown]:
        key = "story.undecided" if event["type"] == "undecided" else "story.verdict"
        if event.get("early"):
            key = "story.verdict.early"
        yield Line(self.words.own(key, **event), "verdict", right=self._balance())
        self._scales = dict.fromkeys(PANS, 0)

    def _balance(self) -> str:
        return self.words.own("story.scales", **self._scales)

    def _faith(self) -> Iterator[Line]:
        """What became of the promises of whoever has just decided."""
        done, self._deeds = self._deeds, []
        for promise in self._promises:
            if promise["by"] == done[0]["seat"] and promise["kind"] == done[0]["kind"] and promise["does"] is not None:
                kept = any(_covers(promise["does"], deed["deed"]) for deed in done)
                self.books.word(kept=kept)
                key = "tell.kept" if kept else "tell.broken"
                yield Line(self.words.own(key, to=promise["to"]), "talk", 2)
        self._promises = [each for each in self._promises if each["by"] != done[0]["seat"]]


def _in_order(events: Iterable[Event]) -> tuple[list[Event], list[Event], list[Event]]:
    """The deed, the payments, and what follows."""
    events = list(events)
    settled = [event for event in events if event["type"] in SETTLES]
    others = [event for event in events if event["type"] not in SETTLES]
    deed = 2 if others and others[0]["type"] == "did" else 0 if settled and len(others) > 1 else len(others)
    return others[:deed], settled, others[deed:]


def _covers(partial: Mapping[str, Any], deed: Mapping[str, Any]) -> bool:
    return all(deed.get(name) == value for name, value in partial.items())
