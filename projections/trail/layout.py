"""Where everything lies in the picture of the trail. Lengths are pixels.

Seats are lanes, trials or turns are columns, and an arrow leads from the payer's lane to the payee's. Columns that do not
fit beside each other go on in the next band, as music does in the next system, so the picture never grows wider than a
page, however long the game. An arrow has a slot of its own, with its label beside it in the gap next to the payer's
lane; only arrows that have no lane in common share a slot. So no label can meet another.
"""

from collections.abc import Iterator, Sequence

import msgspec

from projections.trail.lettering import shortened, width, wrapped
from projections.trail.pieces import Bribe, Trail, TurnTotal, of_turn
from projections.trail.words import Speech

PAGE = 1480
MARGIN = 24
GUTTER = 132
"""Left of the columns, for the names."""
ROOM = PAGE - GUTTER
"""For the columns that stand beside each other."""
LANE = 72
"""From one lane to the next."""
HEAD = 62
"""Above the first lane, for the turn and its verdict."""
FOOT = 30
PAD = 12
BESIDE = 12
"""From an arrow to its label; nothing of an arrow is broader to either side."""
LABEL = 100
LEAST = 108
"""No column is narrower."""
AMOUNT, SMALL, HEADING = 14, 11, 13
"""Sizes of type."""
LINE = 13
"""From one line of small type to the next."""


class Arrow(msgspec.Struct, frozen=True):
    """A bribe in the picture. `top`: of the label; `lines`: what it says below the amount."""

    bribe: Bribe
    x: float
    start: float
    end: float
    left: float
    top: float
    lines: tuple[str, ...]

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The label: left, top, right, bottom."""
        across = max(_amount_width(self.bribe), *[width(line, SMALL) for line in self.lines])
        return (self.left, self.top, self.left + across, self.top + AMOUNT + LINE * len(self.lines))


class Column(msgspec.Struct, frozen=True):
    """A turn, or a part of one. `heads`: its name, what was decided, the chips that were paid."""

    x: float
    across: float
    heads: tuple[str, ...]
    arrows: tuple[Arrow, ...]


class Band(msgspec.Struct, frozen=True):
    """Columns beside each other. `lanes`: the height of each seat's line."""

    y: float
    across: float
    lanes: tuple[float, ...]
    columns: tuple[Column, ...]

    @property
    def bottom(self) -> float:
        return self.lanes[-1] + FOOT


class _Part(msgspec.Struct):
    """Arrows of one turn that stand together: slots of bribes from left to right, and how wide each is."""

    heads: tuple[str, ...]
    slots: list[list[Bribe]]
    widths: list[float]

    @property
    def across(self) -> float:
        heads = [width(head, HEADING, bold=True) + 2 * PAD for head in self.heads]
        return max([LEAST, sum(self.widths) + 2 * PAD, *heads])


def bands(trail: Trail, told: Speech, top: float) -> tuple[Band, ...]:
    """The whole picture below `top`."""
    found: list[Band] = []
    for parts in _pages(trail, told):
        found.append(_band(trail, told, parts, top))
        top = found[-1].bottom
    return tuple(found)


# --- What goes together -------------------------------------------------------------------------------


def _pages(trail: Trail, told: Speech) -> Iterator[list[_Part]]:
    """What stands beside each other: of the turns in which something was offered, given or decided, as many as fit. A turn
    that is broader than a page begins where there is room, and goes on below.
    """
    page: list[_Part] = []
    for turn in trail.totals.turns:
        if not (turn.decisions or of_turn(trail, turn)):
            continue
        left = ROOM - sum(part.across for part in page)
        parts = list(_parts(trail, told, turn, ROOM))
        if len(parts) > 1 and left > ROOM / 4:
            parts = list(_parts(trail, told, turn, left))
        for part in parts:
            if page and sum(each.across for each in (*page, part)) > ROOM:
                yield page
                page = []
            page.append(part)
    if page:
        yield page


def _parts(trail: Trail, told: Speech, turn: TurnTotal, room: float) -> Iterator[_Part]:
    """The turn's arrows in the order of time; in parts where the room does not suffice, the first of which has `room`."""
    part = _Part(_heads(told, turn, judged=trail.judged, continued=False), [], [])
    for bribe in of_turn(trail, turn):
        own = 2 * BESIDE + max([_amount_width(bribe), *[width(line, SMALL) for line in _label(told, bribe)]])
        if part.slots and not any(_meet(bribe, other) for other in part.slots[-1]):
            part.slots[-1].append(bribe)
            part.widths[-1] = max(part.widths[-1], own)
            continue
        if part.slots and sum(part.widths) + own + 2 * PAD > room - LABEL:
            yield part
            part, room = _Part(_heads(told, turn, judged=trail.judged, continued=True), [], []), ROOM
        part.slots.append([bribe])
        part.widths.append(own)
    yield part


def _meet(one: Bribe, other: Bribe) -> bool:
    """Whether the two arrows touch a lane in common."""
    return max(min(one.payer, one.payee), min(other.payer, other.payee)) <= min(
        max(one.payer, one.payee), max(other.payer, other.payee)
    )


def _heads(told: Speech, turn: TurnTotal, *, judged: bool, continued: bool) -> tuple[str, ...]:
    name = told.turn(turn.turn)
    if continued:
        name = told.say("continued", turn=name)
    verdicts = [told.decision(decision) for decision in turn.decisions] or [told.say("no_verdict")]
    chips = [told.say("chips", number=turn.chips)] if turn.chips and not continued else []
    return tuple(
        [shortened(text, HEADING, 3 * LABEL) for text in (name, *([", ".join(verdicts)] if judged else []), *chips)]
    )


def _label(told: Speech, bribe: Bribe) -> tuple[str, ...]:
    return wrapped(told.what(bribe), SMALL, LABEL, 3)


def _amount_width(bribe: Bribe) -> float:
    """With room for the star and the mark of a broken promise."""
    return width(str(bribe.amount), AMOUNT, bold=True) + 17 * (bool(bribe.decisive) + bool(bribe.broken)) + 2


# --- Where it goes ------------------------------------------------------------------------------------


def _band(trail: Trail, told: Speech, parts: Sequence[_Part], top: float) -> Band:
    lanes = tuple([top + HEAD + LANE * seat for seat in range(trail.seats)])
    x, columns = float(MARGIN + GUTTER), []
    for part in parts:
        columns.append(Column(x, part.across, part.heads, tuple(_arrows(told, part, x + PAD, lanes))))
        x += part.across
    return Band(top, x - MARGIN, lanes, tuple(columns))


def _arrows(told: Speech, part: _Part, x: float, lanes: Sequence[float]) -> Iterator[Arrow]:
    for slot, across in zip(part.slots, part.widths, strict=True):
        for bribe in slot:
            yield _arrow(told, bribe, x + BESIDE / 2, lanes)
        x += across


def _arrow(told: Speech, bribe: Bribe, x: float, lanes: Sequence[float]) -> Arrow:
    """The label lies in the middle of the gap beside the payer's lane, on the payee's side."""
    lines = _label(told, bribe)
    start, end = lanes[bribe.payer], lanes[bribe.payee]
    gap = start if end > start else start - LANE
    top = gap + (LANE - AMOUNT - LINE * len(lines)) / 2
    return Arrow(bribe, x, start, end, x + BESIDE, top, lines)
