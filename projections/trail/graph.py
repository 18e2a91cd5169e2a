"""The trail as a graph for GraphViz (DOT): a box a trial or turn, in it the seats, and an edge for each offer and gift."""

from collections.abc import Iterator, Sequence

from projections.trail.pieces import Bribe, Trail, TurnTotal, of_turn
from projections.trail.words import OUTCOMES, Outcome, Speech, one_line, outcome, speech

LOOKS: dict[Outcome, dict[str, str]] = {
    "won": {"color": "#0072b2", "style": "solid", "arrowhead": "normal"},
    "lost": {"color": "#b34700", "style": "dashed", "arrowhead": "box"},
    "unknown": {"color": "#222222", "style": "bold", "arrowhead": "vee"},
    "gift": {"color": "#00795a", "style": "solid", "arrowhead": "diamond"},
    "unpaid": {"color": "#707070", "style": "dotted", "arrowhead": "empty"},
    "struck": {"color": "#aa4499", "style": "dotted", "arrowhead": "tee"},
}
"""Told apart by head and line as well as by colour."""


def as_dot(trail: Trail, language: str = "en", names: Sequence[str] = ()) -> str:
    """The trail as a digraph. `names`: who sits where; without them seats are told by number.

    Raises:
        ValueError: there are no words in that language.
    """
    told = speech(trail, language, names)
    title = told.say("title", game=told.title, table=trail.table)
    lines = [
        "digraph trail {",
        f"  graph [label={quoted(title)}, labelloc=t, rankdir=LR, fontname={quoted('sans-serif')}];",
        f"  node [shape=box, style=rounded, fontname={quoted('sans-serif')}];",
        f"  edge [fontname={quoted('sans-serif')}, fontsize=10];",
    ]
    most = max([bribe.amount for bribe in trail.bribes], default=1)
    for number, turn in enumerate(trail.totals.turns):
        bribes = of_turn(trail, turn)
        if bribes:
            lines += _cluster(told, number, turn, bribes, most)
    return "\n".join([*lines, *_legend(told), "}"]) + "\n"


def quoted(text: str, *more: str) -> str:
    """A string of DOT: the lines given, each as it is."""
    lines = [one_line(line).replace("\\", "\\\\").replace('"', '\\"') for line in (text, *more)]
    return '"' + "\\n".join(lines) + '"'


def _cluster(told: Speech, number: int, turn: TurnTotal, bribes: Sequence[Bribe], most: int) -> Iterator[str]:
    verdicts = [told.decision(decision) for decision in turn.decisions]
    yield f"  subgraph {quoted(f'cluster_{number}')} {{"
    yield f"    label={quoted(told.turn(turn.turn), *verdicts)};"
    for seat in sorted({seat for bribe in bribes for seat in (bribe.payer, bribe.payee)}):
        yield f"    {quoted(f'{number}.{seat}')} [label={quoted(told.seat(seat))}];"
    for bribe in bribes:
        ends = f"{quoted(f'{number}.{bribe.payer}')} -> {quoted(f'{number}.{bribe.payee}')}"
        yield f"    {ends} [{_look(told, bribe, most)}];"
    yield "  }"


def _look(told: Speech, bribe: Bribe, most: int) -> str:
    said = [f"{bribe.amount}", told.turn(bribe.turn), told.what(bribe)]
    if bribe.decision is not None:
        said.append(told.decision(bribe.decision))
    if bribe.decisive and bribe.without is not None:
        said.append(told.say("decisive", without=told.verdict(bribe.without)))
    if bribe.broken:
        said.append(told.say("broken", ids=", ".join(map(str, bribe.broken))))
    found = outcome(bribe)
    values = {**LOOKS[found], "penwidth": f"{1 + 4 * bribe.amount / most:.1f}"}
    looks = ", ".join(f"{name}={quoted(value)}" for name, value in values.items())
    return f"label={quoted(*said)}, tooltip={quoted(told.say(f'outcome.{found}'))}, {looks}"


def _legend(told: Speech) -> Iterator[str]:
    """What the edges mean."""
    yield f"  subgraph {quoted('cluster_legend')} {{"
    yield f"    label={quoted('')};"
    for found in OUTCOMES:
        looks = ", ".join(f"{name}={quoted(value)}" for name, value in LOOKS[found].items())
        start, end = quoted(f"legend.{found}.from"), quoted(f"legend.{found}.to")
        yield f"    {start} [shape=point]; {end} [shape=plaintext, label={quoted(told.say(f'outcome.{found}'))}];"
        yield f"    {start} -> {end} [{looks}];"
    yield "  }"
