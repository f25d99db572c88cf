-- One owner for an external thing: a zone at an account, and what else kinds claim. Who was there before is asked when it is
-- looked at next, and claims then. No wall between tenants: a thing of one is refused to all others.

CREATE TABLE claim (
    key text COLLATE "C" PRIMARY KEY,
    ref text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX claim_by_ref ON claim (ref, key);

-- Claimed with the declaration, or by the look that finds out at which account; dropped when the entity is gone.
GRANT SELECT, INSERT, UPDATE, DELETE ON claim TO setpoint_api, setpoint_scheduler;
GRANT SELECT ON claim TO setpoint_worker;

-- down:

DROP TABLE claim;
