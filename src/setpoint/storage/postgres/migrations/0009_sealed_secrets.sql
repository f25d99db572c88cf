-- Secrets sealed for one organization: its keys, wrapped by the master key, the boxes, and who was seen with which version.

CREATE TABLE master (
    key text COLLATE "C" PRIMARY KEY,
    id text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);

CREATE TABLE organization_key (
    id text COLLATE "C" PRIMARY KEY,
    home text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    master text COLLATE "C" NOT NULL,
    retired_at double precision NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX organization_key_by_home ON organization_key (home, version);
CREATE INDEX organization_key_by_master ON organization_key (master, id);
CREATE INDEX organization_key_retired ON organization_key (id) WHERE retired_at > 0;

CREATE TABLE secret (
    id text COLLATE "C" PRIMARY KEY,
    home text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX secret_by_home ON secret (home, name);

CREATE TABLE secret_use (
    id text COLLATE "C" PRIMARY KEY,
    home text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX secret_use_by_home ON secret_use (home, id);

-- The API seals and cannot open: keys are made and changed by those who hold the master key, and its role cannot put one of
-- its own in their place. What it seals with it holds still meanwhile; PostgreSQL wants a column it could write for that.
GRANT SELECT ON master, organization_key, secret_use TO setpoint_api;
GRANT UPDATE (retired_at) ON organization_key TO setpoint_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON secret TO setpoint_api;
GRANT DELETE ON secret_use TO setpoint_api;
-- Those who open tell what worked. The worker makes keys, and seals anew what an older one was used for.
GRANT SELECT, INSERT, UPDATE ON master TO setpoint_worker, setpoint_scheduler;
GRANT SELECT, INSERT, UPDATE, DELETE ON secret_use TO setpoint_worker, setpoint_scheduler;
GRANT SELECT, INSERT, UPDATE, DELETE ON organization_key, secret TO setpoint_worker;
GRANT SELECT ON organization_key, secret TO setpoint_scheduler;

-- down:

DROP TABLE secret_use, secret, organization_key, master;
