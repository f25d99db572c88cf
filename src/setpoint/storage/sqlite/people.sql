-- People and their credentials: rows by key as every commit writes them, and what is asked about them.

-- name: get_token
-- The credential with this hash.
SELECT body FROM token WHERE hash = :key;

-- name: put_token
-- Insert a credential, or replace the one of its hash.
INSERT INTO token (hash, id, organization, ref, subject, account, body)
VALUES (:hash, :id, :organization, :ref, :subject, :account, :body)
ON CONFLICT (hash) DO UPDATE SET
    id = excluded.id, organization = excluded.organization, ref = excluded.ref, subject = excluded.subject,
    account = excluded.account, body = excluded.body;

-- name: drop_token
-- Forget a credential.
DELETE FROM token WHERE hash = :key;

-- name: get_account
-- The account of this id.
SELECT body FROM account WHERE id = :key;

-- name: put_account
-- Insert an account, or replace the one of its id.
INSERT INTO account (id, slot, version, body) VALUES (:id, :slot, :version, :body)
ON CONFLICT (id) DO UPDATE SET slot = excluded.slot, version = excluded.version, body = excluded.body;

-- name: drop_account
-- Forget an account.
DELETE FROM account WHERE id = :key;

-- name: holder_of_account
-- Which account has this address.
SELECT id FROM account WHERE slot = :slot;

-- name: get_factors
-- What this account proves itself with.
SELECT body FROM factors WHERE account = :key;

-- name: put_factors
-- Insert what an account proves itself with, or replace it.
INSERT INTO factors (account, version, body) VALUES (:account, :version, :body)
ON CONFLICT (account) DO UPDATE SET version = excluded.version, body = excluded.body;

-- name: drop_factors
-- Forget what an account proves itself with.
DELETE FROM factors WHERE account = :key;

-- name: get_link
-- The link with this hash.
SELECT body FROM link WHERE hash = :key;

-- name: put_link
-- Insert a link, or replace the one of its hash.
INSERT INTO link (hash, purpose, target, slot, body) VALUES (:hash, :purpose, :target, :slot, :body)
ON CONFLICT (hash) DO UPDATE SET
    purpose = excluded.purpose, target = excluded.target, slot = excluded.slot, body = excluded.body;

-- name: drop_link
-- Forget a link.
DELETE FROM link WHERE hash = :key;

-- name: holder_of_link
-- Which link has this slot.
SELECT hash FROM link WHERE slot = :slot;

-- name: get_letter
-- The letter of this id.
SELECT body FROM letter WHERE id = :key;

-- name: put_letter
-- Insert a letter, or replace the one of its id.
INSERT INTO letter (id, link, body) VALUES (:id, :link, :body)
ON CONFLICT (id) DO UPDATE SET link = excluded.link, body = excluded.body;

-- name: drop_letter
-- Forget a letter.
DELETE FROM letter WHERE id = :key;

-- name: get_strikes
-- How often this was wrong.
SELECT body FROM strikes WHERE key = :key;

-- name: put_strikes
-- Count what was wrong, or count it anew.
INSERT INTO strikes (key, count, at, body) VALUES (:key, :count, :at, :body)
ON CONFLICT (key) DO UPDATE SET count = excluded.count, at = excluded.at, body = excluded.body;

-- name: drop_strikes
-- Forget what was wrong.
DELETE FROM strikes WHERE key = :key;

-- name: tokens_of
-- The credentials of one subject, by hash.
SELECT body FROM token WHERE subject = :subject ORDER BY hash;

-- name: tokens_of_people
-- The credentials that belong to no agent, by hash.
SELECT body FROM token WHERE ref IS NULL ORDER BY hash;

-- name: tokens_in
-- A page of the credentials that were given out in one organization, newest first.
SELECT body FROM token WHERE organization = :organization AND id <> '' AND id < iif(:after = '', x'', :after)
ORDER BY id DESC LIMIT :limit;

-- name: tokens_called
-- The credential of this name, if there is one.
SELECT body FROM token WHERE id = :id AND id <> '';

-- name: tokens_of_account
-- The credentials that act for one account, by hash.
SELECT body FROM token WHERE account = :account AND account <> '' ORDER BY hash;

-- name: account_at
-- The account with this address, if there is one.
SELECT body FROM account WHERE slot = :email;

-- name: accounts_page
-- A page of all accounts, newest first.
SELECT body FROM account WHERE id < iif(:after = '', x'', :after) ORDER BY id DESC LIMIT :limit;

-- name: links_to
-- The links for one purpose to one target, by hash.
SELECT body FROM link WHERE purpose = :purpose AND target = :target ORDER BY hash;

-- name: letters_page
-- A page of all letters, newest first.
SELECT body FROM letter WHERE id < iif(:after = '', x'', :after) ORDER BY id DESC LIMIT :limit;

-- name: letters_with
-- The letters that hold one link, by id.
SELECT body FROM letter WHERE link = :link AND link <> '' ORDER BY id;

-- name: strikes_before
-- Those that were last wrong before a time, oldest first.
SELECT body FROM strikes WHERE at < :before ORDER BY at, key LIMIT :limit;
