-- What a commit does to a table: written once for all of them. {table}, {key}, {columns} … are filled in from TABLES.
-- Keys come sorted, so that two processes lock in the same order.

-- name: get
-- One row by its key.
SELECT body FROM {table} WHERE {key} = $1;

-- name: hold_still
-- Rows that a change rests on: nobody changes them before it has committed.
SELECT {key}, body FROM {table} WHERE {key} = ANY($1::text[]) ORDER BY {key} FOR SHARE;

-- name: hold_to_write
-- Rows that a change rests on and writes.
SELECT {key}, body FROM {table} WHERE {key} = ANY($1::text[]) ORDER BY {key} FOR UPDATE;

-- name: holders
-- Who has these slots, and which slots these rows have.
SELECT slot, {key} FROM {table} WHERE slot = ANY($1::text[])
UNION
SELECT slot, {key} FROM {table} WHERE {key} = ANY($2::text[]) AND slot IS NOT NULL;

-- name: drop
-- Forget these rows.
DELETE FROM {table} WHERE {key} = ANY($1::text[]);

-- name: vacate
-- Leave these slots, before another row of the same group takes one of them.
UPDATE {table} SET slot = NULL WHERE {key} = ANY($1::text[]);

-- name: put
-- Insert a row, or replace the one with its key. A taken slot is an error: ON CONFLICT names the key alone.
INSERT INTO {table} ({columns}) VALUES ({places}) ON CONFLICT ({key}) DO UPDATE SET {changes};

-- name: claim
-- Insert a row that is expected to be absent: an error if another process was faster.
INSERT INTO {table} ({columns}) VALUES ({places});
