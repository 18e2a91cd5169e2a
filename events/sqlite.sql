-- A log of Comitium in one file. To read it by hand:
--   SELECT seq, full FROM entry WHERE table_id = '00-...' ORDER BY seq;
-- Hashes, salts and command ids are blobs: hex(head) shows one. events/chain.py says how they are made.

-- What was accepted, in the order in which it was accepted. This is the log; all below can be built from it again.
CREATE TABLE entry (
  position INTEGER PRIMARY KEY,  -- 1, 2, 3... over all tables, without a gap
  table_id TEXT    NOT NULL CHECK (length(table_id) = 19),
  seq      INTEGER NOT NULL CHECK (seq >= 1),  -- 1, 2, 3... within the table
  command  BLOB    NOT NULL CHECK (length(command) = 32),
  salt     BLOB    NOT NULL CHECK (length(salt) = 32),  -- secret until the table has ended
  leaf     BLOB    NOT NULL CHECK (length(leaf) = 32),
  head     BLOB    NOT NULL CHECK (length(head) = 32),
  full     TEXT    NOT NULL,  -- canonical JSON: what happened, for those who may know everything
  others   TEXT               -- NULL, or a JSON object: the other versions by name ("public", "0", "1"...)
) STRICT;

CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the log is never edited'); END;
CREATE TRIGGER entry_remains BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the log is never edited'); END;

-- Where the entries of a table are. Both indexes may lag behind `entry` by some thousand positions: writing them with
-- each entry would write two scattered pages an entry, writing them by the thousand writes a tenth of that.
CREATE TABLE place (
  table_id TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (table_id, seq)
) STRICT, WITHOUT ROWID;

-- Where a command went, by the first 8 bytes of its id; `entry` has the whole id.
CREATE TABLE command (
  prefix   BLOB    NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (prefix, position)
) STRICT, WITHOUT ROWID;

-- Up to this position (one row) both indexes are complete.
CREATE TABLE indexed (
  position INTEGER NOT NULL
) STRICT;

INSERT INTO indexed VALUES (0);
