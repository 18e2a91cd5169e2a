"""Reading the log: what a table looks like, to whom, at any entry."""
