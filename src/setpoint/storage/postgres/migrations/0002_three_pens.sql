-- Who may write what: one group role per service, so that the database keeps the pens apart. Whoever connects is made a
-- member of one (`GRANT setpoint_scheduler TO "…"`) and takes it on with SET ROLE. Roles belong to the whole cluster,
-- so another database may have made them already, or be making them now.

DO $$
DECLARE
    pen text;
BEGIN
    FOREACH pen IN ARRAY ARRAY['setpoint_api', 'setpoint_worker', 'setpoint_scheduler'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = pen) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', pen);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END LOOP;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO setpoint_api, setpoint_worker, setpoint_scheduler', current_schema());
    EXECUTE format(
        'GRANT SELECT ON ALL TABLES IN SCHEMA %I TO setpoint_api, setpoint_worker, setpoint_scheduler', current_schema()
    );
END $$;

-- Whoever acts: evidence and events are only ever added, never changed; the head is moved; wakes come and go.
GRANT INSERT ON event, audit TO setpoint_api, setpoint_worker, setpoint_scheduler;
GRANT INSERT, UPDATE ON head, installation TO setpoint_api, setpoint_worker, setpoint_scheduler;
GRANT INSERT, UPDATE, DELETE ON wake TO setpoint_api, setpoint_worker, setpoint_scheduler;

-- Whoever owns shards.
GRANT UPDATE ON shard TO setpoint_worker, setpoint_scheduler;
GRANT INSERT, UPDATE, DELETE ON replica TO setpoint_worker, setpoint_scheduler;

-- The API: intent, decisions of people, credentials, signs of life; the status of what leaves at once goes with it.
GRANT INSERT, UPDATE, DELETE ON declared, protection, released, switch, token TO setpoint_api;
GRANT INSERT, UPDATE ON plan, approval, sign TO setpoint_api;
GRANT DELETE ON status TO setpoint_api;

-- The scheduler: what it saw, judged and did.
GRANT INSERT, UPDATE, DELETE ON status, ledger, parked, budget, pass, act TO setpoint_scheduler;
GRANT INSERT, UPDATE ON plan, approval TO setpoint_scheduler;

-- The worker: tasks.
GRANT INSERT, UPDATE, DELETE ON task TO setpoint_worker;

-- What a grant on a whole table cannot say. A commit holds the rows it rests on FOR SHARE, and PostgreSQL asks for the
-- right to update before it lets anybody hold a row: so the scheduler has that right, and no new row passes its check.
ALTER TABLE switch ENABLE ROW LEVEL SECURITY;
ALTER TABLE protection ENABLE ROW LEVEL SECURITY;
GRANT UPDATE ON switch, protection TO setpoint_scheduler;
CREATE POLICY seen ON switch FOR SELECT USING (true);
CREATE POLICY seen ON protection FOR SELECT USING (true);
CREATE POLICY written ON switch TO setpoint_api USING (true) WITH CHECK (true);
CREATE POLICY written ON protection TO setpoint_api USING (true) WITH CHECK (true);
CREATE POLICY held ON switch FOR UPDATE TO setpoint_scheduler USING (true) WITH CHECK (false);
CREATE POLICY held ON protection FOR UPDATE TO setpoint_scheduler USING (true) WITH CHECK (false);

-- A loop declares parts of its own entity (decision 0010), and nothing else of intent; what is gone it forgets.
ALTER TABLE declared ENABLE ROW LEVEL SECURITY;
GRANT INSERT, UPDATE, DELETE ON declared TO setpoint_scheduler;
CREATE POLICY seen ON declared FOR SELECT USING (true);
CREATE POLICY written ON declared TO setpoint_api USING (true) WITH CHECK (true);
CREATE POLICY parts_added ON declared FOR INSERT TO setpoint_scheduler WITH CHECK (parent IS NOT NULL);
CREATE POLICY parts_changed ON declared FOR UPDATE TO setpoint_scheduler USING (true) WITH CHECK (parent IS NOT NULL);
CREATE POLICY gone ON declared FOR DELETE TO setpoint_scheduler USING (true);

-- Others ask for a task; from then on it is the worker's.
ALTER TABLE task ENABLE ROW LEVEL SECURITY;
GRANT INSERT, UPDATE ON task TO setpoint_api, setpoint_scheduler;
CREATE POLICY seen ON task FOR SELECT USING (true);
CREATE POLICY written ON task TO setpoint_worker USING (true) WITH CHECK (true);
CREATE POLICY asked ON task FOR INSERT TO setpoint_api, setpoint_scheduler WITH CHECK (state = 'queued');
-- A put is an upsert, which needs the right to update even where there is nothing to update.
CREATE POLICY not_changed ON task FOR UPDATE TO setpoint_api, setpoint_scheduler USING (false);

-- down:

-- The roles stay: another database of this cluster may use them.
DROP POLICY seen ON switch;
DROP POLICY written ON switch;
DROP POLICY held ON switch;
DROP POLICY seen ON protection;
DROP POLICY written ON protection;
DROP POLICY held ON protection;
DROP POLICY seen ON declared;
DROP POLICY written ON declared;
DROP POLICY parts_added ON declared;
DROP POLICY parts_changed ON declared;
DROP POLICY gone ON declared;
DROP POLICY seen ON task;
DROP POLICY written ON task;
DROP POLICY asked ON task;
DROP POLICY not_changed ON task;
ALTER TABLE switch DISABLE ROW LEVEL SECURITY;
ALTER TABLE protection DISABLE ROW LEVEL SECURITY;
ALTER TABLE declared DISABLE ROW LEVEL SECURITY;
ALTER TABLE task DISABLE ROW LEVEL SECURITY;
DO $$
BEGIN
    EXECUTE format(
        'REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM setpoint_api, setpoint_worker, setpoint_scheduler', current_schema()
    );
    EXECUTE format('REVOKE USAGE ON SCHEMA %I FROM setpoint_api, setpoint_worker, setpoint_scheduler', current_schema());
END $$;
