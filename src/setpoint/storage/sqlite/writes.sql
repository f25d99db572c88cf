-- Everything that happens inside a commit: rows by key, and what is appended.
-- A put never takes a slot from another row: ON CONFLICT names the key alone, so a taken slot is an error.

-- name: get_declared
-- The declaration of this ref.
SELECT body FROM declared WHERE ref = :key;

-- name: put_declared
-- Insert a declaration, or replace the one of its ref.
INSERT INTO declared
    (ref, kind, organization, project, workspace, name, parent, owner, generation, slot, refs, changed_at, words, body)
VALUES
    (:ref, :kind, :organization, :project, :workspace, :name, :parent, :owner, :generation, :slot, :refs, :changed_at,
    :words, :body)
ON CONFLICT (ref) DO UPDATE SET
    kind = excluded.kind, organization = excluded.organization, project = excluded.project,
    workspace = excluded.workspace, name = excluded.name, parent = excluded.parent, owner = excluded.owner,
    generation = excluded.generation, slot = excluded.slot, refs = excluded.refs,
    changed_at = excluded.changed_at, words = excluded.words, body = excluded.body;

-- name: drop_declared
-- Forget a declaration.
DELETE FROM declared WHERE ref = :key;

-- name: holder_of_declared
-- Which declaration has this slot.
SELECT ref FROM declared WHERE slot = :slot;

-- name: get_status
-- The status of this ref.
SELECT body FROM status WHERE ref = :key;

-- name: put_status
-- Insert a status, or replace the one of its ref.
INSERT INTO status (ref, state, body) VALUES (:ref, :state, :body)
ON CONFLICT (ref) DO UPDATE SET state = excluded.state, body = excluded.body;

-- name: drop_status
-- Forget a status.
DELETE FROM status WHERE ref = :key;

-- name: get_wake
-- One wake.
SELECT body FROM wake WHERE id = :key;

-- name: put_wake
-- Insert a wake; it has an id of its own, so nothing is ever merged.
INSERT INTO wake (id, ref, body) VALUES (:id, :ref, :body)
ON CONFLICT (id) DO UPDATE SET ref = excluded.ref, body = excluded.body;

-- name: drop_wake
-- Forget exactly this wake: one that came meanwhile has another id and stays.
DELETE FROM wake WHERE id = :key;

-- name: get_act
-- One act.
SELECT body FROM act WHERE id = :key;

-- name: put_act
-- Begin an act, or write how it ended.
INSERT INTO act (id, domain, item, verb, state, began_at, ended_at, slot, body)
VALUES (:id, :domain, :item, :verb, :state, :began_at, :ended_at, :slot, :body)
ON CONFLICT (id) DO UPDATE SET
    domain = excluded.domain, item = excluded.item, verb = excluded.verb, state = excluded.state,
    began_at = excluded.began_at, ended_at = excluded.ended_at, slot = excluded.slot, body = excluded.body;

-- name: drop_act
-- Forget an act.
DELETE FROM act WHERE id = :key;

-- name: holder_of_act
-- Which open act has this slot.
SELECT id FROM act WHERE slot = :slot;

-- name: get_plan
-- One plan.
SELECT body FROM plan WHERE id = :key;

-- name: put_plan
-- Insert a plan, or replace the one of its id.
INSERT INTO plan (id, ref, organization, state, digest, body)
VALUES (:id, :ref, :organization, :state, :digest, :body)
ON CONFLICT (id) DO UPDATE SET
    ref = excluded.ref, organization = excluded.organization, state = excluded.state, digest = excluded.digest,
    body = excluded.body;

-- name: drop_plan
-- Forget a plan.
DELETE FROM plan WHERE id = :key;

-- name: get_approval
-- One approval.
SELECT body FROM approval WHERE id = :key;

-- name: put_approval
-- Insert an approval, or replace the one of its id.
INSERT INTO approval (id, ref, body) VALUES (:id, :ref, :body)
ON CONFLICT (id) DO UPDATE SET ref = excluded.ref, body = excluded.body;

-- name: drop_approval
-- Forget an approval.
DELETE FROM approval WHERE id = :key;

-- name: get_switch
-- One switch.
SELECT body FROM switch WHERE key = :key;

-- name: put_switch
-- Insert a switch, or replace the one of its key.
INSERT INTO switch (key, version, body) VALUES (:key, :version, :body)
ON CONFLICT (key) DO UPDATE SET version = excluded.version, body = excluded.body;

-- name: drop_switch
-- Forget a switch.
DELETE FROM switch WHERE key = :key;

-- name: get_task
-- One task.
SELECT body FROM task WHERE id = :key;

-- name: put_task
-- Insert a task, or replace the one of its id.
INSERT INTO task (id, target, organization, state, due_at, slot, body)
VALUES (:id, :target, :organization, :state, :due_at, :slot, :body)
ON CONFLICT (id) DO UPDATE SET
    target = excluded.target, organization = excluded.organization, state = excluded.state,
    due_at = excluded.due_at, slot = excluded.slot, body = excluded.body;

