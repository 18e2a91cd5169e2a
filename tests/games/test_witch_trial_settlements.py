"""Settlements: when they may be proposed, what yes and no do, and how they stand in ledger, promises, trail and forks."""

import pytest

from games import witch_trial
from games.bargaining import Settlement, SplitAnswered, SplitPaid, SplitProposed, share
from games.core import Purses, covers
from games.table import actions as table
from games.witch_trial import actions as act
from games.witch_trial import events as happened
from games.witch_trial.pieces import VERSIONS
from projections.ledger import ledger
from projections.promises import verdicts
from projections.story import tell
from projections.trail import as_csv, as_dot, as_svg, trail
from tests.games.test_witch_trial_court import trial as court_of
from tests.laws.driver import Driver
from tests.laws.forking import Fork, obstacle

STAGES = ("prosecution", "defense", "closing")
POT = 15


def rested(stage="prosecution", *hands):
    """The side of that stage has just rested."""
    court = court_of(*hands)
    for _ in range(STAGES.index(stage)):
        court.rest()
    court.play(court.trial.speaker, act.Rest())
    return court


def answering(court, *, accept, version=1):
    (number,) = {event.proposal for event in court.happened(SplitProposed)[-1:]}
    return act.Answer(number, version, accept)


# --- Proposing ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("stage", "seat"), [("prosecution", 0), ("defense", 1), ("closing", 0)])
def test_who_has_rested_may_propose_and_nobody_else(stage, seat):
    court = rested(stage)

    assert court.to_act() == (seat,)
    assert court.permits(seat, act.Propose(5))
    assert court.asks(1 - seat) == court.asks(2) == ()


def test_nobody_proposes_before_he_has_rested():
    court = court_of(["pet"])

    assert not court.permits(0, act.Propose(5))


def test_one_may_go_on_without_a_proposal():
    court = rested()
    court.play(0, act.GoOn())

    assert court.happened(SplitProposed) == []
    assert court.trial.stage == "defense"


@pytest.mark.parametrize("prosecution", [0, 1, 7, POT])
def test_a_proposal_is_any_split_in_whole_dollars_of_all_legal_fees(prosecution):
    court = rested()
    court.play(0, act.Propose(prosecution))

    (proposed,) = court.happened(SplitProposed)
    assert (proposed.by, proposed.keeps, proposed.to, proposed.leaves) == (0, prosecution, 1, POT - prosecution)


@pytest.mark.parametrize("prosecution", [-1, POT + 1])
def test_nobody_proposes_more_than_there_is(prosecution):
    assert not rested().permits(0, act.Propose(prosecution))


def test_the_defense_too_says_what_the_prosecution_gets():
    court = rested("defense")
    court.play(1, act.Propose(4))

    (proposed,) = court.happened(SplitProposed)
    assert (proposed.by, proposed.keeps, proposed.leaves) == (1, POT - 4, 4)


def test_with_no_legal_fees_there_is_nothing_to_share():
    court = court_of()
    court.fold(happened.Collected(2, "fees", POT))
    court.play(0, act.Rest())

    assert [ask.type for ask in court.asks(0)] == ["go_on"]


def test_whoever_is_not_there_in_time_proposes_nothing_and_declines():
    court = rested()
    assert court.asks(0)[0].type == "go_on"
    court.play(0, act.Propose(5))

    assert court.asks(1)[0].fields["accept"].one_of == (False,)


def test_a_proposal_may_be_changed_until_it_is_answered():
    court = rested()
    court.play(0, act.Propose(12))
    court.play(0, act.Propose(9))

    first, second = court.happened(SplitProposed)
    assert (first.proposal, second.proposal) == (1, 1)
    assert (first.version, second.version) == (1, 2)
    assert court.trial.proposal.keeps == 9


def test_the_table_does_not_wait_for_a_change():
    court = rested()
    court.play(0, act.Propose(12))

    assert court.to_act() == (1,)
    assert [ask.must for ask in court.asks(0)] == [False]


