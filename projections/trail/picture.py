"""The trail as a picture (SVG): chips that flow between the seats, trial by trial.

What became of an arrow is told by its colour, by its dashes, by the mark at its foot and in words, so nobody needs to see
colours. The picture has no scripts and refers to nothing outside itself.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from projections.trail import layout
from projections.trail.layout import Arrow, Band, Column
from projections.trail.lettering import BOLD, shortened, width
from projections.trail.marks import INK, LOOKS, star, torn
from projections.trail.pieces import Bribe, Trail
from projections.trail.words import OUTCOMES, Speech, one_line, outcome, speech

FONT = "'Noto Sans', 'Noto Sans JP', 'Hiragino Sans', 'Yu Gothic', Meiryo, 'DejaVu Sans', sans-serif"
TITLE = 20


def as_svg(trail: Trail, language: str = "en", names: Sequence[str] = ()) -> str:
    """The trail as a document of its own. `names`: who sits where; without them seats are told by number.

    Raises:
        ValueError: there are no words in that language.
    """
    told = speech(trail, language, names)
    title = told.say("title", game=told.title, table=trail.table)
    legend, below = _legend(told, layout.MARGIN + TITLE + 22)
    bands = layout.bands(trail, told, below)
    drawn = [part for place, band in enumerate(bands) for part in _band(trail, told, band, first=place == 0)]
    if not bands:
        drawn = [_text(layout.MARGIN, below + 20, told.say("nothing"), layout.HEADING)]
    return "\n".join(
        [
            _open(language, below, bands),
            _element("title", title, id="trail-title"),
            _element("desc", _summary(told, trail), id="trail-summary"),
            _shape("rect", width="100%", height="100%", fill="#ffffff"),
            _text(layout.MARGIN, layout.MARGIN + TITLE - 4, title, TITLE, font_weight="bold"),
            *legend,
            *drawn,
            "</svg>\n",
        ]
    )


def _open(language: str, below: float, bands: Sequence[Band]) -> str:
    across = max([layout.PAGE, *[band.across for band in bands]]) + 2 * layout.MARGIN
    down = (bands[-1].bottom if bands else below + 2 * layout.MARGIN) + layout.MARGIN
    attributes = _attributes(
        xmlns="http://www.w3.org/2000/svg", xml__lang=language, width=across, height=down,
        viewBox=f"0 0 {_number(across)} {_number(down)}", role="graphics-document document",
        aria_labelledby="trail-title trail-summary", font_family=FONT, fill=INK,
    )  # fmt: skip
    return f"<svg{attributes}>"


def _summary(told: Speech, trail: Trail) -> str:
    offers = [bribe for bribe in trail.bribes if bribe.kind != "gift"]
    won = [bribe for bribe in offers if outcome(bribe) == "won"]
    return told.say(
        "summary", offers=len(offers), gifts=len(trail.bribes) - len(offers), seats=trail.seats,
        chips=trail.totals.chips, won=len(won), decisive=sum(bool(bribe.decisive) for bribe in won),
    )  # fmt: skip


# --- Legend -------------------------------------------------------------------------------------------


def _legend(told: Speech, y: float) -> tuple[list[str], float]:
    """What the signs mean, in as many lines as it takes; and where the picture goes on."""
    drawn, x = [], float(layout.MARGIN)
    for sample, text in _samples(told):
        across = 46 + width(text, layout.SMALL) + 22
        if x + across > layout.PAGE + layout.MARGIN:
            x, y = float(layout.MARGIN), y + 22
        drawn.append(f'<g transform="translate({_number(x)} {_number(y)})">{"".join(sample)}</g>')
        drawn.append(_text(x + 46, y + 4, text, layout.SMALL))
        x += across
    return drawn, y + 26


def _samples(told: Speech) -> Iterator[tuple[list[str], str]]:
    for found in OUTCOMES:
        look = LOOKS[found]
        line = _shape(
            "path", d="M4 0H30", fill="none", stroke=look.colour, stroke_width=4, stroke_dasharray=look.dashes
        )
        head = _shape("path", d="M30 -6L40 0L30 6Z", fill=look.colour)
        yield [line, head, _mark(look.mark(4, 0), look.colour, hollow=look.hollow)], told.say(f"outcome.{found}")
    thick = [_shape("path", d=f"M{4 + 9 * n} -8V8", stroke=INK, stroke_width=2 * n + 1, fill="none") for n in range(4)]
    yield thick, told.say("legend.width")
    yield [_shape("path", d=star(20, 0), fill=INK)], told.say("legend.decisive")
    yield [_shape("path", d=torn(20, 0), stroke=INK, stroke_width=2.2, fill="none")], told.say("legend.broken")


# --- Bands --------------------------------------------------------------------------------------------


def _band(trail: Trail, told: Speech, band: Band, *, first: bool) -> Iterator[str]:
    left, right = layout.MARGIN, layout.MARGIN + band.across
    for place, column in enumerate(band.columns):
        yield from _column(column, band, shaded=place % 2 == 0)
    for seat, lane in enumerate(band.lanes):
        yield _shape("path", d=f"M{left} {_number(lane)}H{_number(right)}", stroke="#b8b8b8", fill="none")
        name = shortened(told.seat(seat), layout.HEADING, (layout.GUTTER - layout.PAD) / BOLD)
        yield _text(left, lane - 6, name, layout.HEADING, font_weight="bold", hint=told.seat(seat))
        if first:
            moved = trail.totals.seats[seat]
            yield _text(
                left, lane + 15, told.say("lane", paid=moved.paid, received=moved.received), layout.SMALL,
            )  # fmt: skip
    most = max([bribe.amount for bribe in trail.bribes], default=1)
    for column in band.columns:
        for arrow in column.arrows:
            yield _arrow(told, arrow, most)


def _column(column: Column, band: Band, *, shaded: bool) -> Iterator[str]:
    if shaded:
        yield _shape(
            "rect", x=column.x, y=band.y, width=column.across, height=band.bottom - band.y - 12, fill="#f4f4f2",
        )  # fmt: skip
    for line, text in enumerate(column.heads):
        weight = "bold" if line == 0 else None
        yield _text(column.x + layout.PAD, band.y + 17 + 16 * line, text, layout.HEADING, font_weight=weight)


def _arrow(told: Speech, arrow: Arrow, most: int) -> str:
    """Line, head, mark and label of one bribe, with all of it in words for those who do not see it."""
    look = LOOKS[outcome(arrow.bribe)]
    thick = 1.5 + 7 * arrow.bribe.amount / most
    down = 1 if arrow.end > arrow.start else -1
    half, long = max(5.5, 0.95 * thick), max(11.0, 1.7 * thick)
    tip, neck = arrow.end - down, arrow.end - down * (long + 1)
    x = _number(arrow.x)
    line = _shape(
        "path", d=f"M{x} {_number(arrow.start)}V{_number(neck)}", fill="none", stroke=look.colour,
        stroke_width=thick, stroke_dasharray=look.dashes,
    )  # fmt: skip
    corners = f"M{_number(arrow.x - half)} {_number(neck)}H{_number(arrow.x + half)}L{x} {_number(tip)}Z"
    head = _shape("path", d=corners, fill=look.colour)
    mark = _mark(look.mark(arrow.x, arrow.start), look.colour, hollow=look.hollow)
    words = _element("title", _told(told, arrow.bribe))
    return f'<g role="graphics-symbol img">{words}{line}{head}{mark}{"".join(_label(arrow))}</g>'


def _mark(path: str, colour: str, *, hollow: bool) -> str:
    return _shape("path", d=path, fill="#ffffff" if hollow else colour, stroke=colour, stroke_width=2)


def _label(arrow: Arrow) -> Iterator[str]:
    """On a white rim, so that it can be read on any ground."""
    rim: dict[str, Any] = {"stroke": "#ffffff", "stroke_width": 3, "paint_order": "stroke", "stroke_linejoin": "round"}
    y, amount = arrow.top + layout.AMOUNT - 2, str(arrow.bribe.amount)
    yield _text(arrow.left, y, amount, layout.AMOUNT, font_weight="bold", **rim)
    x = arrow.left + width(amount, layout.AMOUNT, bold=True) + 9
    if arrow.bribe.decisive:
        yield _shape("path", d=star(x, y - 5), fill=INK)
        x += 17
    if arrow.bribe.broken:
        yield _shape("path", d=torn(x, y - 5), stroke=INK, stroke_width=2.2, fill="none")
    for place, line in enumerate(arrow.lines, 1):
        yield _text(arrow.left, y + layout.LINE * place, line, layout.SMALL, **rim)


def _told(told: Speech, bribe: Bribe) -> str:
    """The bribe in a few sentences."""
    parts = [
        told.say(
            "arrow", turn=told.turn(bribe.turn), payer=told.seat(bribe.payer), payee=told.seat(bribe.payee),
            amount=bribe.amount, what=told.what(bribe), outcome=told.say(f"outcome.{outcome(bribe)}"),
        )
    ]  # fmt: skip
    if bribe.decision is not None:
        parts.append(told.decision(bribe.decision))
    if bribe.decisive and bribe.without is not None:
        parts.append(told.say("decisive", without=told.verdict(bribe.without)))
    if bribe.broken:
        parts.append(told.say("broken", ids=", ".join(map(str, bribe.broken))))
    return " ".join(parts)


# --- Elements -----------------------------------------------------------------------------------------


def _text(x: float, y: float, text: str, size: float, hint: str | None = None, **attributes: object) -> str:
    """A line of text; `hint`: what is shown of it where it is cut short."""
    inner = escape(one_line(text)) + ("" if hint in (None, text) else _element("title", str(hint)))
    return f"<text{_attributes(x=x, y=y, font_size=size, **attributes)}>{inner}</text>"


def _element(name: str, text: str, **attributes: object) -> str:
    return f"<{name}{_attributes(**attributes)}>{escape(one_line(text))}</{name}>"


def _shape(name: str, **attributes: object) -> str:
    return f"<{name}{_attributes(**attributes)}/>"


def _attributes(**attributes: object) -> str:
    """Written with their hyphens and colons; what is None is left out."""
    return "".join(
        f" {_name(name)}={quoteattr(_number(value) if isinstance(value, float) else str(value))}"
        for name, value in attributes.items()
        if value is not None
    )


def _name(name: str) -> str:
    return name if name == "viewBox" else name.replace("__", ":").replace("_", "-")


def _number(value: float) -> str:
    return re.sub(r"\.?0+$", "", f"{value:.2f}")
