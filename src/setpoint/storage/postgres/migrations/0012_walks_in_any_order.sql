-- Lists in any order, narrowed by the store itself: when something was declared last, and the words it is found by.

ALTER TABLE declared ADD COLUMN changed_at double precision NOT NULL DEFAULT 0;
ALTER TABLE declared ADD COLUMN words text COLLATE "C" NOT NULL DEFAULT '';
UPDATE declared SET
    changed_at = coalesce((convert_from(body, 'UTF8')::json ->> 'changed_at')::double precision, 0),
    words = lower(name || coalesce((
        SELECT string_agg(E'\n' || key || '=' || value, '') FROM json_each_text(convert_from(body, 'UTF8')::json -> 'labels')
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
