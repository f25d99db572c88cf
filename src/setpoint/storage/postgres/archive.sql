-- What a backup reads and a restore begins with, for each table.

-- name: snapshot
-- Everything that follows is of one moment, however long it takes.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0;

-- name: every_row
-- Every row of a table, in the order of the backup.
SELECT body FROM {table} ORDER BY {order};

-- name: alone
-- Nobody starts on this database while it is filled.
BEGIN; SET LOCAL statement_timeout = 0; LOCK TABLE installation IN EXCLUSIVE MODE;

-- name: some_row
-- Whether a table has any row.
SELECT EXISTS (SELECT FROM {table});
