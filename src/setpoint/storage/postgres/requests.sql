-- What requests leave behind: attempts that must not be made twice, and specs as they were.

-- name: attempts_before
-- Attempts that nobody needs any more since before a time, oldest first.
SELECT body FROM attempt WHERE until < :before ORDER BY until, key LIMIT :limit;

-- name: tasks_over
-- Tasks that ended, oldest first.
SELECT body FROM task WHERE slot IS NULL AND id > :after ORDER BY id LIMIT :limit;

-- name: questions_over
-- Plans that were only asked for, and are answered or given up, oldest first.
SELECT body FROM plan WHERE ref >= 'plan/' AND ref < 'plan0' AND state <> 'asked' ORDER BY ref LIMIT :limit;

-- name: questions_in
-- Dry runs of one organization that wait or were answered, by their ids, oldest first.
SELECT convert_to(json_build_object('id', id)::text, 'UTF8') FROM plan
WHERE organization = :organization AND state = :state ORDER BY id LIMIT :limit;

-- name: pasts_of
-- What an object was declared as, newest first.
SELECT body FROM past WHERE ref = :ref ORDER BY generation DESC LIMIT :limit;

-- name: pasts_before
-- What was declared before a time, oldest first.
SELECT body FROM past WHERE at < :before ORDER BY at, key LIMIT :limit;
