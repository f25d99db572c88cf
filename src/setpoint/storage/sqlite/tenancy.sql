-- Writing who accepted a membership, and how organizations stand.

-- name: get_acceptance
-- One acceptance.
SELECT body FROM acceptance WHERE ref = :key;

-- name: put_acceptance
-- Insert an acceptance, or replace the one of its membership.
INSERT INTO acceptance (ref, account, body) VALUES (:ref, :account, :body)
ON CONFLICT (ref) DO UPDATE SET account = excluded.account, body = excluded.body;

-- name: drop_acceptance
-- Forget an acceptance.
DELETE FROM acceptance WHERE ref = :key;

-- name: get_claim
-- One claim.
SELECT body FROM claim WHERE key = :key;

-- name: put_claim
-- Insert a claim, or replace the one of its thing.
INSERT INTO claim (key, ref, account, path, organization, body)
VALUES (:key, :ref, :account, :path, :organization, :body)
ON CONFLICT (key) DO UPDATE SET
    ref = excluded.ref,
    account = excluded.account,
    path = excluded.path,
    organization = excluded.organization,
    body = excluded.body;

-- name: drop_claim
-- Let go of a thing.
DELETE FROM claim WHERE key = :key;

-- name: get_standing
-- How one organization stands.
SELECT body FROM standing WHERE organization = :key;

-- name: put_standing
-- Say how an organization stands.
INSERT INTO standing (organization, body) VALUES (:organization, :body)
ON CONFLICT (organization) DO UPDATE SET body = excluded.body;

-- name: drop_standing
-- Forget how an organization stands.
DELETE FROM standing WHERE organization = :key;

-- name: acceptances_by
-- What one person accepted, by membership.
SELECT body FROM acceptance WHERE account = :account ORDER BY ref;

-- name: acceptances_of
-- Who accepted these memberships, by membership; one that nobody accepted is left out.
SELECT body FROM acceptance WHERE ref IN (SELECT value FROM json_each(:refs)) ORDER BY ref;

-- name: claims_at
-- Who owns these things, by key; what nobody claims is left out.
SELECT body FROM claim WHERE key IN (SELECT value FROM json_each(:keys)) ORDER BY key;

-- name: claims_of
-- What one entity owns, by key.
SELECT body FROM claim WHERE ref = :ref ORDER BY key;

-- name: standings_of
-- How these organizations stand, by organization; one of which nothing was said is left out.
SELECT body FROM standing WHERE organization IN (SELECT value FROM json_each(:keys)) ORDER BY organization;

-- name: accounts_of
-- The accounts of these ids, by id; one that is not there is left out.
SELECT body FROM account WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id;