-- name: drop_task
-- Forget a task.
DELETE FROM task WHERE id = :key;

-- name: holder_of_task
-- Which open task has this slot.
SELECT id FROM task WHERE slot = :slot;

-- name: get_ledger
-- What the guards remember of this ref.
SELECT body FROM ledger WHERE ref = :key;

-- name: put_ledger
-- Insert a ledger, or replace the one of its ref.
INSERT INTO ledger (ref, body) VALUES (:ref, :body)
ON CONFLICT (ref) DO UPDATE SET body = excluded.body;

-- name: drop_ledger
-- Forget a ledger.
DELETE FROM ledger WHERE ref = :key;

-- name: get_protection
-- The protection of this item.
SELECT body FROM protection WHERE key = :key;

-- name: put_protection
-- Protect an item, or say anew who does.
INSERT INTO protection (key, domain, body) VALUES (:key, :domain, :body)
ON CONFLICT (key) DO UPDATE SET domain = excluded.domain, body = excluded.body;

-- name: drop_protection
-- Protect an item no longer.
DELETE FROM protection WHERE key = :key;

-- name: get_released
-- When this item was let go again.
SELECT body FROM released WHERE key = :key;

-- name: put_released
-- Let an item go again.
INSERT INTO released (key, domain, body) VALUES (:key, :domain, :body)
ON CONFLICT (key) DO UPDATE SET domain = excluded.domain, body = excluded.body;

-- name: drop_released
-- Forget that an item was let go.
DELETE FROM released WHERE key = :key;

-- name: get_parked
-- The item parked under this key.
SELECT body FROM parked WHERE key = :key;

-- name: put_parked
-- Park an item, or park it longer.
INSERT INTO parked (key, domain, body) VALUES (:key, :domain, :body)
ON CONFLICT (key) DO UPDATE SET domain = excluded.domain, body = excluded.body;

-- name: drop_parked
-- It is back, or gone.
DELETE FROM parked WHERE key = :key;

-- name: get_budget
-- One fleet budget.
SELECT body FROM budget WHERE key = :key;

-- name: put_budget
-- What is taken of a fleet budget now.
INSERT INTO budget (key, version, body) VALUES (:key, :version, :body)
ON CONFLICT (key) DO UPDATE SET version = excluded.version, body = excluded.body;

-- name: drop_budget
-- Forget a fleet budget.
DELETE FROM budget WHERE key = :key;

-- name: get_pass
-- One recorded pass.
SELECT body FROM pass WHERE id = :key;

-- name: put_pass
-- Record a pass.
INSERT INTO pass (id, ref, organization, at, body) VALUES (:id, :ref, :organization, :at, :body)
ON CONFLICT (id) DO UPDATE SET
    ref = excluded.ref, organization = excluded.organization, at = excluded.at, body = excluded.body;

-- name: drop_pass
-- Forget a pass.
DELETE FROM pass WHERE id = :key;

-- name: get_head
-- Where an organization stands.
SELECT body FROM head WHERE organization = :key;

-- name: put_head
-- Move an organization's head: the last write of each of its commits.
INSERT INTO head (organization, body) VALUES (:organization, :body)
ON CONFLICT (organization) DO UPDATE SET body = excluded.body;

-- name: drop_head
-- Forget a head.
DELETE FROM head WHERE organization = :key;

-- name: get_installation
-- Who we are.
SELECT body FROM installation WHERE key = :key;

-- name: put_installation
-- Say who we are.
INSERT INTO installation (key, body) VALUES (:key, :body)
ON CONFLICT (key) DO UPDATE SET body = excluded.body;

-- name: drop_installation
-- Forget who we are.
DELETE FROM installation WHERE key = :key;

-- name: get_shard
-- One shard.
SELECT body FROM shard WHERE key = :key;

-- name: put_shard
-- Insert a shard, or replace the one of its key.
INSERT INTO shard (key, service, owner, epoch, until, body)
VALUES (:key, :service, :owner, :epoch, :until, :body)
ON CONFLICT (key) DO UPDATE SET
    service = excluded.service, owner = excluded.owner, epoch = excluded.epoch, until = excluded.until,
    body = excluded.body;

-- name: drop_shard
-- Forget a shard.
DELETE FROM shard WHERE key = :key;

-- name: get_replica
-- One replica.
SELECT body FROM replica WHERE key = :key;

-- name: put_replica
-- Insert a replica, or replace the one of its key.
INSERT INTO replica (key, service, until, body) VALUES (:key, :service, :until, :body)
ON CONFLICT (key) DO UPDATE SET service = excluded.service, until = excluded.until, body = excluded.body;

-- name: drop_replica
-- Forget a replica.
DELETE FROM replica WHERE key = :key;

-- name: append_event
-- Add an event under its number; a number that is taken is an error.
INSERT INTO event (organization, revision, ref, body) VALUES (:organization, :revision, :ref, :body);

-- name: append_audit
-- Add a line to the audit chain under its number; a number that is taken is an error.
INSERT INTO audit (organization, revision, body) VALUES (:organization, :revision, :body);
