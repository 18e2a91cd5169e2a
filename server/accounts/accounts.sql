-- Accounts, schema 1. Nothing here is part of a log, so a row may change or go. Times are ms since 1970.

-- A player whose name is NULL was erased: the id stays, because logs hold it.
CREATE TABLE player (
  id TEXT PRIMARY KEY,
  name TEXT,
  bot INTEGER NOT NULL,
  created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Of a token there is the SHA-256 only. scopes: words with blanks between.
CREATE TABLE token (
  number INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  id TEXT NOT NULL UNIQUE,
  player TEXT NOT NULL REFERENCES player,
  scopes TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX token_of ON token (player);

-- Idempotency keys that gave a token, as an HMAC under the server's secret: they tell nothing of who used them.
CREATE TABLE spent (hash BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;

-- Of a code there is the SHA-256 only. A revoked invite stays, so that a retry cannot bring it back to life.
CREATE TABLE invite (
  hash BLOB PRIMARY KEY,
  table_id TEXT NOT NULL,
  role TEXT NOT NULL,
  seat INTEGER,
  by TEXT NOT NULL,
  created INTEGER NOT NULL,
  revoked INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX invite_by ON invite (by);

CREATE TABLE admitted (
  player TEXT NOT NULL,
  table_id TEXT NOT NULL,
  PRIMARY KEY (player, table_id)
) STRICT, WITHOUT ROWID;

-- The key with the highest number is the current one, and the only one with a private half.
CREATE TABLE signing_key (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  private BLOB,
  public BLOB NOT NULL,
  created INTEGER NOT NULL
) STRICT;

CREATE TABLE secret (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  bytes BLOB NOT NULL CHECK (length(bytes) = 32)
) STRICT;
