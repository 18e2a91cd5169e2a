"""The rules of the house: what the players of a table agree on before they sit, in entry 1 for good."""

from typing import Annotated, Literal

import msgspec

Status = Literal["open", "playing", "disputed", "frozen", "ended", "abandoned"]
Visibility = Literal["public", "unlisted", "private"]

Seconds = Annotated[int, msgspec.Meta(ge=1, le=30 * 86400)]
Few = Annotated[int, msgspec.Meta(ge=0, le=100)]
PlayerId = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class House(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A closed list. `move_seconds`: how long one action may take that the table waits for, a sequence being as many
    actions as it has steps; `bank_seconds`: a reserve beyond that for the whole game.

    `absent`: what happens at the turn of a seat whose player has left: wait for somebody to take it over, play by
    chance, let a house bot take it over; or the table ends without an outcome as soon as somebody leaves.
    """

    whispers: bool = False
    disputes: Literal["majority", "unanimous", "arbiter", "off"] = "majority"
    arbiter: PlayerId | None = None
    dispute_seconds: Seconds = 86400
    disputes_per_seat: Few = 3
    move_seconds: Seconds | None = None
    bank_seconds: Seconds | None = None
    absent: Literal["wait", "chance", "bot", "end"] = "wait"
    spectators: bool = True

    def __post_init__(self) -> None:
        if self.disputes == "arbiter" and self.arbiter is None:
            raise ValueError("disputes by an arbiter need an arbiter: give the id of a player who takes no seat")
        if self.bank_seconds is not None and self.move_seconds is None:
            raise ValueError("bank_seconds is a reserve beyond move_seconds: give move_seconds too")
