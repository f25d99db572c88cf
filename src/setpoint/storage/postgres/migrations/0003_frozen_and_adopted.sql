-- Whoever starts says where the database is that it found; one that is a copy, or older than the world, is frozen by the
-- first who notices. So everybody may write that one switch, in our own name and in nobody else's.

GRANT UPDATE ON installation TO setpoint_api, setpoint_worker, setpoint_scheduler;
GRANT INSERT ON switch TO setpoint_worker, setpoint_scheduler;
GRANT UPDATE ON switch TO setpoint_worker;
CREATE POLICY frozen_first ON switch FOR INSERT TO setpoint_worker, setpoint_scheduler
    WITH CHECK (key = 'all' AND convert_from(body, 'UTF8')::json ->> 'by' = 'setpoint');
CREATE POLICY frozen ON switch FOR UPDATE TO setpoint_worker, setpoint_scheduler
    USING (key = 'all') WITH CHECK (key = 'all' AND convert_from(body, 'UTF8')::json ->> 'by' = 'setpoint');

-- A person who adopts what is newer than our database gives the journal back the act that made it, as an act that is done;
-- everything else about acts is the scheduler's.
ALTER TABLE act ENABLE ROW LEVEL SECURITY;
GRANT INSERT, UPDATE ON act TO setpoint_api;
CREATE POLICY seen ON act FOR SELECT USING (true);
CREATE POLICY written ON act TO setpoint_scheduler USING (true) WITH CHECK (true);
CREATE POLICY adopted ON act FOR INSERT TO setpoint_api WITH CHECK (state = 'done' AND verb = 'create');
-- A put is an upsert, which needs the right to update even where there is nothing to update.
CREATE POLICY not_changed ON act FOR UPDATE TO setpoint_api USING (false);

-- down:

DROP POLICY not_changed ON act;
DROP POLICY adopted ON act;
DROP POLICY written ON act;
DROP POLICY seen ON act;
REVOKE INSERT, UPDATE ON act FROM setpoint_api;
ALTER TABLE act DISABLE ROW LEVEL SECURITY;
DROP POLICY frozen ON switch;
DROP POLICY frozen_first ON switch;
REVOKE UPDATE ON switch FROM setpoint_worker;
REVOKE INSERT ON switch FROM setpoint_worker, setpoint_scheduler;
REVOKE UPDATE ON installation FROM setpoint_api, setpoint_worker, setpoint_scheduler;
