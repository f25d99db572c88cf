-- Who owns which part of all work; the epoch of the installation goes: every shard has its own.

ALTER TABLE installation DROP COLUMN epoch;

CREATE TABLE shard (
    key TEXT NOT NULL PRIMARY KEY,
    service TEXT NOT NULL,
    owner TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    until REAL NOT NULL,
    body BLOB NOT NULL
) STRICT;
WITH RECURSIVE
    number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 255),
    named (key, service) AS (
        SELECT printf('%s/%03d', name, n), name FROM number, (SELECT 'scheduler' AS name UNION ALL SELECT 'worker')
    )
INSERT INTO shard (key, service, owner, epoch, until, body)
SELECT key, service, '', 0, 0.0, CAST(json_object('key', key, 'service', service) AS BLOB) FROM named;

CREATE TABLE replica (
    key TEXT NOT NULL PRIMARY KEY,
    service TEXT NOT NULL,
    until REAL NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- down:

DROP TABLE replica;
DROP TABLE shard;
ALTER TABLE installation ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
