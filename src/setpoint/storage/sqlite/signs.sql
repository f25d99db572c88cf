-- Signs of life: a file of its own, where losing the last second is harmless.

-- name: create_sign
-- The one table of this file; it has no history worth a migration.
CREATE TABLE IF NOT EXISTS sign (
    ref TEXT NOT NULL PRIMARY KEY,
    at REAL NOT NULL,
    body BLOB NOT NULL
) STRICT;

-- name: put_sign
-- Insert a sign, or replace an older one of its ref.
INSERT INTO sign (ref, at, body) VALUES (:ref, :at, :body)
ON CONFLICT (ref) DO UPDATE SET at = excluded.at, body = excluded.body WHERE excluded.at > sign.at;

-- name: signs
-- The signs of these refs, by ref; a ref never heard of is left out.
SELECT body FROM sign WHERE ref IN (SELECT value FROM json_each(:refs)) ORDER BY ref;
