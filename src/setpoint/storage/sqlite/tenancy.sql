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

-- name: standings_of
-- How these organizations stand, by organization; one of which nothing was said is left out.
SELECT body FROM standing WHERE organization IN (SELECT value FROM json_each(:keys)) ORDER BY organization;

-- name: accounts_of
-- The accounts of these ids, by id; one that is not there is left out.
SELECT body FROM account WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id;
