-- Lists in any order, narrowed by the store itself: when something was declared last, and the words it is found by.

ALTER TABLE declared ADD COLUMN changed_at REAL NOT NULL DEFAULT 0.0;
ALTER TABLE declared ADD COLUMN words TEXT NOT NULL DEFAULT '';
UPDATE declared SET
    changed_at = coalesce(json_extract(CAST(body AS TEXT), '$.changed_at'), 0.0),
    words = lower(name || coalesce((
        SELECT group_concat(char(10) || key || '=' || value, '') FROM json_each(CAST(body AS TEXT), '$.labels')
    ), ''));
CREATE INDEX declared_by_name ON declared (organization, name, ref, project, workspace);
CREATE INDEX declared_by_change ON declared (organization, changed_at, ref, project, workspace);
CREATE INDEX status_unwell ON status (state, ref) WHERE state <> 'READY';

-- down:

DROP INDEX status_unwell;
DROP INDEX declared_by_change;
DROP INDEX declared_by_name;
ALTER TABLE declared DROP COLUMN words;
ALTER TABLE declared DROP COLUMN changed_at;
