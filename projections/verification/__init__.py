"""Verification: whether a table's log holds, entry by entry, down to deciding every action again.

Reading order: `pieces` (what the answer is made of), `draws` (seed, entropies and draw numbers, which need no rules),
`adjudication` (the rules again), `then` (entries of an old form), `witnesses` (receipts and keys), `auditor` (all of it for one log), `archived` (for an
archive). What the checks mean, and what they cannot show: docs/archive.md.
"""

from projections.verification.archived import steps as steps
from projections.verification.archived import verify_archive as verify_archive
from projections.verification.auditor import Auditor as Auditor
from projections.verification.pieces import Check as Check
from projections.verification.pieces import Difference as Difference
from projections.verification.pieces import Verification as Verification
from projections.verification.pieces import Wrong as Wrong
from projections.verification.then import versions_in as versions_in
from projections.verification.witnesses import verify_receipts as verify_receipts
