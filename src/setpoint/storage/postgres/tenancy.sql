-- Who accepted a membership, and how organizations stand.

-- name: acceptances_by
-- What one person accepted, by membership.
SELECT body FROM acceptance WHERE account = :account ORDER BY ref;

-- name: acceptances_of
-- Who accepted these memberships, by membership; one that nobody accepted is left out.
SELECT body FROM acceptance WHERE ref = ANY(:refs) ORDER BY ref;

-- name: claims_at
-- Who owns these things, by key; what nobody claims is left out.
SELECT body FROM claim WHERE key = ANY(:keys) ORDER BY key;

-- name: claims_of
-- What one entity owns, by key.
SELECT body FROM claim WHERE ref = :ref ORDER BY key;

-- name: standings_of
-- How these organizations stand, by organization; one of which nothing was said is left out.
SELECT body FROM standing WHERE organization = ANY(:keys) ORDER BY organization;

-- name: accounts_of
-- The accounts of these ids, by id; one that is not there is left out.
SELECT body FROM account WHERE id = ANY(:ids) ORDER BY id;
