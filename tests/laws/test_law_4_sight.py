"""Law 4: what a seat may do, what is decided, and how it ends are the same from its own view as from the truth."""

from collections.abc import Iterator

from games.core import Audience
from games.table.asks import asks
from games.table.state import Table, fold, windows
from projections import codec
from tests.laws.cases import every_case
from tests.laws.playing import Play, Step, played


def seen(play: Play, audience: Audience) -> Iterator[tuple[Step, Table]]:
    """Each step with the table as the audience knows it after that."""
    table: Table | None = None
    for step in play.steps:
        table = fold(play.driver.rules, table, codec.decode(play.driver.rules, step.after.seq, step.read_by(audience)))
        yield step, table


@every_case
def test_asks_from_a_seats_own_view_are_the_true_ones(case):
    play = played(case)
    for seat in range(case.seats):
        for step, known in seen(play, seat):
            found = asks(play.driver.rules, known, seat, windows(play.driver.rules, known.course))
            assert found == step.position.asks[seat]


@every_case
def test_windows_are_the_same_from_every_view(case):
    play = played(case)
    for audience in (None, *range(case.seats)):
        for step, known in seen(play, audience):
            assert windows(play.driver.rules, known.course) == step.position.windows


@every_case
def test_the_outcome_is_the_same_from_every_view(case):
    play = played(case)
    for audience in (None, *range(case.seats)):
        for step, known in seen(play, audience):
            if known.course.game is not None:
                assert case.game.outcome(known.course.game) == case.game.outcome(step.after.course.game)


@every_case
def test_what_a_seat_knows_is_true(case):
    play = played(case)
    for audience in (None, *range(case.seats)):
        for step, known in seen(play, audience):
            agrees(known.course.game, step.after.course.game, f"{audience} at {step.after.seq}")


def agrees(known: object, true: object, where: str) -> None:
    """Whatever is not None in a view is what the truth says, down to the last field; counts agree."""
    if known is None:
        return
    assert type(known) is type(true), where
    if isinstance(known, tuple):
        assert len(known) == len(true), where
        for place, (one, other) in enumerate(zip(known, true, strict=True)):
            agrees(one, other, f"{where}[{place}]")
    elif hasattr(known, "__struct_fields__"):
        for name in known.__struct_fields__:
            agrees(getattr(known, name), getattr(true, name), f"{where}.{name}")
    else:
        assert known == true, where
