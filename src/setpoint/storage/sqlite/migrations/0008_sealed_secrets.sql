-- Secrets sealed for one organization: its keys, wrapped by the master key, the boxes, and who was seen with which version.

CREATE TABLE master (
    key TEXT NOT NULL PRIMARY KEY,
    id TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE organization_key (
    id TEXT NOT NULL PRIMARY KEY,
    home TEXT NOT NULL,
    version INTEGER NOT NULL,
    master TEXT NOT NULL,
    retired_at REAL NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX organization_key_by_home ON organization_key (home, version);
CREATE INDEX organization_key_by_master ON organization_key (master, id);
CREATE INDEX organization_key_retired ON organization_key (id) WHERE retired_at > 0;

CREATE TABLE secret (
    id TEXT NOT NULL PRIMARY KEY,
    home TEXT NOT NULL,
    name TEXT NOT NULL,
    revision INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX secret_by_home ON secret (home, name);

CREATE TABLE secret_use (
    id TEXT NOT NULL PRIMARY KEY,
    home TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX secret_use_by_home ON secret_use (home, id);

-- down:

DROP TABLE secret_use;
DROP TABLE secret;
DROP TABLE organization_key;
DROP TABLE master;
