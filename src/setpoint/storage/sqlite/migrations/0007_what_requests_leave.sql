-- What requests leave behind: attempts that must not be made twice, and specs as they were.

CREATE TABLE attempt (
    key TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    until REAL NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX attempt_by_end ON attempt (until, key);

CREATE TABLE past (
    key TEXT NOT NULL PRIMARY KEY,
    ref TEXT NOT NULL,
    generation INTEGER NOT NULL,
    at REAL NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX past_by_ref ON past (ref, generation);
CREATE INDEX past_by_time ON past (at, key);

-- A person's word that a task is to stop. The task itself is the worker's to write.

CREATE TABLE cancellation (
    id TEXT NOT NULL PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;

-- down:

DROP TABLE cancellation;
DROP TABLE past;
DROP TABLE attempt;
