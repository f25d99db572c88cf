-- What the guards remember beside the ledger, the passes on record, and whose a credential is.

CREATE TABLE protection (
    key TEXT NOT NULL PRIMARY KEY,
    domain TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX protection_by_domain ON protection (domain, key);

CREATE TABLE released (
    key TEXT NOT NULL PRIMARY KEY,
    domain TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX released_by_domain ON released (domain, key);

CREATE TABLE parked (
    key TEXT NOT NULL PRIMARY KEY,
    domain TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX parked_by_domain ON parked (domain, key);

CREATE TABLE budget (
    key TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE pass (
    id TEXT NOT NULL PRIMARY KEY,
    ref TEXT NOT NULL,
    organization TEXT NOT NULL,
    at REAL NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX pass_by_ref ON pass (ref, id);
CREATE INDEX pass_by_organization ON pass (organization, id);
CREATE INDEX pass_by_time ON pass (at, id);

ALTER TABLE token ADD COLUMN subject TEXT NOT NULL DEFAULT '';
UPDATE token SET subject = json_extract(body, '$.subject');
CREATE INDEX token_by_subject ON token (subject, hash);
CREATE INDEX token_of_people ON token (hash) WHERE ref IS NULL;

-- down:

DROP INDEX token_of_people;
DROP INDEX token_by_subject;
ALTER TABLE token DROP COLUMN subject;
DROP TABLE pass;
DROP TABLE budget;
DROP TABLE parked;
DROP TABLE released;
DROP TABLE protection;
