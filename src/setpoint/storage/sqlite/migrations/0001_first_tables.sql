-- Every table: its key, the columns queries read, and the whole row as canonical JSON in `body`.
-- A `slot` is unique where it is not null: UNIQUE takes no notice of nulls.

CREATE TABLE declared (
    ref TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    organization TEXT NOT NULL,
    project TEXT NOT NULL,
    workspace TEXT NOT NULL,
    name TEXT NOT NULL,
    parent TEXT,
    owner TEXT NOT NULL,
    generation INTEGER NOT NULL,
    slot TEXT UNIQUE,
    refs TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
-- A ref begins with its kind, so these three also serve the pages of one kind.
CREATE INDEX declared_by_organization ON declared (organization, ref);
CREATE INDEX declared_by_project ON declared (organization, project, ref);
CREATE INDEX declared_by_workspace ON declared (organization, project, workspace, ref);
CREATE INDEX declared_by_owner ON declared (organization, owner, ref);
CREATE INDEX declared_by_parent ON declared (parent, ref) WHERE parent IS NOT NULL;

-- Who refers to whom, kept by triggers from the JSON list in `refs`: without it, "what refers to this?" would read
-- every declaration there is. DISTINCT, not OR IGNORE: the statement that fires a trigger overrules the latter.
CREATE TABLE reference (
    target TEXT NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (target, source)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER declared_added AFTER INSERT ON declared WHEN new.refs <> '[]' BEGIN
    INSERT INTO reference (target, source) SELECT DISTINCT value, new.ref FROM json_each(new.refs);
END;
CREATE TRIGGER declared_changed AFTER UPDATE OF refs ON declared WHEN old.refs <> new.refs BEGIN
    DELETE FROM reference WHERE source = old.ref AND target IN (SELECT value FROM json_each(old.refs));
    INSERT INTO reference (target, source) SELECT DISTINCT value, new.ref FROM json_each(new.refs);
END;
CREATE TRIGGER declared_dropped AFTER DELETE ON declared WHEN old.refs <> '[]' BEGIN
    DELETE FROM reference WHERE source = old.ref AND target IN (SELECT value FROM json_each(old.refs));
END;

CREATE TABLE status (
    ref TEXT NOT NULL PRIMARY KEY,
    state TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE wake (
    id TEXT NOT NULL PRIMARY KEY,
    ref TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX wake_by_ref ON wake (ref, id);

CREATE TABLE act (
    id TEXT NOT NULL PRIMARY KEY,
    domain TEXT NOT NULL,
    item TEXT NOT NULL,
    verb TEXT NOT NULL,
    state TEXT NOT NULL,
    began_at REAL NOT NULL,
    ended_at REAL NOT NULL,
    slot TEXT UNIQUE,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX act_by_domain ON act (domain, id);
CREATE INDEX act_by_beginning ON act (domain, began_at, id);
-- An act has a slot exactly as long as it is open.
CREATE INDEX act_open ON act (id) WHERE slot IS NOT NULL;
CREATE INDEX act_open_by_domain ON act (domain, id) WHERE slot IS NOT NULL;

CREATE TABLE plan (
    id TEXT NOT NULL PRIMARY KEY,
    ref TEXT NOT NULL,
    organization TEXT NOT NULL,
    state TEXT NOT NULL,
    digest TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX plan_by_ref ON plan (ref, id);
CREATE INDEX plan_by_state ON plan (state, id);
CREATE INDEX plan_by_organization ON plan (organization, id);
CREATE INDEX plan_by_organization_state ON plan (organization, state, id);

CREATE TABLE approval (
    id TEXT NOT NULL PRIMARY KEY,
    ref TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX approval_by_ref ON approval (ref, id);

CREATE TABLE switch (
    key TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE task (
    id TEXT NOT NULL PRIMARY KEY,
    target TEXT NOT NULL,
    organization TEXT NOT NULL,
    state TEXT NOT NULL,
    due_at REAL NOT NULL,
    slot TEXT UNIQUE,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX task_by_target ON task (target, id);
CREATE INDEX task_by_organization ON task (organization, id);
-- A task has a slot exactly as long as it is open.
CREATE INDEX task_open ON task (id) WHERE slot IS NOT NULL;

CREATE TABLE ledger (
    ref TEXT NOT NULL PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE token (
    hash TEXT NOT NULL PRIMARY KEY,
    ref TEXT,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE head (
    organization TEXT NOT NULL PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE installation (
    key TEXT NOT NULL PRIMARY KEY,
    epoch INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE event (
    organization TEXT NOT NULL,
    revision INTEGER NOT NULL,
    ref TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (organization, revision)
) STRICT;
CREATE INDEX event_by_ref ON event (ref, revision DESC, organization);

CREATE TABLE audit (
    organization TEXT NOT NULL,
    revision INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (organization, revision)
) STRICT;

-- down:

DROP TABLE audit;
DROP TABLE event;
DROP TABLE installation;
DROP TABLE head;
DROP TABLE token;
DROP TABLE ledger;
DROP TABLE task;
DROP TABLE switch;
DROP TABLE approval;
DROP TABLE plan;
DROP TABLE act;
DROP TABLE wake;
DROP TABLE status;
DROP TABLE declared;
DROP TABLE reference;
