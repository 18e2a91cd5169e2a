"""The end of a life, and of all lives: deeds are weighed, and chance has the last word."""

from collections.abc import Sequence

from games.chance import Source
from games.core import Seat
from games.ten_kings import events as happened
from games.ten_kings.events import Event
from games.ten_kings.pieces import DECK, FIVE, JOKER, JOKER_VALUE, TAINT, Card, is_evil, is_good, value
from games.ten_kings.state import State, evolve, known

Events = list[Event]


def judge(state: State, chance: Source) -> tuple[Events, State]:
    """All hands are shown and weighed; then each seat rolls, from the first of this life on. And the table after it."""
    hands = [known(state.hand(seat)) for seat in range(state.seats)]
    found: Events = [happened.HandShown(seat, hand) for seat, hand in enumerate(hands)]
    weighed = [weigh(seat, hand) for seat, hand in enumerate(hands)]
    found += weighed
    for place in range(state.seats):
        seat = (state.first + place) % state.seats
        karma = weighed[seat].karma
        rolled, roll, is_damned = _roll(state, seat, chance)
        found += [rolled, happened.Judged(seat, karma, heaven=roll > karma and not is_damned)]
    for event in found:
        state = evolve(state, event)
    return found, state


def weigh(seat: Seat, hand: Sequence[Card]) -> happened.KarmaWeighed:
    """50, and evil deeds more, and good ones less. The joker goes with those of which there are more; where there are as
    many of both, all that the hand holds comes to nothing.
    """
    evil_cards, good_cards = [card for card in hand if is_evil(card)], [card for card in hand if is_good(card)]
    evil, good = sum(map(value, evil_cards)), sum(map(value, good_cards))
    if JOKER in hand:
        if len(evil_cards) == len(good_cards):
            return happened.KarmaWeighed(seat, evil, good, TAINT)
        if len(evil_cards) > len(good_cards):
            evil += JOKER_VALUE
        else:
            good += JOKER_VALUE
    return happened.KarmaWeighed(seat, evil, good, TAINT + evil - good)


# --- D% -----------------------------------------------------------------------------------------------


def _roll(state: State, seat: Seat, chance: Source) -> tuple[Event, int, bool]:
    """What is rolled, what it comes to, and whether the joker has damned the seat whatever it comes to."""
    if state.options.dice == "none":
        return _five(seat, chance.sample(DECK, FIVE))
    if state.options.dice == "cards":
        red, black = 1 + chance.below(10), 1 + chance.below(10)
        roll = percent(red % 10, black % 10)
        return happened.CardsRolled(seat, (_card("heart", red), _card("spade", black)), roll), roll, False
    tens, units = chance.below(10), chance.below(10)
    roll = percent(tens, units)
    return happened.DiceRolled(seat, tens, units, roll), roll, False


def percent(tens: int, units: int) -> int:
    """1 to 100: two noughts are a hundred."""
    return 10 * tens + units or 100


def _five(seat: Seat, cards: tuple[Card, ...]) -> tuple[Event, int, bool]:
    evil = sum(value(card) for card in cards if is_evil(card))
    good = sum(value(card) for card in cards if is_good(card))
    roll, is_damned = TAINT + evil - good, JOKER in cards
    return happened.FiveTurned(seat, cards, roll, is_damned), roll, is_damned


def _card(suit: str, number: int) -> Card:
    return next(card for card in DECK if card == f"{suit}-{number}")


# --- The last judgement -------------------------------------------------------------------------------


def last_judgement(state: State, chance: Source) -> Events:
    """Everybody rolls once more, from seat 0 on, against what his heavens come to."""
    found: Events = []
    margins: dict[Seat, int] = {}
    for seat, heavens in enumerate(state.heavens):
        target = heavens * state.options.weight
        rolled, roll, is_damned = _roll(state, seat, chance)
        ascended = roll < target and not is_damned
        if ascended:
            margins[seat] = target - roll
        found += [rolled, happened.LastJudged(seat, target, ascended, margins.get(seat, 0))]
    if not margins:
        return [*found, happened.GameEnded("nobody_ascended", ())]
    best = min(margins.values())
    return [*found, happened.GameEnded("ascended", tuple(seat for seat, margin in margins.items() if margin == best))]
