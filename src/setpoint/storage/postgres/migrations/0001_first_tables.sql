-- Every table: its key, the columns queries read, and the whole row as canonical JSON in `body`.
-- Text is compared byte by byte ("C"), whatever the database was created with: that is the order Python has, and the
-- order that pages and audit chains rely on. A `slot` is unique where it is not null: UNIQUE takes no notice of nulls.

CREATE TABLE declared (
    ref text COLLATE "C" PRIMARY KEY,
    kind text COLLATE "C" NOT NULL,
    organization text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL,
    workspace text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    parent text COLLATE "C",
    owner text COLLATE "C" NOT NULL,
    generation bigint NOT NULL,
    slot text COLLATE "C" UNIQUE,
    refs text[] COLLATE "C" NOT NULL,
    body bytea NOT NULL
);
-- A ref begins with its kind, so these three also serve the pages of one kind.
CREATE INDEX declared_by_organization ON declared (organization, ref);
CREATE INDEX declared_by_project ON declared (organization, project, ref);
CREATE INDEX declared_by_workspace ON declared (organization, project, workspace, ref);
CREATE INDEX declared_by_owner ON declared (organization, owner, ref);
CREATE INDEX declared_by_parent ON declared (parent, ref) WHERE parent IS NOT NULL;
-- "What refers to this?" is asked at every declaration: found at once, not after a list of pending entries was read.
CREATE INDEX declared_by_reference ON declared USING gin (refs) WITH (fastupdate = off) WHERE refs <> '{}';

CREATE TABLE status (
    ref text COLLATE "C" PRIMARY KEY,
    state text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);

CREATE TABLE wake (
    id text COLLATE "C" PRIMARY KEY,
    ref text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX wake_by_ref ON wake (ref, id);

CREATE TABLE act (
    id text COLLATE "C" PRIMARY KEY,
    domain text COLLATE "C" NOT NULL,
    item text COLLATE "C" NOT NULL,
    verb text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    began_at double precision NOT NULL,
    ended_at double precision NOT NULL,
    slot text COLLATE "C" UNIQUE,
    body bytea NOT NULL
);
CREATE INDEX act_by_domain ON act (domain, id);
CREATE INDEX act_by_beginning ON act (domain, began_at, id);
-- An act has a slot exactly as long as it is open.
CREATE INDEX act_open ON act (id) WHERE slot IS NOT NULL;
CREATE INDEX act_open_by_domain ON act (domain, id) WHERE slot IS NOT NULL;

CREATE TABLE plan (
    id text COLLATE "C" PRIMARY KEY,
    ref text COLLATE "C" NOT NULL,
    organization text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX plan_by_ref ON plan (ref, id);
CREATE INDEX plan_by_state ON plan (state, id);
CREATE INDEX plan_by_organization ON plan (organization, id);
CREATE INDEX plan_by_organization_state ON plan (organization, state, id);

CREATE TABLE approval (
    id text COLLATE "C" PRIMARY KEY,
    ref text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX approval_by_ref ON approval (ref, id);

CREATE TABLE switch (
    key text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL,
    body bytea NOT NULL
);

CREATE TABLE task (
    id text COLLATE "C" PRIMARY KEY,
    target text COLLATE "C" NOT NULL,
    organization text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    due_at double precision NOT NULL,
    slot text COLLATE "C" UNIQUE,
    body bytea NOT NULL
);
CREATE INDEX task_by_target ON task (target, id);
CREATE INDEX task_by_organization ON task (organization, id);
-- A task has a slot exactly as long as it is open.
CREATE INDEX task_open ON task (id) WHERE slot IS NOT NULL;

CREATE TABLE ledger (
    ref text COLLATE "C" PRIMARY KEY,
    body bytea NOT NULL
);

CREATE TABLE protection (
    key text COLLATE "C" PRIMARY KEY,
    domain text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX protection_by_domain ON protection (domain, key);

CREATE TABLE released (
    key text COLLATE "C" PRIMARY KEY,
    domain text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX released_by_domain ON released (domain, key);

CREATE TABLE parked (
    key text COLLATE "C" PRIMARY KEY,
    domain text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX parked_by_domain ON parked (domain, key);

CREATE TABLE budget (
    key text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL,
    body bytea NOT NULL
);

CREATE TABLE pass (
    id text COLLATE "C" PRIMARY KEY,
    ref text COLLATE "C" NOT NULL,
    organization text COLLATE "C" NOT NULL,
    at double precision NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX pass_by_ref ON pass (ref, id);
CREATE INDEX pass_by_organization ON pass (organization, id);
CREATE INDEX pass_by_time ON pass (at, id);

CREATE TABLE token (
    hash text COLLATE "C" PRIMARY KEY,
    ref text COLLATE "C",
    subject text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX token_by_subject ON token (subject, hash);
CREATE INDEX token_of_people ON token (hash) WHERE ref IS NULL;

CREATE TABLE head (
    organization text COLLATE "C" PRIMARY KEY,
    body bytea NOT NULL
);

CREATE TABLE installation (
    key text COLLATE "C" PRIMARY KEY,
    body bytea NOT NULL
);

CREATE TABLE shard (
    key text COLLATE "C" PRIMARY KEY,
    service text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    epoch bigint NOT NULL,
    until double precision NOT NULL,
    body bytea NOT NULL
);
INSERT INTO shard (key, service, owner, epoch, until, body)
SELECT key, service, '', 0, 0, convert_to(json_build_object('key', key, 'service', service)::text, 'UTF8')
FROM (VALUES ('scheduler'), ('worker')) AS known (service), generate_series(0, 255) AS number,
    LATERAL (SELECT service || '/' || lpad(number::text, 3, '0') AS key) AS named;

CREATE TABLE replica (
    key text COLLATE "C" PRIMARY KEY,
    service text COLLATE "C" NOT NULL,
    until double precision NOT NULL,
    body bytea NOT NULL
);

CREATE TABLE event (
    organization text COLLATE "C",
    revision bigint,
    ref text COLLATE "C" NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (organization, revision)
);
CREATE INDEX event_by_ref ON event (ref, revision DESC, organization);

CREATE TABLE audit (
    organization text COLLATE "C",
    revision bigint,
    body bytea NOT NULL,
    PRIMARY KEY (organization, revision)
);

-- Signs of life are written every second and harmless to lose: a crash of the server empties this table.
CREATE UNLOGGED TABLE sign (
    ref text COLLATE "C" PRIMARY KEY,
    at double precision NOT NULL,
    body bytea NOT NULL
);

-- down:

DROP TABLE declared, status, wake, act, plan, approval, switch, task, ledger, protection, released, parked, budget, pass;
DROP TABLE token, head, installation, shard, replica, event, audit, sign;
