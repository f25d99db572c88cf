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

-- name: claims_below
-- Parts of one thing at one account that belong to other organizations than this one, by path.
SELECT body FROM claim
WHERE account = :account AND path > :path AND path < :end AND organization <> :organization
ORDER BY path, organization, key LIMIT 20;

-- name: claims_below_own
-- Parts of one thing at one account that belong to this organization, after a path, by path.
SELECT body FROM claim
WHERE account = :account AND path > :path AND path < :end AND organization = :organization
ORDER BY path LIMIT :limit;

-- name: standings_of
-- How these organizations stand, by organization; one of which nothing was said is left out.
SELECT body FROM standing WHERE organization = ANY(:keys) ORDER BY organization;

-- name: accounts_of
-- The accounts of these ids, by id; one that is not there is left out.
SELECT body FROM account WHERE id = ANY(:ids) ORDER BY id;
