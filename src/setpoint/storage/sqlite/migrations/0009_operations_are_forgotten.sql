-- Operations that ended long ago are tidied up.

CREATE INDEX task_over ON task (id) WHERE slot IS NULL;

-- down:

DROP INDEX task_over;
