-- People sign in: accounts with what they prove themselves with, links that work once, letters to hand on, and how often
-- somebody was wrong. Every credential is of one sort; those of machines are told apart from now on.

ALTER TABLE token ADD COLUMN account TEXT NOT NULL DEFAULT '';
CREATE INDEX token_by_account ON token (account, hash) WHERE account <> '';
UPDATE token SET body = CAST(json_set(CAST(body AS TEXT), '$.sort', 'agent') AS BLOB)
WHERE json_extract(CAST(body AS TEXT), '$.role') = 'agent';

CREATE TABLE account (
    id TEXT NOT NULL PRIMARY KEY,
    slot TEXT UNIQUE,
    version INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE factors (
    account TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE link (
    hash TEXT NOT NULL PRIMARY KEY,
    purpose TEXT NOT NULL,
    target TEXT NOT NULL,
    slot TEXT UNIQUE,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX link_by_target ON link (purpose, target, hash);

CREATE TABLE letter (
    id TEXT NOT NULL PRIMARY KEY,
    link TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX letter_by_link ON letter (link, id) WHERE link <> '';

CREATE TABLE strikes (
    key TEXT NOT NULL PRIMARY KEY,
    count INTEGER NOT NULL,
    at REAL NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX strikes_by_time ON strikes (at, key);

-- down:

DROP TABLE strikes;
DROP TABLE letter;
DROP TABLE link;
DROP TABLE factors;
DROP TABLE account;
-- Whoever goes back knows only credentials with a role of their own.
DELETE FROM token WHERE account <> '';
DROP INDEX token_by_account;
ALTER TABLE token DROP COLUMN account;
