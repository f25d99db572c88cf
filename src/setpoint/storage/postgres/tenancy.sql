-- Who accepted a membership, and how organizations stand.

-- name: acceptances_by
-- What one person accepted, by membership.
SELECT body FROM acceptance WHERE account = :account ORDER BY ref;

-- name: acceptances_of
-- Who accepted these memberships, by membership; one that nobody accepted is left out.
SELECT body FROM acceptance WHERE ref = ANY(:refs) ORDER BY ref;

-- name: standings_of
-- How these organizations stand, by organization; one of which nothing was said is left out.
SELECT body FROM standing WHERE organization = ANY(:keys) ORDER BY organization;

-- name: accounts_of
-- The accounts of these ids, by id; one that is not there is left out.
SELECT body FROM account WHERE id = ANY(:ids) ORDER BY id;
