-- What a backup reads, for each table.

-- name: every_row
-- Every row of a table, in the order of the backup.
SELECT body FROM {table} ORDER BY {order};
