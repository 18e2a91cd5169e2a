"""Who may do what, and over which decisions one may bargain.

Windows: the choice of colour and of direction, each plea (one window over all its steps), exile and appeal, each
while it is open; and, from the choice of direction on, the pleas that are still to come in this trial (`open` false).
Over each of them everybody but the decider may offer chips, so a speaker may make offers to later speakers. Pleas are
not announced earlier: the general vote may make them needless. During that vote a window without deeds closes all
talk. While cards are passed there is no window: talk is free, and there is nothing to bargain over.
The deeds of an announced plea are the most that its speaker could do: he may be given extra counters before.
"""

from functools import lru_cache

from games.core import Ask, OneOf, Seat, SomeOf, Window
from games.tribunal.pieces import APPEAL_COST, PASSED, Colour
from games.tribunal.state import Hand, State

Asks = tuple[Ask, ...]

WINDOWS = ("colour", "vote", "direction", "plea", "exile", "appeal")

BOTH_PANS = OneOf(("guilty", "innocent"))
VERDICT = OneOf(("verdict",))
EXTRA = OneOf(("extra",))
EITHER = OneOf(("verdict", "extra"))

VOTE: Asks = (Ask("vote", {"guilty": OneOf((True, False))}),)
DIRECTION: Asks = (Ask("choose_direction", {"direction": OneOf(("clockwise", "counterclockwise"))}),)
EXILE: Asks = (Ask("exile", {"exile": OneOf((True, False))}),)
FORGO = Ask("forgo_appeal")


def asks(state: State, seat: Seat) -> Asks:
    """What the seat may do now. All vote at the same time, else one seat decides."""
    if state.phase == "vote":
        return () if state.voted[seat] else VOTE
    return _decision(state) if seat == state.turn else ()


def _decision(state: State) -> Asks:
    """What is open to the seat whose turn it is."""
    match state.phase:
        case "passing":
            return _passing(state.hands[state.turn])
        case "colour":
            return _colours(state.at("iustitia"))
        case "direction":
            return DIRECTION
        case "plea":
            extras = bool(state.extra_counters[state.turn]) and not state.begun
            return _pleading(state.turn, state.seats, state.later, extras)
        case "exile":
            return EXILE
        case "appeal":
            rich = (state.purses.seats[state.turn] or 0) >= APPEAL_COST
            return _appealing(state.at("guilty", "innocent") if rich else ())
        case "vote" | "ended":
            return ()


@lru_cache(maxsize=1024)
def _passing(hand: Hand) -> Asks:
    return (Ask("pass_cards", {"cards": SomeOf(hand, PASSED, PASSED)}),)


@lru_cache(maxsize=1024)
def _colours(colours: tuple[Colour, ...]) -> Asks:
    return (Ask("choose_colour", {"colour": OneOf(colours)}),)


@lru_cache(maxsize=4096)
def _pleading(speaker: Seat, seats: int, later: tuple[Seat, ...], extras: bool) -> Asks:
    """Verdict counters: on a pan or to a later speaker. Extra counters, before those: on a pan or to any other seat."""
    found = [Ask("place", {"counter": EITHER if extras else VERDICT, "pan": BOTH_PANS})]
    if later:
        found.append(Ask("give", {"counter": VERDICT, "to": OneOf(later)}))
    if extras:
        found.append(Ask("give", {"counter": EXTRA, "to": OneOf(_others(speaker, seats))}))
    return tuple(found)


@lru_cache(maxsize=1024)
def _appealing(colours: tuple[Colour, ...]) -> Asks:
    """With a purse too small for the fee there is nothing but to forgo."""
    return (FORGO, Ask("appeal", {"colour": OneOf(colours)})) if colours else (FORGO,)


def turn(state: State) -> str:
    """The trial; what comes before the first one is a time of its own."""
    return f"trial:{state.trial}"


# --- Windows ------------------------------------------------------------------------------------------


def windows(state: State) -> tuple[Window, ...]:
    """The decisions that are open or announced; the same for every reader."""
    match state.phase:
        case "vote":
            return (_silence(state.trial, state.seats),)
        case "colour" | "direction" | "exile":
            return (_window(state.phase, f"{state.trial}", state.turn, state.seats, _decision(state)),)
        case "plea":
            return _pleas(state)
        case "appeal":
            return (_window("appeal", f"{state.turn}", state.turn, state.seats, _decision(state)),)
        case "passing" | "ended":
            return ()


def _pleas(state: State) -> tuple[Window, ...]:
    trial, seats, later = state.trial, state.seats, state.later
    spoken = _window("plea", f"{trial}:{state.turn}", state.turn, seats, _decision(state))
    return (spoken, *_announced(trial, seats, later))


@lru_cache(maxsize=4096)
def _announced(trial: int, seats: int, later: tuple[Seat, ...]) -> tuple[Window, ...]:
    found = []
    for place, seat in enumerate(later):
        most = _pleading(seat, seats, later[place + 1 :], extras=True)
        found.append(_window("plea", f"{trial}:{seat}", seat, seats, most, is_open=False))
    return tuple(found)


@lru_cache(maxsize=1024)
def _silence(trial: int, seats: int) -> Window:
    return Window(f"vote:{trial}", "vote", _all(seats), open=True, talk=(), offers=(), deeds=())


def _window(kind: str, which: str, decider: Seat, seats: int, deeds: Asks, *, is_open: bool = True) -> Window:
    """Everybody may talk; everybody but the decider may offer."""
    return Window(f"{kind}:{which}", kind, (decider,), is_open, _all(seats), _others(decider, seats), deeds)


@lru_cache(maxsize=16)
def _all(seats: int) -> tuple[Seat, ...]:
    return tuple(range(seats))


@lru_cache(maxsize=64)
def _others(seat: Seat, seats: int) -> tuple[Seat, ...]:
    return tuple(other for other in range(seats) if other != seat)
