-- Credentials are given out in an organization, and have a name by which they are listed and taken back.

ALTER TABLE token ADD COLUMN id TEXT NOT NULL DEFAULT '';
ALTER TABLE token ADD COLUMN organization TEXT NOT NULL DEFAULT '';
CREATE INDEX token_by_organization ON token (organization, id) WHERE id <> '';
CREATE INDEX token_by_id ON token (id) WHERE id <> '';

-- down:

DROP INDEX token_by_id;
DROP INDEX token_by_organization;
ALTER TABLE token DROP COLUMN organization;
ALTER TABLE token DROP COLUMN id;
