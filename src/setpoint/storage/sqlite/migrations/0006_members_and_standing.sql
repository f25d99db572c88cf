-- People accept memberships, and whoever runs the installation says how organizations stand.

CREATE TABLE acceptance (
    ref TEXT NOT NULL PRIMARY KEY,
    account TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX acceptance_by_account ON acceptance (account, ref);

CREATE TABLE standing (
    organization TEXT NOT NULL PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;

-- down:

DROP TABLE standing;
DROP TABLE acceptance;
