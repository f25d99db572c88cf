-- The scheduler tidies up: operations that ended long ago, and nothing that is still open.

CREATE INDEX task_over ON task (id) WHERE slot IS NULL;

GRANT DELETE ON task, plan TO setpoint_scheduler;
CREATE POLICY forgotten ON task FOR DELETE TO setpoint_scheduler USING (slot IS NULL);
CREATE POLICY forgotten ON plan FOR DELETE TO setpoint_scheduler USING (ref LIKE 'plan/%' AND state <> 'asked');

-- down:

DROP POLICY forgotten ON plan;
DROP POLICY forgotten ON task;
REVOKE DELETE ON task, plan FROM setpoint_scheduler;
DROP INDEX task_over;
