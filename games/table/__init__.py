"""What surrounds any game: seats and start, talk and open bargaining, clocks, the end. A decider that wraps a game.

Reading order: `house` (the rules of the house), `actions`, `events`, `state` (record and course, and their fold),
`asks` (who may do what), `decide` (one action to its events), `redact` (what an audience reads of it).
"""
