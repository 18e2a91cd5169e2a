-- What closed the log of a table when it ended: made once, so that every export of it is the same for ever.
CREATE TABLE IF NOT EXISTS closing (
  table_id TEXT PRIMARY KEY,
  signature BLOB NOT NULL CHECK (length(signature) = 64),
  public BLOB NOT NULL CHECK (length(public) = 32)
) STRICT, WITHOUT ROWID;