def test_an_answer_is_to_exactly_the_version_that_it_names():
    court = rested()
    court.play(0, act.Propose(5))
    court.play(0, act.Propose(15))

    assert not court.permits(1, answering(court, accept=True, version=1))
    assert court.permits(1, answering(court, accept=True, version=2))


def test_a_proposal_is_changed_nine_times_at_most():
    court = rested()
    for version in range(VERSIONS):
        assert court.permits(0, act.Propose(version))
        court.play(0, act.Propose(version))

    assert court.asks(0) == ()
    assert VERSIONS == 10


def test_a_proposal_that_is_made_is_not_taken_back():
    court = rested()
    court.play(0, act.Propose(5))

    assert not court.permits(0, act.GoOn())


def test_there_is_one_proposal_a_rest():
    court = rested()
    court.play(0, act.Propose(5))
    court.play(1, answering(court, accept=False))

    assert not court.permits(0, act.Propose(6))


def test_each_rest_has_a_proposal_of_its_own():
    court = rested()
    court.play(0, act.Propose(5))
    court.play(1, answering(court, accept=False))
    court.play(1, act.Rest())
    court.play(1, act.Propose(5))

    assert [event.proposal for event in court.happened(SplitProposed)] == [1, 2]


# --- Answering ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stage", "chips"), [("prosecution", (54, 81, 50)), ("defense", (54, 81, 50)), ("closing", (54, 81, 50))]
)
def test_yes_ends_the_trial_at_once_and_both_are_paid(stage, chips):
    court = rested(stage)
    court.play(court.trial.speaker, act.Propose(4))
    court.play(court.trial.listener, answering(court, accept=True))

    assert court.state.trial is None
    assert court.chips == chips
    assert court.pot == 0
    assert court.happened(happened.TrialClosed) == [happened.TrialClosed(1, "lewis", "settled")]


def test_after_yes_nothing_is_rolled_and_nobody_wins_the_fees():
    court = rested()
    court.play(0, act.Propose(4))
    court.play(1, answering(court, accept=True))

    assert court.happened(happened.VerdictRolled) == court.happened(happened.FeesWon) == []
    assert court.state.active == 2
    assert court.state.discards == ("golf", "lewis")


@pytest.mark.parametrize(("stage", "following"), [("prosecution", "defense"), ("defense", "closing")])
def test_no_goes_on_with_the_trial(stage, following):
    court = rested(stage)
    court.play(court.trial.speaker, act.Propose(4))
    court.play(court.trial.listener, answering(court, accept=False))

    assert court.trial.stage == following
    assert court.pot == POT
    assert court.trial.proposal is None


def test_no_to_the_last_proposal_leaves_it_to_the_dice():
    court = rested("closing")
    court.play(0, act.Propose(4))
    court.play(1, answering(court, accept=False), 6, 6)

    assert court.happened(happened.VerdictRolled) == [happened.VerdictRolled((6, 6), 7, 19)]


def test_nobody_else_answers():
    court = rested()
    court.play(0, act.Propose(4))

    assert not court.permits(0, answering(court, accept=True))
    assert not court.permits(2, answering(court, accept=True))


# --- At a table ---------------------------------------------------------------------------------------


class Table(Driver):
    """A table of three with the house deck."""

    def __init__(self):
        super().__init__(witch_trial, 3)
        self.fill()

    def to_a_trial(self):
        """Somebody builds a case as soon as he can, and the next who can defends it."""
        while self.game.trial is None:
            seat = self.game.active
            ask = (self.asks(seat, "defend") or self.asks(seat, "build") or self.asks(seat, "pass"))[0]
            self.do(seat, {"type": ask.type, **{name: domain.one_of[0] for name, domain in ask.fields.items()}})
        return self

    def rest(self):
        self.do(self.game.trial.speaker, act.Rest())
        return self

    def propose(self, *splits):
        for split in splits:
            self.do(self.game.trial.speaker, act.Propose(split))
        return self

    def answer(self, *, accept):
        known = self.game.trial.proposal
        self.do(known.to, act.Answer(known.number, known.version, accept))
        return self

    @property
    def story(self):
        return tell(self.rules, "all", self.bodies)

    @property
    def trail(self):
        return trail(self.story)


