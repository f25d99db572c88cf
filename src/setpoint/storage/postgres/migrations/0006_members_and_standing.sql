-- People accept memberships, and whoever runs the installation says how organizations stand.

CREATE TABLE acceptance (
    ref text COLLATE "C" PRIMARY KEY,
    account text COLLATE "C" NOT NULL,
    body bytea NOT NULL
);
CREATE INDEX acceptance_by_account ON acceptance (account, ref);

CREATE TABLE standing (
    organization text COLLATE "C" PRIMARY KEY,
    body bytea NOT NULL
);

-- Both are what people say: the API's to write, and everybody's to read.
GRANT SELECT ON acceptance, standing TO setpoint_api, setpoint_worker, setpoint_scheduler;
GRANT INSERT, UPDATE, DELETE ON acceptance, standing TO setpoint_api;

-- down:

DROP TABLE standing;
DROP TABLE acceptance;
