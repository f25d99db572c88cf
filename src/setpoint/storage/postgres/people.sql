-- What is asked about people and their credentials.

-- name: tokens_of
-- The credentials of one subject, by hash.
SELECT body FROM token WHERE subject = :subject ORDER BY hash;

-- name: tokens_of_people
-- The credentials that belong to no agent, by hash.
SELECT body FROM token WHERE ref IS NULL ORDER BY hash;

-- name: tokens_in
-- A page of the credentials that were given out in one organization, newest first.
SELECT body FROM token WHERE organization = :organization AND id <> '' AND id < coalesce(nullif(:after, ''), :end)
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
SELECT body FROM account WHERE id < coalesce(nullif(:after, ''), :end) ORDER BY id DESC LIMIT :limit;

-- name: links_to
-- The links for one purpose to one target, by hash.
SELECT body FROM link WHERE purpose = :purpose AND target = :target ORDER BY hash;

-- name: letters_page
-- A page of all letters, newest first.
SELECT body FROM letter WHERE id < coalesce(nullif(:after, ''), :end) ORDER BY id DESC LIMIT :limit;

-- name: letters_with
-- The letters that hold one link, by id.
SELECT body FROM letter WHERE link = :link AND link <> '' ORDER BY id;

-- name: strikes_before
-- Those that were last wrong before a time, oldest first.
SELECT body FROM strikes WHERE at < :before ORDER BY at, key LIMIT :limit;