def settled(*splits):
    table_ = Table().to_a_trial().rest().propose(*splits)
    sides = table_.game.trial.prosecutor, table_.game.trial.defender
    return table_.answer(accept=True), sides


def test_a_settlement_stands_in_the_ledger_from_the_pot_to_each_side_with_its_decision():
    table_, (prosecutor, defender) = settled(5)
    pot = table_.happened(SplitPaid)[0].keeps + table_.happened(SplitPaid)[0].leaves
    lines = [line for line in ledger(table_.story).lines if line.type == "split_paid"]

    assert {(line.source, line.to, line.amount) for line in lines} == {
        ("pot", f"seat:{prosecutor}", 5),
        ("pot", f"seat:{defender}", pot - 5),
    }
    assert {line.window for line in lines} == {"answer:1:1"}


def test_no_chip_of_the_game_is_made_or_lost_in_the_ledger():
    table_, _ = settled(5)

    book = ledger(table_.story)
    assert book.broken_at is None
    assert book.pot == 0
    assert sum(book.seats) + book.bank == 150


def test_a_settlement_stands_in_the_trail_as_what_the_proposer_leaves_to_the_other_side_for_a_yes():
    table_, (prosecutor, defender) = settled(5, 7)
    (row,) = table_.trail.bribes
    leaves = table_.happened(SplitPaid)[0].leaves

    assert (row.kind, row.payer, row.payee) == ("settlement", prosecutor, defender)
    assert (row.amount, row.paid) == (leaves, leaves)
    assert [terms.amount for terms in row.versions] == [leaves + 2, leaves]
    assert row.window.kind == "answer"
    assert [deed.wanted for deed in row.deeds] == [True]
    assert (row.how, row.wanted, row.way, row.turn) == ("paid", "settled", "payer", "trial:1")
    assert (row.decision.verdict, row.without, row.decisive) == ("settled", None, None)
    assert row.made < row.accepted == row.ended


def test_a_declined_proposal_stands_in_the_trail_as_unpaid():
    table_ = Table().to_a_trial().rest().propose(5).answer(accept=False)
    (row,) = table_.trail.bribes

    assert (row.how, row.paid, row.way, row.decision) == ("declined", 0, None, None)
    assert [deed.wanted for deed in row.deeds] == [False]


def test_a_proposal_that_waits_is_open_in_the_trail():
    (row,) = Table().to_a_trial().rest().propose(5).trail.bribes

    assert (row.how, row.ended, row.paid) == (None, None, 0)


def test_gifts_beside_a_settlement_are_told_apart():
    table_, (prosecutor, defender) = settled(5)
    table_.do(prosecutor, table.Pay(defender, 3))

    assert [row.kind for row in table_.trail.bribes] == ["settlement", "gift"]


def test_the_sums_of_the_trail_hold_what_came_out_of_purses_and_so_no_settlement():
    table_, (prosecutor, defender) = settled(5)
    table_.do(prosecutor, table.Pay(defender, 3))

    assert table_.trail.totals.chips == 3


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_reading_of_the_trail_has_words_for_a_settlement(language):
    found = settled(5)[0].trail

    word = {"en": "settlement", "ja": "和解"}[language]
    assert word in as_csv(found, language)
    assert as_dot(found, language)
    assert as_svg(found, language)


def struck(table_, first):
    """All agree to take back that entry and what came after it."""
    table_.do(0, table.Dispute(first=first, reason="oh"))
    for seat in (1, 2):
        if table_.table.status == "disputed":
            table_.do(seat, table.VoteDispute(True))
    return table_


