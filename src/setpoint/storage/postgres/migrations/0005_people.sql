-- People sign in: accounts with what they prove themselves with, links that work once, letters to hand on, and how often
-- somebody was wrong. Every credential is of one sort; those of machines are told apart from now on.

ALTER TABLE token ADD COLUMN account text COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX token_by_account ON token (account, hash) WHERE account <> '';
UPDATE token SET body = convert_to(
    jsonb_set(convert_from(body, 'UTF8')::jsonb, '{sort}', '"agent"')::text, 'UTF8'
)
WHERE convert_from(body, 'UTF8')::jsonb ->> 'role' = 'agent';

CREATE TABLE account (
    id text COLLATE "C" PRIMARY KEY,
    slot text COLLATE "C" UNIQUE,
    version bigint NOT NULL,
    body bytea NOT NULL
);

CREATE TABLE factors (
    account text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL,
    body bytea NOT NULL
);

CREATE TABLE link (
    hash text COLLATE "C" PRIMARY KEY,
    purpose text COLLATE "C" NOT NULL,
    target text COLLATE "C" NOT NULL,
    slot text COLLATE "C" UNIQUE,
    body bytea NOT NULL
);
CREATE INDEX link_by_target ON link (purpose, target, hash);

CREATE TABLE letter (
    id text COLLATE "C" PRIMARY KEY,
    link text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX letter_by_link ON letter (link, id) WHERE link <> '';

CREATE TABLE strikes (
    key text COLLATE "C" PRIMARY KEY,
    count bigint NOT NULL,
    at double precision NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX strikes_by_time ON strikes (at, key);

-- Whose account it is, everybody may read: whoever disabled somebody must reach them everywhere. What people prove
-- themselves with, and what is written to them, is the API's alone.
GRANT SELECT ON account TO setpoint_worker, setpoint_scheduler;
GRANT SELECT, INSERT, UPDATE, DELETE ON account, factors, link, letter, strikes TO setpoint_api;

-- down:

DROP TABLE strikes, letter, link, factors, account;
-- Whoever goes back knows only credentials with a role of their own.
DELETE FROM token WHERE account <> '';
DROP INDEX token_by_account;
ALTER TABLE token DROP COLUMN account;
