-- Rows hold one JSON document each (node0.store.records); a column exists only where something is looked up by it.
CREATE TABLE cluster   (id TEXT PRIMARY KEY, record BLOB NOT NULL) STRICT;
CREATE TABLE infra_env (id TEXT PRIMARY KEY, record BLOB NOT NULL) STRICT;
CREATE TABLE host      (id TEXT PRIMARY KEY, record BLOB NOT NULL) STRICT;
-- The id is the reader's place in the list: never used twice, without gaps.
CREATE TABLE event (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    host_id TEXT NOT NULL,
    record  BLOB NOT NULL
) STRICT;
CREATE INDEX event_by_host ON event (host_id, id);
