"""A table of the sample game at the moments that tests of bargaining and talk are about."""

from typing import Any

from games.bargaining import OfferEnded
from games.core import Seat
from games.table.house import House
from tests.games import sample
from tests.laws.driver import Driver

NORTH = {"type": "admit", "pier": "north"}
SOUTH = {"type": "admit", "pier": "south"}
SHIP = {"type": "admit"}


class Harbour(Driver):
    """Four seats; the cards of the first round are down, so that a warden decides and a deputy is announced."""

    def __init__(
        self, *, strict: bool = False, hidden: bool = False, house: House | None = None, seats: int = 4
    ) -> None:
        super().__init__(sample, seats, {"strict": strict, "hidden": hidden}, house)
        self.fill()
        self.lay()

    def lay(self) -> None:
        """Everybody lays his first card."""
        for seat, hand in enumerate(self.game.hands):
            self.do(seat, {"type": "lay", "card": hand[0]})

    @property
    def warden(self) -> Seat:
        return self.game.warden

    @property
    def deputy(self) -> Seat:
        return self.game.deputy

    @property
    def traders(self) -> list[Seat]:
        """The seats that decide nothing in this round."""
        return [seat for seat in range(len(self.game.hands)) if seat not in (self.warden, self.deputy)]

    @property
    def trader(self) -> Seat:
        return self.traders[0]

    def offer(self, payer: Seat, does: dict[str, Any], amount: int = 5, window: str = "admit:1", **terms: Any) -> int:
        """Makes an offer to whoever decides in that window, and answers its id."""
        payee = self.windows()[window].deciders[0]
        self.do(payer, offering(payee, does, amount, window, **terms))
        return self.table.seq

    def admit(self, *piers: str) -> None:
        """Steps of the warden."""
        for pier in piers:
            self.do(self.warden, {"type": "admit", "pier": pier})

    def unload(self, *loads: list[str]) -> None:
        """Steps of the deputy."""
        for goods in loads:
            self.do(self.deputy, {"type": "unload", "goods": goods})

    def finish(self) -> None:
        """Plays on until the table is over."""
        while not self.table.over:
            if self.game.phase == "lay":
                self.lay()
            elif self.game.phase == "warden":
                self.admit("north")
            else:
                self.unload(["figs"])


def offering(
    payee: Seat, does: dict[str, Any], amount: int = 5, window: str = "admit:1", times: int = 1, never: Any = None
) -> dict[str, Any]:
    """An offer as it is sent."""
    terms = {"amount": amount, "does": does, "times": times, "never": never}
    return {"type": "offer", "payee": payee, "window": window, **terms}


def amending(offer: int, version: int, does: dict[str, Any], amount: int = 5, times: int = 1) -> dict[str, Any]:
    """New terms as they are sent."""
    terms = {"amount": amount, "does": does, "times": times, "never": None}
    return {"type": "amend", "offer": offer, "version": version, **terms}


def endings(table: Driver) -> dict[int, str]:
    """How offers ended in the newest entry, by id."""
    return {event.offer: event.how for event in table.happened(OfferEnded)}
