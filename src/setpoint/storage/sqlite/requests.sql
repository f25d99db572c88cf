-- What requests leave behind: attempts that must not be made twice, and specs as they were.

-- name: attempts_before
-- Attempts that nobody needs any more since before a time, oldest first.
SELECT body FROM attempt WHERE until < :before ORDER BY until, key LIMIT :limit;

-- name: tasks_over
-- Tasks that ended, oldest first.
SELECT body FROM task INDEXED BY task_over WHERE slot IS NULL AND id > :after ORDER BY id LIMIT :limit;

-- name: questions_over
-- Plans that were only asked for, and are answered or given up, oldest first.
SELECT body FROM plan WHERE ref >= 'plan/' AND ref < 'plan0' AND state <> 'asked' ORDER BY ref LIMIT :limit;

-- name: questions_in
-- Dry runs of one organization that wait or were answered, by their ids, oldest first.
SELECT json_object('id', id) FROM plan
WHERE organization = :organization AND state = :state ORDER BY id LIMIT :limit;

-- name: pasts_of
-- What an object was declared as, newest first.
SELECT body FROM past WHERE ref = :ref ORDER BY generation DESC LIMIT :limit;

-- name: pasts_before
-- What was declared before a time, oldest first.
SELECT body FROM past WHERE at < :before ORDER BY at, key LIMIT :limit;

-- name: get_attempt
-- The attempt of this key.
SELECT body FROM attempt WHERE key = :key;

-- name: put_attempt
-- Insert an attempt, or replace the one of its key.
INSERT INTO attempt (key, version, until, body) VALUES (:key, :version, :until, :body)
ON CONFLICT (key) DO UPDATE SET version = excluded.version, until = excluded.until, body = excluded.body;

-- name: drop_attempt
-- Forget an attempt.
DELETE FROM attempt WHERE key = :key;

-- name: get_past
-- What stands in this place of an object's past.
SELECT body FROM past WHERE key = :key;

-- name: put_past
-- Insert what was declared, or put it in the place of the oldest.
INSERT INTO past (key, ref, generation, at, body) VALUES (:key, :ref, :generation, :at, :body)
ON CONFLICT (key) DO UPDATE SET
    ref = excluded.ref, generation = excluded.generation, at = excluded.at, body = excluded.body;

-- name: drop_past
-- Forget what was declared once.
DELETE FROM past WHERE key = :key;

-- name: get_cancellation
-- The word that this task is to stop.
SELECT body FROM cancellation WHERE id = :key;

-- name: put_cancellation
-- Say that a task is to stop.
INSERT INTO cancellation (id, body) VALUES (:id, :body) ON CONFLICT (id) DO UPDATE SET body = excluded.body;

-- name: drop_cancellation
-- The task has heard it.
DELETE FROM cancellation WHERE id = :key;
