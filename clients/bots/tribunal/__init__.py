"""The bot `tribunal`: a lawyer with clients of his own. Reads only what its seat sees, as it comes over the wire.

Reading order: `court` (the position), `stakes` (what verdicts are worth to this hand), `forecast` (how the scales may
end), `plans` (what one's own decision can be), `worth` (what each is worth, bribes included), `bids` (what it pays for
the decisions of others), `answers` (what it says to offers), `speech` (talk and promises), `lawyer` (all of it).
"""

from clients.bots.tribunal.lawyer import Lawyer as Lawyer
