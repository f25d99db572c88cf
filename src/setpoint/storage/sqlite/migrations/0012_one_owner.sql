-- One owner for an external thing: a zone at an account, and what else kinds claim. Who was there before is asked when it is
-- looked at next, and claims then.

CREATE TABLE claim (
    key TEXT NOT NULL PRIMARY KEY,
    ref TEXT NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE INDEX claim_by_ref ON claim (ref, key);

-- down:

DROP TABLE claim;
