-- Whose parts of a thing there are, as zones below a domain. Rows from before get their place when their entity is looked at
-- next.

ALTER TABLE claim ADD COLUMN account TEXT NOT NULL DEFAULT '';
ALTER TABLE claim ADD COLUMN path TEXT NOT NULL DEFAULT '';
ALTER TABLE claim ADD COLUMN organization TEXT NOT NULL DEFAULT '';
CREATE INDEX claim_by_path ON claim (account, path, organization, key);

-- down:

DROP INDEX claim_by_path;
ALTER TABLE claim DROP COLUMN organization;
ALTER TABLE claim DROP COLUMN path;
ALTER TABLE claim DROP COLUMN account;
