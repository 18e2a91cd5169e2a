"""A trial from its opening to its end: fees and jury, the three stages, settlements, the verdict."""

from games import bargaining
from games.core import Seat
from games.witch_trial import cards
from games.witch_trial import events as happened
from games.witch_trial.effects import carry_out
from games.witch_trial.flow import Flow
from games.witch_trial.names import answer_window
from games.witch_trial.pieces import CONVICTS, STAGES, Proof, Verdict
from games.witch_trial.turns import pass_on


def open_trial(flow: Flow, prosecutor: Seat, defender: Seat) -> None:
    """The defender is paid, the Legal Fees grow, and the jury has a first opinion."""
    state, case = flow.state, flow.state.cases[prosecutor]
    if case is None:
        raise TypeError(f"seat {prosecutor} has no case")
    suspect, charge = state.book.suspect(case.suspect), state.book.charge(case.charge)
    flow.add(
        happened.TrialOpened(state.trials + 1, prosecutor, defender, case.suspect, case.charge),
        happened.DefensePaid(defender, suspect.defense),
        happened.CourtPaid(charge.court),
        happened.JurySet(flow.jury(suspect.guilt + state.book.severity(case.charge, case.suspect))),
        happened.StageBegan("prosecution", prosecutor),
    )


def close(flow: Flow, verdict: Verdict) -> None:
    """All cards of the trial are discarded, and the turn in which it was held is over."""
    flow.add(happened.TrialClosed(flow.trial.number, flow.trial.suspect, verdict))
    pass_on(flow)


# --- Cards --------------------------------------------------------------------------------------------


def play(flow: Flow, seat: Seat, card: str) -> None:
    kind = flow.state.book.kind(card)
    if kind is None:
        raise TypeError(f"{card} is no card to be played by itself")
    flow.add(happened.Played(seat, card, kind))
    match flow.state.book.cards[card]:
        case cards.Evidence(prosecution=prosecution, defense=defense):
            _hear(flow, seat, prosecution if seat == flow.trial.prosecutor else defense, "evidence")
        case cards.Suspect(guilt=guilt):
            _call(flow, seat, card, guilt)
        case cards.Charge():
            _replace(flow, seat, card)
        case cards.Motion() if flow.state.hands[flow.trial.opponent(seat)]:
            return  # the other side is asked, whatever it holds; with no card at all everybody knows the answer
        case cards.Motion():
            carry(flow)
            return
        case cards.Objection():
            pass
    _played(flow)


def _hear(flow: Flow, seat: Seat, weight: int, kind: Proof) -> None:
    """The jury goes the way of the side that was heard. What it really moved can be taken back later."""
    before = flow.trial.jury
    jury = flow.jury(before + flow.trial.towards(seat) * weight)
    flow.add(happened.Heard(seat, kind, jury - before, jury))


def _call(flow: Flow, seat: Seat, card: str, guilt: int) -> None:
    """A witness is believed if a die shows his guilt or more."""
    (die,) = flow.dice(1)
    flow.add(happened.WitnessRolled(seat, card, die))
    _hear(flow, seat, guilt if die >= guilt else 0, "witness")


def _replace(flow: Flow, seat: Seat, card: str) -> None:
    """The jury moves by what the new charge is more severe against this suspect. The Court fee stays what it was."""
    trial, book = flow.trial, flow.state.book
    more = book.severity(card, trial.suspect) - book.severity(trial.charge, trial.suspect)
    flow.add(happened.ChargeReplaced(seat, trial.charge, card, flow.jury(trial.jury + more)))


def _played(flow: Flow) -> None:
    """The prosecution closes with one card."""
    if flow.trial.stage == "closing":
        flow.add(happened.Rested(flow.trial.speaker))


# --- Motions ------------------------------------------------------------------------------------------


def carry(flow: Flow) -> None:
    """Nobody objects: the motion's effects follow, one after another."""
    trial = flow.trial
    if trial.motion is None:
        raise TypeError("no motion waits")
    motion = flow.state.book.cards[trial.motion]
    if not isinstance(motion, cards.Motion):
        raise TypeError(f"{trial.motion} is no motion")
    flow.add(happened.MotionCarried(trial.speaker, trial.motion))
    go_on_with(flow, motion.effects)


def go_on_with(flow: Flow, effects: tuple[cards.AnyEffect, ...]) -> None:
    """The effects, as far as they can go without anybody's choice."""
    match carry_out(flow, effects):
        case "thrown_out":
            close(flow, "thrown_out")
        case "rest":
            flow.add(happened.Rested(flow.trial.speaker))
        case "done":
            _played(flow)
        case "choice":
            pass


def object_to(flow: Flow, seat: Seat, card: str) -> None:
    """The motion is void, and the objection changes hands."""
    trial = flow.trial
    flow.add(happened.Objected(seat, trial.opponent(seat), card, trial.motion or ""))


def choose(flow: Flow, seat: Seat, card: str) -> None:
    """What a motion has left to the seat; once all is chosen, the effects after it. Of two copies in the lineup the cheaper
    one goes.
    """
    choice = flow.trial.choice
    if choice is None:
        raise TypeError("nothing is to be chosen")
    match choice.what:
        case "discard":
            flow.add(happened.Discarded(seat, (card,)))
        case "fetch":
            flow.add(happened.Fetched(seat, card))
        case "pick":
            flow.pick(seat, flow.state.lineup.index(card))
    if flow.trial.choice is None:
        go_on_with(flow, choice.left)


# --- Settlements --------------------------------------------------------------------------------------


def propose(flow: Flow, seat: Seat, prosecution: int) -> None:
    """For the whole of the Legal Fees. A new version takes the place of the last."""
    trial, pot = flow.trial, flow.state.purses.pot
    keeps = prosecution if seat == trial.prosecutor else pot - prosecution
    known = trial.proposal
    number, version = (flow.state.proposals + 1, 1) if known is None else (known.number, known.version + 1)
    other = trial.opponent(seat)
    flow.add(bargaining.SplitProposed(number, version, seat, other, answer_window(trial), keeps, pot - keeps))


def answer(flow: Flow, seat: Seat, *, accept: bool) -> None:
    """Yes ends the trial, and nothing is rolled; no goes on with it."""
    trial = flow.trial
    known = trial.proposal
    if known is None:
        raise TypeError("nothing is proposed")
    flow.add(bargaining.SplitAnswered(known.number, known.version, seat, accept))
    if not accept:
        go_on(flow)
        return
    window = answer_window(trial)
    flow.add(bargaining.SplitPaid(known.number, known.by, known.to, window, known.keeps, known.leaves))
    close(flow, "settled")


def go_on(flow: Flow) -> None:
    """The next stage; after the last one the dice."""
    stage = STAGES.index(flow.trial.stage) + 1
    if stage == len(STAGES):
        _judge(flow)
        return
    following = STAGES[stage]
    speaker = flow.trial.defender if following == "defense" else flow.trial.prosecutor
    flow.add(happened.StageBegan(following, speaker))


def _judge(flow: Flow) -> None:
    """Two dice upon the jury value. The winner takes everything."""
    trial, dice = flow.trial, flow.dice(2)
    total = trial.jury + sum(dice)
    flow.add(happened.VerdictRolled(dice, trial.jury, total))
    convicted = total >= CONVICTS
    winner = trial.prosecutor if convicted else trial.defender
    flow.add(happened.FeesWon(winner, flow.state.purses.pot))
    close(flow, "convicted" if convicted else "acquitted")
