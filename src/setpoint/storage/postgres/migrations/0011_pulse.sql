-- Schedulers give signs of life too: the pulse of their loops, and of nothing else.

GRANT INSERT, UPDATE ON sign TO setpoint_scheduler;
ALTER TABLE sign ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON sign FOR SELECT USING (true);
CREATE POLICY added ON sign FOR INSERT TO setpoint_api WITH CHECK (ref NOT LIKE 'pulse/%');
CREATE POLICY changed ON sign FOR UPDATE TO setpoint_api USING (true) WITH CHECK (ref NOT LIKE 'pulse/%');
CREATE POLICY beaten ON sign FOR INSERT TO setpoint_scheduler WITH CHECK (ref LIKE 'pulse/%');
CREATE POLICY beaten_again ON sign FOR UPDATE TO setpoint_scheduler USING (true) WITH CHECK (ref LIKE 'pulse/%');

-- down:

DROP POLICY beaten_again ON sign;
DROP POLICY beaten ON sign;
DROP POLICY changed ON sign;
DROP POLICY added ON sign;
DROP POLICY seen ON sign;
ALTER TABLE sign DISABLE ROW LEVEL SECURITY;
REVOKE INSERT, UPDATE ON sign FROM setpoint_scheduler;
