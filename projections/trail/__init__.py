"""The bribery trail: who was paid how much for which decision, what came of it, and whose word was broken afterwards.

Reading order: `pieces` (what the trail is made of), `course` (what became of each offer and gift), `weighing` (whose way
the decision went), `joining` (all of it together); then the readings of it: `sheet` (CSV), `graph` (DOT), `lettering`,
`layout`, `marks` and `picture` (SVG), with their words in `words`. How to read a trail: docs/audit.md.
"""

from projections.trail.graph import as_dot as as_dot
from projections.trail.joining import trail as trail
from projections.trail.picture import as_svg as as_svg
from projections.trail.pieces import Bribe as Bribe
from projections.trail.pieces import Trail as Trail
from projections.trail.sheet import as_csv as as_csv
