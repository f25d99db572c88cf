-- What a commit adds, and what surrounds it.

-- name: begin
-- Each statement sees what was committed before it; what it relies on afterwards, it locks.
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;

-- name: reserve
-- Rows that are not there cannot be locked, so their names are: shared by those who rest on the absence, alone by whoever
-- may end it. The numbers come sorted.
SELECT CASE WHEN alone THEN pg_advisory_xact_lock(number)::text ELSE pg_advisory_xact_lock_shared(number)::text END
FROM unnest($1::bigint[], $2::boolean[]) AS wanted (number, alone);

-- name: append_event
-- Add an event under its number; a number that is taken is an error.
INSERT INTO event (organization, revision, ref, body) VALUES ($1, $2, $3, $4);

-- name: append_audit
-- Add a line to the audit chain under its number; a number that is taken is an error.
INSERT INTO audit (organization, revision, body) VALUES ($1, $2, $3);

-- name: put_sign
-- Insert a sign, or replace an older one of its ref.
INSERT INTO sign (ref, at, body) VALUES ($1, $2, $3)
ON CONFLICT (ref) DO UPDATE SET at = excluded.at, body = excluded.body WHERE excluded.at > sign.at;

-- name: notify
-- Tell the other processes whose heads moved.
SELECT pg_notify($1, $2);
