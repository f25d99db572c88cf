-- What requests leave behind: attempts that must not be made twice, and specs as they were.

CREATE TABLE attempt (
    key text COLLATE "C" NOT NULL PRIMARY KEY,
    version bigint NOT NULL,
    until double precision NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX attempt_by_end ON attempt (until, key);

CREATE TABLE past (
    key text COLLATE "C" NOT NULL PRIMARY KEY,
    ref text COLLATE "C" NOT NULL,
    generation bigint NOT NULL,
    at double precision NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX past_by_ref ON past (ref, generation);
CREATE INDEX past_by_time ON past (at, key);

GRANT SELECT ON attempt, past TO setpoint_api, setpoint_worker, setpoint_scheduler;
GRANT INSERT, UPDATE, DELETE ON attempt, past TO setpoint_api;
-- The scheduler declares parts, and tidies up.
GRANT INSERT, UPDATE, DELETE ON past TO setpoint_scheduler;
GRANT DELETE ON attempt TO setpoint_scheduler;

-- A person's word that a task is to stop. The task itself is the worker's to write.

CREATE TABLE cancellation (
    id text COLLATE "C" NOT NULL PRIMARY KEY,
    body bytea NOT NULL
);
GRANT SELECT ON cancellation TO setpoint_api, setpoint_worker, setpoint_scheduler;
GRANT INSERT, UPDATE ON cancellation TO setpoint_api;
-- Heard and done with.
GRANT DELETE ON cancellation TO setpoint_worker;

-- down:

DROP TABLE cancellation;
DROP TABLE past;
DROP TABLE attempt;
