"""Who may do what. The first ask of each list is what is done for who is not there in time: the one that gives nothing away."""

from functools import lru_cache

from games.core import Ask, Between, OneOf, Seat
from games.witch_trial.pieces import PRICES, VERSIONS, Choice, Proposal, Trial
from games.witch_trial.state import State

Asks = tuple[Ask, ...]
Ids = tuple[str, ...]

PASS, APPOINT, REST, ALLOW, GO_ON = Ask("pass"), Ask("appoint"), Ask("rest"), Ask("allow"), Ask("go_on")


def asks(state: State, seat: Seat) -> Asks:
    """What the seat may do now."""
    if state.phase == "turn":
        return _in_turn(state, seat) if seat == state.active else ()
    return () if state.trial is None else _in_trial(state, state.trial, seat)


# --- Turns --------------------------------------------------------------------------------------------


def _in_turn(state: State, seat: Seat) -> Asks:
    found = [PASS]
    affordable = tuple([place for place in range(len(state.lineup)) if PRICES[place] <= state.purse(seat)])
    if affordable:
        found.append(_buy(affordable))
    if state.cases[seat] is None:
        found += _build(state, seat)
    else:
        found.append(APPOINT)
    pending = tuple([other for other in range(state.seats) if other != seat and state.cases[other] is not None])
    if pending:
        found.append(_defend(pending))
    return tuple(found)


def _build(state: State, seat: Seat) -> list[Ask]:
    """From the hand alone, or with one card of the lineup, which is told by its place."""
    book, held = state.book, state.held(seat)
    suspects = tuple([card for card in held if card in book.suspects])
    charges = tuple([card for card in held if card in book.charges])
    found = [_case(suspects, charges, None)] if suspects and charges else []
    for place, card in enumerate(state.lineup):
        if card in book.suspects and charges:
            found.append(_case((card,), charges, place))
        if card in book.charges and suspects:
            found.append(_case(suspects, (card,), place))
    return found


# --- Trials -------------------------------------------------------------------------------------------


def _in_trial(state: State, trial: Trial, seat: Seat) -> Asks:
    match trial.step:
        case "cards":
            return _plead(state, trial) if seat == trial.speaker else ()
        case "objection":
            return _object(state, seat) if seat == trial.listener else ()
        case "choice":
            choice = trial.choice
            return _choose(state, choice) if choice is not None and seat == choice.seat else ()
        case "proposal":
            return _settle(state, trial, seat)


def _plead(state: State, trial: Trial) -> Asks:
    cards = tuple([card for card in state.held(trial.speaker) if _is_open(state, trial, card)])
    return (REST, _card("play", cards)) if cards else (REST,)


def _is_open(state: State, trial: Trial, card: str) -> bool:
    kind = state.book.kind(card)
    return kind is not None and not trial.is_barred(trial.speaker, kind)


def _object(state: State, seat: Seat) -> Asks:
    """One is asked whatever one holds: a motion that passes at once would tell that there is no objection."""
    found = tuple([card for card in state.held(seat) if card in state.book.objections])
    return (ALLOW, _card("object", found)) if found else (ALLOW,)


def _choose(state: State, choice: Choice) -> Asks:
    match choice.what:
        case "discard":
            return (_card("choose", state.held(choice.seat)),)
        case "fetch":
            return (_card("choose", tuple(dict.fromkeys(state.discards))),)
        case "pick":
            return (_card("choose", tuple(dict.fromkeys(state.lineup))),)


def _settle(state: State, trial: Trial, seat: Seat) -> Asks:
    """A proposal may be changed until it is answered, but that is not waited for."""
    pot, proposal = state.purses.pot, trial.proposal
    if proposal is None:
        if seat != trial.speaker:
            return ()
        return (GO_ON, _propose(pot, must=True)) if pot else (GO_ON,)
    if seat == proposal.to:
        return answers(proposal)
    return (_propose(pot, must=False),) if seat == proposal.by and proposal.version < VERSIONS else ()


@lru_cache(maxsize=1024)
def answers(proposal: Proposal) -> Asks:
    return tuple([_answer(proposal.number, proposal.version, accept=accept) for accept in (False, True)])


def _answer(number: int, version: int, *, accept: bool) -> Ask:
    return Ask("answer", {"proposal": OneOf((number,)), "version": OneOf((version,)), "accept": OneOf((accept,))})


@lru_cache(maxsize=1024)
def _propose(pot: int, *, must: bool) -> Ask:
    return Ask("propose", {"prosecution": Between(0, pot)}, must=must)


@lru_cache(maxsize=4096)
def _card(what: str, cards: Ids) -> Ask:
    return Ask(what, {"card": OneOf(cards)})


@lru_cache(maxsize=64)
def _buy(places: tuple[int, ...]) -> Ask:
    return Ask("buy", {"place": OneOf(places)})


@lru_cache(maxsize=128)
def _defend(pending: tuple[Seat, ...]) -> Ask:
    return Ask("defend", {"of": OneOf(pending)})


@lru_cache(maxsize=4096)
def _case(suspects: Ids, charges: Ids, place: int | None) -> Ask:
    return Ask("build", {"suspect": OneOf(suspects), "charge": OneOf(charges), "place": OneOf((place,))})