def test_where_a_yes_was_struck_the_proposal_waits_again():
    table_, _ = settled(5)
    struck(table_, table_.table.seq)
    (row,) = table_.trail.bribes

    assert table_.game.trial.proposal is not None
    assert (row.how, row.paid) == (None, 0)
    lines = [line for line in ledger(table_.story).lines if line.type == "split_paid"]
    assert [line.struck_by is None for line in lines] == [False, False]


def test_a_settlement_that_was_struck_is_void_in_the_trail():
    table_, _ = settled(5)
    struck(table_, table_.table.seq - 1)
    (row,) = table_.trail.bribes

    assert table_.game.trial.proposal is None
    assert (row.kind, row.how, row.paid, row.struck_by) == ("settlement", "void", 0, table_.table.seq)


def test_the_pot_loses_just_what_is_shared():
    purses = Purses((1, 2, 3), (0, 0, 0), pot=20)
    shared = share(purses, SplitPaid(1, 2, 0, "answer:1:1", keeps=4, leaves=5))

    assert shared == Purses((6, 2, 7), (0, 0, 0), pot=11)


def test_its_events_are_the_games_own_so_that_a_fork_takes_an_open_proposal_along():
    table_ = Table().to_a_trial().rest().propose(5)
    fork = Fork(table_, table_.table.seq).resume()

    assert set(Settlement.__args__) <= table_.rules.own_events
    assert obstacle(table_, table_.table.seq) is None
    assert fork.game == table_.game
    known = fork.game.trial.proposal
    fork.do(known.to, act.Answer(known.number, known.version, True))
    assert fork.happened(SplitPaid)


def test_a_promised_answer_is_kept_by_that_answer():
    for accept, verdict in ((True, "kept"), (False, "broken")):
        table_ = Table().to_a_trial()
        trial_ = table_.game.trial
        promise = table.Promise(trial_.prosecutor, "I shall take it", {"type": "answer", "accept": True}, "answer")
        table_.do(trial_.defender, promise)
        table_.rest().propose(5).answer(accept=accept)

        assert [word.verdict for word in verdicts(table_.story)] == [verdict]


def test_a_promised_rest_is_kept_by_it():
    table_ = Table().to_a_trial()
    seat = table_.game.trial.prosecutor
    table_.do(seat, table.Promise(table_.game.trial.defender, "no card", {"type": "rest"}, "plea"))
    assert [word.verdict for word in verdicts(table_.story)] == ["open"]
    table_.rest()

    assert [word.verdict for word in verdicts(table_.story)] == ["kept"]


def test_money_promised_for_an_answer_can_be_paid_after_it():
    table_ = Table().to_a_trial().rest().propose(5)
    prosecutor, defender = table_.game.trial.prosecutor, table_.game.trial.defender
    table_.do(prosecutor, table.Promise(defender, "and 3 more", {"type": "pay", "amount": 3}, None))
    table_.answer(accept=True)
    assert [word.verdict for word in verdicts(table_.story)] == ["open"]
    table_.do(prosecutor, table.Pay(defender, 3))

    assert [word.verdict for word in verdicts(table_.story)] == ["kept"]


def test_it_is_broken_once_the_next_trial_opens():
    table_ = Table().to_a_trial().rest().propose(5)
    prosecutor, defender = table_.game.trial.prosecutor, table_.game.trial.defender
    table_.do(prosecutor, table.Promise(defender, "and 3 more", {"type": "pay", "amount": 3}, None))
    table_.answer(accept=True).to_a_trial()

    assert [word.verdict for word in verdicts(table_.story)] == ["broken"]


def test_what_a_proposal_is_made_for_is_an_answer_of_this_game():
    answer = {"type": "answer", "proposal": 1, "version": 2, "accept": True}

    assert witch_trial.supports(answer) == "settled"
    assert witch_trial.supports({**answer, "accept": False}) is None
    assert covers({"type": "answer", "accept": True}, answer)
    assert isinstance(SplitAnswered(1, 2, 0, accept=True), witch_trial.Event.__args__)
