-- What requests leave behind: attempts that must not be made twice, and specs as they were.

-- name: attempts_before
-- Attempts that nobody needs any more since before a time, oldest first.
SELECT body FROM attempt WHERE until < :before ORDER BY until, key LIMIT :limit;

-- name: pasts_of
-- What an object was declared as, newest first.
SELECT body FROM past WHERE ref = :ref ORDER BY generation DESC LIMIT :limit;

-- name: pasts_before
-- What was declared before a time, oldest first.
SELECT body FROM past WHERE at < :before ORDER BY at, key LIMIT :limit;
