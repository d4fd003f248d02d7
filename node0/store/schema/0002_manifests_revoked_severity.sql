CREATE TABLE manifest (id TEXT PRIMARY KEY, record BLOB NOT NULL) STRICT;
CREATE TABLE revoked  (id TEXT PRIMARY KEY) STRICT;
-- Readers count and filter by severity.
ALTER TABLE event ADD COLUMN severity TEXT NOT NULL DEFAULT 'info';
UPDATE event SET severity = json_extract(CAST(record AS TEXT), '$.severity');
