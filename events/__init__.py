"""The log: entries, their hash chain, receipts, and the stores that keep them. It knows bytes, not games."""
